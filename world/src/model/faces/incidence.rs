//! Which triangles meet at each particle, by their slots.
//!
//! In this file and in `layout`, a slot is an index into the columns of forces on triangles, of which
//! there is one per axis.

use taut_core::GroupedLists;

/// Number of triangles in a chunk, and largest number of particles in a [`ParticleChunk`]: the `f32`
/// lanes of the widest register.
pub(crate) const CHUNK: usize = taut_core::PADDING;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotContent {
    /// The force of a triangle on each of its corners.
    Face,
    /// A gap in a run, written as 0.
    Gap,
    /// Never written.
    Padding,
}

/// For each particle the slots of its triangles, in the order of the faces.
#[derive(Clone, Debug)]
pub(crate) struct Incidence {
    /// All particles with triangles, in chunks in ascending order; chunks may overlap.
    pub(crate) particle_chunks: Vec<ParticleChunk>,
    /// The slots of the first particle of each run of consecutive particles, one run after the
    /// other. [`ParticleChunk`] refers to ranges of this list.
    slots: Vec<u32>,
    /// The number of triangles at each particle, up to the last particle that has one.
    pub(crate) counts: Vec<f32>,
    /// Number of particles with triangles.
    pub(crate) particles: usize,
}

/// At most [`CHUNK`] consecutive particles. The slots of each particle are those of the particle
/// before it, plus one. If a particle has fewer triangles than others, some of its slots are gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleChunk {
    /// The first particle.
    pub(crate) first: u32,
    /// Number of particles.
    pub(crate) len: u32,
    /// How many of its first particles also belong to the chunk before, and are summed there.
    pub(crate) done: u32,
    /// The range in [`Incidence::slots`] of the run of particles that this chunk is part of.
    slots: [u32; 2],
    /// How many particles of the run precede the first particle. The slots of that particle are those
    /// of the first particle of the run plus this number.
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
            particle_chunks: Vec::new(),
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

    /// Adds the chunks of a run of `len` consecutive particles, given the slots of the first.
    fn add_run(&mut self, first: u32, len: u32, slots: &[u32]) {
        let from = self.slots.len() as u32;
        self.slots.extend(slots);
        let slots = [from, self.slots.len() as u32];
        let chunk = CHUNK as u32;
        let mut done = 0;
        while done < len {
            // A chunk starts at a particle whose index is a multiple of the chunk size, except at the
            // ends of the run: there it starts earlier or later, so that it is full if the run is long
            // enough. A chunk may repeat particles of the chunk before.
            let aligned = ((first + done) / chunk * chunk).saturating_sub(first);
            let offset = aligned.min(len.saturating_sub(chunk));
            let chunk_len = chunk.min(len - offset);
            self.particle_chunks.push(ParticleChunk {
                first: first + offset,
                len: chunk_len,
                done: done - offset,
                slots,
                offset,
            });
            done = offset + chunk_len;
        }
    }

    /// The slots of the first particle of a chunk.
    #[inline(always)]
    pub(crate) fn slots_of(&self, chunk: &ParticleChunk) -> impl Iterator<Item = usize> {
        let offset = chunk.offset as usize;
        let slots = &self.slots[chunk.slots[0] as usize..chunk.slots[1] as usize];
        slots.iter().map(move |&slot| slot as usize + offset)
    }
}

/// Extends a run of `len` consecutive particles by the particle that follows it. `slots` are the slots
/// of the first particle of the run, `next` those of the new particle. Returns the slots of the first
/// particle of the extended run: each slot in `next` is one of them plus `len`. They keep the order of
/// both lists, which is that of the faces. A slot that only some particles of the run have must be a
/// gap for the others. `None` if this is not possible.
fn extend(slots: &[u32], len: u32, next: &[u32], contents: &[SlotContent]) -> Option<Vec<u32>> {
    let is_gap = |slot: u32| contents.get(slot as usize) == Some(&SlotContent::Gap);
    // From a slot that only the new particle has: the corresponding slot of the first particle.
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
