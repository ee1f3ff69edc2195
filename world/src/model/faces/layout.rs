//! The order in which wind visits triangles.

use core::array;
use core::ops::Range;
use core::slice::{from_mut, from_ref};
use std::collections::BTreeMap;

use taut_core::RunKey;

use super::around::{Around, BLOCK, Slot};
use super::remove_indices;

/// Distance in blocks between the stores of results and their loads: stores have reached the cache
/// by then, so loads that span two stores do not stall.
const SETTLED: usize = 4;

/// Sixteen consecutive slots for the results of as many triangles. Slots of two blocks may overlap:
/// the common results are computed twice and are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub(crate) first: u32,
    /// A bit for each existing triangle. Others were removed, or are gaps in a row.
    pub(crate) there: u16,
}

impl Slots {
    pub(super) fn range(self) -> Range<usize> {
        self.first as usize..self.first as usize + BLOCK
    }
}

/// Triangles by their corners, each with its slots.
#[derive(Clone, Debug)]
pub(crate) enum Triangles {
    /// Sixteen pairs (a, b, c) and (a, c, d), by the corners of the first; those of each next pair
    /// are one higher: cells of a sheet.
    Pairs([u32; 4], [Slots; 2]),
    /// Sixteen triangles, likewise.
    Row([u32; 3], Slots),
    /// Sixteen triangles anywhere.
    Scattered(Box<[[u32; BLOCK]; 3]>, Slots),
}

impl Triangles {
    /// The lowest corner of the first.
    fn lowest(&self) -> u32 {
        match self {
            Self::Pairs([a, b, c, d], _) => *a.min(b).min(c).min(d),
            Self::Row([a, b, c], _) => *a.min(b).min(c),
            Self::Scattered(corners, _) => {
                let [a, b, c] = corners.each_ref().map(|of_each| of_each[0]);
                a.min(b).min(c)
            }
        }
    }

    pub(super) fn slots(&self) -> &[Slots] {
        match self {
            Self::Pairs(_, slots) => slots,
            Self::Row(_, slots) | Self::Scattered(_, slots) => from_ref(slots),
        }
    }

    fn slots_mut(&mut self) -> &mut [Slots] {
        match self {
            Self::Pairs(_, slots) => slots,
            Self::Row(_, slots) | Self::Scattered(_, slots) => from_mut(slots),
        }
    }
}

/// Sixteen triangles, or pairs of triangles, that are processed at once.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) triangles: Triangles,
    /// How many more shares of particles are complete after this block, as all their slots are
    /// written.
    pub(crate) completes: u32,
}

/// Largest step between consecutive triangles of a row. Above 1 it skips gaps, as at the edges of a
/// sheet, where the next row of cells begins one particle later.
const STRIDE: u32 = 4;

/// Largest ratio of the length of a row to its number of triangles.
const SPARSEST: usize = 3;

/// Triangles in the order in which their corners lie in memory, each with a slot; and for each
/// particle the slots of its triangles, in the order of the faces.
///
/// Sums over the triangles of a particle follow the order of the faces, whatever the order in
/// memory: the numbering of particles does not change the bits.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<Block>,
    pub(crate) around: Around,
    /// How many slots there are, padding included.
    pub(crate) slots: usize,
    /// The slot of each face.
    slot_of: Vec<u32>,
}

impl Layout {
    pub(super) fn new(faces: &[[u32; 3]]) -> Self {
        // This groups the rows of a sheet.
        let sorted = RunKey::sorted((0..).zip(faces).map(|(number, &[first, b, c])| {
            let direction = [b, c].map(|corner| i64::from(corner) - i64::from(first));
            RunKey { direction, first, number }
        }));
        let length = |row: &[RunKey<_>]| (row[row.len() - 1].first - row[0].first) as usize + 1;
        let (rows, scattered): (Vec<_>, Vec<_>) = RunKey::runs(&sorted, STRIDE)
            .partition(|row| (BLOCK..=SPARSEST * row.len()).contains(&length(row)));
        let mut slot_of = vec![0; faces.len()];
        let mut first_slot = 0;
        let rows = rows.into_iter().map(|row| {
            let (corners, length) = (faces[row[0].number as usize], length(row));
            for face in row {
                slot_of[face.number as usize] = first_slot + (face.first - corners[0]);
            }
            let row = Row { corners, length, slot: first_slot };
            first_slot = (first_slot + length as u32).next_multiple_of(BLOCK as u32);
            row
        });
        let mut blocks = Row::in_pairs(rows.collect());
        let mut scattered: Vec<u32> = scattered.concat().iter().map(|face| face.number).collect();
        // Groups triangles that are near each other in memory.
        scattered.sort_by_key(|&face| faces[face as usize].into_iter().min());
        for some in scattered.chunks(BLOCK) {
            // A block that is not full repeats its last triangle.
            let face_in = |lane: usize| some[lane.min(some.len() - 1)] as usize;
            let corners =
                array::from_fn(|corner| array::from_fn(|lane| faces[face_in(lane)][corner]));
            let slots = Slots { first: first_slot, there: 0 };
            let triangles = Triangles::Scattered(Box::new(corners), slots);
            blocks.push(Block { triangles, completes: 0 });
            for (&face, slot) in some.iter().zip(first_slot..) {
                slot_of[face as usize] = slot;
            }
            first_slot += BLOCK as u32;
        }

        let slots = first_slot as usize;
        let mut contents_of = vec![Slot::Never; slots];
        for slots in blocks.iter().flat_map(|block| block.triangles.slots()) {
            contents_of[slots.range()].fill(Slot::Gap);
        }
        for &slot in &slot_of {
            contents_of[slot as usize] = Slot::Face;
        }
        for slots in blocks.iter_mut().flat_map(|block| block.triangles.slots_mut()) {
            for (lane, slot) in contents_of[slots.range()].iter().enumerate() {
                slots.there |= u16::from(*slot == Slot::Face) << lane;
            }
        }
        let around = Around::new(faces, &slot_of, &contents_of);
        // In the memory order of particles, so that these are completed in order, too.
        blocks.sort_by_key(|block| block.triangles.lowest());
        complete(&around, &mut blocks, slots);
        Self { blocks, around, slots, slot_of }
    }

    /// Removes the faces with these numbers, in ascending order; later ones move up.
    ///
    /// One pass over the blocks, however many faces go: each slot is in two blocks at most, but a
    /// search for them per face makes a tear of the whole sheet quadratic in its size.
    pub(super) fn remove(&mut self, gone: &[usize]) {
        if gone.is_empty() {
            return;
        }
        let mut is_gone = vec![false; self.slots];
        for &face in gone {
            is_gone[self.slot_of[face] as usize] = true;
        }
        for slots in self.blocks.iter_mut().flat_map(|block| block.triangles.slots_mut()) {
            #[cfg(test)]
            tests::VISITS.set(tests::VISITS.get() + 1);
            for (lane, &is_gone) in is_gone[slots.range()].iter().enumerate() {
                slots.there &= !(u16::from(is_gone) << lane);
            }
        }
        remove_indices(&mut self.slot_of, gone);
    }
}

/// Sets after which block, in this order, each share is complete and its stores have settled.
fn complete(around: &Around, blocks: &mut [Block], slots: usize) {
    let mut written_by = vec![0; slots];
    for (nth, block) in blocks.iter().enumerate().rev() {
        for slots in block.triangles.slots() {
            written_by[slots.range()].fill(nth);
        }
    }
    let mut last = 0;
    for share in &around.shares {
        for slot in around.of(share) {
            let of_share = &written_by[slot..][..share.len as usize];
            last = of_share.iter().copied().fold(last, usize::max);
        }
        let after = (last + SETTLED).min(blocks.len() - 1);
        blocks[after].completes += 1;
    }
}

/// Triangles whose corners are those of the first plus an offset below `length`.
struct Row {
    corners: [u32; 3],
    length: usize,
    slot: u32,
}

impl Row {
    /// The edge (a, b) of the first triangle, and the length. Two rows form pairs if the first edge
    /// of one is the last edge of the other.
    fn first_edge(&self) -> ([u32; 2], usize) {
        let [a, b, _] = self.corners;
        ([a, b], self.length)
    }

    /// The edge (a, c) of the first triangle, and the length.
    fn last_edge(&self) -> ([u32; 2], usize) {
        let [a, _, c] = self.corners;
        ([a, c], self.length)
    }

    /// The blocks of all rows, as pairs where two rows match.
    fn in_pairs(rows: Vec<Self>) -> Vec<Block> {
        let places = rows.iter().map(Self::first_edge).zip(0..);
        let places: BTreeMap<_, usize> = places.collect();
        let mut rows: Vec<Option<Self>> = rows.into_iter().map(Some).collect();
        let mut blocks = Vec::new();
        for nth in 0..rows.len() {
            let Some(row) = rows[nth].take() else { continue };
            let other = places.get(&row.last_edge()).and_then(|&other| rows[other].take());
            match other {
                Some(other) => row.blocks_with(&other, &mut blocks),
                None => rows[nth] = Some(row),
            }
        }
        for row in rows.into_iter().flatten() {
            row.blocks(&mut blocks);
        }
        blocks
    }

    fn blocks(&self, blocks: &mut Vec<Block>) {
        blocks.extend(self.starts().map(|nth| {
            let corners = self.corners.map(|corner| corner + nth);
            Block { triangles: Triangles::Row(corners, self.slots(nth)), completes: 0 }
        }));
    }

    /// Adds the blocks of this row and its partner.
    fn blocks_with(&self, other: &Self, blocks: &mut Vec<Block>) {
        let ([a, b, c], [.., d]) = (self.corners, other.corners);
        blocks.extend(self.starts().map(|nth| {
            let corners = [a, b, c, d].map(|corner| corner + nth);
            let slots = [self.slots(nth), other.slots(nth)];
            Block { triangles: Triangles::Pairs(corners, slots), completes: 0 }
        }));
    }

    /// Where its blocks begin; the last ends where the row does.
    fn starts(&self) -> impl Iterator<Item = u32> + use<> {
        let last = self.length - BLOCK;
        (0..last).step_by(BLOCK).chain([last]).map(|nth| nth as u32)
    }

    fn slots(&self, nth: u32) -> Slots {
        Slots { first: self.slot + nth, there: 0 }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use proptest::prelude::*;

    use super::{Layout, Slots};

    thread_local! {
        /// How many groups of slots removals have looked at.
        pub(super) static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    /// The two faces of each cell of a sheet, cut along one diagonal or the other.
    fn sheet(columns: u32, rows: u32, cuts: &[bool]) -> Vec<[u32; 3]> {
        let cells = (0..(rows - 1) * columns).filter(|corner| (corner + 1) % columns != 0);
        let cut = |(nth, corner): (usize, u32)| {
            let [a, b, c, d] = [0, 1, columns + 1, columns].map(|step| corner + step);
            if cuts[nth % cuts.len()] { [[a, d, b], [b, d, c]] } else { [[a, d, c], [a, c, b]] }
        };
        cells.enumerate().flat_map(cut).collect()
    }

    /// The slots of all blocks, and those of all faces.
    fn contents(layout: &Layout) -> (Vec<(u32, u16)>, Vec<u32>) {
        let slots = layout.blocks.iter().flat_map(|block| block.triangles.slots());
        let slots = slots.map(|&Slots { first, there }| (first, there)).collect();
        (slots, layout.slot_of.clone())
    }

    proptest! {
        #[test]
        fn faces_removed_together_leave_what_faces_removed_one_by_one_leave(
            columns in 2..60_u32,
            rows in 2..8_u32,
            cuts in prop::collection::vec(any::<bool>(), 1..5),
            keeps in prop::collection::vec(any::<bool>(), 1..40),
        ) {
            let faces = sheet(columns, rows, &cuts);
            let gone: Vec<usize> =
                (0..faces.len()).filter(|face| !keeps[face % keeps.len()]).collect();
            let mut together = Layout::new(&faces);
            let mut one_by_one = together.clone();
            together.remove(&gone);
            for &face in gone.iter().rev() {
                one_by_one.remove(&[face]);
            }
            prop_assert_eq!(contents(&together), contents(&one_by_one));
            // What is left is there in every block that has its slot, and nothing else is.
            let there = |slot: u32| together.slot_of.contains(&slot);
            for slots in together.blocks.iter().flat_map(|block| block.triangles.slots()) {
                for lane in 0..16 {
                    prop_assert_eq!(slots.there & 1 << lane != 0, there(slots.first + lane));
                }
            }
        }
    }

    #[test]
    fn removing_all_faces_takes_work_in_proportion_to_their_number() {
        for size in [32, 64, 128] {
            let faces = sheet(size, size, &[true]);
            let mut layout = Layout::new(&faces);
            VISITS.set(0);
            layout.remove(&(0..faces.len()).collect::<Vec<_>>());
            assert!(VISITS.get() <= faces.len() / 8, "{} for {}", VISITS.get(), faces.len());
            assert!(contents(&layout).0.iter().all(|(_, there)| *there == 0));
        }
    }
}
