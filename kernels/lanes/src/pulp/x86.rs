//! Access to records with AVX2 (8 lanes) and AVX-512 (16 lanes): one 128-bit load or store per
//! lane, and a 4 x 4 transpose in each *quarter*, that is, 128 bits of a register. (An AVX-512
//! register has four quarters, an AVX2 register two.)
//!
//! Quarter `i` of row `q` belongs to lane `q + 4 i`, so the transposes do not cross quarters, and
//! the lanes of the columns are in order. Hardware gathers are slower here than scalar code.
//! Building rows in memory is slower, too.

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

#[allow(clippy::wildcard_imports, reason = "two dozen instructions, all used here")]
use arch::*;
use core::arch::asm;

use pulp::x86::{V3, V4};
use pulp::{f32x8, f32x16};

use super::Register;
use taut_core::arrays;

use crate::vector::Vector;

/// The 4 x 4 transpose of each quarter. It is its own inverse. `$pd` and `$ps` reinterpret
/// registers as pairs of values (`f64`), and back.
macro_rules! transpose {
    (
        $rows:expr, $low:ident, $high:ident,
        $low_pairs:ident, $high_pairs:ident, $pd:ident, $ps:ident
    ) => {{
        let [a, b, c, d] = $rows;
        let (ab_low, ab_high) = ($pd($low(a, b)), $pd($high(a, b)));
        let (cd_low, cd_high) = ($pd($low(c, d)), $pd($high(c, d)));
        [
            $ps($low_pairs(ab_low, cd_low)),
            $ps($high_pairs(ab_low, cd_low)),
            $ps($low_pairs(ab_high, cd_high)),
            $ps($high_pairs(ab_high, cd_high)),
        ]
    }};
}

/// The 4 x 4 transpose of each quarter of AVX registers.
///
/// # Safety
/// - The CPU has AVX.
#[inline(always)]
unsafe fn transpose8(rows: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the instructions need only AVX.
    unsafe {
        transpose!(
            rows,
            _mm256_unpacklo_ps,
            _mm256_unpackhi_ps,
            _mm256_unpacklo_pd,
            _mm256_unpackhi_pd,
            _mm256_castps_pd,
            _mm256_castpd_ps
        )
    }
}

/// The 4 x 4 transpose of each quarter of AVX-512 registers.
///
/// # Safety
/// - The CPU has AVX-512 F.
#[inline(always)]
unsafe fn transpose16(rows: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the instructions need only AVX-512 F.
    unsafe {
        transpose!(
            rows,
            _mm512_unpacklo_ps,
            _mm512_unpackhi_ps,
            _mm512_unpacklo_pd,
            _mm512_unpackhi_pd,
            _mm512_castps_pd,
            _mm512_castpd_ps
        )
    }
}

/// Hides the mask from the compiler, which would replace four masked permutes by eight shuffles
/// with zero if the mask were constant. Shuffles are the bottleneck; the additional ones cost 4 %
/// of the total time.
#[inline(always)]
fn opaque(mut mask: u16) -> u16 {
    // SAFETY: the assembly is empty; the mask does not change.
    unsafe {
        asm!("/* {0:x} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

/// Hides from the compiler how `lanes` were computed, so that it does not combine that computation
/// with the instructions that follow.
#[inline]
#[target_feature(enable = "avx")]
fn opaque_lanes(mut lanes: __m256) -> __m256 {
    // SAFETY: the assembly is empty; the lanes do not change.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) lanes, options(pure, nomem, nostack, preserves_flags));
    }
    lanes
}

/// See [`Vector::compute_before_memory_access`].
#[inline]
#[target_feature(enable = "avx512f")]
fn compute_before_memory_access(mut lanes: __m512) -> __m512 {
    // SAFETY: the assembly is empty; the lanes do not change.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) lanes, options(nostack, preserves_flags));
    }
    lanes
}

// SAFETY: 8 lanes; the rows are read and written unaligned, four values at the address of each
// of the lanes 0 to 7.
unsafe impl Vector for Register<V3> {
    common_items!(V3, f32x8);

    #[inline(always)]
    unsafe fn gather_rows(simd: V3, address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: `simd` proves that the CPU has AVX2; the four values of each lane are valid for
        // reading, by contract.
        unsafe {
            let quarter = |lane| _mm_loadu_ps(address(lane).cast());
            let row = |q| Self::cast(simd, _mm256_set_m128(quarter(q + 4), quarter(q)));
            [row(0), row(1), row(2), row(3)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        for (q, row) in rows.into_iter().enumerate() {
            let row: __m256 = row.raw();
            // SAFETY: a register proves that the CPU has AVX2; the four values of each lane are
            // valid for writing, by contract.
            unsafe {
                _mm_storeu_ps(address(q).cast(), _mm256_castps256_ps128(row));
                _mm_storeu_ps(address(q + 4).cast(), _mm256_extractf128_ps::<1>(row));
            }
        }
    }

    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        let (lanes, next) = (self.raw(), next.raw());
        // SAFETY: a register proves that the CPU has AVX2.
        self.with(unsafe {
            let between = _mm256_permute2x128_si256::<0x21>(lanes, next);
            _mm256_alignr_epi8::<4>(between, lanes)
        })
    }

    #[inline(always)]
    fn predecessors(self, previous: Self) -> Self {
        let (lanes, previous) = (self.raw(), previous.raw());
        // SAFETY: a register proves that the CPU has AVX2.
        self.with(unsafe {
            let between = _mm256_permute2x128_si256::<0x21>(previous, lanes);
            _mm256_alignr_epi8::<12>(lanes, between)
        })
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        // SAFETY: a register proves that the CPU has AVX2.
        rows[0].with_all(unsafe { transpose8(arrays::map(rows, Self::raw)) })
    }

    #[inline(always)]
    fn spread<const D: usize>(self) -> [Self; 4] {
        let lanes: __m256 = self.raw();
        // SAFETY: a register proves that the CPU has AVX2.
        self.with_all(unsafe {
            let zero = _mm256_setzero_ps();
            if D == 2 {
                [
                    _mm256_shuffle_ps::<0b00_00_00_00>(lanes, zero),
                    _mm256_shuffle_ps::<0b00_00_01_01>(lanes, zero),
                    _mm256_shuffle_ps::<0b00_00_10_10>(lanes, zero),
                    _mm256_shuffle_ps::<0b00_00_11_11>(lanes, zero),
                ]
            } else {
                // The third field and the zero come from a copy of `lanes` with one lane of each
                // quarter set to 0. (Without `opaque_lanes`, the compiler would use four blends
                // instead of these two.)
                let without_first = opaque_lanes(_mm256_blend_ps::<0b0001_0001>(lanes, zero));
                let without_last = opaque_lanes(_mm256_blend_ps::<0b1000_1000>(lanes, zero));
                [
                    _mm256_shuffle_ps::<0b11_00_00_00>(lanes, without_last),
                    _mm256_shuffle_ps::<0b11_01_01_01>(lanes, without_last),
                    _mm256_shuffle_ps::<0b11_10_10_10>(lanes, without_last),
                    _mm256_shuffle_ps::<0b00_11_11_11>(lanes, without_first),
                ]
            }
        })
    }

    #[inline(always)]
    fn spread_with_any_fourth(self) -> [Self; 4] {
        let lanes: __m256 = self.raw();
        // SAFETY: a register proves that the CPU has AVX2.
        self.with_all(unsafe {
            [
                _mm256_permute_ps::<0x00>(lanes),
                _mm256_permute_ps::<0x55>(lanes),
                _mm256_permute_ps::<0xaa>(lanes),
                _mm256_permute_ps::<0xff>(lanes),
            ]
        })
    }

    #[inline(always)]
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        let (a, b): (__m256, __m256) = (first.raw(), second.raw());
        // SAFETY: a register proves that the CPU has AVX2.
        first.with_all(unsafe {
            [_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b)]
        })
    }

    #[inline(always)]
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        // The function is its own inverse, because a register holds only two records.
        Self::deinterleave_records(even, odd)
    }
}

// SAFETY: 16 lanes; the rows are read and written unaligned, four values at the address of each
// of the lanes 0 to 15.
unsafe impl Vector for Register<V4> {
    common_items!(V4, f32x16);

    #[inline(always)]
    unsafe fn gather_rows(simd: V4, address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: `simd` proves that the CPU has AVX-512 F; the four values of each lane are valid
        // for reading, by contract.
        unsafe {
            // A masked broadcast loads a quarter and merges it in one instruction; an insert also
            // needs a shuffle.
            let quarter = |lane| _mm_loadu_ps(address(lane).cast());
            let row = |q| {
                let first = _mm512_castps128_ps512(quarter(q));
                let two = _mm512_mask_broadcast_f32x4(first, 0x00f0, quarter(q + 4));
                let three = _mm512_mask_broadcast_f32x4(two, 0x0f00, quarter(q + 8));
                Self::cast(simd, _mm512_mask_broadcast_f32x4(three, 0xf000, quarter(q + 12)))
            };
            [row(0), row(1), row(2), row(3)]
        }
    }

    #[inline(always)]
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        for (q, row) in rows.into_iter().enumerate() {
            let row: __m512 = row.raw();
            // SAFETY: a register proves that the CPU has AVX-512 F and DQ; the four values of each
            // lane are valid for writing, by contract.
            unsafe {
                let low = _mm512_castps512_ps256(row);
                // Without `opaque_lanes`, the compiler extracts each quarter from the whole register.
                // On AMD Zen 4, extracting 128 bits takes twice as long from a 512-bit register as
                // from a 256-bit one.
                let high = opaque_lanes(_mm512_extractf32x8_ps::<1>(row));
                _mm_storeu_ps(address(q).cast(), _mm256_castps256_ps128(low));
                _mm_storeu_ps(address(q + 4).cast(), _mm256_extractf128_ps::<1>(low));
                _mm_storeu_ps(address(q + 8).cast(), _mm256_castps256_ps128(high));
                _mm_storeu_ps(address(q + 12).cast(), _mm256_extractf128_ps::<1>(high));
            }
        }
    }

    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        // SAFETY: a register proves that the CPU has AVX-512 F.
        self.with(unsafe { _mm512_alignr_epi32::<1>(next.raw(), self.raw()) })
    }

    #[inline(always)]
    fn predecessors(self, previous: Self) -> Self {
        // SAFETY: a register proves that the CPU has AVX-512 F.
        self.with(unsafe { _mm512_alignr_epi32::<15>(self.raw(), previous.raw()) })
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        // SAFETY: a register proves that the CPU has AVX-512 F.
        rows[0].with_all(unsafe { transpose16(arrays::map(rows, Self::raw)) })
    }

    #[inline(always)]
    fn spread<const D: usize>(self) -> [Self; 4] {
        let lanes: __m512 = self.raw();
        let field_mask = opaque(if D == 2 { 0x3333 } else { 0x7777 });
        // SAFETY: a register proves that the CPU has AVX-512 F.
        self.with_all(unsafe {
            [
                _mm512_maskz_permute_ps::<0x00>(field_mask, lanes),
                _mm512_maskz_permute_ps::<0x55>(field_mask, lanes),
                _mm512_maskz_permute_ps::<0xaa>(field_mask, lanes),
                _mm512_maskz_permute_ps::<0xff>(field_mask, lanes),
            ]
        })
    }

    #[inline(always)]
    fn compute_before_memory_access(self) -> Self {
        // SAFETY: a register proves that the CPU has AVX-512 F.
        self.with(unsafe { compute_before_memory_access(self.raw()) })
    }

    #[inline(always)]
    fn spread_with_any_fourth(self) -> [Self; 4] {
        let lanes: __m512 = self.raw();
        // SAFETY: a register proves that the CPU has AVX-512 F.
        self.with_all(unsafe {
            [
                _mm512_permute_ps::<0x00>(lanes),
                _mm512_permute_ps::<0x55>(lanes),
                _mm512_permute_ps::<0xaa>(lanes),
                _mm512_permute_ps::<0xff>(lanes),
            ]
        })
    }

    #[inline(always)]
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        let (a, b): (__m512, __m512) = (first.raw(), second.raw());
        // SAFETY: a register proves that the CPU has AVX-512 F.
        first.with_all(unsafe {
            [
                _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
                _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
            ]
        })
    }

    #[inline(always)]
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        let (a, b): (__m512d, __m512d) = (even.raw(), odd.raw());
        // SAFETY: a register proves that the CPU has AVX-512 F.
        even.with_all(unsafe {
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            [_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b)]
        })
    }

    #[inline(always)]
    fn deinterleave_pairs(first: Self, second: Self) -> [Self; 2] {
        let (a, b): (__m512, __m512) = (first.raw(), second.raw());
        // SAFETY: a register proves that the CPU has AVX-512 F.
        first.with_all(unsafe {
            [
                _mm512_shuffle_f32x4::<0b01_00_01_00>(a, b),
                _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b),
            ]
        })
    }
}
