//! Sorting pairs of ends, and finding duplicates.

use alloc::vec::Vec;

use crate::lists::GroupedLists;

/// The indices of `pairs`, sorted by lower end, then higher end, then index: a radix sort of two
/// stable counting sorts.
pub(crate) fn sorted_by_ends(pairs: &[[u32; 2]], particles: usize) -> Vec<u32> {
    let by_higher =
        GroupedLists::new(particles, (0..).zip(pairs).map(|(pair, &[a, b])| (a.max(b), pair)));
    let lower = |&pair: &u32| pairs[pair as usize][0].min(pairs[pair as usize][1]);
    GroupedLists::new(particles, by_higher.items().iter().map(|pair| (lower(pair), *pair)))
        .into_items()
}

/// Whether two pairs join the same particles.
pub(crate) fn same_ends([a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
    (a.min(b), a.max(b)) == (c.min(d), c.max(d))
}

/// For each pair, whether no earlier one joins the same particles.
pub(super) fn first_occurrences(pairs: &[[u32; 2]], particles: usize) -> Vec<bool> {
    let mut is_first = alloc::vec![true; pairs.len()];
    for adjacent in sorted_by_ends(pairs, particles).windows(2) {
        let [before, after] = [adjacent[0] as usize, adjacent[1] as usize];
        is_first[after] = !same_ends(pairs[before], pairs[after]);
    }
    is_first
}
