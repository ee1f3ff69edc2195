//! Snapshots of a world in two or three dimensions.

use alloc::vec::Vec;

use taut_core::Schedule;
use taut_world::{Snapshot, World};

use super::{AnyWorld, AnyWorldError, with_inner};

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
