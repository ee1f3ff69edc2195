//! The order in which the kernel relaxes the bands and seams of a sheet.

use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{BAND_ROWS, Sheet, SheetBlock, WIDE_BAND_ROWS};

/// The maximum number of rows that a stick spans.
const REACH: usize = 2;
/// After stage s + 1 a substep has finished the rows up to `REACH` before that band's end; the next
/// substep enters rows up to `REACH` after the end of band s. (The last band may be shorter.)
const _: () = assert!(BAND_ROWS >= 2 * REACH && WIDE_BAND_ROWS >= 2 * REACH);

/// Sticks of one family (its index in the constants), and the rows that they begin in.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) family: usize,
    pub(crate) rows: Range<usize>,
}

/// Sticks to be relaxed in sequence, and the rows that enter and leave the sweep here.
#[derive(Clone, Debug)]
pub(crate) struct SweepStage {
    /// Rows that no earlier stage uses.
    pub(crate) enter: Range<usize>,
    pub(crate) strips: Vec<Strip>,
    /// Rows that no later stage uses.
    pub(crate) leave: Range<usize>,
}

impl SweepStage {
    /// Consecutive stages as one.
    pub(crate) fn merged(stages: &[Self]) -> Option<Self> {
        let [first, .., last] = stages else { return stages.first().cloned() };
        Some(Self {
            enter: first.enter.start..last.enter.end,
            strips: stages.iter().flat_map(|stage| stage.strips.iter().cloned()).collect(),
            leave: first.leave.start..last.leave.end,
        })
    }
}

/// The blocks of the schedule, each as a stage: those of the first phase, which together enter
/// all rows, and then the seams, which enter none.
pub(crate) fn blocks(sheet: &Sheet) -> [Vec<SweepStage>; 2] {
    let [blocks, seams] = sheet.phases();
    let stage = |block: &SheetBlock, rows: Range<usize>| SweepStage {
        enter: rows.clone(),
        strips: strips(sheet, block),
        leave: rows,
    };
    [
        blocks.iter().map(|block| stage(block, block.rows())).collect(),
        seams.iter().map(|seam| stage(seam, 0..0)).collect(),
    ]
}

/// The whole schedule as stages, one per band; only adjacent stages share particles. Sticks that
/// share no particle may be reordered without changing the result, so a seam is relaxed right
/// after the first band below it.
pub(crate) fn stages(sheet: &Sheet) -> Vec<SweepStage> {
    let [blocks, seams] = sheet.phases();
    let mut seams = seams.iter();
    let mut stages: Vec<SweepStage> = Vec::new();
    for block in &blocks {
        // The first block has no seam above it.
        let mut seam = if stages.is_empty() { None } else { seams.next() };
        for band in block.bands() {
            let (leave_start, enter_start) =
                stages.last().map_or((0, 0), |last| (last.leave.end, last.enter.end));
            let mut sticks = strips(sheet, &band);
            sticks.extend(seam.take().into_iter().flat_map(|seam| strips(sheet, seam)));
            let rows = band.rows();
            stages.push(SweepStage {
                enter: enter_start..sheet.height().min(rows.end + REACH),
                strips: sticks,
                leave: leave_start..if rows.end == sheet.height() {
                    rows.end
                } else {
                    rows.end - REACH
                },
            });
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
            let index = families.iter().position(|&other| other == family)?;
            (sheet.width() > across).then_some(Strip { family: index, rows })
        })
        .collect()
}
