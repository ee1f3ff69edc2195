//! Plans of any kernel.

use std::fmt;
use std::ops::{Deref, DerefMut};

use taut_core::{Engine, Formula, Kernel, Particles, PlanError, Schedule, Sticks};

/// A plan of any kernel, so that worlds do not depend on the types of plans.
pub struct BoxedPlan<const D: usize>(Box<dyn Engine<D> + Send + Sync>);

impl<const D: usize> fmt::Debug for BoxedPlan<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxedPlan").finish_non_exhaustive()
    }
}

impl<const D: usize> Deref for BoxedPlan<D> {
    type Target = dyn Engine<D>;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl<const D: usize> DerefMut for BoxedPlan<D> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

/// Makes the plans of islands.
#[allow(unreachable_pub, reason = "in a hidden function of a public trait")]
pub type Planner<'a, const D: usize> =
    dyn FnMut(&Particles<D>, &Sticks, &Schedule, Formula) -> Result<BoxedPlan<D>, PlanError> + 'a;

/// A [`Planner`] that uses the kernel which `kernel_for` chooses for each schedule.
pub(super) fn planner<K: Kernel<D>, const D: usize>(
    mut kernel_for: impl FnMut(&Schedule) -> K,
) -> impl FnMut(&Particles<D>, &Sticks, &Schedule, Formula) -> Result<BoxedPlan<D>, PlanError> {
    move |particles, sticks, schedule, formula| {
        let plan = kernel_for(schedule).plan(particles, sticks, schedule, formula)?;
        Ok(BoxedPlan(Box::new(plan)))
    }
}
