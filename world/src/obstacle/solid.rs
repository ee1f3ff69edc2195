//! Obstacles made of a shape, a surface and a path.

use pulp::NullaryFnOnce;
use taut_core::Particles;

use super::edges::EdgeCollisions;
use super::shape::Shape;
use super::side::Side;
use super::side_collisions::SideCollisions;
use super::swept::{Crossing, Sweep};
use super::{AnalyticCollisionPass, Obstacle};
use crate::body::Probe;
use crate::drawing::ObstacleFigure;
use crate::error::ModelError;
use crate::matter::{ContactScratch, Matter};
use crate::model::Model;
use crate::path::{Displacement, Path, Pose, Spin};
use crate::settings::StepTime;
use crate::simd::widest;
use crate::surface::{ContactLaw, Nearest, Surface};
use crate::vector::{length, rounded, to_f64};

/// A shape with a surface, static or moving: an obstacle.
///
/// Analytic shapes ([`Sphere`](crate::Sphere), [`Capsule`](crate::Capsule),
/// [`Cuboid`](crate::Cuboid), [`HalfSpace`](crate::HalfSpace), [`Bounds`](crate::Bounds), and any
/// other [`Shape`]) test positions at the end of a substep: a particle that is so fast that it crosses
/// the whole shape within one substep passes through, unless the obstacle is [swept](Self::swept). A mesh
/// (`TriMesh`, feature `parry`) stops particles at any speed.
///
/// ```
/// use std::sync::Arc;
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Path, Scene, Solid, Sphere, StickSet, Surface, World};
///
/// // Mosegaard's scene: a ball moves back and forth through a hanging cloth.
/// let ball = Solid::new(Sphere::new([0.4, -0.4, -0.5], 0.2)?)
///     .with(Surface { friction: 0.1, thickness: 0.01, ..Surface::default() })?
///     .along(Path::Oscillating { amplitude: [0.0, 0.0, 1.0], period: 4.0 })?;
/// let mut scene = Scene::new();
/// scene.add("cloth", Model::drape(16, StickSet::All)?)?;
/// scene.obstacles.push(Arc::new(ball));
///
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let centre = [0.4, -0.4, 0.5]; // after a quarter of the period
/// for particle in 0..world.len() {
///     let x = world.position(particle);
///     let squared: f32 = x.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum();
///     assert!(squared.sqrt() >= 0.21 - 1e-5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solid<S, const D: usize = 3> {
    pub(super) shape: S,
    pub(super) surface: Surface,
    path: Path<D>,
    spin: Option<Spin<D>>,
    /// Whether collision detection is continuous.
    swept: bool,
    /// Whether sticks and faces collide, too.
    edges: bool,
}

impl<S: Shape<D>, const D: usize> Solid<S, D> {
    /// A static obstacle with the default surface.
    pub fn new(shape: S) -> Self {
        Self::of(shape)
    }

    /// Turns on continuous collision detection: no particle passes through the shape within a
    /// substep, however thin the shape is and however fast it or the particle moves.
    ///
    /// In the coordinates of the shape, a particle moves along a segment from its position at the
    /// beginning of the substep to its position after forces, sticks and earlier obstacles. (If the
    /// shape turns by more than about 0.1 rad in the substep, the path is too curved for that.) If
    /// the segment enters the shape, and the particle ends behind it, or inside where the nearest
    /// way out is on another side, then the particle collides with the tangent plane at the point
    /// of entry. All other particles collide as without this option. Vertices of rigid bodies and
    /// limbs are treated in the same way.
    ///
    /// Shapes that are not [convex](Side::CONVEX) are not swept. [`Bounds`](crate::Bounds) and
    /// half-spaces need no sweeping, because nothing passes through them. An obstacle that moves particles later in
    /// a substep can put them on the other side: list swept obstacles last. Sweeping takes longer,
    /// because the positions at the beginning of the substep are recorded.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use taut_core::{Duplicates, Particles, Sticks};
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Cuboid, Model, Scene, Solid, World};
    ///
    /// // A particle falls at 50 m/s on a plate of 1 cm; in a substep it moves 10 cm.
    /// let particle = Particles::new(&[[0.0, 1.0, 0.0]], &[1.0])?;
    /// let sticks = Sticks::with_rests(1, &[], &[], Duplicates::Keep)?;
    /// let mut scene = Scene::new();
    /// let falling = Model::new(particle, sticks).moving_at([0.0, -50.0, 0.0], 1.0 / 480.0);
    /// scene.add("particle", falling)?;
    /// let plate = Cuboid::new([-1.0, -0.01, -1.0], [1.0, 0.0, 1.0])?;
    /// scene.obstacles.push(Arc::new(Solid::new(plate).swept()));
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// for _ in 0..60 {
    ///     assert!(world.step()?.finite);
    /// }
    /// assert!(world.position(0)[1] >= 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn swept(mut self) -> Self {
        self.swept = true;
        self
    }

    /// Turns on collisions of sticks and faces, not of particles alone: a coarse sheet stays on the
    /// edge and the corners of a table, and a rope on a pole that is thinner than the rope's spacing.
    ///
    /// After the particles, sticks are resolved, then, in 3D, faces. A stick that is an edge of a face or
    /// a segment of a rope moves out at its deepest point between its ends. A face moves out where the
    /// shape, such as a corner of a box or a small ball, enters between its edges. The particles of
    /// the stick or face share the correction by their weights and inverse masses. Sticks that are
    /// [hidden](Model::hidden_sticks), [only resist bending](Model::bending), join corners of faces
    /// without being an edge of a face, or belong to limbs or bodies do not collide, nor do springs.
    /// Sticks and faces keep a distance from the shape: the thickness of the surface plus the smallest
    /// radius of their particles.
    ///
    /// Positions at the end of a substep are tested, even if the obstacle is [swept](Self::swept):
    /// a stick that crosses the whole shape in a substep passes through.
    /// Shapes that are not [convex](Side::CONVEX) collide with particles only.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Capsule, Model, Rope, Scene, Solid, World};
    ///
    /// // A rope of three sticks of 1 m falls on a pole of 3 cm radius below the middle one.
    /// let rope = Rope { spacing: 1.0, ..Rope::default() };
    /// let rope = Model::rope(&[[-1.5, 0.2, 0.0], [1.5, 0.2, 0.0]], &rope)?;
    /// let pole = Capsule::new([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], 0.03)?;
    /// let mut scene = Scene::new();
    /// scene.add("rope", rope)?;
    /// scene.obstacles.push(Arc::new(Solid::new(pole).with_edges()));
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// for _ in 0..60 {
    ///     assert!(world.step()?.finite);
    /// }
    /// assert!((world.position(1)[1] - 0.03).abs() < 0.01); // the middle stick lies on the pole
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_edges(mut self) -> Self {
        self.edges = true;
        self
    }
}

impl<S, const D: usize> Solid<S, D> {
    /// A static obstacle with the default surface; `shape` may also be a mesh, which is not a [`Shape`].
    pub(super) fn of(shape: S) -> Self {
        Self {
            shape,
            surface: Surface::default(),
            path: Path::Still,
            spin: None,
            swept: false,
            edges: false,
        }
    }

    /// Sets the surface.
    ///
    /// # Errors
    /// A value that is negative or not finite, a restitution above 1, or a thickness above 1e12 m.
    pub fn with(mut self, surface: Surface) -> Result<Self, ModelError> {
        self.surface = surface.checked()?;
        Ok(self)
    }

    /// Sets the path: displacements of the shape from its initial position.
    ///
    /// # Errors
    /// A value that is not finite or whose magnitude is above 1e12, a period that is not from 1e-9 to 1e12 s, a list
    /// of keys that is empty or not in ascending order of time.
    pub fn along(mut self, path: Path<D>) -> Result<Self, ModelError> {
        self.path = path.checked()?;
        Ok(self)
    }

    /// Sets the spin; its axis moves along the path.
    #[must_use]
    pub fn turning(mut self, spin: Spin<D>) -> Self {
        self.spin = Some(spin);
        self
    }

    /// Its shape.
    pub fn shape(&self) -> &S {
        &self.shape
    }

    /// Its pose at a time, s.
    pub fn pose(&self, time: f64) -> Pose<D> {
        Pose::new(&self.path, self.spin.as_ref(), time)
    }

    /// Whether it has a path or a spin.
    pub(super) fn moves(&self) -> bool {
        !matches!(self.path, Path::Still) || self.spin.is_some()
    }

    /// How far points of the obstacle near a box move in a step, m: the sum, over the substeps, of the
    /// largest displacement at a corner of the box.
    pub(super) fn travel(&self, corners: &[[f32; D]; 2], step: &StepTime<D>) -> f32 {
        let substeps = (step.duration / step.h).round();
        let start = step.time - f64::from(step.duration);
        let mut travel = 0.0;
        let mut before = self.pose(start);
        let mut substep = 1.0;
        while substep <= substeps {
            let after = self.pose(start + f64::from(substep) * f64::from(step.h));
            let displacement = Displacement::between(&before, &after);
            let of_corner = |corner: usize| {
                let x = core::array::from_fn(|axis| corners[(corner >> axis) & 1][axis]);
                length(displacement.at(x))
            };
            travel += (0..1 << D).map(of_corner).fold(0.0, f32::max);
            (before, substep) = (after, substep + 1.0);
        }
        travel
    }

    /// Its poses at the beginning and at the end of a substep.
    pub(super) fn poses(&self, now: &StepTime<D>) -> [Pose<D>; 2] {
        let after = self.pose(now.time);
        if !self.moves() {
            return [after; 2];
        }
        [self.pose(now.time - f64::from(now.h)), after]
    }
}

/// Finds the deepest penetration of a free particle.
struct FindDepth<'a, S, const D: usize> {
    side: S,
    model: &'a Model<D>,
    /// The thickness of the obstacle's surface, m.
    thickness: f32,
    /// The deepest penetration so far, m.
    deepest: &'a mut f32,
}

impl<S: Side<D>, const D: usize> NullaryFnOnce for FindDepth<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { side, model, thickness, deepest } = self;
        let columns: [&[f32]; D] = core::array::from_fn(|axis| model.particles.positions(axis));
        for (particle, &inverse_mass) in model.particles.inverse_masses().iter().enumerate() {
            let x = core::array::from_fn(|axis| columns[axis][particle]);
            let contact_distance =
                thickness + model.radii.get(particle).copied().unwrap_or_default();
            let depth = contact_distance - side.nearest(x).distance;
            if inverse_mass > 0.0 && depth > *deepest {
                *deepest = depth;
            }
        }
    }
}

/// Returns a function that computes the distance of a probe from a side. `swept` has a sweep and the
/// positions at the beginning of the substep: if a probe has entered the side since then, the distance
/// is that from the tangent plane at the point of entry.
fn nearest<'a, S: Side<D> + 'a, const D: usize>(
    side: S,
    swept: Option<(Sweep<S, D>, &'a [[f32; D]])>,
) -> impl Fn(&Particles<D>, &Probe) -> Nearest<D> + 'a {
    move |particles, probe| {
        let x = probe.point.position(particles);
        let crossing = swept.and_then(|(sweep, starts)| {
            let start = to_f64(probe.start(particles, starts));
            sweep.crossing([start, to_f64(x)], probe.contact_distance.into())
        });
        let entered = |Crossing { nearest: Nearest { distance, normal }, .. }| Nearest {
            distance: distance as f32,
            normal: rounded(normal),
        };
        crossing.map_or_else(|| side.nearest(x), entered)
    }
}

impl<S: Shape<D>, const D: usize> Solid<S, D> {
    /// The collision pass over particles.
    fn pass<'a>(
        &self,
        sides: &'a [S::Side],
        [before, after]: &[Pose<D>; 2],
        now: &StepTime<D>,
    ) -> SideCollisions<'a, S::Side, D> {
        SideCollisions {
            sides,
            thickness: self.surface.thickness,
            displacement: Displacement::between(before, after),
            law: ContactLaw::new(&self.surface, now),
        }
    }
}

impl<S: Shape<D>, const D: usize> Solid<S, D> {
    /// The collisions of edges and faces with each convex side.
    fn edge_collisions<'a>(
        &self,
        sides: &'a [S::Side],
    ) -> impl Iterator<Item = EdgeCollisions<'a, S::Side, D>> + use<'a, S, D> {
        let thickness = self.surface.thickness;
        let convex = if S::Side::CONVEX { sides } else { &[] };
        convex.iter().map(move |side| EdgeCollisions { side, thickness })
    }
}

impl<S: Shape<D>, const D: usize> Obstacle<D> for Solid<S, D> {
    fn begin(&self, matter: &mut Matter<'_, D>) {
        if self.swept {
            let (Model { particles, .. }, scratch) = matter.model_and_scratch();
            scratch.record_starts(particles);
        }
    }

    fn resolve(&self, matter: &mut Matter<'_, D>, now: &StepTime<D>) {
        let poses = self.poses(now);
        let sides = self.shape.sides(&poses[1]);
        let pass = self.pass(sides.as_ref(), &poses, now);
        let sides_before = self.swept.then(|| self.shape.sides(&poses[0]));
        let sweeps = || {
            let sides_before = sides_before.iter().flat_map(AsRef::as_ref);
            let pairs = sides_before.zip(pass.sides);
            pairs.map(|(before, after)| Sweep::new([*before, *after], &poses))
        };
        let law = ContactLaw::new(&self.surface, now);
        if self.swept {
            let (model, scratch) = matter.model_and_scratch();
            for sweep in sweeps() {
                sweep.resolve(model, &scratch.starts, pass.thickness, &law);
            }
        }
        matter.run_collision_passes(&[&pass]);
        let Model { bodies, limbs, .. } = matter.model();
        if !(bodies.is_empty() && limbs.is_empty()) {
            let (Model { bodies, limbs, particles, .. }, scratch) = matter.model_and_scratch();
            let ContactScratch { starts, bodies: body_scratch, limbs: limb_scratch, .. } = scratch;
            let mut sweeps = sweeps();
            for &side in pass.sides {
                let nearest = nearest(side, sweeps.next().map(|sweep| (sweep, &starts[..])));
                let displacement = |x| pass.displacement.at(x);
                bodies.resolve(particles, &nearest, displacement, &self.surface, body_scratch);
                // Swept limbs may have passed through; the box has only their positions now.
                let may_reach_box =
                    |[low, high]: [_; 2], d| self.swept || side.may_reach_box(low, high, d);
                let surface = &self.surface;
                limbs.resolve(
                    particles,
                    may_reach_box,
                    &nearest,
                    displacement,
                    surface,
                    limb_scratch,
                );
            }
        }
        if self.edges {
            let (model, scratch) = matter.model_and_scratch();
            for collisions in self.edge_collisions(pass.sides) {
                collisions.resolve(model, &mut scratch.edges, &pass.displacement, &law);
            }
        }
    }

    fn with_analytic_collision_pass(
        &self,
        now: &StepTime<D>,
        then: &mut dyn FnMut(AnalyticCollisionPass<'_, D>),
    ) {
        if self.swept || self.edges {
            return;
        }
        let poses = self.poses(now);
        let sides = self.shape.sides(&poses[1]);
        then(AnalyticCollisionPass(&self.pass(sides.as_ref(), &poses, now)));
    }

    fn may_push(&self, corners: &[[f32; D]; 2], step: &StepTime<D>) -> bool {
        if !self.moves() {
            return false;
        }
        let travel = self.travel(corners, step);
        if travel == 0.0 {
            return false; // the path has ended, or not yet begun
        }
        let start = self.pose(step.time - f64::from(step.duration));
        let [low, high] = *corners;
        // Twice the travel, a generous bound: between the poses, points move along curves.
        let search_distance = self.surface.thickness + 2.0 * travel;
        self.shape
            .sides(&start)
            .as_ref()
            .iter()
            .any(|side| side.may_reach_box(low, high, search_distance))
    }

    fn depth(&self, model: &Model<D>, now: &StepTime<D>) -> f32 {
        let mut deepest = 0.0;
        let pose = self.pose(now.time);
        let sides = self.shape.sides(&pose);
        for &side in sides.as_ref() {
            let thickness = self.surface.thickness;
            widest(FindDepth { side, model, thickness, deepest: &mut deepest });
            let Model { bodies, limbs, particles, .. } = model;
            let depths = [
                bodies.depth(particles, nearest(side, None), thickness),
                limbs.depth(particles, nearest(side, None), thickness),
            ];
            for depth in depths {
                deepest = if depth > deepest { depth } else { deepest };
            }
        }
        if self.edges {
            for collisions in self.edge_collisions(sides.as_ref()) {
                deepest = deepest.max(collisions.depth(model) as f32);
            }
        }
        deepest
    }

    fn figure(&self, time: f64) -> Option<ObstacleFigure<'_, D>> {
        self.shape.figure(&self.pose(time))
    }
}
