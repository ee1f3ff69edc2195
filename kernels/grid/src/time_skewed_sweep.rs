//! Time-skewed sweeps: motion, iterations and write-back move down the sheet together.
//!
//! An iteration may enter rows as soon as the iteration before it has left them. So several
//! iterations move down the sheet together, while its rows are in the cache, and memory is read and
//! written once for all of them (time skewing: Wonnacott, "Using Time Skewing to Eliminate Idle
//! Time due to Memory Bandwidth and Network Limitations", IPDPS 2000). The same holds for substeps.
//! Sticks that share a particle keep their order, so the bits are those of the schedule.

use core::ops::Range;
use core::slice;
use core::sync::atomic::AtomicBool;

use taut_core::Column;
use taut_lanes::slots::{SlotLoop, SubstepRun};
use taut_lanes::{Machine, SharedPtr};

use crate::band_tasks::{BandTask, Strip};
use crate::constants::Constants;
use crate::narrow::{NarrowSheet, Pairs, RegisterPair, RelaxPairs};
use crate::rows::{RawPositions, RowLoop, SheetBuffers};
use crate::sweep::Relax;

/// Number of adjacent sweeps that advance together: the bands of two sweeps fit the L1 cache unless
/// the sheet is wide (docs/speed.md compares other values).
const SWEEPS_AT_ONCE: usize = 2;
/// Number of waves (see [`SweepData::sweep_tasks`]) that adjacent sweeps run before the next sweeps
/// follow, which then find the bands in the L2 cache.
const WAVES_AT_ONCE: usize = 4;
/// Maximum number of sweeps in progress: memory is read and written once for all of them.
const SWEEPS_IN_PROGRESS: usize = 8;

/// The data of sweeps, shared by all threads.
pub(crate) struct SweepData<'a, M, const D: usize> {
    pub(crate) machine: M,
    pub(crate) constants: &'a Constants,
    pub(crate) buffers: SheetBuffers<'a, D>,
    /// For sticks that span 0, 1 and 2 columns: negative in the lanes of a row that have no stick.
    pub(crate) presence: &'a [Column<f32>; 3],
    /// A scratch row for each block, and at least one.
    pub(crate) scratch: SharedPtr<f32>,
    /// Becomes false if a position written back is not finite.
    pub(crate) finite: &'a AtomicBool,
    /// The blocks of both phases, which threads take.
    pub(crate) blocks: &'a [BandTask],
    /// The tasks of the whole sheet, for one thread.
    pub(crate) band_tasks: &'a [BandTask],
    /// The register pairs of a sheet whose rows have few registers; else `None`.
    pub(crate) narrow: Option<&'a NarrowSheet>,
}

impl<M: Machine, const D: usize> SweepData<'_, M, D> {
    /// Runs the substeps of `run` on the whole sheet, on the calling thread.
    ///
    /// # Safety
    /// - Same as for [`sweep_tasks`](Self::sweep_tasks), for all rows.
    pub(crate) unsafe fn sweep_all(&self, run: SubstepRun<'_, D>) {
        // A sheet that is too small for threads has no `blocks` of pairs; then a block runs no iteration.
        let pairs = self.narrow.map(|narrow| &narrow.tasks[..]);
        // SAFETY: by contract.
        unsafe { self.sweep_tasks(self.band_tasks, pairs, 0, run) };
    }

    /// Runs the substeps of `run` on one block.
    ///
    /// # Safety
    /// - Same as for [`sweep_tasks`](Self::sweep_tasks), for the rows of the block and the rows that
    ///   its sticks reach.
    pub(crate) unsafe fn sweep_block(&self, block: usize, run: SubstepRun<'_, D>) {
        // A sheet that is too small for threads has no `blocks` of pairs; then a block runs no iteration.
        let pairs = self.narrow.map(|narrow| narrow.blocks.get(block..=block).unwrap_or_default());
        // SAFETY: by contract.
        unsafe { self.sweep_tasks(&self.blocks[block..=block], pairs, block, run) };
    }

    /// Runs the substeps of `run` on some tasks, by sweeps that follow each other. `pairs` are the
    /// register pairs of each task if the sheet is narrow; `block` chooses the scratch row.
    ///
    /// A sweep is an iteration, with the motion before it if it is the first of its substep. A wave
    /// advances each sweep by one task. A sweep may run a task once the sweep before it has run the
    /// task after that one, because sticks and the leading loop reach no further than the next task. So a sweep may be any number of tasks
    /// ahead of the next one: adjacent sweeps run some waves, then the next sweeps run the same
    /// waves. The leading loop runs on the entering rows of a task right before the first iteration
    /// of a substep needs them. The leaving rows are written back right after the last iteration of
    /// the last substep.
    ///
    /// # Safety
    /// - The columns and strided rows of target and source are as long as [`RawPositions`] says, and
    ///   valid for reading and writing at the rows of the tasks, and at the rows that their sticks
    ///   reach; no other code accesses these rows, nor the scratch row of the block, during the
    ///   call.
    unsafe fn sweep_tasks(
        &self,
        tasks: &[BandTask],
        pairs: Option<&[Pairs]>,
        block: usize,
        run: SubstepRun<'_, D>,
    ) {
        let SubstepRun { leading_loop, substeps, iterations, write_back, write_back_previous } =
            run;
        let run_task = |task: usize, sweep: usize| {
            let (substep, iteration) = (sweep / iterations.max(1), sweep % iterations.max(1));
            let substeps_left = substeps - 1 - substep;
            let buffers =
                if substeps_left % 2 == 0 { self.buffers } else { self.buffers.swapped() };
            // SAFETY: by contract.
            unsafe {
                if let (Some(slot_loop), 0) = (leading_loop, iteration) {
                    self.run_row_loop(
                        buffers,
                        &tasks[task].entering,
                        slot_loop,
                        block,
                        self.finite,
                    );
                }
                if iterations > 0 {
                    match (pairs, self.narrow) {
                        (Some(pairs), Some(narrow)) => {
                            self.relax_pairs(buffers, narrow, &pairs[task]);
                        }
                        _ => self.relax_strips(buffers, &tasks[task].strips),
                    }
                }
                if substeps_left == 0 && iteration + 1 >= iterations {
                    let (rows, write) = (&tasks[task].leaving, SlotLoop::WriteBack);
                    if write_back {
                        self.run_row_loop(buffers, rows, write, block, self.finite);
                    }
                    if write_back_previous {
                        // `finite` covers the new positions only.
                        let ignored = AtomicBool::new(true);
                        self.run_row_loop(buffers.swapped(), rows, write, block, &ignored);
                    }
                }
            }
        };
        for sweeps in chunks(0..substeps.saturating_mul(iterations.max(1)), SWEEPS_IN_PROGRESS) {
            for waves in chunks(0..tasks.len() + sweeps.len() - 1, WAVES_AT_ONCE) {
                for adjacent in chunks(sweeps.clone(), SWEEPS_AT_ONCE) {
                    for wave in waves.clone() {
                        for sweep in adjacent.clone() {
                            let task = wave.checked_sub(sweep - sweeps.start);
                            if let Some(task) = task.filter(|&task| task < tasks.len()) {
                                run_task(task, sweep);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Relaxes the sticks of strips once.
    ///
    /// # Safety
    /// - Same as for [`sweep_tasks`](Self::sweep_tasks), for the rows that these strips reach.
    unsafe fn relax_strips(&self, buffers: SheetBuffers<'_, D>, strips: &[Strip]) {
        let Self { machine, constants, presence, .. } = *self;
        let SheetBuffers { target: RawPositions { strided, .. }, inverse_mass, .. } = buffers;
        // SAFETY: by contract.
        machine.run(unsafe { Relax::new(constants, strided, inverse_mass, presence, strips) });
    }

    /// Relaxes the sticks of pairs of registers once.
    ///
    /// # Safety
    /// - Same as for [`sweep_tasks`](Self::sweep_tasks), for the rows that these pairs of
    ///   `narrow` join.
    unsafe fn relax_pairs(
        &self,
        buffers: SheetBuffers<'_, D>,
        narrow: &NarrowSheet,
        pairs: &[RegisterPair],
    ) {
        let Self { machine, constants, .. } = *self;
        let SheetBuffers { target: RawPositions { strided, .. }, inverse_mass, .. } = buffers;
        // SAFETY: by contract; `narrow` was made from the constants.
        machine.run(unsafe { RelaxPairs::new(constants, narrow, strided, inverse_mass, pairs) });
    }

    /// Runs a loop over rows, with the scratch row of `block`.
    ///
    /// # Safety
    /// - Same as for [`sweep_tasks`](Self::sweep_tasks), for these rows.
    unsafe fn run_row_loop(
        &self,
        buffers: SheetBuffers<'_, D>,
        rows: &Range<usize>,
        slot_loop: SlotLoop<'_, D>,
        block: usize,
        finite: &AtomicBool,
    ) {
        let row_lanes = buffers.layout.row_lanes();
        // SAFETY: by contract; the slice is used by this loop alone.
        self.machine.run(unsafe {
            let scratch =
                slice::from_raw_parts_mut(self.scratch.0.add(block * row_lanes), row_lanes);
            RowLoop::new(buffers, rows.clone(), slot_loop, scratch, finite)
        });
    }
}

/// Splits a range into ranges of length `len`; the last may be shorter.
fn chunks(whole: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    whole.clone().step_by(len).map(move |first| first..whole.end.min(first + len))
}
