//! Why there is no such rigid body.

/// Why there is no such rigid body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It would move without end at the first push, or not at all.
    #[error("a body has a mass of {mass} kg; it must be above 0 and finite")]
    Mass {
        /// What it was, kg.
        mass: f64,
    },
    /// A coordinate of the centre is NaN or infinite.
    #[error("the centre of a body is not at a finite place")]
    Centre,
    /// Half of the tensor says what the other does not.
    #[error("an inertia tensor is not symmetric, or not finite")]
    NotSymmetric,
    /// No matter at all has such an inertia, or only matter in a plane: each principal moment must
    /// be below the sum of the other two.
    #[error(
        "no four particles that stay rigid have the principal moments {moments:?} kg m²: each must \
         be below the sum of the other two, by more than 1e-8 of the largest"
    )]
    Impossible {
        /// The principal moments of inertia, smallest first, kg m².
        moments: [f64; 3],
    },
    /// A corner is not among the vertices.
    #[error("triangle {triangle} has the corner {corner}, but there are only {vertices} vertices")]
    NoSuchVertex {
        /// Which triangle.
        triangle: usize,
        /// Its corner.
        corner: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A mesh has no inside if it has a border.
    #[error(
        "the mesh is not closed: the edge from vertex {from} to {to} of triangle {triangle} must \
         be in exactly one other triangle, the other way round"
    )]
    NotClosed {
        /// Which triangle.
        triangle: usize,
        /// Where the edge begins.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// It is flat, or its triangles are clockwise from outside.
    #[error(
        "the mesh encloses a volume of {volume} m³; it must be above 0 (triangles \
         counter-clockwise from outside)"
    )]
    Volume {
        /// What it was, m³.
        volume: f64,
    },
}
