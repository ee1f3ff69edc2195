//! Ropes and chains.

use taut_core::Kind;

use super::builder::ModelBuilder;
use super::checks::{check_fraction, check_particles, check_positive};
use super::{Model, ModelError};
use crate::vector::{difference, length, scaled, sum, to_f64};

/// The parameters of a rope.
///
/// The default is a climbing rope: 0.1 kg/m, particles at most 5 cm apart, no bending stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Largest distance between neighbours, m: each segment of the path is cut into equal pieces.
    pub spacing: f32,
    /// Mass per length, kg/m.
    pub density: f32,
    /// The kind of the sticks between neighbours: [`Kind::TwoSided`], or [`Kind::Maximum`] for a rope
    /// that resists stretch but not compression.
    pub kind: Kind,
    /// The stiffness of sticks between second neighbours, which straighten the rope (or bring it
    /// back to the shape of its path), from 0 (no such sticks) to 1.
    pub bending: f32,
}

impl Default for Rope {
    fn default() -> Self {
        Self { spacing: 0.05, density: 0.1, kind: Kind::TwoSided, bending: 0.0 }
    }
}

impl Rope {
    /// An iron chain: links of 10 cm, 2 kg/m, that resist stretch but not compression.
    pub const CHAIN: Self = Self { spacing: 0.1, density: 2.0, kind: Kind::Maximum, bending: 0.0 };
}

impl<const D: usize> Model<D> {
    /// A rope, or a chain ([`Rope::CHAIN`]), along a path of at least two points, m. There is a
    /// particle at each point. The rope is as long as the path: for a rope that sags, give a path
    /// that is longer than the distance between its ends. Each particle has half the mass of the
    /// sticks to its neighbours. Nothing is pinned. Groups: `start`, `end`, `ends`.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// // 2.8 m long, between two hooks that are 2 m apart.
    /// let path = [[-1.0, 3.0, 0.0], [0.0, 2.0, 0.0], [1.0, 3.0, 0.0]];
    /// let rope = Model::rope(&path, &Rope::default())?.pinned("ends");
    /// let chain = Model::rope(&path, &Rope::CHAIN)?.pinned("start");
    /// assert!(chain.mass() > 10.0 * rope.mass());
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two points, or two successive ones at the same position; a point out of range; a
    /// spacing or density that is not above 0 and finite; a bending stiffness outside 0 to 1; more
    /// than 2²⁴ particles, or particles of less than 1e-9 or more than 1e9 kg.
    pub fn rope(path: &[[f32; D]], rope: &Rope) -> Result<Self, ModelError> {
        let density = check_positive("density", "the density of a rope, kg/m,", rope.density)?;
        check_fraction("bending", "the bending stiffness of a rope", rope.bending)?;
        let points = subdivided(path, rope.spacing)?;

        let mut builder = ModelBuilder::new();
        for point in points {
            builder.add_particle(point, 0.0);
        }
        let last = (builder.points.len() - 1) as u32;
        for particle in 0..last {
            let stick = builder.join([particle, particle + 1]);
            stick.kind = rope.kind;
            let half_mass = density * stick.rest / 2.0;
            builder.masses[particle as usize] += half_mass;
            builder.masses[particle as usize + 1] += half_mass;
        }
        if rope.bending > 0.0 {
            for particle in 1..last {
                let stick = builder.join([particle - 1, particle + 1]);
                stick.stiffness = rope.bending;
                stick.hidden = true;
                stick.bending = true;
            }
        }
        builder.add_to_group("start", [0]);
        builder.add_to_group("end", [last]);
        builder.add_to_group("ends", [0, last]);
        builder.build()
    }
}

/// The points of a path, and points that cut each of its segments into equal pieces of at most
/// `spacing`, m.
fn subdivided<const D: usize>(
    path: &[[f32; D]],
    spacing: f32,
) -> Result<Vec<[f64; D]>, ModelError> {
    let spacing = check_positive("spacing", "the spacing of a rope, m,", spacing)?;
    ModelError::check(
        "path",
        "the number of points of a rope's path",
        path.len() as f64,
        2.0..,
        "at least 2",
    )?;
    let segments = || path.windows(2).map(|ends| [to_f64(ends[0]), to_f64(ends[1])]);
    let mut count = 1.0;
    for [from, to] in segments() {
        let segment_length = length(difference(to, from));
        let range = (core::ops::Bound::Excluded(0.0), core::ops::Bound::Unbounded);
        let what = "the distance between two points of a rope's path, m,";
        ModelError::check("path", what, segment_length, range, "above 0 and finite")?;
        count += libm::ceil(segment_length / spacing);
    }
    #[allow(clippy::cast_sign_loss, reason = "a count")]
    let mut points = Vec::with_capacity(check_particles(count as u128)?);
    points.push(to_f64(path[0]));
    for [from, to] in segments() {
        let segment = difference(to, from);
        let pieces = libm::ceil(length(segment) / spacing);
        let mut piece = 1.0;
        while piece < pieces {
            points.push(sum(from, scaled(segment, piece / pieces)));
            piece += 1.0;
        }
        points.push(to);
    }
    Ok(points)
}
