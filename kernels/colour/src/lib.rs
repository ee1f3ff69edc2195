//! Batches and blocks over threads.
//!
//! [`ColourKernel`] runs another kernel's plans on a pool of threads. The blocks of a phase
//! share no particle, and neither do the sticks of a colour, so workers take them as they
//! come, and the answer has the same bits for every number of threads. It knows nothing of
//! the kernel inside but the contract, and has no `unsafe`.
//!
//! Threads pay from some ten thousand sticks on: waking them costs several microseconds a
//! phase, and a schedule of many small phases (a colour each) pays it many times an
//! iteration. [`Schedule::blocked`](taut_core::Schedule::blocked) has few.
#![forbid(unsafe_code)]

use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use taut_core::{
    Executor, Formula, Kernel, Motion, Particles, Plan, PlanError, Real, Schedule, Status, Sticks,
};

/// The threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{threads} threads could not be started")]
pub struct PoolError {
    /// How many were asked for.
    pub threads: usize,
    /// What the system said.
    #[source]
    pub cause: rayon::ThreadPoolBuildError,
}

/// A pool of threads, shared by its clones.
#[derive(Clone, Debug)]
pub struct Pool(Arc<ThreadPool>);

impl Pool {
    /// A pool of `threads` threads of its own; 0 for one a core.
    ///
    /// # Errors
    /// If the system does not give them.
    pub fn new(threads: usize) -> Result<Self, PoolError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self(Arc::new(pool.map_err(|cause| PoolError { threads, cause })?)))
    }
}

/// The host's pool.
impl From<Arc<ThreadPool>> for Pool {
    fn from(pool: Arc<ThreadPool>) -> Self {
        Self(pool)
    }
}

impl Executor for Pool {
    fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        if jobs <= 1 {
            (0..jobs).for_each(job);
        } else {
            self.0.install(|| (0..jobs).into_par_iter().for_each(job));
        }
    }
}

/// Another kernel, on threads.
///
/// ```
/// use taut_colour::{ColourKernel, Pool};
/// use taut_core::{Duplicates, Formula, Kernel, Particles, Plan, Schedule, Step, Sticks};
/// use taut_scalar::ScalarKernel;
///
/// let mut pair = Particles::new(&[[0.0_f32, 0.0], [2.0, 0.0]], &[0.0, 1.0])?;
/// let sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0], Duplicates::Keep)?;
/// let kernel = ColourKernel::new(ScalarKernel, Pool::new(2)?);
/// let schedule = Schedule::coloured(&sticks);
/// let mut plan = kernel.plan(&pair, &sticks, &schedule, Formula::Exact)?;
/// assert!(plan.step(&mut pair, &sticks, &Step::default())?.finite);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ColourKernel<K> {
    kernel: K,
    pool: Pool,
}

impl<K> ColourKernel<K> {
    /// `kernel`, on the threads of `pool`.
    pub const fn new(kernel: K, pool: Pool) -> Self {
        Self { kernel, pool }
    }

    /// The kernel that does the work.
    pub const fn inner(&self) -> &K {
        &self.kernel
    }
}

/// A plan of the kernel inside, with the pool that runs it.
#[derive(Clone, Debug)]
pub struct ColourPlan<P> {
    plan: P,
    pool: Pool,
}

impl<const D: usize, S: Real, K: Kernel<D, S>> Kernel<D, S> for ColourKernel<K> {
    type Plan = ColourPlan<K::Plan>;

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
        self.pool.threads()
    }

    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError> {
        let plan = self.kernel.plan(particles, sticks, schedule, formula)?;
        Ok(ColourPlan { plan, pool: self.pool.clone() })
    }
}

/// The pool takes the place of the executor that is offered.
impl<const D: usize, S: Real, P: Plan<D, S>> Plan<D, S> for ColourPlan<P> {
    fn begin(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        motion: &Motion<D, S>,
    ) -> Result<(), PlanError> {
        self.plan.begin(particles, sticks, motion)
    }

    fn integrate(&mut self, particles: &mut Particles<D, S>, _: &dyn Executor) {
        self.plan.integrate(particles, &self.pool);
    }

    fn relax(&mut self, particles: &mut Particles<D, S>, iterations: u32, _: &dyn Executor) {
        self.plan.relax(particles, iterations, &self.pool);
    }

    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D] {
        self.plan.position(particles, particle)
    }

    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]) {
        self.plan.set_position(particles, particle, point);
    }

    fn finish(&mut self, particles: &mut Particles<D, S>, _: &dyn Executor) -> Status {
        self.plan.finish(particles, &self.pool)
    }
}
