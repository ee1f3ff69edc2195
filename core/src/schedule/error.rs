//! Errors of schedules.

/// Why an order is not a valid schedule. Phases, blocks and batches are numbered from the start of
/// the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A stick does not exist, or is listed twice.
    #[error(
        "stick {stick} in batch {batch} does not exist or is listed twice; there are {sticks} \
         sticks"
    )]
    NotOnce {
        /// The stick.
        stick: u32,
        /// The batch in which it was found.
        batch: usize,
        /// How many sticks there are.
        sticks: usize,
    },
    /// A schedule, or schedules that are put [side by side](crate::Schedule::side_by_side), have
    /// too few or too many sticks.
    #[error("the number of scheduled sticks is {ordered}, expected {sticks}")]
    WrongStickCount {
        /// How many sticks are scheduled.
        ordered: usize,
        /// How many sticks there are.
        sticks: usize,
    },
    /// Two sticks of one batch share a particle.
    #[error("stick {stick} shares particle {particle} with another stick of batch {batch}")]
    DependentBatch {
        /// The later of the two sticks.
        stick: u32,
        /// The particle.
        particle: u32,
        /// The batch.
        batch: usize,
    },
    /// Two blocks of one phase share a particle.
    #[error("block {block} shares particle {particle} with another block of phase {phase}")]
    DependentBlocks {
        /// The later of the two blocks.
        block: usize,
        /// The particle.
        particle: u32,
        /// The phase.
        phase: usize,
    },
    /// Two cloths that are put [side by side](crate::Schedule::side_by_side) share a particle.
    #[error("cloth {cloth} shares particle {particle} with another cloth")]
    DependentCloths {
        /// The later of the two cloths, by its index in the list.
        cloth: usize,
        /// The particle, by its number among those of all cloths.
        particle: u32,
    },
}
