//! How a world moves.

use taut_core::{Motion, Particles, Step};

use crate::error::ModelError;

/// How a world moves: the step, and how relaxation and obstacles take turns.
///
/// # Soft sticks
///
/// A *stiffness* below 1 is a share of the correction, so what it does depends on how often the
/// stick is relaxed, and on the step. A *compliance* is a length for a force, m/N: with **one
/// iteration a substep** a weight of mass m on a stick of compliance α sags by α m g however many
/// substeps there are (Macklin et al., "Small Steps in Physics Simulation", 2019). Further
/// iterations relax the same stick again, and make it stiffer. So for soft matter, as for stiff:
/// rather many substeps of one iteration than one step of many.
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
/// # Another step while it moves
///
/// A velocity is position minus previous position over the length of a substep. Whoever changes
/// that length with [`World::set_settings`](crate::World::set_settings) keeps the velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings<const D: usize = 3> {
    /// Step length, substeps, iterations of a pass, gravity, damping rate.
    pub step: Step<D>,
    /// How often a substep relaxes the sticks (`step.iterations` times) and then resolves
    /// collisions. Default: 1; 0 is treated as 1. Bodies that must stay out and rigid at once want 3 or 4
    /// passes of one iteration (Jakobsen 2001).
    pub passes: u32,
}

impl<const D: usize> Default for Settings<D> {
    fn default() -> Self {
        Self { step: Step::default(), passes: 1 }
    }
}

impl<const D: usize> Settings<D> {
    /// Refuses what was surely not meant, and would seem to never end.
    ///
    /// # Errors
    /// Substeps that are not from 1 to 1000, iterations above 100,000, passes that are not from 1 to 1000.
    pub fn check(&self) -> Result<(), ModelError> {
        let Step { substeps, iterations, .. } = self.step;
        for (what, value, sane, must) in [
            ("the number of substeps", substeps, 1.0..=1e3, "from 1 to 1000"),
            ("the number of iterations", iterations, 0.0..=1e5, "from 0 to 100000"),
            ("the number of passes", self.passes, 1.0..=1e3, "from 1 to 1000"),
        ] {
            ModelError::check(what, value.into(), sane, must)?;
        }
        Ok(())
    }
}

/// The length of a substep over that of another.
pub(crate) fn substep_ratio<const D: usize>(new: &Settings<D>, old: &Settings<D>) -> f32 {
    let length = |step: &Step<D>| f64::from(step.dt) / f64::from(step.substeps);
    (length(&new.step) / length(&old.step)) as f32
}

/// Scales the last displacement of each particle, so that velocities stay when a substep becomes
/// longer by `ratio`.
pub(crate) fn scale_displacements<const D: usize>(particles: &mut Particles<D>, ratio: f32) {
    // Not even a rounding where nothing changes.
    if ratio.to_bits() == 1.0_f32.to_bits() {
        return;
    }
    let columns = particles.columns();
    for (now, then) in columns.position.into_iter().zip(columns.previous) {
        for (x, previous) in now.iter().zip(then) {
            *previous = x - (x - *previous) * ratio;
        }
    }
}

/// A substep, as forces and obstacles see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<const D: usize = 3> {
    /// The time at its end since the world began, s; for a force that is
    /// [sampled once a step](crate::Sampling::Step), at the end of the step.
    pub time: f64,
    /// Its length, s. The previous position of a particle is where it was that long ago.
    pub h: f32,
    /// How long a force acts that is computed now, s: the substep, or the whole step.
    pub hold: f32,
    /// What it does to a free particle.
    pub motion: Motion<D>,
}
