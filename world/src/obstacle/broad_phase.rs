//! Broad phase for obstacles that test sticks, faces or motions one by one: a bounding box per chunk
//! of particles, so that one test skips many of these.

use core::array::from_fn;
use core::ops::Range;

use taut_core::{GroupedLists, Particles};

use crate::model::Model;

/// Number of consecutive particles in a chunk.
const CHUNK: usize = 16;
/// Number of consecutive elements (sticks or faces) that share a test.
const ELEMENTS: usize = 32;

/// The lower and the upper corner of a box, m.
type Corners<const D: usize> = [[f32; D]; 2];

// Comparisons instead of `f32::min`, which compiles to more instructions. A NaN in `a` is ignored, one in
// `b` is returned: `a` is the new value.
#[inline(always)]
fn lower(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn upper(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lowest and the highest of some values.
#[inline(always)]
fn extremes(values: &[f32]) -> [f32; 2] {
    // Four lanes, for which the compiler uses registers.
    let [mut low, mut high] = [[f32::INFINITY; 4], [f32::NEG_INFINITY; 4]];
    let fours = values.chunks_exact(4);
    for (lane, &x) in fours.remainder().iter().enumerate() {
        low[lane] = lower(x, low[lane]);
        high[lane] = upper(x, high[lane]);
    }
    for four in fours {
        for lane in 0..4 {
            low[lane] = lower(four[lane], low[lane]);
            high[lane] = upper(four[lane], high[lane]);
        }
    }
    [
        lower(lower(low[0], low[1]), lower(low[2], low[3])),
        upper(upper(high[0], high[1]), upper(high[2], high[3])),
    ]
}

/// The chunks of a number of particles.
pub(super) fn chunks_of(particles: usize) -> impl Iterator<Item = Range<usize>> {
    (0..particles).step_by(CHUNK).map(move |first| first..particles.min(first + CHUNK))
}

/// The largest distance from a surface of this thickness, m, at which particles of a model collide, m.
pub(super) fn largest_contact_distance<const D: usize>(model: &Model<D>, thickness: f32) -> f64 {
    // A radius of -∞ marks particles of bodies.
    let largest = model.radii.iter().fold(0.0, |largest: f32, radius| largest.max(*radius));
    f64::from(thickness) + f64::from(largest)
}

/// The bounding box of the positions of consecutive particles.
#[inline]
pub(super) fn bounding_box<const D: usize>(
    particles: &Particles<D>,
    of: Range<usize>,
) -> Corners<D> {
    let extremes: [_; D] = from_fn(|axis| extremes(&particles.positions(axis)[of.clone()]));
    [0, 1].map(|corner| extremes.map(|extremes| extremes[corner]))
}

/// The smallest box that contains both.
#[inline]
fn union<const D: usize>(
    [low, high]: Corners<D>,
    [other_low, other_high]: Corners<D>,
) -> Corners<D> {
    [
        from_fn(|axis| lower(other_low[axis], low[axis])),
        from_fn(|axis| upper(other_high[axis], high[axis])),
    ]
}

/// For each chunk of particles, a box that contains their positions.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkBoxes<const D: usize>(Vec<Corners<D>>);

impl<const D: usize> ChunkBoxes<D> {
    /// Computes the boxes.
    pub(super) fn update(&mut self, particles: &Particles<D>) {
        self.0.clear();
        self.0.extend(chunks_of(particles.len()).map(|chunk| bounding_box(particles, chunk)));
    }

    /// Enlarges the box of a particle's chunk to its new position, m.
    pub(super) fn include(&mut self, particle: u32, x: [f32; D]) {
        let corners = &mut self.0[particle as usize / CHUNK];
        *corners = union(*corners, [x; 2]);
    }

    /// The box around several chunks.
    fn around(&self, chunks: &[u32]) -> Corners<D> {
        let empty = [[f32::INFINITY; D], [f32::NEG_INFINITY; D]];
        chunks.iter().fold(empty, |corners, &chunk| union(corners, self.0[chunk as usize]))
    }
}

/// Elements (sticks or faces) in groups of consecutive ones, each with the chunks of its particles.
#[derive(Clone, Debug)]
pub(super) struct ElementGroups {
    /// The indices of the elements.
    elements: Vec<u32>,
    /// For each group, the chunks that have particles of its elements.
    chunks: GroupedLists,
}

impl Default for ElementGroups {
    fn default() -> Self {
        Self::new(Vec::new(), |_| [])
    }
}

impl ElementGroups {
    /// `particles` are those of an element.
    pub(super) fn new<const N: usize>(
        elements: Vec<u32>,
        particles: impl Fn(u32) -> [u32; N],
    ) -> Self {
        let mut chunks = Vec::new();
        for (index, &element) in elements.iter().enumerate() {
            let group = (index / ELEMENTS) as u32;
            chunks.extend(particles(element).map(|particle| (group, particle / CHUNK as u32)));
        }
        chunks.sort_unstable();
        chunks.dedup();
        let groups = elements.len().div_ceil(ELEMENTS);
        Self { elements, chunks: GroupedLists::new(groups, chunks.into_iter()) }
    }

    /// Calls `visit` in order with each element of the groups whose boxes `may_reach` accepts. `visit`
    /// includes in the boxes what it moves.
    pub(super) fn for_each_near<const D: usize>(
        &self,
        boxes: &mut ChunkBoxes<D>,
        may_reach: impl Fn(Corners<D>) -> bool,
        mut visit: impl FnMut(u32, &mut ChunkBoxes<D>),
    ) {
        for (elements, chunks) in self.elements.chunks(ELEMENTS).zip(self.chunks.iter()) {
            if may_reach(boxes.around(chunks)) {
                for &element in elements {
                    visit(element, boxes);
                }
            }
        }
    }
}
