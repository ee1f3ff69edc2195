//! Choosing a register type: once, high up, never in a loop.

use crate::vector::Vector;

/// Work written once for all register types.
pub trait Operation {
    /// Does it with the registers of `V`. Must be `#[inline(always)]`, so that it takes on
    /// the target features of whoever calls it.
    fn run<V: Vector>(self, cpu: V::Cpu);
}

/// The machine of one lane, for tests and for the barest of machines.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneLane;

impl Machine for OneLane {
    fn name(self) -> &'static str {
        "one-lane"
    }

    fn isa(self) -> &'static str {
        "scalar"
    }

    fn lanes(self) -> usize {
        1
    }

    fn run(self, operation: impl Operation) {
        operation.run::<f32>(());
    }
}

/// A choice of register type, made when the value is.
///
/// It is safe to implement, as no unsafe code trusts it: a kernel whose layout depends on
/// [`lanes`](Self::lanes) compares it with the registers that [`run`](Self::run) chose, and panics if they
/// differ (the kernel for sheets has one layout for all). What is trusted
/// is the register type ([`Vector`]), and its `Cpu` as the proof of its instructions.
pub trait Machine: Copy + Send + Sync + 'static {
    /// What the kernel that runs on it is called.
    fn name(self) -> &'static str;
    /// The instruction set's name in tables: `avx512`, `avx2`, `sse2`, `neon`, `scalar`, ...
    fn isa(self) -> &'static str;
    /// The lanes of the register type that [`run`](Machine::run) chooses.
    fn lanes(self) -> usize;
    /// Does the work, once, with that register type, compiled for its instruction set.
    fn run(self, operation: impl Operation);
}
