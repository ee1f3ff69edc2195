//! Regular sheets: sticks and schedule implied by a few numbers.

use alloc::vec::Vec;
use core::ops::Range;

use super::{Builder, Schedule, plain_first};
use crate::real::Real;
use crate::sticks::Sticks;

/// How many rows a band has. Within a band one family is relaxed after the other, and bands
/// follow each other; all families of one row before the next row (bands of 1) explodes with
/// one iteration a step, 4 rows suffice, 8 converge better and stay in the first-level cache.
pub const BAND_ROWS: usize = 8;
/// How many rows a band of a sheet has that is wider than [`WIDE`]: 8 rows of 1024 columns
/// outgrow the first-level cache and cost a tenth more time.
pub const WIDE_BAND_ROWS: usize = 4;
/// The most columns of a sheet whose bands have [`BAND_ROWS`].
pub const WIDE: usize = 512;

/// How many rows a block has, whatever the machine: a sheet of more rows is cut into blocks,
/// which threads may take, with a seam between each two. The seams cost no time, but some
/// convergence: 3 % more rms stretch than without on 128 x 128 with shear and bend, where
/// blocks of 32 rows cost 12 %.
pub const BLOCK_ROWS: usize = 64;
const _: () = assert!(BLOCK_ROWS.is_multiple_of(BAND_ROWS) && BLOCK_ROWS >= 4);

/// The sticks of one direction in a regular sheet.
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
}

impl Family {
    /// Rows and columns: what makes a sheet hang together.
    pub const STRUCTURAL: &[Self] = &[Self::Row, Self::Column];
    /// Besides, both diagonals: it resists shear.
    pub const SHEAR: &[Self] = &[Self::Row, Self::Column, Self::Diagonal, Self::Antidiagonal];
    /// Besides, the same two apart: it resists bending (the set of Mosegaard's tutorial).
    pub const ALL: &[Self] = &[
        Self::Row,
        Self::Column,
        Self::Diagonal,
        Self::Antidiagonal,
        Self::Row2,
        Self::Column2,
        Self::Diagonal2,
        Self::Antidiagonal2,
    ];

    /// How far apart its ends are, in columns and rows.
    pub const fn span(self) -> [usize; 2] {
        match self {
            Self::Row => [1, 0],
            Self::Column => [0, 1],
            Self::Diagonal | Self::Antidiagonal => [1, 1],
            Self::Row2 => [2, 0],
            Self::Column2 => [0, 2],
            Self::Diagonal2 | Self::Antidiagonal2 => [2, 2],
        }
    }

    /// 1 between neighbours, 2 between next ones.
    const fn reach(self) -> usize {
        let [across, down] = self.span();
        if across > down { across } else { down }
    }

    /// The columns of its two ends, of which the first end is in the upper row, for the stick
    /// whose bounding cells begin at column `i`.
    const fn columns(self, i: usize) -> [usize; 2] {
        let [across, _] = self.span();
        match self {
            Self::Antidiagonal | Self::Antidiagonal2 => [i + across, i],
            _ => [i, i + across],
        }
    }
}

/// A regular sheet: `width` columns by `height` rows of particles, particle (i, j) being
/// number `j width + i`, and the families of sticks between them.
///
/// Sticks are numbered as one would write them down: for j, for i, the families of span 1 in
/// the order of [`Family`]; then for j, for i, those of span 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    width: usize,
    height: usize,
    families: Vec<Family>,
}

/// Sticks that are not those of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sheet has {expected} sticks out of {particles} particles; the sticks given are {given}, and differ from stick {first_difference} on"
)]
pub struct SheetError {
    /// How many the sheet has.
    pub expected: usize,
    /// How many particles it has.
    pub particles: usize,
    /// How many were given.
    pub given: usize,
    /// The first stick that joins other particles, or is missing on one side.
    pub first_difference: usize,
}

/// The sticks of a sheet from some of its rows to some of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetBlock {
    from: Range<usize>,
    to: Range<usize>,
    band_rows: usize,
}

impl SheetBlock {
    /// The rows that it begins in.
    pub fn rows(&self) -> Range<usize> {
        self.from.clone()
    }

    /// Its bands, which the schedule takes in this order.
    pub fn bands(&self) -> impl Iterator<Item = Self> + use<> {
        let Self { from, to, band_rows } = self.clone();
        let end = from.end;
        from.step_by(band_rows).map(move |first| Self {
            from: first..end.min(first + band_rows),
            to: to.clone(),
            band_rows,
        })
    }

    /// In the order of the schedule, families and the rows that their sticks begin in (the
    /// upper one of two), at most a band of them.
    pub fn strips<'a>(
        &self,
        families: &'a [Family],
    ) -> impl Iterator<Item = (Family, Range<usize>)> + use<'a> {
        self.bands().flat_map(move |Self { from, to, .. }| {
            families.iter().filter_map(move |&family| {
                let [_, down] = family.span();
                let first = from.start.max(to.start.saturating_sub(down));
                let end = from.end.min(to.end.saturating_sub(down));
                (first < end).then_some((family, first..end))
            })
        })
    }
}

impl Sheet {
    /// A sheet of the families given, in any order; twice the same counts once.
    pub fn new(width: usize, height: usize, families: &[Family]) -> Self {
        let mut families = families.to_vec();
        families.sort_unstable();
        families.dedup();
        Self { width, height, families }
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many rows are a band, by the width alone.
    pub fn band_rows(&self) -> usize {
        if self.width > WIDE { WIDE_BAND_ROWS } else { BAND_ROWS }
    }

    /// Its families, in order.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The ends of all sticks, in the order of their numbers.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        self.numbered().map(|(family, i, j)| self.ends(family, i, j)).collect()
    }

    /// The families, with the place of each stick, in the order of the sticks' numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (Family, usize, usize)> {
        // A span without a stick is left out: walking over all cells would find nothing.
        let spans = [1, 2].into_iter().filter(|&span| {
            self.families.iter().any(|&family| family.reach() == span && self.has(family, 0, 0))
        });
        spans.flat_map(move |span| {
            let of_span = move |family: &Family| family.reach() == span;
            (0..self.height).flat_map(move |j| {
                (0..self.width).flat_map(move |i| {
                    let here = self.families.iter().copied().filter(of_span);
                    here.filter(move |&family| self.has(family, i, j))
                        .map(move |family| (family, i, j))
                })
            })
        })
    }

    /// The number of the stick of a family whose bounding cells begin at column `i`, row `j`
    /// (its place in [`numbered`](Self::numbered)), if there is one.
    pub fn number(&self, family: Family, i: usize, j: usize) -> Option<u32> {
        if !(self.has(family, i, j) && self.families.contains(&family)) {
            return None;
        }
        let span = family.reach();
        let of_span = |&&other: &&Family| other.reach() == span;
        let (all, flat, upright) =
            self.families.iter().filter(of_span).fold((0, 0, 0), |(all, flat, upright), other| {
                let [across, down] = other.span();
                (all + 1, flat + usize::from(down == 0), upright + usize::from(across == 0))
            });
        // The last `span` rows have flat families only, and the last `span` columns upright ones.
        let along = |flat_too: bool, to: usize| {
            let (full, upright) = if flat_too { (all, upright) } else { (flat, 0) };
            let inner = self.width.saturating_sub(span);
            to.min(inner) * full + to.saturating_sub(inner) * upright
        };
        let upper = self.height.saturating_sub(span);
        let rows = j.min(upper) * along(true, self.width)
            + j.saturating_sub(upper) * along(false, self.width);
        let before = self
            .families
            .iter()
            .filter(of_span)
            .take_while(|&&other| other != family)
            .filter(|&&other| self.has(other, i, j))
            .count();
        let first_of_span = if span == 1 { 0 } else { self.sticks(|family| family.reach() == 1) };
        Some((first_of_span + rows + along(j < upper, i) + before) as u32)
    }

    /// How many sticks the families have that are `counted`; at most `usize::MAX`.
    fn sticks(&self, counted: impl Fn(&Family) -> bool) -> usize {
        let count = |family: &Family| {
            let [across, down] = family.span();
            self.width.saturating_sub(across).saturating_mul(self.height.saturating_sub(down))
        };
        let families = self.families.iter().filter(|&family| counted(family));
        families.map(count).fold(0, usize::saturating_add)
    }

    fn has(&self, family: Family, i: usize, j: usize) -> bool {
        let [across, down] = family.span();
        i + across < self.width && j + down < self.height
    }

    fn ends(&self, family: Family, i: usize, j: usize) -> [u32; 2] {
        let [_, down] = family.span();
        let [a, b] = family.columns(i);
        [(j * self.width + a) as u32, ((j + down) * self.width + b) as u32]
    }

    /// The blocks of the schedule that this sheet implies, phase by phase: first
    /// [`BLOCK_ROWS`] rows each, then the seams between them. Sticks reach two rows at most,
    /// so seams do not meet.
    pub fn phases(&self) -> [Vec<SheetBlock>; 2] {
        let rows = |first: usize| first..self.height.min(first + BLOCK_ROWS);
        let firsts = (0..self.height).step_by(BLOCK_ROWS);
        let band_rows = self.band_rows();
        let inside = |first| SheetBlock { from: rows(first), to: rows(first), band_rows };
        let seam = |first| SheetBlock { from: first - 2..first, to: rows(first), band_rows };
        [firsts.clone().map(inside).collect(), firsts.skip(1).map(seam).collect()]
    }

    /// The schedule that this sheet implies, written out: two phases of the blocks of
    /// [`phases`](Self::phases); in a block, bands of [`band_rows`](Self::band_rows) in sequence; in a band
    /// one family after the other; in a family row by row, each row one batch (two, every other
    /// stick, where the sticks lie along the row).
    ///
    /// # Errors
    /// If `sticks` are not [the sheet's](Sheet::pairs).
    pub fn schedule<S: Real>(&self, sticks: &Sticks<S>) -> Result<Schedule, SheetError> {
        // Compared one by one, so that a sheet of any size is refused without memory for its sticks.
        let mut pairs = self.numbered().map(|(family, i, j)| self.ends(family, i, j));
        let same = sticks.ends().iter().take_while(|&&given| pairs.next() == Some(given)).count();
        let particles = self.width.saturating_mul(self.height);
        let expected = self.sticks(|_| true);
        if same != expected || sticks.len() != expected || sticks.particles() != particles {
            return Err(SheetError {
                expected,
                particles,
                given: sticks.len(),
                first_difference: same,
            });
        }
        let mut builder = Builder::new(sticks.len());
        let all_plain = (0..sticks.len()).all(|stick| sticks.is_plain(stick));
        for phase in self.phases() {
            for block in phase {
                for (family, rows) in block.strips(&self.families) {
                    for batch in rows.flat_map(|row| self.batches(family, row)) {
                        if all_plain {
                            builder.batch(batch);
                        } else {
                            for group in plain_first(sticks, batch.collect()) {
                                builder.batch(group);
                            }
                        }
                    }
                }
                builder.end_block();
            }
            builder.end_phase();
        }
        Ok(builder.finish_proven(sticks).implied_by(self.clone()))
    }

    /// The sticks of one family that begin in one row, as sets of independent ones: one set,
    /// or two where each stick of the row shares particles with its neighbours.
    fn batches(
        &self,
        family: Family,
        row: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let [across, down] = family.span();
        let parities = if down == 0 { 2 } else { 1 };
        (0..parities).map(move |parity| {
            (0..self.width)
                .filter(move |column| parities == 1 || column / across % 2 == parity)
                .filter_map(move |column| self.number(family, column, row))
        })
    }
}
