//! A running scene, and what pages can request of it, in 2-D and 3-D.

mod changes;
mod messages;
mod queries;
mod runner;
mod scene_ops;

use taut::world::{
    AnyScene, Arrangement, Drawing, Model, Order, Scene, Simulation, SnapshotError, World,
    WorldError, resize_vector,
};
use taut::{
    AnyKernel, Kernel, KernelChoice, KernelChoiceError, KernelName, SheetsAndCopies, StepError,
};

use self::runner::{Comparison, Runner};
use self::scene_ops::SceneOps;
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
    Snapshot(#[from] SnapshotError),
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
pub(crate) struct Session<const D: usize> {
    /// The scene without the requested settings.
    scene: Scene<D>,
    request: SettingRequest,
    runner: Runner<D>,
    /// The second world, during a race.
    comparison: Option<Comparison<D>>,
    /// The default order of the model with the most sticks.
    default_order: Order,
    /// Whether a model is a regular sheet.
    has_sheets: bool,
    /// Bounding box of the initial positions: minimum and maximum corner, m.
    bounds: [[f32; 3]; 2],
    /// Number of faces, including removed ones.
    face_count: usize,
    /// Number of sticks, including torn ones.
    stick_count: usize,
}

impl<const D: usize> Session<D>
where
    Scene<D>: SceneOps<D>,
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    pub(crate) fn new(scene: Scene<D>, request: SettingRequest) -> Result<Self, SessionError> {
        let kernels = request.kernels.find()?;
        let runner = changes::start_runner(&scene, &request, kernels)?;
        let world = &runner.world;
        let Drawing { triangles, sticks, .. } = world.drawing();
        let largest = scene.models().map(|(_, model)| model).max_by_key(|model| model.sticks.len());
        let default_order =
            largest.map_or(Order::Banded, |model| Arrangement::default_of(model).order);
        let has_sheets = scene.models().any(|(_, model)| model.sheet.is_some());
        Ok(Self {
            default_order,
            has_sheets,
            bounds: bounds(world.positions().map(resize_vector)),
            face_count: triangles.len(),
            stick_count: sticks.len(),
            runner,
            comparison: None,
            request,
            scene,
        })
    }

    /// The world and, during a race, the second world.
    fn worlds(&mut self) -> impl Iterator<Item = &mut World<D>> {
        let comparison = self.comparison.as_mut().map(|comparison| &mut comparison.runner);
        [&mut self.runner].into_iter().chain(comparison).map(|runner| &mut runner.world)
    }

    pub(crate) fn grab(&mut self, particle: usize) -> Result<(), SessionError> {
        Ok(self.worlds().try_for_each(|world| world.grab(particle))?)
    }

    pub(crate) fn drag(&mut self, particle: usize, to: [f32; 3]) -> Result<(), SessionError> {
        let to = core::array::from_fn(|axis| to[axis]);
        Ok(self.worlds().try_for_each(|world| world.drag(particle, to))?)
    }

    pub(crate) fn release(&mut self, particle: usize) -> Result<(), SessionError> {
        Ok(self.worlds().try_for_each(|world| world.release(particle))?)
    }

    pub(crate) fn cut(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) {
        self.worlds().for_each(|world| {
            Scene::cut(world, from, to);
        });
    }
}

impl<const D: usize> Session<D>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    /// Whether the scene has sheets for the grid kernel and copies for the copies kernel.
    pub(crate) fn has_sheets_and_copies(&self) -> SheetsAndCopies {
        SheetsAndCopies {
            sheets: self.can_use_grid_kernel(self.request.order),
            copies: self.scene.may_have_copies(),
        }
    }

    /// Whether the grid kernel can relax a sheet of the scene in this order.
    fn can_use_grid_kernel(&self, order: Option<Order>) -> bool {
        order.is_none_or(|order| order == Order::Sheet)
            && self.scene.sheets().any(AnyKernel::suits_grid)
    }

    /// Checks that the scene has what a chosen kernel needs in this order.
    fn check_kernel_choice(
        &self,
        choice: &KernelChoice,
        order: Option<Order>,
    ) -> Result<(), SessionError> {
        if choice.kernel == Some(KernelName::Grid) && !self.can_use_grid_kernel(order) {
            return Err(SessionError::NoSheetForGrid);
        }
        if choice.kernel == Some(KernelName::Copies) && !self.scene.may_have_copies() {
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
            if first_difference.is_none() && !self.runner.has_equal_positions(runner) {
                *first_difference = Some(self.runner.world.steps());
            }
        }
        let is_in_range = |x: &f32| x.abs() < COORDINATE_MAX;
        let mut islands = self.runner.world.islands().iter();
        let all_in_range = islands.all(|island| {
            (0..D).all(|axis| island.model.particles.positions(axis).iter().all(is_in_range))
        });
        Ok(outcome.finite && all_in_range)
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

/// The tear factor that a model has for a stick; infinite if the stick does not tear.
fn own_tear_factor<const D: usize>(model: &Model<D>, stick: usize) -> f32 {
    model.tear_factors.get(stick).copied().unwrap_or(f32::INFINITY)
}

/// A running scene in 2-D or 3-D.
pub(crate) enum AnySession {
    TwoD(Box<Session<2>>),
    ThreeD(Box<Session<3>>),
}

impl AnySession {
    pub(crate) fn new(scene: AnyScene, request: SettingRequest) -> Result<Self, SessionError> {
        Ok(match scene {
            AnyScene::TwoD(scene) => Self::TwoD(Box::new(Session::new(scene, request)?)),
            AnyScene::ThreeD(scene) => Self::ThreeD(Box::new(Session::new(scene, request)?)),
        })
    }

    pub(crate) fn dimensions(&self) -> usize {
        match self {
            Self::TwoD(_) => 2,
            Self::ThreeD(_) => 3,
        }
    }
}

/// Evaluates an expression on the session of either dimension.
macro_rules! with_session {
    ($session:expr, $it:ident => $call:expr) => {
        match $session {
            $crate::session::AnySession::TwoD($it) => $call,
            $crate::session::AnySession::ThreeD($it) => $call,
        }
    };
}
pub(crate) use with_session;
