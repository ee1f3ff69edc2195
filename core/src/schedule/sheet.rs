//! Regular sheets: sticks and schedule implied by a few numbers.

use alloc::vec::Vec;

use super::{Builder, Schedule, plain_first};
use crate::real::Real;
use crate::sticks::Sticks;

/// How many rows a band has. Within a band one family is relaxed after the other, and bands
/// follow each other; all families of one row before the next row (bands of 1) explodes with
/// one iteration a step, 4 rows just suffice, 8 are safe and stay in the first-level cache.
pub const BAND_ROWS: usize = 8;

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
        [1, 2].into_iter().flat_map(move |span| {
            let of_span = move |family: &Family| {
                let [across, down] = family.span();
                across.max(down) == span
            };
            (0..self.height).flat_map(move |j| {
                (0..self.width).flat_map(move |i| {
                    let here = self.families.iter().copied().filter(of_span);
                    here.filter(move |&family| self.has(family, i, j))
                        .map(move |family| (family, i, j))
                })
            })
        })
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

    /// The schedule that this sheet implies, written out: bands of [`BAND_ROWS`] rows in
    /// sequence; in a band one family after the other; in a family row by row, each row one
    /// batch (two, every other stick, where the sticks lie along the row). One phase, one
    /// block.
    ///
    /// # Errors
    /// If `sticks` are not [the sheet's](Sheet::pairs).
    pub fn schedule<S: Real>(&self, sticks: &Sticks<S>) -> Result<Schedule, SheetError> {
        let pairs = self.pairs();
        let particles = self.width * self.height;
        if sticks.ends() != pairs || sticks.particles() != particles {
            let same = sticks.ends().iter().zip(&pairs).take_while(|(given, pair)| given == pair);
            return Err(SheetError {
                expected: pairs.len(),
                particles,
                given: sticks.len(),
                first_difference: same.count(),
            });
        }
        let mut of_row: Vec<[Vec<u32>; 2]> = Vec::new();
        of_row.resize_with(self.families.len() * self.height, Default::default);
        for (stick, (family, i, j)) in self.numbered().enumerate() {
            let at = self.families.binary_search(&family).unwrap_or_default();
            let [across, down] = family.span();
            let parity = if down == 0 { i / across % 2 } else { 0 };
            of_row[at * self.height + j][parity].push(stick as u32);
        }
        let mut builder = Builder::new(sticks.len());
        for band in (0..self.height).step_by(BAND_ROWS) {
            let rows = band..self.height.min(band + BAND_ROWS);
            for family in 0..self.families.len() {
                for row in rows.clone() {
                    for batch in core::mem::take(&mut of_row[family * self.height + row]) {
                        for group in plain_first(sticks, batch) {
                            builder.batch(group);
                        }
                    }
                }
            }
        }
        builder.end_block();
        builder.end_phase();
        Ok(builder.finish_proven(sticks))
    }
}
