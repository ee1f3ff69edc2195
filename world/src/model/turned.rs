//! Models turned about the origin.

use taut_core::Particles;

use super::{Model, ModelError};
use crate::vector::{cross, dot, rounded, scaled, sum, to_f64, unit};

impl Model {
    /// The model turned about an axis through the origin by an angle in radians, counter-clockwise
    /// as seen from the tip of the axis (Rodrigues' formula). Velocities and the sources of
    /// emitters turn with it.
    ///
    /// ```
    /// use core::f32::consts::FRAC_PI_2;
    /// use taut_world::{Model, Rope};
    ///
    /// let rope = Model::rope(&[[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]], &Rope::default())?;
    /// let level = rope.turned([0.0, 0.0, 1.0], FRAC_PI_2)?;
    /// let end = level.particles.position(level.particles.len() - 1);
    /// assert!((end[0] - 1.0).abs() < 1e-6 && end[1].abs() < 1e-6);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// An axis without a direction, or an angle that is not finite.
    pub fn turned(self, axis: [f32; 3], angle: f32) -> Result<Self, ModelError> {
        let (sine, cosine) = libm::sincos(check_angle(angle)?);
        let axis = unit(to_f64(axis)).ok_or(ModelError::OutOfRange {
            key: "axis",
            what: "the length of an axis of rotation",
            value: f64::from(axis[0].hypot(axis[1]).hypot(axis[2])),
            must: "above 0 and finite",
        })?;
        Ok(self.rotated(|point| {
            let on_axis = scaled(axis, dot(axis, point) * (1.0 - cosine));
            sum(sum(scaled(point, cosine), scaled(cross(axis, point), sine)), on_axis)
        }))
    }
}

impl Model<2> {
    /// The model turned about the origin by an angle in radians, counter-clockwise. Velocities and
    /// the sources of emitters turn with it.
    ///
    /// # Errors
    /// An angle that is not finite.
    pub fn turned(self, angle: f32) -> Result<Self, ModelError> {
        let (sine, cosine) = libm::sincos(check_angle(angle)?);
        Ok(self.rotated(|[x, y]| [cosine * x - sine * y, sine * x + cosine * y]))
    }
}

impl<const D: usize> Model<D> {
    /// Applies a rotation to positions and previous positions, and to the sources and velocities of
    /// emitters.
    fn rotated(mut self, rotate: impl Fn([f64; D]) -> [f64; D]) -> Self {
        type Column<const D: usize> = fn(&mut Particles<D>, usize) -> &mut [f32];
        for column in [Particles::positions_mut as Column<D>, Particles::previous_mut] {
            for particle in 0..self.particles.len() {
                let point =
                    core::array::from_fn(|axis| column(&mut self.particles, axis)[particle]);
                for (axis, x) in rounded(rotate(to_f64(point))).into_iter().enumerate() {
                    column(&mut self.particles, axis)[particle] = x;
                }
            }
        }
        for emitter in &mut self.emitters {
            emitter.rotate(|vector| rounded(rotate(to_f64(vector))));
        }
        self
    }
}

fn check_angle(angle: f32) -> Result<f64, ModelError> {
    ModelError::check("angle", "the angle of a rotation, rad,", f64::from(angle), .., "finite")
}
