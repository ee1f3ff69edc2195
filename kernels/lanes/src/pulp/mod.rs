//! Registers of the instruction sets that the crate `pulp` detects at run time.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use core::ops::{Add, Div, Mul, Sub};

use pulp::{Simd, WithSimd};
use taut_core::{Lane, SEED_F32};

use crate::machine::Operation;
use crate::vector::Vector;

/// Operations that pulp's portable trait lacks: records, and shifts by a lane.
///
/// # Safety
/// [`Register`] implements [`Vector`] with these methods and [`Simd::F32_LANES`], so they must meet
/// the requirements of [`Vector`].
pub unsafe trait Registers: Simd {
    /// As [`Lane::select`].
    #[inline(always)]
    fn select(self, mask: Self::m32s, yes: Self::f32s, no: Self::f32s) -> Self::f32s {
        self.select_f32s(mask, yes, no)
    }

    /// As [`Vector::gather_rows`].
    ///
    /// # Safety
    /// - `at(lane)` is valid for reading four `f32`, for each lane.
    unsafe fn gather_rows(self, at: impl Fn(usize) -> *const [f32; 4]) -> [Self::f32s; 4];
    /// As [`Vector::scatter_rows`].
    ///
    /// # Safety
    /// - `at(lane)` is valid for writing four `f32`, for each lane.
    unsafe fn scatter_rows(self, rows: [Self::f32s; 4], at: impl Fn(usize) -> *mut [f32; 4]);
    /// As [`Vector::transpose`].
    fn transpose(self, rows: [Self::f32s; 4]) -> [Self::f32s; 4];
    /// As [`Vector::spread`].
    #[inline(always)]
    fn spread<const D: usize>(self, lanes: Self::f32s) -> [Self::f32s; 4] {
        let zero = self.splat_f32s(0.0);
        self.transpose(core::array::from_fn(|field| if field < D { lanes } else { zero }))
    }
    /// As [`Vector::unzip`].
    fn unzip(self, rows: [Self::f32s; 2]) -> [Self::f32s; 2];
    /// As [`Vector::zip`].
    fn zip(self, rows: [Self::f32s; 2]) -> [Self::f32s; 2];
    /// As [`Vector::unzip_pairs`].
    #[inline(always)]
    fn unzip_pairs(self, rows: [Self::f32s; 2]) -> [Self::f32s; 2] {
        rows
    }
    /// As [`Vector::successors`].
    fn successors(self, lanes: Self::f32s, next: Self::f32s) -> Self::f32s;

    /// As [`Vector::predecessors`].
    fn predecessors(self, lanes: Self::f32s, before: Self::f32s) -> Self::f32s;
}

/// A register of `S`, with a token that proves CPU support.
#[derive(Clone, Copy, Debug)]
pub struct Register<S: Simd> {
    simd: S,
    lanes: S::f32s,
}

/// Runs the operation with the registers of `simd`, compiled for its instruction set.
#[inline(always)]
pub fn run<S: Registers>(simd: S, operation: impl Operation) {
    struct Run<S, O>(S, O);
    impl<S: Registers, O: Operation> WithSimd for Run<S, O> {
        type Output = ();
        #[inline(always)]
        fn with_simd<T: Simd>(self, _: T) {
            self.1.run::<Register<S>>(self.0);
        }
    }
    simd.vectorize(Run(simd, operation));
}

macro_rules! operator {
    ($trait:ident, $method:ident, $simd:ident) => {
        impl<S: Simd> $trait for Register<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { lanes: self.simd.$simd(self.lanes, other.lanes), ..self }
            }
        }
    };
}

operator!(Add, add, add_f32s);
operator!(Sub, sub, sub_f32s);
operator!(Mul, mul, mul_f32s);
operator!(Div, div, div_f32s);

impl<S: Registers> Lane for Register<S> {
    type Mask = (S, S::m32s);

    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self { lanes: self.simd.splat_f32s(0.0_f32.constant(value)), ..self }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { lanes: self.simd.sqrt_f32s(self.lanes), ..self }
    }
    #[inline(always)]
    fn reciprocal_sqrt_seed(self) -> Self {
        let simd = self.simd;
        let bits = simd.transmute_u32s_f32s(self.lanes);
        let half = simd.wrapping_dyn_shr_u32s(bits, simd.splat_u32s(1));
        let seed = simd.sub_u32s(simd.splat_u32s(SEED_F32), half);
        Self { lanes: simd.transmute_f32s_u32s(seed), ..self }
    }
    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        (self.simd, self.simd.greater_than_or_equal_f32s(self.lanes, other.lanes))
    }
    #[inline(always)]
    fn above(self, other: Self) -> Self::Mask {
        (self.simd, self.simd.greater_than_f32s(self.lanes, other.lanes))
    }
    #[inline(always)]
    fn select((simd, mask): Self::Mask, yes: Self, no: Self) -> Self {
        Self { lanes: simd.select(mask, yes.lanes, no.lanes), simd }
    }
}

// SAFETY: the rows are read and written by `Registers`, which promises the same; `load` and
// `store` access one `f32s`, unaligned, which is `LANES` numbers: asserted.
unsafe impl<S: Registers> Vector for Register<S> {
    type Cpu = S;
    const LANES: usize = {
        assert!(size_of::<S::f32s>() == S::F32_LANES * size_of::<f32>());
        S::F32_LANES
    };

    #[inline(always)]
    fn splat(simd: S, value: f32) -> Self {
        Self { simd, lanes: simd.splat_f32s(value) }
    }
    #[inline(always)]
    unsafe fn load(simd: S, from: *const f32) -> Self {
        // SAFETY: valid for reading a register of numbers, by contract; read unaligned.
        Self { simd, lanes: unsafe { from.cast::<S::f32s>().read_unaligned() } }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: valid for writing a register of numbers, by contract; written unaligned.
        unsafe { to.cast::<S::f32s>().write_unaligned(self.lanes) }
    }
    #[inline(always)]
    unsafe fn gather_rows(simd: S, at: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: the same contract.
        unsafe { simd.gather_rows(at) }.map(|lanes| Self { simd, lanes })
    }
    #[inline(always)]
    unsafe fn scatter_rows(rows: [Self; 4], at: impl Fn(usize) -> *mut [f32; 4]) {
        // SAFETY: the same contract.
        unsafe { rows[0].simd.scatter_rows(rows.map(|row| row.lanes), at) }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let simd = rows[0].simd;
        simd.transpose(rows.map(|row| row.lanes)).map(|lanes| Self { simd, lanes })
    }
    #[inline(always)]
    fn spread<const D: usize>(self) -> [Self; 4] {
        self.simd.spread::<D>(self.lanes).map(|lanes| Self { lanes, ..self })
    }
    #[inline(always)]
    fn unzip(first: Self, second: Self) -> [Self; 2] {
        let simd = first.simd;
        simd.unzip([first.lanes, second.lanes]).map(|lanes| Self { simd, lanes })
    }
    #[inline(always)]
    fn zip(even: Self, odd: Self) -> [Self; 2] {
        let simd = even.simd;
        simd.zip([even.lanes, odd.lanes]).map(|lanes| Self { simd, lanes })
    }
    #[inline(always)]
    fn unzip_pairs(first: Self, second: Self) -> [Self; 2] {
        let simd = first.simd;
        simd.unzip_pairs([first.lanes, second.lanes]).map(|lanes| Self { simd, lanes })
    }
    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        Self { lanes: self.simd.successors(self.lanes, next.lanes), ..self }
    }
    #[inline(always)]
    fn predecessors(self, before: Self) -> Self {
        Self { lanes: self.simd.predecessors(self.lanes, before.lanes), ..self }
    }
}
