//! Resolves collisions with several obstacles in a single traversal of the particles.
//!
//! In this file a group is a number of consecutive slots of a plan. Each lane of a group has a
//! bounding box of its particles. An obstacle tests the boxes first, and skips groups whose boxes
//! are all out of its reach. In the layout of a regular sheet the particles of a lane are
//! neighbours, so the boxes are small.

use core::ops::Range;

use pulp::Simd;
use taut_core::{Lane, PADDING, ParticleView, SlotLayout, Stage};
use taut_lanes::pulp::Register;

/// Number of slots in a group: 16 in each of [`PADDING`] lanes, those of the widest register.
pub(crate) const GROUP_SLOTS: usize = 16 * PADDING;
/// Number of groups in a chunk. All obstacles process a chunk before the next chunk begins.
const CHUNK_GROUPS: usize = 8;
/// A group with a box that extends beyond this coordinate, m, is never skipped, because its bounds
/// may be infinite.
pub(crate) const BOX_MAX: f32 = 1e15;

/// The collisions of particles with an analytic obstacle (one with a closed-form distance) in a
/// pass of a substep.
pub(crate) trait CollisionPass<const D: usize>: Sync {
    /// Resolves the collisions of the particles of a chunk.
    fn run(&self, groups: &mut Groups<'_, D>);
}

/// The collisions of several analytic obstacles, resolved in order.
pub(crate) struct CollisionPasses<'a, const D: usize> {
    pub(crate) passes: &'a [&'a dyn CollisionPass<D>],
    /// The radius of each particle, m; empty if all particles are points.
    pub(crate) radii: &'a [f32],
}

impl<const D: usize> Stage<D> for CollisionPasses<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { mut position, mut previous, inverse_mass, layout } = particles;
        let largest = self
            .radii
            .iter()
            .fold(0.0, |largest: f32, &radius| if radius > largest { radius } else { largest });
        let mut boxes = [LaneBoxes::EMPTY; CHUNK_GROUPS];
        for first in (0..inverse_mass.len()).step_by(CHUNK_GROUPS * GROUP_SLOTS) {
            let range = first..inverse_mass.len().min(first + CHUNK_GROUPS * GROUP_SLOTS);
            let mut groups = Groups {
                position: position.each_mut().map(|column| &mut column[range.clone()]),
                previous: previous.each_mut().map(|column| &mut column[range.clone()]),
                inverse_mass: &inverse_mass[range],
                radii: Radii { by_particle: self.radii, layout, first_slot: first, largest },
                boxes: &mut boxes,
                // Computing the boxes takes as long as resolving the collisions of one obstacle
                // without them.
                use_boxes: self.passes.len() > 1,
                box_valid: [false; CHUNK_GROUPS],
            };
            for pass in self.passes {
                pass.run(&mut groups);
            }
        }
    }
}

/// A chunk: at most [`CHUNK_GROUPS`] consecutive groups of particles, in the layout of a plan.
pub(crate) struct Groups<'a, const D: usize> {
    pub(crate) position: [&'a mut [f32]; D],
    pub(crate) previous: [&'a mut [f32]; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) radii: Radii<'a>,
    /// For each group, its boxes if `box_valid`.
    boxes: &'a mut [LaneBoxes<D>; CHUNK_GROUPS],
    /// Whether obstacles test boxes.
    use_boxes: bool,
    /// For each group, whether its boxes are up to date.
    box_valid: [bool; CHUNK_GROUPS],
}

impl<const D: usize> Groups<'_, D> {
    /// Number of groups.
    pub(crate) fn count(&self) -> usize {
        self.inverse_mass.len().div_ceil(GROUP_SLOTS)
    }

    /// The slots of a group.
    pub(crate) fn slots(&self, group: usize) -> Range<usize> {
        group * GROUP_SLOTS..self.inverse_mass.len().min((group + 1) * GROUP_SLOTS)
    }

    /// Invalidates the boxes of a group whose particles moved.
    #[inline(always)]
    pub(crate) fn invalidate_boxes(&mut self, group: usize) {
        self.box_valid[group] = false;
    }

    /// The boxes of a group's lanes, computed if they are not up to date; None if boxes are not in
    /// use.
    #[inline(always)]
    pub(crate) fn lane_boxes<R: Simd>(
        &mut self,
        simd: R,
        group: usize,
    ) -> Option<BoxRegisters<R, D>> {
        if !self.use_boxes {
            return None;
        }
        let slots = self.slots(group);
        let stored = &mut self.boxes[group];
        if core::mem::replace(&mut self.box_valid[group], true) {
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
    /// The slot of the plan at which the chunk begins.
    first_slot: usize,
    /// The largest radius, m.
    pub(crate) largest: f32,
}

impl Radii<'_> {
    /// The radii of the register that begins at a slot, 0 for padding; None if all particles are
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
            let first = self.layout.particle(self.first_slot + slot);
            for (lane, radius) in lanes {
                let particle = first.saturating_add(lane * particles);
                *radius = self.by_particle.get(particle).copied().unwrap_or_default();
            }
        } else {
            for (lane, radius) in lanes {
                let particle = self.layout.particle(self.first_slot + slot + lane);
                *radius = self.by_particle.get(particle).copied().unwrap_or_default();
            }
        }
        Some(Register::new(simd, R::as_simd_f32s(&radii).0[0]))
    }
}

/// For each lane the bounding box of the free particles that a group has in it, m.
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

    /// Replaces NaN bounds with infinite ones: whether `min` and `max` return a NaN depends on the
    /// instruction set.
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
