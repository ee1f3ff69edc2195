//! Makes the plans of islands with any kernel.

use taut_core::{BoxedPlan, Formula, Kernel, Particles, PlanError, Schedule, Sticks};

/// A function that makes the plan of an island.
#[allow(unreachable_pub, reason = "in a hidden function of a public trait")]
pub type Planner<'a, const D: usize> =
    dyn FnMut(&Particles<D>, &Sticks, &Schedule, Formula) -> Result<BoxedPlan<D>, PlanError> + 'a;

/// A [`Planner`] that uses the kernel which `kernel_for` chooses for each schedule.
pub(super) fn planner<K: Kernel<D>, const D: usize>(
    mut kernel_for: impl FnMut(&Schedule) -> K,
) -> impl FnMut(&Particles<D>, &Sticks, &Schedule, Formula) -> Result<BoxedPlan<D>, PlanError> {
    move |particles, sticks, schedule, formula| {
        let plan = kernel_for(schedule).plan(particles, sticks, schedule, formula)?;
        Ok(Box::new(plan))
    }
}
