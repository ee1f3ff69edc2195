//! Graph colouring: no two sticks of a colour share a particle.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::lists::GroupedLists;

/// Colours below this are tracked in bit masks, the others in sets.
const MASKED_COLOURS: u32 = u64::BITS;

/// Scratch memory for colouring groups of sticks. Only the touched masks are reset after a group,
/// so the cost of a group is proportional to its sticks.
pub(super) struct Colouring {
    /// For each particle, a mask of the colours below [`MASKED_COLOURS`] that its sticks have.
    masks: Vec<u64>,
}

/// The colours of a particle's sticks that are not in its mask. They are numbered from
/// [`MASKED_COLOURS`]: 0 stands for that colour.
#[derive(Default)]
struct Overflow {
    /// All colours below this are taken.
    first_free: u32,
    /// The taken colours above `first_free`.
    taken: BTreeSet<u32>,
}

impl Overflow {
    fn take(&mut self, colour: u32) {
        self.taken.insert(colour);
        while self.taken.remove(&self.first_free) {
            self.first_free += 1;
        }
    }

    fn is_free(&self, colour: u32) -> bool {
        colour >= self.first_free && !self.taken.contains(&colour)
    }
}

impl Colouring {
    pub(super) fn new(particles: usize) -> Self {
        Self { masks: alloc::vec![0; particles] }
    }

    /// Colours the sticks of `group` (indices into `ends`) and passes the sticks of each colour to
    /// `emit`, in the order of the group.
    pub(super) fn colour(
        &mut self,
        ends: &[[u32; 2]],
        group: &[u32],
        mut emit: impl FnMut(&[u32]),
    ) {
        let mut colours = self.first_fit(ends, group);
        self.balance(ends, group, &mut colours);
        for &stick in group {
            for end in ends[stick as usize] {
                self.masks[end as usize] = 0;
            }
        }
        let by_colour = colours.iter().copied().zip(group.iter().copied());
        GroupedLists::new(colour_count(&colours), by_colour).iter().for_each(&mut emit);
    }

    /// Gives each stick the first colour that no other stick at its ends has. Let Δ be the largest
    /// number of sticks at one particle. A stick then has at most `2 Δ - 2` other sticks at its ends,
    /// so one of the first `2 Δ - 1` colours is free.
    fn first_fit(&mut self, ends: &[[u32; 2]], group: &[u32]) -> Vec<u32> {
        let mut overflows: BTreeMap<u32, Overflow> = BTreeMap::new();
        let mut take_first_free = |&stick: &u32| {
            let [a, b] = ends[stick as usize];
            let colour = (self.masks[a as usize] | self.masks[b as usize]).trailing_ones();
            if colour < MASKED_COLOURS {
                self.masks[a as usize] |= 1 << colour;
                self.masks[b as usize] |= 1 << colour;
                return colour;
            }
            let first_free = |end| overflows.get(&end).map_or(0, |overflow| overflow.first_free);
            let is_free =
                |end, colour| overflows.get(&end).is_none_or(|overflow| overflow.is_free(colour));
            let mut overflow_colour = first_free(a).max(first_free(b));
            while !(is_free(a, overflow_colour) && is_free(b, overflow_colour)) {
                overflow_colour += 1;
            }
            for end in [a, b] {
                overflows.entry(end).or_default().take(overflow_colour);
            }
            MASKED_COLOURS + overflow_colour
        };
        group.iter().map(&mut take_first_free).collect()
    }

    /// Moves sticks from colours above the mean size to the smallest colours that no other stick at
    /// their ends has, because the last colours of a first fit are small. Only masked colours are
    /// balanced.
    fn balance(&mut self, ends: &[[u32; 2]], group: &[u32], colours: &mut [u32]) {
        let mut sizes = alloc::vec![0_usize; colour_count(colours)];
        for &colour in &*colours {
            sizes[colour as usize] += 1;
        }
        sizes.truncate(MASKED_COLOURS as usize);
        let mean = sizes.iter().sum::<usize>().div_ceil(sizes.len().max(1));
        let below_mean_mask = |sizes: &[usize]| {
            sizes
                .iter()
                .enumerate()
                .fold(0_u64, |mask, (colour, &size)| mask | u64::from(size < mean) << colour)
        };
        let mut below_mean = below_mean_mask(&sizes);
        // Moves sticks from the end of the group first, so that the first sticks of large colours
        // keep their regular order.
        for (&stick, colour) in group.iter().zip(colours).rev() {
            if below_mean == 0 {
                break;
            }
            if *colour >= MASKED_COLOURS || sizes[*colour as usize] <= mean {
                continue;
            }
            let [a, b] = ends[stick as usize].map(|end| end as usize);
            let possible = below_mean & !(self.masks[a] | self.masks[b]);
            let smallest = (0..sizes.len())
                .filter(|&colour| possible >> colour & 1 == 1)
                .min_by_key(|&colour| sizes[colour]);
            if let Some(target) = smallest {
                for end in [a, b] {
                    self.masks[end] ^= 1 << *colour | 1 << target;
                }
                sizes[*colour as usize] -= 1;
                sizes[target] += 1;
                *colour = target as u32;
                if sizes[target] >= mean {
                    below_mean = below_mean_mask(&sizes);
                }
            }
        }
    }
}

/// One more than the largest colour.
fn colour_count(colours: &[u32]) -> usize {
    colours.iter().max().map_or(0, |&last| last as usize + 1)
}
