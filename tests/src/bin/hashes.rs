//! Prints the golden hash of each case for every kernel of this build on this machine, one per
//! line: `kernel isa scene order formula hash`. For scenes of the library, order and formula are
//! `own`: the scene's own.
//!
//! With arguments `STEPS SCENE...` it prints the hash of each of these scenes after that number of steps,
//! on the best kernels and on the scalar one, one per line: `scene kernel hash`.
//!
//! `scripts/determinism.sh` runs this program on several targets and compares the hashes.
#![forbid(unsafe_code)]

use std::env;
use std::io::{self, Write};

use taut::world::LibraryScene;
use taut::{AnyKernel, Kernel, Plan, ScalarKernel, Schedule, StepError};
use taut_tests::{GoldenCase, SCENE_STEPS, STEPS, golden_cases, scene_hash, scene_name, step};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => print_golden_hashes(),
        [steps, scenes @ ..] => {
            let invalid =
                |error| io::Error::other(format!("{steps}: not a number of steps: {error}"));
            print_scene_hashes(steps.parse().map_err(invalid)?, scenes)
        }
    }
}

/// Prints the hashes of scenes of the library after a number of steps.
fn print_scene_hashes(steps: u64, scenes: &[String]) -> io::Result<()> {
    type KernelFor = fn(&Schedule) -> AnyKernel;
    let kernels: [(&str, KernelFor); 2] =
        [("best", AnyKernel::best_for), ("scalar", |_| AnyKernel::Scalar(ScalarKernel))];
    for name in scenes {
        let listed = LibraryScene::named(name).map_err(io::Error::other)?;
        for (kernel, kernel_for) in kernels {
            let hash = scene_hash(listed, steps, kernel_for).map_err(io::Error::other)?;
            writeln!(io::stdout(), "{name} {kernel} {hash:016x}")?;
        }
    }
    Ok(())
}

fn print_golden_hashes() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for case in golden_cases() {
        let schedule = &case.arranged.schedule;
        for kernel in AnyKernel::available().into_iter().filter(|kernel| kernel.runs(schedule)) {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            match hash(&case, &kernel) {
                Ok(hash) => writeln!(out, "{name} {isa} {} {hash:016x}", case.name)?,
                Err(error) => return Err(io::Error::other(format!("{name} ({isa}): {error}"))),
            }
        }
    }
    for listed in LibraryScene::ALL {
        for kernel in AnyKernel::available() {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            // The scalar kernel runs what the kernels for sheets and for copies do not support.
            let kernel_for = |schedule: &Schedule| {
                if kernel.runs(schedule) { kernel.clone() } else { AnyKernel::Scalar(ScalarKernel) }
            };
            let hash = scene_hash(listed, SCENE_STEPS, kernel_for);
            let hash =
                hash.map_err(|error| io::Error::other(format!("{name} ({isa}): {error}")))?;
            writeln!(out, "{name} {isa} {} {hash:016x}", scene_name(listed))?;
        }
    }
    Ok(())
}

fn hash(case: &GoldenCase, kernel: &AnyKernel) -> Result<u64, StepError> {
    let GoldenCase { arranged, formula, .. } = case;
    let (mut particles, sticks) = (arranged.particles.clone(), &arranged.sticks);
    let mut plan = kernel.plan(&particles, sticks, &arranged.schedule, *formula)?;
    for _ in 0..STEPS {
        let _ = plan.step(&mut particles, sticks, &step())?;
    }
    Ok(particles.hash())
}
