//! Sticks that are stretched too far.

use pulp::NullaryFnOnce;
use taut_core::{Cursor, Delta, Particles, Sticks};

use super::run_layout::{CHUNK, Run, RunLayout};
use crate::simd::widest;

/// The lengths at which the sticks of an island tear, in the layout of [`RunLayout`].
#[derive(Clone, Debug, Default)]
pub(super) struct Tearing {
    layout: RunLayout,
    /// For each place the square of the length at which its stick tears, m²; infinite if it never
    /// tears or is torn.
    limits: Vec<f32>,
    seen: Option<Cursor>,
    /// See [`mark_factors_stale`](Self::mark_factors_stale).
    factors_stale: bool,
}

impl Tearing {
    pub(super) fn new(sticks: &Sticks, factors: &[f32]) -> Self {
        let layout = RunLayout::of(sticks, |stick| tears(factors, stick));
        Self {
            limits: vec![f32::INFINITY; layout.sticks.len()],
            layout,
            seen: None,
            factors_stale: false,
        }
    }

    /// Says that factors may have changed: the next [`refresh`](Self::refresh) compares them with
    /// the layout. (Without this mark a refresh does not read all factors.)
    pub(super) fn mark_factors_stale(&mut self) {
        self.factors_stale = true;
    }

    /// Applies changes of the sticks and their factors.
    pub(super) fn refresh(&mut self, sticks: &Sticks, factors: &[f32]) {
        if core::mem::take(&mut self.factors_stale) {
            let laid_out = |stick| self.layout.place(stick).is_some();
            if (0..sticks.len()).all(|stick| tears(factors, stick) == laid_out(stick)) {
                self.seen = None; // the same sticks, perhaps with other factors
            } else {
                *self = Self::new(sticks, factors);
            }
        }
        let changes = sticks.changes();
        let mut limit = |stick: u32| {
            let stick = stick as usize;
            if let Some(place) = self.layout.place(stick) {
                let length = sticks.rest(stick) * factors[stick];
                self.limits[place] =
                    if sticks.is_torn(stick) { f32::INFINITY } else { length * length };
            }
        };
        match self.seen.map_or(Delta::Everything, |seen| changes.since(seen)) {
            Delta::Entries(entries) => entries.iter().copied().for_each(limit),
            Delta::Everything | Delta::ForeignCursor => {
                (0..sticks.len() as u32).for_each(&mut limit);
            }
        }
        self.seen = Some(changes.now());
    }

    /// Finds the sticks that are longer than their limits.
    pub(super) fn overstretched<const D: usize>(
        &self,
        particles: &Particles<D>,
        found: &mut Vec<u32>,
    ) {
        let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        widest(Overstretched { tearing: self, columns, found });
    }
}

/// Whether a stick can tear.
fn tears(factors: &[f32], stick: usize) -> bool {
    factors.get(stick).is_some_and(|factor| factor.is_finite())
}

/// Finds the sticks that are longer than their limits.
struct Overstretched<'a, const D: usize> {
    tearing: &'a Tearing,
    columns: [&'a [f32]; D],
    found: &'a mut Vec<u32>,
}

impl<const D: usize> NullaryFnOnce for Overstretched<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { tearing: Tearing { layout, limits, .. }, columns, found } = self;
        let RunLayout { runs, single, sticks, .. } = layout;
        let mut squares = [0.0_f32; CHUNK];
        for &Run { a, b, first, len } in runs {
            let squares = &mut squares[..len];
            squares.fill(0.0);
            for column in columns {
                let ends = column[a..a + len].iter().zip(&column[b..b + len]);
                for (square, (a, b)) in squares.iter_mut().zip(ends) {
                    let d = b - a;
                    *square += d * d;
                }
            }
            let limits = &limits[first..first + len];
            let over = |(square, limit): (&f32, &f32)| square > limit;
            // Count without branches first: overstretched sticks are rare.
            let count: u32 = squares.iter().zip(limits).map(|pair| u32::from(over(pair))).sum();
            if count > 0 {
                let pairs = squares.iter().zip(limits).zip(&sticks[first..]);
                found.extend(pairs.filter(|(pair, _)| over(*pair)).map(|(_, stick)| stick));
            }
        }
        let first = layout.first_single();
        for ((ends, limit), &stick) in single.iter().zip(&limits[first..]).zip(&sticks[first..]) {
            let mut square = 0.0;
            for column in columns {
                let d = column[ends[1] as usize] - column[ends[0] as usize];
                square += d * d;
            }
            if square > *limit {
                found.push(stick);
            }
        }
    }
}
