//! The host: runs a simulation, executes the commands of pages, and makes the messages to pages.

mod commands;
mod figures;
mod messages;

use std::fmt;

use taut::world::{AnyScene, Clock, LibraryScene, Warning};

use self::commands::CommandError;
use crate::pages::{PageId, Pages};
use crate::protocol::{Change, Figures, SIZE_FACTOR_MAX};
use crate::request::SettingRequest;
use crate::session::{Session, SessionError};

/// The maximum number of steps that one call of `advance` runs; the time of further steps is dropped. So a machine
/// that is too slow shows slow motion, and still draws frames and runs commands between the steps.
const STEPS_AT_ONCE_MAX: u32 = 4;

/// The largest size with which a host may start, unless `SIZE_FACTOR_MAX` allows a larger one. A square sheet with this
/// number of particles across has 4 million particles.
const INITIAL_SIZE_MAX: usize = 2048;

/// The name of the scene that was loaded from a file.
const FILE: &str = "file";

/// The initial configuration of a host.
pub struct Options {
    /// The name of a library scene, or `file`.
    pub scene: String,
    /// The size of the scene; `None`: its default size. The scene `file` has no size.
    pub size: Option<usize>,
    /// A scene that is not in the library, with its description; pages call it `file`.
    pub file: Option<(String, AnyScene)>,
    /// Initial settings, as in [`Command::Set`](crate::protocol::Command::Set).
    pub settings: Change,
    /// The maximum number of kernel threads.
    pub threads: usize,
    /// A description of the machine, shown to users.
    pub machine: String,
    /// Returns seconds since an arbitrary start. The host measures times with it, and does not read the system clock.
    pub stopwatch: Box<dyn Fn() -> f64 + Send>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("scene", &self.scene).finish_non_exhaustive()
    }
}

/// Why a host could not be created.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct HostError(#[from] CommandError);

/// A simulation with connected pages. It runs the commands of pages, advances the simulation by the
/// time that it is given, and makes messages for pages (see [`protocol`](crate::protocol)). It does
/// no I/O, starts no threads except those of kernels, and does not read the system clock.
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
    /// The scene `file` and its description.
    file: Option<(String, AnyScene)>,
    /// The maximum number of kernel threads.
    threads: usize,
    machine: String,
    stopwatch: Box<dyn Fn() -> f64 + Send>,

    /// The size at the start, 0 for the scene `file`. Pages may request sizes up to this one, even if
    /// `SIZE_FACTOR_MAX` allows less.
    initial_size: usize,
    /// The name of the current scene.
    scene: String,
    size: Option<usize>,
    request: SettingRequest,
    session: Session,
    /// Converts elapsed real time to steps.
    clock: Clock,
    paused: bool,
    blew_up: bool,
    /// Simulated time that was dropped because more than `STEPS_AT_ONCE_MAX` steps were due at once, s.
    dropped_time: f64,
    /// Real time since the last update of the figures, s.
    time_since_figures: f64,
    /// Real time until stretch and energy may be computed again, s.
    diagnostics_pause: f64,
    figures: Figures,

    // Version numbers of what pages receive: the topology (its version is called the epoch), the state
    // and the figures.
    epoch: u32,
    state_version: u64,
    figures_version: u64,
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
        let (any_scene, size) = build_scene(&scene, size, INITIAL_SIZE_MAX, file.as_ref())?;
        let request = SettingRequest::defaults()
            .with_change(settings, threads)
            .map_err(CommandError::from)?;
        let mut session =
            Session::new(any_scene, SettingRequest::defaults()).map_err(CommandError::from)?;
        session.apply(request.clone()).map_err(CommandError::from)?;
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
            blew_up: false,
            dropped_time: 0.0,
            time_since_figures: 0.0,
            diagnostics_pause: 0.0,
            figures: Figures::default(),
            epoch: 1,
            state_version: 1,
            figures_version: 0,
            pages: Pages::default(),
        };
        host.update_figures();
        Ok(host)
    }

    /// See [`World::warnings`](taut::world::World::warnings).
    pub fn warnings(&self) -> Vec<Warning> {
        self.session.warnings()
    }

    /// Connects a page.
    pub fn connect(&mut self) -> PageId {
        self.pages.add()
    }

    /// Disconnects a page, and releases the particles that it held.
    pub fn disconnect(&mut self, page: PageId) {
        let Some(removed) = self.pages.remove(page) else { return };
        for particle in removed.grabbed {
            // Cannot fail: the particle was grabbed, so its id is valid.
            let _ = self.release(particle);
        }
    }

    /// Seconds until the next step. `None` if no page is connected, the simulation is paused, or it
    /// blew up.
    pub fn seconds_until_step(&self) -> Option<f64> {
        let is_running = !(self.pages.is_empty() || self.paused || self.blew_up);
        // Only `Clock::advance` returns the fraction of a step that has elapsed, so a copy of the clock is
        // advanced by 0 s.
        let remaining_fraction = |mut clock: Clock| 1.0 - f64::from(clock.advance(0.0).fraction);
        is_running.then(|| remaining_fraction(self.clock) * f64::from(self.session.dt()))
    }

    /// Advances time by `elapsed` seconds and runs the steps that are due.
    pub fn advance(&mut self, elapsed: f64) {
        if self.seconds_until_step().is_some() {
            let frame = self.clock.advance(elapsed);
            self.dropped_time += frame.dropped;
            for _ in 0..frame.steps {
                self.step();
            }
        }
        self.diagnostics_pause -= elapsed;
        self.time_since_figures += elapsed;
    }

    /// Runs a step, unless the simulation has blown up.
    fn step(&mut self) {
        if self.blew_up {
            return;
        }
        match self.session.step(&*self.stopwatch) {
            Ok(is_bounded) => self.blew_up = !is_bounded,
            Err(error) => {
                self.blew_up = true;
                self.pages.push_error(&error.to_string());
            }
        }
        if self.blew_up {
            self.update_figures();
        }
    }

    /// The version of the current topology.
    #[cfg(feature = "server")]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }
}

/// A clock for steps of the session's length, of which at most `STEPS_AT_ONCE_MAX` run at once.
fn clock(session: &Session) -> Result<Clock, CommandError> {
    let clock = Clock::new(session.dt()).map_err(SessionError::from)?;
    Ok(clock.with_max_steps(STEPS_AT_ONCE_MAX))
}

/// The largest size of a scene that pages may request: [`SIZE_FACTOR_MAX`] times its default size, or
/// `size_max_floor` if that is larger.
fn size_max(scene: &LibraryScene, size_max_floor: usize) -> usize {
    size_max_floor.max(SIZE_FACTOR_MAX * scene.size)
}

/// Builds the scene with this name, and returns it with its size: `None` for the scene `file`.
///
/// # Errors
/// If there is no such scene, `size` is not valid for it (see [`size_max`]), or it cannot be built.
fn build_scene(
    name: &str,
    size: Option<usize>,
    size_max_floor: usize,
    file: Option<&(String, AnyScene)>,
) -> Result<(AnyScene, Option<usize>), CommandError> {
    if name == FILE {
        let (_, scene) = file.ok_or(CommandError::NoFile)?;
        return if size.is_none() { Ok((scene.clone(), None)) } else { Err(CommandError::NoSize) };
    }
    let library_scene = LibraryScene::named(name)?;
    let size = size.unwrap_or(library_scene.size);
    let max = size_max(library_scene, size_max_floor);
    if !(1..=max).contains(&size) {
        return Err(CommandError::Size { max, size });
    }
    Ok((library_scene.scene(size)?, Some(size)))
}
