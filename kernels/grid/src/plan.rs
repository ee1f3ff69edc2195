//! The kernel's contract.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::sync::atomic::AtomicBool;

use taut_core::{
    Column, Columns, Executor, Formula, Kernel, Motion, News, Particles, Plan, PlanError, Real,
    Schedule, Seen, Status, Step, StepError, Sticks, integrate,
};
use taut_lanes::{Machine, Shared, Team};

use crate::constants::Constants;
use crate::descent::Field;
use crate::layout::{Layout, STRIDE};
use crate::rows::{Pass, Sheets};
use crate::stages::{self, Stage};

/// With fewer particles than this for each, threads are not worth calling for a pass over them.
const PARTICLES_A_THREAD: usize = 8192;
/// How many iterations go down the sheet together. Two halve the traffic with the caches, and
/// their bands stay in the first level while a sheet is not wide; four gained more only on
/// structural sticks of middle width, and lost where sticks are of all families.
const AT_ONCE: usize = 2;
/// With fewer sticks than this for each, threads cost more than they save.
const STICKS_A_THREAD: usize = 8192;

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
#[derive(Debug)]
pub struct GridPlan<M, const D: usize> {
    machine: M,
    constants: Constants,
    /// The blocks of both phases, and how many the first has: what threads take.
    blocks: Vec<Stage>,
    interiors: usize,
    /// What one thread goes down.
    stages: Vec<Stage>,
    /// One axis after the other, [`Layout::span`] apart.
    positions: Column<f32>,
    inverse_mass: Column<f32>,
    /// A row for each block, and at least one.
    scratch: Column<f32>,
    /// Which lanes have a stick, for sticks that reach 0, 1 and 2 columns.
    presence: [Column<f32>; 3],
    motion: Motion<D>,
    /// Whether the positions are still in the particles' columns.
    pending: bool,
    team: Team,
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
        let [mut blocks, seams] = stages::blocks(sheet);
        let interiors = blocks.len();
        blocks.extend(seams);
        let scratch = column(blocks.len().max(1) * layout.registers * STRIDE);
        let mut plan = GridPlan {
            machine: self.machine,
            constants,
            blocks,
            interiors,
            stages: stages::stages(sheet),
            positions: column(D * layout.span()),
            inverse_mass: column(layout.len()),
            scratch,
            presence: core::array::from_fn(|across| layout.presence(across)),
            motion: Motion { keep: 1.0, push: [0.0; D], inverse_h2: 0.0 },
            pending: true,
            team: Team::default(),
            ends: sticks.shared_ends(),
            seen_sticks: sticks.changes().now(),
            seen_masses: particles.mass_changes().now(),
        };
        plan.copy_masses(particles);
        Ok(plan)
    }
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

    fn integrate(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if !self.pending {
            self.over_rows(particles, executor, None, true);
        }
        self.pending = false;
        self.over_rows(particles, executor, Some(Pass::Integrate(self.motion)), false);
        self.integrate_others(particles);
    }

    fn relax(&mut self, particles: &mut Particles<D>, iterations: u32, executor: &dyn Executor) {
        let enter = core::mem::take(&mut self.pending).then_some(Pass::Fill);
        let threads = self.threads(executor);
        if threads <= 1 {
            self.descend(particles, enter, iterations, false);
            return;
        }
        if enter.is_some() {
            self.over_rows(particles, executor, enter, false);
        }
        let finite = AtomicBool::new(true);
        let (interiors, (field, plan)) = (self.interiors, self.field(particles, &finite));
        let blocks = plan.blocks;
        let phases = || [0..interiors, interiors..blocks.len()].into_iter();
        plan.team.run(executor, threads, iterations, phases, |block| {
            // SAFETY: the blocks of a phase, each relaxed once and before the next phase, have
            // no row in common.
            unsafe { field.descend(&blocks[block..=block], block, None, 1, false) };
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

    fn finish(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) -> Status {
        let mut finite = true;
        let mut still_there = 0;
        if !core::mem::replace(&mut self.pending, true) {
            finite = self.over_rows(particles, executor, None, true);
            still_there = self.layout().width * self.layout().height;
        }
        // What was never in strides: particles that are not of the sheet, or all.
        Status { finite: finite & finish_from(particles, still_there) }
    }

    /// On one thread, motion, all iterations and the way back go down the sheet together.
    fn step_on(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        step: &Step<D>,
    ) -> Result<Status, StepError> {
        let motion = step.motion()?;
        self.begin(particles, sticks, &motion)?;
        if self.threads(executor) > 1 {
            for _ in 0..step.substeps {
                self.integrate(particles, executor);
                self.relax(particles, step.iterations, executor);
            }
            return Ok(self.finish(particles, executor));
        }
        let mut finite = true;
        for _ in 0..step.substeps {
            let enter = Some(Pass::Integrate(motion));
            finite = self.descend(particles, enter, step.iterations, true);
            self.integrate_others(particles);
        }
        let sheet = self.layout().width * self.layout().height;
        Ok(Status { finite: finite & finish_from(particles, sheet) })
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

    /// How many threads to relax on.
    fn threads(&self, executor: &dyn Executor) -> usize {
        executor.threads().min(self.interiors).min(self.ends.len() / STICKS_A_THREAD)
    }

    /// Particles that are not of the sheet, one substep on.
    fn integrate_others(&self, particles: &mut Particles<D>) {
        let Motion { keep, push, .. } = self.motion;
        let sheet = self.layout().width * self.layout().height;
        let Columns { position, previous, inverse_mass } = particles.columns();
        for axis in 0..D {
            let there = position[axis][sheet..].iter_mut().zip(&mut previous[axis][sheet..]);
            for ((x, previous), &inverse_mass) in there.zip(&inverse_mass[sheet..]) {
                let here = x.positive_zero();
                *x = integrate(here, *previous, inverse_mass, keep, push[axis]);
                *previous = here;
            }
        }
    }

    /// Everything on this thread. Gives whether all that came back is finite.
    fn descend(
        &mut self,
        particles: &mut Particles<D>,
        mut enter: Option<Pass<D>>,
        iterations: u32,
        leave: bool,
    ) -> bool {
        let finite = AtomicBool::new(true);
        let (field, plan) = self.field(particles, &finite);
        let mut left = iterations as usize;
        loop {
            let now = left.min(AT_ONCE);
            left -= now;
            // SAFETY: the columns are borrowed exclusively.
            unsafe { field.descend(plan.stages, 0, enter.take(), now, leave && left == 0) };
            if left == 0 {
                break;
            }
        }
        finite.into_inner()
    }

    /// One pass over all rows, in shares of a block, so that each is where it will be
    /// relaxed. Gives whether all that came back is finite.
    fn over_rows(
        &mut self,
        particles: &mut Particles<D>,
        executor: &dyn Executor,
        enter: Option<Pass<D>>,
        leave: bool,
    ) -> bool {
        let sheet = self.layout().width * self.layout().height;
        let threads = executor.threads().min(sheet / PARTICLES_A_THREAD).min(self.interiors);
        if threads <= 1 {
            return self.descend(particles, enter, 0, leave);
        }
        let finite = AtomicBool::new(true);
        let (interiors, (field, plan)) = (self.interiors, self.field(particles, &finite));
        let blocks = plan.blocks;
        plan.team.run(
            executor,
            threads,
            1,
            || once(0..interiors),
            |block| {
                // SAFETY: the blocks, each passed over once, have no rows in common.
                unsafe { field.descend(&blocks[block..=block], block, enter, 0, leave) };
            },
        );
        finite.into_inner()
    }

    /// All that is worked on, and the rest of the plan.
    fn field<'a>(
        &'a mut self,
        particles: &'a mut Particles<D>,
        finite: &'a AtomicBool,
    ) -> (Field<'a, M, D>, Rest<'a>) {
        let Self { machine, constants, blocks, stages, positions, inverse_mass, .. } = self;
        let Self { scratch, presence, team, .. } = self;
        let layout = constants.layout;
        let sheet = layout.width * layout.height;
        let columns = particles.columns();
        let column = |column: &mut [f32]| Shared(column[..sheet].as_mut_ptr());
        assert!(positions.len() == D * layout.span());
        let axis = |axis| Shared(positions[axis * layout.span()..].as_mut_ptr());
        let sheets = Sheets {
            layout,
            position: columns.position.map(column),
            previous: columns.previous.map(column),
            inverse_mass: columns.inverse_mass,
            strided: core::array::from_fn(axis),
        };
        let field = Field {
            machine: *machine,
            constants,
            sheets,
            inverse_mass,
            presence,
            scratch: Shared(scratch.as_mut_ptr()),
            finite,
        };
        (field, Rest { blocks, stages, team })
    }
}

/// What is to be done on a [`Field`], and who shares it out.
struct Rest<'a> {
    blocks: &'a [Stage],
    stages: &'a [Stage],
    team: &'a mut Team,
}

/// Of the particles from one number on, which stayed in their columns: whether their positions
/// are finite, none being -0.0 from now on.
fn finish_from<const D: usize>(particles: &mut Particles<D>, first: usize) -> bool {
    let mut unsound = 0.0;
    for column in particles.columns().position {
        for x in &mut column[first..] {
            *x = x.positive_zero();
            unsound += *x * 0.0; // NaN, and stays so, unless the position is finite
        }
    }
    unsound.is_finite()
}
