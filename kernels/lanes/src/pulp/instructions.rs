//! What [`Register`] has in common on all instruction sets whose shuffles are written here.

use pulp::Simd;
use pulp::bytemuck::{AnyBitPattern, NoUninit};

use super::Register;

impl<S: Simd> Register<S> {
    /// From a register as the instructions take it.
    #[inline(always)]
    pub(super) fn cast(simd: S, lanes: impl NoUninit) -> Self {
        Self { simd, lanes: pulp::cast(lanes) }
    }

    /// As [`cast`](Self::cast), with the token of this register.
    #[inline(always)]
    pub(super) fn with(self, lanes: impl NoUninit) -> Self {
        Self::cast(self.simd, lanes)
    }

    /// As the instructions take it.
    #[inline(always)]
    pub(super) fn raw<T: AnyBitPattern>(self) -> T {
        pulp::cast(self.lanes)
    }
}

/// The items of `Vector` that are the same for the registers of every `Simd`.
macro_rules! whole_registers {
    ($simd:ty, $lanes:ty) => {
        type Cpu = $simd;
        const LANES: usize = size_of::<$lanes>() / size_of::<f32>();

        #[inline(always)]
        fn splat(simd: $simd, value: f32) -> Self {
            Self::splat(simd, value)
        }
        #[inline(always)]
        unsafe fn load(simd: $simd, from: *const f32) -> Self {
            // SAFETY: valid for reading a register of numbers, by contract; read unaligned.
            Self { simd, lanes: unsafe { from.cast::<$lanes>().read_unaligned() } }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: valid for writing a register of numbers, by contract; written unaligned.
            unsafe { to.cast::<$lanes>().write_unaligned(self.lanes) }
        }
    };
}
