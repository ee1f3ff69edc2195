//! Springs: elastic forces between particles, in contrast to sticks, which are constraints.

mod stability;

use std::ops::Range;

use taut_core::{Particles, hash_points};

use crate::forces::Forces;
use crate::settings::StepTime;

/// Why springs are invalid, or a step is too long for them.
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
    /// A value of a spring is out of range.
    #[error(
        "spring {spring} has the {what} {value}; it must be at least 0 and finite, and a rest \
         length at most 1e13 m"
    )]
    OutOfRange {
        /// Which spring.
        spring: usize,
        /// The name of the value: `rest length`, `stiffness` or `damping`.
        what: &'static str,
        /// The value.
        value: f32,
    },
    /// With substeps this long, oscillations can grow without bounds.
    #[error(
        "substeps of {h} s are too long for the springs, which are stable below {largest} s; \
         use more substeps, softer springs or heavier particles"
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

/// Springs between particles, in columns. A world adds their forces before all others. A spring of
/// length l and elongation rate v pulls its first end towards the second with the force
/// `stiffness (l - rest) + damping v`, and the second end with the opposite force (Hooke's law).
/// Damping acts along the spring only, so it does not brake rotation.
///
/// Springs are integrated explicitly, so there is a largest stable substep.
/// [`largest_substep`](Self::largest_substep) computes it, and [`World::new`](crate::World::new)
/// rejects a longer one.
///
/// ```
/// use taut_core::{Duplicates, Particles, Sticks};
/// use taut_world::{Integrator, Model, Spring, Springs};
///
/// let particles = Particles::new(&[[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]], &[0.0, 1.0])?;
/// let sticks = Sticks::with_rests(2, &[], &[], Duplicates::Keep)?;
/// let spring = Spring { rest: 1.0, stiffness: 100.0, damping: 0.0 };
/// let springs = Springs::new(2, &[[0, 1]], &[spring])?;
/// let largest = springs.largest_substep(particles.inverse_masses(), Integrator::Verlet, 0.0);
/// assert!((largest - 0.2).abs() < 1e-9); // 2 / ω, and ω is 10 /s
/// let model = Model { springs, ..Model::new(particles, sticks) };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    ends: Vec<[u32; 2]>,
    /// Rest lengths, m.
    rests: Vec<f32>,
    /// N/m.
    stiffness: Vec<f32>,
    /// N s/m.
    damping: Vec<f32>,
}

impl Springs {
    /// Springs between some of `particles` particles.
    ///
    /// # Errors
    /// If an end is not a particle, a value is negative or not finite, or a rest length is above
    /// 1e13 m.
    ///
    /// # Panics
    /// If `ends` and `springs` differ in length.
    pub fn new(
        particles: usize,
        ends: &[[u32; 2]],
        springs: &[Spring],
    ) -> Result<Self, SpringError> {
        assert_eq!(ends.len(), springs.len(), "ends and springs must have the same length");
        let mut columns = Self::default();
        for (index, (ends, spring)) in ends.iter().zip(springs).enumerate() {
            if let Some(&particle) = ends.iter().find(|&&end| end as usize >= particles) {
                return Err(SpringError::NoSuchParticle { spring: index, particle, particles });
            }
            let Spring { rest, stiffness, damping } = *spring;
            for (what, value) in
                [("rest length", rest), ("stiffness", stiffness), ("damping", damping)]
            {
                let max = if what == "rest length" { REST_MAX } else { f32::MAX };
                if !(0.0..=max).contains(&value) {
                    return Err(SpringError::OutOfRange { spring: index, what, value });
                }
            }
            columns.ends.push(*ends);
            columns.rests.push(rest);
            columns.stiffness.push(stiffness);
            columns.damping.push(damping);
        }
        Ok(columns)
    }

    /// Springs whose rest lengths are the current distances, with one stiffness, N/m, and one
    /// damping, N s/m.
    ///
    /// # Errors
    /// Same as [`new`](Self::new).
    pub fn between<const D: usize>(
        particles: &Particles<D>,
        ends: &[[u32; 2]],
        stiffness: f32,
        damping: f32,
    ) -> Result<Self, SpringError> {
        let length = |&[a, b]: &[u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            if a.max(b) >= particles.len() {
                return 0.0; // `new` rejects it
            }
            let [a, b] = [particles.position(a), particles.position(b)];
            let mut l2 = 0.0;
            for axis in 0..D {
                let difference = f64::from(b[axis]) - f64::from(a[axis]);
                l2 += difference * difference;
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

    /// The two particles of each spring.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// A spring by index.
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

    /// The springs between particles that are kept: `new_of` returns their new index.
    pub(crate) fn part(&self, new_of: impl Fn(u32) -> Option<u32>) -> Self {
        let mut part = Self::default();
        for (spring, ends) in self.ends.iter().enumerate() {
            let [Some(a), Some(b)] = ends.map(&new_of) else { continue };
            part.ends.push([a, b]);
            part.rests.push(self.rests[spring]);
            part.stiffness.push(self.stiffness[spring]);
            part.damping.push(self.damping[spring]);
        }
        part
    }

    /// Appends the springs of another model, whose first particle gets the index `first`.
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

    /// Adds the forces of all springs, N, in order.
    pub(crate) fn add_forces<const D: usize>(
        &self,
        particles: &Particles<D>,
        now: &StepTime<D>,
        forces: &mut Forces<D>,
    ) {
        let per_h = 1.0 / now.h;
        let position: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let previous: [&[f32]; D] = core::array::from_fn(|axis| particles.previous(axis));
        let forces = forces.columns_mut();
        let columns = self.ends.iter().zip(&self.rests).zip(&self.stiffness).zip(&self.damping);
        for (((ends, rest), stiffness), damping) in columns {
            let [a, b] = ends.map(|end| end as usize);
            let (mut d, mut l2, mut d_dot_change) = ([0.0; D], 0.0, 0.0);
            for axis in 0..D {
                d[axis] = position[axis][b] - position[axis][a];
                let previous_d = previous[axis][b] - previous[axis][a];
                l2 += d[axis] * d[axis];
                d_dot_change += d[axis] * (d[axis] - previous_d);
            }
            if l2 < f32::MIN_POSITIVE {
                continue; // a spring without a direction
            }
            let length = l2.sqrt();
            // Divided by the length because `d` is not a unit vector.
            let elongation_rate = d_dot_change * per_h / length;
            let force_per_distance =
                (stiffness * (length - rest) + damping * elongation_rate) / length;
            for axis in 0..D {
                forces[axis][a] += d[axis] * force_per_distance;
                forces[axis][b] -= d[axis] * force_per_distance;
            }
        }
    }
}
