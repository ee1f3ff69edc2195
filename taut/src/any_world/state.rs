//! Snapshots of a world in two or three dimensions.

use alloc::boxed::Box;
use alloc::vec::Vec;

use taut_core::{Kernel, Schedule};
use taut_scenes::AnyScene;
use taut_world::{Scene, Simulation, Snapshot, SnapshotError, World};

use super::{AnyWorld, AnyWorldError, Inner, SceneAndWorld, with_inner};
use crate::{AnyKernel, KernelSet};

impl AnyWorld {
    /// See [`World::snapshot`].
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut world = AnyWorld::from_library("curtain", Some(16), &KernelChoice::default())?;
    /// assert!(world.step(10)?.finite);
    /// let snapshot = world.snapshot();
    /// assert!(world.step(10)?.finite);
    /// let hash = world.hash();
    /// world.restore(&snapshot)?;
    /// assert!(world.step(10)?.finite);
    /// assert_eq!(world.hash(), hash);
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        with_inner!(&self.inner, inner => inner.world.snapshot())
    }

    /// A world of `scene` that resumes from a snapshot of a world of this scene: see [`World::resume`].
    ///
    /// # Errors
    /// Same as [`World::resume`].
    pub fn resume(
        scene: impl Into<AnyScene>,
        kernels: KernelSet,
        snapshot: &Snapshot,
    ) -> Result<Self, AnyWorldError> {
        let inner = match scene.into() {
            AnyScene::TwoD(scene) => Inner::TwoD(SceneAndWorld::resume(scene, &kernels, snapshot)?),
            AnyScene::ThreeD(scene) => {
                Inner::ThreeD(SceneAndWorld::resume(scene, &kernels, snapshot)?)
            }
        };
        Ok(Self::from_inner(inner, kernels))
    }

    /// Copies the state of the models that another world has, too: see [`World::carry_over`]. Returns
    /// their number: 0 if the number of dimensions differs.
    pub fn carry_over(&mut self, from: &Self) -> usize {
        let models = match (&mut self.inner, &from.inner) {
            (Inner::TwoD(inner), Inner::TwoD(from)) => inner.world.carry_over(&from.world),
            (Inner::ThreeD(inner), Inner::ThreeD(from)) => inner.world.carry_over(&from.world),
            _ => return 0,
        };
        self.reload_drawing();
        models
    }

    /// Resumes from a snapshot of a world of the same scene: see [`World::resume`]. Forces,
    /// obstacles and kernels do not change.
    ///
    /// # Errors
    /// Same as [`World::resume`]. The world is then unchanged.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), AnyWorldError> {
        let kernels = &self.kernels;
        with_inner!(&mut self.inner, inner => {
            let kernel_for = |schedule: &Schedule| kernels.kernel_for(schedule);
            inner.world = World::resume(&inner.scene, kernel_for, snapshot)?;
            inner.scene.formula = inner.world.formula();
        });
        self.reload_drawing();
        Ok(())
    }

    /// [`snapshot`](Self::snapshot) as JSON, the format of `taut simulate --snapshot`.
    ///
    /// # Panics
    /// Never: every snapshot can be serialized.
    pub fn snapshot_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.snapshot()).expect("a snapshot has only numbers, texts and lists")
    }

    /// [`restore`](Self::restore) from JSON.
    ///
    /// # Errors
    /// If the bytes are not the JSON of a snapshot, or for a reason of [`restore`](Self::restore).
    /// The world is then unchanged.
    pub fn restore_json(&mut self, snapshot: &[u8]) -> Result<(), AnyWorldError> {
        self.restore(&serde_json::from_slice(snapshot).map_err(AnyWorldError::SnapshotText)?)
    }
}

impl<const D: usize> SceneAndWorld<D>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    /// The world of a scene that resumes from a snapshot. The scene gets the formula of the snapshot.
    fn resume(
        mut scene: Scene<D>,
        kernels: &KernelSet,
        snapshot: &Snapshot,
    ) -> Result<Box<Self>, SnapshotError> {
        let world = World::resume(&scene, |schedule| kernels.kernel_for(schedule), snapshot)?;
        scene.formula = world.formula();
        Ok(Box::new(Self { scene, world }))
    }
}
