//! The [`Kernel`] that makes the plans of regular sheets.

use taut_core::{Column, Formula, Kernel, Particles, PlanError, Schedule, Sticks};
use taut_lanes::slots::SlotPlan;
use taut_lanes::{Machine, Team};

use crate::band_tasks;
use crate::constants::Constants;
use crate::layout::Layout;
use crate::narrow::NarrowSheet;
use crate::slot_kernel::{self, GridPlan, GridSlotKernel};

/// The kernel for regular sheets, in 2 and 3 dimensions, on the registers that a [`Machine`] chooses.
///
/// ```
/// use taut_core::{Duplicates, Family, Formula, Kernel, Particles, Plan, Sheet, Step, Sticks};
/// use taut_grid::GridKernel;
/// use taut_lanes::OneLane;
///
/// let points: Vec<[f32; 2]> =
///     (0..12).map(|p| [0.1 * (p % 4) as f32, -0.1 * (p / 4) as f32]).collect();
/// let inverse_masses: Vec<f32> = (0..12).map(|p| if p < 4 { 0.0 } else { 1.0 }).collect();
/// let mut cloth = Particles::new(&points, &inverse_masses)?;
///
/// let sheet = Sheet::new(4, 3, Family::SHEAR);
/// let sticks = Sticks::joining(&cloth, &sheet.pairs(), Duplicates::Keep)?;
/// let schedule = sheet.schedule(&sticks)?;
/// let mut plan = GridKernel::on(OneLane).plan(&cloth, &sticks, &schedule, Formula::Halley)?;
/// assert!(plan.step(&mut cloth, &sticks, &Step::default())?.finite);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GridKernel<M> {
    machine: M,
}

impl<M> GridKernel<M> {
    /// The kernel on the registers that `machine` chooses.
    pub const fn on(machine: M) -> Self {
        Self { machine }
    }
}

impl<M: Machine, const D: usize> Kernel<D> for GridKernel<M> {
    type Plan = GridPlan<M, D>;

    fn name(&self) -> &'static str {
        "grid"
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
        if !(2..=3).contains(&D) {
            return Err(PlanError::Dimensions { dimensions: D });
        }
        let sheet = schedule.sheet().ok_or(PlanError::NotASheet)?;
        schedule.check(sticks)?;
        let layout = Layout::new(sheet.width(), sheet.height(), self.machine.lanes());
        layout.check().map_err(PlanError::Limit)?;
        let [mut blocks, seams] = band_tasks::blocks(sheet);
        let first_phase_blocks = blocks.len();
        blocks.extend(seams);
        let mut scratch = Column::new(0);
        scratch.resize(blocks.len().max(1) * layout.row_lanes(), 0.0);
        let constants = Constants::new(sheet, layout, formula);
        let mut band_tasks = band_tasks::band_tasks(sheet);
        let threaded_blocks: &[_] = if slot_kernel::may_use_threads(sheet) { &blocks } else { &[] };
        let narrow = layout
            .is_narrow()
            .then(|| NarrowSheet::new(&constants, &mut band_tasks, threaded_blocks));
        let slot_kernel = GridSlotKernel {
            machine: self.machine,
            constants,
            blocks,
            first_phase_blocks,
            band_tasks,
            narrow,
            scratch,
            // For sticks that span 0, 1 and 2 columns.
            presence: core::array::from_fn(|across| layout.stick_presence(across, |_| true)),
            offsets: layout.offsets(),
            team: Team::default(),
        };
        SlotPlan::new(slot_kernel, particles, sticks)
    }
}
