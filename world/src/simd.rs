//! The door to wide registers: a plain build is compiled for the least of its machines (SSE2 on
//! x86-64), so loops over columns are compiled a second and third time for wider registers, and
//! the widest that this machine has is chosen when the program runs.
//!
//! Nobody can see it in the bits: the compiler may only run operations side by side, never fuse or
//! reorder them. (AVX2 and AVX-512 come with fused multiply-add, which Rust never makes of a
//! multiplication and an addition.)

use pulp::{Arch, Simd, WithSimd};

/// A pass over columns. [`run`](Self::run) must be `#[inline(always)]`, and so must all that it
/// calls: what is not inlined is compiled for the least machine.
pub(crate) trait Pass {
    /// Does it.
    fn run(self);
}

/// Runs a pass on the widest registers of this machine.
#[inline]
pub(crate) fn widest(pass: impl Pass) {
    Arch::new().dispatch(Door(pass));
}

struct Door<P>(P);

impl<P: Pass> WithSimd for Door<P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.0.run();
    }
}
