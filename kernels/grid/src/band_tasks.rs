//! The order in which the kernel relaxes the bands and seams of a sheet.

use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{BAND_ROWS, Sheet, SheetBlock, WIDE_BAND_ROWS};

/// The maximum number of rows that a stick spans.
const ROW_SPAN_MAX: usize = 2;
/// Let `end(s)` be the row after band s. After band s + 1, a substep has finished all rows before
/// `end(s + 1) - ROW_SPAN_MAX`. The next substep, at band s, needs all rows before
/// `end(s) + ROW_SPAN_MAX`. So a band needs at least `2 * ROW_SPAN_MAX` rows. (The last band may be
/// shorter, because all rows are finished after it.)
const _: () = assert!(BAND_ROWS >= 2 * ROW_SPAN_MAX && WIDE_BAND_ROWS >= 2 * ROW_SPAN_MAX);

/// Sticks of one family that begin in consecutive rows; `family` is the index of the family in the
/// constants.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) family: usize,
    pub(crate) rows: Range<usize>,
}

/// A part of a sweep (an iteration, with the motion before it if it is the first of its substep: see
/// `time_skewed_sweep.rs`), usually a band: sticks to be relaxed in sequence, and the rows that the
/// sweep enters and leaves.
#[derive(Clone, Debug)]
pub(crate) struct BandTask {
    /// Rows that no earlier task uses: the leading loop of a substep, such as motion, runs on them
    /// before the sticks are relaxed.
    pub(crate) entering: Range<usize>,
    pub(crate) strips: Vec<Strip>,
    /// Rows that no later task uses: they are written back after the last iteration of the sticks.
    pub(crate) leaving: Range<usize>,
}

impl BandTask {
    /// Consecutive tasks as one task; `None` if there are no tasks.
    pub(crate) fn merged(tasks: &[Self]) -> Option<Self> {
        let [first, .., last] = tasks else { return tasks.first().cloned() };
        Some(Self {
            entering: first.entering.start..last.entering.end,
            strips: tasks.iter().flat_map(|task| task.strips.iter().cloned()).collect(),
            leaving: first.leaving.start..last.leaving.end,
        })
    }
}

/// The blocks of both phases, each as a task: the blocks of the first phase, and the seams. A loop
/// over rows that runs apart from relaxation, such as motion or write-back, runs on the entering rows
/// of the blocks of the first phase: all their rows, although seams use some of them, too. Seams have
/// no such rows. The leaving rows are not used.
pub(crate) fn blocks(sheet: &Sheet) -> [Vec<BandTask>; 2] {
    let [blocks, seams] = sheet.phases();
    let task = |block: &SheetBlock, rows: Range<usize>| BandTask {
        entering: rows.clone(),
        strips: strips(sheet, block),
        leaving: rows,
    };
    [
        blocks.iter().map(|block| task(block, block.rows())).collect(),
        seams.iter().map(|seam| task(seam, 0..0)).collect(),
    ]
}

/// The whole schedule as tasks, one per band; only adjacent tasks share particles. Sticks that
/// share no particle may be reordered without changing the result, so a seam is relaxed right
/// after the first band below it.
pub(crate) fn band_tasks(sheet: &Sheet) -> Vec<BandTask> {
    let [blocks, seams] = sheet.phases();
    let mut seams = seams.iter();
    let mut tasks: Vec<BandTask> = Vec::new();
    for block in &blocks {
        // The first block has no seam above it.
        let mut seam = if tasks.is_empty() { None } else { seams.next() };
        for band in block.bands() {
            let (leaving_start, entering_start) =
                tasks.last().map_or((0, 0), |last| (last.leaving.end, last.entering.end));
            let mut strips_of_task = strips(sheet, &band);
            strips_of_task.extend(seam.take().into_iter().flat_map(|seam| strips(sheet, seam)));
            let rows = band.rows();
            tasks.push(BandTask {
                entering: entering_start..sheet.height().min(rows.end + ROW_SPAN_MAX),
                strips: strips_of_task,
                leaving: leaving_start..if rows.end == sheet.height() {
                    rows.end
                } else {
                    rows.end - ROW_SPAN_MAX
                },
            });
        }
    }
    tasks
}

/// The strips of a block, without those of families whose sticks are too wide for the sheet.
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
