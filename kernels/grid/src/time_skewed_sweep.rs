//! Time-skewed sweeps: motion, iterations and write-back move down the sheet together.
//!
//! An iteration may enter rows as soon as the one before it has left them. So several iterations
//! move down the sheet together, while its rows are in the cache, and memory is read and written
//! once for all (time skewing: Wonnacott, "Using Time Skewing to Eliminate Idle Time due to Memory
//! Bandwidth and Network Limitations", IPDPS 2000). The same holds for substeps. Sticks that share
//! a particle keep their order, so the bits are those of the schedule.

use core::ops::Range;
use core::slice;
use core::sync::atomic::AtomicBool;

use taut_core::Column;
use taut_lanes::slots::{Pass, Sweep};
use taut_lanes::{Machine, Shared};

use crate::constants::Constants;
use crate::layout::STRIDE;
use crate::rows::{OverRows, Points, Sheets};
use crate::stages::Stage;
use crate::sweep::Relax;

/// Number of adjacent sweeps: the bands of two fit the L1 cache unless the sheet is wide
/// (docs/speed.md has other numbers).
const SWEEPS_AT_ONCE: usize = 2;
/// Waves before the next sweeps follow, so that they find the bands in the L2 cache.
const WAVES_AT_ONCE: usize = 4;
/// Number of sweeps in progress: memory is read and written once for all of them.
const SWEEPS_IN_PROGRESS: usize = 8;

/// The data that all threads work on.
pub(crate) struct Field<'a, M, const D: usize> {
    pub(crate) machine: M,
    pub(crate) constants: &'a Constants,
    pub(crate) sheets: Sheets<'a, D>,
    pub(crate) presence: &'a [Column<f32>; 3],
    /// A row for each block.
    pub(crate) scratch: Shared<f32>,
    /// Becomes false if a position written back is not finite.
    pub(crate) finite: &'a AtomicBool,
    /// The blocks of both phases, which threads take.
    pub(crate) blocks: &'a [Stage],
    /// The stages for one thread.
    pub(crate) stages: &'a [Stage],
}

impl<M: Machine, const D: usize> Field<'_, M, D> {
    /// Relaxes some stages by sweeps that follow each other.
    ///
    /// A sweep is an iteration, with the motion before it if it is the first of its substep. A wave
    /// advances each sweep by one stage. A sweep may relax a stage once the sweep before it has
    /// relaxed the stage after that one, because sticks reach no further. So a sweep may be any
    /// number of stages ahead of the next: adjacent sweeps run some waves, then the next sweeps run
    /// the same waves. Rows enter right before the first iteration needs them, and leave right
    /// after the last.
    ///
    /// # Safety
    /// - All columns, of present and of previous positions, are as long as the sheet or its layout,
    ///   and valid for reading and writing at the rows of the stages, and those that their sticks
    ///   reach; no other code accesses them during the call, nor the share of `scratch` of that
    ///   block.
    pub(crate) unsafe fn sweep_stages(&self, stages: &[Stage], block: usize, sweep: Sweep<'_, D>) {
        let Sweep { entry_pass, substeps, iterations, write_back } = sweep;
        let Self { machine, constants, sheets, presence, scratch, finite, .. } = *self;
        let row_len = sheets.layout.registers * STRIDE;
        let over_rows = |sheets, rows: &Range<usize>, pass, finite| {
            // SAFETY: by contract; the slice is used by this pass alone.
            machine.run(unsafe {
                let scratch = slice::from_raw_parts_mut(scratch.0.add(block * row_len), row_len);
                OverRows::new(sheets, rows.clone(), pass, scratch, finite)
            });
        };
        let ignored = AtomicBool::new(true);
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
                // Previous positions need not be finite.
                let finite = if substeps_left == 0 { finite } else { &ignored };
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
