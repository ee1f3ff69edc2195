//! Which triangles meet at each particle, by their slots. A slot, here and in `layout`, is an index
//! into the columns of forces on triangles.

use taut_core::GroupedLists;

/// Number of triangles in a block: the `f32` lanes of the widest register.
pub(crate) const BLOCK: usize = taut_core::PADDING;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotContent {
    /// The force on a corner of a triangle.
    Face,
    /// A gap in a row, written as 0.
    Gap,
    /// Never written.
    Padding,
}

/// For each particle the slots of its triangles, in the order of the faces.
#[derive(Clone, Debug)]
pub(crate) struct Incidence {
    /// All particles with triangles, in ascending order.
    pub(crate) particle_blocks: Vec<ParticleBlock>,
    /// The slots at the first particle of each run of consecutive particles, one run after the
    /// other.
    slots: Vec<u32>,
    /// The number of triangles at each particle, up to the last particle that has one.
    pub(crate) counts: Vec<f32>,
    /// Number of particles with triangles.
    pub(crate) particles: usize,
}

/// At most [`BLOCK`] consecutive particles. The slots of each particle are those of the particle
/// before it, plus one. If a particle has fewer triangles than others, some of its slots are gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleBlock {
    /// Its first particle.
    pub(crate) first: u32,
    /// Number of particles.
    pub(crate) len: u32,
    /// How many of its first particles also belong to the block before.
    pub(crate) done: u32,
    /// The range in [`Incidence::slots`] of the run of particles that this block is part of.
    slots: [u32; 2],
    /// How many particles of the run precede its first particle, which is also the offset of that
    /// particle's slots from those of the run.
    offset: u32,
}

impl Incidence {
    /// `slot_of` has the slot of each face, `contents` the content of each slot.
    pub(super) fn new(faces: &[[u32; 3]], slot_of: &[u32], contents: &[SlotContent]) -> Self {
        let particles = faces.as_flattened().iter().max().map_or(0, |&last| last as usize + 1);
        let pairs = faces.iter().zip(slot_of);
        let pairs = pairs.flat_map(|(corners, &slot)| corners.map(|corner| (corner, slot)));
        let slots_by_particle = GroupedLists::new(particles, pairs);
        let mut incidence = Self {
            particle_blocks: Vec::new(),
            slots: Vec::new(),
            counts: Vec::new(),
            particles: 0,
        };
        // The current run of particles, and the slots of its first one.
        let (mut first, mut len, mut slots) = (0, 0, Vec::new());
        for (particle, own_slots) in (0..).zip(slots_by_particle.iter()) {
            incidence.counts.push(own_slots.len() as f32);
            if own_slots.is_empty() {
                continue;
            }
            incidence.particles += 1;
            let follows = len > 0 && first + len == particle;
            let extended = follows.then(|| extend(&slots, len, own_slots, contents)).flatten();
            if let Some(extended) = extended {
                (len, slots) = (len + 1, extended);
            } else {
                incidence.add_run(first, len, &slots);
                (first, len, slots) = (particle, 1, own_slots.to_vec());
            }
        }
        incidence.add_run(first, len, &slots);
        incidence
    }

    /// Adds the blocks of a run of `len` consecutive particles, given the slots of the first.
    fn add_run(&mut self, first: u32, len: u32, slots: &[u32]) {
        let from = self.slots.len() as u32;
        self.slots.extend(slots);
        let slots = [from, self.slots.len() as u32];
        let block = BLOCK as u32;
        let mut done = 0;
        while done < len {
            // A block starts at a multiple of the block size if possible. It is full if possible,
            // even if it then repeats particles of the block before.
            let aligned = ((first + done) / block * block).saturating_sub(first);
            let offset = aligned.min(len.saturating_sub(block));
            let block_len = block.min(len - offset);
            self.particle_blocks.push(ParticleBlock {
                first: first + offset,
                len: block_len,
                done: done - offset,
                slots,
                offset,
            });
            done = offset + block_len;
        }
    }

    /// The slots of the first particle of a block.
    #[inline(always)]
    pub(crate) fn slots_of(&self, block: &ParticleBlock) -> impl Iterator<Item = usize> {
        let offset = block.offset as usize;
        let slots = &self.slots[block.slots[0] as usize..block.slots[1] as usize];
        slots.iter().map(move |&slot| slot as usize + offset)
    }
}

/// Extends `slots`, the slots of the first of `len` consecutive particles, so that the next
/// particle, which has the slots `next`, can join the run: each of `next` is then one of the result
/// plus `len`. The result keeps the order of both lists, which is that of the faces. A slot that
/// only some of the particles have must be a gap for the others. `None` if this is not possible.
fn extend(slots: &[u32], len: u32, next: &[u32], contents: &[SlotContent]) -> Option<Vec<u32>> {
    let is_gap = |slot: u32| contents.get(slot as usize) == Some(&SlotContent::Gap);
    let added_slot = |&slot: &u32| {
        let of_first = slot.checked_sub(len)?;
        (of_first..slot).all(is_gap).then_some(of_first)
    };
    let mut extended = Vec::with_capacity(slots.len());
    let mut remaining = next;
    for &slot in slots {
        if let Some(index) = remaining.iter().position(|&of_next| of_next == slot + len) {
            let before: Option<Vec<u32>> = remaining[..index].iter().map(added_slot).collect();
            extended.extend(before?);
            remaining = &remaining[index + 1..];
        } else if !is_gap(slot + len) {
            return None;
        }
        extended.push(slot);
    }
    let after: Option<Vec<u32>> = remaining.iter().map(added_slot).collect();
    extended.extend(after?);
    Some(extended)
}
