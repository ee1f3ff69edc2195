//! Ropes and chains.

use taut_core::Kind;

use super::parts::{Parts, particles_checked, positive, share};
use super::{Model, ModelError};
use crate::vector::{difference, length, scaled, sum, wide};

/// The parameters of a rope.
///
/// The default is a climber's rope: 0.1 kg/m, a particle every 5 cm at least, limp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Largest distance of neighbours, m: each segment of the path is cut into equal pieces.
    pub spacing: f32,
    /// Mass per length, kg/m.
    pub density: f32,
    /// When its sticks act: [`Kind::TwoSided`], or [`Kind::Maximum`] for one that can be pulled
    /// and not pushed.
    pub kind: Kind,
    /// The stiffness of sticks between next neighbours, which straighten the rope (or bring it
    /// back to its path), from 0 (there are none) to 1.
    pub bending: f32,
}

impl Default for Rope {
    fn default() -> Self {
        Self { spacing: 0.05, density: 0.1, kind: Kind::TwoSided, bending: 0.0 }
    }
}

impl Rope {
    /// A chain of iron: links of 10 cm, 2 kg/m, which resist stretch and not compression.
    pub const CHAIN: Self = Self { spacing: 0.1, density: 2.0, kind: Kind::Maximum, bending: 0.0 };
}

impl<const D: usize> Model<D> {
    /// A rope, or a chain ([`Rope::CHAIN`]), along a path of at least two points, m, whose corners
    /// are particles. It is as long as the path: for a rope that sags, give a longer path. Each
    /// particle has half the mass of the sticks to its neighbours. Nothing is pinned. Groups:
    /// `start`, `end`, `ends`.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// // From hook to hook, 2 m apart, and 2.8 m long.
    /// let path = [[-1.0, 3.0, 0.0], [0.0, 2.0, 0.0], [1.0, 3.0, 0.0]];
    /// let rope = Model::rope(&path, &Rope::default())?.pinned("ends");
    /// let chain = Model::rope(&path, &Rope::CHAIN)?.pinned("start");
    /// assert!(chain.mass() > 10.0 * rope.mass());
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two points, or two at the same place in sequence; a point that is not sane; a
    /// spacing or density that is not above 0 and finite; a bending outside 0 to 1; more than
    /// 2²⁴ particles, or particles of less than 1e-9 or more than 1e9 kg.
    pub fn rope(path: &[[f32; D]], rope: &Rope) -> Result<Self, ModelError> {
        let density = positive("density", "the density of a rope, kg/m,", rope.density)?;
        share("bending", "the bending stiffness of a rope", rope.bending)?;
        let points = cut(path, rope.spacing)?;

        let mut parts = Parts::new();
        for point in points {
            parts.particle(point, 0.0);
        }
        let last = (parts.points.len() - 1) as u32;
        for here in 0..last {
            let stick = parts.join([here, here + 1]);
            stick.kind = rope.kind;
            let half = density * stick.rest / 2.0;
            parts.masses[here as usize] += half;
            parts.masses[here as usize + 1] += half;
        }
        if rope.bending > 0.0 {
            for here in 1..last {
                let stick = parts.join([here - 1, here + 1]);
                stick.stiffness = rope.bending;
                stick.unseen = true;
                stick.bending = true;
            }
        }
        parts.name("start", [0]);
        parts.name("end", [last]);
        parts.name("ends", [0, last]);
        parts.finish()
    }
}

/// The points of a path, each segment cut into equal pieces of at most `spacing` m.
fn cut<const D: usize>(path: &[[f32; D]], spacing: f32) -> Result<Vec<[f64; D]>, ModelError> {
    let spacing = positive("spacing", "the spacing of a rope, m,", spacing)?;
    ModelError::check(
        "path",
        "the number of points of a rope's path",
        path.len() as f64,
        2.0..,
        "at least 2",
    )?;
    let segments = || path.windows(2).map(|ends| [wide(ends[0]), wide(ends[1])]);
    let mut count = 1.0;
    for [from, to] in segments() {
        let long = length(difference(to, from));
        let sane = (core::ops::Bound::Excluded(0.0), core::ops::Bound::Unbounded);
        let what = "the distance between two points of a rope's path, m,";
        ModelError::check("path", what, long, sane, "above 0 and finite")?;
        count += libm::ceil(long / spacing);
    }
    #[allow(clippy::cast_sign_loss, reason = "a count")]
    let mut points = Vec::with_capacity(particles_checked(count as u128)?);
    points.push(wide(path[0]));
    for [from, to] in segments() {
        let along = difference(to, from);
        let pieces = libm::ceil(length(along) / spacing);
        let mut piece = 1.0;
        while piece < pieces {
            points.push(sum(from, scaled(along, piece / pieces)));
            piece += 1.0;
        }
        points.push(to);
    }
    Ok(points)
}
