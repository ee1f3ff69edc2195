//! Runs the commands that pages send.

use taut::KernelChoice;
use taut::world::{SceneError, UnknownScene};

use super::messages::FIGURES_INTERVAL;
use super::{Host, build_scene, clock};
use crate::pages::PageId;
use crate::protocol::{Command, HELD_MAX};
use crate::request::{BadSetting, SettingRequest};
use crate::session::{ApplyOutcome, Session, SessionError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("invalid command: {0}")]
    Parse(#[from] serde_json::Error),
    #[error(transparent)]
    UnknownScene(#[from] UnknownScene),
    #[error("no scene file is loaded: start taut view with one")]
    NoFile,
    #[error("a scene from a file has no size")]
    NoSize,
    #[error("the size of this scene must be from 1 to {max}, found {size}")]
    Size { max: usize, size: usize },
    #[error("a page holds at most {HELD_MAX} particles: release one first")]
    TooManyHeld,
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Setting(#[from] BadSetting),
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl Host {
    /// Runs the command in `text` (JSON). If the command is invalid or fails, the page receives an error.
    pub fn receive(&mut self, page: PageId, text: &str) {
        self.execute(page, serde_json::from_str(text));
    }

    /// Like [`receive`](Self::receive), for a parsed command or its parse error.
    pub(crate) fn execute(&mut self, page: PageId, command: serde_json::Result<Command>) {
        let result =
            command.map_err(CommandError::from).and_then(|command| self.run(page, command));
        if let (Err(error), Some(page)) = (result, self.pages.get_mut(page)) {
            page.push_error(error.to_string());
        }
    }

    /// Runs a command of a page; does nothing if the page is disconnected.
    fn run(&mut self, id: PageId, command: Command) -> Result<(), CommandError> {
        let Some(page) = self.pages.get_mut(id) else { return Ok(()) };
        if self.paused || self.blew_up {
            // Callers of `advance` let no time pass while the simulation stands still, so figures would
            // not become due: they are due with each command.
            (self.time_since_figures, self.diagnostics_pause) = (FIGURES_INTERVAL, 0.0);
        }
        match command {
            Command::Next => page.wants_frame = true,
            Command::Grab { particle } => {
                if page.grabbed.len() >= HELD_MAX && !page.grabbed.contains(&particle) {
                    return Err(CommandError::TooManyHeld);
                }
                self.session.grab(particle)?;
                page.grabbed.insert(particle);
            }
            Command::Drag { particle, to } => {
                // Loading another scene clears `grabbed`. Drags that arrive after that are ignored.
                if page.grabbed.contains(&particle) {
                    self.session.drag(particle, to)?;
                }
            }
            Command::Release { particle } => {
                if page.grabbed.remove(&particle) {
                    self.release(particle)?;
                }
            }
            Command::Cut { from, to } => {
                self.session.cut(from, to);
            }
            Command::Step => self.step(),
            Command::Reset => self.reset()?,
            Command::Pause { on } => {
                self.paused = on;
                self.state_version += 1;
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
            Command::Collisions { on } => {
                self.apply(SettingRequest { collisions: Some(on), ..self.request.clone() })?;
            }
            Command::Sleep { on } => {
                self.apply(SettingRequest { sleep: Some(on), ..self.request.clone() })?;
            }
            Command::Set(change) => {
                self.apply(self.request.clone().with_change(change, self.threads)?)?;
            }
            // A race: a second kernel runs the same scene, and positions are compared.
            Command::Race { kernel: None, .. } => {
                self.session.stop_race();
                self.state_version += 1;
            }
            Command::Race { kernel, instructions } => {
                let threads = self.request.kernels.threads;
                let kernel =
                    kernel.map(|name| name.parse()).transpose().map_err(BadSetting::Kernel)?;
                let choice = KernelChoice { kernel, isa: instructions, threads };
                self.session.race(&choice)?;
                self.state_version += 1;
            }
            Command::Scene { scene, size } => self.load_scene(scene, size)?,
        }
        Ok(())
    }

    /// Releases a particle, unless a page holds it.
    pub(super) fn release(&mut self, particle: usize) -> Result<(), CommandError> {
        if !self.pages.has_grabbed(particle) {
            self.session.release(particle)?;
        }
        Ok(())
    }

    /// Restarts the scene with the current settings.
    fn reset(&mut self) -> Result<(), CommandError> {
        self.session.reset()?;
        self.record_scene_start();
        Ok(())
    }

    /// Applies a request to the session, and makes it the current request.
    fn apply(&mut self, request: SettingRequest) -> Result<(), CommandError> {
        let outcome = self.session.apply(request.clone())?;
        self.request = request;
        self.state_version += 1;
        match outcome {
            ApplyOutcome::InPlace => {}
            ApplyOutcome::Rebuilt => self.epoch += 1,
            ApplyOutcome::Restarted(cause) => {
                self.record_scene_start();
                if let Some(cause) = cause {
                    self.pages.push_error(&format!("Restarted: {cause}"));
                }
            }
        }
        Ok(())
    }

    /// Loads a scene, or the current one in another size.
    fn load_scene(&mut self, scene: String, size: Option<usize>) -> Result<(), CommandError> {
        let (any_scene, size) = build_scene(&scene, size, self.initial_size, self.file.as_ref())?;
        // If only the size changes, all settings are kept.
        let is_same_scene = scene == self.scene;
        let request =
            if is_same_scene { self.request.clone() } else { self.request.for_other_scene() };
        let session = Session::new(any_scene, request.clone())?;
        self.clock = clock(&session)?;
        self.session = session;
        (self.scene, self.size, self.request) = (scene, size, request);
        self.pages.iter_mut().for_each(|page| page.grabbed.clear());
        self.state_version += 1;
        self.record_scene_start();
        Ok(())
    }

    /// Starts a new epoch after a scene was loaded or restarted. Clears what was recorded about the previous run: that
    /// it blew up, and the time that it dropped. Updates the figures.
    fn record_scene_start(&mut self) {
        self.epoch += 1;
        self.blew_up = false;
        self.dropped_time = 0.0;
        self.diagnostics_pause = 0.0;
        self.update_figures();
    }
}
