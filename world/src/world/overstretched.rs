//! Finding sticks that are stretched beyond their tear factors.

use pulp::NullaryFnOnce;
use taut_core::{Cursor, Delta, Particles, Sticks};

use super::run_layout::{CHUNK, Run, RunLayout};
use crate::simd::widest;

/// The lengths at which the sticks of an island tear, in the layout of [`RunLayout`].
#[derive(Clone, Debug, Default)]
pub(super) struct TearLimits {
    layout: RunLayout,
    /// For each slot the square of the length at which its stick tears, m²; infinite if the stick
    /// never tears, does not pull, or is torn.
    limits: Vec<f32>,
    /// Up to where changes of the sticks have been read.
    cursor: Option<Cursor>,
    /// Whether the tear factors may have changed since the last [`refresh`](Self::refresh).
    factors_stale: bool,
}

impl TearLimits {
    /// The limits of the sticks whose tear factor is finite; they have no effect (are infinite) until
    /// [`refresh`](Self::refresh).
    pub(super) fn new(sticks: &Sticks, factors: &[f32]) -> Self {
        let layout = RunLayout::of(sticks, |stick| tears(factors, stick));
        Self {
            limits: vec![f32::INFINITY; layout.sticks.len()],
            layout,
            cursor: None,
            factors_stale: false,
        }
    }

    /// Records that tear factors may have changed: the next [`refresh`](Self::refresh) compares all of
    /// them with the layout.
    pub(super) fn mark_factors_stale(&mut self) {
        self.factors_stale = true;
    }

    /// Applies changes of the sticks and their factors.
    pub(super) fn refresh(&mut self, sticks: &Sticks, factors: &[f32]) {
        if core::mem::take(&mut self.factors_stale) {
            let has_slot = |stick| self.layout.slot(stick).is_some();
            if (0..sticks.len()).all(|stick| tears(factors, stick) == has_slot(stick)) {
                self.cursor = None; // the same sticks, perhaps with other factors
            } else {
                *self = Self::new(sticks, factors);
            }
        }
        let changes = sticks.changes();
        let mut update = |stick: u32| {
            let stick = stick as usize;
            if let Some(slot) = self.layout.slot(stick) {
                let length = sticks.rest(stick) * factors[stick];
                // A stick that does not pull may be much longer than its rest length.
                let may_tear = !sticks.is_torn(stick) && sticks.kind(stick).pulls();
                self.limits[slot] = if may_tear { length * length } else { f32::INFINITY };
            }
        };
        match self.cursor.map_or(Delta::Everything, |cursor| changes.since(cursor)) {
            Delta::Entries(entries) => entries.iter().copied().for_each(update),
            Delta::Everything | Delta::ForeignCursor => {
                (0..sticks.len() as u32).for_each(&mut update);
            }
        }
        self.cursor = Some(changes.now());
    }

    /// Appends to `found` the sticks that are longer than their limits.
    pub(super) fn find_overstretched<const D: usize>(
        &self,
        particles: &Particles<D>,
        found: &mut Vec<u32>,
    ) {
        let columns: [&[f32]; D] = core::array::from_fn(|axis| particles.positions(axis));
        widest(FindOverstretched { tear_limits: self, columns, found });
    }
}

/// Whether a stick can tear: not if its tear factor is missing or not finite.
fn tears(factors: &[f32], stick: usize) -> bool {
    factors.get(stick).is_some_and(|factor| factor.is_finite())
}

/// Appends to `found` the sticks that are longer than their limits.
struct FindOverstretched<'a, const D: usize> {
    tear_limits: &'a TearLimits,
    /// Positions by axis, m.
    columns: [&'a [f32]; D],
    found: &'a mut Vec<u32>,
}

impl<const D: usize> NullaryFnOnce for FindOverstretched<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { tear_limits: TearLimits { layout, limits, .. }, columns, found } = self;
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
            let is_over = |(square, limit): (&f32, &f32)| square > limit;
            // A branch-free count first: overstretched sticks are rare.
            let count: u32 = squares.iter().zip(limits).map(|pair| u32::from(is_over(pair))).sum();
            if count > 0 {
                let pairs = squares.iter().zip(limits).zip(&sticks[first..]);
                found.extend(pairs.filter(|(pair, _)| is_over(*pair)).map(|(_, stick)| stick));
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
