//! The order in which wind visits triangles.

use core::array;
use core::ops::Range;

use super::leave_out;

/// Triangles are visited in blocks of this many: the widest register of `f32` there is.
pub(crate) const BLOCK: usize = taut_core::PADDING;

/// Where the corners of sixteen triangles in sequence are.
#[derive(Clone, Debug)]
pub(crate) enum Corners {
    /// The next triangle's corners are those of this one, plus one: rows of a sheet.
    Consecutive([u32; 3]),
    /// Anywhere.
    Scattered(Box<[[u32; BLOCK]; 3]>),
}

impl Corners {
    /// The lowest corner of the first triangle.
    fn lowest(&self) -> u32 {
        let [a, b, c] = match self {
            Self::Consecutive(firsts) => *firsts,
            Self::Scattered(corners) => corners.each_ref().map(|of_each| of_each[0]),
        };
        a.min(b).min(c)
    }
}

/// Sixteen triangles, and the first of the sixteen slots for what is found out about them. Blocks
/// may overlap: what they have in common is found out twice, and is the same.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) corners: Corners,
    pub(crate) slot: u32,
    /// A bit for each that is there. Others are gone, or never were: gaps in a row.
    pub(crate) there: u16,
    /// The next so many shares of particles are to be handed out after this block, as all their slots
    /// are found out.
    pub(crate) completes: u32,
}

/// So many blocks later what was found out about one is in the nearest cache, and loads that span two
/// stores need not wait for them.
const SETTLED: usize = 4;

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
        let mut blocks = Vec::new();
        let mut slot_of = vec![0; faces.len()];
        let mut first_slot = 0;
        for row in rows {
            let (corners, length) = (faces[row[0] as usize], length(row));
            let last = length - BLOCK;
            for first in (0..last).step_by(BLOCK).chain([last]) {
                let first = first as u32;
                let corners = Corners::Consecutive(corners.map(|corner| corner + first));
                blocks.push(Block { corners, slot: first_slot + first, there: 0, completes: 0 });
            }
            for &face in row {
                slot_of[face as usize] = first_slot + (faces[face as usize][0] - corners[0]);
            }
            first_slot = (first_slot + length as u32).next_multiple_of(BLOCK as u32);
        }
        let mut scattered = scattered.concat();
        // Those that lie near each other in memory come together.
        scattered.sort_by_key(|&face| faces[face as usize].into_iter().min());
        for some in scattered.chunks(BLOCK) {
            // A block that is not full repeats its last triangle.
            let face_in = |lane: usize| some[lane.min(some.len() - 1)] as usize;
            let corners =
                array::from_fn(|corner| array::from_fn(|lane| faces[face_in(lane)][corner]));
            let corners = Corners::Scattered(Box::new(corners));
            blocks.push(Block { corners, slot: first_slot, there: 0, completes: 0 });
            for (&face, slot) in some.iter().zip(first_slot..) {
                slot_of[face as usize] = slot;
            }
            first_slot += BLOCK as u32;
        }

        let slots = first_slot as usize;
        let mut found_out = vec![Slot::Never; slots];
        for block in &blocks {
            found_out[block.slots()].fill(Slot::Gap);
        }
        for &slot in &slot_of {
            found_out[slot as usize] = Slot::Face;
        }
        for block in &mut blocks {
            for (lane, slot) in found_out[block.slots()].iter().enumerate() {
                block.there |= u16::from(*slot == Slot::Face) << lane;
            }
        }
        let around = Around::new(faces, &slot_of, &found_out);
        // Along the memory of the particles, which then are complete one after the other.
        blocks.sort_by_key(|block| block.corners.lowest());
        around.complete(&mut blocks, slots);
        Self { blocks, around, slots, slot_of }
    }

    /// Leaves out the faces of these numbers, in ascending order; those after them move up.
    pub(super) fn remove(&mut self, gone: &[usize]) {
        for &face in gone {
            let slot = self.slot_of[face] as usize;
            for block in self.blocks.iter_mut().filter(|block| block.slots().contains(&slot)) {
                block.there &= !(1 << (slot - block.slots().start));
            }
        }
        leave_out(&mut self.slot_of, gone);
    }
}

impl Block {
    fn slots(&self) -> Range<usize> {
        self.slot as usize..self.slot as usize + BLOCK
    }
}

/// What is in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// What is found out about a triangle.
    Face,
    /// Nothing, and so 0.
    Gap,
    /// Anything: nobody writes to it.
    Never,
}

/// For each particle the slots of its triangles, in the order of the faces.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) shares: Vec<Share>,
    slots: Vec<u32>,
    /// The most triangles that meet in a particle.
    pub(crate) most: u32,
}

/// Particles in sequence, [`BLOCK`] of them at most, the slots around each of which are those around
/// the one before, plus one. Where one has fewer triangles than others some of its slots are gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) first: u32,
    pub(crate) len: u32,
    /// The first so many of them have got theirs by an earlier share.
    pub(crate) done: u32,
    /// Where the slots are, to which `nth` is added for those around the first of them.
    slots: [u32; 2],
    pub(crate) nth: u32,
}

impl Around {
    fn new(faces: &[[u32; 3]], slot_of: &[u32], found_out: &[Slot]) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(3 * faces.len());
        for (corners, &slot) in faces.iter().zip(slot_of) {
            pairs.extend(corners.map(|corner| [corner, slot]));
        }
        pairs.sort_by_key(|&[particle, _]| particle); // stable: by faces
        let mut around = Self { shares: Vec::new(), slots: Vec::new(), most: 0 };
        let (mut first, mut len, mut slots) = (0, 0, Vec::new());
        for of_one in pairs.chunk_by(|one, next| one[0] == next[0]) {
            let particle = of_one[0][0];
            around.most = around.most.max(of_one.len() as u32);
            let of_one: Vec<u32> = of_one.iter().map(|&[_, slot]| slot).collect();
            let follows = len > 0 && first + len == particle;
            let joined = follows.then(|| joined(&slots, len, &of_one, found_out)).flatten();
            if let Some(joined) = joined {
                (len, slots) = (len + 1, joined);
            } else {
                around.share_out(first, len, &slots);
                (first, len, slots) = (particle, 1, of_one);
            }
        }
        around.share_out(first, len, &slots);
        around
    }

    /// Particles in sequence by the slots around the first of them.
    fn share_out(&mut self, first: u32, len: u32, slots: &[u32]) {
        let from = self.slots.len() as u32;
        self.slots.extend(slots);
        let slots = [from, self.slots.len() as u32];
        let block = BLOCK as u32;
        let mut done = 0;
        while done < len {
            // From whole blocks of memory on, if they have not ended by then; and whole blocks in
            // any case, though a part of them is done.
            let aligned = ((first + done) / block * block).saturating_sub(first);
            let nth = aligned.min(len.saturating_sub(block));
            let of_share = block.min(len - nth);
            self.shares.push(Share {
                first: first + nth,
                len: of_share,
                done: done - nth,
                slots,
                nth,
            });
            done = nth + of_share;
        }
    }

    /// Notes after which of the blocks, in this order, which shares are complete and settled.
    fn complete(&self, blocks: &mut [Block], slots: usize) {
        let mut found_by = vec![0; slots];
        for (nth, block) in blocks.iter().enumerate().rev() {
            found_by[block.slots()].fill(nth);
        }
        let mut last = 0;
        for share in &self.shares {
            for slot in self.of(share) {
                let of_share = &found_by[slot..][..share.len as usize];
                last = of_share.iter().copied().fold(last, usize::max);
            }
            let after = (last + SETTLED).min(blocks.len() - 1);
            blocks[after].completes += 1;
        }
    }

    /// The slots around the first particle of a share.
    #[inline(always)]
    pub(crate) fn of(&self, share: &Share) -> impl Iterator<Item = usize> {
        let nth = share.nth as usize;
        let slots = &self.slots[share.slots[0] as usize..share.slots[1] as usize];
        slots.iter().map(move |&slot| slot as usize + nth)
    }
}

/// The slots around the first of `len` particles in sequence, so that they hold for the one after
/// them, too, around which are the slots `next`, in an order that is right for all; if what one has
/// more than another is a gap there.
fn joined(slots: &[u32], len: u32, next: &[u32], found_out: &[Slot]) -> Option<Vec<u32>> {
    let is_gap = |slot: u32| found_out.get(slot as usize) == Some(&Slot::Gap);
    let new = |&slot: &u32| {
        let of_first = slot.checked_sub(len)?;
        (of_first..slot).all(is_gap).then_some(of_first)
    };
    let mut joined = Vec::with_capacity(slots.len());
    let mut rest = next;
    for &slot in slots {
        if let Some(at) = rest.iter().position(|&of_next| of_next == slot + len) {
            let before: Option<Vec<u32>> = rest[..at].iter().map(new).collect();
            joined.extend(before?);
            rest = &rest[at + 1..];
        } else if !is_gap(slot + len) {
            return None;
        }
        joined.push(slot);
    }
    let after: Option<Vec<u32>> = rest.iter().map(new).collect();
    joined.extend(after?);
    Some(joined)
}
