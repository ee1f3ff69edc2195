//! Forces that are a function of one particle and of where it is.

use core::fmt;

use pulp::NullaryFnOnce;

use super::Force;
use crate::forces::Forces;
use crate::model::Model;
use crate::settings::Moment;
use crate::simd::widest;

/// A particle as a law of force sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject<const D: usize = 3> {
    /// Where it is, m.
    pub position: [f32; D],
    /// How fast it was over the last substep, m/s.
    pub velocity: [f32; D],
    /// Its inverse mass, 1/kg; 0 if it is pinned.
    pub inverse_mass: f32,
    /// The time at the end of the substep, s.
    pub time: f64,
    /// The most force by speed, kg/s, that can brake it in this substep without turning it around;
    /// infinite if it is pinned.
    pub most_drag: f32,
}

/// What force a particle feels: [`Drag`], [`Acceleration`], [`Attractor`], or any function of a
/// [`Subject`] that returns newtons. A law must be a pure function, and the same everywhere: of the
/// operations of `f32` only + - * / and `sqrt` are.
pub trait Law<const D: usize = 3>: Send + Sync {
    /// The force on a particle, N.
    fn force(&self, on: &Subject<D>) -> [f32; D];
}

impl<F: Fn(&Subject<D>) -> [f32; D] + Send + Sync, const D: usize> Law<D> for F {
    #[inline(always)]
    fn force(&self, on: &Subject<D>) -> [f32; D] {
        self(on)
    }
}

/// Where a field is felt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Region<const D: usize = 3> {
    /// Everywhere.
    #[default]
    Everywhere,
    /// Within a ball.
    Ball {
        /// Its centre, m.
        centre: [f32; D],
        /// Its radius, m.
        radius: f32,
    },
    /// Between two corners.
    Box {
        /// The least coordinates, m.
        from: [f32; D],
        /// The greatest coordinates, m.
        to: [f32; D],
    },
    /// Behind a plane: where `normal · x <= offset`.
    Behind {
        /// The direction that points out of it, of any length.
        normal: [f32; D],
        /// In units of that length times m.
        offset: f32,
    },
}

impl<const D: usize> Region<D> {
    /// Whether a place, m, is in it.
    #[inline(always)]
    pub fn contains(&self, place: &[f32; D]) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Ball { centre, radius } => {
                let mut l2 = 0.0;
                for axis in 0..D {
                    let along = place[axis] - centre[axis];
                    l2 += along * along;
                }
                l2 <= radius * radius
            }
            Self::Box { from, to } => {
                let mut inside = true;
                for axis in 0..D {
                    inside &= (from[axis]..=to[axis]).contains(&place[axis]);
                }
                inside
            }
            Self::Behind { normal, offset } => {
                let mut along = 0.0;
                for axis in 0..D {
                    along += normal[axis] * place[axis];
                }
                along <= *offset
            }
        }
    }
}

/// A law of force on each particle, or on those of a region or a group.
///
/// ```
/// use std::sync::Arc;
/// use taut_world::{Acceleration, Drag, Field, Region, Scene, Subject};
///
/// let mut scene = Scene::new();
/// // Water up to the height of 0: it carries, and it brakes.
/// let water = Region::Behind { normal: [0.0, 1.0, 0.0], offset: 0.0 };
/// scene.forces.push(Arc::new(Field::new(Acceleration([0.0, 12.0, 0.0])).within(water)));
/// scene.forces.push(Arc::new(Field::new(Drag::linear(0.5)).within(water)));
/// // A whirl of one's own around the axis of y, felt by sparks alone.
/// let whirl = |on: &Subject| [on.position[2], 0.0, -on.position[0]];
/// scene.forces.push(Arc::new(Field::new(whirl).on("sparks")));
/// ```
#[derive(Clone)]
pub struct Field<L, const D: usize = 3> {
    law: L,
    region: Region<D>,
    group: Option<String>,
}

impl<L: Law<D>, const D: usize> Field<L, D> {
    /// A law that every particle feels.
    pub fn new(law: L) -> Self {
        Self { law, region: Region::Everywhere, group: None }
    }

    /// The same, felt in a region alone.
    #[must_use]
    pub fn within(mut self, region: Region<D>) -> Self {
        self.region = region;
        self
    }

    /// The same, felt by the particles of the groups of this name alone.
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
    fn push(&self, matter: &Model<D>, moment: &Moment<D>, forces: &mut Forces<D>) {
        let group = match &self.group {
            None => None,
            Some(name) => match matter.groups.get(name) {
                None => return,
                Some(group) => Some(&group[..]),
            },
        };
        widest(Each { field: self, group, matter, moment, forces: forces.columns_mut() });
    }

    fn touches(&self, matter: &Model<D>) -> bool {
        self.group.as_ref().is_none_or(|name| matter.groups.contains_key(name))
    }
}

struct Each<'a, L, const D: usize> {
    field: &'a Field<L, D>,
    group: Option<&'a [u32]>,
    matter: &'a Model<D>,
    moment: &'a Moment<D>,
    forces: [&'a mut [f32]; D],
}

/// A millionth less than whole, for roundings.
const NEARLY: f32 = 1.0 - 1e-6;

impl<L: Law<D>, const D: usize> NullaryFnOnce for Each<'_, L, D> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let particles = &self.matter.particles;
        let masses = particles.inverse_masses();
        let (mut positions, mut previous): ([&[f32]; D], [&[f32]; D]) = ([&[]; D], [&[]; D]);
        for axis in 0..D {
            positions[axis] = &particles.positions(axis)[..masses.len()];
            previous[axis] = &particles.previous(axis)[..masses.len()];
        }
        let columns = (masses, positions, previous);
        // Loops and not closures: what is not inlined is compiled for the least machine.
        match self.group {
            None => {
                for particle in 0..masses.len() {
                    self.push(&columns, particle);
                }
            }
            Some(group) => {
                for &particle in group {
                    self.push(&columns, particle as usize);
                }
            }
        }
    }
}

/// Inverse masses, positions and previous positions.
type Columns<'a, const D: usize> = (&'a [f32], [&'a [f32]; D], [&'a [f32]; D]);

impl<L: Law<D>, const D: usize> Each<'_, L, D> {
    #[inline(always)]
    fn push(&mut self, (masses, positions, previous): &Columns<'_, D>, particle: usize) {
        let Self { field, moment, forces, .. } = self;
        let per_h = 1.0 / moment.h;
        let most_drag = NEARLY * moment.motion.keep * per_h;
        let inverse_mass = masses[particle];
        let (mut position, mut velocity) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            position[axis] = positions[axis][particle];
            velocity[axis] = (position[axis] - previous[axis][particle]) * per_h;
        }
        let free = inverse_mass > 0.0;
        let most_drag = if free { most_drag / inverse_mass } else { f32::INFINITY };
        let subject = Subject { position, velocity, inverse_mass, time: moment.time, most_drag };
        let force = field.law.force(&subject);
        let felt = field.region.contains(&position);
        for axis in 0..D {
            forces[axis][particle] += if felt { force[axis] } else { 0.0 };
        }
    }
}

/// Drag of the air on a particle: `-(linear + quadratic |u|) u`, where u is its velocity less that of
/// the air. It never turns `u` around, however long the substep: it stops it at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag<const D: usize = 3> {
    /// Force by speed, kg/s: slow and small things (Stokes 1851, `6 π μ r` of a ball).
    pub linear: f32,
    /// Force by squared speed, kg/m: fast and large things (`½ ρ c A`).
    pub quadratic: f32,
    /// The velocity of the air, m/s.
    pub air: [f32; D],
}

impl<const D: usize> Drag<D> {
    /// In proportion to speed; kg/s.
    pub fn linear(linear: f32) -> Self {
        Self { linear, quadratic: 0.0, air: [0.0; D] }
    }

    /// In proportion to squared speed, of things of an `area` across the wind, m², and a coefficient
    /// of drag (0.47 for a ball), in air of a density, kg/m³ (1.2 at sea level). What weighs `m g`
    /// falls at `sqrt(2 m g / (density coefficient area))` in the end.
    pub fn quadratic(density: f32, coefficient: f32, area: f32) -> Self {
        Self { linear: 0.0, quadratic: 0.5 * density * coefficient * area, air: [0.0; D] }
    }
}

impl<const D: usize> Law<D> for Drag<D> {
    #[inline(always)]
    fn force(&self, on: &Subject<D>) -> [f32; D] {
        let mut u = [0.0; D];
        let mut u2 = 0.0;
        for (axis, along) in u.iter_mut().enumerate() {
            *along = on.velocity[axis] - self.air[axis];
            u2 += *along * *along;
        }
        let by_speed = self.linear + self.quadratic * u2.sqrt();
        let by_speed = if by_speed < on.most_drag { by_speed } else { on.most_drag };
        for along in &mut u {
            *along *= -by_speed;
        }
        u
    }
}

/// The same acceleration for all, m/s²: more gravity, or less, in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration<const D: usize = 3>(pub [f32; D]);

impl<const D: usize> Law<D> for Acceleration<D> {
    #[inline(always)]
    fn force(&self, on: &Subject<D>) -> [f32; D] {
        let mass = mass(on.inverse_mass);
        let mut force = self.0;
        for along in &mut force {
            *along *= mass;
        }
        force
    }
}

/// A point that attracts as a mass would, softened near itself (H. C. Plummer 1911): the acceleration
/// is `strength d / (d·d + softening²)^1.5`, and at most [`MOST`](Self::MOST) along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attractor<const D: usize = 3> {
    /// Where it is, m.
    pub place: [f32; D],
    /// m³/s², within 1e24 (the sun has 1.3e20); below 0 it repels.
    pub strength: f32,
    /// Within what distance it is soft, m. Less than [`SHORTEST`](Self::SHORTEST) acts as that.
    pub softening: f32,
}

impl<const D: usize> Attractor<D> {
    /// The shortest softening, m: the cube of a shorter distance is no normal `f32`.
    pub const SHORTEST: f32 = 1e-12;

    /// The most acceleration along an axis, m/s²: that of a step. So near a place that is hardly
    /// softened nothing is thrown to where coordinates are not finite.
    pub const MOST: f32 = 1e9;
}

impl<const D: usize> Law<D> for Attractor<D> {
    #[inline(always)]
    fn force(&self, on: &Subject<D>) -> [f32; D] {
        let mut d = [0.0; D];
        let softening2 = self.softening * self.softening;
        let shortest2 = Self::SHORTEST * Self::SHORTEST;
        let mut l2 = if softening2 > shortest2 { softening2 } else { shortest2 };
        for (axis, along) in d.iter_mut().enumerate() {
            *along = self.place[axis] - on.position[axis];
            l2 += *along * *along;
        }
        let mass = mass(on.inverse_mass);
        let most = mass * Self::MOST;
        // Finite, as 0 times infinity is NaN.
        let by_distance = (mass * self.strength / (l2 * l2.sqrt())).clamp(f32::MIN, f32::MAX);
        for along in &mut d {
            *along = (*along * by_distance).clamp(-most, most);
        }
        d
    }
}

/// A particle's mass, kg; a pinned one's force moves nothing, and is none.
#[inline(always)]
fn mass(inverse_mass: f32) -> f32 {
    if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 }
}
