//! The plan: the positions in strided rows, and the contract of engines.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::sync::atomic::AtomicBool;

use taut_core::{
    Column, Columns, Cursor, Delta, Engine, Executor, Inline, Motion, Numbers, ParticleView,
    Particles, PlanError, Real, Residence, Stage, Status, Sticks, Substeps,
};
use taut_lanes::{Machine, Shared, Team};

use crate::constants::Constants;
use crate::layout::Layout;
use crate::others;
use crate::rows::{Pass, Points, Sheets};
use crate::stages::Stage as Rows;
use crate::time_skewed_sweep::{Field, TimeSkewedSweep};

/// With fewer particles than this for each, threads are not worth calling for a pass over them.
const PARTICLES_A_THREAD: usize = 8192;
/// Up to one moved particle in as many is copied into strides on its own; with more, all are.
const FEW: usize = 32;
/// With fewer sticks than this for each, threads cost more than they save.
const STICKS_A_THREAD: usize = 8192;

/// The plan of a [`GridKernel`](crate::GridKernel): the constants of the sticks, and the positions
/// in strided rows.
#[derive(Debug)]
pub struct GridPlan<M, const D: usize> {
    pub(crate) machine: M,
    pub(crate) constants: Constants,
    /// The blocks of both phases, and how many the first has: what threads take.
    pub(crate) blocks: Vec<Rows>,
    pub(crate) interiors: usize,
    /// What one thread goes down.
    pub(crate) stages: Vec<Rows>,
    /// One axis after the other, [`Layout::span`] apart.
    pub(crate) positions: Column<f32>,
    pub(crate) previous: Column<f32>,
    pub(crate) inverse_mass: Column<f32>,
    /// A row for each block, and at least one.
    pub(crate) scratch: Column<f32>,
    /// Which lanes have a stick, for sticks that reach 0, 1 and 2 columns.
    pub(crate) presence: [Column<f32>; 3],
    /// For each slot of a row, the column of the sheet.
    pub(crate) offsets: Vec<u32>,
    /// Where the present positions of the particles of the sheet are; the working copy is in
    /// strides.
    pub(crate) positions_are: Residence,
    /// Where their previous positions are.
    pub(crate) previous_are: Residence,
    /// Up to where the record of moves was read.
    pub(crate) synced: Option<Cursor>,
    /// Whether the positions of the sheet were finite when they were last written back, if that is
    /// still known.
    pub(crate) finite: Option<bool>,
    pub(crate) team: Team,
    pub(crate) ends: Arc<[[u32; 2]]>,
    pub(crate) seen_sticks: Cursor,
    pub(crate) seen_masses: Cursor,
}

/// Which of the two a pass is over.
#[derive(Clone, Copy)]
enum Buffer {
    Positions,
    Previous,
}

pub(crate) fn enough<const D: usize>(
    particles: &Particles<D>,
    needed: usize,
) -> Result<(), PlanError> {
    if particles.len() < needed {
        return Err(PlanError::TooFewParticles { needed, particles: particles.len() });
    }
    Ok(())
}

impl<M: Machine, const D: usize> Engine<D> for GridPlan<M, D> {
    fn sync_in(&mut self, particles: &mut Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        enough(particles, self.layout().particles())?;
        self.refresh(particles, sticks)?;
        self.sync_particles(particles);
        Ok(())
    }

    /// On one thread, motion and the iterations of all substeps go down the sheet together.
    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.run(executor, particles, sticks, substeps, false);
        Ok(())
    }

    /// On one thread, the last two substeps are followed down the sheet by the write-back of positions
    /// and of previous positions.
    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<Status, PlanError> {
        self.sync_in(particles, sticks)?;
        self.run(executor, particles, sticks, substeps, true);
        Ok(self.write_back(executor, particles))
    }

    fn relax(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        inverse_h2: f32,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.constants.set_inverse_h2(particles, sticks, inverse_h2);
        self.relax_rows(executor, particles, iterations);
        self.mark_synced(particles);
        Ok(())
    }

    /// In the columns if they are up to date, on the calling thread.
    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        stage: &dyn Stage<D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        if ![self.positions_are, self.previous_are].contains(&Residence::WorkingCopy) {
            self.forget_working_copy();
            particles.visit(stage);
            self.mark_synced(particles);
            return Ok(());
        }
        self.fill(executor, particles);
        let (span, len) = (self.layout().span(), self.layout().len());
        let [mut positions, mut previous] =
            [&mut self.positions, &mut self.previous].map(|column| column.chunks_exact_mut(span));
        stage.run(ParticleView {
            position: core::array::from_fn(|_| &mut positions.next().unwrap_or_default()[..len]),
            previous: core::array::from_fn(|_| &mut previous.next().unwrap_or_default()[..len]),
            inverse_mass: &self.inverse_mass,
            numbers: Numbers::Rows {
                first_row: 0,
                width: self.constants.layout.width,
                offsets: &self.offsets,
            },
        });
        (self.positions_are, self.previous_are) = (Residence::WorkingCopy, Residence::WorkingCopy);
        others::visit(particles, self.layout().particles(), stage);
        self.mark_synced(particles);
        Ok(())
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        let known =
            self.synced.is_some_and(|seen| particles.moves().since(seen) != Delta::DifferentTable);
        let strided = known && self.positions_are == Residence::WorkingCopy;
        if !strided || particle >= self.layout().particles() {
            return particles.position(particle).map(Real::positive_zero);
        }
        let at = self.layout().of(particle);
        core::array::from_fn(|axis| self.positions[axis * self.layout().span() + at])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        self.sync_particles(particles);
        let layout = self.layout();
        if self.positions_are != Residence::Columns && particle < layout.particles() {
            self.positions_are = Residence::WorkingCopy;
            put(&mut self.positions, layout, particle, point.map(Real::positive_zero));
        } else {
            for (axis, x) in point.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x.positive_zero();
            }
            self.mark_synced(particles);
        }
    }

    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) -> Status {
        self.sync_particles(particles);
        let sheet = self.layout().particles();
        if self.positions_are == Residence::WorkingCopy {
            let back = Pass::WriteBack;
            self.finite = Some(self.over_rows(particles, executor, Buffer::Positions, back));
            self.positions_are = Residence::Both;
        }
        let finite = match self.finite {
            Some(finite) => finite & others::write_back(particles, sheet),
            None => others::write_back(particles, 0),
        };
        if self.previous_are == Residence::WorkingCopy {
            self.over_rows(particles, executor, Buffer::Previous, Pass::WriteBack);
            self.previous_are = Residence::Both;
        }
        self.mark_synced(particles);
        Status { finite }
    }

    fn restore(&mut self, particles: &mut Particles<D>) {
        let _ = self.write_back(&Inline, particles);
    }
}

impl<M: Machine, const D: usize> GridPlan<M, D> {
    fn layout(&self) -> Layout {
        self.constants.layout
    }

    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        let sticks_news = sticks.changes().since(self.seen_sticks);
        if sticks_news == Delta::DifferentTable {
            sticks.check_ends(&self.ends)?;
        }
        match (sticks_news, particles.mass_changes().since(self.seen_masses)) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed), Delta::Entries(reweighed)) => {
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

    pub(crate) fn copy_masses(&mut self, particles: &Particles<D>) {
        let (layout, sheet) = (self.layout(), self.layout().particles());
        for (particle, &mass) in particles.inverse_masses()[..sheet].iter().enumerate() {
            self.inverse_mass[layout.of(particle)] = mass;
        }
    }

    /// How many threads to relax on.
    fn threads(&self, executor: &dyn Executor) -> usize {
        executor.threads().min(self.interiors).min(self.ends.len() / STICKS_A_THREAD)
    }

    /// Takes over what was moved in the columns: one by one if that is little, or if the others
    /// are in strides only.
    fn sync_particles(&mut self, particles: &Particles<D>) {
        let layout = self.layout();
        let ahead = [self.positions_are, self.previous_are].contains(&Residence::WorkingCopy);
        match self.synced.map(|seen| particles.moves().since(seen)) {
            Some(Delta::Entries(moved)) if ahead || moved.len() <= layout.particles() / FEW => {
                for &particle in moved.iter().filter(|&&it| (it as usize) < layout.particles()) {
                    let particle = particle as usize;
                    let previous: [f32; D] =
                        core::array::from_fn(|axis| particles.previous(axis)[particle]);
                    put(&mut self.positions, layout, particle, particles.position(particle));
                    put(&mut self.previous, layout, particle, previous);
                    self.finite = None;
                }
            }
            _ => self.forget_working_copy(),
        }
        self.mark_synced(particles);
    }

    fn forget_working_copy(&mut self) {
        (self.positions_are, self.previous_are) = (Residence::Columns, Residence::Columns);
        self.finite = None;
    }

    /// From here on only later changes of the columns count.
    fn mark_synced(&mut self, particles: &Particles<D>) {
        self.synced = Some(particles.moves().now());
    }

    /// Brings what is in the columns only into strides.
    fn fill(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) {
        if self.positions_are == Residence::Columns {
            self.over_rows(particles, executor, Buffer::Positions, Pass::Fill);
            // Without the -0.0 that the columns may have.
            self.positions_are = Residence::WorkingCopy;
        }
        if self.previous_are == Residence::Columns {
            self.over_rows(particles, executor, Buffer::Previous, Pass::FillPrevious);
            self.previous_are = Residence::Both;
        }
    }

    /// Runs substeps; on one thread with the write-back of positions, and after several substeps of
    /// previous positions, if it is wanted.
    fn run(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
        write_back: bool,
    ) {
        let Substeps { motion, count, iterations, after_motion } = *substeps;
        self.constants.set_inverse_h2(particles, sticks, motion.inverse_h2);
        let threaded = self.threads(executor) > 1;
        let enter = Pass::Integrate(motion, after_motion);
        // Particles that are not of the sheet have no sticks: all of their substeps may run first.
        for _ in 0..count {
            self.begin_substep(executor, particles, &motion);
            if let Some(stage) = after_motion {
                others::visit(particles, self.layout().particles(), stage);
            }
            if threaded {
                self.over_rows(particles, executor, Buffer::Positions, enter);
                self.relax_rows(executor, particles, iterations);
            }
        }
        if !threaded && count > 0 {
            let (substeps, iterations) = (count as usize, iterations as usize);
            let sweeps =
                TimeSkewedSweep { entry_pass: Some(enter), substeps, iterations, write_back };
            let finite = self.sweep_stages(particles, sweeps);
            if write_back {
                self.finite = Some(finite);
                self.positions_are = Residence::Both;
                if count > 1 {
                    self.previous_are = Residence::Both;
                }
            }
        }
        self.mark_synced(particles);
    }

    /// Makes positions previous ones, so that [`Pass::Integrate`] may write the new ones over the
    /// older; in the columns, too, if they have them. Particles that are not of the sheet move
    /// at once, those of the sheet when they are passed over: several substeps may begin before.
    fn begin_substep(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        motion: &Motion<D>,
    ) {
        self.fill(executor, particles);
        let sheet = self.layout().particles();
        others::integrate(particles, sheet, motion);
        core::mem::swap(&mut self.positions, &mut self.previous);
        if self.positions_are == Residence::Both {
            particles.swap_columns();
            let Columns { position, previous, .. } = particles.columns();
            for (position, previous) in position.into_iter().zip(previous) {
                position[sheet..].swap_with_slice(&mut previous[sheet..]);
            }
        }
        (self.previous_are, self.positions_are) = (self.positions_are, Residence::WorkingCopy);
        self.mark_synced(particles);
    }

    fn relax_rows(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        iterations: u32,
    ) {
        let enter = (self.positions_are == Residence::Columns).then_some(Pass::Fill);
        let threads = self.threads(executor);
        if threads <= 1 {
            self.positions_are = Residence::WorkingCopy;
            let iterations = iterations as usize;
            self.sweep_stages(
                particles,
                TimeSkewedSweep { entry_pass: enter, substeps: 1, iterations, write_back: false },
            );
            return;
        }
        if let Some(pass) = enter {
            self.over_rows(particles, executor, Buffer::Positions, pass);
        }
        self.positions_are = Residence::WorkingCopy;
        let finite = AtomicBool::new(true);
        let interiors = self.interiors;
        let (field, team) = self.field(particles, Buffer::Positions, &finite);
        let blocks = field.blocks;
        let phases = || [0..interiors, interiors..blocks.len()].into_iter();
        let one_iteration =
            TimeSkewedSweep { entry_pass: None, substeps: 1, iterations: 1, write_back: false };
        team.run(executor, threads, iterations, phases, |block| {
            // SAFETY: the blocks of a phase, each relaxed once and before the next phase, have
            // no row in common.
            unsafe { field.sweep_stages(&blocks[block..=block], block, one_iteration) };
        });
    }

    /// Everything on this thread. Gives whether all that came back is finite.
    fn sweep_stages(
        &mut self,
        particles: &mut Particles<D>,
        sweeps: TimeSkewedSweep<'_, D>,
    ) -> bool {
        let finite = AtomicBool::new(true);
        let (field, _) = self.field(particles, Buffer::Positions, &finite);
        // SAFETY: the columns are borrowed exclusively.
        unsafe { field.sweep_stages(field.stages, 0, sweeps) };
        finite.into_inner()
    }

    /// One pass over all rows, in shares of a block, so that each is where it will be
    /// relaxed. Gives whether all that came back is finite.
    fn over_rows(
        &mut self,
        particles: &mut Particles<D>,
        executor: &dyn Executor,
        buffer: Buffer,
        pass: Pass<'_, D>,
    ) -> bool {
        let sheet = self.layout().particles();
        let threads = executor.threads().min(sheet / PARTICLES_A_THREAD).min(self.interiors);
        let finite = AtomicBool::new(true);
        let interiors = self.interiors;
        let (field, team) = self.field(particles, buffer, &finite);
        let sweeps = TimeSkewedSweep {
            entry_pass: Some(pass),
            substeps: 1,
            iterations: 0,
            write_back: false,
        };
        let over = |block| {
            // SAFETY: the blocks, each passed over once, have no rows in common.
            unsafe { field.sweep_stages(&field.blocks[block..=block], block, sweeps) };
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
        buffer: Buffer,
        finite: &'a AtomicBool,
    ) -> (Field<'a, M, D>, &'a mut Team) {
        let Self { machine, constants, blocks, stages, positions, previous, synced, .. } = self;
        let Self { inverse_mass, scratch, presence, offsets, team, .. } = self;
        let layout = constants.layout;
        let (columns, moves) = particles.columns_and_cursor();
        // Now, as an executor may panic.
        *synced = Some(moves);
        let points = |columns: [&mut [f32]; D], strided| Points {
            columns: columns.map(|column| Shared(column[..layout.particles()].as_mut_ptr())),
            strided: axes(strided, layout),
        };
        let sheets = Sheets {
            layout,
            present: points(columns.position, positions),
            previous: points(columns.previous, previous),
            inverse_mass,
            offsets,
        };
        let sheets = match buffer {
            Buffer::Positions => sheets,
            Buffer::Previous => sheets.swapped(),
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
