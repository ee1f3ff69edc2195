//! Errors of plans.

use crate::limits::LimitError;

/// Why a plan cannot be made, or does not fit the particles and sticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The schedule was built for different sticks.
    #[error("the schedule was built for different sticks (first difference: stick {stick})")]
    OtherSchedule {
        /// The first stick that differs.
        stick: usize,
    },
    /// The plan was made for different sticks.
    #[error("the plan was made for different sticks (first difference: stick {stick})")]
    OtherSticks {
        /// The first stick that differs.
        stick: usize,
    },
    /// There are fewer particles than the sticks need.
    #[error("the sticks need {needed} particles, but there are only {particles}")]
    TooFewParticles {
        /// How many particles the sticks need.
        needed: usize,
        /// How many particles there are.
        particles: usize,
    },
    /// The kernel supports the schedules of regular sheets only.
    #[error(
        "this kernel requires the schedule of a regular sheet; use another kernel, or a schedule \
         from Sheet::schedule"
    )]
    NotASheet,
    /// The kernel supports the schedules of copies of one mesh only.
    #[error(
        "this kernel requires the schedule of copies of one mesh; use another kernel, or a \
         schedule from Schedule::side_by_side"
    )]
    NotCopies,
    /// The kernel does not support this number of dimensions.
    #[error(
        "this kernel supports 2 and 3 dimensions, not {dimensions}; use the scalar kernel instead"
    )]
    Dimensions {
        /// The number of dimensions.
        dimensions: usize,
    },
    /// Too many slots or particles for 32-bit indices.
    #[error(
        "the schedule is too large: padded to whole registers it needs more than 2^32 slots, or \
         there are more than 2^31 particles"
    )]
    TooLarge,
    /// A count is above a limit of the kernel: for example, the padding of a very narrow sheet
    /// would need too much memory, or a copy has too many particles for 32-bit offsets.
    #[error("{0}; use another kernel")]
    Limit(LimitError),
}
