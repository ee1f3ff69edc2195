//! Phases and blocks of a schedule.

use core::ops::Range;

use super::Schedule;
use crate::lists::item_range;

/// A set of blocks that share no particle.
#[derive(Clone, Debug)]
pub struct Phase<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) blocks: Range<usize>,
}

/// A sequence of batches.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    schedule: &'a Schedule,
    batches: Range<usize>,
}

impl<'a> Phase<'a> {
    /// The blocks; their order does not affect the result.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let schedule = self.schedule;
        self.blocks
            .clone()
            .map(|block| Block { schedule, batches: item_range(&schedule.block_ends, block) })
    }
}

impl<'a> Block<'a> {
    /// The batches, in sequence, each a set of independent sticks.
    pub fn batches(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        let schedule = self.schedule;
        self.batches.clone().map(|batch| &schedule.order[item_range(&schedule.batch_ends, batch)])
    }
}
