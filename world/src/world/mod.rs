//! A scene on its way through time.

mod piece;
mod settings;

use std::ops::Range;
use std::sync::Arc;

use taut_core::{
    Executor, Formula, Inline, Kernel, ParticleError, PlanError, Schedule, Status, StepError,
    hash_points,
};

use crate::force::Force;
use crate::model::{Model, ModelError};
use crate::obstacle::Obstacle;
use crate::scene::Scene;

pub use piece::Piece;
pub use settings::{Moment, Settings};

/// Why a world cannot be made, or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The models do not fit into one world.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A kernel cannot relax a part of it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The step is not sane.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A particle cannot be moved like that.
    #[error(transparent)]
    Particle(#[from] ParticleError),
}

/// Where the particles of a model are.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    /// The number of its first particle in the world.
    first: usize,
    len: usize,
    piece: usize,
    /// How many particles of other models come before it in its piece.
    before: usize,
}

/// A scene on its way through time. Every regular sheet is relaxed on its own, all other models
/// together, each by the kernel that was chosen for it; one step moves them all.
///
/// Its particles are numbered as those of the models one after the other, in the order in which the
/// scene has them, whatever happens to their numbers inside.
///
/// ```
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Scene, StickSet, World};
///
/// let mut scene = Scene::new();
/// scene.add("sheet", Model::drape(16, StickSet::All)?)?;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let corner = world.model("sheet").unwrap().end - 1;
/// assert!(world.position(corner)[1] < 0.0);
/// assert!((world.time() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World<K: Kernel<D>, const D: usize = 3> {
    settings: Settings<D>,
    forces: Vec<Arc<dyn Force<D>>>,
    obstacles: Vec<Arc<dyn Obstacle<D>>>,
    pieces: Vec<Piece<K::Plan, D>>,
    places: Vec<Place>,
    steps: u64,
    time: f64,
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Begins with a scene; `kernel_for` chooses the kernel of each part by its schedule (in the
    /// crate `taut`, `AnyKernel::best_for`).
    ///
    /// # Errors
    /// If the models are too large for one world, a kernel cannot run a schedule, or the step is
    /// not sane.
    pub fn new(
        scene: &Scene<D>,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<Self, WorldError> {
        let settings = scene.settings;
        settings.step.motion()?;
        let (mut pieces, mut places, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut first, mut before) = (0, 0);
        for (name, model) in scene.models() {
            let len = model.particles.len();
            let mut place =
                Place { name: name.to_owned(), first, len, piece: usize::MAX, before: 0 };
            if model.sheet.is_some() {
                place.piece = pieces.len();
                pieces.push(Piece::new(model.clone(), scene.formula, &mut kernel_for)?);
            } else {
                place.before = before;
                before += len;
                others.push(model);
            }
            first += len;
            places.push(place);
        }
        if !others.is_empty() {
            for place in places.iter_mut().filter(|place| place.piece == usize::MAX) {
                place.piece = pieces.len();
            }
            let together = Model::side_by_side(others)?;
            pieces.push(Piece::new(together, scene.formula, &mut kernel_for)?);
        }
        Ok(Self {
            settings,
            forces: scene.forces.clone(),
            obstacles: scene.obstacles.clone(),
            pieces,
            places,
            steps: 0,
            time: 0.0,
        })
    }

    /// One step, on the calling thread (kernels may have threads of their own).
    ///
    /// # Errors
    /// If the settings are no longer sane.
    pub fn step(&mut self) -> Result<Status, WorldError> {
        self.step_on(&Inline)
    }

    /// One step, on the threads of an executor.
    ///
    /// # Errors
    /// If the settings are no longer sane.
    pub fn step_on(&mut self, executor: &dyn Executor) -> Result<Status, WorldError> {
        let settings = self.settings;
        let motion = settings.step.motion()?;
        let mut finite = true;
        if self.forces.is_empty() && self.obstacles.is_empty() && settings.passes == 1 {
            for piece in &mut self.pieces {
                finite &= piece.step(&settings, executor)?;
            }
        } else {
            let h = settings.step.dt / settings.step.substeps as f32;
            for substep in 1..=settings.step.substeps {
                let moment =
                    Moment { time: self.time + f64::from(substep) * f64::from(h), h, motion };
                for piece in &mut self.pieces {
                    for obstacle in &self.obstacles {
                        obstacle.begin(&mut piece.matter);
                    }
                    piece.integrate(self.forces.iter().map(|force| &**force), &moment);
                    for _ in 0..settings.passes {
                        // Obstacles can only bring particles back from where they were finite.
                        finite &= piece.relax(&settings, &moment, executor)?;
                        for obstacle in &self.obstacles {
                            obstacle.keep_out(&mut piece.matter, &moment);
                        }
                    }
                }
            }
        }
        self.steps += 1;
        self.time += f64::from(settings.step.dt);
        Ok(Status { finite })
    }

    /// How it moves.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// How it will move from the next step on.
    pub fn settings_mut(&mut self) -> &mut Settings<D> {
        &mut self.settings
    }

    /// How many steps there were.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The time since it began, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.places.last().map_or(0, |place| place.first + place.len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of a model's particles, if there is one of that name.
    pub fn model(&self, name: &str) -> Option<Range<usize>> {
        let place = self.places.iter().find(|place| place.name == name)?;
        Some(place.first..place.first + place.len)
    }

    /// Goes on with another formula or other kernels, from the same state.
    ///
    /// # Errors
    /// If a kernel cannot run a schedule; the parts before it have changed then.
    pub fn replan(
        &mut self,
        formula: Formula,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<(), WorldError> {
        for piece in &mut self.pieces {
            piece.replan(formula, &mut kernel_for)?;
        }
        Ok(())
    }

    /// Its parts, each with its own kernel.
    pub fn pieces(&self) -> &[Piece<K::Plan, D>] {
        &self.pieces
    }

    /// The parts, to change what is in them (masses, rest lengths, tears); the next step takes it
    /// over.
    pub fn pieces_mut(&mut self) -> &mut [Piece<K::Plan, D>] {
        &mut self.pieces
    }

    /// Where a particle is: its piece, and its number there.
    ///
    /// # Panics
    /// If there is no such particle, as all that ask for one.
    pub fn locate(&self, particle: usize) -> (usize, usize) {
        assert!(particle < self.len(), "there is no particle {particle}");
        let next = self.places.partition_point(|place| place.first <= particle);
        let place = self.places[..next].iter().rfind(|place| place.len > 0);
        let place = place.expect("a particle below the number of particles is in a model");
        let nth = (place.before + particle - place.first) as u32;
        (place.piece, self.pieces[place.piece].number_of(nth) as usize)
    }

    /// Where a particle is, m.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn position(&self, particle: usize) -> [f32; D] {
        let (piece, number) = self.locate(particle);
        self.pieces[piece].matter.particles.position(number)
    }

    /// A hash of all positions' bits, by the numbers of the world: as
    /// [`Particles::hash`](taut_core::Particles::hash), so that it tells nothing of pieces and kernels.
    pub fn hash(&self) -> u64 {
        hash_points((0..self.len()).map(|particle| self.position(particle)))
    }
}
