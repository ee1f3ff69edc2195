//! Force fields: forces that depend on one particle, its position and its velocity.

use core::fmt;

use pulp::NullaryFnOnce;

use super::Force;
use crate::forces::Forces;
use crate::model::Model;
use crate::settings::StepTime;
use crate::simd::widest;

/// The particle that a [`Law`] acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleState<const D: usize = 3> {
    /// Its position, m.
    pub position: [f32; D],
    /// Its velocity over the last substep, m/s.
    pub velocity: [f32; D],
    /// Its inverse mass, 1/kg; 0 if it is pinned.
    pub inverse_mass: f32,
    /// The time at the end of the substep, s.
    pub time: f64,
    /// The largest drag coefficient (force over speed), kg/s, that does not reverse its velocity in
    /// this substep if no other force acts; infinite if the particle is pinned.
    pub max_drag: f32,
}

/// A force law: [`Drag`], [`Acceleration`], [`Attractor`], or any function from a
/// [`ParticleState`] to a force, N. It must be a pure function that gives the same bits on every
/// machine, so it may use only + - * / and `sqrt` of `f32`.
pub trait Law<const D: usize = 3>: Send + Sync {
    /// The force on a particle, N.
    fn force(&self, on: &ParticleState<D>) -> [f32; D];

    /// Whether the force does not depend on time: see [`Force::is_steady`]. False by default, also for
    /// functions.
    fn is_steady(&self) -> bool {
        false
    }
}

impl<F: Fn(&ParticleState<D>) -> [f32; D] + Send + Sync, const D: usize> Law<D> for F {
    #[inline(always)]
    fn force(&self, on: &ParticleState<D>) -> [f32; D] {
        self(on)
    }
}

/// The region in which a field acts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Region<const D: usize = 3> {
    /// Everywhere.
    #[default]
    Everywhere,
    /// A ball.
    Ball {
        /// Its centre, m.
        centre: [f32; D],
        /// Its radius, m.
        radius: f32,
    },
    /// An axis-aligned box.
    Box {
        /// The smallest coordinates, m.
        from: [f32; D],
        /// The largest coordinates, m.
        to: [f32; D],
    },
    /// The half-space behind a plane: where `normal · x <= offset`.
    Behind {
        /// The direction that points out of the region, of any length.
        normal: [f32; D],
        /// `normal · x` on the plane, in m times the length of the normal.
        offset: f32,
    },
}

impl<const D: usize> Region<D> {
    /// Whether a position, m, is in the region.
    #[inline(always)]
    pub fn contains(&self, position: &[f32; D]) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Ball { centre, radius } => {
                let mut l2 = 0.0;
                for axis in 0..D {
                    let difference = position[axis] - centre[axis];
                    l2 += difference * difference;
                }
                l2 <= radius * radius
            }
            Self::Box { from, to } => {
                let mut inside = true;
                for axis in 0..D {
                    inside &= (from[axis]..=to[axis]).contains(&position[axis]);
                }
                inside
            }
            Self::Behind { normal, offset } => {
                let mut dot = 0.0;
                for axis in 0..D {
                    dot += normal[axis] * position[axis];
                }
                dot <= *offset
            }
        }
    }
}

/// A force law that acts on all particles, or on those in a region or a group.
///
/// ```
/// use std::sync::Arc;
/// use taut_world::{Acceleration, Drag, Field, Region, Scene, ParticleState};
///
/// let mut scene = Scene::new();
/// // Water up to y = 0: buoyancy and drag.
/// let water = Region::Behind { normal: [0.0, 1.0, 0.0], offset: 0.0 };
/// scene.forces.push(Arc::new(Field::new(Acceleration([0.0, 12.0, 0.0])).within(water)));
/// scene.forces.push(Arc::new(Field::new(Drag::linear(0.5)).within(water)));
/// // A custom whirl around the y axis that acts only on sparks.
/// let whirl = |on: &ParticleState| [on.position[2], 0.0, -on.position[0]];
/// scene.forces.push(Arc::new(Field::new(whirl).on("sparks")));
/// ```
#[derive(Clone)]
pub struct Field<L, const D: usize = 3> {
    law: L,
    region: Region<D>,
    group: Option<String>,
}

impl<L: Law<D>, const D: usize> Field<L, D> {
    /// A field that acts on every particle.
    pub fn new(law: L) -> Self {
        Self { law, region: Region::Everywhere, group: None }
    }

    /// Restricts the field to a region.
    #[must_use]
    pub fn within(mut self, region: Region<D>) -> Self {
        self.region = region;
        self
    }

    /// Restricts the field to the particles of groups with this name.
    #[must_use]
    pub fn on(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

impl<L, const D: usize> fmt::Debug for Field<L, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field")
            .field("region", &self.region)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

impl<L: Law<D>, const D: usize> Force<D> for Field<L, D> {
    fn add_forces(&self, model: &Model<D>, now: &StepTime<D>, forces: &mut Forces<D>) {
        let group = match &self.group {
            None => None,
            Some(name) => match model.groups.get(name) {
                None => return,
                Some(group) => Some(&group[..]),
            },
        };
        widest(AddFieldForces { field: self, group, model, now, forces: forces.columns_mut() });
    }

    fn is_steady(&self) -> bool {
        self.law.is_steady()
    }

    fn acts_on(&self, model: &Model<D>) -> bool {
        self.group.as_ref().is_none_or(|name| model.groups.contains_key(name))
    }
}

/// Adds the force of a field to the particles of a model, with run-time SIMD dispatch.
struct AddFieldForces<'a, L, const D: usize> {
    field: &'a Field<L, D>,
    /// The particles of the field's group; None: all particles.
    group: Option<&'a [u32]>,
    model: &'a Model<D>,
    now: &'a StepTime<D>,
    forces: [&'a mut [f32]; D],
}

/// The largest drag coefficient is multiplied by this factor, slightly less than 1, so that rounding
/// does not reverse a velocity.
const DRAG_MARGIN: f32 = 1.0 - 1e-6;

impl<L: Law<D>, const D: usize> NullaryFnOnce for AddFieldForces<'_, L, D> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let particles = &self.model.particles;
        let inverse_masses = particles.inverse_masses();
        let (mut positions, mut previous): ([&[f32]; D], [&[f32]; D]) = ([&[]; D], [&[]; D]);
        for axis in 0..D {
            positions[axis] = &particles.positions(axis)[..inverse_masses.len()];
            previous[axis] = &particles.previous(axis)[..inverse_masses.len()];
        }
        let columns = (inverse_masses, positions, previous);
        // Loops, not closures: a closure that is not inlined is compiled without wide registers.
        match self.group {
            None => {
                for particle in 0..inverse_masses.len() {
                    self.add_force(&columns, particle);
                }
            }
            Some(group) => {
                for &particle in group {
                    self.add_force(&columns, particle as usize);
                }
            }
        }
    }
}

/// Inverse masses, positions and previous positions.
type Columns<'a, const D: usize> = (&'a [f32], [&'a [f32]; D], [&'a [f32]; D]);

impl<L: Law<D>, const D: usize> AddFieldForces<'_, L, D> {
    /// Adds the force of the field to one particle, if that is in the region.
    #[inline(always)]
    fn add_force(
        &mut self,
        (inverse_masses, positions, previous): &Columns<'_, D>,
        particle: usize,
    ) {
        let Self { field, now, forces, .. } = self;
        let per_h = 1.0 / now.h;
        let max_drag_rate = DRAG_MARGIN * now.motion.retention * per_h;
        let inverse_mass = inverse_masses[particle];
        let (mut position, mut velocity) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            position[axis] = positions[axis][particle];
            velocity[axis] = (position[axis] - previous[axis][particle]) * per_h;
        }
        let free = inverse_mass > 0.0;
        let max_drag = if free { max_drag_rate / inverse_mass } else { f32::INFINITY };
        let state = ParticleState { position, velocity, inverse_mass, time: now.time, max_drag };
        let force = field.law.force(&state);
        let inside = field.region.contains(&position);
        for axis in 0..D {
            forces[axis][particle] += if inside { force[axis] } else { 0.0 };
        }
    }
}

/// Drag of the air on a particle: `-(linear + quadratic |u|) u`, where `u` is its velocity relative
/// to the air. However long the substep, it does not reverse `u`: at most it gives the particle the
/// velocity of the air, reduced by the damping of the substep. (Several drags on one particle add up.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag<const D: usize = 3> {
    /// Force over speed, kg/s: for slow and small objects (Stokes 1851, `6 π μ r` for a ball).
    pub linear: f32,
    /// Force over squared speed, kg/m: for fast and large objects (`½ ρ c A`).
    pub quadratic: f32,
    /// The velocity of the air, m/s.
    pub air: [f32; D],
}

impl<const D: usize> Drag<D> {
    /// Drag proportional to speed, in still air. `linear`: force over speed, kg/s.
    pub fn linear(linear: f32) -> Self {
        Self { linear, quadratic: 0.0, air: [0.0; D] }
    }

    /// Drag proportional to squared speed, in still air: density of the air, kg/m³ (1.2 at sea
    /// level), drag coefficient (0.47 for a ball) and cross-sectional area, m². The terminal
    /// velocity of a mass `m` is `sqrt(2 m g / (density coefficient area))`.
    pub fn quadratic(density: f32, coefficient: f32, area: f32) -> Self {
        Self { linear: 0.0, quadratic: 0.5 * density * coefficient * area, air: [0.0; D] }
    }
}

impl<const D: usize> Law<D> for Drag<D> {
    #[inline(always)]
    fn force(&self, on: &ParticleState<D>) -> [f32; D] {
        let mut u = [0.0; D];
        let mut u2 = 0.0;
        for (axis, component) in u.iter_mut().enumerate() {
            *component = on.velocity[axis] - self.air[axis];
            u2 += *component * *component;
        }
        let coefficient = self.linear + self.quadratic * u2.sqrt();
        let coefficient = if coefficient < on.max_drag { coefficient } else { on.max_drag };
        for component in &mut u {
            *component *= -coefficient;
        }
        u
    }

    fn is_steady(&self) -> bool {
        true
    }
}

/// Uniform acceleration, m/s², such as stronger or weaker gravity in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration<const D: usize = 3>(pub [f32; D]);

impl<const D: usize> Law<D> for Acceleration<D> {
    #[inline(always)]
    fn force(&self, on: &ParticleState<D>) -> [f32; D] {
        let mass = mass(on.inverse_mass);
        let mut force = self.0;
        for component in &mut force {
            *component *= mass;
        }
        force
    }

    fn is_steady(&self) -> bool {
        true
    }
}

/// A point mass with softened gravity (H. C. Plummer 1911): the acceleration of a particle is
/// `strength d / (d·d + softening²)^1.5`, where `d` is the vector from the particle to the point mass,
/// clamped to [`MAX_ACCELERATION`](Self::MAX_ACCELERATION) along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attractor<const D: usize = 3> {
    /// Its position, m.
    pub position: [f32; D],
    /// G m, the gravitational constant times the mass, m³/s², of a magnitude up to 1e24 (1.3e20 for the
    /// sun); negative values repel.
    pub strength: f32,
    /// The softening length, m. Its sign is ignored; magnitudes below
    /// [`MIN_SOFTENING`](Self::MIN_SOFTENING) are treated as that.
    pub softening: f32,
}

impl<const D: usize> Attractor<D> {
    /// The shortest softening length, m. Its cube, by which the strength is divided, is a normal `f32`.
    pub const MIN_SOFTENING: f32 = 1e-12;

    /// The largest acceleration along an axis, m/s²: it keeps coordinates finite near an attractor with
    /// little softening. (The gravity of a step has the same limit.)
    pub const MAX_ACCELERATION: f32 = 1e9;
}

impl<const D: usize> Law<D> for Attractor<D> {
    #[inline(always)]
    fn force(&self, on: &ParticleState<D>) -> [f32; D] {
        let mut d = [0.0; D];
        let softening2 = self.softening * self.softening;
        let min2 = Self::MIN_SOFTENING * Self::MIN_SOFTENING;
        let mut l2 = if softening2 > min2 { softening2 } else { min2 };
        for (axis, component) in d.iter_mut().enumerate() {
            *component = self.position[axis] - on.position[axis];
            l2 += *component * *component;
        }
        let mass = mass(on.inverse_mass);
        let max_force = mass * Self::MAX_ACCELERATION;
        // Clamped to finite values, because for a distance of 0 the product below would be NaN.
        let force_per_distance =
            (mass * self.strength / (l2 * l2.sqrt())).clamp(f32::MIN, f32::MAX);
        for component in &mut d {
            *component = (*component * force_per_distance).clamp(-max_force, max_force);
        }
        d
    }

    fn is_steady(&self) -> bool {
        true
    }
}

/// The mass of a particle, kg; 0 if it is pinned, because no force moves it.
#[inline(always)]
fn mass(inverse_mass: f32) -> f32 {
    if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 }
}
