//! The host: a simulation, the commands that it takes, and the messages that it makes.

use std::fmt;

use taut::world::{AnyScene, Clock, LibraryScene, SceneError, UnknownScene, Warning};
use taut::{Formula, KernelChoice};

use crate::asked::{BadSetting, SettingRequest};
use crate::course::{AnyCourse, CourseError, Way, on};
use crate::gauge::Times;
use crate::kernels::entries;
#[cfg(feature = "server")]
use crate::pages::Told;
use crate::pages::{PageId, Pages};
use crate::protocol::{
    Change, Command, Figures, HELD_MAX, Message, Notice, SceneEntry, State, TIMES_OWN_SIZE_MAX,
};

/// How much time goes by between two figures, s.
const FIGURES_EVERY: f64 = 0.1;

/// The largest share of the time that computing stretch and energy may take.
const SHARE_OF_FIGURES: f64 = 0.02;

/// How many steps are caught up at most, before time is left out.
const STEPS_AT_ONCE: u32 = 4;

/// The largest size with which a host begins, of a scene whose own size is not larger.
const SIZE_MAX: usize = 2048;

/// The name of the scene that is none of the library.
const FILE: &str = "file";

/// What a host begins with.
pub struct Options {
    /// A name of the library, or `file`.
    pub scene: String,
    /// The size of the scene; its own if there is none.
    pub size: Option<usize>,
    /// A scene that is none of the library, with what to say about it.
    pub file: Option<(String, AnyScene)>,
    /// Settings as [`Command::Set`] has them.
    pub settings: Change,
    /// The most threads that kernels may have.
    pub threads: usize,
    /// What it runs on, for people.
    pub machine: String,
    /// Seconds since some moment: the host has no clock of its own.
    pub stopwatch: Box<dyn Fn() -> f64 + Send>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("scene", &self.scene).finish_non_exhaustive()
    }
}

/// Why there is no host, or no such scene.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct HostError(#[from] Refusal);

/// Why a command is not followed.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("invalid command: {0}")]
    Message(#[from] serde_json::Error),
    #[error(transparent)]
    UnknownScene(#[from] UnknownScene),
    #[error("there is no file: start taut view with one")]
    NoFile,
    #[error("a scene of a file has no size")]
    NoSize,
    #[error("the size of this scene must be from 1 to {most}, and is {size}")]
    Size { most: usize, size: usize },
    #[error("a page holds at most {HELD_MAX} particles: release one first")]
    Held,
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Setting(#[from] BadSetting),
    #[error(transparent)]
    Course(#[from] CourseError),
}

/// A simulation with pages that look on and take part: it takes their commands, moves as time goes
/// by, and makes their messages (see [`protocol`](crate::protocol)). It reads and writes nothing,
/// starts no thread but those of kernels, and does not read the system clock.
///
/// ```
/// use taut_view::{Host, Message, Options};
///
/// let mut host = Host::new(Options { scene: "drape".into(), size: Some(16), ..Options::default() })?;
/// let page = host.connect();
/// host.receive(page, r#"{"do":"next"}"#);
/// host.advance(0.1); // seconds went by
/// let Some(Message::Text(state)) = host.take(page) else { panic!("it says its state first") };
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

    /// The size with which it began: pages may ask for as large a one.
    size_begun: usize,
    scene: String,
    size: Option<usize>,
    asked: SettingRequest,
    course: AnyCourse,
    clock: Clock,
    paused: bool,
    blown: bool,
    behind: f64,
    /// Time since the last figures, s.
    since_figures: f64,
    /// Time until stretch and energy may be looked at again, s.
    rest: f64,
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
    /// The curtain, on one thread, with a stopwatch that stands still.
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
    /// Begins.
    ///
    /// # Errors
    /// If there is no such scene, or it cannot have such a size or such settings.
    pub fn new(options: Options) -> Result<Self, HostError> {
        let Options { scene, size, file, settings, threads, machine, stopwatch } = options;
        let (made, size) = make(&scene, size, SIZE_MAX, file.as_ref())?;
        let asked = SettingRequest::nothing().changed(settings, threads).map_err(Refusal::from)?;
        let mut course = AnyCourse::new(made, SettingRequest::nothing()).map_err(Refusal::from)?;
        on!(&mut course, it => it.follow(asked.clone())).map_err(Refusal::from)?;
        let clock = clock(&course)?;
        let mut host = Self {
            file,
            threads,
            machine,
            stopwatch,
            size_begun: size.unwrap_or(0),
            scene,
            size,
            asked,
            course,
            clock,
            paused: false,
            blown: false,
            behind: 0.0,
            since_figures: 0.0,
            rest: 0.0,
            figures: Figures::default(),
            epoch: 1,
            state: 1,
            figures_number: 0,
            pages: Pages::default(),
        };
        host.measure();
        Ok(host)
    }

    /// What can be played, but surely not as it was meant: see
    /// [`World::warnings`](taut::world::World::warnings).
    pub fn warnings(&self) -> Vec<Warning> {
        on!(&self.course, it => it.warnings())
    }

    /// A page looks on from now on.
    pub fn connect(&mut self) -> PageId {
        self.pages.add()
    }

    /// A page is gone: what it held is released.
    pub fn disconnect(&mut self, page: PageId) {
        let Some(gone) = self.pages.remove(page) else { return };
        for particle in gone.held {
            // It was grabbed, so it is there.
            let _ = self.release(particle);
        }
    }

    /// Seconds until the next step; none while nothing moves, because nobody looks on, time stands
    /// still, or it blew up.
    pub fn due(&self) -> Option<f64> {
        let moves = !(self.pages.is_empty() || self.paused || self.blown);
        let left = |mut clock: Clock| 1.0 - f64::from(clock.feed(0.0).fraction);
        moves.then(|| left(self.clock) * f64::from(on!(&self.course, it => it.dt())))
    }

    /// So many seconds went by: does the steps that are due.
    pub fn advance(&mut self, elapsed: f64) {
        if self.due().is_some() {
            let frame = self.clock.feed(elapsed);
            self.behind += frame.dropped;
            for _ in 0..frame.steps {
                self.step();
            }
        }
        self.rest -= elapsed;
        self.since_figures += elapsed;
    }

    fn step(&mut self) {
        if self.blown {
            return;
        }
        match on!(&mut self.course, it => it.step(&*self.stopwatch)) {
            Ok(sane) => self.blown = !sane,
            Err(error) => {
                self.blown = true;
                let text = error.to_string();
                self.pages.each().for_each(|page| page.complain(text.clone()));
            }
        }
        if self.blown {
            self.measure();
        }
    }

    /// Figures anew.
    fn measure(&mut self) {
        on!(&mut self.course, it => it.turn());
        let Times { all, sticks } = on!(&self.course, it => it.times());
        let counts = on!(&self.course, it => it.counts());
        let relaxed = on!(&self.course, it => it.relaxations()) as f64 * counts.sticks as f64;
        let [divisions, roots] = on!(&self.course, it => it.operations());
        if self.rest <= 0.0 {
            let begun = (self.stopwatch)();
            if let Ok((stretch, [kinetic, potential])) = on!(&self.course, it => it.condition()) {
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
            self.rest = ((self.stopwatch)() - begun) / SHARE_OF_FIGURES;
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
            steps: on!(&self.course, it => it.steps()),
            blown: self.blown,
            race: on!(&self.course, it => it.race_figures()),
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
        let done = command.map_err(Refusal::from).and_then(|command| self.follow(page, command));
        if let (Err(refusal), Some(page)) = (done, self.pages.get(page)) {
            page.complain(refusal.to_string());
        }
    }

    fn follow(&mut self, id: PageId, command: Command) -> Result<(), Refusal> {
        let Some(page) = self.pages.get(id) else { return Ok(()) };
        match command {
            Command::Next => page.wants_frame = true,
            Command::Grab { particle } => {
                if page.held.len() >= HELD_MAX && !page.held.contains(&particle) {
                    return Err(Refusal::Held);
                }
                on!(&mut self.course, it => it.grab(particle))?;
                page.held.insert(particle);
            }
            Command::Drag { particle, to } => {
                // What another scene or page took out of its hands is not dragged any more.
                if page.held.contains(&particle) {
                    on!(&mut self.course, it => it.drag(particle, to))?;
                }
            }
            Command::Release { particle } => {
                if page.held.remove(&particle) {
                    self.release(particle)?;
                }
            }
            Command::Cut { from, to } => on!(&mut self.course, it => it.cut(from, to)),
            Command::Step => self.step(),
            Command::Reset => self.reset()?,
            Command::Pause { on } => {
                self.paused = on;
                self.state += 1;
            }
            Command::Gravity { on } => {
                self.ask(SettingRequest { gravity: on, ..self.asked.clone() })?;
            }
            Command::Wind { on } => {
                self.ask(SettingRequest { wind: Some(on), ..self.asked.clone() })?;
            }
            Command::Tethers { on } => {
                self.ask(SettingRequest { tethers: Some(on), ..self.asked.clone() })?;
            }
            Command::Set(change) => {
                self.ask(self.asked.clone().changed(change, self.threads)?)?;
            }
            Command::Race { kernel: None, .. } => {
                on!(&mut self.course, it => it.stop_race());
                self.state += 1;
            }
            Command::Race { kernel, instructions } => {
                let threads = self.asked.kernels.threads;
                let kernel =
                    kernel.map(|name| name.parse()).transpose().map_err(BadSetting::Kernel)?;
                let choice = KernelChoice { kernel, isa: instructions, threads };
                on!(&mut self.course, it => it.race(&choice))?;
                self.state += 1;
            }
            Command::Scene { scene, size } => self.begin(scene, size)?,
        }
        Ok(())
    }

    /// Lets go of a particle that nobody holds.
    fn release(&mut self, particle: usize) -> Result<(), Refusal> {
        if !self.pages.hold(particle) {
            on!(&mut self.course, it => it.release(particle))?;
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Refusal> {
        on!(&mut self.course, it => it.reset())?;
        self.begun();
        Ok(())
    }

    /// Goes on as asked for.
    fn ask(&mut self, asked: SettingRequest) -> Result<(), Refusal> {
        let way = on!(&mut self.course, it => it.follow(asked.clone()))?;
        self.asked = asked;
        self.state += 1;
        match way {
            Way::On => {}
            Way::Rebuilt => self.epoch += 1,
            Way::Restarted(why) => {
                self.begun();
                let text = format!("Restarted: {why}");
                self.pages.each().for_each(|page| page.complain(text.clone()));
            }
        }
        Ok(())
    }

    fn begin(&mut self, scene: String, size: Option<usize>) -> Result<(), Refusal> {
        let (made, size) = make(&scene, size, self.size_begun, self.file.as_ref())?;
        // The same scene keeps its settings, also in another size.
        let same = scene == self.scene;
        let asked = if same { self.asked.clone() } else { self.asked.elsewhere() };
        let course = AnyCourse::new(made, asked.clone())?;
        self.clock = clock(&course)?;
        self.course = course;
        (self.scene, self.size, self.asked) = (scene, size, asked);
        self.pages.each().for_each(|page| page.held.clear());
        self.state += 1;
        self.begun();
        Ok(())
    }

    /// Starts a new epoch: the topology has changed.
    fn begun(&mut self) {
        self.epoch += 1;
        self.blown = false;
        self.behind = 0.0;
        self.rest = 0.0;
        self.measure();
    }

    /// The number of the present topology.
    #[cfg(feature = "server")]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether a page has been told the whole of the present topology, and a frame of it if it asked
    /// for one.
    #[cfg(feature = "server")]
    pub(crate) fn has_told(&self, page: PageId) -> bool {
        self.pages.look_at(page).is_none_or(|page| {
            let frame = page.frame.map(|(epoch, _)| epoch);
            page.told == Some((self.epoch, Told::Rests))
                && (!page.wants_frame || frame == Some(self.epoch))
        })
    }

    /// The next message for a page, if there is anything that it does not know: what it asks for is
    /// made when it is taken, so that a slow page gets the newest and nothing piles up. Figures come
    /// last: no frame waits for them.
    pub fn take(&mut self, id: PageId) -> Option<Message> {
        let Self { epoch, state, .. } = *self;
        let page = self.pages.get(id)?;
        if let Some(text) = page.errors.pop_front() {
            return Some(Message::say(&Notice::Error { text }));
        }
        if page.state != Some(state) {
            page.state = Some(state);
            return Some(Message::say(&Notice::State(Box::new(self.state()))));
        }
        if let Some(message) = on!(&self.course, it => it.news(page, epoch)) {
            return Some(message);
        }
        let frame = (epoch, on!(&self.course, it => it.steps()));
        if page.wants_frame && page.frame != Some(frame) {
            page.wants_frame = false;
            page.frame = Some(frame);
            return Some(on!(&self.course, it => it.frame(epoch)));
        }
        if self.since_figures >= FIGURES_EVERY {
            self.since_figures = 0.0;
            self.measure();
        }
        let page = self.pages.get(id)?;
        if page.figures != Some(self.figures_number) {
            page.figures = Some(self.figures_number);
            return Some(Message::say(&Notice::Figures(self.figures.clone())));
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
        on!(&self.course, it => State {
            scenes,
            scene: self.scene.clone(),
            dimensions: self.course.dimensions(),
            sizes: listed.map(|it| sizes(it, self.size)),
            size: self.size,
            size_is: listed.map(|it| it.size_is),
            kernels: entries(it.suits_grid()),
            formulas: Formula::ALL.iter().map(ToString::to_string).collect(),
            schedules: it.orders(),
            threads: self.threads,
            settings: it.in_force(),
            gravity: self.asked.gravity,
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

fn clock(course: &AnyCourse) -> Result<Clock, Refusal> {
    let clock = Clock::new(on!(course, it => it.dt())).map_err(CourseError::from)?;
    Ok(clock.at_most(STEPS_AT_ONCE))
}

/// The scene of that name, and its size: at most [`TIMES_OWN_SIZE_MAX`] times its own, or `most`
/// where that is more.
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

/// Sizes to offer: the scene's own, halves and multiples of it, and the present one.
fn sizes(scene: &LibraryScene, present: Option<usize>) -> Vec<usize> {
    let own = [scene.size / 2, scene.size, 2 * scene.size, 4 * scene.size];
    let mut sizes: Vec<usize> = own.into_iter().filter(|&it| it > 0).chain(present).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
