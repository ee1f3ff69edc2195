//! Regular sheets: width, height and families imply the sticks and the schedule.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Builder, Schedule, plain_first};
use crate::real::Real;
use crate::sticks::Sticks;

/// The number of rows of a band. Bands are relaxed in sequence, each band family by family. With one
/// iteration per step, sheets in bands of 1 row blow up, and in bands of 4 rows they are stable; 8
/// rows converge better and fit in the L1 cache.
pub const BAND_ROWS: usize = 8;
/// The number of rows of a band of a sheet wider than [`BAND_WIDTH_MAX`]: 8 rows of 1024 columns do
/// not fit in the L1 cache and take 10 % more time than 4 rows.
pub const WIDE_BAND_ROWS: usize = 4;
/// The maximum number of columns of a sheet whose bands have [`BAND_ROWS`] rows.
pub const BAND_WIDTH_MAX: usize = 512;

/// The number of rows of a block, on every machine. Blocks are the tasks of threads; seams join them.
/// Seams cost no time, but they make convergence worse: on 128 x 128 with shear and bend sticks, the
/// rms stretch is 3 % higher than without seams, and 12 % higher with blocks of 32 rows.
pub const BLOCK_ROWS: usize = 64;
// A seam uses the last two rows of a block and the first two rows of the next block. With at least
// 4 rows per block, seams share no particle.
const _: () = assert!(BLOCK_ROWS.is_multiple_of(BAND_ROWS) && BLOCK_ROWS >= 4);

/// The sticks of one direction in a regular sheet, given by the (column, row) of their ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// (i, j) to (i + 1, j).
    Row,
    /// (i, j) to (i, j + 1).
    Column,
    /// (i, j) to (i + 1, j + 1).
    Diagonal,
    /// (i + 1, j) to (i, j + 1).
    Antidiagonal,
    /// (i, j) to (i + 2, j).
    Row2,
    /// (i, j) to (i, j + 2).
    Column2,
    /// (i, j) to (i + 2, j + 2).
    Diagonal2,
    /// (i + 2, j) to (i, j + 2).
    Antidiagonal2,
    /// (i, j) to (i + 2, j + 1). Where each cell is split along its [`Diagonal`](Self::Diagonal),
    /// it joins the opposite corners of adjacent triangles, together with
    /// [`TallDiagonal`](Self::TallDiagonal) and [`Antidiagonal`](Self::Antidiagonal).
    WideDiagonal,
    /// (i + 2, j) to (i, j + 1): the mirror image of [`WideDiagonal`](Self::WideDiagonal).
    WideAntidiagonal,
    /// (i, j) to (i + 1, j + 2).
    TallDiagonal,
    /// (i + 1, j) to (i, j + 2).
    TallAntidiagonal,
}

impl Family {
    /// Rows and columns: structural sticks.
    pub const STRUCTURAL: &[Self] = &[Self::Row, Self::Column];
    /// Structural sticks and both diagonals, which resist shear.
    pub const SHEAR: &[Self] = &[Self::Row, Self::Column, Self::Diagonal, Self::Antidiagonal];
    /// The families of [`SHEAR`](Self::SHEAR) and the same with span 2, which resist bending (as in
    /// Mosegaard's tutorial).
    pub const BEND: &[Self] = &[
        Self::Row,
        Self::Column,
        Self::Diagonal,
        Self::Antidiagonal,
        Self::Row2,
        Self::Column2,
        Self::Diagonal2,
        Self::Antidiagonal2,
    ];
    /// All families of this enum.
    pub const ALL: &[Self] = &[
        Self::Row,
        Self::Column,
        Self::Diagonal,
        Self::Antidiagonal,
        Self::Row2,
        Self::Column2,
        Self::Diagonal2,
        Self::Antidiagonal2,
        Self::WideDiagonal,
        Self::WideAntidiagonal,
        Self::TallDiagonal,
        Self::TallAntidiagonal,
    ];

    /// The distance between the ends of a stick, in columns and rows.
    pub const fn span(self) -> [usize; 2] {
        match self {
            Self::Row => [1, 0],
            Self::Column => [0, 1],
            Self::Diagonal | Self::Antidiagonal => [1, 1],
            Self::Row2 => [2, 0],
            Self::Column2 => [0, 2],
            Self::Diagonal2 | Self::Antidiagonal2 => [2, 2],
            Self::WideDiagonal | Self::WideAntidiagonal => [2, 1],
            Self::TallDiagonal | Self::TallAntidiagonal => [1, 2],
        }
    }

    /// Whether its sticks run from the upper right to the lower left.
    pub const fn leans_left(self) -> bool {
        matches!(
            self,
            Self::Antidiagonal
                | Self::Antidiagonal2
                | Self::WideAntidiagonal
                | Self::TallAntidiagonal
        )
    }

    /// The larger of the spans across and down: 1 or 2.
    const fn larger_span(self) -> usize {
        let [across, down] = self.span();
        if across > down { across } else { down }
    }

    /// The columns of both ends, the end in the upper row first, for the stick whose bounding box
    /// begins at column `i`.
    const fn columns(self, i: usize) -> [usize; 2] {
        let [across, _] = self.span();
        if self.leans_left() { [i + across, i] } else { [i, i + across] }
    }
}

/// A regular sheet: `width` columns by `height` rows of particles, particle (i, j) being
/// number `j width + i`, and the families of sticks between them.
///
/// Sticks are numbered in this order: for j, for i, the families whose larger
/// [span](Family::span) is 1, in the order of [`Family`]; then for j, for i, those with 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    width: usize,
    height: usize,
    families: Vec<Family>,
}

/// The given sticks differ from those of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} sticks of a sheet of {particles} particles, found {}", found(self))]
pub struct SheetError {
    /// How many sticks the sheet has.
    pub expected: usize,
    /// How many particles the sheet has.
    pub particles: usize,
    /// How many sticks were given.
    pub given: usize,
    /// Of how many particles.
    pub given_particles: usize,
    /// The first stick whose ends differ, or that only one of the two lists has. `None` if only the
    /// numbers of particles differ.
    pub first_difference: Option<usize>,
}

/// What was given instead of the sticks of a sheet.
fn found(SheetError { given, given_particles, first_difference, .. }: &SheetError) -> String {
    match first_difference {
        Some(stick) => format!("{given} sticks (first difference: stick {stick})"),
        None => format!("the same sticks of {given_particles} particles"),
    }
}

/// A block, a seam or a band of a sheet: the sticks whose upper and lower ends are in given rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetBlock {
    /// The rows of the upper ends.
    upper: Range<usize>,
    /// The rows of the lower ends.
    lower: Range<usize>,
    /// The number of rows of a band.
    band_rows: usize,
}

impl SheetBlock {
    /// The rows in which the upper ends of its sticks are.
    pub fn rows(&self) -> Range<usize> {
        self.upper.clone()
    }

    /// Its bands, in the order of the schedule.
    pub fn bands(&self) -> impl Iterator<Item = Self> + use<> {
        let Self { upper, lower, band_rows } = self.clone();
        let end = upper.end;
        upper.step_by(band_rows).map(move |first| Self {
            upper: first..end.min(first + band_rows),
            lower: lower.clone(),
            band_rows,
        })
    }

    /// The strips of its bands, in the order of the schedule: a family, and the rows of the band in
    /// which the upper ends of its sticks are.
    pub fn strips<'a>(
        &self,
        families: &'a [Family],
    ) -> impl Iterator<Item = (Family, Range<usize>)> + use<'a> {
        self.bands().flat_map(move |Self { upper, lower, .. }| {
            families.iter().filter_map(move |&family| {
                let [_, down] = family.span();
                let first = upper.start.max(lower.start.saturating_sub(down));
                let end = upper.end.min(lower.end.saturating_sub(down));
                (first < end).then_some((family, first..end))
            })
        })
    }
}

impl Sheet {
    /// A sheet of the given families, in any order; duplicates are removed.
    pub fn new(width: usize, height: usize, families: &[Family]) -> Self {
        let mut families = families.to_vec();
        families.sort_unstable();
        families.dedup();
        Self { width, height, families }
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The number of rows of a band, which depends on the width only.
    pub fn band_rows(&self) -> usize {
        if self.width > BAND_WIDTH_MAX { WIDE_BAND_ROWS } else { BAND_ROWS }
    }

    /// Its families, in order.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The ends of all sticks, in the order of their numbers.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        self.stick_locations().map(|(family, i, j)| self.ends(family, i, j)).collect()
    }

    /// The family of each stick, and the column and row at which its bounding box begins, in the
    /// order of stick numbers.
    pub fn stick_locations(&self) -> impl Iterator<Item = (Family, usize, usize)> {
        // Skips a span that no stick has, because each span takes a loop over all cells.
        let spans = [1, 2].into_iter().filter(|&span| {
            let mut of_span = self.families.iter().filter(|family| family.larger_span() == span);
            of_span.any(|&family| self.fits(family, 0, 0))
        });
        spans.flat_map(move |span| {
            let of_span = move |family: &Family| family.larger_span() == span;
            (0..self.height).flat_map(move |j| {
                (0..self.width).flat_map(move |i| {
                    let of_this_span = self.families.iter().copied().filter(of_span);
                    of_this_span
                        .filter(move |&family| self.fits(family, i, j))
                        .map(move |family| (family, i, j))
                })
            })
        })
    }

    /// The number of the stick of a family whose bounding box begins at column `i`, row `j` (its
    /// index in [`stick_locations`](Self::stick_locations)), if there is one.
    pub fn stick_number(&self, family: Family, i: usize, j: usize) -> Option<u32> {
        if !(self.fits(family, i, j) && self.families.contains(&family)) {
            return None;
        }
        let of_same_span =
            self.families.iter().filter(|other| other.larger_span() == family.larger_span());
        // Counts the sticks of `other` that come before: those in the rows above, in the cells to the
        // left and in this cell.
        let before = of_same_span.map(|&other| {
            let [across, down] = other.span();
            let [columns, rows] =
                [self.width.saturating_sub(across), self.height.saturating_sub(down)];
            let left = if j < rows { i.min(columns) } else { 0 };
            j.min(rows) * columns + left + usize::from(other < family && self.fits(other, i, j))
        });
        let before: usize = before.sum();
        let of_smaller_span = if family.larger_span() == 1 {
            0
        } else {
            self.count_sticks(|family| family.larger_span() == 1)
        };
        Some((of_smaller_span + before) as u32)
    }

    /// How many sticks the sheet has, saturating.
    pub fn stick_count(&self) -> usize {
        self.count_sticks(|_| true)
    }

    /// The number of sticks of the `selected` families, saturating.
    fn count_sticks(&self, selected: impl Fn(&Family) -> bool) -> usize {
        let count = |family: &Family| {
            let [across, down] = family.span();
            self.width.saturating_sub(across).saturating_mul(self.height.saturating_sub(down))
        };
        let families = self.families.iter().filter(|&family| selected(family));
        families.map(count).fold(0, usize::saturating_add)
    }

    /// Whether the stick of a family whose bounding box begins at (i, j) lies within the sheet.
    fn fits(&self, family: Family, i: usize, j: usize) -> bool {
        let [across, down] = family.span();
        i + across < self.width && j + down < self.height
    }

    /// The ends of the stick of a family whose bounding box begins at (i, j).
    fn ends(&self, family: Family, i: usize, j: usize) -> [u32; 2] {
        let [_, down] = family.span();
        let [a, b] = family.columns(i);
        [(j * self.width + a) as u32, ((j + down) * self.width + b) as u32]
    }

    /// The blocks of the schedule that this sheet implies, phase by phase: first blocks of
    /// [`BLOCK_ROWS`] rows, then the seams between them. Sticks reach two rows at most, so seams
    /// share no particle. A sheet without columns has no blocks.
    pub fn phases(&self) -> [Vec<SheetBlock>; 2] {
        // Without columns there are no particles, so their number does not limit the height.
        let height = if self.width == 0 { 0 } else { self.height };
        let rows = |first: usize| first..height.min(first + BLOCK_ROWS);
        let firsts = (0..height).step_by(BLOCK_ROWS);
        let band_rows = self.band_rows();
        let inside = |first| SheetBlock { upper: rows(first), lower: rows(first), band_rows };
        let seam = |first| SheetBlock { upper: first - 2..first, lower: rows(first), band_rows };
        [firsts.clone().map(inside).collect(), firsts.skip(1).map(seam).collect()]
    }

    /// The schedule that this sheet implies, written out: two phases of the blocks of
    /// [`phases`](Self::phases); in a block, bands of [`band_rows`](Self::band_rows) in sequence;
    /// in a band one family after the other; in a family row by row. A row is one batch, or two
    /// alternating ones where the sticks lie along the row. If any stick of the sheet is not plain, each
    /// of these batches is split into its plain sticks and then the others.
    ///
    /// # Errors
    /// If `sticks` are not [the sheet's](Sheet::pairs).
    pub fn schedule<S: Real>(&self, sticks: &Sticks<S>) -> Result<Schedule, SheetError> {
        // Compare one by one, because a huge sheet must be rejected without allocating its sticks.
        let mut pairs = self.stick_locations().map(|(family, i, j)| self.ends(family, i, j));
        let equal = sticks.ends().iter().take_while(|&&given| pairs.next() == Some(given)).count();
        let particles = self.width.saturating_mul(self.height);
        let expected = self.stick_count();
        if equal != expected || sticks.len() != expected || sticks.particles() != particles {
            return Err(SheetError {
                expected,
                particles,
                given: sticks.len(),
                given_particles: sticks.particles(),
                first_difference: (equal < expected.max(sticks.len())).then_some(equal),
            });
        }
        let mut builder = Builder::new(sticks.len());
        let all_plain = (0..sticks.len()).all(|stick| sticks.is_plain(stick));
        for phase in self.phases() {
            for block in phase {
                for (family, rows) in block.strips(&self.families) {
                    for batch in rows.flat_map(|row| self.batches(family, row)) {
                        if all_plain {
                            builder.add_batch(batch);
                        } else {
                            for group in plain_first(sticks, batch) {
                                builder.add_batch(group);
                            }
                        }
                    }
                }
                builder.end_block();
            }
            builder.end_phase();
        }
        Ok(builder.finish_proven(sticks).with_sheet(self.clone()))
    }

    /// The batches of a family and a row: one batch, or two batches of alternate sticks if the sticks
    /// lie along the row and so share particles.
    fn batches(
        &self,
        family: Family,
        row: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let [across, down] = family.span();
        let batch_count = if down == 0 { 2 } else { 1 };
        (0..batch_count).map(move |parity| {
            (0..self.width)
                .filter(move |column| batch_count == 1 || column / across % 2 == parity)
                .filter_map(move |column| self.stick_number(family, column, row))
        })
    }
}
