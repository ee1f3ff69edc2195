//! Why a model, or a rigid body of it, cannot be built.

use taut_core::{LimitError, ParticleError, StickError, TriangleError};

/// The shortest decimal that identifies a value among the `f32`, if it is one of them, or else among
/// the `f64`. Most checked values come from `f32`: so 0.1 is not written as 0.10000000149011612.
fn shortest_decimal(value: f64) -> String {
    let single = value as f32;
    if f64::from(single).to_bits() == value.to_bits() {
        single.to_string()
    } else {
        value.to_string()
    }
}

/// Why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Its particles are not valid.
    #[error(transparent)]
    Particles(#[from] ParticleError),
    /// Its sticks are not valid.
    #[error(transparent)]
    Sticks(#[from] StickError),
    /// Its triangles are not valid.
    #[error(transparent)]
    Triangles(#[from] TriangleError),
    /// Its rigid body is invalid.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// It would exceed a [limit](taut_core::check_limit).
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A corner of a triangle of an obstacle's mesh is not the index of a vertex.
    #[error("triangle {triangle} has the corner {corner}, but there are only {vertices} vertices")]
    NoSuchVertex {
        /// The index of the triangle.
        triangle: usize,
        /// The vertex index at its corner.
        corner: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The mass of a particle is out of range. Where every triangle at a particle has no area, its mass is
    /// 0.
    #[error(
        "the mass of particle {particle}, kg, is {}; it must be from 1e-9 to 1e9",
        shortest_decimal(*mass)
    )]
    Mass {
        /// The number of the particle.
        particle: usize,
        /// Its mass, kg.
        mass: f64,
    },
    /// It has no sticks.
    #[error("there is nothing to relax: no stick joins any of the {particles} particle(s)")]
    NoSticks {
        /// Number of particles.
        particles: usize,
    },
    /// A value outside its range.
    #[error("{what} is {}; it must be {must}", shortest_decimal(*value))]
    OutOfRange {
        /// The name of the parameter, as in "length".
        key: &'static str,
        /// Which value, with its unit between commas, as in "the length of a rope, m,".
        what: &'static str,
        /// The value.
        value: f64,
        /// What it must be, as in "above 0".
        must: &'static str,
    },
}

impl ModelError {
    /// Returns `value` if it is finite and in `range`.
    ///
    /// ```
    /// use taut_world::ModelError;
    ///
    /// let error = ModelError::check("length", "the length of a rope, m,", -1.0, 0.0.., "at least 0");
    /// assert_eq!(error.unwrap_err().to_string(), "the length of a rope, m, is -1; it must be at least 0");
    /// ```
    ///
    /// # Errors
    /// [`OutOfRange`](Self::OutOfRange) otherwise; `must` describes the range in words.
    pub fn check(
        key: &'static str,
        what: &'static str,
        value: f64,
        range: impl core::ops::RangeBounds<f64>,
        must: &'static str,
    ) -> Result<f64, Self> {
        if value.is_finite() && range.contains(&value) {
            Ok(value)
        } else {
            Err(Self::OutOfRange { key, what, value, must })
        }
    }
}

/// Why a rigid body is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The mass is not above 0 and finite.
    #[error("a body has a mass of {mass} kg; it must be above 0 and finite")]
    Mass {
        /// The mass, kg.
        mass: f64,
    },
    /// A coordinate of the centre is NaN or infinite.
    #[error("the centre of a body has a coordinate that is not finite")]
    Centre,
    /// The inertia tensor is not symmetric, or not finite.
    #[error("an inertia tensor is not symmetric, or not finite")]
    NotSymmetric,
    /// No body with a volume has these principal moments of inertia: each must be below the sum of
    /// the other two, by more than 1e-8 of the largest.
    #[error(
        "no rigid body of four particles has the principal moments {moments:?} kg m²: each must be \
         below the sum of the other two, by more than 1e-8 of the largest"
    )]
    Impossible {
        /// The principal moments of inertia, smallest first, kg m².
        moments: [f64; 3],
    },
    /// A corner of a triangle is not the index of a vertex.
    #[error("triangle {triangle} has the corner {corner}, but there are only {vertices} vertices")]
    NoSuchVertex {
        /// The index of the triangle.
        triangle: usize,
        /// The vertex index at its corner.
        corner: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The mesh is not closed.
    #[error(
        "the mesh is not closed: the edge from vertex {from} to {to} of triangle {triangle} must \
         be in exactly one other triangle, in the opposite direction"
    )]
    NotClosed {
        /// The index of the triangle.
        triangle: usize,
        /// The index of the vertex where the edge begins.
        from: u32,
        /// The index of the vertex where it ends.
        to: u32,
    },
    /// The mesh is flat, or its triangles are clockwise from outside.
    #[error(
        "the mesh encloses a volume of {volume} m³; it must be above 0 (triangles \
         counter-clockwise from outside)"
    )]
    Volume {
        /// The volume, m³.
        volume: f64,
    },
}
