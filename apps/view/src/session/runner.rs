//! A world with its timer, and the second world of a kernel comparison.

use taut::world::{AnyScene, Outcome};
use taut::{AnyWorld, AnyWorldError, Inline, KernelSet};

use crate::kernels::name_and_isa;
use crate::step_timer::StepTimer;

/// A world, and the timer of its steps.
pub(super) struct Runner {
    pub(super) world: AnyWorld,
    pub(super) timer: StepTimer,
}

impl Runner {
    /// A runner that has not run a step.
    pub(super) fn new(world: AnyWorld) -> Self {
        Self { world, timer: StepTimer::default() }
    }

    /// Runs a watched step; `stopwatch` returns the time, s.
    pub(super) fn step(&mut self, stopwatch: &dyn Fn() -> f64) -> Result<Outcome, AnyWorldError> {
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
        name_and_isa(&self.world.main_kernel())
    }
}

/// The second world of a comparison of two kernels, which pages call a race.
pub(super) struct Comparison {
    pub(super) runner: Runner,
    /// The number of the first step after which the positions of the two worlds differed.
    pub(super) first_difference: Option<u64>,
}

impl Comparison {
    /// Starts from the current state of `world`, which simulates `scene`.
    pub(super) fn start(
        world: &AnyWorld,
        scene: AnyScene,
        kernels: KernelSet,
    ) -> Result<Self, AnyWorldError> {
        let world = AnyWorld::resume(scene, kernels, &world.snapshot())?;
        Ok(Self { runner: Runner::new(world), first_difference: None })
    }
}
