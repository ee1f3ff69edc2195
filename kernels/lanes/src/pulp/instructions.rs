//! Items of [`Register`] that are the same on all instruction sets with hand-written shuffles.

use pulp::Simd;
use pulp::bytemuck::{AnyBitPattern, NoUninit};
use taut_core::arrays;

use super::Register;

impl<S: Simd> Register<S> {
    /// Converts from the register type of the intrinsics.
    #[inline(always)]
    pub(super) fn cast(simd: S, lanes: impl NoUninit) -> Self {
        Self { simd, lanes: pulp::cast(lanes) }
    }

    /// Like [`cast`](Self::cast), with the token of this register.
    #[inline(always)]
    pub(super) fn with(self, lanes: impl NoUninit) -> Self {
        Self::cast(self.simd, lanes)
    }

    /// [`with`](Self::with) for each of the registers.
    #[inline(always)]
    pub(super) fn with_all<T: NoUninit, const N: usize>(self, rows: [T; N]) -> [Self; N] {
        arrays::map(rows, |row| self.with(row))
    }

    /// Converts to the register type of the intrinsics.
    #[inline(always)]
    pub(super) fn raw<T: AnyBitPattern>(self) -> T {
        pulp::cast(self.lanes)
    }
}

/// Items of `Vector` that are the same for the registers of every `Simd`.
macro_rules! common_items {
    ($simd:ty, $lanes:ty) => {
        type Cpu = $simd;
        const LANES: usize = size_of::<$lanes>() / size_of::<f32>();

        #[inline(always)]
        fn splat(simd: $simd, value: f32) -> Self {
            Self::splat(simd, value)
        }
        #[inline(always)]
        unsafe fn load(simd: $simd, from: *const f32) -> Self {
            // SAFETY: valid for reading a register of values, by contract; read unaligned.
            Self { simd, lanes: unsafe { from.cast::<$lanes>().read_unaligned() } }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: valid for writing a register of values, by contract; written unaligned.
            unsafe { to.cast::<$lanes>().write_unaligned(self.lanes) }
        }
    };
}
