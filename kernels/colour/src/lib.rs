//! Multi-threading for other kernels.
//!
//! [`ColourKernel`] runs another kernel's plans on the threads of an executor: a [`Pool`], or an
//! executor of the host. The blocks of a phase share no particle, and neither do the sticks of a
//! colour, so threads process them in any order, and the result has the same bits for every number
//! of threads.
//!
//! A plan calls its executor once for all iterations of a relaxation; between phases, threads spin,
//! then yield, instead of blocking in the operating system. On a machine of two cores, two threads are faster
//! than one by these factors (`docs/speed.md`, section Threads, has commands for most of them, and
//! medians on 16 cores, where the factor of two threads is 1.3 to 1.8):
//!
//! - 1.6 to 1.7 for a sheet of 64 x 64 particles with structural, shear and bend sticks (32,000);
//! - 1.9 for sheets of 128 x 128 particles and more, and for a scan of 100,000 particles in the
//!   order of [`Schedule::for_mesh`];
//! - 2.0 for many small cloths [side by side](Schedule::side_by_side).
//!
//! With too little work, plans use only the calling thread: they relax on several threads only if
//! each gets at least 8192 sticks. (Kernels that access particles by index also count the repeated
//! sticks that pad registers.) The plans of the scalar kernel always use the calling thread alone.
//! Schedules of one block, such as [packed](Schedule::packed) ones, do not run in parallel;
//! [coloured](Schedule::coloured) ones synchronize after every colour.
//!
//! After a pause between steps, the threads of a [`Pool`] are asleep. The caller wakes them, which
//! takes about 10 µs, but does not wait for them. If the system takes a millisecond to wake a
//! thread, a shorter step ends before the thread can help.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "lends a closure that is not 'static to threads")]
mod gate;
mod pool;
mod sync;

use std::sync::Arc;

use taut_core::{
    Engine, Executor, Formula, Kernel, Particles, PlanError, Real, Schedule, Stage, Status, Sticks,
    Substeps,
};

pub use pool::{Pool, PoolError};

/// Another kernel, run on the threads of an executor.
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
    /// Runs `kernel` on the threads of `executor`; each plan has a clone of the executor.
    pub const fn new(kernel: K, executor: E) -> Self {
        Self { kernel, executor }
    }

    /// The other kernel, which runs on the threads.
    pub const fn inner(&self) -> &K {
        &self.kernel
    }
}

/// A plan of the inner kernel, with the executor that it runs on.
#[derive(Clone, Debug)]
pub struct ColourPlan<P, E = Pool> {
    plan: P,
    executor: Arc<E>,
}

impl<const D: usize, S: Real, K: Kernel<D, S>, E: Executor + Clone + 'static> Kernel<D, S>
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
        Ok(ColourPlan { plan, executor: Arc::new(self.executor.clone()) })
    }
}

/// The plan uses its own executor and ignores the one that is passed in.
impl<const D: usize, S: Real, P, E> Engine<D, S> for ColourPlan<P, E>
where
    P: Engine<D, S>,
    E: Executor + 'static,
{
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        Some(Arc::clone(&self.executor) as Arc<dyn Executor>)
    }

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
        self.plan.advance(&*self.executor, particles, sticks, substeps)
    }

    fn advance_and_write_back(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<Status, PlanError> {
        self.plan.advance_and_write_back(&*self.executor, particles, sticks, substeps)
    }

    fn relax(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        inverse_h2: S,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.plan.relax(&*self.executor, particles, sticks, inverse_h2, iterations)
    }

    fn visit(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        stage: &dyn Stage<D, S>,
    ) -> Result<(), PlanError> {
        self.plan.visit(&*self.executor, particles, sticks, stage)
    }

    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D] {
        self.plan.position(particles, particle)
    }

    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]) {
        self.plan.set_position(particles, particle, point);
    }

    fn write_back(&mut self, _: &dyn Executor, particles: &mut Particles<D, S>) -> Status {
        self.plan.write_back(&*self.executor, particles)
    }

    fn write_back_inline(&mut self, particles: &mut Particles<D, S>) {
        self.plan.write_back_inline(particles);
    }
}
