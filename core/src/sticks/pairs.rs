//! Sorting pairs of ends, and finding duplicates.

use alloc::vec::Vec;

/// The numbers of `pairs` sorted by lower end, higher end, number: a radix sort of two stable
/// counting sorts.
pub(crate) fn sorted_by_ends(pairs: &[[u32; 2]], particles: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
    let mut sorted = order.clone();
    for key in [u32::max as fn(u32, u32) -> u32, u32::min] {
        let key = |pair: u32| {
            let [a, b] = pairs[pair as usize];
            key(a, b) as usize
        };
        let mut starts = alloc::vec![0_u32; particles + 1];
        for &pair in &order {
            starts[key(pair) + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        for &pair in &order {
            let start = &mut starts[key(pair)];
            sorted[*start as usize] = pair;
            *start += 1;
        }
        core::mem::swap(&mut order, &mut sorted);
    }
    order
}

/// Whether two pairs join the same particles.
pub(crate) fn same_ends([a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
    (a.min(b), a.max(b)) == (c.min(d), c.max(d))
}

/// For each pair, whether no earlier one joins the same particles.
pub(super) fn first_of_each(pairs: &[[u32; 2]], particles: usize) -> Vec<bool> {
    let mut first = alloc::vec![true; pairs.len()];
    for two in sorted_by_ends(pairs, particles).windows(2) {
        let [before, after] = [two[0] as usize, two[1] as usize];
        first[after] = !same_ends(pairs[before], pairs[after]);
    }
    first
}
