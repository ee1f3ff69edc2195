//! Self-collision: contacts between the particles of cloth and ropes, of one model or of several.

mod box_tree;
mod clusters;
mod contacts;
mod crossings;
mod margin;
mod motions;
mod near_list;
mod near_rows;
mod radii;
mod rest_exclusions;
mod touching;
mod travel;
mod travel_in_plan;
mod workers;

use crate::error::ModelError;
use crate::model::Model;
use crate::scene::Scene;
use crate::vector::{difference, dot, to_f64};

pub(crate) use clusters::Balls;
pub(crate) use contacts::{ContactSolver, swept_contact};
pub(crate) use crossings::crossings;
pub(crate) use margin::Margin;
pub(crate) use near_list::NearList;
pub(crate) use near_rows::{NearRows, Pairing, Pairings};
use rest_exclusions::check_thickness;
pub(crate) use rest_exclusions::{ExcludedPairs, RestExclusions, first_slots};
pub(crate) use travel::DisplacementBounds;
pub(crate) use travel_in_plan::TravelInPlan;
pub(crate) use workers::Workers;

/// Default thickness of a surface, as a multiple of the mean radius of the smallest circles around
/// its faces. (For square cells this default is the spacing.)
const SURFACE_THICKNESS: f64 = core::f64::consts::SQRT_2;

/// How the particles of a model collide with each other, and with other models that have
/// self-collision: with their particles, or with their limbs and rigid bodies.
///
/// Each particle is a ball whose diameter is the thickness of the model; the centres of balls of two
/// models keep the greater of both thicknesses as distance. Both balls of a contact are moved, by their
/// masses, and slow each other down by Coulomb friction. Contacts do not bounce. The thickness should be
/// about the spacing: smaller balls leave gaps, through which a sheet under load can pass another one.
/// (Similar: M. Müller, "Ten Minute Physics", part 15, 2022.)
///
/// Particles that a stick joins do not collide with each other, nor do particles that are closer at
/// the beginning than the thickness and joined by sticks over a path of at most twice the
/// thickness.
///
/// Contacts are resolved after the sticks and before the obstacles. Balls are swept: two that meet
/// and pass each other within a substep are put back to where they met. No state says on
/// which side of a sheet a particle is, so cloth that was pulled through another one can leave it again.
///
/// # Limbs and bodies
///
/// A model with limbs (such as a [ragdoll](crate::Ragdoll)) or rigid bodies takes part with these instead
/// of its particles: balls collide with capsules, and with the convex hulls of the meshes of bodies
/// (feature `parry`). Both sides are moved by their masses, the limb or body through the particles
/// that carry the point of contact. The centre of a ball keeps half the sum of the two thicknesses from
/// the surface. At a hull, that is the distance from the planes of its faces, so edges are not rounded.
/// Balls are swept at any speed, if limbs and bodies turn by no more than about 0.1 rad in a substep.
///
/// Limbs collide with the bodies of other models at the deepest point of each half of the limb. Limbs
/// with limbs and bodies with bodies collide only by [`LimbContacts`](crate::LimbContacts) and
/// `BodyContacts`. A particle or limb does not collide with a limb or body to which it is
/// [tied](crate::Tie) at the beginning.
///
/// # Examples
///
/// ```
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Axes, Cloth, Model, Scene, SelfCollision, World};
///
/// // A sheet of 20 cm falls on a fixed one.
/// let axes = Axes::HORIZONTAL;
/// let cloth = Cloth { columns: 9, rows: 9, width: 0.2, height: 0.2, axes, ..Cloth::default() };
/// let sheet = Model::cloth(&cloth)?.self_colliding(SelfCollision::default())?;
/// let mut scene = Scene::new();
/// scene.add("fixed", sheet.clone().with_group("all", 0..81)?.pinned("all"))?;
/// scene.add("falling", sheet.moved([0.01, 0.1, 0.01]))?;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let contacts = world.contacts().unwrap();
/// assert!(contacts.touching > 40 && contacts.crossings == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfCollision {
    /// The distance that particles keep, m. Default (`None`): the spacing, computed as √2 times the
    /// mean radius of the smallest circles around the faces; for a model without faces, the mean rest
    /// length of the sticks that do not resist bending. For limbs and bodies, twice the distance by which their
    /// surface is moved out; their default is 0.
    pub thickness: Option<f32>,
    /// Coulomb's μ. In contacts of two models it is the geometric mean of both values. Default: 0.3.
    pub friction: f32,
    /// The categories of the model, as bits. Two models collide if the mask of each has a bit of
    /// the categories of the other; a model collides with itself if its mask has a bit of its own
    /// categories. Default: 1.
    pub categories: u32,
    /// The categories with which the model collides, as bits. Default: all.
    pub mask: u32,
}

impl Default for SelfCollision {
    fn default() -> Self {
        Self { thickness: None, friction: 0.3, categories: 1, mask: u32::MAX }
    }
}

impl SelfCollision {
    /// The thickness, m: the distance that particles keep; 0 if it is not set.
    pub(crate) fn distance(&self) -> f32 {
        self.thickness.unwrap_or_default()
    }

    /// Whether the particles of two models collide.
    pub(crate) fn collides_with(&self, other: &Self) -> bool {
        self.categories & other.mask != 0 && other.categories & self.mask != 0
    }

    /// Coulomb's μ of two models: the geometric mean.
    pub(crate) fn mean_friction(&self, other: &Self) -> f32 {
        (self.friction * other.friction).sqrt()
    }
}

/// The least thickness, m, with which nothing can pass between the corners of a triangle: the
/// radius of the smallest circle around it.
fn covering_radius<const D: usize>(corners: [[f64; D]; 3]) -> f64 {
    let [a, b, c] = corners;
    let squared = |from, to| {
        let side: [f64; D] = difference(to, from);
        dot(side, side)
    };
    let mut squares = [squared(b, c), squared(c, a), squared(a, b)];
    squares.sort_by(f64::total_cmp);
    let [short, middle, long] = squares;
    if long >= short + middle {
        return 0.5 * long.sqrt(); // obtuse: the longest side is the diameter
    }
    // The circumradius is `abc / 4 A`, with 16 A² by Heron's formula.
    let sixteen_area2 = 4.0 * short * middle - (short + middle - long) * (short + middle - long);
    ((short * middle * long) / sixteen_area2).sqrt()
}

impl<const D: usize> Model<D> {
    /// Makes the particles of the model collide with each other, and with other models that have
    /// self-collision. In a model with limbs or rigid bodies these collide instead of its particles.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Rope, Scene, SelfCollision, World};
    ///
    /// // A rod with a diameter of 10 cm falls on two ropes.
    /// let settings = SelfCollision::default();
    /// let rope = Rope { density: 1.0, ..Rope::default() };
    /// let rope = Model::rope(&[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]], &rope)?;
    /// let rope = rope.pinned("ends").self_colliding(settings)?;
    /// let rod = Rope { spacing: 1.0, ..Rope::default() };
    /// let rod = Model::rope(&[[0.0, 0.1, -0.4], [0.0, 0.1, 0.4]], &rod)?;
    /// let mut scene = Scene::new();
    /// scene.add("rod", rod.with_limbs([([0, 1], 0.05)])?.self_colliding(settings)?)?;
    /// scene.add_copies("rope", &rope, [[0.0, 0.0, -0.2], [0.0, 0.0, 0.2]])?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// for _ in 0..120 {
    ///     assert!(world.step()?.finite);
    /// }
    /// assert!(world.position(0)[1] > -0.3); // it lies on the ropes, which sag
    /// assert!(world.contacts().unwrap().on_colliders > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the thickness is not above 0 (for limbs and bodies: at least 0) and at most 1e12 m. A model
    /// without faces and sticks has the default 0, so it needs a thickness. If the friction is negative
    /// or not finite. If the thickness of cloth is so large that more than 2^24 pairs of particles begin
    /// in the same cube with this diagonal: the pairs that begin closer than the thickness do not
    /// collide, and a list of them would need gigabytes.
    pub fn self_colliding(mut self, settings: SelfCollision) -> Result<Self, ModelError> {
        self.set_self_collision(settings)?;
        Ok(self)
    }

    /// Checks the settings, and sets them. If they have no thickness, they get the default thickness.
    fn set_self_collision(&mut self, settings: SelfCollision) -> Result<(), ModelError> {
        self.self_collision = Some(settings);
        self.check_self_collision()?;
        self.self_collision = self.resolved_self_collision();
        Ok(())
    }

    /// The settings of self-collision; without a thickness, they get the default thickness.
    pub(crate) fn resolved_self_collision(&self) -> Option<SelfCollision> {
        let settings = self.self_collision?;
        let thickness = settings.thickness.or_else(|| Some(self.default_thickness() as f32));
        Some(SelfCollision { thickness, ..settings })
    }

    /// Checks the settings of self-collision.
    ///
    /// # Errors
    /// Same as [`self_colliding`](Self::self_colliding).
    pub(crate) fn check_self_collision(&self) -> Result<(), ModelError> {
        let Some(settings) = self.resolved_self_collision() else { return Ok(()) };
        let (thickness, friction) = (settings.distance(), f64::from(settings.friction));
        ModelError::check(
            "friction",
            "the friction of self-collision",
            friction,
            0.0..,
            "at least 0",
        )?;
        let (what, least, must) = if self.has_colliders() {
            ("the thickness of limbs and bodies, m,", 0.0, "from 0 to 1e12")
        } else {
            let least = f32::MIN_POSITIVE.into();
            ("the thickness of cloth, m,", least, "above 0 and at most 1e12")
        };
        ModelError::check(
            "thickness",
            what,
            thickness.into(),
            least..=taut_core::COORDINATE_MAX,
            must,
        )?;
        if !self.has_colliders() {
            check_thickness(self, thickness)?;
        }
        Ok(())
    }

    /// Whether it has limbs or rigid bodies. With [self-collision](SelfCollision) these collide, and not
    /// its particles.
    pub fn has_colliders(&self) -> bool {
        !self.limbs.is_empty() || !self.bodies.is_empty()
    }

    /// The radii of the smallest circles around the faces, m.
    fn covering_radii(&self) -> impl Iterator<Item = f64> {
        let point = |corner: u32| to_f64(self.particles.position(corner as usize));
        self.faces.iter().map(move |face| covering_radius(face.map(point)))
    }

    /// The least thickness with which nothing passes between the corners of a face, m, if that is
    /// more than the model has.
    pub(crate) fn required_thickness(&self) -> Option<f32> {
        let thickness =
            self.resolved_self_collision().filter(|_| !self.has_colliders())?.distance();
        let least = self.covering_radii().fold(0.0, f64::max) as f32;
        (least > thickness).then_some(least)
    }

    /// The thickness if none is given, m; 0 if there are no faces and no sticks, and for limbs and
    /// bodies.
    fn default_thickness(&self) -> f64 {
        if self.has_colliders() {
            return 0.0;
        }
        if !self.faces.is_empty() {
            return SURFACE_THICKNESS * self.covering_radii().sum::<f64>()
                / self.faces.len() as f64;
        }
        let resists_bending = |stick: &usize| self.bending.get(*stick) == Some(&true);
        let rests = (0..self.sticks.len()).filter(|stick| !resists_bending(stick));
        let (sum, count) = rests.fold((0.0, 0_u32), |(sum, count), stick| {
            (sum + f64::from(self.sticks.rest(stick)), count + 1)
        });
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    }
}

impl<const D: usize> Scene<D> {
    /// Adds self-collision to every model that has none, but has sticks, faces, limbs or bodies. None
    /// removes the self-collision of all models.
    ///
    /// # Errors
    /// Same as [`Model::self_colliding`].
    pub fn self_colliding(mut self, settings: Option<SelfCollision>) -> Result<Self, ModelError> {
        for (_, model) in self.models_mut() {
            let has_thickness = || model.has_colliders() || model.default_thickness() > 0.0;
            match settings {
                None => model.self_collision = None,
                Some(settings) if model.self_collision.is_none() && has_thickness() => {
                    model.set_self_collision(settings)?;
                }
                Some(_) => {}
            }
        }
        Ok(self)
    }

    /// Changes the self-collision of every model that has it: calls `change` with the name of the model,
    /// the model and its settings.
    ///
    /// ```
    /// use taut_world::{Model, Scene, SelfCollision, StickSet};
    ///
    /// let sheet = Model::drape(8, StickSet::All)?.self_colliding(SelfCollision::default())?;
    /// let mut scene = Scene::new();
    /// scene.add("sheet", sheet)?;
    /// let scene = scene.with_self_collision(|_, _, settings| settings.friction = 0.8)?;
    /// let (_, sheet) = scene.models().next().unwrap();
    /// assert_eq!(sheet.self_collision.unwrap().friction, 0.8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Model::self_colliding`].
    pub fn with_self_collision(
        mut self,
        change: impl Fn(&str, &Model<D>, &mut SelfCollision),
    ) -> Result<Self, ModelError> {
        for (name, model) in self.models_mut() {
            if let Some(mut settings) = model.self_collision {
                change(name, model, &mut settings);
                model.set_self_collision(settings)?;
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::covering_radius;

    #[test]
    fn covering_radius_is_that_of_the_smallest_circle() {
        let assert_radius = |corners, radius: f64| {
            let found = covering_radius::<2>(corners);
            assert!((found - radius).abs() < 1e-12, "{found}, expected {radius}");
        };
        assert_radius([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0.5_f64.sqrt());
        assert_radius([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75_f64.sqrt()]], 1.0 / 3.0_f64.sqrt());
        assert_radius([[0.0, 0.0], [4.0, 0.0], [2.0, 0.1]], 2.0);
        assert_radius([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], 0.0);
        assert_radius([[0.0, 0.0], [2.0, 0.0], [2.0, 0.0]], 1.0);
    }
}
