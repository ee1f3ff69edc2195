//! Sticks, pins and colliders as lines, for debugging.

use bevy_app::prelude::*;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy_gizmos::gizmos::Gizmos;
use bevy_gizmos::primitives::dim3::GizmoPrimitive3d;
use bevy_math::{Dir3, Isometry3d, Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_shape::{Capsule3d, Cuboid, Plane3d, Sphere};
use bevy_transform::prelude::GlobalTransform;

use crate::collider::{ClothCollider, ColliderShape};
use crate::plugin::TautSystems;
use crate::world::TautWorld;

/// Half the size of the cross at a pin, m.
const PIN_HALF_SIZE: f32 = 0.02;
/// Half the size of the part of a plane that is drawn, m.
const PLANE_HALF_SIZE: f32 = 2.0;

/// The colours of what [`TautGizmosPlugin`] draws; `None`: not drawn. This configuration group of gizmos is enabled
/// at first; set `enabled` in `GizmoConfigStore` to disable it.
#[derive(Clone, Copy, Debug, Reflect, GizmoConfigGroup)]
#[reflect(Clone, Debug, Default)]
pub struct TautGizmos {
    /// Sticks that are not torn, at their positions after the last step. Default: green.
    pub sticks: Option<Color>,
    /// Pinned particles. Default: red.
    pub pins: Option<Color>,
    /// Colliders, without their thickness. Default: blue.
    pub colliders: Option<Color>,
}

impl Default for TautGizmos {
    fn default() -> Self {
        Self {
            sticks: Some(Color::srgb(0.2, 0.8, 0.3)),
            pins: Some(Color::srgb(0.9, 0.2, 0.2)),
            colliders: Some(Color::srgb(0.3, 0.5, 1.0)),
        }
    }
}

/// Draws sticks, pins and colliders as lines. It needs the gizmos of Bevy, and
/// [`TautPlugin`](crate::TautPlugin).
#[derive(Clone, Copy, Debug, Default)]
pub struct TautGizmosPlugin;

impl Plugin for TautGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<TautGizmos>()
            .add_systems(PostUpdate, (draw_bodies, draw_colliders).in_set(TautSystems::Draw));
    }
}

fn draw_bodies(
    world: Res<TautWorld>,
    store: Res<GizmoConfigStore>,
    mut gizmos: Gizmos<TautGizmos>,
) {
    let (_, &TautGizmos { sticks, pins, .. }) = store.config::<TautGizmos>();
    let Some(taut) = world.world() else { return };
    for body in &world.bodies {
        let positions = &world.current[body.particles.clone()];
        let position = |particle: usize| Vec3::from(positions[particle]);
        if let Some(color) = sticks {
            let hidden = |stick: usize| body.model.hidden_sticks.get(stick) == Some(&true);
            for (stick, ends) in body.model.sticks.ends().iter().enumerate() {
                if !hidden(stick) && !taut.is_torn(body.sticks.start + stick) {
                    let [from, to] = ends.map(|end| position(end as usize));
                    gizmos.line(from, to, color);
                }
            }
        }
        if let Some(color) = pins {
            for pin in &body.pins {
                gizmos.cross(
                    Isometry3d::from_translation(position(pin.particle)),
                    PIN_HALF_SIZE,
                    color,
                );
            }
        }
    }
}

fn draw_colliders(
    colliders: Query<(&ClothCollider, &GlobalTransform)>,
    store: Res<GizmoConfigStore>,
    mut gizmos: Gizmos<TautGizmos>,
) {
    let (_, config) = store.config::<TautGizmos>();
    let Some(color) = config.colliders else { return };
    for (collider, transform) in &colliders {
        let (scale, rotation, translation) = transform.to_scale_rotation_translation();
        let isometry = Isometry3d::new(translation, rotation);
        let largest = scale.abs().max_element();
        match collider.shape {
            ColliderShape::Sphere { radius } => {
                gizmos.primitive_3d(&Sphere { radius: radius * largest }, isometry, color);
            }
            ColliderShape::Capsule { radius, half_length } => {
                let radius = radius * largest;
                let half_length = half_length * largest;
                gizmos.primitive_3d(&Capsule3d { radius, half_length }, isometry, color);
            }
            ColliderShape::Cuboid { half_size } => {
                gizmos.primitive_3d(
                    &Cuboid { half_size: half_size * scale.abs() },
                    isometry,
                    color,
                );
            }
            ColliderShape::HalfSpace { normal } => {
                if let Ok(normal) = Dir3::new(normal) {
                    let plane = Plane3d { normal, half_size: Vec2::splat(PLANE_HALF_SIZE) };
                    gizmos.primitive_3d(&plane, isometry, color);
                }
            }
        }
    }
}
