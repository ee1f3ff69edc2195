//! The lanes and slots of a sheet, padding included.

use alloc::vec::Vec;

use taut_core::{Formula, Sheet};

use crate::band_tasks::{self, BandTask};
use crate::constants::Constants;
use crate::layout::Layout;
use crate::narrow::NarrowSheet;

/// How many lanes an iteration relaxes in the plan of a sheet, and how many slots that plan has, padding
/// included; for estimates of the cost of a step.
///
/// ```
/// use taut_core::{Family, Sheet};
/// use taut_grid::PaddedSheet;
///
/// // A row has 14 particles in a register of 16 lanes. Its 13 sticks form two batches, and each
/// // batch relaxes the whole register.
/// let PaddedSheet { relaxed_lanes, slots } =
///     PaddedSheet::new(&Sheet::new(14, 10, &[Family::Row]), 16);
/// assert_eq!((relaxed_lanes, slots), (10 * 2 * 16, 10 * 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedSheet {
    /// How many lanes an iteration relaxes if the plan runs on one thread.
    pub relaxed_lanes: usize,
    /// How many slots the plan has: the length of a column, such as one coordinate of all particles.
    pub slots: usize,
}

impl PaddedSheet {
    /// The padded size of a sheet on registers of `lanes` lanes, at most 16.
    pub fn new(sheet: &Sheet, lanes: usize) -> Self {
        let layout = Layout::new(sheet.width(), sheet.height(), lanes);
        let mut band_tasks = band_tasks::band_tasks(sheet);
        let relaxed_lanes = if layout.is_narrow() {
            let constants = Constants::new(sheet, layout, Formula::default());
            let narrow = NarrowSheet::new(&constants, &mut band_tasks, &[]);
            narrow.tasks.iter().map(Vec::len).sum::<usize>() * lanes
        } else {
            let row_count = |task: &BandTask| -> usize {
                task.strips.iter().map(|strip| strip.rows.len()).sum()
            };
            band_tasks.iter().map(row_count).sum::<usize>() * layout.row_lanes()
        };
        Self { relaxed_lanes, slots: layout.len() }
    }
}
