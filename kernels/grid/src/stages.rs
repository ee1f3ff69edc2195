//! The order in which the kernel goes down a sheet.

use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{Sheet, SheetBlock};

/// Sticks of one strand, by its place in the sheet, and the rows that they begin in.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) strand: usize,
    pub(crate) rows: Range<usize>,
}

/// Some rows, and sticks to be relaxed in sequence.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// The rows of this stage and of no other.
    pub(crate) rows: Range<usize>,
    pub(crate) strips: Vec<Strip>,
}

impl Stage {
    /// A block of the schedule or one of its bands, whose rows are its own.
    fn new(sheet: &Sheet, block: &SheetBlock) -> Self {
        Self { rows: block.rows(), strips: strips(sheet, block) }
    }
}

/// The blocks of the schedule, each as a stage: those of the first phase, which have all rows
/// among them, and then the seams, which have none of their own.
pub(crate) fn blocks(sheet: &Sheet) -> [Vec<Stage>; 2] {
    let [blocks, seams] = sheet.phases();
    let seam = |seam| Stage { rows: 0..0, strips: strips(sheet, seam) };
    [
        blocks.iter().map(|block| Stage::new(sheet, block)).collect(),
        seams.iter().map(seam).collect(),
    ]
}

/// The whole schedule as stages, one a band, of which only neighbours share particles. Sticks
/// that share none may change places, and nobody can see it: so a seam can be relaxed as soon
/// as the first band below it has been.
pub(crate) fn stages(sheet: &Sheet) -> Vec<Stage> {
    let [blocks, seams] = sheet.phases();
    let mut stages = Vec::new();
    let mut seams = seams.iter();
    for block in &blocks {
        let first = stages.len();
        stages.extend(block.bands().map(|band| Stage::new(sheet, &band)));
        if first > 0 {
            let seam = seams.next().into_iter().flat_map(|seam| strips(sheet, seam));
            stages[first].strips.extend(seam);
        }
    }
    stages
}

fn strips(sheet: &Sheet, block: &SheetBlock) -> Vec<Strip> {
    let families = sheet.families();
    block
        .strips(families)
        .filter_map(|(family, rows)| {
            let [across, _] = family.span();
            let strand = families.iter().position(|&other| other == family)?;
            (sheet.width() > across).then_some(Strip { strand, rows })
        })
        .collect()
}
