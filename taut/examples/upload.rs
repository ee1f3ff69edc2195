//! What a renderer uploads: positions and normals, interleaved or not, as bytes; indices once, and
//! after that only what tears.
//!
//!     cargo run --release -p taut --example upload

use taut::prelude::*;
use taut::world::{Clock, Cloth, Drawing, Model, Scene, World, normals};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    let flag = Model::cloth(&Cloth::<3>::spaced(60, 40, 0.025))?.pinned("left").tearing_at(1.6);
    scene.add("flag", flag)?;
    scene.add("dice", Model::rigid_box([0.1; 3], 700.0)?.moved([0.0, 1.0, 0.2]))?;
    let mut world = World::new(&scene, AnyKernel::best_for)?;
    let mut clock = Clock::new(world.settings().step.dt)?;

    // Once: what joins which vertices. Bodies are drawn by the meshes fastened to them.
    let mut drawing: Drawing = world.drawing();
    let indices: &[u8] = bytemuck::cast_slice(&drawing.triangles);
    for part in &drawing.parts {
        println!("{}: a {} of {} triangles", part.name, part.look, part.triangles.len());
    }
    println!("once: {} bytes of indices", indices.len());

    // Buffers that live as long as the world: nothing is allocated in a frame.
    let mut positions = vec![[0.0_f32; 3]; drawing.vertices];
    let mut up = positions.clone();
    let mut seen = 0;
    for frame in 1..=120 {
        let (_, outcome) = world.advance(&mut clock, 1.0 / 60.0)?; // as long as the last frame took
        if !outcome.finite {
            return Err("it blew up".into());
        }
        if frame == 60 {
            let blade = |y: f32| [[0.0, y, -1.0], [0.0, y, 1.0]];
            world.sweep(blade(1.0), blade(-0.1)); // half-way down
        }
        for &gone in &world.removed().triangles[seen..] {
            drawing.triangles[gone as usize] = [0; 3]; // of no area: not drawn
        }
        seen = world.removed().triangles.len();

        world.copy_vertices(&mut positions);
        normals(&positions, &drawing.triangles, &mut up);
        let (positions, up): (&[u8], &[u8]) =
            (bytemuck::cast_slice(&positions), bytemuck::cast_slice(&up));
        if frame % 60 == 0 {
            println!(
                "frame {frame}: {} + {} bytes, {seen} triangles gone so far",
                positions.len(),
                up.len()
            );
        }
    }
    Ok(())
}
