//! Records on NEON (4 lanes): a load or store a lane and a 4 x 4 transpose.

#[allow(clippy::wildcard_imports, reason = "a handful of instructions, all used here")]
use core::arch::aarch64::*;

use pulp::aarch64::Neon;
use pulp::f32x4;

use super::Registers;

/// # Safety
/// - The machine has NEON.
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

// SAFETY: 4 lanes; the rows are read and written unaligned, four numbers at the address of each
// of the lanes 0 to 3.
unsafe impl Registers for Neon {
    #[inline(always)]
    unsafe fn gather_rows(self, at: impl Fn(usize) -> *const [f32; 4]) -> [f32x4; 4] {
        // SAFETY: `self` is the proof of NEON; each four numbers are valid for reading,
        // by contract.
        unsafe {
            let row = |lane| pulp::cast(vld1q_f32(at(lane).cast()));
            [row(0), row(1), row(2), row(3)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_rows(self, rows: [f32x4; 4], at: impl Fn(usize) -> *mut [f32; 4]) {
        for (lane, row) in rows.into_iter().enumerate() {
            // SAFETY: `self` is the proof of NEON; each four numbers are valid for writing,
            // by contract.
            unsafe { vst1q_f32(at(lane).cast(), pulp::cast(row)) }
        }
    }

    #[inline(always)]
    fn successors(self, lanes: f32x4, next: f32x4) -> f32x4 {
        // SAFETY: `self` is the proof of NEON.
        pulp::cast(unsafe { vextq_f32::<1>(pulp::cast(lanes), pulp::cast(next)) })
    }

    #[inline(always)]
    fn predecessors(self, lanes: f32x4, before: f32x4) -> f32x4 {
        // SAFETY: `self` is the proof of NEON.
        pulp::cast(unsafe { vextq_f32::<3>(pulp::cast(before), pulp::cast(lanes)) })
    }

    #[inline(always)]
    fn transpose(self, rows: [f32x4; 4]) -> [f32x4; 4] {
        // SAFETY: `self` is the proof of NEON.
        unsafe { transpose(rows.map(pulp::cast)) }.map(pulp::cast)
    }

    /// A row is one record.
    #[inline(always)]
    fn unzip(self, rows: [f32x4; 2]) -> [f32x4; 2] {
        rows
    }

    #[inline(always)]
    fn zip(self, rows: [f32x4; 2]) -> [f32x4; 2] {
        rows
    }
}
