//! The [`Kernel`] that makes the plans of copies.

use taut_core::{Formula, Kernel, Particles, PlanError, Schedule, Sticks};
use taut_lanes::Machine;
use taut_lanes::slots::SlotPlan;

use crate::layout::Layout;
use crate::slot_kernel::{CopiesPlan, CopiesSlotKernel};

/// The kernel for copies of one mesh, in any number of dimensions, on the registers of a machine.
///
/// ```
/// use std::iter::repeat_n;
/// use taut_copies::CopiesKernel;
/// use taut_core::{Duplicates, Formula, Kernel, Particles, Plan, Schedule, Step, Sticks};
/// use taut_lanes::OneLane;
///
/// let rope = Particles::new(&[[0.0, 0.0], [0.1, 0.0], [0.2, 0.0]], &[0.0, 1.0, 1.0])?;
/// let sticks = Sticks::joining(&rope, &[[0, 1], [1, 2]], Duplicates::Keep)?;
/// let schedule = Schedule::coloured(&sticks);
///
/// // A hundred ropes: particle `p` of rope `n` has the index `3 n + p`.
/// let mut ropes = Particles::side_by_side(repeat_n(&rope, 100))?;
/// let sticks = Sticks::side_by_side(repeat_n(&sticks, 100))?;
/// let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, 100))?;
/// assert_eq!(schedule.copies().map(|copies| copies.count()), Some(100));
///
/// let kernel = CopiesKernel::on(OneLane);
/// let mut plan = kernel.plan(&ropes, &sticks, &schedule, Formula::Halley)?;
/// assert!(plan.step(&mut ropes, &sticks, &Step::default())?.finite);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CopiesKernel<M> {
    machine: M,
}

impl<M> CopiesKernel<M> {
    /// The kernel on the registers that `machine` chooses.
    pub const fn on(machine: M) -> Self {
        Self { machine }
    }
}

impl<M: Machine, const D: usize> Kernel<D> for CopiesKernel<M> {
    type Plan = CopiesPlan<M, D>;

    fn name(&self) -> &'static str {
        "copies"
    }

    fn isa(&self) -> &'static str {
        self.machine.isa()
    }

    fn lanes(&self) -> usize {
        self.machine.lanes()
    }

    fn plan(
        &self,
        particles: &Particles<D>,
        sticks: &Sticks,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError> {
        let copies = schedule.copies().ok_or(PlanError::NotCopies)?;
        schedule.check(sticks)?;
        let layout = Layout { copies: copies.count(), particles: copies.one().particles() };
        layout.check().map_err(PlanError::Limit)?;
        let slot_kernel = CopiesSlotKernel::new(self.machine, copies, layout, formula);
        SlotPlan::new(slot_kernel, particles, sticks)
    }
}
