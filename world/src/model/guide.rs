//! Pinned particles that move along a path: animated, or kinematic, ones.

use taut_core::Particles;

use super::{Model, ModelError};
use crate::path::{Path, Pose, Spin};
use crate::vector::{rounded, wide};

/// Leads pinned particles along a path, as if they were fastened to an obstacle that moves so:
/// where they are is a function of time, without lag at the end of every substep. See
/// [`Model::guided`].
#[derive(Clone, Debug)]
pub struct Guide<const D: usize = 3> {
    particles: Vec<u32>,
    path: Path<D>,
    spin: Option<Spin<D>>,
    /// Where each particle is in what it is fastened to, m; known once a world begins.
    places: Vec<[f64; D]>,
}

impl<const D: usize> Model<D> {
    /// The same, the particles of a group pinned, and led along a path and a turn from where they
    /// are when a world begins: they are moved by how far the path goes on from there, not by where
    /// it begins. Of a group that does not exist there are none.
    ///
    /// Path and turn are those of the world, so later [moves](Self::moved) and turns of the model
    /// change where particles begin, and not which way they go. Who [drags](crate::World::drag)
    /// such a particle has it for that step, and who gives it a mass frees it.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Path, Rope, Scene, World};
    ///
    /// let rope = Model::rope(&[[0.0, 1.0], [0.0, 0.0]], &Rope::default())?;
    /// let shaken = Path::Oscillating { amplitude: [0.2, 0.0], period: 0.5 };
    /// let mut scene = Scene::new();
    /// scene.add("rope", rope.guided("start", shaken, None)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// for _ in 0..30 {
    ///     assert!(world.step()?.finite);
    ///     let along = 0.2 * (core::f64::consts::TAU * world.time() / 0.5).sin();
    ///     assert!((f64::from(world.position(0)[0]) - along).abs() < 1e-6);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a number of the path is not sane, as a period of 0.
    pub fn guided(
        self,
        group: &str,
        path: Path<D>,
        spin: Option<Spin<D>>,
    ) -> Result<Self, ModelError> {
        let path = path.checked()?;
        let mut model = self.pinned(group);
        let len = model.particles.len() as u32;
        let group = model.groups.get(group).into_iter().flatten().copied();
        let particles = group.filter(|&particle| particle < len).collect();
        model.guides.push(Guide { particles, path, spin, places: Vec::new() });
        Ok(model)
    }
}

impl<const D: usize> Guide<D> {
    /// The particles that it leads, by their numbers in the model or piece of a world.
    pub fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// How it moves.
    pub fn path(&self) -> &Path<D> {
        &self.path
    }

    /// How it turns.
    pub fn spin(&self) -> Option<&Spin<D>> {
        self.spin.as_ref()
    }

    fn pose(&self, time: f64) -> Pose<D> {
        Pose::new(&self.path, self.spin.as_ref(), time)
    }

    /// The same of other names.
    pub(super) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let particles = self.particles.iter().map(|&old| new_of(old)).collect();
        Self { particles, ..self.clone() }
    }

    /// Takes hold of its particles where they are when time begins.
    pub(crate) fn fasten(&mut self, particles: &Particles<D>) {
        let pose = self.pose(0.0);
        let place = |&it: &u32| pose.point_back(wide(particles.position(it as usize)));
        self.places = self.particles.iter().map(place).collect();
    }

    /// Gives each of its particles, by number, the point at which it is at a time, s, if it is
    /// pinned.
    pub(crate) fn lead(&self, time: f64, mut put: impl FnMut(usize, [f32; D])) {
        let pose = self.pose(time);
        for (&particle, &place) in self.particles.iter().zip(&self.places) {
            put(particle as usize, rounded(pose.point(place)));
        }
    }
}
