//! Prints the hash of each exhibit of the golden hashes for every kernel of this build on this
//! machine, a line each: `kernel isa scene order formula hash`. Scenes of the library have an order
//! and a formula of their own.
//!
//! `scripts/determinism.sh` runs it on several targets and compares.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use taut::world::LibraryScene;
use taut::{AnyKernel, Kernel, Plan, ScalarKernel, Schedule, StepError};
use taut_tests::{Exhibit, STEPS, exhibits, scene_hash, scene_name, step};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for exhibit in exhibits() {
        let schedule = &exhibit.arranged.schedule;
        for kernel in AnyKernel::available().into_iter().filter(|kernel| kernel.runs(schedule)) {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            match hash(&exhibit, &kernel) {
                Ok(hash) => writeln!(out, "{name} {isa} {} {hash:016x}", exhibit.name)?,
                Err(error) => return Err(io::Error::other(format!("{name} ({isa}): {error}"))),
            }
        }
    }
    for listed in LibraryScene::ALL {
        for kernel in AnyKernel::available() {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            // The kernels for sheets and for copies run only these; the scalar kernel runs the rest.
            let kernel_for = |schedule: &Schedule| {
                if kernel.runs(schedule) { kernel.clone() } else { AnyKernel::Scalar(ScalarKernel) }
            };
            let hash = scene_hash(listed, kernel_for);
            let hash =
                hash.map_err(|error| io::Error::other(format!("{name} ({isa}): {error}")))?;
            writeln!(out, "{name} {isa} {} {hash:016x}", scene_name(listed))?;
        }
    }
    Ok(())
}

fn hash(exhibit: &Exhibit, kernel: &AnyKernel) -> Result<u64, StepError> {
    let Exhibit { arranged, formula, .. } = exhibit;
    let (mut particles, sticks) = (arranged.particles.clone(), &arranged.sticks);
    let mut plan = kernel.plan(&particles, sticks, &arranged.schedule, *formula)?;
    for _ in 0..STEPS {
        let _ = plan.step(&mut particles, sticks, &step())?;
    }
    Ok(particles.hash())
}
