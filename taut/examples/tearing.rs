//! A curtain that is cut, dragged and torn, and the data that a renderer needs for it.
//!
//!     cargo run --release -p taut --example tearing

use taut::prelude::*;
use taut::world::{Cloth, Model, Scene, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A square metre, 48 x 48 particles, whose sticks tear at 1.5 times their length.
    let cloth = Cloth::<3> { columns: 48, rows: 48, ..Cloth::default() };
    let mut scene = Scene::new();
    scene.add("curtain", Model::curtain(&cloth)?.tearing_at(1.5))?;
    let mut world = World::new(&scene, AnyKernel::best_for)?;

    // A blade from (x, -1) to (x, 1) goes 30 cm in from the left, through the middle.
    let blade = |x: f32| [[x, 0.0, -1.0], [x, 0.0, 1.0]];
    println!("the knife cuts {} sticks", world.sweep(blade(-0.6), blade(-0.2)));

    // Drags the lower right corner away.
    let corner = world.nearest([0.5, -0.5, 0.0], 0.05).ok_or("no corner")?;
    world.grab(corner)?;
    let mut seen = 0;
    for frame in 1..=90 {
        world.drag(corner, [0.5 + 0.02 * frame as f32, -0.5, 0.01 * frame as f32])?;
        if !world.step()?.finite {
            return Err("it blew up".into());
        }
        // What is new for the renderer: numbers that never change.
        let triangles = &world.removed().triangles;
        if frame % 15 == 0 && triangles.len() > seen {
            println!("frame {frame}: {} triangles went", triangles.len() - seen);
            seen = triangles.len();
        }
    }
    println!("{} of {} sticks are torn", world.torn(), world.sticks_of("curtain").unwrap().len());

    // Torn sticks still cost time, because they keep their slots; this removes them.
    println!("{} are left out of the new order", world.reorder(AnyKernel::best_for)?);
    Ok(())
}
