//! Registers of the instruction sets that the crate `pulp` detects at run time.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use core::ops::{Add, Div, Mul, Sub};

use pulp::{Simd, WithSimd, bytemuck};
use taut_core::{Lane, SEED_F32};

use crate::machine::Operation;
use crate::vector::Vector;

/// Operations that pulp's portable trait lacks: records, and shifts by a lane.
///
/// # Safety
/// [`Register`] implements [`Vector`] with these methods and [`Simd::F32_LANES`], so they must meet
/// the requirements of [`Vector`].
pub unsafe trait Registers: Simd {
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

/// A truth value for each lane of a [`Register`].
#[derive(Clone, Copy, Debug)]
pub struct Mask<S: Simd> {
    simd: S,
    lanes: S::m32s,
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

impl<S: Simd> Register<S> {
    /// The register of these lanes.
    #[inline(always)]
    pub fn new(simd: S, lanes: S::f32s) -> Self {
        Self { simd, lanes }
    }

    /// `value` in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self { simd, lanes: simd.splat_f32s(value) }
    }

    /// The lanes, as `pulp` has them.
    #[inline(always)]
    pub fn lanes(self) -> S::f32s {
        self.lanes
    }

    /// The lesser of two numbers; with a NaN, the result depends on the instruction set.
    #[inline(always)]
    pub fn lesser(self, other: Self) -> Self {
        Self { lanes: self.simd.min_f32s(self.lanes, other.lanes), ..self }
    }

    /// The greater of two numbers; likewise.
    #[inline(always)]
    pub fn greater(self, other: Self) -> Self {
        Self { lanes: self.simd.max_f32s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Mask<S> {
    /// Where both hold.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { lanes: self.simd.and_m32s(self.lanes, other.lanes), ..self }
    }

    /// Where at least one holds.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { lanes: self.simd.or_m32s(self.lanes, other.lanes), ..self }
    }

    /// Whether any lane is true.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.simd.first_true_m32s(self.lanes) < S::F32_LANES
    }
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

impl<S: Simd> Lane for Register<S> {
    type Mask = Mask<S>;

    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Self::splat(self.simd, 0.0_f32.constant(value))
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
    fn at_least(self, other: Self) -> Mask<S> {
        let lanes = self.simd.greater_than_or_equal_f32s(self.lanes, other.lanes);
        Mask { simd: self.simd, lanes }
    }
    #[inline(always)]
    fn above(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, lanes: self.simd.greater_than_f32s(self.lanes, other.lanes) }
    }
    /// For masks as wide as registers, bit operations instead of a blend: on AVX2 three like a
    /// blend, but one if `no` is zero, which the compiler does not optimize for a blend.
    #[inline(always)]
    fn select(Mask { simd, lanes: mask }: Mask<S>, yes: Self, no: Self) -> Self {
        let lanes = if const { size_of::<S::m32s>() == size_of::<S::f32s>() } {
            let mask: S::f32s = bytemuck::cast(mask);
            let no = simd.and_f32s(simd.not_f32s(mask), no.lanes);
            simd.or_f32s(simd.and_f32s(mask, yes.lanes), no)
        } else {
            simd.select_f32s(mask, yes.lanes, no.lanes)
        };
        Self { simd, lanes }
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
        Self::splat(simd, value)
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
