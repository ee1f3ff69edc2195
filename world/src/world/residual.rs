//! How far the sticks of an island are from their rest lengths, found fast.

use taut_core::{Cursor, Delta, Particles, Sticks, Stretch};

use super::runs::{CHUNK, Run, Runs};
use crate::simd::{Pass, widest};

/// Sums are made in so many parts: it is a part of the answer, and fills the widest register.
pub(super) const PARTS: usize = 8;

/// The parts of a sum, in `f64`.
pub(super) type Parts = [f64; PARTS];

/// All of a sum.
pub(super) fn whole(parts: Parts) -> f64 {
    parts.into_iter().sum()
}

/// What is to be known of sticks for their stretch, laid out.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    layout: Runs,
    /// By place: the rest length, m.
    rests: Vec<f32>,
    /// By place: whether the stick acts when it is shorter, and when it is longer: 1 or 0.
    acts: [Vec<f32>; 2],
    /// How many sticks are not torn.
    untorn: usize,
    seen: Option<Cursor>,
}

impl Residual {
    fn new(sticks: &Sticks) -> Self {
        let layout = Runs::of(sticks, |_| true);
        let column = || vec![0.0; sticks.len()];
        Self { layout, rests: column(), acts: [column(), column()], untorn: 0, seen: None }
    }

    /// Of such sticks, as they are now.
    pub(super) fn refreshed<'a>(kept: &'a mut Option<Self>, sticks: &Sticks) -> &'a Self {
        let changes = sticks.changes();
        let stale = |it: &Self| {
            let another = |seen| matches!(changes.since(seen), Delta::DifferentTable);
            it.rests.len() != sticks.len() || it.seen.is_some_and(another)
        };
        if kept.as_ref().is_some_and(stale) {
            *kept = None;
        }
        let it = kept.get_or_insert_with(|| Self::new(sticks));
        match it.seen.map_or(Delta::Everything, |seen| changes.since(seen)) {
            Delta::Entries(entries) => {
                for &stick in entries {
                    it.note(sticks, stick as usize);
                }
            }
            Delta::Everything | Delta::DifferentTable => {
                for stick in 0..sticks.len() {
                    it.note(sticks, stick);
                }
            }
        }
        it.seen = Some(changes.now());
        it
    }

    fn note(&mut self, sticks: &Sticks, stick: usize) {
        let Some(place) = self.layout.place(stick) else { return };
        let (kind, whole) = (sticks.kind(stick), !sticks.is_torn(stick));
        let acts = [kind.pushes(), kind.pulls()].map(|acts| f32::from(u8::from(acts && whole)));
        let counts = |acts: [f32; 2]| usize::from(acts != [0.0, 0.0]);
        let acted = [self.acts[0][place], self.acts[1][place]];
        self.untorn = self.untorn + counts(acts) - counts(acted);
        self.rests[place] = sticks.rest(stick);
        for (column, acts) in self.acts.iter_mut().zip(acts) {
            column[place] = acts;
        }
    }

    /// Sums over all sticks. As [`Stretch::of`], but for the order in which it adds up.
    pub(super) fn sums<const D: usize>(&self, particles: &Particles<D>) -> StretchSums {
        let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let (mut squares, mut largest) = ([[0.0; PARTS]; 2], [[0.0; PARTS]; 2]);
        widest(Sum { residual: self, columns, squares: &mut squares, largest: &mut largest });
        StretchSums {
            squares: squares.map(whole),
            largest: largest.map(|parts| parts.into_iter().fold(0.0, f64::max)),
            sticks: self.untorn,
        }
    }
}

/// What the figures of stretch are made of: first of sticks that are too long, then of those too
/// short.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StretchSums {
    /// Of the squares; NaN if a position is.
    squares: [f64; 2],
    largest: [f64; 2],
    /// How many sticks are not torn.
    pub(super) sticks: usize,
}

impl StretchSums {
    pub(super) fn add(&mut self, other: Self) {
        for side in 0..2 {
            self.squares[side] += other.squares[side];
            self.largest[side] = self.largest[side].max(other.largest[side]);
        }
        self.sticks += other.sticks;
    }

    pub(super) fn stretch(&self) -> Stretch {
        Stretch::from_sums(self.squares, self.largest, self.sticks)
    }
}

/// Adds up the squares of stretches, and of compressions.
struct Sum<'a, const D: usize> {
    residual: &'a Residual,
    columns: [&'a [f32]; D],
    squares: &'a mut [Parts; 2],
    largest: &'a mut [Parts; 2],
}

impl<const D: usize> Pass for Sum<'_, D> {
    #[inline(always)]
    fn run(mut self) {
        let layout = &self.residual.layout;
        let mut lengths = [0.0_f64; CHUNK];
        for &Run { a, b, first, len } in &layout.rows {
            let lengths = &mut lengths[..len];
            lengths.fill(0.0);
            for column in self.columns {
                let ends = column[a..a + len].iter().zip(&column[b..b + len]);
                for (length, (a, b)) in lengths.iter_mut().zip(ends) {
                    let d = f64::from(*b) - f64::from(*a);
                    *length += d * d;
                }
            }
            self.add(first, lengths);
        }
        for (nth, ends) in layout.loose.chunks(CHUNK).enumerate() {
            let lengths = &mut lengths[..ends.len()];
            lengths.fill(0.0);
            for column in self.columns {
                for (length, [a, b]) in lengths.iter_mut().zip(ends) {
                    let d = f64::from(column[*b as usize]) - f64::from(column[*a as usize]);
                    *length += d * d;
                }
            }
            self.add(layout.first_loose() + nth * CHUNK, lengths);
        }
    }
}

impl<const D: usize> Sum<'_, D> {
    /// Adds the stretch of the sticks from a place on, by the squares of their lengths, m².
    #[inline(always)]
    fn add(&mut self, first: usize, lengths: &[f64]) {
        let Residual { rests, acts: [below, above], .. } = self.residual;
        let all = first..first + lengths.len();
        let (rests, below, above) = (&rests[all.clone()], &below[all.clone()], &above[all]);
        let (mut squares, mut largest) = (*self.squares, *self.largest);
        let mut add = |part: usize, at: usize| {
            let rest = f64::from(rests[at]);
            let stretch = (lengths[at].sqrt() - rest) / rest;
            // A NaN is not below 0, so it is added to the stretch.
            let over = if stretch < 0.0 { 0.0 } else { stretch * f64::from(above[at]) };
            let under = if stretch < 0.0 { -stretch * f64::from(below[at]) } else { 0.0 };
            for (side, value) in [over, under].into_iter().enumerate() {
                squares[side][part] += value * value;
                let most = &mut largest[side][part];
                *most = if value > *most { value } else { *most };
            }
        };
        let full = lengths.len() / PARTS * PARTS;
        for from in (0..full).step_by(PARTS) {
            for part in 0..PARTS {
                add(part, from + part);
            }
        }
        for at in full..lengths.len() {
            add(at - full, at);
        }
        (*self.squares, *self.largest) = (squares, largest);
    }
}
