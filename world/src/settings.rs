//! Settings of the simulation.

use taut_core::{Motion, Particles, Step};

use crate::drawing::resize_vector;
use crate::error::ModelError;

/// Settings of the simulation: the step, and the number of passes of a substep.
///
/// # Soft sticks
///
/// A *stiffness* below 1 is a fraction of the correction, so its effect depends on the number of
/// iterations and on the step. A *compliance* is a length per force, m/N: with **one iteration per
/// substep** a weight of mass m on a stick of compliance α sags by α m g for any number of substeps
/// (Macklin et al., "Small Steps in Physics Simulation", 2019). Further iterations make it stiffer.
/// So prefer many substeps of one iteration for soft sticks, too.
///
/// ```
/// use taut_core::{Duplicates, Particles, Step, Sticks};
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Scene, World};
///
/// let particles = Particles::new(&[[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]], &[0.0, 0.5])?; // 2 kg
/// let mut sticks = Sticks::joining(&particles, &[[0, 1]], Duplicates::Keep)?;
/// sticks.set_compliance(0, 1e-3)?;
/// let mut scene = Scene::new();
/// scene.add("weight", Model::new(particles, sticks))?;
/// scene.settings.step = Step { substeps: 8, iterations: 1, damping_rate: 50.0, ..Step::default() };
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..120 {
///     assert!(world.step()?.finite);
/// }
/// let sag = -1.0 - world.position(1)[1];
/// assert!((sag - 1e-3 * 2.0 * 9.81).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Changing the step at run time
///
/// A velocity is position minus previous position over the length of a substep.
/// [`World::set_settings`](crate::World::set_settings) keeps velocities when that length changes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings<const D: usize = 3> {
    /// Step length, substeps, iterations of a pass, gravity, damping rate.
    pub step: Step<D>,
    /// Number of passes of a substep. A pass relaxes all sticks `step.iterations` times, then all ties
    /// as often, and then resolves collisions. A world treats 0 as 1, but [`check`](Self::check), which
    /// scene files and snapshots must pass, rejects it. Default: 1. Rigid bodies in contact need 3
    /// or 4 passes of one iteration (Jakobsen 2001).
    pub passes: u32,
}

impl<const D: usize> Default for Settings<D> {
    fn default() -> Self {
        Self { step: Step::default(), passes: 1 }
    }
}

impl<const D: usize> Settings<D> {
    /// The same settings in another number of dimensions: the acceleration loses coordinates, or gets ones
    /// that are 0.
    pub fn resized<const N: usize>(&self) -> Settings<N> {
        let Self { step: Step { dt, substeps, iterations, acceleration, damping_rate }, passes } =
            *self;
        let acceleration = resize_vector(acceleration);
        Settings { step: Step { dt, substeps, iterations, acceleration, damping_rate }, passes }
    }

    /// Checks that the counts are in range: with larger ones a program would seem to hang.
    ///
    /// # Errors
    /// Substeps that are not from 1 to 1000, iterations above 100,000, passes that are not from 1
    /// to 1000.
    pub fn check(&self) -> Result<(), ModelError> {
        let Step { substeps, iterations, .. } = self.step;
        for (key, what, value, range, must) in [
            ("substeps", "the number of substeps", substeps, 1.0..=1e3, "from 1 to 1000"),
            ("iterations", "the number of iterations", iterations, 0.0..=1e5, "from 0 to 100000"),
            ("passes", "the number of passes", self.passes, 1.0..=1e3, "from 1 to 1000"),
        ] {
            ModelError::check(key, what, value.into(), range, must)?;
        }
        Ok(())
    }
}

/// The ratio of the new length of a substep to the old one.
pub(crate) fn substep_ratio<const D: usize>(new: &Settings<D>, old: &Settings<D>) -> f32 {
    let length = |step: &Step<D>| f64::from(step.dt) / f64::from(step.substeps);
    (length(&new.step) / length(&old.step)) as f32
}

/// Multiplies the last displacement of each particle by `ratio`, which keeps velocities when the
/// length of a substep changes by that factor.
pub(crate) fn scale_displacements<const D: usize>(particles: &mut Particles<D>, ratio: f32) {
    if ratio.to_bits() == 1.0_f32.to_bits() {
        return;
    }
    let columns = particles.columns();
    for (positions, previous) in columns.position.into_iter().zip(columns.previous) {
        for (x, previous) in positions.iter().zip(previous) {
            *previous = scaled_previous(*x, *previous, ratio);
        }
    }
}

/// The previous coordinate for which the displacement to `x` is `ratio` times as large. A ratio of 1
/// must not round anything.
pub(crate) fn scaled_previous(x: f32, previous: f32, ratio: f32) -> f32 {
    if ratio.to_bits() == 1.0_f32.to_bits() { previous } else { x - (x - previous) * ratio }
}

/// The time and the lengths of a substep, for forces and obstacles. For forces that are
/// [sampled once a step](crate::Sampling::Step), and in
/// [`Obstacle::may_push`](crate::Obstacle::may_push), `time` and `duration` are those of the whole step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTime<const D: usize = 3> {
    /// The simulated time at the end of the substep, or of the whole step, s.
    pub time: f64,
    /// The length of a substep, s: the time between previous position and position.
    pub h: f32,
    /// The length of the substep, or of the whole step, s: how long a force computed now acts.
    pub duration: f32,
    /// The constants of the motion of free particles in a substep.
    pub motion: Motion<D>,
}
