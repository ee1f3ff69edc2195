//! The operations that worlds use besides those of `Vector`: minima, maxima and masks. They must give
//! the results of scalar operations.

use pulp::{Simd, WithSimd, bytemuck};
use taut_core::Lane;
use taut_lanes::pulp::{Mask, Register};

/// Repeated, each value occurs in every lane next to every other one, because the count is odd.
const VALUES: [f32; 7] = [-2.5, 0.0, 1.0, f32::INFINITY, 3.5e-8, 1.0, f32::NEG_INFINITY];

/// Compares the operations of the registers of `simd` with scalar operations.
pub(crate) fn compare<S: Simd>(simd: S) {
    simd.vectorize(Compare(simd));
}

struct Compare<S>(S);

impl<S: Simd> WithSimd for Compare<S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<T: Simd>(self, _: T) {
        for offsets in (0..VALUES.len()).flat_map(|a| (0..VALUES.len()).map(move |b| [a, b])) {
            let [a, b] = offsets.map(|offset| register(self.0, offset));
            let lanes = S::F32_LANES;
            let value_in =
                |lane: usize| offsets.map(|offset| VALUES[(offset + lane) % VALUES.len()]);
            let pairs: Vec<[f32; 2]> = (0..lanes).map(value_in).collect();
            let expected =
                |of: fn(f32, f32) -> f32| pairs.iter().map(|&[a, b]| of(a, b)).collect::<Vec<_>>();
            assert_eq!(values(a.min(b)), expected(f32::min));
            assert_eq!(values(a.max(b)), expected(f32::max));

            let zero = Register::splat(self.0, 0.0);
            let check = |mask: Mask<S>, is_true: fn(f32, f32) -> bool| {
                let bit = |(lane, &[a, b]): (usize, &[f32; 2])| u32::from(is_true(a, b)) << lane;
                let expected = pairs.iter().enumerate().map(bit).sum();
                assert_eq!(mask.bits(), expected, "{lanes} lanes, {pairs:?}");
                assert_eq!(mask.any(), expected != 0, "{lanes} lanes, {pairs:?}");
            };
            check(a.above(b), |a, b| a > b);
            check(a.at_least(b), |a, b| a >= b);
            check(a.above(zero).and(b.above(zero)), |a, b| a > 0.0 && b > 0.0);
            check(a.above(zero).or(b.above(zero)), |a, b| a > 0.0 || b > 0.0);
        }
    }
}

/// A register whose first lane has the value at an index.
#[inline(always)]
fn register<S: Simd>(simd: S, offset: usize) -> Register<S> {
    let mut lanes = simd.splat_f32s(0.0);
    let of_lanes: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut lanes));
    for (lane, value) in of_lanes.iter_mut().zip(VALUES.iter().cycle().skip(offset)) {
        *lane = *value;
    }
    Register::new(simd, lanes)
}

fn values<S: Simd>(register: Register<S>) -> Vec<f32> {
    bytemuck::cast_slice(&[register.lanes()]).to_vec()
}
