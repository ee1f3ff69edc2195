//! Sticks from a triangle mesh.

use alloc::vec::Vec;

use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::{Duplicates, StickError, Sticks, same_ends, sorted_by_ends};

/// Whether a triangle mesh resists folding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bending {
    /// Edges only.
    #[default]
    Free,
    /// Edges, and sticks between the opposite corners of adjacent triangles.
    Sticks,
}

/// Why a triangle mesh cannot be turned into sticks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TriangleError {
    /// A corner is not a particle.
    #[error(
        "triangle {triangle} has the corner {corner}, but there are only {particles} particles"
    )]
    NoSuchCorner {
        /// Which triangle.
        triangle: usize,
        /// The number given as a corner.
        corner: u32,
        /// How many particles there are.
        particles: usize,
    },
    /// Two corners are the same particle.
    #[error("triangle {triangle} has the corner {corner} twice")]
    Degenerate {
        /// Which triangle.
        triangle: usize,
        /// The corner.
        corner: u32,
    },
    /// The length of an edge is not a valid rest length.
    #[error(
        "the edge of triangle {triangle} between the corners {} and {} has the length {length}; it \
         must be from 1e-15 to 1e10 m",
        corners[0],
        corners[1]
    )]
    Edge {
        /// Which triangle: the first one that has this edge.
        triangle: usize,
        /// The particles that the edge joins.
        corners: [u32; 2],
        /// The length, m.
        length: f64,
    },
    /// The distance of opposite corners of adjacent triangles is not a valid rest length.
    #[error(
        "the corners {} and {}, opposite to the common edge of two triangles, have the distance \
         {length}; it must be from 1e-15 to 1e10 m",
        corners[0],
        corners[1]
    )]
    OppositeCorners {
        /// The particles at these corners.
        corners: [u32; 2],
        /// Their distance, m.
        length: f64,
    },
    /// The triangles have too many sticks.
    #[error(transparent)]
    Stick(#[from] StickError),
}

impl<S: Real> Sticks<S> {
    /// One plain stick for each edge of a triangle mesh, in the order in which the edges first
    /// appear. [`Bending::Sticks`] adds a stick between the opposite corners of any two triangles
    /// that share an edge, unless an edge already joins these corners. (Where three or more
    /// triangles share an edge, each is joined to the next one listed.) Rest lengths are the
    /// current distances.
    ///
    /// ```
    /// use taut_core::{Bending, Particles, Sticks};
    ///
    /// let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    /// let particles = Particles::new(&square, &[1.0; 4])?;
    /// let triangles = [[0, 1, 2], [0, 2, 3]];
    /// let edges = Sticks::from_triangles(&particles, &triangles, Bending::Free)?;
    /// assert_eq!(edges.ends(), [[0, 1], [1, 2], [2, 0], [2, 3], [3, 0]]);
    /// let stiffer = Sticks::from_triangles(&particles, &triangles, Bending::Sticks)?;
    /// assert_eq!(stiffer.ends()[5..], [[1, 3]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A corner out of range or twice in one triangle; the length of an edge, or the distance of opposite
    /// corners that a stick would join, out of range; too many sticks for 32-bit numbers.
    pub fn from_triangles<const D: usize>(
        particles: &Particles<D, S>,
        triangles: &[[u32; 3]],
        bending: Bending,
    ) -> Result<Self, TriangleError> {
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            let out_of_range = |corner: &u32| *corner as usize >= particles.len();
            if let Some(corner) = [a, b, c].into_iter().find(out_of_range) {
                let particles = particles.len();
                return Err(TriangleError::NoSuchCorner { triangle, corner, particles });
            }
            if a == b || b == c || c == a {
                let corner = if a == b { a } else { c };
                return Err(TriangleError::Degenerate { triangle, corner });
            }
        }
        let mut pairs: Vec<[u32; 2]> =
            triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        let edges = pairs.len();
        if bending == Bending::Sticks {
            pairs.extend(opposite_corners(&pairs, triangles, particles.len()));
        }
        Self::joining(particles, &pairs, Duplicates::Merge).map_err(|error| match error {
            // The number is that of a pair. The sticks have other numbers, because pairs are merged.
            StickError::Rest { stick: pair, value: length } => {
                let corners = pairs[pair];
                if pair < edges {
                    TriangleError::Edge { triangle: pair / 3, corners, length }
                } else {
                    TriangleError::OppositeCorners { corners, length }
                }
            }
            error => error.into(),
        })
    }
}

/// The two corners opposite to an edge, for each edge and each two consecutive triangles of those
/// that share it. `edges` has three edges per triangle, in the order of the triangles.
fn opposite_corners(edges: &[[u32; 2]], triangles: &[[u32; 3]], particles: usize) -> Vec<[u32; 2]> {
    let opposite = |edge: usize| triangles[edge / 3][(edge % 3 + 2) % 3];
    sorted_by_ends(edges, particles)
        .windows(2)
        .map(|adjacent| [adjacent[0] as usize, adjacent[1] as usize])
        .filter(|&[edge, next]| same_ends(edges[edge], edges[next]))
        .map(|[edge, next]| [opposite(edge), opposite(next)])
        .filter(|[corner, other]| corner != other)
        .collect()
}
