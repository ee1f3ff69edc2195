//! Obstacles made of a shape, a surface and a path; and the pass over the particles that those
//! share whose shape is a formula.

use core::fmt::Debug;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{Numbers, PADDING, ParticleView, Particles, Stage};

use super::path::Drift;
use super::surface::{Contact, Law, Mover};
use super::{Obstacle, Path, Pose, Spin, Surface};
use crate::body::Probe;
use crate::drawing::Figure;
use crate::model::{Model, ModelError};
use crate::simd::{self, Pass};
use crate::world::{Matter, Moment};

/// A shape with a surface, still or moving: an obstacle.
///
/// Shapes by formula ([`Sphere`](crate::Sphere), [`Capsule`](crate::Capsule),
/// [`Cuboid`](crate::Cuboid), [`HalfSpace`](crate::HalfSpace), [`Bounds`](crate::Bounds), and
/// whatever else is a [`Shape`]) look at where particles are at the end of a substep: one that is
/// fast enough to cross a ball in a single substep is not seen. Nothing crosses a mesh (`TriMesh`,
/// feature `parry`) at any speed.
///
/// ```
/// use std::sync::Arc;
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Path, Scene, Solid, Sphere, StickSet, Surface, World};
///
/// // Mosegaard's scene: a ball moves to and fro through a hanging cloth.
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
    /// Still, with the default surface.
    pub fn new(shape: S) -> Self {
        Self::of(shape)
    }
}

impl<S, const D: usize> Solid<S, D> {
    pub(super) fn of(shape: S) -> Self {
        Self { shape, surface: Surface::default(), path: Path::Still, spin: None }
    }

    /// The same with another surface.
    ///
    /// # Errors
    /// If it is not sane: a negative number, or a restitution above 1.
    pub fn with(mut self, surface: Surface) -> Result<Self, ModelError> {
        self.surface = surface.checked()?;
        Ok(self)
    }

    /// The same, moving from where it was put.
    ///
    /// # Errors
    /// If the path is not sane: a number that is not finite, a period that is not above 0, keys out
    /// of order.
    pub fn along(mut self, path: Path<D>) -> Result<Self, ModelError> {
        self.path = path.checked()?;
        Ok(self)
    }

    /// The same, turning; what it turns about moves along with it.
    #[must_use]
    pub fn turning(mut self, spin: Spin<D>) -> Self {
        self.spin = Some(spin);
        self
    }

    /// Its shape.
    pub fn shape(&self) -> &S {
        &self.shape
    }

    /// Where it is at a time, s.
    pub fn pose(&self, time: f64) -> Pose<D> {
        Pose::new(&self.path, self.spin.as_ref(), time)
    }

    /// Where it is when a substep begins, and when it ends.
    pub(super) fn poses(&self, moment: &Moment<D>) -> [Pose<D>; 2] {
        [moment.time - f64::from(moment.h), moment.time].map(|time| self.pose(time))
    }
}

/// How far it is from a point to a [`Side`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<const D: usize> {
    /// m, negative inside.
    pub distance: f32,
    /// The shortest way out, of length 1.
    pub normal: [f32; D],
}

/// A side of a shape, in place: numbers for the loop over all particles.
pub trait Side<const D: usize>: Copy + Send + Sync {
    /// How far it is from `x`. Inline it, and select where you would branch: the loop around it
    /// becomes wide registers then. Only `+ - * /`, roots, comparisons and selections give the same
    /// bits on every machine.
    fn nearest(&self, x: [f32; D]) -> Nearest<D>;

    /// Whether `x` may be nearer than `reach`, which is not negative: a first look, as most particles
    /// are far off. A yes where it is not so costs a second look, a no is believed. By default it is
    /// as [`nearest`](Self::nearest) says.
    #[inline(always)]
    fn may_reach(&self, x: [f32; D], reach: f32) -> bool {
        self.nearest(x).distance < reach
    }

    /// How far a particle that keeps off by `reach` can be from it before it meets the obstacle
    /// from the inside, m. By default there is no end.
    #[inline(always)]
    fn clear(&self, reach: f32) -> f32 {
        let _ = reach;
        f32::INFINITY
    }
}

/// A shape by formula.
///
/// ```
/// use taut_world::{Nearest, Pose, Shape, Side, Solid};
///
/// /// Everything below a height, m.
/// #[derive(Clone, Copy, Debug)]
/// struct Sea(f32);
///
/// impl Shape for Sea {
///     type Side = Self;
///     fn sides(&self, pose: &Pose) -> impl Iterator<Item = Self> {
///         let [_, height, _] = pose.point([0.0, self.0.into(), 0.0]);
///         [Self(height as f32)].into_iter()
///     }
/// }
///
/// impl Side<3> for Sea {
///     #[inline(always)]
///     fn nearest(&self, [_, y, _]: [f32; 3]) -> Nearest<3> {
///         Nearest { distance: y - self.0, normal: [0.0, 1.0, 0.0] }
///     }
/// }
///
/// let sea = Solid::new(Sea(0.5));
/// ```
pub trait Shape<const D: usize = 3>: Debug + Send + Sync {
    /// What it is made of.
    type Side: Side<D>;

    /// Its sides where a pose puts them, each of which keeps particles out on its own.
    fn sides(&self, pose: &Pose<D>) -> impl Iterator<Item = Self::Side>;

    /// What it looks like where a pose puts it, for whoever draws it. By default it is not seen.
    fn figure(&self, pose: &Pose<D>) -> Option<Figure<'_, D>> {
        let _ = pose;
        None
    }
}

/// A side against particles.
struct KeepOut<'a, S, const D: usize> {
    side: S,
    radii: &'a [f32],
    thickness: f32,
    drift: Drift<D>,
    law: Law<f32>,
    /// Becomes true if a particle may have met it.
    met: &'a AtomicBool,
}

impl<S: Side<D>, const D: usize> Stage<D> for KeepOut<'_, S, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let Self { side, radii, thickness, drift, law, met } = *self;
        simd::widest(KeepOutPass { side, particles, radii, thickness, drift, law, met });
    }
}

/// The same, by value.
struct KeepOutPass<'a, 'p, S, const D: usize> {
    side: S,
    particles: ParticleView<'p, D>,
    radii: &'a [f32],
    thickness: f32,
    drift: Drift<D>,
    law: Law<f32>,
    met: &'a AtomicBool,
}

/// How far the particles of a block keep off.
#[inline(always)]
fn reaches(thickness: f32, radii: &[f32]) -> [f32; PADDING] {
    let mut reaches = [thickness; PADDING];
    for (reach, radius) in reaches.iter_mut().zip(radii) {
        *reach += radius;
    }
    reaches
}

/// The radii of the particles of a block, if there are any.
#[inline(always)]
fn radii_of<'a>(
    radii: &'a [f32],
    numbers: &Numbers,
    block: usize,
    room: &'a mut [f32; PADDING],
) -> &'a [f32] {
    match numbers {
        Numbers::Run(first) => radii.get(first + block * PADDING..).unwrap_or_default(),
        Numbers::Rows { .. } if radii.is_empty() => radii,
        Numbers::Rows { .. } => {
            for (lane, radius) in room.iter_mut().enumerate() {
                let number = numbers.of(block * PADDING + lane);
                *radius = radii.get(number).copied().unwrap_or_default();
            }
            room
        }
    }
}

#[inline(always)]
fn blocks_mut(column: &mut [f32]) -> &mut [[f32; PADDING]] {
    let (blocks, _) = column.as_chunks_mut();
    blocks
}

impl<S: Side<D>, const D: usize> Pass for KeepOutPass<'_, '_, S, D> {
    #[inline(always)]
    fn run(self) {
        let Self { side, particles, radii, thickness, drift, law, met } = self;
        let ParticleView { position, previous, inverse_mass, numbers } = particles;
        let mut position = position.map(blocks_mut);
        let mut previous = previous.map(blocks_mut);
        let (masses, _) = inverse_mass.as_chunks::<PADDING>();
        let (mut any, mut room) = (false, [0.0; PADDING]);
        for (block, masses) in masses.iter().enumerate() {
            let reach = reaches(thickness, radii_of(radii, &numbers, block, &mut room));

            // Most blocks are off it altogether, and done with. (No `map` before that is known: the
            // compiler would call it.)
            let mut x = [&[0.0; PADDING]; D];
            for (x, column) in x.iter_mut().zip(&position) {
                *x = &column[block];
            }
            let mut near = 0;
            for lane in 0..PADDING {
                let here = core::array::from_fn(|axis| x[axis][lane]);
                let (reaches, free) = (side.may_reach(here, reach[lane]), masses[lane] > 0.0);
                near |= u32::from(reaches) & u32::from(free);
            }
            if near == 0 {
                continue;
            }
            // Nor are most of the others inside of it.
            let mut inside = 0;
            for lane in 0..PADDING {
                let here = core::array::from_fn(|axis| x[axis][lane]);
                let (met, free) = (side.nearest(here).distance < reach[lane], masses[lane] > 0.0);
                inside |= u32::from(met) & u32::from(free);
            }
            if inside == 0 {
                continue;
            }
            any = true;

            let x = position.each_mut().map(|column| &mut column[block]);
            let before = previous.each_mut().map(|column| &mut column[block]);
            for lane in 0..PADDING {
                let mover = Mover {
                    x: core::array::from_fn(|axis| x[axis][lane]),
                    previous: core::array::from_fn(|axis| before[axis][lane]),
                };
                let Nearest { distance, normal } = side.nearest(mover.x);
                let contact = Contact {
                    normal,
                    depth: reach[lane] - distance,
                    clear: side.clear(reach[lane]),
                };
                let met = law.meet(mover, drift.at(mover.x), contact);
                // Pinned ones stay even where they are inside.
                let moves = distance < reach[lane] && masses[lane] > 0.0;
                for axis in 0..D {
                    x[axis][lane] = if moves { met.x[axis] } else { mover.x[axis] };
                    before[axis][lane] =
                        if moves { met.previous[axis] } else { mover.previous[axis] };
                }
            }
            for x in x {
                for x in x {
                    *x += 0.0; // -0.0 becomes +0.0
                }
            }
        }
        if any {
            met.store(true, Ordering::Relaxed);
        }
    }
}

/// How deep the deepest particle is.
struct Depth<'a, S, const D: usize> {
    side: S,
    matter: &'a Model<D>,
    thickness: f32,
    deepest: &'a mut f32,
}

impl<S: Side<D>, const D: usize> Pass for Depth<'_, S, D> {
    #[inline(always)]
    fn run(self) {
        let Self { side, matter, thickness, deepest } = self;
        let columns: [&[f32]; D] = core::array::from_fn(|axis| matter.particles.positions(axis));
        for (particle, &w) in matter.particles.inverse_masses().iter().enumerate() {
            let x = core::array::from_fn(|axis| columns[axis][particle]);
            let reach = thickness + matter.radii.get(particle).copied().unwrap_or_default();
            let depth = reach - side.nearest(x).distance;
            if w > 0.0 && depth > *deepest {
                *deepest = depth;
            }
        }
    }
}

/// How far a point of matter is from a side.
fn near<const D: usize>(side: impl Side<D>) -> impl Fn(&Particles<D>, &Probe) -> Nearest<D> {
    move |particles, probe| side.nearest(probe.point.position(particles))
}

impl<S: Shape<D>, const D: usize> Obstacle<D> for Solid<S, D> {
    fn keep_out(&self, matter: &mut Matter<'_, D>, moment: &Moment<D>) {
        let [before, after] = self.poses(moment);
        let drift = Drift::between(&before, &after);
        let sides = || self.shape.sides(&after);
        let (mut visitor, radii) = matter.visitor();
        let thickness = self.surface.thickness;
        let met = AtomicBool::new(false);
        let mut keep_out = |law| {
            for side in sides() {
                visitor.visit(&KeepOut { side, radii, thickness, drift, law, met: &met });
            }
        };
        keep_out(Law::new(&self.surface, moment));
        // Friction at one side may have put a particle back behind another.
        if met.load(Ordering::Relaxed) && sides().nth(1).is_some() {
            keep_out(Law::PROJECTION);
        }
        let Model { bodies, limbs, .. } = matter.model();
        if bodies.is_empty() && limbs.is_empty() {
            return;
        }
        let Model { bodies, limbs, particles, .. } = matter.model_mut();
        for side in sides() {
            bodies.keep_out(particles, near(side), |x| drift.at(x), &self.surface);
            limbs.keep_out(particles, near(side), |x| drift.at(x), &self.surface);
        }
    }

    fn depth(&self, matter: &Model<D>, moment: &Moment<D>) -> f32 {
        let mut deepest = 0.0;
        for side in self.shape.sides(&self.pose(moment.time)) {
            let thickness = self.surface.thickness;
            simd::widest(Depth { side, matter, thickness, deepest: &mut deepest });
            let Model { bodies, limbs, particles, .. } = matter;
            let all = [
                bodies.depth(particles, near(side), thickness),
                limbs.depth(particles, near(side), thickness),
            ];
            for depth in all {
                deepest = if depth > deepest { depth } else { deepest };
            }
        }
        deepest
    }

    fn figure(&self, time: f64) -> Option<Figure<'_, D>> {
        self.shape.figure(&self.pose(time))
    }
}
