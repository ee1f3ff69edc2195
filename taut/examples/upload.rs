//! The data that a renderer uploads, as bytes: indices once, then positions and normals in every
//! frame, and the triangles that a cut or tearing removed.
//!
//!     cargo run --release -p taut --example upload

use taut::prelude::*;
use taut::world::{Clock, Cloth, Drawing, Model, Scene, World, normals};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    let flag = Model::cloth(&Cloth::<3>::spaced(60, 40, 0.025))?.pinned("left").tearing_at(1.6);
    scene.add("flag", flag)?;
    scene.add("cube", Model::rigid_box([0.1; 3], 700.0)?.moved([0.0, 1.0, 0.2]))?;
    let mut world = World::new(&scene, AnyKernel::best_for)?;
    let mut clock = Clock::new(world.settings().step.dt)?;

    // The vertices of each triangle are uploaded once. Bodies are drawn as the meshes attached to
    // them.
    let mut drawing: Drawing = world.drawing();
    let indices: &[u8] = bytemuck::cast_slice(&drawing.triangles);
    for model in &drawing.models {
        println!("{}: a {} of {} triangles", model.name, model.kind, model.triangles.len());
    }
    println!("upload once: {} bytes of indices", indices.len());

    // These buffers are reused, so no frame allocates memory.
    let mut positions = vec![[0.0_f32; 3]; drawing.vertices];
    let mut normals_of_vertices = positions.clone();
    let mut seen = 0; // how many removed triangles were read so far
    for frame in 1..=120 {
        let since_last_frame = 1.0 / 60.0; // s
        let (_, outcome) = world.advance(&mut clock, since_last_frame)?;
        if !outcome.finite {
            return Err("the simulation blew up".into());
        }
        if frame == 60 {
            let blade = |y: f32| [[0.0, y, -1.0], [0.0, y, 1.0]];
            world.cut_swept(blade(1.0), blade(-0.1)); // cuts from the top to below the middle
        }
        for &triangle in &world.removed().triangles[seen..] {
            drawing.triangles[triangle as usize] = [0; 3]; // has no area, so it is not drawn
        }
        seen = world.removed().triangles.len();

        world.copy_vertices(&mut positions);
        normals(&positions, &drawing.triangles, &mut normals_of_vertices);
        let (positions, normals): (&[u8], &[u8]) =
            (bytemuck::cast_slice(&positions), bytemuck::cast_slice(&normals_of_vertices));
        if frame % 60 == 0 {
            println!(
                "frame {frame}: {} + {} bytes, {seen} triangles removed so far",
                positions.len(),
                normals.len()
            );
        }
    }
    Ok(())
}
