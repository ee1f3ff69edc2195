//! How far balls move relative to each other.

use pulp::{Simd, WithSimd};
use taut_core::Lane;
use taut_lanes::pulp::Register;

use crate::simd::widest;

/// Upper bounds of the displacements of balls relative to each other, m. Displacements of NaN are
/// ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Travel {
    /// In this substep.
    pub(crate) in_substep: f32,
    /// From their expected positions: the greater one of the bounds at the beginning and at the end
    /// of this substep.
    pub(crate) from_expected: f32,
}

/// Where balls are expected to be: at their earlier positions, or moved uniformly since then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedMotion<'a, const D: usize> {
    /// Earlier positions by axis, m.
    pub(crate) start: [&'a [f32]; D],
    /// The displacement of each ball in a substep by axis, m, and the number of substeps from the
    /// start until the end of this one.
    pub(crate) uniform: Option<([&'a [f32]; D], f32)>,
}

/// By axis, the least and the greatest of three displacements of balls, m: in this substep; from the
/// expected positions, at its end; and from the expected positions, at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplacementBounds<const D: usize>([[[f32; 2]; 3]; D]);

impl<const D: usize> DisplacementBounds<D> {
    /// The bounds without any ball.
    pub(crate) const NONE: Self = Self([[[f32::MAX, f32::MIN]; 3]; D]);

    /// Adds balls: columns of their positions and previous positions by axis, m. All columns have the
    /// same length, a multiple of [`PADDING`](taut_core::PADDING).
    pub(crate) fn add(
        &mut self,
        position: [&[f32]; D],
        previous: [&[f32]; D],
        expected: ExpectedMotion<'_, D>,
    ) {
        widest(AddBalls { position, previous, expected, to: self });
    }

    /// Adds the balls of other bounds.
    pub(crate) fn merge(&mut self, others: &Self) {
        for (spans, other_spans) in self.0.iter_mut().zip(&others.0) {
            for ([low, high], [other_low, other_high]) in spans.iter_mut().zip(other_spans) {
                (*low, *high) = (low.min(*other_low), high.max(*other_high));
            }
        }
    }

    /// How far balls have moved relative to each other.
    pub(crate) fn travel(&self) -> Travel {
        // No two displacements differ by more than the diagonal of a box around all of them.
        let mut diagonals2 = [0.0; 3];
        for spans in &self.0 {
            for (diagonal2, [low, high]) in diagonals2.iter_mut().zip(spans) {
                *diagonal2 += (high - low) * (high - low);
            }
        }
        let [in_substep, at_end, at_beginning] = diagonals2.map(f32::sqrt);
        Travel { in_substep, from_expected: at_end.max(at_beginning) }
    }
}

/// Adds balls to bounds, with run-time SIMD dispatch.
struct AddBalls<'a, const D: usize> {
    position: [&'a [f32]; D],
    previous: [&'a [f32]; D],
    expected: ExpectedMotion<'a, D>,
    to: &'a mut DisplacementBounds<D>,
}

impl<const D: usize> WithSimd for AddBalls<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { position, previous, expected: ExpectedMotion { start, uniform }, to } = self;
        for axis in 0..D {
            let (now, _) = R::as_simd_f32s(position[axis]);
            let before = &R::as_simd_f32s(previous[axis]).0[..now.len()];
            let start = &R::as_simd_f32s(start[axis]).0[..now.len()];
            let mut spans = [Span::empty(simd); 3];
            if let Some((motion, substeps)) = uniform {
                let motion = &R::as_simd_f32s(motion[axis]).0[..now.len()];
                let substeps = Register::splat(simd, substeps);
                for register_index in 0..now.len() {
                    let now = Register::new(simd, now[register_index]);
                    let before = Register::new(simd, before[register_index]);
                    let motion = Register::new(simd, motion[register_index]);
                    let start = Register::new(simd, start[register_index]);
                    let expected = start + substeps * motion;
                    spans[0].add(now - before);
                    spans[1].add(now - expected);
                    spans[2].add(before - (expected - motion));
                }
            } else {
                for register_index in 0..now.len() {
                    let now = Register::new(simd, now[register_index]);
                    let before = Register::new(simd, before[register_index]);
                    let start = Register::new(simd, start[register_index]);
                    spans[0].add(now - before);
                    spans[1].add(now - start);
                    spans[2].add(before - start);
                }
            }
            for ([low, high], span) in to.0[axis].iter_mut().zip(spans) {
                let [span_low, span_high] = span.ends(simd);
                (*low, *high) = (low.min(span_low), high.max(span_high));
            }
        }
    }
}

/// The least and the greatest of some values, lane by lane. NaN is ignored.
#[derive(Clone, Copy)]
pub(super) struct Span<R: Simd> {
    low: Register<R>,
    high: Register<R>,
}

impl<R: Simd> Span<R> {
    #[inline(always)]
    pub(super) fn empty(simd: R) -> Self {
        Self { low: Register::splat(simd, f32::MAX), high: Register::splat(simd, f32::MIN) }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: Register<R>) {
        self.low = Lane::select(self.low.above(value), value, self.low);
        self.high = Lane::select(value.above(self.high), value, self.high);
    }

    /// The least and the greatest of all lanes.
    #[inline(always)]
    pub(super) fn ends(self, simd: R) -> [f32; 2] {
        [simd.reduce_min_f32s(self.low.lanes()), simd.reduce_max_f32s(self.high.lanes())]
    }
}
