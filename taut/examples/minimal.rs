//! A minimal simulation: particles, sticks, a schedule, a kernel, and one step per frame.
//!
//!     cargo run --release -p taut --example minimal

use taut::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A horizontal chain of 20 particles of 0.1 kg, 10 cm apart, pinned at its first particle.
    let points: Vec<[f32; 3]> = (0..20).map(|i| [0.1 * i as f32, 0.0, 0.0]).collect();
    let mut inverse_masses = vec![10.0; 20]; // 1/kg
    inverse_masses[0] = 0.0; // pinned
    let mut particles = Particles::new(&points, &inverse_masses)?;
    let pairs: Vec<[u32; 2]> = (1..20).map(|i| [i - 1, i]).collect();
    let sticks = Sticks::joining(&particles, &pairs, Duplicates::Keep)?;

    // The schedule decides the result, the kernel decides the speed.
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mut plan = taut::default_kernel().plan(&particles, &sticks, &schedule, Formula::Halley)?;

    let step = Step { dt: 1.0 / 60.0, substeps: 4, iterations: 2, ..Step::default() };
    for frame in 0..180 {
        if !plan.step(&mut particles, &sticks, &step)?.finite {
            return Err("the simulation blew up".into());
        }
        if frame % 60 == 59 {
            let [x, y, _] = particles.position(19);
            println!("after {} s the free end is at ({x:.2}, {y:.2}) m", (frame + 1) / 60);
        }
    }
    let stretch = Stretch::of(&particles, &sticks);
    println!("largest deviation from a rest length: {:.2} %", 100.0 * stretch.residual_max());
    Ok(())
}
