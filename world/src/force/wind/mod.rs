//! Wind on triangles.

mod air;
mod blow;
mod bodies;
mod laws;

use super::gusts::Gusts;
use super::{Force, Sampling};
use crate::forces::{Forces, Room};
use crate::model::Model;
use crate::settings::Moment;
use crate::simd::widest;

use air::{Air, Gusty, Steady};
use blow::Blow;
use bodies::blow_at_bodies;
use laws::{Drag, DragAndLift, Law, Normal, Thirds};

const THIRD: f32 = 1.0 / 3.0;

/// What moving air does to a triangle.
///
/// In both, `u` is the velocity of the air less that of the triangle (the mean of its corners'), A
/// its area and `n` its unit normal, on whichever side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WindLaw {
    /// `F = p A (n·u) n`: along the normal alone, and in proportion to the wind (Mosegaard 2009). His
    /// `direction` is `p u / 2`, for the normal that he takes has the length 2 A; and as printed each
    /// of the three corners gets the whole force. Here each gets its third.
    Normal {
        /// p: pressure by speed, N s/m³.
        pressure: f32,
    },
    /// Drag along `u` and lift across it, as on a flat plate:
    /// `F = ½ ρ A |n·u| (drag u + lift |u| t)`, where `t = ±n - (±n·u) u / |u|²` is what is across
    /// `u` in the normal on the leeward side.
    Plate {
        /// ρ: density of the air, kg/m³; 1.2 at sea level.
        density: f32,
        /// Coefficient of drag; 1 to 2 for a plate across the wind.
        drag: f32,
        /// Coefficient of lift. As the lift is `sin α cos α` of that, about 2 is a plate's.
        lift: f32,
    },
}

/// Wind on the faces of a model, uniform or in gusts. Each corner of a triangle gets a third of its
/// force. Cloth feels it on both sides, the mesh of a [`Body`](crate::Body) only where it comes from
/// outside.
///
/// However light the particles and long the substep, it never makes triangles overshoot the air: a
/// force that would is cut down to what lets them drift with it. Shorter substeps cut less.
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
    /// The velocity of the air where no gust is, m/s.
    pub velocity: [f32; 3],
    /// Whether and how it varies.
    pub gusts: Option<Gusts>,
    /// What it does to a triangle.
    pub law: WindLaw,
    /// How often it is computed. By default once a step: with eight substeps that takes an eighth of
    /// the time, and flags move alike (docs/scenes.md).
    pub sampling: Sampling,
}

impl Wind {
    /// A uniform wind of air at sea level on plates with drag alone; `velocity` in m/s.
    pub fn new(velocity: [f32; 3]) -> Self {
        let law = WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 };
        Self { velocity, gusts: None, law, sampling: Sampling::Step }
    }
}

impl Force for Wind {
    /// # Panics
    /// If a face has a corner that is no particle.
    fn push(&self, matter: &Model, moment: &Moment, forces: &mut Forces) {
        let per_3h = THIRD / moment.h;
        match self.law {
            WindLaw::Normal { pressure } => {
                let law = Normal { half_pressure: 0.5 * pressure };
                self.blow_by(matter, moment, forces, law);
            }
            WindLaw::Plate { density, drag, lift: 0.0 } => {
                let law = Drag { quarter_density_per_3h: 0.25 * density * per_3h, drag };
                self.blow_by(matter, moment, forces, law);
            }
            WindLaw::Plate { density, drag, lift } => {
                let law = DragAndLift {
                    quarter_density_per_3h: 0.25 * density * per_3h,
                    drag,
                    lift,
                    reach: drag / (drag * drag + lift * lift),
                };
                self.blow_by(matter, moment, forces, law);
            }
        }
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }

    fn touches(&self, matter: &Model) -> bool {
        !(matter.faces.is_empty() && matter.bodies.is_empty())
    }
}

impl Wind {
    fn blow_by(&self, matter: &Model, moment: &Moment, forces: &mut Forces, law: impl Law) {
        match self.gusts {
            None => self.blow(matter, moment, forces, law, Steady),
            Some(gusts) => {
                let lattice = gusts.lattice(self.velocity, moment.time);
                self.blow(matter, moment, forces, law, lattice);
            }
        }
    }

    fn blow(
        &self,
        matter: &Model,
        moment: &Moment,
        forces: &mut Forces,
        law: impl Law,
        gusts: impl Gusty,
    ) {
        let air = Air::new(self.velocity, gusts, moment.h);
        let thirds = Thirds::new(law, moment.h);
        if !matter.faces.is_empty() {
            let layout = matter.faces.layout();
            let pushes_all = layout.around.particles == matter.particles.len();
            let Room { first, on_particles, on_triangles } = forces.room(pushes_all, layout.slots);
            widest(Blow {
                layout,
                position: [0, 1, 2].map(|axis| matter.particles.positions(axis)),
                previous: [0, 1, 2].map(|axis| matter.particles.previous(axis)),
                inverse_mass: matter.particles.inverse_masses(),
                air,
                third_hold: THIRD * moment.hold,
                thirds,
                on_triangles,
                on_particles,
                first,
            });
        }
        blow_at_bodies(matter, moment, forces, thirds, air);
    }
}
