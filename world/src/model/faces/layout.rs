//! The order in which wind visits triangles.

use core::array;
use core::ops::Range;
use core::slice::{from_mut, from_ref};
use std::collections::BTreeMap;

use super::around::{Around, Slot};
use super::leave_out;

/// Triangles are visited in blocks of this many: the widest register of `f32` there is.
pub(crate) const BLOCK: usize = taut_core::PADDING;

/// Sixteen slots in sequence for what is found out about as many triangles. Those of two blocks may
/// overlap: what they have in common is found out twice, and is the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub(crate) first: u32,
    /// A bit for each triangle that is there. Others are gone, or never were: gaps in a row.
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
    /// Sixteen pairs (a, b, c) and (a, c, d), by the corners of the first; those of the next are the
    /// same, plus one: cells of a sheet.
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

/// What is visited in one go.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) triangles: Triangles,
    /// The next so many shares of particles are to be handed out after this block, as all their slots
    /// are found out.
    pub(crate) completes: u32,
}

/// A row goes on after up to so many triangles less one that are not there, as at the edges of a
/// sheet, where the corners of the next row of cells begin one particle later.
const STRIDE: i64 = 4;

/// A row is at most so many times as long as it has triangles.
const SPARSEST: usize = 3;

/// Triangles in the order in which their corners lie in memory, each with a slot, and the way back:
/// for each particle the slots of its triangles, in the order of the faces.
///
/// So what a particle sums up over its triangles is summed in the order of the faces, whatever the
/// order in memory is: the numbering of particles cannot be seen in the bits.
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
        // Where the corners lie to each other, and then where they are: rows of a sheet come
        // together.
        let place = |face: u32| {
            let [a, b, c] = faces[face as usize].map(i64::from);
            ([b - a, c - a], a)
        };
        let mut order: Vec<u32> = (0..faces.len() as u32).collect();
        order.sort_by_key(|&face| place(face));
        let follows = |&one: &u32, &next: &u32| {
            let ((shape, a), (of_next, next)) = (place(one), place(next));
            shape == of_next && (1..=STRIDE).contains(&(next - a))
        };
        let length = |row: &[u32]| {
            let [first, last] = [row[0], row[row.len() - 1]].map(|face| faces[face as usize][0]);
            (last - first) as usize + 1
        };
        let (rows, scattered): (Vec<&[u32]>, Vec<&[u32]>) = order
            .chunk_by(follows)
            .partition(|row| (BLOCK..=SPARSEST * row.len()).contains(&length(row)));
        let mut slot_of = vec![0; faces.len()];
        let mut first_slot = 0;
        let rows = rows.into_iter().map(|row| {
            let (corners, length) = (faces[row[0] as usize], length(row));
            for &face in row {
                slot_of[face as usize] = first_slot + (faces[face as usize][0] - corners[0]);
            }
            let row = Row { corners, length, slot: first_slot };
            first_slot = (first_slot + length as u32).next_multiple_of(BLOCK as u32);
            row
        });
        let mut blocks = Row::in_pairs(rows.collect());
        let mut scattered = scattered.concat();
        // Those that lie near each other in memory come together.
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
        let mut found_out = vec![Slot::Never; slots];
        for slots in blocks.iter().flat_map(|block| block.triangles.slots()) {
            found_out[slots.range()].fill(Slot::Gap);
        }
        for &slot in &slot_of {
            found_out[slot as usize] = Slot::Face;
        }
        for slots in blocks.iter_mut().flat_map(|block| block.triangles.slots_mut()) {
            for (lane, slot) in found_out[slots.range()].iter().enumerate() {
                slots.there |= u16::from(*slot == Slot::Face) << lane;
            }
        }
        let around = Around::new(faces, &slot_of, &found_out);
        // Along the memory of the particles, which then are complete one after the other.
        blocks.sort_by_key(|block| block.triangles.lowest());
        around.complete(&mut blocks, slots);
        Self { blocks, around, slots, slot_of }
    }

    /// Leaves out the faces of these numbers, in ascending order; those after them move up.
    pub(super) fn remove(&mut self, gone: &[usize]) {
        for &face in gone {
            let slot = self.slot_of[face] as usize;
            for slots in self.blocks.iter_mut().flat_map(|block| block.triangles.slots_mut()) {
                if slots.range().contains(&slot) {
                    slots.there &= !(1 << (slot - slots.range().start));
                }
            }
        }
        leave_out(&mut self.slot_of, gone);
    }
}

/// Triangles whose corners are those of the first, plus a number less than the length.
struct Row {
    corners: [u32; 3],
    length: usize,
    slot: u32,
}

impl Row {
    /// The first edge at the first corner, and how many there are. Another row whose first edges are
    /// these last ones goes with this one in pairs.
    fn first_edge(&self) -> ([u32; 2], usize) {
        let [a, b, _] = self.corners;
        ([a, b], self.length)
    }

    /// The last edge at the first corner, likewise.
    fn last_edge(&self) -> ([u32; 2], usize) {
        let [a, _, c] = self.corners;
        ([a, c], self.length)
    }

    /// The blocks of all rows: in pairs where two go together.
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

    /// Those of this row and of the other that goes with it.
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
