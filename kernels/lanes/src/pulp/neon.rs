//! Records on NEON (4 lanes): one load or store per lane and a 4 x 4 transpose.

#[allow(clippy::wildcard_imports, reason = "a handful of instructions, all used here")]
use core::arch::aarch64::*;

use pulp::aarch64::Neon;
use pulp::f32x4;

use super::Register;
use taut_core::arrays;

use crate::vector::Vector;

/// The 4 x 4 transpose. It is its own inverse.
///
/// # Safety
/// - The CPU has NEON.
#[inline(always)]
unsafe fn transpose([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
    // SAFETY: NEON instructions only.
    unsafe {
        let (ac_low, ac_high) = (vzip1q_f32(a, c), vzip2q_f32(a, c));
        let (bd_low, bd_high) = (vzip1q_f32(b, d), vzip2q_f32(b, d));
        [
            vzip1q_f32(ac_low, bd_low),
            vzip2q_f32(ac_low, bd_low),
            vzip1q_f32(ac_high, bd_high),
            vzip2q_f32(ac_high, bd_high),
        ]
    }
}

// SAFETY: 4 lanes; the rows are read and written unaligned, four values at the address of each
// of the lanes 0 to 3.
unsafe impl Vector for Register<Neon> {
    common_items!(Neon, f32x4);

    #[inline(always)]
    unsafe fn gather_rows(simd: Neon, address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: `simd` proves that the CPU has NEON; the four values of each lane are valid for
        // reading, by contract.
        unsafe {
            let row = |lane| Self::cast(simd, vld1q_f32(address(lane).cast()));
            [row(0), row(1), row(2), row(3)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        for (lane, row) in rows.into_iter().enumerate() {
            // SAFETY: a register proves that the CPU has NEON; the four values are valid for
            // writing, by contract.
            unsafe { vst1q_f32(address(lane).cast(), row.raw()) }
        }
    }

    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        // SAFETY: a register proves that the CPU has NEON.
        self.with(unsafe { vextq_f32::<1>(self.raw(), next.raw()) })
    }

    #[inline(always)]
    fn predecessors(self, previous: Self) -> Self {
        // SAFETY: a register proves that the CPU has NEON.
        self.with(unsafe { vextq_f32::<3>(previous.raw(), self.raw()) })
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        // SAFETY: a register proves that the CPU has NEON.
        rows[0].with_all(unsafe { transpose(arrays::map(rows, Self::raw)) })
    }

    /// A row is one record, so there is nothing to separate.
    #[inline(always)]
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        [first, second]
    }

    #[inline(always)]
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        [even, odd]
    }
}
