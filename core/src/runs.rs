//! Runs: sequences of sticks or triangles whose corners (of a stick: its ends) increase by 1 from
//! each item to the next (`[4, 6]`, `[5, 7]`, ...), as in a sheet.

use alloc::vec::Vec;

/// The sort key of a stick or triangle: by direction, then by first corner, then by number, so that
/// the items of a run are next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKey<T = u32> {
    /// The offsets of the other corners from the first.
    pub direction: T,
    /// The first corner.
    pub first: u32,
    /// The number of the item.
    pub number: u32,
}

impl RunKey {
    /// The key of a stick, from its number and ends.
    pub fn stick(number: u32, [a, b]: [u32; 2]) -> Self {
        Self { direction: b.wrapping_sub(a), first: a, number }
    }
}

impl<T: Copy + Ord> RunKey<T> {
    /// Sorts items, so that the items of a run are next to each other.
    ///
    /// ```
    /// use taut_core::RunKey;
    ///
    /// let ends = [[0, 1], [4, 6], [1, 2], [2, 3], [5, 7]];
    /// let keys = (0..).zip(ends).map(|(stick, ends)| RunKey::stick(stick, ends));
    /// let sorted = RunKey::sorted(keys);
    /// let numbers = |run: &[RunKey]| run.iter().map(|key| key.number).collect::<Vec<u32>>();
    /// let runs: Vec<_> = RunKey::runs(&sorted, 1).map(numbers).collect();
    /// assert_eq!(runs, [vec![0, 2, 3], vec![1, 4]]);
    /// ```
    pub fn sorted(items: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sorted = Vec::from_iter(items);
        sorted.sort_unstable();
        sorted
    }

    /// Splits sorted items into runs that are as long as possible: items of one direction, whose
    /// first corners increase by 1 to `stride` from one item to the next.
    pub fn runs(sorted: &[Self], stride: u32) -> impl Iterator<Item = &[Self]> {
        sorted.chunk_by(move |previous, next| {
            previous.direction == next.direction
                && (1..=stride).contains(&(next.first - previous.first))
        })
    }
}
