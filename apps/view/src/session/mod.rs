//! A running scene and the operations that a page can do on it, in 2-D and 3-D.

mod changes;
mod messages;

use std::sync::Arc;

use taut::world::{
    AnyScene, Arrangement, Drag, Drawing, Field, Force, Gusts, Model, Order, Outcome, Scene,
    Settings, SnapshotError, Warning, Wind, WindLaw, World, WorldError, row,
};
use taut::{
    AnyKernel, Duplicates, Formula, Inline, Kernel, KernelChoice, KernelChoiceError, KernelName,
    KernelPair, Particles, Real, StepError, Sticks, Stretch, Tally,
};

use crate::kernels::names_for;
use crate::protocol::{Counts, InForce, RaceFigures, Racer};
use crate::request::{self, BadSetting, SettingRequest, StickOverrides};
use crate::step_timer::{StepTimer, Times};

/// A coordinate beyond which the simulation counts as blown up, m. A falling particle reaches it
/// after 17 hours at the default damping rate, after 8 minutes without damping.
const FAR: f32 = 1e6;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error(transparent)]
    Kernel(#[from] KernelChoiceError),
    #[error(
        "the kernel 'grid' needs a regular sheet of at least 24 columns in the schedule 'sheet'; this \
         scene has no such sheet, or another schedule"
    )]
    NoSheet,
    #[error("the schedule 'sheet' needs a regular sheet; this scene has none")]
    NotASheet,
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
pub(crate) enum Applied {
    /// In the present world.
    InPlace,
    /// In a new world with the present state; pages need its mesh and indices.
    Rebuilt,
    /// In a restarted world, because of this error.
    Restarted(SessionError),
}

/// A world, its kernels, and its step times.
struct Runner<const D: usize>
where
    AnyKernel: Kernel<D>,
{
    kernels: KernelPair,
    world: World<AnyKernel, D>,
    timer: StepTimer,
}

impl<const D: usize> Runner<D>
where
    AnyKernel: Kernel<D>,
{
    fn step(&mut self, now: &dyn Fn() -> f64) -> Result<Outcome, WorldError> {
        let mut last = now();
        let timer = &mut self.timer;
        let outcome = self.world.step_watched(&Inline, &mut |pass| {
            let time = now();
            timer.add_pass(pass, time - last);
            last = time;
        })?;
        timer.end_step();
        Ok(outcome)
    }

    /// The name and the instruction set of the kernel of the largest island.
    fn kernel_names(&self) -> [&'static str; 2] {
        let islands = self.world.islands().iter();
        let largest = islands.max_by_key(|island| island.matter.sticks.len());
        largest.map_or(["", ""], |island| names_for(&self.kernels, island.schedule()))
    }

    fn has_equal_positions(&self, other: &Self) -> bool {
        let [islands, others] = [self, other].map(|it| it.world.islands());
        islands.iter().zip(others).all(|(island, other)| {
            let [own, other] = [island, other].map(|it| &it.matter.particles);
            let bits = |x: &f32| x.canonical_bits();
            (0..D).all(|axis| {
                own.positions(axis).iter().map(bits).eq(other.positions(axis).iter().map(bits))
            })
        })
    }
}

/// The second world of a race.
struct Rival<const D: usize>
where
    AnyKernel: Kernel<D>,
{
    runner: Runner<D>,
    first_difference: Option<u64>,
}

impl<const D: usize> Rival<D>
where
    AnyKernel: Kernel<D>,
{
    /// Starts from the present state of a world of that scene.
    fn start(
        world: &World<AnyKernel, D>,
        scene: &Scene<D>,
        kernels: KernelPair,
    ) -> Result<Self, SessionError> {
        let kernel_for = |schedule: &taut::Schedule| kernels.kernel_for(schedule);
        let world = World::resume(scene, kernel_for, &world.snapshot())?;
        let runner = Runner { kernels, world, timer: StepTimer::default() };
        Ok(Self { runner, first_difference: None })
    }
}

/// A running scene.
pub(crate) struct Session<const D: usize>
where
    AnyKernel: Kernel<D>,
{
    scene: Scene<D>,
    request: SettingRequest,
    runner: Runner<D>,
    rival: Option<Rival<D>>,
    default_order: Order,
    has_sheets: bool,
    bounds: [[f32; 3]; 2],
    /// Numbers of faces and sticks, including removed ones.
    faces: usize,
    sticks: usize,
}

/// Operations that differ between 2-D and 3-D.
pub(crate) trait Space<const D: usize> {
    /// Tears the sticks that a blade crosses; returns their number.
    fn cut<K: Kernel<D>>(world: &mut World<K, D>, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize;

    /// The wind for scenes without forces.
    fn default_wind(&self) -> Arc<dyn Force<D>>;
}

impl Space<2> for Scene<2> {
    fn cut<K: Kernel<2>>(
        world: &mut World<K, 2>,
        [from, _]: [[f32; 3]; 2],
        [to, _]: [[f32; 3]; 2],
    ) -> usize {
        world.cut([from, to].map(|[x, y, _]| [x, y]))
    }

    fn default_wind(&self) -> Arc<dyn Force<2>> {
        uniform_wind(self)
    }
}

impl Space<3> for Scene<3> {
    fn cut<K: Kernel<3>>(world: &mut World<K, 3>, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize {
        world.sweep(from, to)
    }

    fn default_wind(&self) -> Arc<dyn Force<3>> {
        let models = || self.models().map(|(_, model)| model);
        let area: f64 = models().map(area).sum();
        if area <= 0.0 {
            return uniform_wind(self);
        }
        // Scales the air density to the mass per area, so any cloth moves like one of 0.2 kg/m².
        let mass: f64 = models().map(Model::mass).sum();
        let density = (1.2 * (mass / area) / 0.2) as f32;
        let law = WindLaw::Plate { density, drag: 1.3, lift: 0.0 };
        let gusts = Some(Gusts { strength: 0.6, size: 1.0, seed: 1 });
        Arc::new(Wind { gusts, law, ..Wind::new([1.5, 0.0, 3.0]) })
    }
}

/// The area of all faces, m².
fn area(model: &Model) -> f64 {
    let area = |corners: [u32; 3]| {
        let [a, b, c] = corners.map(|it| model.particles.position(it as usize).map(f64::from));
        let [u, v]: [[f64; 3]; 2] =
            [b, c].map(|to| core::array::from_fn(|axis| to[axis] - a[axis]));
        let normal: [f64; 3] = core::array::from_fn(|axis| {
            let [next, after] = [(axis + 1) % 3, (axis + 2) % 3];
            u[next] * v[after] - u[after] * v[next]
        });
        0.5 * normal.iter().map(|along| along * along).sum::<f64>().sqrt()
    };
    model.faces.iter().copied().map(area).sum()
}

/// Uniform wind of 6 m/s; its drag accelerates a particle of mean mass with a time constant of 2 s.
fn uniform_wind<const D: usize>(scene: &Scene<D>) -> Arc<dyn Force<D>> {
    let mass: f64 = scene.models().map(|(_, model)| model.mass()).sum();
    let linear = 0.5 * (mass / scene.particles().max(1) as f64) as f32;
    let air = core::array::from_fn(|axis| if axis == 0 { 6.0 } else { 0.0 });
    Arc::new(Field::new(Drag { linear, quadratic: 0.0, air }))
}

impl<const D: usize> Session<D>
where
    Scene<D>: Space<D>,
    AnyKernel: Kernel<D>,
{
    pub(crate) fn new(scene: Scene<D>, request: SettingRequest) -> Result<Self, SessionError> {
        let kernels = request.kernels.find()?;
        let runner = changes::start(&scene, &request, kernels)?;
        let world = &runner.world;
        let Drawing { triangles, sticks, .. } = world.drawing();
        let largest = scene.models().map(|(_, model)| model).max_by_key(|model| model.sticks.len());
        let default_order = largest.map_or(Order::Banded, |it| Arrangement::default_of(it).order);
        let has_sheets = scene.models().any(|(_, model)| model.sheet.is_some());
        Ok(Self {
            default_order,
            has_sheets,
            bounds: bounds(world.positions().map(row)),
            faces: triangles.len(),
            sticks: sticks.len(),
            runner,
            rival: None,
            request,
            scene,
        })
    }

    fn worlds(&mut self) -> impl Iterator<Item = &mut World<AnyKernel, D>> {
        let rival = self.rival.as_mut().map(|rival| &mut rival.runner);
        [&mut self.runner].into_iter().chain(rival).map(|runner| &mut runner.world)
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
{
    /// Whether the grid kernel suits an island.
    pub(crate) fn suits_grid(&self) -> bool {
        self.suits_grid_in(self.request.order)
    }

    fn suits_grid_in(&self, order: Option<Order>) -> bool {
        order.is_none_or(|order| order == Order::Sheet) && AnyKernel::suits_grid_in(&self.scene)
    }

    fn check_choice(
        &self,
        choice: &KernelChoice,
        order: Option<Order>,
    ) -> Result<(), SessionError> {
        if choice.kernel == Some(KernelName::Grid) && !self.suits_grid_in(order) {
            return Err(SessionError::NoSheet);
        }
        Ok(())
    }

    /// Runs a step; false if a coordinate is not finite or not below `FAR` in magnitude.
    pub(crate) fn step(&mut self, now: &dyn Fn() -> f64) -> Result<bool, SessionError> {
        let outcome = self.runner.step(now)?;
        if let Some(Rival { runner, first_difference }) = &mut self.rival {
            let _ = runner.step(now)?; // its outcome matters only in the comparison below
            if first_difference.is_none() && !self.runner.has_equal_positions(runner) {
                *first_difference = Some(self.runner.world.steps());
            }
        }
        let near = |x: &f32| x.abs() < FAR;
        let mut islands = self.runner.world.islands().iter();
        let is_near = islands.all(|island| {
            (0..D).all(|axis| island.matter.particles.positions(axis).iter().all(near))
        });
        Ok(outcome.finite && is_near)
    }

    /// Ends a window of the step timers.
    pub(crate) fn end_window(&mut self) {
        self.runner.timer.end_window();
        if let Some(rival) = &mut self.rival {
            rival.runner.timer.end_window();
        }
    }

    pub(crate) fn times(&self) -> Times {
        self.runner.timer.step_times()
    }

    pub(crate) fn race_figures(&self) -> Option<RaceFigures> {
        self.rival.as_ref().map(|rival| RaceFigures {
            milliseconds: 1e3 * rival.runner.timer.step_times().all,
            equal: rival.first_difference.is_none(),
            first_difference: rival.first_difference,
        })
    }

    pub(crate) fn racer(&self) -> Option<Racer> {
        let [kernel, instructions] =
            self.rival.as_ref()?.runner.kernel_names().map(ToOwned::to_owned);
        Some(Racer { kernel, instructions })
    }

    /// Relaxations of all sticks in a step.
    pub(crate) fn relaxations(&self) -> u64 {
        let Settings { step, passes } = self.runner.world.settings();
        u64::from(step.substeps) * u64::from(*passes) * u64::from(step.iterations)
    }

    /// Divisions and square roots of a step: those of a stick x sticks x relaxations.
    pub(crate) fn operations(&self) -> [u64; 2] {
        let Tally { divisions, square_roots, .. } = tally_of_stick(self.runner.world.formula());
        let sticks: usize =
            self.runner.world.islands().iter().map(|island| island.matter.sticks.len()).sum();
        [divisions, square_roots].map(|it| it * sticks as u64 * self.relaxations())
    }

    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.runner.world.warnings()
    }

    /// Stretch, and kinetic and potential energy in J.
    pub(crate) fn condition(&self) -> Result<(Stretch, [f64; 2]), SessionError> {
        let it = self.runner.world.diagnostics()?;
        Ok((it.stretch, [it.kinetic, it.potential]))
    }

    pub(crate) fn steps(&self) -> u64 {
        self.runner.world.steps()
    }

    pub(crate) fn dt(&self) -> f32 {
        self.runner.world.settings().step.dt
    }

    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    pub(crate) fn has_wind(&self) -> bool {
        self.request.wind.unwrap_or(!self.scene.forces.is_empty())
    }

    pub(crate) fn has_tethers(&self) -> bool {
        let own = || self.scene.models().any(|(_, model)| !model.tethers.is_empty());
        self.request.tethers.unwrap_or_else(own)
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            particles: self.runner.world.len(),
            sticks: self.sticks,
            faces: self.faces,
            torn: self.runner.world.removed().sticks.len(),
        }
    }

    /// The orders that suit the scene.
    pub(crate) fn orders(&self) -> Vec<String> {
        let orders = Arrangement::orders().map(|it| it.order);
        orders.filter(|&it| it != Order::Sheet || self.has_sheets).map(request::name).collect()
    }

    pub(crate) fn in_force(&self) -> InForce {
        let world = &self.runner.world;
        let Settings { step, passes } = world.settings();
        let [kernel, instructions] = self.runner.kernel_names().map(ToOwned::to_owned);
        let StickOverrides { compliance, stiffness, tear } = self.request.sticks;
        // The value of all sticks, if it is the same.
        let common = |value: fn(&Model<D>, usize) -> f32| {
            let models = self.scene.models().map(|(_, model)| model);
            let mut values = models.flat_map(|it| (0..it.sticks.len()).map(move |n| value(it, n)));
            let first = values.next()?;
            values.all(|it| it.to_bits() == first.to_bits()).then_some(first)
        };
        InForce {
            kernel,
            instructions,
            formula: world.formula().to_string(),
            schedule: request::name(self.request.order.unwrap_or(self.default_order)),
            threads: self.request.kernels.threads,
            substeps: step.substeps,
            iterations: step.iterations,
            passes: (*passes).max(1),
            damping_rate: step.damping_rate,
            compliance: compliance.or_else(|| common(|it, stick| it.sticks.compliance(stick))),
            stiffness: stiffness.or_else(|| common(|it, stick| it.sticks.stiffness(stick))),
            tear: tear.or_else(|| common(own_tear_factor).filter(|it| it.is_finite())),
        }
    }
}

/// The bounding box of points: minimum and maximum corner; the origin if there are none.
fn bounds(mut points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let Some(first) = points.next() else { return [[0.0; 3]; 2] };
    points.fold([first; 2], |[least, greatest], point| {
        [
            core::array::from_fn(|axis| least[axis].min(point[axis])),
            core::array::from_fn(|axis| greatest[axis].max(point[axis])),
        ]
    })
}

fn own_tear_factor<const D: usize>(model: &Model<D>, stick: usize) -> f32 {
    model.tear_factors.get(stick).copied().unwrap_or(f32::INFINITY)
}

/// Counts the operations of one relaxation of a plain stick.
fn tally_of_stick(formula: Formula) -> Tally {
    let one = || {
        let particles = Particles::new(&[[0.0; 2], [2.0, 0.0]], &[1.0; 2]).ok()?;
        let sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0], Duplicates::Keep).ok()?;
        Some(taut_scalar::count(&particles, &sticks, formula))
    };
    one().unwrap_or_default()
}

/// A running scene of 2 or 3 dimensions.
pub(crate) enum AnySession {
    Flat(Box<Session<2>>),
    Solid(Box<Session<3>>),
}

impl AnySession {
    pub(crate) fn new(scene: AnyScene, request: SettingRequest) -> Result<Self, SessionError> {
        Ok(match scene {
            AnyScene::Flat(scene) => Self::Flat(Box::new(Session::new(scene, request)?)),
            AnyScene::Solid(scene) => Self::Solid(Box::new(Session::new(scene, request)?)),
        })
    }

    pub(crate) fn dimensions(&self) -> usize {
        match self {
            Self::Flat(_) => 2,
            Self::Solid(_) => 3,
        }
    }
}

/// Evaluates an expression on the session of either dimension.
macro_rules! on {
    ($session:expr, $it:ident => $call:expr) => {
        match $session {
            $crate::session::AnySession::Flat($it) => $call,
            $crate::session::AnySession::Solid($it) => $call,
        }
    };
}
pub(crate) use on;
