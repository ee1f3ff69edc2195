//! The two number types of a simulation.

use core::fmt::{Debug, Display};

use crate::lane::Lane;

/// `f32`, which every kernel supports, or `f64`, the reference.
///
/// A `Real` is also the narrowest [`Lane`]: one number wide.
pub trait Real:
    Lane + Debug + Display + Default + PartialEq + PartialOrd + Send + Sync + 'static
{
    /// Zero (positive).
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// The same number in `f64` (exact).
    fn to_f64(self) -> f64;
    /// Whether this number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The bit pattern, zero extended. All NaNs give the same pattern, because NaN bits differ
    /// between instruction sets.
    fn canonical_bits(self) -> u64;

    /// This number, with -0.0 turned into +0.0. It is applied to inputs that may be zero: positions,
    /// inverse masses, compliances, damping rates and the displacement of a substep. `x + 0.0` has the same bits as
    /// `x` for every `x` but -0.0, so kernels may add +0.0, for padding or zero motion, without
    /// changing bits.
    #[inline(always)]
    #[must_use]
    fn positive_zero(self) -> Self {
        self + Self::ZERO
    }
}

// `$nan`: the canonical bits of NaN.
macro_rules! real {
    ($type:ident, $nan:expr) => {
        impl Real for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                Self::ZERO.constant(value)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            #[inline]
            fn canonical_bits(self) -> u64 {
                if self.is_nan() { $nan } else { u64::from(self.to_bits()) }
            }
        }
    };
}

real!(f32, 0x7fc0_0000);
real!(f64, 0x7ff8_0000_0000_0000);
