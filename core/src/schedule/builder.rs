//! Builds schedules batch by batch.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Schedule, ScheduleError};
use crate::real::Real;
use crate::sticks::Sticks;

/// Collects batches, blocks and phases; skips empty ones. The schedule is checked only by
/// [`finish`](Self::finish).
pub(super) struct Builder {
    pub(super) schedule: Schedule,
}

impl Builder {
    pub(super) fn new(sticks: usize) -> Self {
        Self {
            schedule: Schedule {
                order: Vec::with_capacity(sticks),
                batch_ends: Vec::new(),
                block_ends: Vec::new(),
                phase_ends: Vec::new(),
                // `finish` sets the ends and the number of particles.
                ends: Arc::default(),
                particles: 0,
                sheet: None,
                copies: None,
            },
        }
    }

    pub(super) fn add_batch(&mut self, sticks: impl IntoIterator<Item = u32>) {
        self.schedule.order.extend(sticks);
        push_end(&mut self.schedule.batch_ends, self.schedule.order.len());
    }

    pub(super) fn end_block(&mut self) {
        push_end(&mut self.schedule.block_ends, self.schedule.batch_ends.len());
    }

    pub(super) fn end_phase(&mut self) {
        push_end(&mut self.schedule.phase_ends, self.schedule.block_ends.len());
    }

    pub(super) fn finish<S: Real>(self, sticks: &Sticks<S>) -> Result<Schedule, ScheduleError> {
        Schedule { ends: sticks.shared_ends(), particles: sticks.particles(), ..self.schedule }
            .validated()
    }

    /// [`finish`](Self::finish) for an order that is valid by construction. It is validated anyway,
    /// because unsafe code in kernels relies on it.
    pub(super) fn finish_proven<S: Real>(self, sticks: &Sticks<S>) -> Schedule {
        match self.finish(sticks) {
            Ok(schedule) => schedule,
            Err(error) => unreachable!("the builder made an invalid schedule: {error}"),
        }
    }
}

/// Ends a batch, block or phase at `end`, unless it is empty.
fn push_end(ends: &mut Vec<u32>, end: usize) {
    if ends.last().map_or(0, |&last| last as usize) < end {
        ends.push(end as u32);
    }
}
