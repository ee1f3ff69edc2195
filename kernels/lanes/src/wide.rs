//! Eight lanes through the crate `wide`, for any target.

use core::ops::{Add, Div, Mul, Sub};

use taut_core::{Lane, SEED_F32, arrays};
use wide::{f32x4, f32x8, u32x8};

use crate::vector::Vector;

/// Eight lanes: one AVX register if the program is compiled for AVX, else two registers of SSE2,
/// NEON or simd128, else an array.
#[derive(Clone, Copy, Debug)]
pub struct Wide8(f32x8);

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for Wide8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Lane for Wide8 {
    type Mask = f32x8;

    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self(f32x8::splat(0.0_f32.constant(value)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn reciprocal_sqrt_seed(self) -> Self {
        let bits: u32x8 = bytemuck::cast(self.0);
        Self(bytemuck::cast(u32x8::splat(SEED_F32) - (bits >> 1)))
    }
    #[inline(always)]
    fn at_least(self, other: Self) -> f32x8 {
        self.0.simd_ge(other.0)
    }
    #[inline(always)]
    fn above(self, other: Self) -> f32x8 {
        self.0.simd_gt(other.0)
    }
    #[inline(always)]
    fn select(mask: f32x8, yes: Self, no: Self) -> Self {
        Self(mask.select(yes.0, no.0))
    }
}

// SAFETY: 8 lanes; the methods read and write arrays of 8 values, or of 4 at the addresses of
// lanes 0 to 7, which need no more alignment than an `f32` has.
unsafe impl Vector for Wide8 {
    type Cpu = ();
    const LANES: usize = 8;

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self(f32x8::splat(value))
    }
    #[inline(always)]
    unsafe fn load((): (), from: *const f32) -> Self {
        // SAFETY: valid for reading eight values, by contract; an array needs no more alignment
        // than an `f32`.
        Self(f32x8::from(unsafe { from.cast::<[f32; 8]>().read() }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: valid for writing eight values, by contract.
        unsafe { to.cast::<[f32; 8]>().write(self.0.to_array()) }
    }
    #[inline(always)]
    unsafe fn gather_rows((): (), address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: valid for reading four values per lane, by contract.
        let record = |lane| f32x4::from(unsafe { address(lane).read() });
        arrays::from_fn(|q| join([record(q), record(q + 4)]))
    }
    #[inline(always)]
    unsafe fn scatter_rows([a, b, c, d]: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        let ([a, e], [b, f], [c, g], [d, h]) = (halves(a), halves(b), halves(c), halves(d));
        // In a loop over an array, the compiler would copy each record through the stack.
        // SAFETY: valid for writing four values per lane, by contract.
        unsafe {
            address(0).write(a.to_array());
            address(1).write(b.to_array());
            address(2).write(c.to_array());
            address(3).write(d.to_array());
            address(4).write(e.to_array());
            address(5).write(f.to_array());
            address(6).write(g.to_array());
            address(7).write(h.to_array());
        }
    }
    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        let ([_, b, c, d, e, f, g, h], [first, ..]) = (self.0.to_array(), next.0.to_array());
        Self(f32x8::from([b, c, d, e, f, g, h, first]))
    }
    #[inline(always)]
    fn predecessors(self, previous: Self) -> Self {
        let ([a, b, c, d, e, f, g, _], [.., last]) = (self.0.to_array(), previous.0.to_array());
        Self(f32x8::from([last, a, b, c, d, e, f, g]))
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let ([a, e], [b, f], [c, g], [d, h]) = (halves(a), halves(b), halves(c), halves(d));
        let [a, b, c, d] = f32x4::transpose([a, b, c, d]);
        let [e, f, g, h] = f32x4::transpose([e, f, g, h]);
        [join([a, e]), join([b, f]), join([c, g]), join([d, h])]
    }
    #[inline(always)]
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        let ([a, b], [c, d]) = (halves(first), halves(second));
        [join([a, c]), join([b, d])]
    }
    #[inline(always)]
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        // The function is its own inverse, because a register holds only two records.
        Self::deinterleave_records(even, odd)
    }
}

/// Lanes 0 to 3, and lanes 4 to 7.
#[inline(always)]
fn halves(register: Wide8) -> [f32x4; 2] {
    bytemuck::cast(register.0)
}

/// The inverse of [`halves`].
#[inline(always)]
fn join(halves: [f32x4; 2]) -> Wide8 {
    Wide8(bytemuck::cast(halves))
}
