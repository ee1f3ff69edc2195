//! The operations that formulas use.

use core::ops::{Add, Div, Mul, Sub};

/// One or more numbers treated as one value: a scalar, a SIMD register, or a counting wrapper
/// around either.
///
/// The trait has only operations that the formulas need and that give the same bits on all
/// machines: `+ - * /`, square root, comparison, selection, and an integer estimate to start a
/// Newton iteration from. It has no fused multiply-add, hardware estimate, min, max or sum across
/// lanes, because those differ between machines.
///
/// [`Lane::constant`] is a method of an existing value, because such a value proves that the CPU
/// supports its register type.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The outcome of a comparison, lane by lane.
    type Mask: Copy;

    /// `value` rounded once to this type, in every lane. The value of `self` is not used.
    fn constant(self, value: f64) -> Self;
    /// The correctly rounded square root.
    fn sqrt(self) -> Self;
    /// For every normal positive number, a number from 1.22 / sqrt(self) to 1.30 / sqrt(self): one
    /// shift and one subtraction on the bits halve and negate the exponent (Blinn, "Floating-Point
    /// Tricks", IEEE CG&A 1997). The constants of [`Quick`](crate::Quick) are tuned to it.
    fn reciprocal_sqrt_seed(self) -> Self;
    /// `self >= other`; false where either is NaN.
    fn at_least(self, other: Self) -> Self::Mask;
    /// `self > other`; false where either is NaN.
    fn above(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// [`Lane::reciprocal_sqrt_seed`] in `f32` subtracts the shifted bits from this constant.
pub const SEED_F32: u32 = 0x5f60_0720;
/// The same for `f64`, with the same leading fraction bits.
pub const SEED_F64: u64 = (0x5fe << 52) | (0x60_0720 << 29);

macro_rules! scalar_lane {
    ($type:ident, $sqrt:path, $seed:ident) => {
        impl Lane for $type {
            type Mask = bool;

            #[inline(always)]
            fn constant(self, value: f64) -> Self {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_lossless,
                    reason = "rounding to this type is the purpose"
                )]
                {
                    value as $type
                }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                {
                    $type::sqrt(self)
                }
                #[cfg(not(feature = "std"))]
                {
                    $sqrt(self)
                }
            }
            #[inline(always)]
            fn reciprocal_sqrt_seed(self) -> Self {
                $type::from_bits($seed.wrapping_sub(self.to_bits() >> 1))
            }
            #[inline(always)]
            fn at_least(self, other: Self) -> bool {
                self >= other
            }
            #[inline(always)]
            fn above(self, other: Self) -> bool {
                self > other
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
    };
}

scalar_lane!(f32, libm::sqrtf, SEED_F32);
scalar_lane!(f64, libm::sqrt, SEED_F64);
