//! The stage that enforces tethers.

use pulp::{Simd, WithSimd};
use taut_core::{Column, Exact, Lane, ParticleView, SlotLayout, Stage, factor, squared_length};
use taut_lanes::pulp::Register;

use crate::by_layout::ByLayout;
use crate::simd::widest;

/// Largest speed at which a tether moves a particle, m/s. A larger correction is limited to this
/// speed and adds no velocity, so that a pin that jumps does not fling the cloth.
pub(crate) const TETHER_SPEED_MAX: f32 = 30.0;

/// At most one tether of each particle, by particle number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TetherList {
    /// Length of the tether, m; infinite if the particle has none.
    pub(crate) length: Vec<f32>,
    /// Index of the anchor in the list of anchors of [`TetherColumns`].
    pub(crate) anchor: Vec<u32>,
}

/// The tethers of an island, laid out for stages.
#[derive(Debug, Default)]
pub(crate) struct TetherColumns<const D: usize> {
    /// The first list has the first tether of each particle, the next one the second, and so on.
    lists: Vec<TetherList>,
    /// Positions of the anchors, m.
    anchors: Vec<[f32; D]>,
    /// For each layout, the tethers of each list by slot.
    by_layout: ByLayout<Vec<SlotTethers<D>>>,
}

/// At most one tether of each particle, by slot.
#[derive(Debug)]
struct SlotTethers<const D: usize> {
    /// Length of the tether, m; infinite for slots without one.
    length: Column<f32>,
    /// Index of the anchor.
    anchor: Vec<u32>,
    /// Position of the anchor of each slot, m.
    anchor_position: [Column<f32>; D],
}

impl<const D: usize> SlotTethers<D> {
    /// `anchors` has the positions of all anchors, m; `numbers` the particle of each slot.
    fn new(list: &TetherList, anchors: &[[f32; D]], numbers: impl Iterator<Item = usize>) -> Self {
        let (mut lengths, mut anchor) = (Vec::new(), Vec::new());
        for number in numbers {
            lengths.push(list.length.get(number).copied().unwrap_or(f32::INFINITY));
            anchor.push(list.anchor.get(number).copied().unwrap_or_default());
        }
        let slots = lengths.len();
        let zeros = || Column::from_iter(0, core::iter::repeat_n(0.0, slots));
        let mut tethers = Self {
            length: Column::from_iter(0, lengths),
            anchor,
            anchor_position: core::array::from_fn(|_| zeros()),
        };
        tethers.update_anchors(anchors);
        tethers
    }

    /// Copies the positions of the anchors, m, to their slots.
    fn update_anchors(&mut self, anchors: &[[f32; D]]) {
        for (axis, column) in self.anchor_position.iter_mut().enumerate() {
            for (x, &anchor) in column.iter_mut().zip(&self.anchor) {
                *x = anchors[anchor as usize][axis];
            }
        }
    }
}

impl<const D: usize> TetherColumns<D> {
    pub(crate) fn new(lists: Vec<TetherList>, anchors: Vec<[f32; D]>) -> Self {
        Self { lists, anchors, by_layout: ByLayout::default() }
    }

    /// Number of tethers.
    pub(crate) fn count(&self) -> usize {
        let count = |list: &TetherList| list.length.iter().filter(|it| it.is_finite()).count();
        self.lists.iter().map(count).sum()
    }

    /// Sets the positions of the anchors, m.
    pub(crate) fn set_anchor_positions(&mut self, positions: impl Iterator<Item = [f32; D]>) {
        self.move_anchors(positions.enumerate());
    }

    /// Sets the positions of some anchors, by their indices, m.
    pub(crate) fn move_anchors(&mut self, positions: impl Iterator<Item = (usize, [f32; D])>) {
        let mut any_moved = false;
        for (nth, position) in positions {
            let anchor = &mut self.anchors[nth];
            any_moved |= anchor.map(f32::to_bits) != position.map(f32::to_bits);
            *anchor = position;
        }
        if any_moved {
            for tethers in self.by_layout.each_mut().flatten() {
                tethers.update_anchors(&self.anchors);
            }
        }
    }

    /// Discards the tethers by slot, for a new plan.
    pub(crate) fn forget_slots(&mut self) {
        self.by_layout.forget_slots();
    }

    /// Number of particles.
    fn particles(&self) -> usize {
        self.lists.first().map_or(0, |list| list.length.len())
    }

    /// The tethers in the layout of a stage.
    fn in_layout(&self, layout: &SlotLayout) -> &[SlotTethers<D>] {
        self.by_layout.get(layout, self.particles(), |slots, number_of| {
            let tethers = |list| SlotTethers::new(list, &self.anchors, (0..slots).map(number_of));
            self.lists.iter().map(tethers).collect()
        })
    }
}

/// The stage that keeps particles within the tether length of their anchors.
pub(crate) struct Tether<'a, const D: usize> {
    pub(crate) columns: &'a TetherColumns<D>,
    /// Largest displacement of a particle by a tether, m.
    pub(crate) correction_max: f32,
}

impl<const D: usize> Stage<D> for Tether<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let tethers = self.columns.in_layout(&particles.layout);
        widest(EnforceTethers { tethers, correction_max: self.correction_max, particles });
    }
}

/// Enforces tethers in the layout of a stage, with run-time SIMD dispatch.
struct EnforceTethers<'a, 'p, const D: usize> {
    tethers: &'a [SlotTethers<D>],
    correction_max: f32,
    particles: ParticleView<'p, D>,
}

impl<const D: usize> WithSimd for EnforceTethers<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { tethers, correction_max, particles } = self;
        let ParticleView { position, previous, inverse_mass, layout } = particles;
        let slots = layout.first_slot()..layout.first_slot() + inverse_mass.len();
        let position = position.map(|column| R::as_mut_simd_f32s(column).0);
        let previous = previous.map(|column| R::as_mut_simd_f32s(column).0);
        let (inverse_masses, _) = R::as_simd_f32s(inverse_mass);
        let (zero, one) = (Register::splat(simd, 0.0), Register::splat(simd, 1.0));
        let correction_max = Register::splat(simd, correction_max);
        for list in tethers {
            let (length, _) = R::as_simd_f32s(&list.length[slots.clone()]);
            let anchor = list.anchor_position.each_ref().map(|column| {
                let (column, _) = R::as_simd_f32s(&column[slots.clone()]);
                column
            });
            for (register_index, (&length, &inverse_mass)) in
                length.iter().zip(inverse_masses).enumerate()
            {
                let length = Register::new(simd, length);
                let (mut x, mut d) = ([zero; D], [zero; D]);
                for axis in 0..D {
                    x[axis] = Register::new(simd, position[axis][register_index]);
                    d[axis] = x[axis] - Register::new(simd, anchor[axis][register_index]);
                }
                let l2 = squared_length(d);
                let is_stretched = l2.above(length * length);
                if !is_stretched.any() {
                    continue;
                }
                let is_stretched = is_stretched.and(Register::new(simd, inverse_mass).above(zero));
                // The correction of a stretched stick whose other end is pinned.
                let mut g = factor::<Exact, _>(l2, length, one, None);
                let correction = g * l2.sqrt();
                let too_far = correction.above(correction_max).and(is_stretched);
                if too_far.any() {
                    g = g * Register::select(too_far, correction_max / correction, one);
                    for axis in 0..D {
                        let before = Register::new(simd, previous[axis][register_index]);
                        let moved = before - d[axis] * g;
                        previous[axis][register_index] =
                            Register::select(too_far, moved, before).lanes();
                    }
                }
                for axis in 0..D {
                    let moved = x[axis] - d[axis] * g;
                    position[axis][register_index] =
                        Register::select(is_stretched, moved, x[axis]).lanes();
                }
            }
        }
    }
}
