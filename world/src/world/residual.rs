//! The residual of an island's sticks, computed with SIMD.

use pulp::NullaryFnOnce;
use taut_core::{Cursor, Delta, Particles, Sticks, Stretch};

use super::run_layout::{CHUNK, Run, RunLayout};
use crate::simd::widest;

/// Number of partial sums: as many as `f64` lanes of the widest register. Results depend on it.
pub(super) const LANES: usize = 8;

/// Partial sums, one per lane, whose [`total`] is a sum.
pub(super) type PartialSums = [f64; LANES];

/// Adds the partial sums.
pub(super) fn total(partial: PartialSums) -> f64 {
    partial.into_iter().sum()
}

/// The values of sticks from which their stretch is computed, in the layout of [`RunLayout`].
#[derive(Clone, Debug)]
pub(super) struct StretchColumns {
    layout: RunLayout,
    /// Rest lengths by slot, m.
    rests: Vec<f32>,
    /// For each slot, 1 if the stick acts, else 0: `[0]` when it is compressed (it pushes), `[1]` when
    /// it is stretched (it pulls).
    acts: [Vec<f32>; 2],
    /// Number of sticks that are not torn.
    untorn: usize,
    /// Up to where changes of the sticks have been read.
    cursor: Option<Cursor>,
}

impl StretchColumns {
    fn new(sticks: &Sticks) -> Self {
        let layout = RunLayout::of(sticks, |_| true);
        let zeros = || vec![0.0; sticks.len()];
        Self { layout, rests: zeros(), acts: [zeros(), zeros()], untorn: 0, cursor: None }
    }

    /// Brings `cached` up to date with the sticks; creates it if needed.
    pub(super) fn refreshed<'a>(cached: &'a mut Option<Self>, sticks: &Sticks) -> &'a Self {
        let changes = sticks.changes();
        let of_other_sticks = |it: &Self| {
            let is_foreign = |cursor| matches!(changes.since(cursor), Delta::ForeignCursor);
            it.rests.len() != sticks.len() || it.cursor.is_some_and(is_foreign)
        };
        if cached.as_ref().is_some_and(of_other_sticks) {
            *cached = None;
        }
        let current = cached.get_or_insert_with(|| Self::new(sticks));
        match current.cursor.map_or(Delta::Everything, |cursor| changes.since(cursor)) {
            Delta::Entries(entries) => {
                for &stick in entries {
                    current.update(sticks, stick as usize);
                }
            }
            Delta::Everything | Delta::ForeignCursor => {
                for stick in 0..sticks.len() {
                    current.update(sticks, stick);
                }
            }
        }
        current.cursor = Some(changes.now());
        current
    }

    /// Reads the values of a stick.
    fn update(&mut self, sticks: &Sticks, stick: usize) {
        let Some(slot) = self.layout.slot(stick) else { return };
        let (kind, untorn) = (sticks.kind(stick), !sticks.is_torn(stick));
        let acts = [kind.pushes(), kind.pulls()].map(|acts| f32::from(u8::from(acts && untorn)));
        // A stick of any kind acts on at least one side, unless it is torn.
        let count = |acts: [f32; 2]| usize::from(acts != [0.0, 0.0]);
        let acts_before = [self.acts[0][slot], self.acts[1][slot]];
        self.untorn = self.untorn + count(acts) - count(acts_before);
        self.rests[slot] = sticks.rest(stick);
        for (column, acts) in self.acts.iter_mut().zip(acts) {
            column[slot] = acts;
        }
    }

    /// The sums over all sticks that [`Stretch::of`] computes, too, but added in a different order.
    pub(super) fn sums<const D: usize>(&self, particles: &Particles<D>) -> StretchSums {
        let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let (mut squares, mut largest) = ([[0.0; LANES]; 2], [[0.0; LANES]; 2]);
        widest(SumSquares {
            stretch_columns: self,
            columns,
            squares: &mut squares,
            largest: &mut largest,
        });
        StretchSums {
            squares: squares.map(total),
            largest: largest.map(|partial| partial.into_iter().fold(0.0, f64::max)),
            sticks: self.untorn,
        }
    }
}

/// Sums and maxima over sticks: index 0 is for stretch, 1 for compression.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StretchSums {
    /// Sums of squares; NaN if a position is NaN.
    squares: [f64; 2],
    /// Maxima.
    largest: [f64; 2],
    /// Number of sticks that are not torn.
    pub(super) sticks: usize,
}

impl StretchSums {
    /// Adds the sums of other sticks.
    pub(super) fn add(&mut self, other: Self) {
        for side in 0..2 {
            self.squares[side] += other.squares[side];
            self.largest[side] = self.largest[side].max(other.largest[side]);
        }
        self.sticks += other.sticks;
    }

    /// Stretch and compression, from the sums.
    pub(super) fn stretch(&self) -> Stretch {
        Stretch::from_sums(self.squares, self.largest, self.sticks)
    }
}

/// Adds up the squares of stretches and compressions.
struct SumSquares<'a, const D: usize> {
    stretch_columns: &'a StretchColumns,
    /// Positions by axis, m.
    columns: [&'a [f32]; D],
    squares: &'a mut [PartialSums; 2],
    largest: &'a mut [PartialSums; 2],
}

impl<const D: usize> NullaryFnOnce for SumSquares<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let layout = &self.stretch_columns.layout;
        let mut squared_lengths = [0.0_f64; CHUNK];
        for &Run { a, b, first, len } in &layout.runs {
            let squared_lengths = &mut squared_lengths[..len];
            squared_lengths.fill(0.0);
            for column in self.columns {
                let ends = column[a..a + len].iter().zip(&column[b..b + len]);
                for (squared_length, (a, b)) in squared_lengths.iter_mut().zip(ends) {
                    let d = f64::from(*b) - f64::from(*a);
                    *squared_length += d * d;
                }
            }
            self.add(first, squared_lengths);
        }
        for (nth, ends) in layout.single.chunks(CHUNK).enumerate() {
            let squared_lengths = &mut squared_lengths[..ends.len()];
            squared_lengths.fill(0.0);
            for column in self.columns {
                for (squared_length, [a, b]) in squared_lengths.iter_mut().zip(ends) {
                    let d = f64::from(column[*b as usize]) - f64::from(column[*a as usize]);
                    *squared_length += d * d;
                }
            }
            self.add(layout.first_single() + nth * CHUNK, squared_lengths);
        }
    }
}

impl<const D: usize> SumSquares<'_, D> {
    /// Adds the squares of stretch and compression of the sticks in the slots from `first` on, and
    /// updates the maxima. Takes their squared lengths, m².
    #[inline(always)]
    fn add(&mut self, first: usize, squared_lengths: &[f64]) {
        let StretchColumns { rests, acts: [pushes, pulls], .. } = self.stretch_columns;
        let slots = first..first + squared_lengths.len();
        let (rests, pushes, pulls) = (&rests[slots.clone()], &pushes[slots.clone()], &pulls[slots]);
        let (mut squares, mut largest) = (*self.squares, *self.largest);
        let mut add = |lane: usize, index: usize| {
            let rest = f64::from(rests[index]);
            let strain = (squared_lengths[index].sqrt() - rest) / rest;
            // `NaN < 0.0` is false, so a NaN goes to the sums of stretch.
            let stretch = if strain < 0.0 { 0.0 } else { strain * f64::from(pulls[index]) };
            let compression = if strain < 0.0 { -strain * f64::from(pushes[index]) } else { 0.0 };
            for (side, value) in [stretch, compression].into_iter().enumerate() {
                squares[side][lane] += value * value;
                let of_lane = &mut largest[side][lane];
                *of_lane = if value > *of_lane { value } else { *of_lane };
            }
        };
        let full = squared_lengths.len() / LANES * LANES;
        for from in (0..full).step_by(LANES) {
            for lane in 0..LANES {
                add(lane, from + lane);
            }
        }
        for index in full..squared_lengths.len() {
            add(index - full, index);
        }
        (*self.squares, *self.largest) = (squares, largest);
    }
}
