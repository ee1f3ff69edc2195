//! The pose and the motion of a body, computed from its particles.

use taut_core::{Particles, Real};

use super::mass::covariance_of_four;
use super::{Body, mean, positions_of};
use crate::error::ModelError;
use crate::linear::{
    Matrix, Vector, apply, inverse, matrix, nearest_rotation, per_axis, trace_minus,
};
use crate::pose::BodyPose;
use crate::vector::{add_scaled, cross, difference, sum};

/// Linear and angular velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// The velocity of its centre, m/s.
    pub velocity: [f64; 3],
    /// Its angular velocity, rad/s, in the axes of the world.
    pub spin: [f64; 3],
}

/// The motion of a body in a substep. Its unit of time is the substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMotion {
    /// Its centre of mass, m.
    pub(super) centre: Vector,
    /// Linear and angular velocity, m and rad per substep.
    pub(super) twist: Twist,
    /// Inverse inertia tensor in the axes of the world for a mass of 1 kg, 1/(kg m²); None if the
    /// particles are on a line.
    pub(super) inverse_inertia: Option<Matrix>,
}

impl BodyMotion {
    /// Displacement of a point of the body, m.
    pub(super) fn displacement_at(&self, point: Vector) -> Vector {
        sum(self.twist.velocity, cross(self.twist.spin, difference(point, self.centre)))
    }
}

impl Body {
    /// Its pose: the mean of its particles, and the rotation of the rest shape that fits them best
    /// (least squares, Kabsch 1976). Deformed or mirrored particles give a rotation, too.
    pub fn pose<S: Real>(&self, particles: &Particles<3, S>) -> BodyPose {
        let points = positions_of(per_axis(|axis| particles.positions(axis)), self.particles);
        let centre = mean(&points);
        let moments = matrix(|i, j| {
            points.iter().zip(&self.rest).map(|(x, rest)| (x[i] - centre[i]) * rest[j]).sum()
        });
        BodyPose { centre, rotation: nearest_rotation(&moments) }
    }

    /// Its linear and angular velocity, from positions and previous positions that are `h` seconds
    /// apart (a substep).
    pub fn twist<S: Real>(&self, particles: &Particles<3, S>, h: f64) -> Twist {
        let Twist { velocity, spin } = self.motion(particles).twist;
        Twist { velocity: velocity.map(|x| x / h), spin: spin.map(|angle| angle / h) }
    }

    /// Its motion in the last substep. `D` is 3; it is a parameter because callers are generic over it.
    pub(super) fn motion<S: Real, const D: usize>(
        &self,
        particles: &Particles<D, S>,
    ) -> BodyMotion {
        let now = positions_of(per_axis(|axis| particles.positions(axis)), self.particles);
        let before = positions_of(per_axis(|axis| particles.previous(axis)), self.particles);
        let (centre, centre_before) = (mean(&now), mean(&before));
        let offsets = now.map(|x| difference(x, centre));
        // Computed as if each of the four particles had 1/4 kg: the mass of the body cancels in the spin.
        let angular_momentum = offsets.iter().zip(&before).fold([0.0; 3], |sum, (r, x)| {
            add_scaled(sum, 0.25, cross(*r, difference(*r, difference(*x, centre_before))))
        });
        let inverse_inertia = inverse(&trace_minus(&covariance_of_four(&offsets), 1.0));
        let spin = inverse_inertia.map_or([0.0; 3], |inverse| apply(&inverse, angular_momentum));
        let twist = Twist { velocity: difference(centre, centre_before), spin };
        BodyMotion { centre, twist, inverse_inertia }
    }

    /// Its inertia tensor in world axes, kg m², for a mass in kg.
    pub fn inertia<S: Real>(&self, particles: &Particles<3, S>, mass: f64) -> [[f64; 3]; 3] {
        let points = positions_of(per_axis(|axis| particles.positions(axis)), self.particles);
        let centre = mean(&points);
        let inertia_per_mass =
            trace_minus(&covariance_of_four(&points.map(|x| difference(x, centre))), 1.0);
        matrix(|i, j| mass * inertia_per_mass[i][j])
    }

    /// Moves it to a pose, with a velocity of 0.
    ///
    /// # Errors
    /// If a coordinate of a particle would not be finite, or beyond 1e12 m.
    pub fn set_pose(
        &self,
        particles: &mut Particles<3>,
        pose: &BodyPose,
    ) -> Result<(), ModelError> {
        for (particle, rest) in self.particles.into_iter().zip(self.rest) {
            particles.set_position(particle as usize, pose.point(rest).map(|x| x as f32))?;
        }
        Ok(())
    }

    /// Sets its linear and angular velocity, for substeps of `h` seconds; the inverse of
    /// [`twist`](Self::twist).
    pub fn set_twist<S: Real>(&self, particles: &mut Particles<3, S>, twist: &Twist, h: f64) {
        self.set_motion(particles, twist, h);
    }

    /// Like [`set_twist`](Self::set_twist), for callers that are generic over `D`, which is 3.
    pub(super) fn set_motion<S: Real, const D: usize>(
        &self,
        particles: &mut Particles<D, S>,
        twist: &Twist,
        h: f64,
    ) {
        let now = positions_of(per_axis(|axis| particles.positions(axis)), self.particles);
        let centre = mean(&now);
        for (particle, x) in self.particles.into_iter().zip(now) {
            let velocity = sum(twist.velocity, cross(twist.spin, difference(x, centre)));
            for (axis, x) in add_scaled(x, -h, velocity).into_iter().enumerate() {
                particles.previous_mut(axis)[particle as usize] = S::from_f64(x);
            }
        }
    }
}
