//! A world with its kernels, and the second world of a kernel comparison.

use taut::world::{Outcome, Scene, Simulation, World, WorldError};
use taut::{AnyKernel, Inline, Kernel, KernelSet, Real};

use super::SessionError;
use crate::kernels::kernel_and_isa_names;
use crate::step_timer::StepTimer;

/// A world, its kernels, and the timer of its steps.
pub(super) struct Runner<const D: usize> {
    pub(super) kernels: KernelSet,
    pub(super) world: World<D>,
    pub(super) timer: StepTimer,
}

impl<const D: usize> Runner<D>
where
    World<D>: Simulation<D>,
{
    /// Runs a watched step; `stopwatch` returns the time, s.
    pub(super) fn step(&mut self, stopwatch: &dyn Fn() -> f64) -> Result<Outcome, WorldError> {
        let mut last_time = stopwatch();
        let timer = &mut self.timer;
        let outcome = self.world.step_watched(&Inline, &mut |part| {
            let time = stopwatch();
            timer.add_part(part, time - last_time);
            last_time = time;
        })?;
        timer.end_step();
        Ok(outcome)
    }

    /// The name and the instruction set of the kernel of the largest island.
    pub(super) fn kernel_names(&self) -> [&'static str; 2] {
        let islands = self.world.islands().iter();
        let largest = islands.max_by_key(|island| island.model.sticks.len());
        largest.map_or(["", ""], |island| kernel_and_isa_names(&self.kernels, island.schedule()))
    }

    /// Whether all positions of both worlds have the same bits; any two NaN count as equal.
    pub(super) fn has_equal_positions(&self, other: &Self) -> bool {
        let [islands, other_islands] = [self, other].map(|runner| runner.world.islands());
        islands.iter().zip(other_islands).all(|(island, other_island)| {
            let [own, other] = [island, other_island].map(|island| &island.model.particles);
            let bits = |x: &f32| x.canonical_bits();
            (0..D).all(|axis| {
                own.positions(axis).iter().map(bits).eq(other.positions(axis).iter().map(bits))
            })
        })
    }
}

/// The second world of a comparison of two kernels, which pages call a race.
pub(super) struct Comparison<const D: usize> {
    pub(super) runner: Runner<D>,
    /// The number of the first step after which the positions of the two worlds differed.
    pub(super) first_difference: Option<u64>,
}

impl<const D: usize> Comparison<D>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    /// Starts from the current state of `world`, which simulates `scene`.
    pub(super) fn start(
        world: &World<D>,
        scene: &Scene<D>,
        kernels: KernelSet,
    ) -> Result<Self, SessionError> {
        let kernel_for = |schedule: &taut::Schedule| kernels.kernel_for(schedule);
        let world = World::resume(scene, kernel_for, &world.snapshot())?;
        let runner = Runner { kernels, world, timer: StepTimer::default() };
        Ok(Self { runner, first_difference: None })
    }
}
