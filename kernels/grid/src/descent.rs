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
use crate::rows::{Buffers, OverRows, Pass, Sheets};
use crate::stages::Stage;
use crate::sweep::Relax;

/// How many sweeps go down the sheet one right behind the other: the bands of two stay in the
/// first-level cache while a sheet is not wide. Four gained more only on structural sticks of middle
/// width, and lost where sticks are of all families.
const SWEEPS_AT_ONCE: usize = 2;
/// After how many waves the next sweeps follow, so that they find the bands in the second level.
const WAVES_AT_ONCE: usize = 4;
/// How many sweeps follow each other: what memory is read and written once for.
const IN_FLIGHT: usize = 8;

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

/// What goes down some stages.
#[derive(Clone, Copy)]
pub(crate) struct Descent<'a, const D: usize> {
    /// What each substep does with rows before it relaxes them.
    pub(crate) enter: Option<Pass<'a, D>>,
    /// With more than one, `enter` is motion.
    pub(crate) substeps: usize,
    /// How often each relaxes the stages.
    pub(crate) iterations: usize,
    /// Whether the positions of the last substep, and of the one before it, go back to columns.
    pub(crate) leave: bool,
}

impl<M: Machine, const D: usize> Field<'_, M, D> {
    /// Goes down some stages.
    ///
    /// A sweep is an iteration, with the motion before it if it is the first of its substep. A wave
    /// takes each sweep one stage on, the earlier ones first. So each comes after the one before,
    /// which is one stage ahead: that is as far as sticks reach, and rows enter the next substep when
    /// those of the one before have left. Rows enter right before the first iteration needs them, and
    /// leave right after the last: they are in the first-level cache.
    ///
    /// # Safety
    /// - All columns are as long as the sheet or its layout, and valid for reading and writing
    ///   at the rows of the stages, and those that their sticks reach; nobody else uses them
    ///   meanwhile, nor the share of `scratch` of that block.
    pub(crate) unsafe fn descend(&self, stages: &[Stage], block: usize, descent: Descent<'_, D>) {
        let Descent { enter, substeps, iterations, leave } = descent;
        let Self { machine, constants, sheets, presence, scratch, finite, .. } = *self;
        let row_len = sheets.layout.registers * STRIDE;
        let over_rows = |sheets, rows: &Range<usize>, pass| {
            // SAFETY: by contract; the slice is used by this pass alone.
            machine.run(unsafe {
                let scratch = slice::from_raw_parts_mut(scratch.0.add(block * row_len), row_len);
                OverRows::new(sheets, rows.clone(), pass, scratch, finite)
            });
        };
        let over_stage = |stage: &Stage, sweep: usize| {
            let (substep, iteration) = (sweep / iterations.max(1), sweep % iterations.max(1));
            let substeps_left = substeps - 1 - substep;
            let sheets = if substeps_left % 2 == 0 { sheets } else { sheets.turned() };
            if let (Some(pass), 0) = (enter, iteration) {
                over_rows(sheets, &stage.enter, pass);
            }
            if iterations > 0 {
                let Sheets { present: Buffers { strided, .. }, inverse_mass, .. } = sheets;
                let strips = &stage.strips;
                // SAFETY: by contract.
                machine
                    .run(unsafe { Relax::new(constants, strided, inverse_mass, presence, strips) });
            }
            if leave && substeps_left < 2 && iteration + 1 >= iterations {
                over_rows(sheets, &stage.leave, Pass::WriteBack);
            }
        };
        for sweeps in parts(0..substeps * iterations.max(1), IN_FLIGHT) {
            for waves in parts(0..stages.len() + sweeps.len() - 1, WAVES_AT_ONCE) {
                for few in parts(sweeps.clone(), SWEEPS_AT_ONCE) {
                    for wave in waves.clone() {
                        for sweep in few.clone() {
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
