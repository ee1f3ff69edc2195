//! Resolves collisions with several obstacles in a single traversal of the particles.
//!
//! A tile is a number of consecutive slots of a plan. Each lane of a tile has a bounding box of its
//! free particles. An obstacle tests the boxes first, and skips tiles whose boxes are all out of its
//! reach. In the layout of a regular sheet the particles of a lane are neighbours, so the boxes are
//! small.

use core::ops::Range;

use pulp::Simd;
use taut_core::{Lane, PADDING, ParticleView, SlotLayout, Stage};
use taut_lanes::pulp::Register;

/// Number of slots in a tile: 16 in each of [`PADDING`] lanes, those of the widest register.
pub(crate) const TILE_SLOTS: usize = 16 * PADDING;
/// Number of tiles in a chunk. All obstacles process a chunk before the next chunk begins.
const CHUNK_TILES: usize = 8;
/// A tile with a box that extends beyond this coordinate, m, is never skipped, because its bounds
/// may be infinite.
pub(crate) const BOX_MAX: f32 = 1e15;

/// The collisions of particles with an analytic obstacle (one with a closed-form distance) in a
/// pass of a substep.
pub(crate) trait CollisionPass<const D: usize>: Sync {
    /// Resolves the collisions of the particles of a chunk.
    fn run(&self, chunk: &mut Chunk<'_, D>);
}

/// The collisions of several analytic obstacles, resolved in order.
pub(crate) struct CollisionPasses<'a, const D: usize> {
    passes: &'a [&'a dyn CollisionPass<D>],
    /// The radius of each particle, m, -∞ if it does not collide with obstacles; empty if all particles
    /// are points.
    radii: &'a [f32],
    /// The largest radius, m; 0 if no obstacle tests boxes.
    largest_radius: f32,
}

impl<'a, const D: usize> CollisionPasses<'a, D> {
    pub(crate) fn new(passes: &'a [&'a dyn CollisionPass<D>], radii: &'a [f32]) -> Self {
        let largest_radius = if use_boxes(passes) {
            radii
                .iter()
                .fold(0.0, |largest, &radius| if radius > largest { radius } else { largest })
        } else {
            0.0
        };
        Self { passes, radii, largest_radius }
    }
}

/// Whether obstacles test boxes: computing them takes as long as resolving the collisions of one
/// obstacle without them.
fn use_boxes<const D: usize>(passes: &[&dyn CollisionPass<D>]) -> bool {
    passes.len() > 1
}

impl<const D: usize> Stage<D> for CollisionPasses<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { mut position, mut previous, inverse_mass, layout } = particles;
        let (by_particle, largest) = (self.radii, self.largest_radius);
        let mut boxes = [LaneBoxes::EMPTY; CHUNK_TILES];
        for first in (0..inverse_mass.len()).step_by(CHUNK_TILES * TILE_SLOTS) {
            let range = first..inverse_mass.len().min(first + CHUNK_TILES * TILE_SLOTS);
            let mut chunk = Chunk {
                position: position.each_mut().map(|column| &mut column[range.clone()]),
                previous: previous.each_mut().map(|column| &mut column[range.clone()]),
                inverse_mass: &inverse_mass[range],
                radii: Radii { by_particle, layout, chunk_start: first, largest },
                boxes: &mut boxes,
                use_boxes: use_boxes(self.passes),
                box_valid: [false; CHUNK_TILES],
            };
            for pass in self.passes {
                pass.run(&mut chunk);
            }
        }
    }
}

/// At most [`CHUNK_TILES`] consecutive tiles of particles, in the layout of a plan.
pub(crate) struct Chunk<'a, const D: usize> {
    pub(crate) position: [&'a mut [f32]; D],
    pub(crate) previous: [&'a mut [f32]; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) radii: Radii<'a>,
    /// For each tile, its boxes if `box_valid`.
    boxes: &'a mut [LaneBoxes<D>; CHUNK_TILES],
    /// Whether obstacles test boxes.
    use_boxes: bool,
    /// For each tile, whether its boxes are up to date.
    box_valid: [bool; CHUNK_TILES],
}

impl<const D: usize> Chunk<'_, D> {
    /// Number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.inverse_mass.len().div_ceil(TILE_SLOTS)
    }

    /// The slots of a tile, counted from the start of the chunk.
    pub(crate) fn slots(&self, tile: usize) -> Range<usize> {
        tile * TILE_SLOTS..self.inverse_mass.len().min((tile + 1) * TILE_SLOTS)
    }

    /// Invalidates the boxes of a tile whose particles moved.
    #[inline(always)]
    pub(crate) fn invalidate_boxes(&mut self, tile: usize) {
        self.box_valid[tile] = false;
    }

    /// The boxes of a tile's lanes, computed if they are not up to date; None if boxes are not in
    /// use.
    #[inline(always)]
    pub(crate) fn lane_boxes<R: Simd>(
        &mut self,
        simd: R,
        tile: usize,
    ) -> Option<BoxRegisters<R, D>> {
        if !self.use_boxes {
            return None;
        }
        let slots = self.slots(tile);
        let stored = &mut self.boxes[tile];
        if core::mem::replace(&mut self.box_valid[tile], true) {
            return Some(BoxRegisters::load(simd, stored));
        }
        let position =
            self.position.each_ref().map(|column| R::as_simd_f32s(&column[slots.clone()]).0);
        let (inverse_masses, _) = R::as_simd_f32s(&self.inverse_mass[slots]);
        let position = position.map(|column| &column[..inverse_masses.len()]);
        let zero = Register::splat(simd, 0.0);
        let empty = BoxRegisters::empty(simd);
        let mut boxes = empty;
        for (register, &inverse_mass) in inverse_masses.iter().enumerate() {
            let free = Register::new(simd, inverse_mass).above(zero);
            for (axis, column) in position.iter().enumerate() {
                let x = Register::new(simd, column[register]);
                let (low, high) = (&mut boxes.low[axis], &mut boxes.high[axis]);
                *low = Lane::select(free, x, empty.low[axis]).min(*low);
                *high = Lane::select(free, x, empty.high[axis]).max(*high);
            }
        }
        boxes.widen_nan(simd);
        boxes.store(stored);
        Some(boxes)
    }
}

/// The radii of particles by slot, m.
pub(crate) struct Radii<'a> {
    /// The radius of each particle, m; empty if all particles are points.
    by_particle: &'a [f32],
    layout: SlotLayout<'a>,
    /// Index of the chunk's first slot in the [`ParticleView`].
    chunk_start: usize,
    /// The largest radius, m.
    pub(crate) largest: f32,
}

impl Radii<'_> {
    /// The radii of the register that begins at a slot of the chunk, 0 for padding; None if all particles are
    /// points.
    #[inline(always)]
    pub(crate) fn at<R: Simd>(&self, simd: R, slot: usize) -> Option<Register<R>> {
        if self.by_particle.is_empty() {
            return None;
        }
        let mut radii = [0.0; PADDING];
        let lanes = radii.iter_mut().take(R::F32_LANES).enumerate();
        if let SlotLayout::Copies { particles, .. } = self.layout {
            // The lanes hold the same particle of consecutive copies, then padding: one call of
            // `particle`, which divides, is enough for all lanes.
            let first = self.layout.particle(self.chunk_start + slot);
            for (lane, radius) in lanes {
                let particle = first.saturating_add(lane * particles);
                *radius = self.by_particle.get(particle).copied().unwrap_or_default();
            }
        } else {
            for (lane, radius) in lanes {
                let particle = self.layout.particle(self.chunk_start + slot + lane);
                *radius = self.by_particle.get(particle).copied().unwrap_or_default();
            }
        }
        Some(Register::new(simd, R::as_simd_f32s(&radii).0[0]))
    }
}

/// For each lane of a tile, the bounding box of its free particles, m.
#[derive(Clone, Copy)]
pub(crate) struct LaneBoxes<const D: usize> {
    low: [[f32; PADDING]; D],
    high: [[f32; PADDING]; D],
}

impl<const D: usize> LaneBoxes<D> {
    const EMPTY: Self = Self { low: [[f32::MAX; PADDING]; D], high: [[f32::MIN; PADDING]; D] };
}

/// [`LaneBoxes`] in registers.
#[derive(Clone, Copy)]
pub(crate) struct BoxRegisters<R: Simd, const D: usize> {
    pub(crate) low: [Register<R>; D],
    pub(crate) high: [Register<R>; D],
}

impl<R: Simd, const D: usize> BoxRegisters<R, D> {
    #[inline(always)]
    fn empty(simd: R) -> Self {
        Self {
            low: [Register::splat(simd, f32::MAX); D],
            high: [Register::splat(simd, f32::MIN); D],
        }
    }

    #[inline(always)]
    fn load(simd: R, from: &LaneBoxes<D>) -> Self {
        let mut boxes = Self::empty(simd);
        for axis in 0..D {
            boxes.low[axis] = Register::new(simd, R::as_simd_f32s(&from.low[axis]).0[0]);
            boxes.high[axis] = Register::new(simd, R::as_simd_f32s(&from.high[axis]).0[0]);
        }
        boxes
    }

    #[inline(always)]
    fn store(self, to: &mut LaneBoxes<D>) {
        for axis in 0..D {
            R::as_mut_simd_f32s(&mut to.low[axis]).0[0] = self.low[axis].lanes();
            R::as_mut_simd_f32s(&mut to.high[axis]).0[0] = self.high[axis].lanes();
        }
    }

    /// Replaces NaN bounds with infinite ones. Comparisons with NaN are false, so with a NaN bound an
    /// obstacle would skip the finite particles of the lane; and whether `min` and `max` return a NaN
    /// depends on the instruction set.
    #[inline(always)]
    fn widen_nan(&mut self, simd: R) {
        let [lowest, highest] =
            [f32::NEG_INFINITY, f32::INFINITY].map(|bound| Register::splat(simd, bound));
        for axis in 0..D {
            let (low, high) = (&mut self.low[axis], &mut self.high[axis]);
            *low = Lane::select(low.at_least(lowest), *low, lowest);
            *high = Lane::select(highest.at_least(*high), *high, highest);
        }
    }
}
