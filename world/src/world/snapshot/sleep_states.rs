//! The sleep states of islands in a snapshot.

use super::{Bits, SavedSleepState, Snapshot, SnapshotError, damaged};
use crate::error::ModelError;
use crate::world::World;

impl<const D: usize> World<D> {
    /// The sleep states of the islands, for a snapshot.
    pub(super) fn sleep_states(&self) -> Vec<SavedSleepState> {
        let states = self.islands.iter().filter_map(|island| island.sleep_state.as_ref());
        let saved =
            |(asleep, quiet, reference_positions): (bool, f32, &[Vec<f32>; D])| SavedSleepState {
                asleep,
                quiet: quiet.to_bits(),
                reference_positions: reference_positions
                    .iter()
                    .map(|it| Bits::of(it.iter().copied()))
                    .collect(),
            };
        states.map(|state| saved(state.state())).collect()
    }

    /// Restores the sleep states. Must be called after everything else is restored, because changes
    /// wake islands.
    pub(super) fn resume_sleep_states(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let expected = self.islands.iter().filter(|island| island.sleep_state.is_some()).count();
        if snapshot.sleep_states.len() != expected {
            return Err(damaged("the number of sleep states is wrong"));
        }
        let with_state = self.islands.iter_mut().filter_map(|island| {
            island.sleep_state.as_mut().map(|state| (state, &island.model.particles))
        });
        for ((state, particles), saved) in with_state.zip(&snapshot.sleep_states) {
            let quiet = f32::from_bits(saved.quiet);
            let what = "the quiet time of an island, s,";
            ModelError::check("quiet", what, quiet.into(), 0.0.., "at least 0")?;
            let columns: Vec<Vec<f32>> =
                saved.reference_positions.iter().map(|it| it.values().collect()).collect();
            let reference_positions: [Vec<f32>; D] = columns.try_into().map_err(|_| {
                damaged("the positions of a quiet island have the wrong number of axes")
            })?;
            if !reference_positions.iter().all(|it| [0, particles.len()].contains(&it.len())) {
                return Err(damaged("the number of positions of a quiet island is wrong"));
            }
            state.restore(saved.asleep, quiet, reference_positions);
            state.update_bounds(particles);
        }
        Ok(())
    }
}
