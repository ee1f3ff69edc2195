//! The choice of a register type, made once outside all loops.

use crate::vector::Vector;

/// Work that is generic over register types.
pub trait Operation {
    /// Does the work with the registers of `V`. Must be `#[inline(always)]`, so that it is
    /// compiled with the target features of its caller.
    fn run<V: Vector>(self, cpu: V::Cpu);
}

/// The machine of one lane, for tests and for CPUs without SIMD.
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

/// A choice of register type.
///
/// It is safe to implement, because no unsafe code relies on it: a kernel whose layout depends on
/// [`lanes`](Self::lanes) panics if the registers that [`run`](Self::run) chooses have a different
/// number of lanes. Unsafe code relies only on the register type ([`Vector`]) and its `Cpu`.
pub trait Machine: Copy + Send + Sync + 'static {
    /// The name of the [`IndexedKernel`](crate::IndexedKernel) on this machine.
    fn name(self) -> &'static str;
    /// The instruction set's name in tables: `avx512`, `avx2`, `sse2`, `neon`, `scalar`, ...
    fn isa(self) -> &'static str;
    /// The number of lanes of the register type that [`run`](Machine::run) chooses.
    fn lanes(self) -> usize;
    /// Runs the operation once with that register type, compiled for its instruction set.
    fn run(self, operation: impl Operation);
}
