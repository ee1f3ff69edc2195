//! Picking a kernel: by feature flag when the program is compiled, or by value when it runs. All
//! kernels give the same bits.
//!
//! ```sh
//! cargo run --release -p taut --example kernels
//! cargo run --release -p taut --example kernels --no-default-features --features std,world,wide
//! ```

use std::time::Instant;

use taut::prelude::*;
use taut::world::{Model, StickSet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Model { particles, sticks, sheet, .. } = Model::drape(96, StickSet::All)?;
    let schedule = sheet.ok_or("this drape is not a sheet")?.schedule(&sticks)?;

    // By feature flag: `DefaultKernel` is one type. (With the feature `pulp`, its instruction set is
    // chosen at run time.)
    let default: DefaultKernel = taut::default_kernel();
    let expected = simulate(&default, &particles, &sticks, &schedule)?;

    // By value: the best kernel for this machine and schedule, or all kernels that are available.
    // (`AnyKernel::named` finds a kernel by name.)
    let best = AnyKernel::best_for(&schedule);
    println!("best for this sheet: {}", Kernel::<3>::name(&best));
    for kernel in AnyKernel::available().into_iter().filter(|kernel| kernel.runs(&schedule)) {
        let hash = simulate(&kernel, &particles, &sticks, &schedule)?;
        assert_eq!(hash, expected, "{} gives another hash", Kernel::<3>::name(&kernel));
    }
    Ok(())
}

/// Simulates half a second on a kernel and returns the hash of all positions.
fn simulate<K: Kernel<3>>(
    kernel: &K,
    particles: &Particles<3>,
    sticks: &Sticks,
    schedule: &Schedule,
) -> Result<u64, Box<dyn std::error::Error>> {
    let mut particles = particles.clone();
    let mut plan = kernel.plan(&particles, sticks, schedule, Formula::Halley)?;
    let begin = Instant::now();
    for _ in 0..30 {
        if !plan.step(&mut particles, sticks, &Step::default())?.finite {
            return Err("the simulation blew up".into());
        }
    }
    let seconds_per_frame = begin.elapsed().as_secs_f64() / 30.0;
    let (name, isa, hash) = (kernel.name(), kernel.isa(), particles.hash());
    println!(
        "{name:>7} on {isa:<7} {:>8.1} µs per frame, hash {hash:016x}",
        1e6 * seconds_per_frame
    );
    Ok(hash)
}
