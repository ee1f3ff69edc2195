//! The large functions of worlds, compiled once in this crate for 2 and once for 3 dimensions.

use taut_core::Executor;

use super::planner::Planner;
use super::step::{Outcome, StepPart};
use super::{Contacts, Diagnostics, Drawing, Snapshot, SnapshotError, World, WorldError};
use crate::scene::Scene;

/// A [`World`] of 2 or 3 dimensions. Code that is generic over the number of dimensions needs the
/// bound `World<D>: Simulation<D>`.
///
/// Its hidden functions are not generic, so they are compiled once, in this crate; generic functions
/// would be compiled again in each crate that uses a world.
pub trait Simulation<const D: usize>: Sized + sealed::Sealed {
    #[doc(hidden)]
    fn build(scene: &Scene<D>, planner: &mut Planner<'_, D>) -> Result<Self, WorldError>;
    #[doc(hidden)]
    fn rebuild(
        scene: &Scene<D>,
        planner: &mut Planner<'_, D>,
        snapshot: &Snapshot,
    ) -> Result<Self, SnapshotError>;
    #[doc(hidden)]
    fn reorder_with(&mut self, planner: &mut Planner<'_, D>) -> Result<usize, WorldError>;
    #[doc(hidden)]
    fn run_step(
        &mut self,
        executor: &dyn Executor,
        after: Option<&mut dyn FnMut(StepPart)>,
    ) -> Result<Outcome, WorldError>;
    #[doc(hidden)]
    fn take_snapshot(&self) -> Snapshot;
    #[doc(hidden)]
    fn compute_diagnostics(&self) -> Result<Diagnostics<D>, WorldError>;
    #[doc(hidden)]
    fn measure_contacts(&self) -> Option<Contacts>;
    #[doc(hidden)]
    fn make_drawing(&self) -> Drawing;
}

mod sealed {
    pub trait Sealed {}
}

/// Implements [`Simulation`] for each of these numbers of dimensions.
macro_rules! impl_simulation {
    ($($d:literal)+) => {$(
        impl sealed::Sealed for World<$d> {}

        impl Simulation<$d> for World<$d> {
            fn build(
                scene: &Scene<$d>,
                planner: &mut Planner<'_, $d>,
            ) -> Result<Self, WorldError> {
                Self::build_generic(scene, planner)
            }

            fn rebuild(
                scene: &Scene<$d>,
                planner: &mut Planner<'_, $d>,
                snapshot: &Snapshot,
            ) -> Result<Self, SnapshotError> {
                Self::rebuild_generic(scene, planner, snapshot)
            }

            fn reorder_with(&mut self, planner: &mut Planner<'_, $d>) -> Result<usize, WorldError> {
                self.reorder_generic(planner)
            }

            fn run_step(
                &mut self,
                executor: &dyn Executor,
                after: Option<&mut dyn FnMut(StepPart)>,
            ) -> Result<Outcome, WorldError> {
                self.run_step_generic(executor, after)
            }

            fn take_snapshot(&self) -> Snapshot {
                self.snapshot_generic()
            }

            fn compute_diagnostics(&self) -> Result<Diagnostics<$d>, WorldError> {
                self.diagnostics_generic()
            }

            fn measure_contacts(&self) -> Option<Contacts> {
                self.contacts_generic()
            }

            fn make_drawing(&self) -> Drawing {
                self.drawing_generic()
            }
        }
    )+};
}

impl_simulation!(2 3);
