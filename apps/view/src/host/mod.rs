//! The host: runs a simulation, executes commands and makes messages.

mod commands;
mod figures;
mod messages;

use std::fmt;

use taut::world::{AnyScene, Clock, LibraryScene, Warning};

use self::commands::Refusal;
use crate::pages::{PageId, Pages};
use crate::protocol::{Change, Figures, TIMES_OWN_SIZE_MAX};
use crate::request::SettingRequest;
use crate::session::{AnySession, SessionError, on};

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
    /// Initial settings, as in [`Command::Set`](crate::protocol::Command::Set).
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
        let left = |mut clock: Clock| 1.0 - f64::from(clock.advance(0.0).fraction);
        is_running.then(|| left(self.clock) * f64::from(on!(&self.session, it => it.dt())))
    }

    /// Advances time by `elapsed` seconds and runs the steps that are due.
    pub fn advance(&mut self, elapsed: f64) {
        if self.due().is_some() {
            let frame = self.clock.advance(elapsed);
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
                self.pages.push_error(&error.to_string());
            }
        }
        if self.blown {
            self.update_figures();
        }
    }

    /// The id of the present topology.
    #[cfg(feature = "server")]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }
}

fn clock(session: &AnySession) -> Result<Clock, Refusal> {
    let clock = Clock::new(on!(session, it => it.dt())).map_err(SessionError::from)?;
    Ok(clock.with_max_steps(STEPS_AT_ONCE))
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
