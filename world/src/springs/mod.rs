//! Springs: elastic forces between particles, in contrast to sticks, which are constraints.

mod stability;

use std::ops::Range;

use taut_core::{Particles, hash_points};

use crate::forces::Forces;
use crate::settings::Moment;

/// Why springs, or a step with them, are not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpringError {
    /// An end is not a particle.
    #[error("spring {spring} ends at particle {particle}, but there are only {particles}")]
    NoSuchParticle {
        /// Which spring.
        spring: usize,
        /// Its end.
        particle: u32,
        /// How many particles there are.
        particles: usize,
    },
    /// A value of a spring is not sane.
    #[error(
        "spring {spring} has the {what} {value}; it must be finite and not negative, and a rest \
         length at most 1e13 m"
    )]
    Measure {
        /// Which spring.
        spring: usize,
        /// The name of the value.
        what: &'static str,
        /// What it was.
        value: f32,
    },
    /// With steps this long, oscillations grow without bounds.
    #[error(
        "substeps of {h} s are too long for the springs: below {largest} s none can grow; \
         take more substeps, softer springs, or heavier particles"
    )]
    Unstable {
        /// Length of a substep, s.
        h: f64,
        /// Largest stable length, s.
        largest: f64,
    },
}

/// The parameters of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Rest length, m.
    pub rest: f32,
    /// Stiffness: force per elongation, N/m.
    pub stiffness: f32,
    /// Damping: force per rate of elongation, N s/m.
    pub damping: f32,
}

/// Largest rest length, m: above the distance of any two valid positions. The force of a longer
/// spring may be infinite.
const REST_MAX: f32 = 1e13;

/// Springs between particles, in columns. A world adds their forces before all others. With length
/// l and rate of elongation v, a spring pulls its first end towards the second by `stiffness (l -
/// rest) + damping v`, and the second end by the opposite force (Hooke's law). Damping acts along
/// the spring only, so it does not brake rotation.
///
/// Springs are explicit: there is a largest step. [`largest_step`](Self::largest_step) computes it,
/// and [`World::new`](crate::World::new) refuses a longer one.
///
/// ```
/// use taut_core::{Duplicates, Particles, Sticks};
/// use taut_world::{Integrator, Model, Spring, Springs};
///
/// let particles = Particles::new(&[[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]], &[0.0, 1.0])?;
/// let sticks = Sticks::with_rests(2, &[], &[], Duplicates::Keep)?;
/// let spring = Spring { rest: 1.0, stiffness: 100.0, damping: 0.0 };
/// let springs = Springs::new(2, &[[0, 1]], &[spring])?;
/// let largest = springs.largest_step(particles.inverse_masses(), Integrator::Verlet, 0.0);
/// assert!((largest - 0.2).abs() < 1e-9); // 2 / ω, and ω is 10 /s
/// let model = Model { springs, ..Model::new(particles, sticks) };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    ends: Vec<[u32; 2]>,
    rests: Vec<f32>,
    stiffness: Vec<f32>,
    damping: Vec<f32>,
}

impl Springs {
    /// Springs between some of `particles` particles.
    ///
    /// # Errors
    /// If an end is not a particle, or a value is negative or not finite, or a rest length beyond
    /// 1e13 m.
    ///
    /// # Panics
    /// If the number of pairs of ends is not that of the springs.
    pub fn new(
        particles: usize,
        ends: &[[u32; 2]],
        springs: &[Spring],
    ) -> Result<Self, SpringError> {
        assert_eq!(ends.len(), springs.len(), "each spring has two ends");
        let mut all = Self::default();
        for (number, (ends, spring)) in ends.iter().zip(springs).enumerate() {
            if let Some(&particle) = ends.iter().find(|&&end| end as usize >= particles) {
                return Err(SpringError::NoSuchParticle { spring: number, particle, particles });
            }
            let Spring { rest, stiffness, damping } = *spring;
            for (what, value) in [("rest", rest), ("stiffness", stiffness), ("damping", damping)] {
                let most = if what == "rest" { REST_MAX } else { f32::MAX };
                if !(0.0..=most).contains(&value) {
                    return Err(SpringError::Measure { spring: number, what, value });
                }
            }
            all.ends.push(*ends);
            all.rests.push(rest);
            all.stiffness.push(stiffness);
            all.damping.push(damping);
        }
        Ok(all)
    }

    /// Springs whose rest lengths are the present distances, with one stiffness, N/m, and one
    /// damping, N s/m.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn between<const D: usize>(
        particles: &Particles<D>,
        ends: &[[u32; 2]],
        stiffness: f32,
        damping: f32,
    ) -> Result<Self, SpringError> {
        let length = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            if a.max(b) >= particles.len() {
                return 0.0; // refused below
            }
            let [a, b] = [particles.position(a), particles.position(b)];
            let mut l2 = 0.0;
            for axis in 0..D {
                let along = f64::from(b[axis]) - f64::from(a[axis]);
                l2 += along * along;
            }
            libm::sqrt(l2) as f32
        };
        let spring = |ends| Spring { rest: length(ends), stiffness, damping };
        let springs: Vec<Spring> = ends.iter().map(spring).collect();
        Self::new(particles.len(), ends, &springs)
    }

    /// The rest lengths, m.
    pub fn rests(&self) -> &[f32] {
        &self.rests
    }

    /// A hash of all ends and parameters.
    pub(crate) fn fingerprint(&self) -> u64 {
        hash_points((0..self.len()).map(|spring| {
            let [a, b] = self.ends[spring].map(f64::from);
            let Spring { rest, stiffness, damping } = self.get(spring);
            [a, b, rest.into(), stiffness.into(), damping.into()]
        }))
    }

    /// Number of springs.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Their ends.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// A spring by number.
    ///
    /// # Panics
    /// If there is no such spring.
    pub fn get(&self, spring: usize) -> Spring {
        Spring {
            rest: self.rests[spring],
            stiffness: self.stiffness[spring],
            damping: self.damping[spring],
        }
    }

    /// The springs in a range.
    pub(crate) fn within(&self, range: Range<usize>) -> Self {
        Self {
            ends: self.ends[range.clone()].to_vec(),
            rests: self.rests[range.clone()].to_vec(),
            stiffness: self.stiffness[range.clone()].to_vec(),
            damping: self.damping[range].to_vec(),
        }
    }

    /// Appends the springs of another model, whose first particle becomes number `first`.
    pub(crate) fn extend(&mut self, others: &Self, first: u32) {
        self.ends.extend(others.ends.iter().map(|ends| ends.map(|end| first + end)));
        self.rests.extend(&others.rests);
        self.stiffness.extend(&others.stiffness);
        self.damping.extend(&others.damping);
    }

    /// The springs with renumbered particles.
    pub(crate) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let ends = self.ends.iter().map(|ends| ends.map(&new_of)).collect();
        Self { ends, ..self.clone() }
    }

    /// Adds their forces, N, in order.
    pub(crate) fn push<const D: usize>(
        &self,
        particles: &Particles<D>,
        moment: &Moment<D>,
        forces: &mut Forces<D>,
    ) {
        let per_h = 1.0 / moment.h;
        let position: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let previous: [&[f32]; D] = core::array::from_fn(|axis| particles.previous(axis));
        let forces = forces.columns_mut();
        let columns = self.ends.iter().zip(&self.rests).zip(&self.stiffness).zip(&self.damping);
        for (((ends, rest), stiffness), damping) in columns {
            let [a, b] = ends.map(|end| end as usize);
            let (mut d, mut l2, mut apart) = ([0.0; D], 0.0, 0.0);
            for axis in 0..D {
                d[axis] = position[axis][b] - position[axis][a];
                let was = previous[axis][b] - previous[axis][a];
                l2 += d[axis] * d[axis];
                apart += d[axis] * (d[axis] - was);
            }
            if l2 < f32::MIN_POSITIVE {
                continue; // a spring without a direction
            }
            let length = l2.sqrt();
            // Pulls along d, which is as long as the spring; the speed is its part along d.
            let pull = (stiffness * (length - rest) + damping * (apart * per_h / length)) / length;
            for axis in 0..D {
                forces[axis][a] += d[axis] * pull;
                forces[axis][b] -= d[axis] * pull;
            }
        }
    }
}
