//! Ropes, bridges and plants.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{
    Bridge, Gusts, Model, Path, Plant, Scene, SceneError, Solid, Sphere, Surface, Wind,
};

use super::LibraryScene;
use crate::AnyScene;

pub(super) const ROPE_BRIDGE: LibraryScene = LibraryScene {
    name: "rope-bridge",
    description: "a hanging bridge of planks and ropes; a ball moves back and forth along it",
    size: 24,
    size_unit: "planks",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: rope_bridge,
};

fn rope_bridge(size: usize) -> Result<AnyScene, SceneError> {
    let bridge = Bridge { planks: size, ..Bridge::default() };
    let mut scene = Scene::<3>::new();
    scene.add("bridge", Model::bridge([-6.0, 0.0, 0.0], [6.0, 0.0, 0.0], &bridge)?)?;
    let ball = Solid::new(Sphere::new([0.0, -0.3, 0.0], 0.45)?)
        .with(Surface { friction: 0.0, ..Surface::default() })?
        .along(Path::Oscillating { amplitude: [4.0, 0.0, 0.0], period: 12.0 })?;
    scene.obstacles.push(Arc::new(ball));
    scene.settings.step =
        // The damping rate takes 8 % of the velocity per frame of 1/60 s; that of `PLANTS`, 4 %.
        Step { substeps: 8, iterations: 4, damping_rate: 4.824, ..Step::default() };
    Ok(scene.into())
}

pub(super) const PLANTS: LibraryScene = LibraryScene {
    name: "plants",
    description: "a row of shrubs in gusts of wind, held up by support sticks with one iteration per substep",
    size: 8,
    size_unit: "shrubs",
    size_is_copies: true,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: plants,
};

fn plants(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<3>::new();
    for plant in 0..size {
        let seed = plant as u64;
        let model = Model::<3>::plant(&Plant { seed, ..Plant::default() })?;
        scene.add(format!("shrub {plant}"), model.moved([0.8 * plant as f32, 0.0, 0.0]))?;
    }
    let gusts = Some(Gusts { strength: 0.8, size: 2.0, seed: 3 });
    scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([3.0, 0.0, 1.0]) }));
    scene.settings.step =
        Step { substeps: 4, iterations: 1, damping_rate: 2.412, ..Step::default() };
    Ok(scene.into())
}
