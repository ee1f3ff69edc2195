//! The machine and the build.

use std::fs;
use std::thread;

use serde::Serialize;
use taut::{AnyKernel, Kernel};

/// The machine and the build that produced a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineInfo {
    /// The processor's name.
    pub cpu: String,
    /// The instruction sets that kernels of this build use on it, best first.
    pub features: Vec<&'static str>,
    /// The number of hardware threads that this process may use.
    pub cores: usize,
    /// The compiler of this build.
    pub rustc: &'static str,
    /// The target of this build.
    pub target: &'static str,
    /// The profile and the flags of this build.
    pub flags: &'static str,
    /// The commit of this build (`-dirty` if there were uncommitted changes).
    pub commit: &'static str,
}

impl MachineInfo {
    /// This machine and build.
    pub fn current() -> Self {
        let mut features: Vec<_> = AnyKernel::available().iter().map(Kernel::<3>::isa).collect();
        features.dedup();
        Self {
            cpu: cpu_name().unwrap_or_else(|| "unknown".to_owned()),
            features,
            cores: thread::available_parallelism().map_or(1, usize::from),
            rustc: env!("TAUT_RUSTC"),
            target: env!("TAUT_TARGET"),
            flags: env!("TAUT_FLAGS"),
            commit: env!("TAUT_COMMIT"),
        }
    }
}

/// The processor's name, from `/proc/cpuinfo`; `None` on systems other than Linux.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = field("model name").or_else(|| field("CPU part"))?;
    // The tab after "model" excludes the line "model name".
    match (field("cpu family"), field("model\t"), field("stepping")) {
        (Some(family), Some(model), Some(stepping)) => {
            Some(format!("{name} (family {family} model {model} stepping {stepping})"))
        }
        _ => Some(name),
    }
}
