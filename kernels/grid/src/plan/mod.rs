//! The plan: positions in strided rows, and the passes over them.

mod engine;
mod sync;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::once;
use core::sync::atomic::AtomicBool;

use taut_core::{
    Column, Columns, Cursor, Executor, Motion, Particles, PlanError, Residence, Sticks, Substeps,
};
use taut_lanes::{Machine, Shared, Team};

use crate::constants::Constants;
use crate::layout::Layout;
use crate::non_sheet;
use crate::rows::{Pass, Points, Sheets};
use crate::stages::Stage as Rows;
use crate::time_skewed_sweep::{Field, TimeSkewedSweep};

/// The fewest particles per thread for which a pass is worth running on threads.
const PARTICLES_A_THREAD: usize = 8192;
/// The fewest sticks per thread for which relaxation is worth running on threads.
const STICKS_A_THREAD: usize = 8192;

/// The plan of a [`GridKernel`](crate::GridKernel): the constants of the sticks, and the positions
/// in strided rows.
#[derive(Debug)]
pub struct GridPlan<M, const D: usize> {
    pub(crate) machine: M,
    pub(crate) constants: Constants,
    /// The blocks of both phases, which threads take, and the number of blocks in the first phase.
    pub(crate) blocks: Vec<Rows>,
    pub(crate) interiors: usize,
    /// The stages of the time-skewed sweep, for one thread.
    pub(crate) stages: Vec<Rows>,
    /// One axis after the other, [`Layout::span`] apart.
    pub(crate) positions: Column<f32>,
    pub(crate) previous: Column<f32>,
    pub(crate) inverse_mass: Column<f32>,
    /// A row for each block, and at least one.
    pub(crate) scratch: Column<f32>,
    /// The lanes with a stick, for sticks that span 0, 1 and 2 columns.
    pub(crate) presence: [Column<f32>; 3],
    /// For each slot of a row, the column of the sheet.
    pub(crate) offsets: Vec<u32>,
    /// Where the positions of the sheet are; the working copy is in strides.
    pub(crate) positions_are: Residence,
    /// Where the previous positions of the sheet are.
    pub(crate) previous_are: Residence,
    /// The cursor in the record of moves.
    pub(crate) synced: Option<Cursor>,
    /// Whether the positions of the sheet are finite; `None` if they changed since the last check.
    pub(crate) finite: Option<bool>,
    pub(crate) team: Team,
    pub(crate) ends: Arc<[[u32; 2]]>,
    pub(crate) seen_sticks: Cursor,
    pub(crate) seen_masses: Cursor,
}

/// The positions that a pass processes.
#[derive(Clone, Copy)]
enum Buffer {
    Positions,
    Previous,
}

pub(crate) fn check_particles<const D: usize>(
    particles: &Particles<D>,
    needed: usize,
) -> Result<(), PlanError> {
    if particles.len() < needed {
        return Err(PlanError::TooFewParticles { needed, particles: particles.len() });
    }
    Ok(())
}

impl<M: Machine, const D: usize> GridPlan<M, D> {
    fn layout(&self) -> Layout {
        self.constants.layout
    }

    /// How many threads to relax on.
    fn threads(&self, executor: &dyn Executor) -> usize {
        executor.threads().min(self.interiors).min(self.ends.len() / STICKS_A_THREAD)
    }

    /// Runs substeps. With `write_back`, on one thread, also writes back positions and, after
    /// several substeps, previous positions.
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
        // Particles outside the sheet have no sticks: all of their substeps may run first.
        for _ in 0..count {
            self.begin_substep(executor, particles, &motion);
            if let Some(stage) = after_motion {
                non_sheet::visit(particles, self.layout().particles(), stage);
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

    /// Swaps positions and previous positions, in the columns too if they are up to date, so that
    /// [`Pass::Integrate`] can overwrite the older ones. Integrates particles outside the sheet;
    /// the pass integrates the sheet, and several substeps may begin before it runs.
    fn begin_substep(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        motion: &Motion<D>,
    ) {
        self.fill(executor, particles);
        let sheet = self.layout().particles();
        non_sheet::integrate(particles, sheet, motion);
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
            self.sweep_stages(particles, TimeSkewedSweep::of_substep(enter, iterations as usize));
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
        let one_iteration = TimeSkewedSweep::of_substep(None, 1);
        team.run(executor, threads, iterations, phases, |block| {
            // SAFETY: the blocks of a phase, each relaxed once and before the next phase, have
            // no row in common.
            unsafe { field.sweep_stages(&blocks[block..=block], block, one_iteration) };
        });
    }

    /// Relaxes all stages on this thread. Returns whether all positions written back are finite.
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

    /// Runs a pass over all rows, block by block, so that a thread gets the blocks that it relaxes.
    /// Returns whether all positions written back are finite.
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
        let sweeps = TimeSkewedSweep::of_substep(Some(pass), 0);
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

    /// The data of a sweep, and the team that shares out its blocks.
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
        // Set before the pass, because an executor may panic.
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
    // One pointer for all axes: borrowing again for the next axis would invalidate the first.
    let whole = strided.as_mut_ptr();
    core::array::from_fn(|axis| Shared(whole.wrapping_add(axis * layout.span())))
}
