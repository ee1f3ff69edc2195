//! Run-time SIMD dispatch. A default build targets the baseline instruction set (SSE2 on x86-64),
//! so loops over columns are compiled a second and third time for wider registers, and the widest
//! that this machine has is chosen at run time.
//!
//! The choice does not change results: each lane does the same operations in the same order, and
//! none are fused. (Machines with AVX2 and AVX-512 have fused multiply-add, but Rust never
//! contracts a multiplication and an addition into one.)

use pulp::WithSimd;

/// Runs a loop over columns on the widest registers of this machine. A loop that the compiler
/// vectorizes well implements `pulp::NullaryFnOnce`, which implies `WithSimd`; other loops implement
/// `WithSimd` itself, with explicit registers. The loop and all that it calls must be
/// `#[inline(always)]`: code that is not inlined is compiled for the baseline.
#[inline]
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) fn widest<L: WithSimd>(column_loop: L) -> L::Output {
    arch().dispatch(column_loop)
}

/// Runs a loop over columns. A WebAssembly module either has SIMD or not, so there is nothing to
/// choose at run time, and `dispatch` would compile the loop twice.
#[inline]
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) fn widest<L: WithSimd>(column_loop: L) -> L::Output {
    match pulp::wasm::Simd128::try_new() {
        Some(simd) => column_loop.with_simd(simd),
        None => unreachable!("the module is compiled for simd128"),
    }
}

/// The widest instruction set of this machine, or the one that a test has chosen.
#[inline(always)]
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn arch() -> pulp::Arch {
    #[cfg(feature = "test-isas")]
    if let Some(arch) = chosen::ARCH.get() {
        return arch;
    }
    pulp::Arch::new()
}

#[cfg(all(
    feature = "test-isas",
    not(all(target_arch = "wasm32", target_feature = "simd128"))
))]
pub use chosen::on_each_isa;

#[cfg(all(feature = "test-isas", not(all(target_arch = "wasm32", target_feature = "simd128"))))]
mod chosen {
    use std::cell::Cell;

    use pulp::Arch;

    std::thread_local! {
        /// The instruction set on which the loops of this thread run.
        pub(super) static ARCH: Cell<Option<Arch>> = const { Cell::new(None) };
    }

    /// Calls `run` once for each instruction set that loops of this crate may run on, the baseline first, with its
    /// name. The loops of this thread run on it during the call.
    pub fn on_each_isa(mut run: impl FnMut(&str)) {
        let mut archs = vec![Arch::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            archs.extend(pulp::x86::V3::try_new().map(Arch::V3));
            archs.extend(pulp::x86::V4::try_new().map(Arch::V4));
        }
        #[cfg(target_arch = "aarch64")]
        archs.extend(pulp::aarch64::Neon::try_new().map(Arch::Neon));
        for arch in archs {
            let _reset = Reset;
            ARCH.set(Some(arch));
            run(&format!("{arch:?}"));
        }
    }

    /// Forgets the chosen instruction set, also after a panic.
    struct Reset;

    impl Drop for Reset {
        fn drop(&mut self) {
            ARCH.set(None);
        }
    }
}
