//! The kernel's contract.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{
    BLOCK_ROWS, Column, Columns, Executor, Formula, Kernel, Motion, News, Particles, Plan,
    PlanError, Real, Schedule, Seen, SheetBlock, Status, Sticks, integrate,
};
use taut_lanes::{Machine, Shared, Team};

use crate::constants::Constants;
use crate::layout::{Layout, STRIDE};
use crate::rows::{OverRows, Pass, Sheets};
use crate::sweep::Relax;

/// With fewer particles than this for each, threads are not worth calling for a pass over them.
const PARTICLES_A_THREAD: usize = 8192;
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
    /// The blocks of both phases, and how many the first has.
    blocks: Vec<SheetBlock>,
    interiors: usize,
    /// One axis after the other, [`Layout::span`] apart.
    positions: Column<f32>,
    inverse_mass: Column<f32>,
    /// A row for each block of the first phase.
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
        let [mut blocks, seams] = sheet.phases();
        let interiors = blocks.len();
        blocks.extend(seams);
        let mut plan = GridPlan {
            machine: self.machine,
            constants,
            blocks,
            interiors,
            positions: column(D * layout.span()),
            inverse_mass: column(layout.len()),
            scratch: column(interiors * layout.registers * STRIDE),
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

/// The columns of the axes.
fn axes<const D: usize>(positions: &mut [f32], layout: Layout) -> [Shared<f32>; D] {
    assert!(positions.len() == D * layout.span());
    core::array::from_fn(|axis| Shared(positions[axis * layout.span()..].as_mut_ptr()))
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
            self.over_rows(particles, executor, Pass::Return);
        }
        self.pending = false;
        self.over_rows(particles, executor, Pass::Integrate(self.motion));
        // Particles that are not of the sheet.
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

    fn relax(&mut self, particles: &mut Particles<D>, iterations: u32, executor: &dyn Executor) {
        self.fill(particles, executor);
        let Self { machine, constants, positions, inverse_mass, presence, blocks, .. } = self;
        let (machine, constants, layout) = (*machine, &*constants, constants.layout);
        let position = axes::<D>(positions, layout);
        let (all, interiors) = (&blocks[..], self.interiors);
        let relax = |blocks, iterations| {
            let (mass, presence) = (&*inverse_mass, &*presence);
            // SAFETY: `positions` has the layout's rows, and is borrowed exclusively. Either
            // this thread is alone, or the blocks of a phase, each relaxed once and before the
            // next phase, have no row in common.
            machine.run(unsafe {
                Relax::new(constants, position, mass, presence, blocks, iterations)
            });
        };
        let threads = executor.threads().min(interiors).min(self.ends.len() / STICKS_A_THREAD);
        if threads <= 1 {
            relax(all, iterations);
        } else {
            let phases = || [0..interiors, interiors..all.len()].into_iter();
            self.team.run(executor, threads, iterations, phases, |block| {
                relax(&all[block..=block], 1);
            });
        }
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
            finite = self.over_rows(particles, executor, Pass::Return);
            still_there = self.layout().width * self.layout().height;
        }
        // What was never in strides: particles that are not of the sheet, or all.
        let mut unsound = 0.0;
        for column in particles.columns().position {
            for x in &mut column[still_there..] {
                *x = x.positive_zero();
                unsound += *x * 0.0; // NaN, and stays so, unless the position is finite
            }
        }
        Status { finite: finite && unsound.is_finite() }
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

    fn fill(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if core::mem::take(&mut self.pending) {
            self.over_rows(particles, executor, Pass::Fill);
        }
    }

    /// One pass over all rows, in shares of [`BLOCK_ROWS`], so that each is where it will be
    /// relaxed. Gives whether all that came back is finite.
    fn over_rows(
        &mut self,
        particles: &mut Particles<D>,
        executor: &dyn Executor,
        pass: Pass<D>,
    ) -> bool {
        let (machine, layout) = (self.machine, self.layout());
        let Columns { position, previous, inverse_mass } = particles.columns();
        let sheet = layout.width * layout.height;
        let column = |column: &mut [f32]| Shared(column[..sheet].as_mut_ptr());
        let sheets = Sheets {
            layout,
            position: position.map(column),
            previous: previous.map(column),
            inverse_mass,
            strided: axes(&mut self.positions, layout),
        };
        let row_len = layout.registers * STRIDE;
        let scratch = Shared(self.scratch[..self.interiors * row_len].as_mut_ptr());
        let finite = AtomicBool::new(true);
        let over = |share: usize| {
            let rows = share * BLOCK_ROWS..layout.height.min((share + 1) * BLOCK_ROWS);
            // SAFETY: all columns are as long as the sheet, and borrowed exclusively; the shares,
            // each passed over once, have neither rows nor scratch in common.
            let over = unsafe {
                let all = scratch;
                let scratch = core::slice::from_raw_parts_mut(all.0.add(share * row_len), row_len);
                OverRows::new(sheets, rows, pass, scratch, &finite)
            };
            machine.run(over);
        };
        let threads = executor.threads().min(sheet / PARTICLES_A_THREAD).min(self.interiors);
        if threads <= 1 {
            (0..self.interiors).for_each(over);
        } else {
            self.team.run(executor, threads, 1, || once(0..self.interiors), over);
        }
        finite.load(Ordering::Relaxed)
    }
}
