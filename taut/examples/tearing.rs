//! A curtain that is cut, dragged and torn, and the changes that a renderer needs.
//!
//!     cargo run --release -p taut --example tearing

use taut::prelude::*;
use taut::world::{Cloth, Model, Scene, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A curtain of 1 m x 1 m and 48 x 48 particles. Sticks tear at 1.5 times their rest length.
    let cloth = Cloth::<3> { columns: 48, rows: 48, ..Cloth::default() };
    let mut scene = Scene::new();
    scene.add("curtain", Model::curtain(&cloth)?.tearing_at(1.5))?;
    let mut world = World::new(&scene, AnyKernel::best_for)?;

    // A blade along z at half height moves from x = -0.6 m to x = -0.2 m: it cuts 30 cm into the
    // curtain from its left edge.
    let blade = |x: f32| [[x, 0.0, -1.0], [x, 0.0, 1.0]];
    println!("the blade cuts {} sticks", world.cut_swept(blade(-0.6), blade(-0.2)));

    // Drags the lower right corner away.
    let corner = world.nearest([0.5, -0.5, 0.0], 0.05).ok_or("no particle near the corner")?;
    world.grab(corner)?;
    let mut seen = 0; // how many removed triangles were printed so far
    for frame in 1..=90 {
        world.drag(corner, [0.5 + 0.02 * frame as f32, -0.5, 0.01 * frame as f32])?;
        if !world.step()?.finite {
            return Err("the simulation blew up".into());
        }
        // A renderer needs the removed triangles. The indices of triangles never change.
        let triangles = &world.removed().triangles;
        if frame % 15 == 0 && triangles.len() > seen {
            println!("frame {frame}: {} triangles removed", triangles.len() - seen);
            seen = triangles.len();
        }
    }
    println!("{} of {} sticks are torn", world.torn(), world.sticks_of("curtain").unwrap().len());

    // Torn sticks still take time, because the schedule keeps them. A new schedule leaves them out.
    println!("{} torn sticks are left out of the new order", world.reorder(AnyKernel::best_for)?);
    Ok(())
}
