//! Rigid bodies after Jakobsen, "Advanced Character Physics" (2001): four particles and six sticks
//! move as a rigid body; the mesh attached to them is drawn and collides.
//!
//! - [`MassProperties`] of boxes and closed meshes, and four particles that have the same properties.
//! - [`Bodies`] of a model: the particles of each [`Body`], its pose
//!   ([`BodyPose`](crate::BodyPose)) and [`Twist`] computed from them, and the vertices of all
//!   meshes.
//! - [`WeightedPoint`]: a point on a stick, on a triangle or in a tetrahedron, and its contacts.
//! - [`Limbs`]: capsules around sticks, and their contacts.
//! - Contacts: the vertices of the meshes collide with a [`Solid`](crate::Solid), and bodies with
//!   each other by `BodyContacts` (feature `parry`).
//! - [`Collider`]: a limb or the convex hull of a body, for contacts with the particles of cloth and
//!   ropes, and for contacts between limbs and bodies.

mod bounce;
mod colliders;
mod contact;
mod embedding;
#[cfg(feature = "parry")]
mod hull;
mod limbs;
mod mass;
mod motion;
mod own_limbs;
#[cfg(feature = "parry")]
mod pairs;
mod segments;
mod solids;
mod weighted_point;

use std::ops::Range;

use taut_core::{Particles, Real, Renumbering};

use crate::drawing::resize_vector;
use crate::linear::{Matrix, Vector, apply, inverse, matrix, per_axis};
use crate::vector::{difference, sum, to_f64};

pub(crate) use colliders::{Collider, ColliderScratch, Placed, PlacedLimb, box_around};
pub(crate) use contact::{Contact, Solver};
pub(crate) use limbs::LimbScratch;
pub use limbs::{Limb, Limbs};
pub use mass::MassProperties;
pub(crate) use mass::{CORNERS, checked_mass};
pub use motion::Twist;
pub(crate) use weighted_point::Probe;
pub use weighted_point::WeightedPoint;

/// A rigid body: its four particles, and the mesh attached to them.
#[derive(Clone, Debug)]
pub struct Body {
    /// The particles, by their indices in the model.
    particles: [u32; 4],
    /// Their positions in body coordinates (the body's axes, from its centre) at rest, m.
    rest: [Vector; 4],
    /// Maps the vector from the first particle to a point, in body coordinates, to the weights of the
    /// other three particles at that point.
    to_weights: Matrix,
    /// The vertices of its mesh among those of all bodies.
    vertices: Range<usize>,
    /// The triangles of its mesh among those of all bodies.
    triangles: Range<usize>,
    /// The convex hull of its mesh; None if the mesh encloses no volume.
    #[cfg(feature = "parry")]
    hull: Option<hull::Hull>,
}

impl Body {
    /// Its particles, by their indices in the model (of a world: in the island).
    pub fn particles(&self) -> [u32; 4] {
        self.particles
    }

    /// The vertices of its mesh among those of all bodies.
    pub fn vertices(&self) -> Range<usize> {
        self.vertices.clone()
    }

    /// The triangles of its mesh among those of all bodies.
    pub fn triangles(&self) -> Range<usize> {
        self.triangles.clone()
    }

    /// The point at `local` in body coordinates (the body's axes, from its centre), m, as a
    /// weighted mean of its particles.
    #[must_use]
    pub fn weighted_point(&self, local: [f32; 3]) -> WeightedPoint {
        WeightedPoint { particles: self.particles, weights: self.weights_of(local.map(f64::from)) }
    }

    /// The point of the body that is at `position`, m. None if the particles, at their current
    /// positions, span no volume.
    pub(crate) fn point_at<const D: usize>(
        &self,
        particles: &Particles<D>,
        position: Vector,
    ) -> Option<WeightedPoint> {
        let corners = self
            .particles
            .map(|particle| to_f64(resize_vector(particles.position(particle as usize))));
        let edges = matrix(|axis, edge| corners[edge + 1][axis] - corners[0][axis]);
        let [b, c, d] = apply(&inverse(&edges)?, difference(position, corners[0]));
        Some(WeightedPoint::in_tetrahedron(self.particles, [b, c, d].map(|weight| weight as f32)))
    }

    /// The weights c1 to c4 of the point at `local` in body coordinates, m. Their sum is 1.
    fn weights_of(&self, local: Vector) -> [f32; 4] {
        let [b, c, d] = apply(&self.to_weights, difference(local, self.rest[0]));
        [((1.0 - b) - c) - d, b, c, d].map(|weight| weight as f32)
    }
}

/// The rigid bodies of a model, and the meshes attached to them. In 2D there are none.
///
/// ```
/// use taut_world::Model;
///
/// let die = Model::rigid_box([0.02; 3], 1400.0)?;
/// let body = &die.bodies.all()[0];
/// assert_eq!(body.pose(&die.particles).rotation[0], [1.0, 0.0, 0.0]);
///
/// // The vertices to draw; to be copied after every step.
/// let mut vertices = die.bodies.vertices(&die.particles);
/// die.bodies.copy_vertices(&die.particles, &mut vertices);
/// assert!((vertices[0][0] + 0.01).abs() < 1e-8);
/// assert_eq!(die.bodies.triangles().len(), 12);
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bodies<const D: usize = 3> {
    all: Vec<Body>,
    /// The weights c1 to c4 (see [`WeightedPoint`]) of every vertex, body by body.
    weights: [Vec<f32>; 4],
    /// The triangles of all bodies, by the indices of their vertices among those of all bodies.
    triangles: Vec<[u32; 3]>,
}

/// Reused buffers, and the contacts of bodies, which the passes of a substep share.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyScratch<const D: usize> {
    /// The contacts of a body with an obstacle.
    contacts: Vec<contact::Contact<D>>,
    solver: contact::Solver<D>,
    /// The collisions of this substep.
    bounces: bounce::Bounces,
    /// The contacts between bodies.
    #[cfg(feature = "parry")]
    pairs: pairs::Scratch,
}

impl<const D: usize> Bodies<D> {
    /// All bodies.
    pub fn all(&self) -> &[Body] {
        &self.all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The triangles of all meshes, by the indices of their vertices, counter-clockwise from
    /// outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The body of a particle, if any.
    pub fn of_particle(&self, particle: u32) -> Option<&Body> {
        self.all.iter().find(|body| body.particles.contains(&particle))
    }

    /// One body of the particles 0 to 3 at `points`, and the mesh attached to them, all in body
    /// coordinates. None if the points span no volume.
    pub(crate) fn single(
        points: [Vector; 4],
        vertices: &[Vector],
        triangles: &[[u32; 3]],
    ) -> Option<Self> {
        let edges = matrix(|axis, edge| points[edge + 1][axis] - points[0][axis]);
        let body = Body {
            particles: [0, 1, 2, 3],
            rest: points,
            to_weights: inverse(&edges)?,
            vertices: 0..vertices.len(),
            triangles: 0..triangles.len(),
            #[cfg(feature = "parry")]
            hull: hull::Hull::around(vertices),
        };
        let mut weights: [Vec<f32>; 4] = Default::default();
        for &vertex in vertices {
            for (column, weight) in weights.iter_mut().zip(body.weights_of(vertex)) {
                column.push(weight);
            }
        }
        Some(Self { all: vec![body], weights, triangles: triangles.to_vec() })
    }

    /// Appends the bodies of another model, whose first particle gets the index `first`.
    pub(crate) fn append(&mut self, others: &Self, first: u32) {
        let (vertex_count, triangle_count) = (self.vertex_count(), self.triangles.len());
        let shifted = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
        self.all.extend(others.all.iter().map(|body| Body {
            particles: body.particles.map(|particle| first + particle),
            vertices: shifted(&body.vertices, vertex_count),
            triangles: shifted(&body.triangles, triangle_count),
            ..body.clone()
        }));
        for (column, of_others) in self.weights.iter_mut().zip(&others.weights) {
            column.extend(of_others);
        }
        let first_vertex = vertex_count as u32;
        let with_offset = |corners: &[u32; 3]| corners.map(|corner| first_vertex + corner);
        self.triangles.extend(others.triangles.iter().map(with_offset));
    }

    /// The bodies with renumbered particles.
    pub(crate) fn renumbered(&self, renumbering: &Renumbering) -> Self {
        let mut bodies = self.clone();
        for body in &mut bodies.all {
            body.particles = body.particles.map(|old| renumbering.new_of(old));
        }
        bodies
    }
}

/// The positions of four particles, in `f64`.
fn positions_of<S: Real>(columns: [&[S]; 3], particles: [u32; 4]) -> [Vector; 4] {
    particles.map(|particle| per_axis(|axis| columns[axis][particle as usize].to_f64()))
}

/// The mean of four points.
pub(crate) fn mean(points: &[Vector; 4]) -> Vector {
    let [a, b, c, d] = *points;
    sum(sum(a, b), sum(c, d)).map(|x| 0.25 * x)
}
