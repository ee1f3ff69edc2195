//! Placements (transforms in `f64`), and the motion of an obstacle from one placement to another in a step.

use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_transform::helper::TransformHelper;
use bevy_transform::prelude::GlobalTransform;
use taut::world::{ModelError, Path, Spin};

use crate::error::TautError;

/// A transform as scale, rotation and translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    /// The position of the origin of the entity in the world, m.
    pub(crate) translation: [f64; 3],
    /// A unit quaternion: x, y, z, w.
    rotation: [f64; 4],
    /// The scale along each axis of the entity; negative where the transform mirrors.
    pub(crate) scale: [f64; 3],
}

impl Placement {
    /// `None` if the transform is not finite or has a scale of 0.
    pub(crate) fn of(transform: &GlobalTransform) -> Option<Self> {
        if !is_usable(&transform.affine()) {
            return None;
        }
        let (scale, rotation, translation) = transform.to_scale_rotation_translation();
        let rotation = rotation.to_array().map(f64::from);
        let length = libm::sqrt(rotation.iter().map(|x| x * x).sum());
        let placement = Self {
            translation: translation.to_array().map(f64::from),
            rotation: rotation.map(|x| x / length),
            scale: scale.to_array().map(rounded_scale),
        };
        // The quaternion of a rotation has the length 1 up to rounding.
        (length > 0.5 && length.is_finite()).then_some(placement)
    }

    /// Maps a point from the space of the entity, already scaled, into the world, m.
    pub(crate) fn point(&self, point: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = axes(self.rotation);
        core::array::from_fn(|axis| {
            (x[axis] * point[0] + y[axis] * point[1] + z[axis] * point[2]) + self.translation[axis]
        })
    }

    /// The largest of the three scales, without signs.
    pub(crate) fn largest_scale(&self) -> f64 {
        self.scale.into_iter().map(f64::abs).fold(0.0, f64::max)
    }
}

/// A scale rounded to 16 significant bits. A scale is computed from the axes of a transform, which are rounded
/// differently for each rotation. Equal cloths must not get different lengths by that, because they would not be
/// stepped as copies.
fn rounded_scale(scale: f32) -> f64 {
    const DROPPED_BITS: u32 = f32::MANTISSA_DIGITS - 16;
    f64::from(f32::from_bits(
        (scale.to_bits() + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS << DROPPED_BITS,
    ))
}

/// The current transform of an entity in the world.
pub(crate) fn transform_of(
    helper: &TransformHelper,
    entity: Entity,
) -> Result<GlobalTransform, TautError> {
    helper.compute_global_transform(entity).map_err(|_| TautError::NoTransform { entity })
}

/// The current placement of an entity.
pub(crate) fn placement_of(
    helper: &TransformHelper,
    entity: Entity,
) -> Result<Placement, TautError> {
    Placement::of(&transform_of(helper, entity)?).ok_or(TautError::Transform { entity })
}

/// Whether a transform is finite and invertible.
pub(crate) fn is_usable(affine: &Affine3A) -> bool {
    affine.is_finite() && affine.inverse().is_finite()
}

/// How a shape moves between two placements: the shape is made at `centre` with `axes`, and `path` and `spin`
/// move it.
pub(crate) struct Motion {
    /// The centre of the shape without the motion, m.
    pub(crate) centre: [f64; 3],
    /// The axes of the shape without the motion.
    pub(crate) axes: [[f64; 3]; 3],
    pub(crate) path: Path,
    pub(crate) spin: Option<Spin>,
}

impl Motion {
    /// The motion from the placement `from` at the time `start` to the placement `to` at the time `end`, s. If the
    /// placements are equal, the shape does not move.
    pub(crate) fn between(
        from: &Placement,
        to: &Placement,
        [start, end]: [f64; 2],
    ) -> Result<Self, ModelError> {
        if from == to {
            let (centre, axes) = (to.translation, axes(to.rotation));
            return Ok(Self { centre, axes, path: Path::Still, spin: None });
        }
        let path = Path::Keyframed { keys: vec![(start, from.translation), (end, to.translation)] };
        let [x, y, z, w] = product(to.rotation, conjugate(from.rotation));
        let sine = libm::sqrt(x * x + y * y + z * z);
        // Quaternions of opposite sign are the same rotation; this sign gives the smaller angle.
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let angle = 2.0 * libm::atan2(sine, w * sign);
        // At smaller angles (rad) the axis, which is divided by the sine, would be inaccurate or not finite.
        if angle < 1e-9 {
            return Ok(Self { centre: [0.0; 3], axes: axes(to.rotation), path, spin: None });
        }
        let axis = [x, y, z].map(|component| component * sign / sine);
        let rate = angle / (end - start);
        let spin = Spin::about(axis, [0.0; 3], rate)?;
        // A spin rotates by `rate * time` from time 0 on, so the shape is made rotated back by `rate * start`.
        let (sine, cosine) = libm::sincos(-0.5 * rate * start);
        let back = [axis[0] * sine, axis[1] * sine, axis[2] * sine, cosine];
        let axes = axes(product(back, from.rotation));
        Ok(Self { centre: [0.0; 3], axes, path, spin: Some(spin) })
    }
}

/// The inverse of a rotation.
fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}

/// The rotation `b` followed by the rotation `a`.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The directions of the three axes after a rotation.
fn axes([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}
