//! Obstacles made of a shape, a surface and a path.

use core::fmt::Debug;

use pulp::NullaryFnOnce;
use taut_core::Particles;

use super::side::Side;
use super::side_collisions::SideCollisions;
use super::{AnalyticCollisionPass, Obstacle};
use crate::body::Probe;
use crate::drawing::ObstacleFigure;
use crate::error::ModelError;
use crate::matter::Matter;
use crate::model::Model;
use crate::path::{Displacement, Path, Pose, Spin};
use crate::settings::StepTime;
use crate::simd::widest;
use crate::surface::{ContactLaw, Nearest, Surface};

/// A shape with a surface, still or moving: an obstacle.
///
/// Analytic shapes ([`Sphere`](crate::Sphere), [`Capsule`](crate::Capsule),
/// [`Cuboid`](crate::Cuboid), [`HalfSpace`](crate::HalfSpace), [`Bounds`](crate::Bounds), and any
/// other [`Shape`]) test positions at the end of a substep: a particle fast enough to cross a ball
/// within one substep passes through. A mesh (`TriMesh`, feature `parry`) stops particles at any
/// speed.
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
///     let far: f32 = x.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum();
///     assert!(far.sqrt() >= 0.21 - 1e-5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solid<S, const D: usize = 3> {
    pub(super) shape: S,
    pub(super) surface: Surface,
    path: Path<D>,
    spin: Option<Spin<D>>,
}

impl<S: Shape<D>, const D: usize> Solid<S, D> {
    /// A still obstacle with the default surface.
    pub fn new(shape: S) -> Self {
        Self::of(shape)
    }
}

impl<S, const D: usize> Solid<S, D> {
    pub(super) fn of(shape: S) -> Self {
        Self { shape, surface: Surface::default(), path: Path::Still, spin: None }
    }

    /// Sets the surface.
    ///
    /// # Errors
    /// A negative number, or a restitution above 1.
    pub fn with(mut self, surface: Surface) -> Result<Self, ModelError> {
        self.surface = surface.checked()?;
        Ok(self)
    }

    /// Sets the path: displacements of the shape from its initial position.
    ///
    /// # Errors
    /// A number that is not finite, a period that is not above 0, keys out of order.
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

    /// Its poses at the beginning and at the end of a substep.
    pub(super) fn poses(&self, now: &StepTime<D>) -> [Pose<D>; 2] {
        let after = self.pose(now.time);
        if matches!(self.path, Path::Still) && self.spin.is_none() {
            return [after; 2];
        }
        [self.pose(now.time - f64::from(now.h)), after]
    }
}

/// A shape given by a closed-form distance.
///
/// ```
/// use taut_core::Lane;
/// use taut_world::{Nearest, Pose, Shape, Side, Solid};
///
/// /// Everything below a height, m.
/// #[derive(Clone, Copy, Debug)]
/// struct Sea(f32);
///
/// impl Shape for Sea {
///     type Side = Self;
///     fn sides(&self, pose: &Pose) -> impl AsRef<[Self]> {
///         let [_, height, _] = pose.point([0.0, self.0.into(), 0.0]);
///         [Self(height as f32)]
///     }
/// }
///
/// impl Side<3> for Sea {
///     #[inline(always)]
///     fn nearest<L: Lane>(&self, [_, y, _]: [L; 3]) -> Nearest<3, L> {
///         let normal = [0.0, 1.0, 0.0].map(|along| y.constant(along));
///         Nearest { distance: y - y.constant(self.0.into()), normal }
///     }
/// }
///
/// let sea = Solid::new(Sea(0.5));
/// ```
pub trait Shape<const D: usize = 3>: Debug + Send + Sync {
    /// The type of its sides.
    type Side: Side<D>;

    /// Its sides at a pose, as an array. Each is resolved on its own.
    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]>;

    /// Its figure at a pose, for renderers. By default it is not drawn.
    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        let _ = pose;
        None
    }
}

/// Finds the greatest penetration of a free particle.
struct FindDepth<'a, S, const D: usize> {
    side: S,
    model: &'a Model<D>,
    thickness: f32,
    deepest: &'a mut f32,
}

impl<S: Side<D>, const D: usize> NullaryFnOnce for FindDepth<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { side, model, thickness, deepest } = self;
        let columns: [&[f32]; D] = core::array::from_fn(|axis| model.particles.positions(axis));
        for (particle, &w) in model.particles.inverse_masses().iter().enumerate() {
            let x = core::array::from_fn(|axis| columns[axis][particle]);
            let reach = thickness + model.radii.get(particle).copied().unwrap_or_default();
            let depth = reach - side.nearest(x).distance;
            if w > 0.0 && depth > *deepest {
                *deepest = depth;
            }
        }
    }
}

/// A function that returns the distance of a probe from a side.
fn nearest<const D: usize>(side: impl Side<D>) -> impl Fn(&Particles<D>, &Probe) -> Nearest<D> {
    move |particles, probe| side.nearest(probe.point.position(particles))
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

impl<S: Shape<D>, const D: usize> Obstacle<D> for Solid<S, D> {
    fn resolve(&self, matter: &mut Matter<'_, D>, now: &StepTime<D>) {
        let poses = self.poses(now);
        let sides = self.shape.sides(&poses[1]);
        let pass = self.pass(sides.as_ref(), &poses, now);
        matter.run_collision_passes(&[&pass]);
        let Model { bodies, limbs, .. } = matter.model();
        if bodies.is_empty() && limbs.is_empty() {
            return;
        }
        let (Model { bodies, limbs, particles, .. }, scratch) = matter.model_and_scratch();
        for &side in pass.sides {
            let displacement = |x| pass.displacement.at(x);
            bodies.resolve(
                particles,
                nearest(side),
                displacement,
                &self.surface,
                &mut scratch.bodies,
            );
            limbs.resolve(
                particles,
                nearest(side),
                displacement,
                &self.surface,
                &mut scratch.limbs,
            );
        }
    }

    fn with_analytic_collision_pass(
        &self,
        now: &StepTime<D>,
        then: &mut dyn FnMut(AnalyticCollisionPass<'_, D>),
    ) -> bool {
        let poses = self.poses(now);
        let sides = self.shape.sides(&poses[1]);
        then(AnalyticCollisionPass(&self.pass(sides.as_ref(), &poses, now)));
        true
    }

    fn depth(&self, model: &Model<D>, now: &StepTime<D>) -> f32 {
        let mut deepest = 0.0;
        let pose = self.pose(now.time);
        let sides = self.shape.sides(&pose);
        for &side in sides.as_ref() {
            let thickness = self.surface.thickness;
            widest(FindDepth { side, model, thickness, deepest: &mut deepest });
            let Model { bodies, limbs, particles, .. } = model;
            let all = [
                bodies.depth(particles, nearest(side), thickness),
                limbs.depth(particles, nearest(side), thickness),
            ];
            for depth in all {
                deepest = if depth > deepest { depth } else { deepest };
            }
        }
        deepest
    }

    fn figure(&self, time: f64) -> Option<ObstacleFigure<'_, D>> {
        self.shape.figure(&self.pose(time))
    }
}
