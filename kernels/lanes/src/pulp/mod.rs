//! Registers of the instruction sets that the crate `pulp` detects at run time.

#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod instructions;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use core::ops::{Add, Div, Mul, Sub};

use pulp::{Simd, WithSimd, bytemuck};
use taut_core::{Lane, SEED_F32};

use crate::machine::Operation;
use crate::vector::Vector;

/// A register of `S`, with a token that proves CPU support.
#[derive(Clone, Copy, Debug)]
pub struct Register<S: Simd> {
    simd: S,
    lanes: S::f32s,
}

/// A Boolean for each lane of a [`Register`].
#[derive(Clone, Copy, Debug)]
pub struct Mask<S: Simd> {
    simd: S,
    lanes: S::m32s,
}

/// Runs the operation with the registers of `simd`, compiled for its instruction set.
#[inline(always)]
pub fn run<S: Simd>(simd: S, operation: impl Operation)
where
    Register<S>: Vector<Cpu = S>,
{
    struct Run<S, O>(S, O);
    impl<S: Simd, O: Operation> WithSimd for Run<S, O>
    where
        Register<S>: Vector<Cpu = S>,
    {
        type Output = ();
        #[inline(always)]
        fn with_simd<T: Simd>(self, _: T) {
            self.1.run::<Register<S>>(self.0);
        }
    }
    simd.vectorize(Run(simd, operation));
}

impl<S: Simd> Register<S> {
    /// A register with these lanes.
    #[inline(always)]
    pub fn new(simd: S, lanes: S::f32s) -> Self {
        Self { simd, lanes }
    }

    /// `value` in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f32) -> Self {
        Self { simd, lanes: simd.splat_f32s(value) }
    }

    /// The lanes, as the vector type of `pulp`.
    #[inline(always)]
    pub fn lanes(self) -> S::f32s {
        self.lanes
    }

    /// The smaller of two values, lane by lane; with a NaN, the result depends on the instruction
    /// set.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self { lanes: self.simd.min_f32s(self.lanes, other.lanes), ..self }
    }

    /// The larger of two values, lane by lane; with a NaN, the result depends on the instruction
    /// set.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { lanes: self.simd.max_f32s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Mask<S> {
    /// The lanes where both are true.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { lanes: self.simd.and_m32s(self.lanes, other.lanes), ..self }
    }

    /// The lanes where at least one is true.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { lanes: self.simd.or_m32s(self.lanes, other.lanes), ..self }
    }

    /// The mask as bits: the first lane is the lowest bit.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        let mut bits = 0;
        if const { size_of::<S::m32s>() == size_of::<S::f32s>() } {
            // All bits of a lane are equal.
            let lanes: &[u32] = bytemuck::cast_slice(core::slice::from_ref(&self.lanes));
            for (lane, &mask) in lanes.iter().enumerate() {
                bits |= (mask & 1) << lane;
            }
        } else {
            for (index, &byte) in bytemuck::bytes_of(&self.lanes).iter().enumerate() {
                bits |= u32::from(byte) << (8 * index);
            }
        }
        bits
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
    /// For masks as wide as registers, uses bit operations instead of a blend. On AVX2 these are
    /// three instructions, which cost as much as a blend. If `no` is zero, the compiler reduces
    /// them to one, but does not reduce a blend.
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
