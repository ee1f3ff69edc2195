//! Wind on triangles.

mod air;
mod bodies;
mod face_pass;
mod laws;

use super::gusts::Gusts;
use super::{Force, Sampling};
use crate::forces::{Forces, TriangleScratch};
use crate::model::Model;
use crate::settings::StepTime;
use crate::simd::widest;

use air::{Air, GustFactor, Steady};
use bodies::add_to_bodies;
use face_pass::FacePass;
use laws::{CornerForce, DragLaw, DragLiftLaw, NormalLaw, TriangleLaw};

/// A third: multiplying by it is faster than dividing by 3.
const THIRD: f32 = 1.0 / 3.0;

/// The law for the force of moving air on a triangle.
///
/// In both laws, `u` is the velocity of the air relative to the triangle (the mean of its corners),
/// A is the area and `n` the unit normal, on either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindLaw {
    /// `F = p A (n·u) n`: along the normal only, and proportional to the wind speed (Mosegaard
    /// 2009). The vector `direction` of that tutorial is `p u / 2`, because its normal has the length
    /// 2 A. In the printed code, each of the three corners gets the whole force; here each gets a third.
    Normal {
        /// p: pressure over speed, N s/m³.
        pressure: f32,
    },
    /// Drag along `u` and lift across it, as on a flat plate:
    /// `F = ½ ρ A |n·u| (drag u + lift |u| t)`, where `t = ±n - (±n·u) u / |u|²` is the part
    /// perpendicular to `u` of the normal on the leeward side.
    Plate {
        /// ρ: density of the air, kg/m³; 1.2 at sea level.
        density: f32,
        /// Drag coefficient; 1 to 2 for a plate across the wind.
        drag: f32,
        /// Lift coefficient; about 2 for a plate. At the angle of attack α the lift is
        /// `sin α cos α` times this. With a drag coefficient of 0 there is no lift either, because lift
        /// alone would increase the speed relative to the air.
        lift: f32,
    },
}

/// Wind on the faces of a model, uniform or in gusts. Each corner of a triangle gets a third of its
/// force. The wind acts on both sides of cloth, but on the mesh of a [`Body`](crate::Body) only
/// from outside.
///
/// The wind never makes a triangle overshoot the velocity of the air, however light its particles and
/// however long the substep: a force that would do so is limited to the force after which the triangle
/// moves with the air. Shorter substeps limit the force less.
///
/// ```
/// use std::sync::Arc;
/// use taut_world::{Gusts, Scene, Wind, WindLaw};
///
/// let mut scene = Scene::new();
/// scene.forces.push(Arc::new(Wind {
///     gusts: Some(Gusts { strength: 0.5, size: 3.0, seed: 7 }),
///     ..Wind::new([4.0, 0.0, 1.0])
/// }));
/// scene.forces.push(Arc::new(Wind {
///     law: WindLaw::Normal { pressure: 0.5 },
///     ..Wind::new([0.0, 0.0, 2.0])
/// }));
/// ```
///
/// Sources: J. Mosegaard, "Mosegaards Cloth Simulation Coding Tutorial" (2009), for the normal law;
/// G. K. Batchelor, "An Introduction to Fluid Dynamics" (1967), section 5.11, for drag and lift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// The velocity of the air without gusts, m/s.
    pub velocity: [f32; 3],
    /// The gusts, if any.
    pub gusts: Option<Gusts>,
    /// The law for the force on a triangle.
    pub law: WindLaw,
    /// How often the force is computed. By default once per step: with eight substeps this takes an
    /// eighth of the time, and flags move in almost the same way (docs/scenes.md).
    pub sampling: Sampling,
}

impl Wind {
    /// A uniform wind at sea level that acts on triangles as on plates, with drag and without lift;
    /// `velocity` in m/s.
    pub fn new(velocity: [f32; 3]) -> Self {
        let law = WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 };
        Self { velocity, gusts: None, law, sampling: Sampling::Step }
    }
}

impl Force for Wind {
    fn is_steady(&self) -> bool {
        self.gusts.is_none()
    }

    /// # Panics
    /// If a face has a corner that is not a particle.
    fn add_forces(&self, model: &Model, now: &StepTime, forces: &mut Forces) {
        let per_3h = THIRD / now.h; // 1 / (duration of three substeps)
        match self.law {
            WindLaw::Normal { pressure } => {
                let law = NormalLaw { half_pressure: 0.5 * pressure };
                self.add_with_law(model, now, forces, law);
            }
            WindLaw::Plate { density, drag, lift: 0.0 } => {
                let law = DragLaw { quarter_density_per_3h: 0.25 * density * per_3h, drag };
                self.add_with_law(model, now, forces, law);
            }
            WindLaw::Plate { density, drag, lift } => {
                let law = DragLiftLaw {
                    quarter_density_per_3h: 0.25 * density * per_3h,
                    drag,
                    lift,
                    stable_product: laws::stable_product(drag, lift),
                };
                self.add_with_law(model, now, forces, law);
            }
        }
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }

    fn acts_on(&self, model: &Model) -> bool {
        !(model.faces.is_empty() && model.bodies.is_empty())
    }
}

impl Wind {
    /// Adds the forces of a law, without gusts or with them.
    fn add_with_law(
        &self,
        model: &Model,
        now: &StepTime,
        forces: &mut Forces,
        law: impl TriangleLaw,
    ) {
        match self.gusts {
            None => self.add_with_gusts(model, now, forces, law, Steady),
            Some(gusts) => {
                let lattice = gusts.lattice(self.velocity, now.time);
                self.add_with_gusts(model, now, forces, law, lattice);
            }
        }
    }

    /// Adds the forces of a law to the particles of faces and bodies.
    fn add_with_gusts(
        &self,
        model: &Model,
        now: &StepTime,
        forces: &mut Forces,
        law: impl TriangleLaw,
        gusts: impl GustFactor,
    ) {
        let air = Air::new(self.velocity, gusts, now.h);
        let corner_force = CornerForce::new(law, now.h);
        if !model.faces.is_empty() {
            let layout = model.faces.layout();
            let writes_all = layout.incidence.particles == model.particles.len();
            let TriangleScratch { overwrites, on_particles, on_triangles } =
                forces.triangle_scratch(writes_all, layout.slots);
            widest(FacePass {
                layout,
                position: [0, 1, 2].map(|axis| model.particles.positions(axis)),
                previous: [0, 1, 2].map(|axis| model.particles.previous(axis)),
                inverse_mass: model.particles.inverse_masses(),
                air,
                third_duration: THIRD * now.duration,
                corner_force,
                on_triangles,
                on_particles,
                overwrites,
            });
        }
        add_to_bodies(model, now, forces, corner_force, air);
    }
}
