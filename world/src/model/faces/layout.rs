//! The order in which wind visits triangles.

use core::array;
use core::ops::Range;
use core::slice::{from_mut, from_ref};
use std::collections::BTreeMap;

use taut_core::RunKey;

use super::incidence::{CHUNK, Incidence, SlotContent};
use super::remove_indices;

/// Delay, in chunks, between the stores of forces and their loads. By then the stores have reached
/// the cache, so loads that span two stores do not stall.
const STORE_DELAY: usize = 4;

/// Sixteen consecutive slots, for as many triangles. A slot is an index into the columns of forces (see
/// [`Incidence`]). The slots of two chunks may overlap:
/// the forces in the common slots are computed twice, with equal results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    pub(crate) first: u32,
    /// A bit per slot: set if the slot has a triangle, clear if it is a gap in a run or its triangle
    /// was removed.
    pub(crate) present: u16,
}

impl Slots {
    pub(super) fn range(self) -> Range<usize> {
        self.first as usize..self.first as usize + CHUNK
    }
}

/// The triangles of a chunk by their corners, with their slots.
#[derive(Clone, Debug)]
pub(crate) enum Triangles {
    /// Sixteen pairs of triangles (a, b, c) and (a, c, d), by the corners of the first pair. From each
    /// pair to the next, all corners increase by 1, as from cell to cell of a sheet.
    Pairs([u32; 4], [Slots; 2]),
    /// Sixteen triangles, by the corners of the first. From each triangle to the next, all corners
    /// increase by 1.
    Run([u32; 3], Slots),
    /// Sixteen triangles with any corners.
    Scattered(Box<[[u32; CHUNK]; 3]>, Slots),
}

impl Triangles {
    /// The lowest corner of the first triangle or pair.
    fn lowest(&self) -> u32 {
        match self {
            Self::Pairs([a, b, c, d], _) => *a.min(b).min(c).min(d),
            Self::Run([a, b, c], _) => *a.min(b).min(c),
            Self::Scattered(corners, _) => {
                let [a, b, c] = corners.each_ref().map(|lanes| lanes[0]);
                a.min(b).min(c)
            }
        }
    }

    pub(super) fn slots(&self) -> &[Slots] {
        match self {
            Self::Pairs(_, slots) => slots,
            Self::Run(_, slots) | Self::Scattered(_, slots) => from_ref(slots),
        }
    }

    fn slots_mut(&mut self) -> &mut [Slots] {
        match self {
            Self::Pairs(_, slots) => slots,
            Self::Run(_, slots) | Self::Scattered(_, slots) => from_mut(slots),
        }
    }
}

/// Sixteen triangles, or pairs of triangles, that are processed together.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) triangles: Triangles,
    /// How many particle chunks to sum after this chunk: those whose slots have all been written for
    /// [`STORE_DELAY`] chunks now and, after the last chunk, all others.
    pub(crate) completed: u32,
}

/// Largest difference between the first corners of consecutive triangles of a run. A difference
/// above 1 leaves gaps. With gaps, a run can continue from one row of cells of a sheet to the next,
/// although no cell begins at the last particle of a row.
const STRIDE_MAX: u32 = 4;

/// Largest ratio of the length of a run, gaps included, to its number of triangles.
const SPARSITY_MAX: usize = 3;

/// Triangles in the memory order of their corners, each with a slot; and for each particle the
/// slots of its triangles, in the order of the faces.
///
/// The sum over the triangles of a particle follows the order of the faces, whatever the order in
/// memory, so the numbering of particles does not change the bits.
#[derive(Clone, Debug)]
pub(crate) struct FaceLayout {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) incidence: Incidence,
    /// Number of slots, padding included.
    pub(crate) slots: usize,
    /// The slot of each face; without removed faces.
    slot_of: Vec<u32>,
}

impl FaceLayout {
    pub(super) fn new(faces: &[[u32; 3]]) -> Self {
        // After sorting, triangles of one shape in a row of cells of a sheet are consecutive.
        let sorted = RunKey::sorted((0..).zip(faces).map(|(number, &[first, b, c])| {
            let direction = [b, c].map(|corner| i64::from(corner) - i64::from(first));
            RunKey { direction, first, number }
        }));
        let length = |run: &[RunKey<_>]| (run[run.len() - 1].first - run[0].first) as usize + 1;
        // Triangles in runs that are too short for a chunk or have too many gaps are scattered.
        let (runs, scattered): (Vec<_>, Vec<_>) = RunKey::runs(&sorted, STRIDE_MAX)
            .partition(|run| (CHUNK..=SPARSITY_MAX * run.len()).contains(&length(run)));
        let mut slot_of = vec![0; faces.len()];
        let mut next_slot = 0;
        let runs = runs.into_iter().map(|run| {
            let (corners, length) = (faces[run[0].number as usize], length(run));
            for face in run {
                slot_of[face.number as usize] = next_slot + (face.first - corners[0]);
            }
            let run = TriangleRun { corners, length, slot: next_slot };
            next_slot = (next_slot + length as u32).next_multiple_of(CHUNK as u32);
            run
        });
        let mut chunks = TriangleRun::chunks_of(runs.collect());
        let mut scattered: Vec<u32> = scattered.concat().iter().map(|face| face.number).collect();
        // Triangles whose corners are near each other in memory get into the same chunk.
        scattered.sort_by_key(|&face| faces[face as usize].into_iter().min());
        for chunk in scattered.chunks(CHUNK) {
            // A chunk that is not full repeats its last triangle.
            let face_in = |lane: usize| chunk[lane.min(chunk.len() - 1)] as usize;
            let corners =
                array::from_fn(|corner| array::from_fn(|lane| faces[face_in(lane)][corner]));
            let slots = Slots { first: next_slot, present: 0 };
            let triangles = Triangles::Scattered(Box::new(corners), slots);
            chunks.push(Chunk { triangles, completed: 0 });
            for (&face, slot) in chunk.iter().zip(next_slot..) {
                slot_of[face as usize] = slot;
            }
            next_slot += CHUNK as u32;
        }

        let slot_count = next_slot as usize;
        let mut contents = vec![SlotContent::Padding; slot_count];
        for slots in chunks.iter().flat_map(|chunk| chunk.triangles.slots()) {
            contents[slots.range()].fill(SlotContent::Gap);
        }
        for &slot in &slot_of {
            contents[slot as usize] = SlotContent::Face;
        }
        for slots in chunks.iter_mut().flat_map(|chunk| chunk.triangles.slots_mut()) {
            for (lane, content) in contents[slots.range()].iter().enumerate() {
                slots.present |= u16::from(*content == SlotContent::Face) << lane;
            }
        }
        let incidence = Incidence::new(faces, &slot_of, &contents);
        // With the chunks of triangles in the memory order of their corners, particle chunks are completed
        // in about that order.
        chunks.sort_by_key(|chunk| chunk.triangles.lowest());
        set_completed(&incidence, &mut chunks, slot_count);
        Self { chunks, incidence, slots: slot_count, slot_of }
    }

    /// Takes the number of triangles at each particle from the layout of the whole model, where particle
    /// `i` of this layout is particle `particles[i]`. Wind limits forces by these counts, which do not
    /// change when triangles are removed.
    pub(super) fn with_counts_of(mut self, whole: &Self, particles: &[u32]) -> Self {
        let counts = &whole.incidence.counts;
        let count = |&particle: &u32| counts.get(particle as usize).copied().unwrap_or(0.0);
        self.incidence.counts = particles.iter().map(count).collect();
        self
    }

    /// Removes the faces with these indices, which are in ascending order; later faces get lower
    /// indices.
    ///
    /// Visits each chunk once, however many faces are removed: a search per face for the chunks
    /// of its slot would make the tearing of a whole sheet quadratic in its size.
    pub(super) fn remove(&mut self, removed: &[usize]) {
        if removed.is_empty() {
            return;
        }
        let mut is_removed = vec![false; self.slots];
        for &face in removed {
            is_removed[self.slot_of[face] as usize] = true;
        }
        for slots in self.chunks.iter_mut().flat_map(|chunk| chunk.triangles.slots_mut()) {
            #[cfg(test)]
            tests::SLOTS_VISITED.set(tests::SLOTS_VISITED.get() + 1);
            for (lane, &is_removed) in is_removed[slots.range()].iter().enumerate() {
                slots.present &= !(u16::from(is_removed) << lane);
            }
        }
        remove_indices(&mut self.slot_of, removed);
    }
}

/// Sets [`Chunk::completed`].
fn set_completed(incidence: &Incidence, chunks: &mut [Chunk], slot_count: usize) {
    // For each slot the first of the chunks that write it. The loop is in reverse order, so the first
    // chunk overwrites the entries of later ones.
    let mut written_by = vec![0; slot_count];
    for (nth, chunk) in chunks.iter().enumerate().rev() {
        for slots in chunk.triangles.slots() {
            written_by[slots.range()].fill(nth);
        }
    }
    // The chunk after which all slots of the particle chunks so far are written.
    let mut last = 0;
    for particle_chunk in &incidence.particle_chunks {
        for slot in incidence.slots_of(particle_chunk) {
            let writers = &written_by[slot..][..particle_chunk.len as usize];
            last = writers.iter().copied().fold(last, usize::max);
        }
        let after = (last + STORE_DELAY).min(chunks.len() - 1);
        chunks[after].completed += 1;
    }
}

/// Triangles whose corners are those of the first triangle plus an offset below `length`. The offset is
/// the same for the three corners of a triangle.
struct TriangleRun {
    /// The corners of the first triangle.
    corners: [u32; 3],
    /// Number of slots, gaps included.
    length: usize,
    /// The slot of the first triangle.
    slot: u32,
}

impl TriangleRun {
    /// The edge (a, b) of the first triangle, and the length of the run. Two runs form pairs if this key
    /// of one equals [`key_ac`](Self::key_ac) of the other.
    fn key_ab(&self) -> ([u32; 2], usize) {
        let [a, b, _] = self.corners;
        ([a, b], self.length)
    }

    /// The edge (a, c) of the first triangle, and the length of the run.
    fn key_ac(&self) -> ([u32; 2], usize) {
        let [a, _, c] = self.corners;
        ([a, c], self.length)
    }

    /// The chunks of all runs. Two runs that form pairs share their chunks.
    fn chunks_of(runs: Vec<Self>) -> Vec<Chunk> {
        let by_key_ab: BTreeMap<_, usize> = runs.iter().map(Self::key_ab).zip(0..).collect();
        let mut runs: Vec<Option<Self>> = runs.into_iter().map(Some).collect();
        let mut chunks = Vec::new();
        for nth in 0..runs.len() {
            let Some(run) = runs[nth].take() else { continue };
            let other = by_key_ab.get(&run.key_ac()).and_then(|&other| runs[other].take());
            match other {
                Some(other) => run.add_pair_chunks(&other, &mut chunks),
                None => runs[nth] = Some(run),
            }
        }
        for run in runs.into_iter().flatten() {
            run.add_chunks(&mut chunks);
        }
        chunks
    }

    fn add_chunks(&self, chunks: &mut Vec<Chunk>) {
        chunks.extend(self.starts().map(|offset| {
            let corners = self.corners.map(|corner| corner + offset);
            Chunk { triangles: Triangles::Run(corners, self.slots(offset)), completed: 0 }
        }));
    }

    /// Adds the chunks of the pairs that this run and another form.
    fn add_pair_chunks(&self, other: &Self, chunks: &mut Vec<Chunk>) {
        let ([a, b, c], [.., d]) = (self.corners, other.corners);
        chunks.extend(self.starts().map(|offset| {
            let corners = [a, b, c, d].map(|corner| corner + offset);
            let slots = [self.slots(offset), other.slots(offset)];
            Chunk { triangles: Triangles::Pairs(corners, slots), completed: 0 }
        }));
    }

    /// The offsets at which chunks begin; the last chunk ends where the run does.
    fn starts(&self) -> impl Iterator<Item = u32> + use<> {
        let last = self.length - CHUNK;
        (0..last).step_by(CHUNK).chain([last]).map(|offset| offset as u32)
    }

    fn slots(&self, offset: u32) -> Slots {
        Slots { first: self.slot + offset, present: 0 }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use proptest::prelude::*;

    use super::{FaceLayout, Slots};

    thread_local! {
        /// Number of [`Slots`] that [`FaceLayout::remove`] has visited.
        pub(super) static SLOTS_VISITED: Cell<usize> = const { Cell::new(0) };
    }

    /// The two faces of each cell of a sheet. Cell `n` is split along its antidiagonal if entry `n` of
    /// `antidiagonal`, which is repeated, is true, else along its diagonal.
    fn sheet(columns: u32, rows: u32, antidiagonal: &[bool]) -> Vec<[u32; 3]> {
        let cells = (0..(rows - 1) * columns).filter(|corner| (corner + 1) % columns != 0);
        let halves = |(nth, corner): (usize, u32)| {
            let [a, b, c, d] = [0, 1, columns + 1, columns].map(|offset| corner + offset);
            if antidiagonal[nth % antidiagonal.len()] {
                [[a, d, b], [b, d, c]]
            } else {
                [[a, d, c], [a, c, b]]
            }
        };
        cells.enumerate().flat_map(halves).collect()
    }

    /// The first slot and the present bits of all chunks, and the slots of all faces.
    fn chunk_and_face_slots(layout: &FaceLayout) -> (Vec<(u32, u16)>, Vec<u32>) {
        let slots = layout.chunks.iter().flat_map(|chunk| chunk.triangles.slots());
        let slots = slots.map(|&Slots { first, present }| (first, present)).collect();
        (slots, layout.slot_of.clone())
    }

    proptest! {
        #[test]
        fn removing_faces_together_equals_removing_them_one_by_one(
            columns in 2..60_u32,
            rows in 2..8_u32,
            antidiagonal in prop::collection::vec(any::<bool>(), 1..5),
            kept in prop::collection::vec(any::<bool>(), 1..40),
        ) {
            let faces = sheet(columns, rows, &antidiagonal);
            let removed: Vec<usize> =
                (0..faces.len()).filter(|face| !kept[face % kept.len()]).collect();
            let mut together = FaceLayout::new(&faces);
            let mut one_by_one = together.clone();
            together.remove(&removed);
            for &face in removed.iter().rev() {
                one_by_one.remove(&[face]);
            }
            prop_assert_eq!(chunk_and_face_slots(&together), chunk_and_face_slots(&one_by_one));
            // A bit is set in every chunk that has the slot of a remaining face, and nowhere else.
            let is_present = |slot: u32| together.slot_of.contains(&slot);
            for slots in together.chunks.iter().flat_map(|chunk| chunk.triangles.slots()) {
                for lane in 0..16 {
                    prop_assert_eq!(slots.present & 1 << lane != 0, is_present(slots.first + lane));
                }
            }
        }
    }

    #[test]
    fn the_work_of_removing_all_faces_is_proportional_to_their_number() {
        for size in [32, 64, 128] {
            let faces = sheet(size, size, &[true]);
            let mut layout = FaceLayout::new(&faces);
            SLOTS_VISITED.set(0);
            layout.remove(&(0..faces.len()).collect::<Vec<_>>());
            let visited = SLOTS_VISITED.get();
            let max = faces.len() / 8; // twice as many as in full chunks of 16 faces
            assert!(visited <= max, "{visited} visits of `Slots`, expected at most {max}");
            assert!(chunk_and_face_slots(&layout).0.iter().all(|(_, present)| *present == 0));
        }
    }
}
