//! The contract of a kernel: a plan made once from a schedule, and steps.

use crate::executor::{Executor, Inline};
use crate::formula::Formula;
use crate::particles::Particles;
use crate::real::Real;
use crate::schedule::Schedule;
use crate::sticks::Sticks;

/// Why a plan cannot be made, or no longer fits what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The schedule was made for other sticks.
    #[error("the schedule is of other sticks: they differ from stick {stick} on")]
    OtherSchedule {
        /// The first that differs.
        stick: usize,
    },
    /// The plan was made for other sticks.
    #[error("the plan is of other sticks: they differ from stick {stick} on")]
    OtherSticks {
        /// The first that differs.
        stick: usize,
    },
    /// Particles are missing.
    #[error("the sticks name {needed} particles, but there are only {particles}")]
    TooFewParticles {
        /// How many are named.
        needed: usize,
        /// How many there are.
        particles: usize,
    },
    /// The kernel relaxes regular sheets only, in the order that they imply.
    #[error(
        "this kernel runs the schedules of regular sheets only, and this is none; take another \
         kernel, or Sheet::schedule"
    )]
    NotASheet,
    /// The kernel works in other dimensions.
    #[error("this kernel works in 2 and 3 dimensions, not in {dimensions}; the scalar kernel does")]
    Dimensions {
        /// What was asked for.
        dimensions: usize,
    },
    /// More slots than 32-bit numbers can name.
    #[error(
        "the schedule is too large: padded to whole registers it needs more than 2^32 slots, or \
         there are more than 2^31 particles"
    )]
    TooLarge,
}

/// Why a step cannot be done. Nothing has moved then.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// `dt / substeps` is not sane.
    #[error("a substep of {substep} s is not from 1e-5 to 10 s")]
    Substep {
        /// Its length, s.
        substep: f64,
    },
    /// The length of a step is not sane for a clock.
    #[error("a step of {dt} s is not finite and at least 1e-5 s")]
    Length {
        /// Its length, s.
        dt: f64,
    },
    /// No substeps.
    #[error("a step needs at least one substep")]
    NoSubsteps,
    /// Damping is not a share.
    #[error("a damping of {damping} is not from 0 to 1")]
    Damping {
        /// What it was.
        damping: f64,
    },
    /// Acceleration is not sane.
    #[error("an acceleration of {value} m/s² on axis {axis} is not within 1e9 m/s²")]
    Acceleration {
        /// Which axis.
        axis: usize,
        /// What it was.
        value: f64,
    },
    /// The plan does not fit.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// One step of fixed length: `substeps` times, integrate and then relax `iterations` times.
///
/// ```
/// let step = taut_core::Step::<3> { iterations: 1, substeps: 8, ..Default::default() };
/// assert_eq!(step.acceleration, [0.0, -9.81, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step<const D: usize, S = f32> {
    /// The length of the step, s. Default: 1/60.
    pub dt: S,
    /// Into how many substeps it is cut, each of `dt / substeps`. Default: 1.
    pub substeps: u32,
    /// How many times each substep relaxes all sticks. Default: 8.
    pub iterations: u32,
    /// What accelerates every free particle, m/s². Default: 9.81 down the second axis.
    #[cfg_attr(feature = "serde", serde(with = "crate::array"))]
    #[cfg_attr(
        feature = "serde",
        serde(bound(
            serialize = "S: serde::Serialize",
            deserialize = "S: serde::Deserialize<'de>"
        ))
    )]
    pub acceleration: [S; D],
    /// The share of its velocity that a particle loses each substep, 0 to 1. Default: 0.01.
    pub damping: S,
}

impl<const D: usize, S: Real> Default for Step<D, S> {
    fn default() -> Self {
        let gravity = |axis| S::from_f64(if axis == 1 { -9.81 } else { 0.0 });
        Self {
            dt: S::from_f64(1.0 / 60.0),
            substeps: 1,
            iterations: 8,
            acceleration: core::array::from_fn(gravity),
            damping: S::from_f64(0.01),
        }
    }
}

/// What a substep does to a free particle, in the terms of [`verlet`](crate::verlet).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<const D: usize, S = f32> {
    /// The share of the velocity that stays: `1 - damping`.
    pub keep: S,
    /// Acceleration times `h²`, m.
    pub push: [S; D],
    /// `1 / h²`, 1/s², for compliance.
    pub inverse_h2: S,
}

impl<const D: usize, S: Real> Step<D, S> {
    /// Checks the step and computes what its substeps have in common: `h = dt / substeps`,
    /// `h² = h h`, `push = acceleration h²`, `1 / h²`, in this order and this type.
    ///
    /// # Errors
    /// A value that is not sane, by name.
    pub fn motion(&self) -> Result<Motion<D, S>, StepError> {
        if self.substeps == 0 {
            return Err(StepError::NoSubsteps);
        }
        let h = self.dt / S::from_f64(f64::from(self.substeps));
        if !(S::from_f64(1e-5)..=S::from_f64(10.0)).contains(&h) {
            return Err(StepError::Substep { substep: h.to_f64() });
        }
        if !(S::ZERO..=S::ONE).contains(&self.damping) {
            return Err(StepError::Damping { damping: self.damping.to_f64() });
        }
        for (axis, value) in self.acceleration.iter().enumerate() {
            let value = value.to_f64();
            if !(-1e9..=1e9).contains(&value) {
                return Err(StepError::Acceleration { axis, value });
            }
        }
        let h2 = h * h;
        Ok(Motion {
            keep: S::ONE - self.damping,
            push: self.acceleration.map(|along| (along * h2).positive_zero()),
            inverse_h2: S::ONE / h2,
        })
    }

    /// How far from the origin a particle at rest still begins to fall, m, by axis: where its
    /// coordinate is below this in magnitude. Infinite along axes without acceleration.
    ///
    /// A substep adds `acceleration h²` to a coordinate. From rest that is all, and it is lost if it
    /// is not more than half of the distance to the next number (half an ulp of the coordinate): then
    /// nothing accelerates, however long it takes. At a hundredth of this distance the acceleration
    /// is right to 2 % if there is no damping. Twice the substeps divide the distance by four.
    ///
    /// ```
    /// use taut_core::Step;
    ///
    /// let step = Step::<3>::default(); // 1/60 s
    /// assert_eq!(step.reach()?, [f32::INFINITY, 65_536.0, f32::INFINITY]);
    /// assert_eq!(Step::<3> { substeps: 8, ..step }.reach()?[1], 1024.0);
    /// assert_eq!(70_000.0 - 9.81 / (60.0 * 60.0), 70_000.0_f32);
    /// # Ok::<(), taut_core::StepError>(())
    /// ```
    ///
    /// # Errors
    /// As [`motion`](Self::motion).
    pub fn reach(&self) -> Result<[S; D], StepError> {
        let within = |push: S| {
            let push = if push < S::ZERO { S::ZERO - push } else { push };
            if push == S::ZERO {
                return S::from_f64(f64::INFINITY);
            }
            // Powers of two: from the lower one to the next, numbers are equally far apart, and at
            // the lower one a tie is rounded down.
            let mut lower = S::from_f64(f64::from(1 << 30) * f64::from(1 << 30));
            while lower + push == lower {
                lower = lower * S::from_f64(0.5);
            }
            lower + lower
        };
        Ok(self.motion()?.push.map(within))
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Status {
    /// Whether every position is finite. A simulation can blow up by its order, its step or
    /// its forces; then it is not, and stays so.
    pub finite: bool,
}

/// A way to relax sticks.
///
/// Every kernel gives, bit for bit, what the scalar kernel gives on the same schedule.
pub trait Kernel<const D: usize, S: Real = f32> {
    /// What it makes of a schedule.
    type Plan: Plan<D, S>;

    /// Its name in tables and on command lines.
    fn name(&self) -> &'static str;
    /// The instruction set that it uses on this machine, as tables call it.
    fn isa(&self) -> &'static str;
    /// How many sticks it relaxes with one instruction.
    fn lanes(&self) -> usize;
    /// On how many threads.
    fn threads(&self) -> usize {
        1
    }

    /// Lays out sticks, schedule and formula for this machine, once.
    ///
    /// # Errors
    /// If they do not belong together, or the kernel cannot run such a schedule.
    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError>;
}

/// A kernel's form of a schedule, and the working copy it relaxes.
///
/// Users call [`step`](Plan::step), or [`session`](Plan::session) to do something of their
/// own between iterations. The other methods are what a kernel provides: called in another
/// order than a session does, they give no sensible answer, but they are safe.
///
/// Masses, pins, rest lengths, stiffness, kinds and tears may change between steps: each
/// step begins by taking over what changed, and only that.
pub trait Plan<const D: usize, S: Real = f32> {
    /// Takes over changes and positions.
    ///
    /// # Errors
    /// If these are not the particles and sticks of the plan; nothing has changed then.
    fn begin(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        motion: &Motion<D, S>,
    ) -> Result<(), PlanError>;

    /// One substep of motion: free particles by [`verlet`](crate::verlet), each new previous
    /// position being the old position; pinned ones stay, to the bit, and their previous
    /// position becomes their position.
    fn integrate(&mut self, particles: &mut Particles<D, S>, executor: &dyn Executor);

    /// Relaxes all sticks in the order of the schedule, `iterations` times.
    fn relax(&mut self, particles: &mut Particles<D, S>, iterations: u32, executor: &dyn Executor);

    /// Where a particle is in the working copy, m. Panics if there is no such particle.
    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D];

    /// Moves a particle in the working copy. Panics if there is no such particle.
    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]);

    /// Brings the positions back to the columns.
    fn finish(&mut self, particles: &mut Particles<D, S>, executor: &dyn Executor) -> Status;

    /// One step in one go, on the calling thread (a kernel may have threads of its own).
    ///
    /// # Errors
    /// If the step is not sane, or these are not the particles and sticks of the plan.
    fn step(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Status, StepError> {
        self.step_on(&Inline, particles, sticks, step)
    }

    /// The same on the threads of an executor.
    ///
    /// # Errors
    /// As [`Plan::step`].
    fn step_on(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Status, StepError> {
        let motion = step.motion()?;
        self.begin(particles, sticks, &motion)?;
        for _ in 0..step.substeps {
            self.integrate(particles, executor);
            self.relax(particles, step.iterations, executor);
        }
        Ok(self.finish(particles, executor))
    }

    /// Opens a session: the parts of a step one by one, for a caller who puts collision or
    /// the like between them, without paying for the working copy each time. Of `step`, the
    /// length and number of substeps, acceleration and damping count.
    ///
    /// # Errors
    /// As [`Plan::step`].
    fn session<'a>(
        &'a mut self,
        particles: &'a mut Particles<D, S>,
        sticks: &Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Session<'a, Self, D, S>, StepError>
    where
        Self: Sized,
    {
        self.begin(particles, sticks, &step.motion()?)?;
        Ok(Session { plan: self, particles, open: true })
    }
}

/// A step taken apart; see [`Plan::session`]. Dropped without [`finish`](Session::finish), it
/// brings the positions back all the same, and only the status is lost.
#[derive(Debug)]
pub struct Session<'a, P: Plan<D, S>, const D: usize, S: Real = f32> {
    plan: &'a mut P,
    particles: &'a mut Particles<D, S>,
    open: bool,
}

impl<P: Plan<D, S>, const D: usize, S: Real> Session<'_, P, D, S> {
    /// One substep of motion.
    pub fn integrate(&mut self) {
        self.plan.integrate(self.particles, &Inline);
    }

    /// Relaxes all sticks `iterations` times.
    pub fn relax(&mut self, iterations: u32) {
        self.plan.relax(self.particles, iterations, &Inline);
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Where a particle is now, m.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn position(&self, particle: usize) -> [S; D] {
        self.plan.position(self.particles, particle)
    }

    /// Moves a particle; its previous position stays, so it gains or loses velocity, as
    /// projection out of an obstacle should have it. The point is not checked for sanity;
    /// the status will tell. -0.0 becomes +0.0.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn set_position(&mut self, particle: usize, point: [S; D]) {
        self.plan.set_position(self.particles, particle, point.map(Real::positive_zero));
    }

    /// Brings the positions back to the particles.
    pub fn finish(mut self) -> Status {
        self.open = false;
        self.plan.finish(self.particles, &Inline)
    }
}

impl<P: Plan<D, S>, const D: usize, S: Real> Drop for Session<'_, P, D, S> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.plan.finish(self.particles, &Inline);
        }
    }
}
