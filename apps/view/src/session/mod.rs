//! A running scene, and what pages can request of it.

mod changes;
mod messages;
mod properties;
mod queries;
mod requested;
mod runner;

use taut::world::{AnyScene, Order, WorldError};
use taut::{
    AnyWorld, AnyWorldError, KernelChoice, KernelChoiceError, KernelName, SheetsAndCopies,
    StepError,
};

use self::properties::SceneProperties;
use self::requested::requested_scene;
use self::runner::{Comparison, Runner};
use crate::request::{BadSetting, SettingRequest};

/// A coordinate beyond which the simulation counts as blown up, m. A falling particle reaches it
/// after 17 hours at the default damping rate, after 8 minutes without damping.
const COORDINATE_MAX: f32 = 1e6;

/// Why a session could not do what a page requested.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error(transparent)]
    Kernel(#[from] KernelChoiceError),
    #[error(
        "the kernel 'grid' needs the schedule 'sheet' and a regular sheet of at least 4 columns; \
         this scene has another schedule or no such sheet"
    )]
    NoSheetForGrid,
    #[error(
        "the kernel 'copies' needs 6 or more models with the same sticks, or 16 or more if they are \
         sheets of 24 to 47 columns (wider sheets, sheets with tethers, rigid bodies and models that \
         sleep do not count); this scene has fewer"
    )]
    NoCopies,
    #[error("the schedule 'sheet' needs a regular sheet; this scene has none")]
    NotASheet,
    #[error("the scene has no model '{name}'")]
    UnknownModel { name: String },
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    AnyWorld(#[from] AnyWorldError),
    #[error(transparent)]
    Setting(#[from] BadSetting),
}

/// How new settings were applied.
#[derive(Debug)]
pub(crate) enum ApplyOutcome {
    /// In the current world.
    InPlace,
    /// In a new world with the current state; pages need its mesh and indices.
    Rebuilt,
    /// In a restarted world: because the current state could not be kept (the error), or because the
    /// change always needs a restart (`None`).
    Restarted(Option<SessionError>),
}

/// A running scene.
pub(crate) struct Session {
    /// The scene without the requested settings, and its properties.
    scene: AnyScene,
    properties: SceneProperties,
    request: SettingRequest,
    runner: Runner,
    /// The second world, during a race.
    comparison: Option<Comparison>,
    /// Bounding box of the initial positions: minimum and maximum corner, m.
    bounds: [[f32; 3]; 2],
}

impl Session {
    pub(crate) fn new(scene: AnyScene, request: SettingRequest) -> Result<Self, SessionError> {
        let kernels = request.kernels.find()?;
        let properties = SceneProperties::of(&scene);
        let requested = requested_scene(&scene, &request)?;
        let world = changes::new_world(requested, kernels, &properties.sticks, request.sticks)?;
        let mut positions = vec![[0.0; 3]; world.vertices()];
        world.copy_positions(positions.as_flattened_mut())?;
        positions.truncate(world.particles());
        Ok(Self {
            bounds: bounds(positions.into_iter()),
            runner: Runner::new(world),
            comparison: None,
            request,
            properties,
            scene,
        })
    }

    /// The number of dimensions: 2 or 3.
    pub(crate) fn dimensions(&self) -> usize {
        self.scene.dimensions()
    }

    /// The world and, during a race, the second world.
    fn worlds(&mut self) -> impl Iterator<Item = &mut AnyWorld> {
        let comparison = self.comparison.as_mut().map(|comparison| &mut comparison.runner);
        [&mut self.runner].into_iter().chain(comparison).map(|runner| &mut runner.world)
    }

    pub(crate) fn grab(&mut self, particle: usize) -> Result<(), SessionError> {
        Ok(self.worlds().try_for_each(|world| world.grab(particle))?)
    }

    pub(crate) fn drag(&mut self, particle: usize, to: [f32; 3]) -> Result<(), SessionError> {
        Ok(self.worlds().try_for_each(|world| world.drag(particle, to))?)
    }

    pub(crate) fn release(&mut self, particle: usize) -> Result<(), SessionError> {
        Ok(self.worlds().try_for_each(|world| world.release(particle))?)
    }

    pub(crate) fn cut(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) {
        self.worlds().for_each(|world| {
            world.cut(from, to);
        });
    }

    /// Whether the scene has sheets for the grid kernel and copies for the copies kernel.
    pub(crate) fn has_sheets_and_copies(&self) -> SheetsAndCopies {
        SheetsAndCopies {
            sheets: self.can_use_grid_kernel(self.request.order),
            copies: self.properties.may_have_copies,
        }
    }

    /// Whether the grid kernel can relax a sheet of the scene in this requested order.
    fn can_use_grid_kernel(&self, order: Option<Order>) -> bool {
        let order = order.or(self.properties.order);
        order.is_none_or(|order| order == Order::Sheet) && self.properties.has_sheets_for_grid
    }

    /// Checks that the scene has what a chosen kernel needs in this requested order.
    fn check_kernel_choice(
        &self,
        choice: &KernelChoice,
        order: Option<Order>,
    ) -> Result<(), SessionError> {
        if choice.kernel == Some(KernelName::Grid) && !self.can_use_grid_kernel(order) {
            return Err(SessionError::NoSheetForGrid);
        }
        if choice.kernel == Some(KernelName::Copies) && !self.properties.may_have_copies {
            return Err(SessionError::NoCopies);
        }
        Ok(())
    }

    /// Runs a step of all worlds. Returns false if the simulation blew up: if a coordinate is not finite, or its
    /// magnitude is not below `COORDINATE_MAX`.
    pub(crate) fn step(&mut self, stopwatch: &dyn Fn() -> f64) -> Result<bool, SessionError> {
        let outcome = self.runner.step(stopwatch)?;
        if let Some(Comparison { runner, first_difference }) = &mut self.comparison {
            // The outcome is ignored, because the positions are compared below.
            let _ = runner.step(stopwatch)?;
            if first_difference.is_none() && !self.runner.world.has_same_positions(&runner.world) {
                *first_difference = Some(self.runner.world.steps());
            }
        }
        Ok(outcome.finite && self.runner.world.is_within(COORDINATE_MAX))
    }

    /// Ends the current window of all step timers.
    pub(crate) fn end_timing_window(&mut self) {
        self.runner.timer.end_timing_window();
        if let Some(comparison) = &mut self.comparison {
            comparison.runner.timer.end_timing_window();
        }
    }
}

/// The bounding box of points: its minimum and maximum corner. Both are the origin if there are no
/// points.
fn bounds(mut points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let Some(first) = points.next() else { return [[0.0; 3]; 2] };
    points.fold([first; 2], |[min, max], point| {
        [
            core::array::from_fn(|axis| min[axis].min(point[axis])),
            core::array::from_fn(|axis| max[axis].max(point[axis])),
        ]
    })
}
