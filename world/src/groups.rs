//! One pass over particles, in groups with bounding boxes, for several obstacles.
//!
//! Each lane of a group's registers has a box around its particles. An obstacle tests the boxes
//! first: most do not touch it. In the layout of a regular sheet the particles of a lane are
//! neighbours, so the boxes are small.

use core::ops::Range;

use pulp::Simd;
use taut_core::{Lane, PADDING, ParticleView, SlotLayout, Stage};
use taut_lanes::pulp::Register;

/// How many slots a group has.
pub(crate) const GROUP: usize = 16 * PADDING;
/// How many groups all obstacles process before the next groups follow.
const GROUPS: usize = 8;
/// Boxes with coordinates beyond this, m, are not used to skip work: infinite ones rule nothing
/// out.
pub(crate) const BOX_MAX: f32 = 1e15;

/// A formula obstacle in a substep, for groups of particles.
pub(crate) trait GroupPass<const D: usize>: Sync {
    /// Resolves the collisions of the particles.
    fn run(&self, groups: &mut Groups<'_, D>);
}

/// Formula obstacles, applied in order.
pub(crate) struct GroupPasses<'a, const D: usize> {
    pub(crate) passes: &'a [&'a dyn GroupPass<D>],
    /// Radii of all particles by number, m, or empty.
    pub(crate) radii: &'a [f32],
}

impl<const D: usize> Stage<D> for GroupPasses<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { mut position, mut previous, inverse_mass, numbers } = particles;
        let largest =
            self.radii.iter().fold(0.0, |most: f32, &it| if it > most { it } else { most });
        let mut boxes = [Bounds::NONE; GROUPS];
        for first in (0..inverse_mass.len()).step_by(GROUPS * GROUP) {
            let range = first..inverse_mass.len().min(first + GROUPS * GROUP);
            let mut groups = Groups {
                position: position.each_mut().map(|column| &mut column[range.clone()]),
                previous: previous.each_mut().map(|column| &mut column[range.clone()]),
                inverse_mass: &inverse_mass[range],
                radii: Radii { all: self.radii, numbers, first, largest },
                boxes: &mut boxes,
                // Computing boxes takes as long as one obstacle takes without them.
                use_boxes: self.passes.len() > 1,
                box_valid: [false; GROUPS],
            };
            for pass in self.passes {
                pass.run(&mut groups);
            }
        }
    }
}

/// Some groups of particles in a plan's own layout.
pub(crate) struct Groups<'a, const D: usize> {
    pub(crate) position: [&'a mut [f32]; D],
    pub(crate) previous: [&'a mut [f32]; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) radii: Radii<'a>,
    boxes: &'a mut [Bounds<D>; GROUPS],
    /// Whether to use the boxes.
    use_boxes: bool,
    /// Which boxes are up to date.
    box_valid: [bool; GROUPS],
}

impl<const D: usize> Groups<'_, D> {
    pub(crate) fn count(&self) -> usize {
        self.inverse_mass.len().div_ceil(GROUP)
    }

    /// The slots of a group.
    pub(crate) fn slots(&self, group: usize) -> Range<usize> {
        group * GROUP..self.inverse_mass.len().min((group + 1) * GROUP)
    }

    /// Invalidates the box of a group whose particles moved.
    #[inline(always)]
    pub(crate) fn moved(&mut self, group: usize) {
        self.box_valid[group] = false;
    }

    /// The boxes around a group, if boxes are in use.
    #[inline(always)]
    pub(crate) fn extent<R: Simd>(&mut self, simd: R, group: usize) -> Option<Extent<R, D>> {
        if !self.use_boxes {
            return None;
        }
        let slots = self.slots(group);
        let bounds = &mut self.boxes[group];
        if core::mem::replace(&mut self.box_valid[group], true) {
            return Some(Extent::load(simd, bounds));
        }
        let position =
            self.position.each_ref().map(|column| R::as_simd_f32s(&column[slots.clone()]).0);
        let (masses, _) = R::as_simd_f32s(&self.inverse_mass[slots]);
        let position = position.map(|column| &column[..masses.len()]);
        let zero = Register::splat(simd, 0.0);
        let none = Extent::none(simd);
        let mut extent = none;
        for (register, &mass) in masses.iter().enumerate() {
            let free = Register::new(simd, mass).above(zero);
            for (axis, column) in position.iter().enumerate() {
                let x = Register::new(simd, column[register]);
                let (low, high) = (&mut extent.low[axis], &mut extent.high[axis]);
                *low = Lane::select(free, x, none.low[axis]).min(*low);
                *high = Lane::select(free, x, none.high[axis]).max(*high);
            }
        }
        extent.widen_nan(simd);
        extent.store(bounds);
        Some(extent)
    }
}

/// The radii of particles by slot, m.
pub(crate) struct Radii<'a> {
    /// By particle number, or empty.
    all: &'a [f32],
    numbers: SlotLayout<'a>,
    /// The slot of the view at which the groups begin.
    first: usize,
    pub(crate) largest: f32,
}

impl Radii<'_> {
    /// The radii of the register that begins at a slot, 0 for padding; None if all particles are
    /// points.
    #[inline(always)]
    pub(crate) fn at<R: Simd>(&self, simd: R, slot: usize) -> Option<Register<R>> {
        if self.all.is_empty() {
            return None;
        }
        let mut radii = [0.0; PADDING];
        let lanes = radii.iter_mut().take(R::F32_LANES).enumerate();
        if let SlotLayout::Copies { particles, .. } = self.numbers {
            // One particle of several copies, those that exist first: one division for all.
            let first = self.numbers.of(self.first + slot);
            for (lane, radius) in lanes {
                let number = first.saturating_add(lane * particles);
                *radius = self.all.get(number).copied().unwrap_or_default();
            }
        } else {
            for (lane, radius) in lanes {
                let number = self.numbers.of(self.first + slot + lane);
                *radius = self.all.get(number).copied().unwrap_or_default();
            }
        }
        Some(Register::new(simd, R::as_simd_f32s(&radii).0[0]))
    }
}

/// For each lane the bounding box of a group's free particles, m. NaN positions are left out.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<const D: usize> {
    low: [[f32; PADDING]; D],
    high: [[f32; PADDING]; D],
}

impl<const D: usize> Bounds<D> {
    const NONE: Self = Self { low: [[f32::MAX; PADDING]; D], high: [[f32::MIN; PADDING]; D] };
}

/// [`Bounds`] in registers.
#[derive(Clone, Copy)]
pub(crate) struct Extent<R: Simd, const D: usize> {
    pub(crate) low: [Register<R>; D],
    pub(crate) high: [Register<R>; D],
}

impl<R: Simd, const D: usize> Extent<R, D> {
    #[inline(always)]
    fn none(simd: R) -> Self {
        Self {
            low: [Register::splat(simd, f32::MAX); D],
            high: [Register::splat(simd, f32::MIN); D],
        }
    }

    #[inline(always)]
    fn load(simd: R, from: &Bounds<D>) -> Self {
        let mut extent = Self::none(simd);
        for axis in 0..D {
            extent.low[axis] = Register::new(simd, R::as_simd_f32s(&from.low[axis]).0[0]);
            extent.high[axis] = Register::new(simd, R::as_simd_f32s(&from.high[axis]).0[0]);
        }
        extent
    }

    #[inline(always)]
    fn store(self, to: &mut Bounds<D>) {
        for axis in 0..D {
            R::as_mut_simd_f32s(&mut to.low[axis]).0[0] = self.low[axis].lanes();
            R::as_mut_simd_f32s(&mut to.high[axis]).0[0] = self.high[axis].lanes();
        }
    }

    /// Makes bounds infinite where they are NaN: whether a NaN survives depends on the instruction
    /// set.
    #[inline(always)]
    fn widen_nan(&mut self, simd: R) {
        let [least, greatest] =
            [f32::NEG_INFINITY, f32::INFINITY].map(|end| Register::splat(simd, end));
        for axis in 0..D {
            let (low, high) = (&mut self.low[axis], &mut self.high[axis]);
            *low = Lane::select(low.at_least(least), *low, least);
            *high = Lane::select(greatest.at_least(*high), *high, greatest);
        }
    }
}
