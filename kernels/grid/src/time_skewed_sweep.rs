//! Going down a sheet: motion, iterations and the way back, one behind the other.
//!
//! Iterations need not follow each other. As soon as one has passed some rows, the next may
//! enter them: they move down the sheet together, while its rows are in the cache, and memory
//! is read and written once for all (time skewing: Wonnacott, "Using Time Skewing to Eliminate
//! Idle Time due to Memory Bandwidth and Network Limitations", IPDPS 2000). Nor need substeps: a
//! row that one has done with may move on in the next. Sticks that share a particle keep their
//! order, so the bits are those of the schedule.

use core::ops::Range;
use core::slice;
use core::sync::atomic::AtomicBool;

use taut_core::Column;
use taut_lanes::{Machine, Shared};

use crate::constants::Constants;
use crate::layout::STRIDE;
use crate::rows::{OverRows, Pass, Points, Sheets};
use crate::stages::Stage;
use crate::sweep::Relax;

/// How many sweeps go down the sheet one right behind the other: the bands of two stay in the
/// first-level cache while a sheet is not wide (docs/speed.md has other numbers).
const SWEEPS_AT_ONCE: usize = 2;
/// After how many waves the next sweeps follow, so that they find the bands in the second level.
const WAVES_AT_ONCE: usize = 4;
/// How many sweeps are in progress at a time: memory is read and written once for all of them.
const SWEEPS_IN_PROGRESS: usize = 8;

/// What all threads work on.
pub(crate) struct Field<'a, M, const D: usize> {
    pub(crate) machine: M,
    pub(crate) constants: &'a Constants,
    pub(crate) sheets: Sheets<'a, D>,
    pub(crate) presence: &'a [Column<f32>; 3],
    /// A row for each block.
    pub(crate) scratch: Shared<f32>,
    /// Becomes false if a position that is returned is not finite.
    pub(crate) finite: &'a AtomicBool,
    /// The blocks of both phases: what threads take.
    pub(crate) blocks: &'a [Stage],
    /// What one thread goes down.
    pub(crate) stages: &'a [Stage],
}

/// Which sweeps relax some stages, and what is done with rows before and after.
#[derive(Clone, Copy)]
pub(crate) struct TimeSkewedSweep<'a, const D: usize> {
    /// What each substep does with rows before it relaxes them.
    pub(crate) entry_pass: Option<Pass<'a, D>>,
    /// With more than one, `entry_pass` is motion.
    pub(crate) substeps: usize,
    /// How often each relaxes the stages.
    pub(crate) iterations: usize,
    /// Whether the positions of the last substep, and of the one before it, go back to columns.
    pub(crate) write_back: bool,
}

impl<M: Machine, const D: usize> Field<'_, M, D> {
    /// Relaxes some stages by sweeps that follow each other.
    ///
    /// A sweep is an iteration, with the motion before it if it is the first of its substep. A wave
    /// takes each sweep one stage on. All that a sweep needs at a stage is that the sweep before it has
    /// done the next stage, too: that is as far as sticks reach, and those rows have left the substep
    /// before. So a sweep may be any number of stages ahead: adjacent sweeps do some waves, the next
    /// ones the same waves after them. Rows enter right before the first iteration needs them, and
    /// leave right after the last.
    ///
    /// # Safety
    /// - All columns, of present and of previous positions, are as long as the sheet or its layout, and
    ///   valid for reading and writing at the rows of the stages, and those that their sticks reach;
    ///   no other code accesses them during the call, nor the share of `scratch` of that block.
    pub(crate) unsafe fn sweep_stages(
        &self,
        stages: &[Stage],
        block: usize,
        sweeps: TimeSkewedSweep<'_, D>,
    ) {
        let TimeSkewedSweep { entry_pass, substeps, iterations, write_back } = sweeps;
        let Self { machine, constants, sheets, presence, scratch, finite, .. } = *self;
        let row_len = sheets.layout.registers * STRIDE;
        let over_rows = |sheets, rows: &Range<usize>, pass, finite| {
            // SAFETY: by contract; the slice is used by this pass alone.
            machine.run(unsafe {
                let scratch = slice::from_raw_parts_mut(scratch.0.add(block * row_len), row_len);
                OverRows::new(sheets, rows.clone(), pass, scratch, finite)
            });
        };
        let not_asked = AtomicBool::new(true);
        let over_stage = |stage: &Stage, sweep: usize| {
            let (substep, iteration) = (sweep / iterations.max(1), sweep % iterations.max(1));
            let substeps_left = substeps - 1 - substep;
            let sheets = if substeps_left % 2 == 0 { sheets } else { sheets.swapped() };
            if let (Some(pass), 0) = (entry_pass, iteration) {
                over_rows(sheets, &stage.enter, pass, finite);
            }
            if iterations > 0 {
                let Sheets { present: Points { strided, .. }, inverse_mass, .. } = sheets;
                let strips = &stage.strips;
                // SAFETY: by contract.
                machine
                    .run(unsafe { Relax::new(constants, strided, inverse_mass, presence, strips) });
            }
            if write_back && substeps_left < 2 && iteration + 1 >= iterations {
                // Whether previous positions are finite is not asked.
                let finite = if substeps_left == 0 { finite } else { &not_asked };
                over_rows(sheets, &stage.leave, Pass::WriteBack, finite);
            }
        };
        for sweeps in parts(0..substeps.saturating_mul(iterations.max(1)), SWEEPS_IN_PROGRESS) {
            for waves in parts(0..stages.len() + sweeps.len() - 1, WAVES_AT_ONCE) {
                for adjacent in parts(sweeps.clone(), SWEEPS_AT_ONCE) {
                    for wave in waves.clone() {
                        for sweep in adjacent.clone() {
                            let at = wave.checked_sub(sweep - sweeps.start);
                            if let Some(stage) = at.and_then(|at| stages.get(at)) {
                                over_stage(stage, sweep);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A range in parts of some length; the last may be shorter.
fn parts(whole: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    whole.clone().step_by(len).map(move |first| first..whole.end.min(first + len))
}
