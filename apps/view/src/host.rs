//! The host: runs a simulation, executes commands and makes messages.

use std::fmt;

use taut::world::{AnyScene, Clock, LibraryScene, SceneError, UnknownScene, Warning};
use taut::{Formula, KernelChoice};

use crate::kernels::available;
#[cfg(feature = "server")]
use crate::pages::TopologySent;
use crate::pages::{PageId, Pages};
use crate::protocol::{
    Change, Command, Figures, HELD_MAX, Message, Notice, SceneEntry, State, TIMES_OWN_SIZE_MAX,
};
use crate::request::{BadSetting, SettingRequest};
use crate::session::{AnySession, Applied, SessionError, on};
use crate::step_timer::Times;

/// The time between updates of the figures, s.
const FIGURES_EVERY: f64 = 0.1;

/// The largest share of the time that computing stretch and energy may take.
const SHARE_OF_FIGURES: f64 = 0.02;

/// The maximum number of steps to catch up at once; further time is dropped.
const STEPS_AT_ONCE: u32 = 4;

/// The largest size with which a host starts, unless `TIMES_OWN_SIZE_MAX` allows more.
const SIZE_MAX: usize = 2048;

/// The name of the scene that was loaded from a file.
const FILE: &str = "file";

/// The initial configuration of a host.
pub struct Options {
    /// The name of a library scene, or `file`.
    pub scene: String,
    /// The size of the scene; none: its default size.
    pub size: Option<usize>,
    /// A scene that is not in the library, with its description.
    pub file: Option<(String, AnyScene)>,
    /// Initial settings, as in [`Command::Set`].
    pub settings: Change,
    /// The maximum number of kernel threads.
    pub threads: usize,
    /// A description of the machine, shown to users.
    pub machine: String,
    /// Returns seconds since an arbitrary start; the host has no clock of its own.
    pub stopwatch: Box<dyn Fn() -> f64 + Send>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("scene", &self.scene).finish_non_exhaustive()
    }
}

/// Why a host cannot be created.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct HostError(#[from] Refusal);

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("invalid command: {0}")]
    Message(#[from] serde_json::Error),
    #[error(transparent)]
    UnknownScene(#[from] UnknownScene),
    #[error("no scene file is loaded: start taut view with one")]
    NoFile,
    #[error("a scene from a file has no size")]
    NoSize,
    #[error("the size of this scene must be from 1 to {most}, found {size}")]
    Size { most: usize, size: usize },
    #[error("a page holds at most {HELD_MAX} particles: release one first")]
    Held,
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Setting(#[from] BadSetting),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A simulation with connected pages. It runs their commands, advances with time and makes their
/// messages (see [`protocol`](crate::protocol)). It does no I/O, starts no threads except those of
/// kernels, and does not read the system clock.
///
/// ```
/// use taut_view::{Host, Message, Options};
///
/// let mut host = Host::new(Options { scene: "drape".into(), size: Some(16), ..Options::default() })?;
/// let page = host.connect();
/// host.receive(page, r#"{"do":"next"}"#);
/// host.advance(0.1); // seconds
/// let Some(Message::Text(state)) = host.take(page) else { panic!("expected the state") };
/// assert!(state.contains(r#""scene":"drape""#));
/// while let Some(message) = host.take(page) {
///     // Send it.
/// }
/// host.disconnect(page);
/// # Ok::<(), taut_view::HostError>(())
/// ```
pub struct Host {
    file: Option<(String, AnyScene)>,
    threads: usize,
    machine: String,
    stopwatch: Box<dyn Fn() -> f64 + Send>,

    /// Pages may request sizes up to this one even if `TIMES_OWN_SIZE_MAX` forbids them.
    initial_size: usize,
    scene: String,
    size: Option<usize>,
    request: SettingRequest,
    session: AnySession,
    clock: Clock,
    paused: bool,
    blown: bool,
    behind: f64,
    /// Time since the last figures, s.
    since_figures: f64,
    /// Time until stretch and energy may be computed again, s.
    condition_pause: f64,
    figures: Figures,

    /// Version numbers of what pages receive: topology, state and figures.
    epoch: u32,
    state: u64,
    figures_number: u64,
    pages: Pages,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("scene", &self.scene).finish_non_exhaustive()
    }
}

impl Default for Options {
    /// The curtain, on one thread, with a stopwatch that always returns 0.
    fn default() -> Self {
        Self {
            scene: "curtain".to_owned(),
            size: None,
            file: None,
            settings: Change::default(),
            threads: 1,
            machine: String::new(),
            stopwatch: Box::new(|| 0.0),
        }
    }
}

impl Host {
    /// Loads the scene and applies the settings.
    ///
    /// # Errors
    /// If the scene does not exist, or its size or a setting is invalid.
    pub fn new(options: Options) -> Result<Self, HostError> {
        let Options { scene, size, file, settings, threads, machine, stopwatch } = options;
        let (made, size) = make(&scene, size, SIZE_MAX, file.as_ref())?;
        let request =
            SettingRequest::defaults().changed(settings, threads).map_err(Refusal::from)?;
        let mut session =
            AnySession::new(made, SettingRequest::defaults()).map_err(Refusal::from)?;
        on!(&mut session, it => it.apply(request.clone())).map_err(Refusal::from)?;
        let clock = clock(&session)?;
        let mut host = Self {
            file,
            threads,
            machine,
            stopwatch,
            initial_size: size.unwrap_or(0),
            scene,
            size,
            request,
            session,
            clock,
            paused: false,
            blown: false,
            behind: 0.0,
            since_figures: 0.0,
            condition_pause: 0.0,
            figures: Figures::default(),
            epoch: 1,
            state: 1,
            figures_number: 0,
            pages: Pages::default(),
        };
        host.update_figures();
        Ok(host)
    }

    /// See [`World::warnings`](taut::world::World::warnings).
    pub fn warnings(&self) -> Vec<Warning> {
        on!(&self.session, it => it.warnings())
    }

    /// Connects a page.
    pub fn connect(&mut self) -> PageId {
        self.pages.add()
    }

    /// Disconnects a page, and releases the particles that it held.
    pub fn disconnect(&mut self, page: PageId) {
        let Some(removed) = self.pages.remove(page) else { return };
        for particle in removed.held {
            // Cannot fail: it was grabbed, so its id is valid.
            let _ = self.release(particle);
        }
    }

    /// Seconds until the next step; none while no page is connected, the simulation is paused, or
    /// it blew up.
    pub fn due(&self) -> Option<f64> {
        let is_running = !(self.pages.is_empty() || self.paused || self.blown);
        let left = |mut clock: Clock| 1.0 - f64::from(clock.feed(0.0).fraction);
        is_running.then(|| left(self.clock) * f64::from(on!(&self.session, it => it.dt())))
    }

    /// Advances time by `elapsed` seconds and runs the steps that are due.
    pub fn advance(&mut self, elapsed: f64) {
        if self.due().is_some() {
            let frame = self.clock.feed(elapsed);
            self.behind += frame.dropped;
            for _ in 0..frame.steps {
                self.step();
            }
        }
        self.condition_pause -= elapsed;
        self.since_figures += elapsed;
    }

    fn step(&mut self) {
        if self.blown {
            return;
        }
        match on!(&mut self.session, it => it.step(&*self.stopwatch)) {
            Ok(sane) => self.blown = !sane,
            Err(error) => {
                self.blown = true;
                let text = error.to_string();
                self.pages.iter_mut().for_each(|page| page.push_error(text.clone()));
            }
        }
        if self.blown {
            self.update_figures();
        }
    }

    /// Updates the figures.
    fn update_figures(&mut self) {
        on!(&mut self.session, it => it.end_window());
        let Times { all, sticks } = on!(&self.session, it => it.times());
        let counts = on!(&self.session, it => it.counts());
        let relaxed = on!(&self.session, it => it.relaxations()) as f64 * counts.sticks as f64;
        let [divisions, roots] = on!(&self.session, it => it.operations());
        if self.condition_pause <= 0.0 {
            let start = (self.stopwatch)();
            if let Ok((stretch, [kinetic, potential])) = on!(&self.session, it => it.condition()) {
                self.figures = Figures {
                    rms: stretch.rms,
                    max: stretch.max,
                    compression_rms: stretch.compression_rms,
                    compression_max: stretch.compression_max,
                    kinetic,
                    potential,
                    ..self.figures
                };
            }
            self.condition_pause = ((self.stopwatch)() - start) / SHARE_OF_FIGURES;
        }
        let per = |whole: f64, part: f64| if part > 0.0 { whole / part } else { 0.0 };
        let figures = Figures {
            milliseconds: 1e3 * all,
            sticks_milliseconds: 1e3 * sticks,
            nanoseconds: 1e9 * per(sticks, relaxed),
            sticks_per_second: per(relaxed, sticks),
            divisions,
            roots,
            behind: self.behind,
            torn: counts.torn,
            steps: on!(&self.session, it => it.steps()),
            blown: self.blown,
            race: on!(&self.session, it => it.race_figures()),
            ..self.figures
        };
        if figures != self.figures || self.figures_number == 0 {
            self.figures = figures;
            self.figures_number += 1;
        }
    }

    /// Runs the command in `text`. If it is invalid or fails, the page receives an error.
    pub fn receive(&mut self, page: PageId, text: &str) {
        self.execute(page, serde_json::from_str(text));
    }

    /// As [`receive`](Self::receive), for a command that is already parsed, or its parse error.
    pub(crate) fn execute(&mut self, page: PageId, command: serde_json::Result<Command>) {
        let result = command.map_err(Refusal::from).and_then(|command| self.run(page, command));
        if let (Err(refusal), Some(page)) = (result, self.pages.get_mut(page)) {
            page.push_error(refusal.to_string());
        }
    }

    fn run(&mut self, id: PageId, command: Command) -> Result<(), Refusal> {
        let Some(page) = self.pages.get_mut(id) else { return Ok(()) };
        match command {
            Command::Next => page.wants_frame = true,
            Command::Grab { particle } => {
                if page.held.len() >= HELD_MAX && !page.held.contains(&particle) {
                    return Err(Refusal::Held);
                }
                on!(&mut self.session, it => it.grab(particle))?;
                page.held.insert(particle);
            }
            Command::Drag { particle, to } => {
                // Loading another scene clears `held`; drags that arrive later are ignored.
                if page.held.contains(&particle) {
                    on!(&mut self.session, it => it.drag(particle, to))?;
                }
            }
            Command::Release { particle } => {
                if page.held.remove(&particle) {
                    self.release(particle)?;
                }
            }
            Command::Cut { from, to } => on!(&mut self.session, it => it.cut(from, to)),
            Command::Step => self.step(),
            Command::Reset => self.reset()?,
            Command::Pause { on } => {
                self.paused = on;
                self.state += 1;
            }
            Command::Gravity { on } => {
                self.apply(SettingRequest { gravity: on, ..self.request.clone() })?;
            }
            Command::Wind { on } => {
                self.apply(SettingRequest { wind: Some(on), ..self.request.clone() })?;
            }
            Command::Tethers { on } => {
                self.apply(SettingRequest { tethers: Some(on), ..self.request.clone() })?;
            }
            Command::Set(change) => {
                self.apply(self.request.clone().changed(change, self.threads)?)?;
            }
            Command::Race { kernel: None, .. } => {
                on!(&mut self.session, it => it.stop_race());
                self.state += 1;
            }
            Command::Race { kernel, instructions } => {
                let threads = self.request.kernels.threads;
                let kernel =
                    kernel.map(|name| name.parse()).transpose().map_err(BadSetting::Kernel)?;
                let choice = KernelChoice { kernel, isa: instructions, threads };
                on!(&mut self.session, it => it.race(&choice))?;
                self.state += 1;
            }
            Command::Scene { scene, size } => self.load_scene(scene, size)?,
        }
        Ok(())
    }

    /// Releases a particle, unless a page holds it.
    fn release(&mut self, particle: usize) -> Result<(), Refusal> {
        if !self.pages.any_holds(particle) {
            on!(&mut self.session, it => it.release(particle))?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Refusal> {
        on!(&mut self.session, it => it.reset())?;
        self.start_epoch();
        Ok(())
    }

    fn apply(&mut self, request: SettingRequest) -> Result<(), Refusal> {
        let applied = on!(&mut self.session, it => it.apply(request.clone()))?;
        self.request = request;
        self.state += 1;
        match applied {
            Applied::InPlace => {}
            Applied::Rebuilt => self.epoch += 1,
            Applied::Restarted(why) => {
                self.start_epoch();
                let text = format!("Restarted: {why}");
                self.pages.iter_mut().for_each(|page| page.push_error(text.clone()));
            }
        }
        Ok(())
    }

    fn load_scene(&mut self, scene: String, size: Option<usize>) -> Result<(), Refusal> {
        let (made, size) = make(&scene, size, self.initial_size, self.file.as_ref())?;
        // Settings are kept if only the size changes.
        let same = scene == self.scene;
        let request = if same { self.request.clone() } else { self.request.for_other_scene() };
        let session = AnySession::new(made, request.clone())?;
        self.clock = clock(&session)?;
        self.session = session;
        (self.scene, self.size, self.request) = (scene, size, request);
        self.pages.iter_mut().for_each(|page| page.held.clear());
        self.state += 1;
        self.start_epoch();
        Ok(())
    }

    /// Starts a new epoch: the topology has changed.
    fn start_epoch(&mut self) {
        self.epoch += 1;
        self.blown = false;
        self.behind = 0.0;
        self.condition_pause = 0.0;
        self.update_figures();
    }

    /// The id of the present topology.
    #[cfg(feature = "server")]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether a page has been sent the present topology, and a frame of it if it requested one.
    #[cfg(feature = "server")]
    pub(crate) fn has_sent_topology(&self, page: PageId) -> bool {
        self.pages.get(page).is_none_or(|page| {
            let frame = page.frame.map(|(epoch, _)| epoch);
            page.topology == Some((self.epoch, TopologySent::Rests))
                && (!page.wants_frame || frame == Some(self.epoch))
        })
    }

    /// The next message for a page, if any. Messages are made when they are taken, so a slow page
    /// gets the newest and no queue grows. Figures come last so that they do not delay frames.
    pub fn take(&mut self, id: PageId) -> Option<Message> {
        let Self { epoch, state, .. } = *self;
        let page = self.pages.get_mut(id)?;
        if let Some(text) = page.errors.pop_front() {
            return Some(Message::from_notice(&Notice::Error { text }));
        }
        if page.state != Some(state) {
            page.state = Some(state);
            return Some(Message::from_notice(&Notice::State(Box::new(self.state()))));
        }
        if let Some(message) = on!(&self.session, it => it.topology_message(page, epoch)) {
            return Some(message);
        }
        let frame = (epoch, on!(&self.session, it => it.steps()));
        if page.wants_frame && page.frame != Some(frame) {
            page.wants_frame = false;
            page.frame = Some(frame);
            return Some(on!(&self.session, it => it.frame(epoch)));
        }
        if self.since_figures >= FIGURES_EVERY {
            self.since_figures = 0.0;
            self.update_figures();
        }
        let page = self.pages.get_mut(id)?;
        if page.figures != Some(self.figures_number) {
            page.figures = Some(self.figures_number);
            return Some(Message::from_notice(&Notice::Figures(self.figures.clone())));
        }
        None
    }

    fn state(&self) -> State {
        let listed = LibraryScene::named(&self.scene).ok();
        let mut scenes: Vec<SceneEntry> = LibraryScene::ALL
            .iter()
            .map(|it| SceneEntry {
                name: it.name.to_owned(),
                about: it.about.to_owned(),
                dimensions: it.dimensions,
            })
            .collect();
        scenes.extend(self.file.as_ref().map(|(about, scene)| SceneEntry {
            name: FILE.to_owned(),
            about: about.clone(),
            dimensions: scene.dimensions(),
        }));
        on!(&self.session, it => State {
            scenes,
            scene: self.scene.clone(),
            dimensions: self.session.dimensions(),
            sizes: listed.map(|it| sizes(it, self.size)),
            size: self.size,
            size_is: listed.map(|it| it.size_is),
            kernels: available(it.suits_grid()),
            formulas: Formula::ALL.iter().map(ToString::to_string).collect(),
            schedules: it.orders(),
            threads: self.threads,
            settings: it.in_force(),
            gravity: self.request.gravity,
            wind: it.has_wind(),
            tethers: it.has_tethers(),
            paused: self.paused,
            race: it.racer(),
            counts: it.counts(),
            machine: self.machine.clone(),
            bounds: it.bounds(),
            step: it.dt(),
        })
    }
}

fn clock(session: &AnySession) -> Result<Clock, Refusal> {
    let clock = Clock::new(on!(session, it => it.dt())).map_err(SessionError::from)?;
    Ok(clock.at_most(STEPS_AT_ONCE))
}

/// The scene of that name, and its size: at most [`TIMES_OWN_SIZE_MAX`] times its default, or
/// `most` if that is larger.
fn make(
    name: &str,
    size: Option<usize>,
    most: usize,
    file: Option<&(String, AnyScene)>,
) -> Result<(AnyScene, Option<usize>), Refusal> {
    if name == FILE {
        let (_, scene) = file.ok_or(Refusal::NoFile)?;
        return if size.is_none() { Ok((scene.clone(), None)) } else { Err(Refusal::NoSize) };
    }
    let listed = LibraryScene::named(name)?;
    let size = size.unwrap_or(listed.size);
    let most = most.max(TIMES_OWN_SIZE_MAX * listed.size);
    if !(1..=most).contains(&size) {
        return Err(Refusal::Size { most, size });
    }
    Ok((listed.scene(size)?, Some(size)))
}

/// Suggested sizes: 0.5, 1, 2 and 4 times the scene's default size, and the present one.
fn sizes(scene: &LibraryScene, present: Option<usize>) -> Vec<usize> {
    let own = [scene.size / 2, scene.size, 2 * scene.size, 4 * scene.size];
    let mut sizes: Vec<usize> = own.into_iter().filter(|&it| it > 0).chain(present).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
