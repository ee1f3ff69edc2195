//! The kernel of 8 lanes through the crate `wide`.
//!
//! Its instruction set is the one that the program is compiled for: two SSE2 registers in a
//! plain x86-64 build, one AVX register with `-C target-feature=+avx2`, NEON on aarch64,
//! simd128 on wasm, arrays elsewhere. It runs anywhere; for full speed from a plain build
//! use the `pulp` kernel.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

use taut_lanes::{IndexedKernel, Machine, Operation, Vector, Wide8};

/// The machine of 8 lanes, on the instruction set that this crate was compiled for.
#[derive(Clone, Copy, Debug, Default)]
pub struct WideMachine;

/// The type of the kernel; [`kernel`] makes one.
pub type WideKernel = IndexedKernel<WideMachine>;

/// The kernel of 8 lanes.
///
/// ```
/// use taut_core::Kernel;
/// assert_eq!(Kernel::<3>::lanes(&taut_wide::kernel()), 8);
/// ```
pub const fn kernel() -> WideKernel {
    IndexedKernel::on(WideMachine)
}

impl Machine for WideMachine {
    fn name(self) -> &'static str {
        "wide"
    }

    fn isa(self) -> &'static str {
        if cfg!(target_feature = "avx2") {
            "avx2"
        } else if cfg!(target_feature = "avx") {
            "avx"
        } else if cfg!(target_feature = "sse2") {
            "sse2"
        } else if cfg!(all(target_arch = "aarch64", target_feature = "neon")) {
            "neon"
        } else if cfg!(target_feature = "simd128") {
            "simd128"
        } else {
            "scalar"
        }
    }

    fn lanes(self) -> usize {
        Wide8::LANES
    }

    fn run(self, operation: impl Operation) {
        operation.run::<Wide8>(());
    }
}
