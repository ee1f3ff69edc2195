//! Cloth from a triangle mesh: from a file, or from arrays.
//!
//!     cargo run --release -p taut --example mesh -- bunny.obj
//!     cargo run --release -p taut --example mesh

use taut::prelude::*;
use taut::world::{Model, Scene, World};
use taut_mesh::{LoadOptions, TriangleMesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let TriangleMesh { positions, triangles, .. } = match std::env::args().nth(1) {
        Some(path) => {
            let loaded = taut_mesh::load(&path, &LoadOptions::default())?;
            println!("{path}: {}", loaded.report); // what was welded and what was dropped
            loaded.mesh
        }
        None => cone(),
    };

    // The cloth has edge sticks and bending sticks and weighs 0.2 kg/m². Its highest particles are
    // pinned.
    let cloth = Model::from_triangles(&positions, &triangles, Bending::Sticks, 0.2)?;
    let top = positions.iter().map(|[_, y, _]| *y).fold(f32::NEG_INFINITY, f32::max);
    let highest = (0..positions.len() as u32).filter(|&i| positions[i as usize][1] > top - 1e-3);
    let cloth = cloth.with_group("highest", highest)?.pinned("highest");
    println!(
        "{} particles, {} sticks, {:.3} kg",
        positions.len(),
        cloth.sticks.len(),
        cloth.mass()
    );

    let mut scene = Scene::new();
    scene.add("cloth", cloth)?;
    let mut world = World::new(&scene, AnyKernel::best_for)?;
    for _ in 0..120 {
        if !world.step()?.finite {
            return Err("the simulation blew up".into());
        }
    }
    let lower = |y: f32, [_, other, _]: [f32; 3]| y.min(other);
    let before = positions.iter().copied().fold(top, lower);
    let after = world.positions().fold(top, lower);
    println!("the lowest point moved from {before:.2} m to {after:.2} m in 2 s");
    Ok(())
}

/// A cone: a ring of triangles around its apex.
fn cone() -> TriangleMesh {
    const SIDES: u32 = 24;
    let corner = |side: u32| {
        let angle = std::f32::consts::TAU * side as f32 / SIDES as f32;
        [angle.cos(), 0.0, -angle.sin()]
    };
    let positions = std::iter::once([0.0, 0.5, 0.0]).chain((0..SIDES).map(corner)).collect();
    let triangles = (0..SIDES).map(|side| [0, 1 + side, 1 + (side + 1) % SIDES]).collect();
    TriangleMesh { positions, triangles }
}
