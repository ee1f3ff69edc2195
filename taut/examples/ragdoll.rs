//! A ragdoll falls down a flight of stairs; one hand is held for the first two seconds.
//!
//!     cargo run --release -p taut --example ragdoll

use std::sync::Arc;

use taut::prelude::*;
use taut::world::{Cuboid, HalfSpace, Model, Ragdoll, Scene, Solid, Surface, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let person = Ragdoll { height: 1.8, mass: 75.0, ..Ragdoll::default() };
    let falling = Model::<3>::ragdoll(&person)?.turned([1.0, 0.0, 0.3], 0.6)?;
    let mut scene = Scene::new();
    scene.add("bob", falling.moved([0.0, 1.2, 0.0]))?;
    let stone = Surface { friction: 0.6, ..Surface::default() };
    for index in 0..4 {
        let (top, front) = (1.0 - 0.25 * f64::from(index), 0.4 * f64::from(index)); // m
        let stair = Cuboid::new([-2.0, top - 1.0, front - 0.4], [2.0, top, front])?;
        scene.obstacles.push(Arc::new(Solid::new(stair).with(stone)?));
    }
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?;
    scene.obstacles.push(Arc::new(Solid::new(floor).with(stone)?));
    // Each of the four substeps has two passes. Each pass relaxes the sticks twice and then resolves
    // collisions.
    scene.settings.step = Step { substeps: 4, iterations: 2, ..Step::default() };
    scene.settings.passes = 2;

    let mut world = World::new(&scene, AnyKernel::best_for)?;
    let particle_of = |world: &World, name| world.group("bob", name).unwrap()[0];
    let (head, hand) = (particle_of(&world, "head"), particle_of(&world, "left hand"));
    world.grab(hand)?;
    for second in 1..=5 {
        if second == 3 {
            world.release(hand)?;
            println!("the hand is released");
        }
        for _ in 0..60 {
            if !world.step()?.finite {
                return Err("the simulation blew up".into());
            }
        }
        let [x, y, z] = world.position(head);
        println!("after {second} s the head is at ({x:.2}, {y:.2}, {z:.2}) m");
    }
    let stretch = world.diagnostics()?.stretch;
    println!("residual of bones and joints: {:.2} % (rms)", 100.0 * stretch.residual_rms());
    Ok(())
}
