//! The kernel's contract.

use alloc::sync::Arc;

use taut_core::{
    Column, Columns, Executor, Formula, Kernel, Motion, News, Particles, Plan, PlanError, Real,
    Schedule, Seen, Status, Sticks,
};
use taut_lanes::Machine;

use crate::constants::Constants;
use crate::layout::Layout;
use crate::sweep::{Integrate, IntegrateRows, Rows, Sweep, Transpose};

/// The kernel for regular sheets, in 2 and 3 dimensions, on the registers of a machine.
///
/// ```
/// use taut_core::{Duplicates, Family, Formula, Kernel, Particles, Plan, Sheet, Step, Sticks};
/// use taut_grid::GridKernel;
/// use taut_lanes::OneLane;
///
/// let points: Vec<[f32; 2]> =
///     (0..12).map(|p| [0.1 * (p % 4) as f32, -0.1 * (p / 4) as f32]).collect();
/// let masses: Vec<f32> = (0..12).map(|p| if p < 4 { 0.0 } else { 1.0 }).collect();
/// let mut cloth = Particles::new(&points, &masses)?;
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
    /// The kernel on this machine.
    pub const fn on(machine: M) -> Self {
        Self { machine }
    }
}

/// Its plan: the constants of the sticks, and the positions in strided rows.
#[derive(Clone, Debug)]
pub struct GridPlan<M, const D: usize> {
    machine: M,
    constants: Constants,
    /// One axis after the other, [`Layout::span`] apart.
    positions: Column<f32>,
    inverse_mass: Column<f32>,
    /// A row.
    scratch: Column<f32>,
    /// Which lanes have a stick, for sticks that reach 0, 1 and 2 columns.
    presence: [Column<f32>; 3],
    motion: Motion<D>,
    /// Whether the positions are still in the particles' columns.
    pending: bool,
    ends: Arc<[[u32; 2]]>,
    seen_sticks: Seen,
    seen_masses: Seen,
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
        enough(particles, sticks.particles())?;
        let mut constants = Constants::new(sheet, formula);
        constants.refresh_all(particles, sticks);
        let layout = constants.layout;
        let column = |len: usize| {
            let mut column = Column::new(0);
            column.resize(len, 0.0);
            column
        };
        let mut plan = GridPlan {
            machine: self.machine,
            constants,
            positions: column(D * layout.span()),
            inverse_mass: column(layout.len()),
            scratch: layout.presence(0),
            presence: core::array::from_fn(|across| layout.presence(across)),
            motion: Motion { keep: 1.0, push: [0.0; D], inverse_h2: 0.0 },
            pending: true,
            ends: sticks.shared_ends(),
            seen_sticks: sticks.changes().now(),
            seen_masses: particles.mass_changes().now(),
        };
        plan.copy_masses(particles);
        Ok(plan)
    }
}

/// The columns of the axes.
fn axes<const D: usize>(positions: &mut [f32], layout: Layout) -> [&mut [f32]; D] {
    let mut columns = positions.chunks_exact_mut(layout.span().max(1));
    core::array::from_fn(|_| columns.next().unwrap_or_default())
}

fn enough<const D: usize>(particles: &Particles<D>, needed: usize) -> Result<(), PlanError> {
    if particles.len() < needed {
        return Err(PlanError::TooFewParticles { needed, particles: particles.len() });
    }
    Ok(())
}

impl<M: Machine, const D: usize> Plan<D> for GridPlan<M, D> {
    fn begin(
        &mut self,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        motion: &Motion<D>,
    ) -> Result<(), PlanError> {
        enough(particles, self.layout().width * self.layout().height)?;
        self.refresh(particles, sticks)?;
        self.constants.set_inverse_h2(particles, sticks, motion.inverse_h2);
        self.motion = *motion;
        self.pending = true;
        Ok(())
    }

    fn integrate(&mut self, particles: &mut Particles<D>, _: &dyn Executor) {
        if !self.pending {
            self.bring_back(particles);
        }
        let (layout, motion) = (self.layout(), &self.motion);
        let columns = &mut particles.columns();
        self.pending = !layout.is_full();
        if self.pending {
            self.machine.run(Integrate { columns, motion, from: 0 });
        } else {
            let strided: [_; D] = axes(&mut self.positions, layout);
            let scratch = &mut self.scratch;
            self.machine.run(IntegrateRows { columns, motion, layout, strided, scratch });
            // Particles that are not of the sheet.
            self.machine.run(Integrate { columns, motion, from: layout.width * layout.height });
        }
    }

    fn relax(&mut self, particles: &mut Particles<D>, iterations: u32, _: &dyn Executor) {
        self.fill(particles);
        let Self { constants, positions, inverse_mass, presence, .. } = self;
        self.machine.run(Sweep {
            position: axes::<D>(positions, constants.layout),
            constants,
            inverse_mass,
            presence,
            iterations,
        });
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        if self.pending || particle >= self.layout().width * self.layout().height {
            return particles.position(particle).map(Real::positive_zero);
        }
        let at = self.layout().of(particle);
        core::array::from_fn(|axis| self.positions[axis * self.layout().span() + at])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        let strided = !self.pending && particle < self.layout().width * self.layout().height;
        let at = if strided { self.layout().of(particle) } else { particle };
        for (axis, x) in point.into_iter().enumerate() {
            if strided {
                let span = self.layout().span();
                self.positions[axis * span + at] = x;
            } else {
                particles.positions_mut(axis)[at] = x;
            }
        }
    }

    fn finish(&mut self, particles: &mut Particles<D>, _: &dyn Executor) -> Status {
        let mut unsound = 0.0;
        let mut still_there = 0;
        if !core::mem::replace(&mut self.pending, true) {
            unsound = self.bring_back(particles);
            still_there = self.layout().width * self.layout().height;
        }
        // What was never in strides: particles that are not of the sheet, or all.
        for column in particles.columns().position {
            for x in &mut column[still_there..] {
                *x = x.positive_zero();
                unsound += *x * 0.0; // NaN, and stays so, unless the position is finite
            }
        }
        Status { finite: unsound.is_finite() }
    }
}

impl<M: Machine, const D: usize> GridPlan<M, D> {
    fn layout(&self) -> Layout {
        self.constants.layout
    }

    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        let sticks_news = sticks.changes().since(self.seen_sticks);
        if sticks_news == News::AnotherTable {
            sticks.check_ends(&self.ends)?;
        }
        match (sticks_news, particles.mass_changes().since(self.seen_masses)) {
            (News::Entries([]), News::Entries([])) => {}
            (News::Entries(changed), News::Entries(reweighed)) => {
                self.constants.refresh_masses(particles, sticks, reweighed);
                self.constants.refresh_sticks(particles, sticks, changed);
                if !reweighed.is_empty() {
                    self.copy_masses(particles);
                }
            }
            _ => {
                self.constants.refresh_all(particles, sticks);
                self.copy_masses(particles);
            }
        }
        self.seen_sticks = sticks.changes().now();
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    fn copy_masses(&mut self, particles: &Particles<D>) {
        let layout = self.layout();
        let sheet = layout.width * layout.height;
        for (particle, &mass) in particles.inverse_masses()[..sheet].iter().enumerate() {
            self.inverse_mass[layout.of(particle)] = mass;
        }
    }

    fn fill(&mut self, particles: &mut Particles<D>) {
        if core::mem::take(&mut self.pending) {
            self.transpose(particles, Transpose::ToStrides);
        }
    }

    /// Gives NaN if a position is not finite, else 0.
    fn bring_back(&mut self, particles: &mut Particles<D>) -> f32 {
        self.transpose(particles, Transpose::FromStrides)
    }

    fn transpose(&mut self, particles: &mut Particles<D>, direction: Transpose) -> f32 {
        let Columns { position, .. } = particles.columns();
        let layout = self.constants.layout;
        let mut unsound = 0.0;
        let strided: [_; D] = axes(&mut self.positions, layout);
        for (contiguous, strided) in position.into_iter().zip(strided) {
            let unsound = &mut unsound;
            self.machine.run(Rows { layout, contiguous, strided, direction, unsound });
        }
        unsound
    }
}
