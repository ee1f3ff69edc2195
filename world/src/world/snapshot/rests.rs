//! The states of rest of islands in a snapshot.

use super::{Bits, RestState, Snapshot, SnapshotError, damaged};
use crate::error::ModelError;
use crate::world::World;

impl<const D: usize> World<D> {
    pub(super) fn rest_states(&self) -> Vec<RestState> {
        let rests = self.islands.iter().filter_map(|island| island.rest.as_ref());
        let state = |(asleep, quiet, anchors): (bool, f32, &[Vec<f32>; D])| RestState {
            asleep,
            quiet: quiet.to_bits(),
            anchors: anchors.iter().map(|it| Bits::of(it.iter().copied())).collect(),
        };
        rests.map(|rest| state(rest.state())).collect()
    }

    /// Restores the states of rest, after everything else: changes wake islands.
    pub(super) fn resume_rests(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let expected = self.islands.iter().filter(|island| island.rest.is_some()).count();
        if snapshot.rests.len() != expected {
            return Err(damaged("the number of states of rest is wrong"));
        }
        for (island, state) in self.islands.iter_mut().zip(&snapshot.rests) {
            let Some(rest) = &mut island.rest else { continue };
            let particles = &island.model.particles;
            let quiet = f32::from_bits(state.quiet);
            let what = "the quiet time of an island, s,";
            ModelError::check("quiet", what, quiet.into(), 0.0.., "at least 0")?;
            let columns: Vec<Vec<f32>> =
                state.anchors.iter().map(|it| it.numbers().collect()).collect();
            let anchors: [Vec<f32>; D] =
                columns.try_into().map_err(|_| damaged("the number of axes is wrong"))?;
            if !anchors.iter().all(|it| [0, particles.len()].contains(&it.len())) {
                return Err(damaged("the number of positions of a quiet island is wrong"));
            }
            rest.restore(state.asleep, quiet, anchors);
            rest.update_bounds(particles);
        }
        Ok(())
    }
}
