//! Measurements of a world in two or three dimensions.

use alloc::vec::Vec;

use taut_core::{Formula, Real};
use taut_world::{Contacts, Diagnostics, SelfCollision, Sleep, World, resize_vector};

use super::{AnyWorld, AnyWorldError, Inner, with_inner};
use crate::AnyKernel;

impl AnyWorld {
    /// See [`World::diagnostics`](taut_world::World::diagnostics). In two dimensions the third component
    /// of the momentum is 0.
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut world = AnyWorld::from_library("drape", Some(16), &KernelChoice::default())?;
    /// assert_eq!(world.diagnostics()?.kinetic, 0.0);
    /// assert!(world.step(10)?.finite);
    /// let diagnostics = world.diagnostics()?;
    /// assert!(diagnostics.kinetic > 0.0 && diagnostics.stretch.rms < 0.001);
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`World::diagnostics`](taut_world::World::diagnostics).
    pub fn diagnostics(&self) -> Result<Diagnostics, AnyWorldError> {
        Ok(with_inner!(&self.inner, inner => {
            let Diagnostics { kinetic, potential, momentum, angular_momentum, stretch, depth, torn } =
                inner.world.diagnostics()?;
            let momentum = resize_vector(momentum);
            Diagnostics { kinetic, potential, momentum, angular_momentum, stretch, depth, torn }
        }))
    }

    /// Whether all positions of two worlds of the same scene have the same bits; any two NaN count as equal.
    pub fn has_same_positions(&self, other: &Self) -> bool {
        match (&self.inner, &other.inner) {
            (Inner::TwoD(inner), Inner::TwoD(other)) => same_positions(&inner.world, &other.world),
            (Inner::ThreeD(inner), Inner::ThreeD(other)) => {
                same_positions(&inner.world, &other.world)
            }
            _ => false,
        }
    }

    /// Whether all coordinates are finite, and their magnitudes below `limit`, m.
    pub fn is_within(&self, limit: f32) -> bool {
        with_inner!(&self.inner, inner => {
            let mut columns = inner.world.islands().iter().flat_map(|island| {
                let particles = &island.model.particles;
                (0..self.dimensions()).map(|axis| particles.positions(axis))
            });
            columns.all(|column| column.iter().all(|x| x.abs() < limit))
        })
    }

    /// See [`World::contacts`](taut_world::World::contacts).
    pub fn contacts(&self) -> Option<Contacts> {
        with_inner!(&self.inner, inner => inner.world.contacts())
    }

    /// See [`World::self_collision_settings`](taut_world::World::self_collision_settings).
    pub fn self_collision_settings(&self) -> Vec<SelfCollision> {
        with_inner!(&self.inner, inner => inner.world.self_collision_settings().copied().collect())
    }

    /// The formula of the sticks.
    pub fn formula(&self) -> Formula {
        with_inner!(&self.inner, inner => inner.world.formula())
    }

    /// The kernel of the island with the most sticks.
    pub fn main_kernel(&self) -> AnyKernel {
        with_inner!(&self.inner, inner => {
            let largest =
                inner.world.islands().iter().max_by_key(|island| island.model.sticks.len());
            largest.map_or_else(
                || self.kernels.others.clone(),
                |island| self.kernels.kernel_for(island.schedule()),
            )
        })
    }

    /// Number of sticks.
    pub fn sticks(&self) -> usize {
        with_inner!(&self.inner, inner => {
            inner.world.islands().iter().map(|island| island.model.sticks.len()).sum()
        })
    }

    /// Number of faces of all models, without the triangles of the meshes of rigid bodies.
    pub fn faces(&self) -> usize {
        with_inner!(&self.inner, inner => {
            inner.world.islands().iter().map(|island| island.model.faces.len()).sum()
        })
    }

    /// See [`World::tether_count`](taut_world::World::tether_count).
    pub fn tether_count(&self) -> usize {
        with_inner!(&self.inner, inner => inner.world.tether_count())
    }

    /// See [`World::sleep`](taut_world::World::sleep).
    pub fn sleep(&self) -> Option<Sleep> {
        with_inner!(&self.inner, inner => inner.world.sleep())
    }

    /// The names of the models that are asleep.
    pub fn sleeping_models(&self) -> Vec<&str> {
        with_inner!(&self.inner, inner => inner.world.sleeping_models().collect())
    }
}

fn same_positions<const D: usize>(world: &World<D>, other: &World<D>) -> bool {
    let mut islands = world.islands().iter().zip(other.islands());
    islands.all(|(island, other)| {
        let [own, other] = [island, other].map(|island| &island.model.particles);
        let bits = |x: &f32| x.canonical_bits();
        (0..D).all(|axis| {
            own.positions(axis).iter().map(bits).eq(other.positions(axis).iter().map(bits))
        })
    })
}
