//! Fixed steps from elapsed time, and interpolation between them.

use taut_core::{Executor, Inline, StepError};

use super::{Outcome, Simulation, World, WorldError};

/// Converts elapsed time to fixed steps. A remainder shorter than a step is carried over to the next
/// frame. If the machine is too slow, time is dropped and reported, so that frame times do not grow
/// without bound.
///
/// (The tutorial "Simulate Fabric and Ragdolls With Simple Verlet Integration" does the same. As
/// printed, its elapsed time is negative and its left-over time is wrong.)
///
/// ```
/// use taut_world::Clock;
///
/// let mut clock = Clock::new(0.01)?; // steps of 10 ms, at most 8 per frame
/// let frame = clock.advance(0.025);
/// assert_eq!(frame.steps, 2);
/// assert!((frame.fraction - 0.5).abs() < 1e-3); // half a step is left over
/// assert_eq!(clock.advance(0.0051).steps, 1);
///
/// let frame = clock.advance(1.0); // a long pause
/// assert_eq!(frame.steps, 8);
/// assert!((frame.dropped - 0.92).abs() < 1e-3);
/// # Ok::<(), taut_core::StepError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Length of a step, s.
    dt: f64,
    /// Largest number of steps per frame.
    max_steps: u32,
    /// Time that is carried over, s.
    remainder: f64,
}

/// The steps due in a frame, by a [`Clock`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Number of steps to run.
    pub steps: u32,
    /// The remainder as a fraction of a step, 0 to 1: for [`World::interpolated`], the
    /// interpolation factor between the positions of the last two steps.
    pub fraction: f32,
    /// Time that was dropped, s: 0 unless more steps were due than the clock allows.
    pub dropped: f64,
}

impl Clock {
    /// Default maximum number of steps per frame.
    pub const DEFAULT_MAX_STEPS: u32 = 8;

    /// A clock for steps of `dt` seconds. It does not depend on the number of substeps.
    ///
    /// # Errors
    /// If `dt` is not finite, or below 1e-5 s: no substep may be shorter.
    pub fn new(dt: f32) -> Result<Self, StepError> {
        if !(1e-5..=f32::MAX).contains(&dt) {
            return Err(StepError::Length { dt: dt.into() });
        }
        Ok(Self { dt: f64::from(dt), max_steps: Self::DEFAULT_MAX_STEPS, remainder: 0.0 })
    }

    /// Sets the maximum number of steps per frame.
    #[must_use]
    pub fn with_max_steps(self, steps: u32) -> Self {
        Self { max_steps: steps, ..self }
    }

    /// Adds `elapsed` seconds and returns the steps that are due. A time that is negative, as after
    /// a clock was set back, or NaN counts as 0.
    pub fn advance(&mut self, elapsed: f64) -> Frame {
        if elapsed > 0.0 {
            // The bound keeps the remainder finite, even for an infinite time.
            self.remainder += elapsed.min(f64::from(u32::MAX));
        }
        let due = (self.remainder / self.dt).floor();
        self.remainder = (self.remainder - due * self.dt).max(0.0);
        let allowed = due.min(f64::from(self.max_steps));
        #[allow(clippy::cast_sign_loss, reason = "the remainder is never negative")]
        let steps = allowed as u32;
        Frame {
            steps,
            fraction: (self.remainder / self.dt) as f32,
            dropped: (due - allowed) * self.dt,
        }
    }
}

/// The positions before the last step, for interpolation.
#[derive(Clone, Debug)]
pub(super) struct RecordedPositions<const D: usize> {
    /// The world's number of steps when they were recorded.
    steps: u64,
    /// The positions of the particles, m, for each island and axis.
    positions: Vec<[Vec<f32>; D]>,
}

impl<const D: usize> RecordedPositions<D> {
    /// Moves the particles `moved` of an island to a new island; the other particles, `kept`, remain.
    pub(super) fn split(&mut self, island: usize, kept: &[u32], moved: &[u32]) {
        let [kept, moved] = [kept, moved].map(|particles| {
            self.positions[island]
                .each_ref()
                .map(|column| particles.iter().map(|&particle| column[particle as usize]).collect())
        });
        self.positions[island] = kept;
        self.positions.push(moved);
    }
}

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// Runs the steps that are due after `elapsed` seconds, and records the positions before the
    /// last one for [`interpolated`](Self::interpolated). The clock adopts the step length of the
    /// world.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Clock, Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// let mut clock = Clock::new(world.settings().step.dt)?;
    ///
    /// let (frame, outcome) = world.advance(&mut clock, 0.04)?; // the last frame took 40 ms
    /// assert!(frame.steps == 2 && outcome.finite);
    /// let corner = world.interpolated(63, frame.fraction);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`step`](Self::step). The steps before the failing one have then been run.
    pub fn advance(
        &mut self,
        clock: &mut Clock,
        elapsed: f64,
    ) -> Result<(Frame, Outcome), WorldError> {
        self.advance_on(&Inline, clock, elapsed)
    }

    /// Like [`advance`](Self::advance), on the threads of an executor.
    ///
    /// # Errors
    /// Same as [`advance`](Self::advance).
    pub fn advance_on(
        &mut self,
        executor: &dyn Executor,
        clock: &mut Clock,
        elapsed: f64,
    ) -> Result<(Frame, Outcome), WorldError> {
        clock.dt = Clock::new(self.settings.step.dt)?.dt;
        let frame = clock.advance(elapsed);
        // Without a step, the positions decide: the world may have blown up before.
        let finite = frame.steps > 0 || self.positions().flatten().all(f32::is_finite);
        let mut total = Outcome { finite, torn: 0, broken: 0 };
        for steps_left in (0..frame.steps).rev() {
            if steps_left == 0 {
                self.record_positions();
            }
            total = total.then(self.step_on(executor)?);
        }
        Ok((frame, total))
    }

    /// Records the current positions.
    fn record_positions(&mut self) {
        let empty = || RecordedPositions { steps: 0, positions: Vec::new() };
        let recorded = self.recorded.get_or_insert_with(empty);
        recorded.steps = self.steps;
        recorded.positions.resize_with(self.islands.len(), || core::array::from_fn(|_| Vec::new()));
        for (columns, island) in recorded.positions.iter_mut().zip(&self.islands) {
            for (axis, column) in columns.iter_mut().enumerate() {
                column.clear();
                column.extend_from_slice(island.model.particles.positions(axis));
            }
        }
    }

    /// The position of a particle interpolated between its position before the last step (fraction
    /// 0) and its current one (fraction 1), m. If the last step was not run by
    /// [`advance`](Self::advance), the current position.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn interpolated(&self, particle: usize, fraction: f32) -> [f32; D] {
        let (island, number) = self.locate(particle);
        let now = self.islands[island].model.particles.position(number);
        match &self.recorded {
            Some(RecordedPositions { steps, positions }) if steps + 1 == self.steps => {
                core::array::from_fn(|axis| {
                    let before = positions[island][axis][number];
                    before + (now[axis] - before) * fraction
                })
            }
            _ => now,
        }
    }
}
