//! Colliders: shapes that cloths and ropes cannot enter.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_shape::{Capsule3d, Cuboid, InfinitePlane3d, Sphere};
use bevy_transform::prelude::Transform;
use taut::world::{self as model, ModelError, Obstacle, Shape, Solid, Surface};

use crate::motion::{Motion, Placement};

/// The shape of a [`ClothCollider`], about the origin of its entity, m.
///
/// The shape is multiplied by the scale of the entity's transform: a cuboid along each axis separately, a sphere
/// or capsule by the largest of the three scales.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// A ball.
    Sphere {
        /// The radius, m.
        radius: f32,
    },
    /// A capsule along the y axis.
    Capsule {
        /// The radius, m.
        radius: f32,
        /// Half the distance between the centres of its two hemispheres, m.
        half_length: f32,
    },
    /// A solid box.
    Cuboid {
        /// Half the lengths of its edges, m.
        half_size: Vec3,
    },
    /// Everything on the side of a plane through the origin that its normal points away from.
    HalfSpace {
        /// The outward normal, of any length.
        normal: Vec3,
    },
}

impl From<Sphere> for ColliderShape {
    fn from(sphere: Sphere) -> Self {
        Self::Sphere { radius: sphere.radius }
    }
}

impl From<Capsule3d> for ColliderShape {
    fn from(capsule: Capsule3d) -> Self {
        Self::Capsule { radius: capsule.radius, half_length: capsule.half_length }
    }
}

impl From<Cuboid> for ColliderShape {
    fn from(cuboid: Cuboid) -> Self {
        Self::Cuboid { half_size: cuboid.half_size }
    }
}

impl From<InfinitePlane3d> for ColliderShape {
    fn from(plane: InfinitePlane3d) -> Self {
        Self::HalfSpace { normal: *plane.normal }
    }
}

/// A shape that cloths and ropes cannot enter, at the transform of its entity.
///
/// A collider that moves drags along the cloth that it touches: in each tick it moves from the
/// transform of the tick before to the current one, in equal parts over the substeps. Move it in
/// `FixedUpdate`, before [`TautSystems::Build`](crate::TautSystems). A collider that is moved only once per
/// frame moves in one tick of the frame, and stands still in its other ticks.
///
/// ```
/// use bevy_shape::Sphere;
/// use bevy_taut::ClothCollider;
///
/// let ball = ClothCollider::new(Sphere::new(0.3)).with_friction(0.8);
/// assert_eq!(ball.thickness, 0.01);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct ClothCollider {
    /// The shape.
    pub shape: ColliderShape,
    /// Coulomb's coefficient of friction. Default: 0.3.
    pub friction: f32,
    /// The fraction of the normal speed that a particle keeps when it bounces, 0 to 1. Default: 0.
    pub restitution: f32,
    /// The distance from the surface at which particles collide, m. Default: 0.01.
    pub thickness: f32,
    /// Whether collision detection is continuous: no particle passes through the collider within a substep,
    /// however thin and fast the collider is. Steps then take longer. Default: false.
    pub swept: bool,
    /// Whether sticks and faces collide with it, not particles alone: for cloth on edges, and on shapes that are
    /// smaller than the cells of the cloth. Steps then take longer. Default: false.
    pub edges: bool,
}

impl ClothCollider {
    /// A collider with the default surface.
    pub fn new(shape: impl Into<ColliderShape>) -> Self {
        let shape = shape.into();
        Self { shape, friction: 0.3, restitution: 0.0, thickness: 0.01, swept: false, edges: false }
    }

    /// Sets the coefficient of friction.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> Self {
        Self { friction, ..self }
    }

    /// Sets the distance at which particles collide, m.
    #[must_use]
    pub fn with_thickness(self, thickness: f32) -> Self {
        Self { thickness, ..self }
    }

    /// Turns on continuous collision detection.
    #[must_use]
    pub fn swept(self) -> Self {
        Self { swept: true, ..self }
    }

    /// Turns on collisions of sticks and faces.
    #[must_use]
    pub fn with_edges(self) -> Self {
        Self { edges: true, ..self }
    }

    /// The obstacle that moves from one placement to another between two times, s.
    pub(crate) fn obstacle(
        &self,
        from: &Placement,
        to: &Placement,
        times: [f64; 2],
    ) -> Result<Arc<dyn Obstacle>, ModelError> {
        let motion = Motion::between(from, to, times)?;
        let Motion { centre, axes, .. } = motion;
        let scale = to.largest_scale();
        let offset = |axis: [f64; 3], distance: f64| -> [f64; 3] {
            core::array::from_fn(|i| centre[i] + axis[i] * distance)
        };
        match self.shape {
            ColliderShape::Sphere { radius } => {
                self.solid(model::Sphere::new(centre, f64::from(radius) * scale)?, motion)
            }
            ColliderShape::Capsule { radius, half_length } => {
                let half = f64::from(half_length) * scale;
                let ends = [offset(axes[1], half), offset(axes[1], -half)];
                self.solid(model::Capsule::new(ends, f64::from(radius) * scale)?, motion)
            }
            ColliderShape::Cuboid { half_size } => {
                let half = half_size.to_array().map(f64::from);
                let half_edges = core::array::from_fn(|edge| {
                    axes[edge].map(|x| x * half[edge] * to.scale[edge].abs())
                });
                self.solid(model::Cuboid::oriented(centre, half_edges)?, motion)
            }
            ColliderShape::HalfSpace { normal } => {
                let normal = normal.to_array().map(f64::from);
                let normal = core::array::from_fn(|i| {
                    axes[0][i] * normal[0] + axes[1][i] * normal[1] + axes[2][i] * normal[2]
                });
                self.solid(model::HalfSpace::new(centre, normal)?, motion)
            }
        }
    }

    fn solid<S: Shape + 'static>(
        &self,
        shape: S,
        motion: Motion,
    ) -> Result<Arc<dyn Obstacle>, ModelError> {
        let surface = Surface {
            friction: self.friction,
            restitution: self.restitution,
            thickness: self.thickness,
            ..Surface::default()
        };
        let mut solid = Solid::new(shape).with(surface)?.along(motion.path)?;
        if let Some(spin) = motion.spin {
            solid = solid.turning(spin);
        }
        if self.swept {
            solid = solid.swept();
        }
        if self.edges {
            solid = solid.with_edges();
        }
        Ok(Arc::new(solid))
    }
}
