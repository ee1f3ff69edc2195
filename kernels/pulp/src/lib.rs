//! The kernel whose instruction set is chosen at run time, through the crate `pulp`: AVX-512 (16
//! lanes), AVX2 (8), NEON (4), or one lane on CPUs with none of these. It reaches full speed in a
//! plain `cargo build`, without compiler flags.
//!
//! ```
//! use taut_core::Kernel;
//! use taut_pulp::PulpMachine;
//!
//! let best = taut_pulp::kernel();
//! let all = PulpMachine::available();
//! assert_eq!(Kernel::<3>::lanes(&best), taut_lanes::Machine::lanes(all[0]));
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::vec::Vec;

use pulp::Arch;
use taut_lanes::{IndexedKernel, Machine, Operation, Vector};

/// An instruction set that the CPU supports; a value of this type proves it.
#[derive(Clone, Copy, Debug)]
pub struct PulpMachine(Arch);

/// The type of the kernel; [`kernel`] and [`IndexedKernel::on`] make one.
pub type PulpKernel = IndexedKernel<PulpMachine>;

/// The kernel on the best instruction set of this machine.
pub fn kernel() -> PulpKernel {
    IndexedKernel::on(PulpMachine(Arch::new()))
}

impl PulpMachine {
    /// All supported instruction sets of this machine, best first; the last is one lane.
    pub fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            all.extend(pulp::x86::V4::try_new().map(|v4| Self(Arch::V4(v4))));
            all.extend(pulp::x86::V3::try_new().map(|v3| Self(Arch::V3(v3))));
        }
        #[cfg(target_arch = "aarch64")]
        all.extend(pulp::aarch64::Neon::try_new().map(|neon| Self(Arch::Neon(neon))));
        all.push(Self(Arch::Scalar));
        all
    }
}

impl Machine for PulpMachine {
    fn name(self) -> &'static str {
        "pulp"
    }

    fn isa(self) -> &'static str {
        match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V4(_) => "avx512",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V3(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            Arch::Neon(_) => "neon",
            _ => "scalar",
        }
    }

    fn lanes(self) -> usize {
        match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V4(_) => 16,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V3(_) => 8,
            #[cfg(target_arch = "aarch64")]
            Arch::Neon(_) => 4,
            _ => f32::LANES,
        }
    }

    fn run(self, operation: impl Operation) {
        match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V4(simd) => taut_lanes::pulp::run(simd, operation),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Arch::V3(simd) => taut_lanes::pulp::run(simd, operation),
            #[cfg(target_arch = "aarch64")]
            Arch::Neon(simd) => taut_lanes::pulp::run(simd, operation),
            _ => operation.run::<f32>(()),
        }
    }
}
