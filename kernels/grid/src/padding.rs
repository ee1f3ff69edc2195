//! The lanes and slots of a sheet, padding included.

use alloc::vec::Vec;

use taut_core::{Formula, Sheet};

use crate::constants::Constants;
use crate::layout::Layout;
use crate::narrow::Narrow;
use crate::stages::{self, SweepStage};

/// How many lanes relax a sheet and how many numbers store it, for models of the cost of a step.
///
/// ```
/// use taut_core::{Family, Sheet};
/// use taut_grid::PaddedSheet;
///
/// // A row of 16 lanes has 14 particles. Its 13 sticks are two batches, of the same register.
/// let PaddedSheet { relaxed_lanes, slots } =
///     PaddedSheet::new(&Sheet::new(14, 10, &[Family::Row]), 16);
/// assert_eq!((relaxed_lanes, slots), (10 * 2 * 16, 10 * 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedSheet {
    /// The lanes that an iteration relaxes, on one thread.
    pub relaxed_lanes: usize,
    /// The numbers of a column, such as a coordinate of all particles.
    pub slots: usize,
}

impl PaddedSheet {
    /// On registers of `lanes` lanes, at most 16.
    pub fn new(sheet: &Sheet, lanes: usize) -> Self {
        let layout = Layout::new(sheet.width(), sheet.height(), lanes);
        let mut stages = stages::stages(sheet);
        let relaxed_lanes = if layout.is_narrow() {
            let constants = Constants::new(sheet, layout, Formula::default());
            let narrow = Narrow::new(&constants, &mut stages, &[]);
            narrow.stages.iter().map(Vec::len).sum::<usize>() * lanes
        } else {
            let rows = |stage: &SweepStage| -> usize {
                stage.strips.iter().map(|strip| strip.rows.len()).sum()
            };
            stages.iter().map(rows).sum::<usize>() * layout.row_lanes()
        };
        Self { relaxed_lanes, slots: layout.len() }
    }
}
