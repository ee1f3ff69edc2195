//! The kernel's part of the plan: constants of a sheet, and the order of the loops over its rows.

use alloc::vec::Vec;
use core::iter::once;
use core::sync::atomic::AtomicBool;

use taut_core::{Column, Executor, Particles, Sheet, SlotLayout, Sticks};
use taut_lanes::slots::{self, Changes, SlotBuffers, SlotKernel, SlotLoop, SlotPlan, SubstepRun};
use taut_lanes::{Machine, PARTICLES_PER_THREAD_MIN, STICKS_PER_THREAD_MIN, SharedPtr, Team};

use crate::band_tasks::BandTask;
use crate::constants::Constants;
use crate::layout::Layout;
use crate::narrow::NarrowSheet;
use crate::rows::{RawPositions, SheetBuffers};
use crate::time_skewed_sweep::SweepData;

/// The plan of a [`GridKernel`](crate::GridKernel).
pub type GridPlan<M, const D: usize> = SlotPlan<GridSlotKernel<M>, D>;

/// The constants of the sticks of a sheet, and the loops over its strided rows.
#[derive(Debug)]
pub struct GridSlotKernel<M> {
    pub(crate) machine: M,
    pub(crate) constants: Constants,
    /// The blocks of both phases, which threads take.
    pub(crate) blocks: Vec<BandTask>,
    /// How many of the blocks are in the first phase.
    pub(crate) first_phase_blocks: usize,
    /// The tasks of the time-skewed sweeps, for one thread.
    pub(crate) band_tasks: Vec<BandTask>,
    /// The register pairs of a sheet whose rows have few registers; else `None`.
    pub(crate) narrow: Option<NarrowSheet>,
    /// A scratch row for each block, and at least one.
    pub(crate) scratch: Column<f32>,
    /// For sticks that span 0, 1 and 2 columns: negative in the lanes of a row that have no stick.
    pub(crate) presence: [Column<f32>; 3],
    /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
    pub(crate) offsets: Vec<u32>,
    pub(crate) team: Team,
}

impl<M: Machine> GridSlotKernel<M> {
    fn layout(&self) -> Layout {
        self.constants.layout
    }

    /// The number of threads that relax.
    fn threads(&self, executor: &dyn Executor) -> usize {
        let sticks = self.constants.sheet.stick_count();
        executor.threads().min(self.first_phase_blocks).min(sticks / STICKS_PER_THREAD_MIN)
    }

    /// The data of sweeps, and the team that distributes blocks.
    fn sweep_data<'a, const D: usize>(
        &'a mut self,
        buffers: SlotBuffers<'a, D>,
        finite: &'a AtomicBool,
    ) -> (SweepData<'a, M, D>, &'a mut Team) {
        let Self {
            machine, constants, blocks, band_tasks, narrow, scratch, presence, offsets, ..
        } = self;
        let SlotBuffers { target, source, inverse_mass } = buffers;
        let buffers = SheetBuffers {
            layout: constants.layout,
            target: addresses(target, constants.layout),
            source: addresses(source, constants.layout),
            inverse_mass,
            offsets,
        };
        let data = SweepData {
            machine: *machine,
            constants,
            buffers,
            presence,
            scratch: SharedPtr(scratch.as_mut_ptr()),
            finite,
            blocks,
            band_tasks,
            narrow: narrow.as_ref(),
        };
        (data, &mut self.team)
    }
}

/// Whether a sheet has enough sticks for two threads.
pub(crate) fn may_use_threads(sheet: &Sheet) -> bool {
    sheet.stick_count() / STICKS_PER_THREAD_MIN > 1
}

/// The addresses of all columns and slots, after a check of their lengths.
fn addresses<const D: usize>(
    positions: slots::Positions<'_, D>,
    layout: Layout,
) -> RawPositions<D> {
    RawPositions {
        columns: positions
            .columns
            .map(|column| SharedPtr(column[..layout.particles()].as_mut_ptr())),
        strided: positions.slots.map(|column| SharedPtr(column[..layout.len()].as_mut_ptr())),
    }
}

impl<M: Machine, const D: usize> SlotKernel<D> for GridSlotKernel<M> {
    fn particles(&self) -> usize {
        self.layout().particles()
    }

    fn slots(&self) -> usize {
        self.layout().len()
    }

    fn slot(&self, particle: usize) -> usize {
        self.layout().slot(particle)
    }

    fn slot_layout(&self) -> SlotLayout<'_> {
        SlotLayout::Rows { first_row: 0, width: self.layout().width, offsets: &self.offsets }
    }

    fn refresh(&mut self, particles: &Particles<D>, sticks: &Sticks, changes: Changes<'_>) {
        match changes {
            Changes::Listed { particles: changed_particles, sticks: changed_sticks } => {
                self.constants.refresh_masses(particles, sticks, changed_particles);
                self.constants.refresh_sticks(particles, sticks, changed_sticks);
            }
            Changes::Everything => self.constants.refresh_all(particles, sticks),
        }
    }

    fn set_inverse_h2(&mut self, particles: &Particles<D>, sticks: &Sticks, inverse_h2: f32) {
        self.constants.set_inverse_h2(particles, sticks, inverse_h2);
    }

    /// True on one thread: then the sweeps of several substeps move down the sheet together.
    fn fuses_substeps(&self, executor: &dyn Executor) -> bool {
        self.threads(executor) <= 1
    }

    fn run_substeps(
        &mut self,
        executor: &dyn Executor,
        mut buffers: SlotBuffers<'_, D>,
        run: SubstepRun<'_, D>,
    ) -> bool {
        // Several threads synchronize after each phase, so they run one substep per call, and write
        // nothing back in it. A call for more was made when there was one thread; if the executor has
        // gained threads since then, the new ones get no work.
        let may_use_threads = run.substeps == 1 && !run.write_back && !run.write_back_previous;
        let threads = if may_use_threads { self.threads(executor) } else { 1 };
        let finite = AtomicBool::new(true);
        if threads <= 1 {
            let (data, _) = self.sweep_data(buffers, &finite);
            // SAFETY: the columns and slots are borrowed exclusively.
            unsafe { data.sweep_all(run) };
            return finite.into_inner();
        }
        if let Some(leading_loop) = run.leading_loop {
            self.run_loop(executor, buffers.reborrow(), leading_loop);
        }
        let first_phase_blocks = self.first_phase_blocks;
        let (data, team) = self.sweep_data(buffers, &finite);
        let blocks = data.blocks;
        let phases = || [0..first_phase_blocks, first_phase_blocks..blocks.len()].into_iter();
        let one_iteration = SubstepRun { iterations: 1, ..SubstepRun::default() };
        team.run(executor, threads, run.iterations as u32, phases, |block| {
            // SAFETY: the blocks of a phase, each relaxed once and before the next phase, have
            // no row in common.
            unsafe { data.sweep_block(block, one_iteration) };
        });
        finite.into_inner()
    }

    /// Runs the loop block by block, so that a thread gets the rows of the blocks that it also
    /// relaxes.
    fn run_loop(
        &mut self,
        executor: &dyn Executor,
        buffers: SlotBuffers<'_, D>,
        slot_loop: SlotLoop<'_, D>,
    ) -> bool {
        let particles = self.layout().particles();
        let threads = executor
            .threads()
            .min(particles / PARTICLES_PER_THREAD_MIN)
            .min(self.first_phase_blocks);
        let finite = AtomicBool::new(true);
        let first_phase_blocks = self.first_phase_blocks;
        let (data, team) = self.sweep_data(buffers, &finite);
        let run = SubstepRun { leading_loop: Some(slot_loop), ..SubstepRun::default() };
        let run_block = |block| {
            // SAFETY: the blocks, each processed once, have no rows in common.
            unsafe { data.sweep_block(block, run) };
        };
        if threads <= 1 {
            (0..first_phase_blocks).for_each(run_block);
        } else {
            team.run(executor, threads, 1, || once(0..first_phase_blocks), run_block);
        }
        finite.into_inner()
    }
}
