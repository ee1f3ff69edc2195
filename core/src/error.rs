//! Why a kernel cannot make or use a plan.

use crate::limits::LimitError;

/// Why a plan cannot be made, or no longer fits what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The schedule was made for other sticks.
    #[error("the schedule was built for different sticks (first difference: stick {stick})")]
    OtherSchedule {
        /// The first that differs.
        stick: usize,
    },
    /// The plan was made for other sticks.
    #[error("the plan was made for different sticks (first difference: stick {stick})")]
    OtherSticks {
        /// The first that differs.
        stick: usize,
    },
    /// Particles are missing.
    #[error("the sticks name {needed} particles, but there are only {particles}")]
    TooFewParticles {
        /// How many are named.
        needed: usize,
        /// How many there are.
        particles: usize,
    },
    /// The kernel relaxes regular sheets only, in the order that they imply.
    #[error(
        "this kernel runs the schedules of regular sheets only, and this is none; take another \
         kernel, or Sheet::schedule"
    )]
    NotASheet,
    /// The kernel works in other dimensions.
    #[error("this kernel works in 2 and 3 dimensions, not in {dimensions}; the scalar kernel does")]
    Dimensions {
        /// What was asked for.
        dimensions: usize,
    },
    /// More slots than 32-bit numbers can name.
    #[error(
        "the schedule is too large: padded to whole registers it needs more than 2^32 slots, or \
         there are more than 2^31 particles"
    )]
    TooLarge,
    /// The memory of the plan would be more than the kernel's limit: as the padding of very narrow
    /// sheets.
    #[error("{0}; take another kernel")]
    Limit(LimitError),
}
