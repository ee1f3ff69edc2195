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
/// Up to one particle in as many is moved one by one; of more, all are brought into strides.
const FEW: usize = 32;
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
    previous: Column<f32>,
    inverse_mass: Column<f32>,
    /// A row for each block, and at least one.
    scratch: Column<f32>,
    /// Which lanes have a stick, for sticks that reach 0, 1 and 2 columns.
    presence: [Column<f32>; 3],
    motion: Motion<D>,
    positions_are: Place,
    previous_are: Place,
    /// Between steps: up to where the record of moves was read, if strides are as the columns.
    kept: Option<Seen>,
    team: Team,
    ends: Arc<[[u32; 2]]>,
    seen_sticks: Seen,
    seen_masses: Seen,
}

/// Where the present positions, or the previous ones, of the particles of the sheet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the particles' columns only.
    Columns,
    /// There and in strides, the same.
    Both,
    /// In strides only.
    Strides,
}

/// What a pass is over.
#[derive(Clone, Copy)]
enum What {
    Positions,
    Previous,
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
            previous: column(D * layout.span()),
            inverse_mass: column(layout.len()),
            scratch,
            presence: core::array::from_fn(|across| layout.presence(across)),
            motion: Motion { keep: 1.0, push: [0.0; D], inverse_h2: 0.0 },
            positions_are: Place::Columns,
            previous_are: Place::Columns,
            kept: None,
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
        enough(particles, self.layout().particles())?;
        self.refresh(particles, sticks)?;
        self.constants.set_inverse_h2(particles, sticks, motion.inverse_h2);
        self.motion = *motion;
        self.look(particles);
        Ok(())
    }

    fn integrate(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        self.set_out(particles, executor);
        self.over_rows(particles, executor, What::Positions, Pass::Integrate(self.motion));
    }

    fn relax(&mut self, particles: &mut Particles<D>, iterations: u32, executor: &dyn Executor) {
        let enter = (self.positions_are == Place::Columns).then_some(Pass::Fill);
        self.positions_are = Place::Strides;
        let threads = self.threads(executor);
        if threads <= 1 {
            self.descend(particles, enter, iterations, false);
            return;
        }
        if let Some(pass) = enter {
            self.over_rows(particles, executor, What::Positions, pass);
        }
        let finite = AtomicBool::new(true);
        let interiors = self.interiors;
        let (field, team) = self.field(particles, What::Positions, &finite);
        let blocks = field.blocks;
        let phases = || [0..interiors, interiors..blocks.len()].into_iter();
        team.run(executor, threads, iterations, phases, |block| {
            // SAFETY: the blocks of a phase, each relaxed once and before the next phase, have
            // no row in common.
            unsafe { field.descend(&blocks[block..=block], block, None, 1, false) };
        });
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        if self.positions_are == Place::Columns || particle >= self.layout().particles() {
            return particles.position(particle).map(Real::positive_zero);
        }
        let at = self.layout().of(particle);
        core::array::from_fn(|axis| self.positions[axis * self.layout().span() + at])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        let layout = self.layout();
        let strided = self.positions_are != Place::Columns && particle < layout.particles();
        if strided {
            self.positions_are = Place::Strides;
            put(&mut self.positions, layout, particle, point.map(Real::positive_zero));
        } else {
            for (axis, x) in point.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x;
            }
        }
    }

    fn finish(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) -> Status {
        let mut finite = true;
        let mut still_there = 0;
        if self.positions_are == Place::Strides {
            finite = self.over_rows(particles, executor, What::Positions, Pass::Return);
            still_there = self.layout().particles();
        }
        self.come_home(particles, executor);
        // What was never in strides: particles that are not of the sheet, or all.
        finite &= finish_from(particles, still_there);
        self.keep(particles);
        Status { finite }
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
        for substep in 1..=step.substeps {
            self.set_out(particles, executor);
            let (enter, last) = (Some(Pass::Integrate(motion)), substep == step.substeps);
            finite = self.descend(particles, enter, step.iterations, last);
        }
        self.positions_are = Place::Both;
        self.come_home(particles, executor);
        finite &= finish_from(particles, self.layout().particles());
        self.keep(particles);
        Ok(Status { finite })
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
        let (layout, sheet) = (self.layout(), self.layout().particles());
        for (particle, &mass) in particles.inverse_masses()[..sheet].iter().enumerate() {
            self.inverse_mass[layout.of(particle)] = mass;
        }
    }

    /// How many threads to relax on.
    fn threads(&self, executor: &dyn Executor) -> usize {
        executor.threads().min(self.interiors).min(self.ends.len() / STICKS_A_THREAD)
    }

    /// Takes over what was moved since the last step, if that is little; otherwise all is in the
    /// columns only.
    fn look(&mut self, particles: &Particles<D>) {
        let layout = self.layout();
        let there = match self.kept.take().map(|seen| particles.moves().since(seen)) {
            Some(News::Entries(moved)) if moved.len() <= layout.particles() / FEW => {
                for &particle in moved.iter().filter(|&&it| (it as usize) < layout.particles()) {
                    let particle = particle as usize;
                    let previous: [f32; D] =
                        core::array::from_fn(|axis| particles.previous(axis)[particle]);
                    put(&mut self.positions, layout, particle, particles.position(particle));
                    put(&mut self.previous, layout, particle, previous);
                }
                Place::Both
            }
            _ => Place::Columns,
        };
        (self.positions_are, self.previous_are) = (there, there);
    }

    /// Makes positions previous ones, so that [`Pass::Integrate`] may write the new ones over the
    /// older; in the columns, too, if they have them. Particles that are not of the sheet move
    /// already.
    fn set_out(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if self.positions_are == Place::Columns {
            self.over_rows(particles, executor, What::Positions, Pass::Fill);
            // Without the -0.0 that the columns may have.
            self.positions_are = Place::Strides;
        }
        if self.previous_are == Place::Columns {
            self.over_rows(particles, executor, What::Previous, Pass::Fill);
        }
        self.integrate_others(particles);
        core::mem::swap(&mut self.positions, &mut self.previous);
        if self.positions_are == Place::Both {
            particles.swap_columns();
            let sheet = self.layout().particles();
            let Columns { position, previous, .. } = particles.columns();
            for (position, previous) in position.into_iter().zip(previous) {
                position[sheet..].swap_with_slice(&mut previous[sheet..]);
            }
        }
        (self.previous_are, self.positions_are) = (self.positions_are, Place::Strides);
    }

    /// Brings previous positions back to their columns.
    fn come_home(&mut self, particles: &mut Particles<D>, executor: &dyn Executor) {
        if self.previous_are == Place::Strides {
            self.over_rows(particles, executor, What::Previous, Pass::Return);
            self.previous_are = Place::Both;
        }
    }

    /// At the end of a step, when all is in the columns: what is in strides besides is as good
    /// until somebody writes to these.
    fn keep(&mut self, particles: &Particles<D>) {
        let places = [&mut self.positions_are, &mut self.previous_are];
        let there = places.map(|place| core::mem::replace(place, Place::Columns));
        self.kept = (!there.contains(&Place::Columns)).then(|| particles.moves().now());
    }

    /// Particles that are not of the sheet, one substep on.
    fn integrate_others(&self, particles: &mut Particles<D>) {
        let Motion { keep, push, .. } = self.motion;
        let sheet = self.layout().particles();
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
        let (field, _) = self.field(particles, What::Positions, &finite);
        let mut left = iterations as usize;
        loop {
            let now = left.min(AT_ONCE);
            left -= now;
            // SAFETY: the columns are borrowed exclusively.
            unsafe { field.descend(field.stages, 0, enter.take(), now, leave && left == 0) };
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
        what: What,
        pass: Pass<D>,
    ) -> bool {
        let sheet = self.layout().particles();
        let threads = executor.threads().min(sheet / PARTICLES_A_THREAD).min(self.interiors);
        let finite = AtomicBool::new(true);
        let interiors = self.interiors;
        let (field, team) = self.field(particles, what, &finite);
        let over = |block| {
            // SAFETY: the blocks, each passed over once, have no rows in common.
            unsafe { field.descend(&field.blocks[block..=block], block, Some(pass), 0, false) };
        };
        if threads <= 1 {
            (0..interiors).for_each(over);
        } else {
            team.run(executor, threads, 1, || once(0..interiors), over);
        }
        finite.into_inner()
    }

    /// All that is worked on, and who shares it out.
    fn field<'a>(
        &'a mut self,
        particles: &'a mut Particles<D>,
        what: What,
        finite: &'a AtomicBool,
    ) -> (Field<'a, M, D>, &'a mut Team) {
        let Self { machine, constants, blocks, stages, positions, previous, .. } = self;
        let Self { inverse_mass, scratch, presence, team, .. } = self;
        let layout = constants.layout;
        let columns = particles.columns();
        let ((columns, strided), start) = match what {
            What::Positions => ((columns.position, positions), previous),
            What::Previous => ((columns.previous, previous), positions),
        };
        let column = |column: &mut [f32]| Shared(column[..layout.particles()].as_mut_ptr());
        let sheets = Sheets {
            layout,
            columns: columns.map(column),
            strided: axes(strided, layout),
            start: axes(start, layout),
            inverse_mass,
        };
        let field = Field {
            machine: *machine,
            constants,
            sheets,
            presence,
            scratch: Shared(scratch.as_mut_ptr()),
            finite,
            blocks,
            stages,
        };
        (field, team)
    }
}

/// The columns of the axes.
fn axes<const D: usize>(strided: &mut [f32], layout: Layout) -> [Shared<f32>; D] {
    assert!(strided.len() == D * layout.span());
    // One pointer to the whole: borrowing it again for the next axis would make the first invalid.
    let whole = strided.as_mut_ptr();
    core::array::from_fn(|axis| Shared(whole.wrapping_add(axis * layout.span())))
}

/// A point into strides.
fn put<const D: usize>(strided: &mut [f32], layout: Layout, particle: usize, point: [f32; D]) {
    let at = layout.of(particle);
    for (axis, x) in point.into_iter().enumerate() {
        strided[axis * layout.span() + at] = x;
    }
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
