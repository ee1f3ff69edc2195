//! Batches and blocks over threads.
//!
//! [`ColourKernel`] runs another kernel's plans on the threads of an executor: a [`Pool`] of its
//! own, or what the host has. The blocks of a phase share no particle, and neither do the sticks
//! of a colour, so threads take them as they come, and the answer has the same bits for every
//! number of threads. It knows nothing of the kernel inside but the contract.
//!
//! A plan asks its executor once for a whole relaxation, all its iterations; phases wait for
//! each other inside, without the system. Two threads on two cores are 1.7 times as fast as one
//! on a sheet of 64 x 64 particles with all its sticks (32,000), 1.9 times from 128 x 128 on and
//! on a scan of 100,000 particles, in the order of [`Schedule::for_mesh`]; many small cloths
//! [side by side](Schedule::side_by_side), 2.0 times. Where there is too little work, plans use
//! the calling thread alone (a kernel says from what on; the indexed ones from 8192 sticks a
//! thread). In schedules of one block, [packed](Schedule::packed) and the like, there is nothing
//! to share; in [coloured](Schedule::coloured) ones little, many times.
//!
//! A simulation that rests between steps finds its threads asleep. The caller does not wait for
//! them and loses some ten microseconds at most; but where the system takes a millisecond to wake
//! a thread, a shorter step is over before it comes.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "a closure that is not 'static meets threads that are")]
mod gate;
mod pool;

use taut_core::{
    Engine, Executor, Formula, Kernel, Particles, PlanError, Real, Schedule, Stage, Status, Sticks,
    Substeps,
};

pub use pool::{Pool, PoolError};

/// Another kernel, on threads.
///
/// ```
/// use taut_colour::{ColourKernel, Pool};
/// use taut_core::{Duplicates, Formula, Kernel, Particles, Plan, Schedule, Step, Sticks};
/// use taut_scalar::ScalarKernel;
///
/// let mut pair = Particles::new(&[[0.0, 0.0], [2.0, 0.0]], &[0.0, 1.0])?;
/// let sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0], Duplicates::Keep)?;
/// let kernel = ColourKernel::new(ScalarKernel, Pool::new(2)?);
/// let schedule = Schedule::coloured(&sticks);
/// let mut plan = kernel.plan(&pair, &sticks, &schedule, Formula::Exact)?;
/// assert!(plan.step(&mut pair, &sticks, &Step::default())?.finite);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The threads may be the host's own:
///
/// ```
/// use std::sync::Arc;
///
/// use taut_colour::ColourKernel;
/// use taut_core::Executor;
/// use taut_scalar::ScalarKernel;
///
/// #[derive(Clone)]
/// struct Host(Arc<rayon::ThreadPool>);
///
/// impl Executor for Host {
///     fn threads(&self) -> usize {
///         self.0.current_num_threads() + 1
///     }
///
///     fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
///         self.0.in_place_scope(|scope| {
///             for thread in 1..threads {
///                 scope.spawn(move |_| work(thread));
///             }
///             work(0);
///         });
///     }
/// }
///
/// let host = Host(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build()?));
/// let kernel = ColourKernel::new(ScalarKernel, host);
/// assert_eq!(taut_core::Kernel::<3>::threads(&kernel), 2);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ColourKernel<K, E = Pool> {
    kernel: K,
    executor: E,
}

impl<K, E> ColourKernel<K, E> {
    /// `kernel`, on the threads of `executor`, of which each plan has a clone.
    pub const fn new(kernel: K, executor: E) -> Self {
        Self { kernel, executor }
    }

    /// The kernel that does the work.
    pub const fn inner(&self) -> &K {
        &self.kernel
    }
}

/// A plan of the kernel inside, with the executor that it runs on.
#[derive(Clone, Debug)]
pub struct ColourPlan<P, E = Pool> {
    plan: P,
    executor: E,
}

impl<const D: usize, S: Real, K: Kernel<D, S>, E: Executor + Clone> Kernel<D, S>
    for ColourKernel<K, E>
{
    type Plan = ColourPlan<K::Plan, E>;

    fn name(&self) -> &'static str {
        "colour"
    }

    fn isa(&self) -> &'static str {
        self.kernel.isa()
    }

    fn lanes(&self) -> usize {
        self.kernel.lanes()
    }

    fn threads(&self) -> usize {
        self.executor.threads()
    }

    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError> {
        let plan = self.kernel.plan(particles, sticks, schedule, formula)?;
        Ok(ColourPlan { plan, executor: self.executor.clone() })
    }
}

/// Its executor takes the place of the one that is offered.
impl<const D: usize, S: Real, P: Engine<D, S>, E: Executor> Engine<D, S> for ColourPlan<P, E> {
    fn sync_in(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError> {
        self.plan.sync_in(particles, sticks)
    }

    fn advance(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<(), PlanError> {
        self.plan.advance(&self.executor, particles, sticks, substeps)
    }

    fn advance_and_write_back(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<Status, PlanError> {
        self.plan.advance_and_write_back(&self.executor, particles, sticks, substeps)
    }

    fn relax(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        inverse_h2: S,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.plan.relax(&self.executor, particles, sticks, inverse_h2, iterations)
    }

    fn visit(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        stage: &dyn Stage<D, S>,
    ) -> Result<(), PlanError> {
        self.plan.visit(&self.executor, particles, sticks, stage)
    }

    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D] {
        self.plan.position(particles, particle)
    }

    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]) {
        self.plan.set_position(particles, particle, point);
    }

    fn write_back(&mut self, _: &dyn Executor, particles: &mut Particles<D, S>) -> Status {
        self.plan.write_back(&self.executor, particles)
    }

    fn restore(&mut self, particles: &mut Particles<D, S>) {
        self.plan.restore(particles);
    }
}
