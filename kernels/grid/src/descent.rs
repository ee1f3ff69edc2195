//! Going down a sheet: motion, iterations and the way back, one behind the other.
//!
//! Iterations need not follow each other. As soon as one has passed some rows, the next may
//! enter them: they move down the sheet together, while its rows are in the cache, and memory
//! is read and written once for all (time skewing: Wonnacott, "Using Time Skewing to Eliminate
//! Idle Time due to Memory Bandwidth and Network Limitations", IPDPS 2000). Sticks that share a
//! particle keep their order, so the bits are those of the schedule.

use core::ops::Range;
use core::slice;
use core::sync::atomic::AtomicBool;

use taut_core::Column;
use taut_lanes::{Machine, Shared};

use crate::constants::Constants;
use crate::layout::STRIDE;
use crate::rows::{OverRows, Pass, Sheets};
use crate::stages::Stage;
use crate::sweep::Relax;

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

impl<M: Machine, const D: usize> Field<'_, M, D> {
    /// Passes over the rows of some stages, relaxes them some times over, and brings them back, if
    /// they are to leave.
    ///
    /// A wave takes each iteration one stage on. In it, each comes after the one before, which is
    /// one stage ahead: that is as far as sticks reach. Rows enter right before the first
    /// iteration needs them, and leave right after the last: they are in the first-level cache.
    ///
    /// # Safety
    /// - All columns are as long as the sheet or its layout, and valid for reading and writing
    ///   at the rows of the stages, and those that their sticks reach; nobody else uses them
    ///   meanwhile, nor the share of `scratch` of that block.
    pub(crate) unsafe fn descend(
        &self,
        stages: &[Stage],
        block: usize,
        enter: Option<Pass<'_, D>>,
        iterations: usize,
        leave: bool,
    ) {
        let Self { machine, constants, sheets, presence, scratch, finite, .. } = *self;
        let row_len = sheets.layout.registers * STRIDE;
        let over_rows = |rows: &Range<usize>, pass| {
            // SAFETY: by contract; the slice is used by this pass alone.
            machine.run(unsafe {
                let scratch = slice::from_raw_parts_mut(scratch.0.add(block * row_len), row_len);
                OverRows::new(sheets, rows.clone(), pass, scratch, finite)
            });
        };
        let last = iterations.saturating_sub(1);
        for wave in 0..stages.len() + last {
            let behind = |stages_back: usize| stages.get(wave.checked_sub(stages_back)?);
            if let (Some(pass), Some(stage)) = (enter, behind(0)) {
                over_rows(&stage.enter, pass);
            }
            for Stage { strips, .. } in (0..iterations).filter_map(behind) {
                let Sheets { strided, inverse_mass, .. } = sheets;
                // SAFETY: by contract.
                machine
                    .run(unsafe { Relax::new(constants, strided, inverse_mass, presence, strips) });
            }
            if let (true, Some(stage)) = (leave, behind(last)) {
                over_rows(&stage.leave, Pass::WriteBack);
            }
        }
    }
}
