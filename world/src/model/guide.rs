//! Guides: pinned particles that move along a path (kinematic particles).

use taut_core::Particles;

use super::{Model, ModelError};
use crate::path::{Path, Pose, Spin};
use crate::vector::{rounded, to_f64};

/// Moves pinned particles along a path, as if they were fastened to a moving obstacle. Their
/// positions are a function of time, exact at the end of every substep. See [`Model::guided`].
#[derive(Clone, Debug)]
pub struct Guide<const D: usize = 3> {
    particles: Vec<u32>,
    path: Path<D>,
    spin: Option<Spin<D>>,
    /// The position of each particle in the coordinate system that path and spin move, m; set when
    /// a world is created.
    local_positions: Vec<[f64; D]>,
}

impl<const D: usize> Model<D> {
    /// Pins the particles of a group and moves them by a path and a spin. At time 0 they are at the
    /// positions that they have when a world is created, even if the path has an offset at time 0. If
    /// there is no such group, no particle is moved.
    ///
    /// Path and spin are in world coordinates: [moving](Self::moved) or turning the model later
    /// changes where particles start, not the direction of the path. In a step in which a guided
    /// particle is also [dragged](crate::World::drag), the drag decides its position. If the inverse
    /// mass of a particle is set to a value above 0, the particle is no longer pinned, and its guide
    /// stops moving it.
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
    ///     let x = 0.2 * (core::f64::consts::TAU * world.time() / 0.5).sin();
    ///     assert!((f64::from(world.position(0)[0]) - x).abs() < 1e-6);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a number of the path is out of range, such as a period of 0.
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
        model.guides.push(Guide { particles, path, spin, local_positions: Vec::new() });
        Ok(model)
    }
}

impl<const D: usize> Guide<D> {
    /// The particles that the guide moves, by their indices in the model (of a world: in the island).
    pub fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// Its path.
    pub fn path(&self) -> &Path<D> {
        &self.path
    }

    /// Its spin.
    pub fn spin(&self) -> Option<&Spin<D>> {
        self.spin.as_ref()
    }

    /// The pose at a time, s.
    fn pose(&self, time: f64) -> Pose<D> {
        Pose::new(&self.path, self.spin.as_ref(), time)
    }

    /// The guide with renumbered particles.
    pub(super) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let particles = self.particles.iter().map(|&old| new_of(old)).collect();
        Self { particles, ..self.clone() }
    }

    /// Records the positions of the guided particles at time 0, from which they start.
    pub(crate) fn record_positions(&mut self, particles: &Particles<D>) {
        let pose = self.pose(0.0);
        let local =
            |&particle: &u32| pose.point_to_local(to_f64(particles.position(particle as usize)));
        self.local_positions = self.particles.iter().map(local).collect();
    }

    /// Calls `set_position` with the index of each particle and its position at a time, s.
    pub(crate) fn for_each_position(
        &self,
        time: f64,
        mut set_position: impl FnMut(usize, [f32; D]),
    ) {
        let pose = self.pose(time);
        for (&particle, &local) in self.particles.iter().zip(&self.local_positions) {
            set_position(particle as usize, rounded(pose.point(local)));
        }
    }
}
