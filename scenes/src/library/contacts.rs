//! Cloth that touches cloth.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{
    Axes, Cloth, Cuboid, HalfSpace, Model, ModelError, Scene, SceneError, SelfCollision, Solid,
    Sphere, Surface,
};

use super::LibraryScene;

/// Number of sheets in a stack.
const LAYERS: usize = 5;
/// The angle between one sheet and the next, rad.
const TURN: f32 = 0.2;

pub(super) const LAYERS_ON_A_BALL: LibraryScene = LibraryScene {
    name: "layers",
    description: "five sheets fall on a ball on a table, and on each other",
    size: 24,
    size_unit: "particles along a side",
    copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: |size| {
        let cloth = Cloth {
            columns: size,
            rows: size,
            width: 1.0,
            height: 1.0,
            axes: Axes::HORIZONTAL,
            density: 0.3,
            ..Cloth::default()
        };
        let sheet = Model::cloth(&cloth)?.self_colliding(SelfCollision::default())?;
        let mut scene = Scene::<3>::new();
        for layer in 0..LAYERS {
            let turned = sheet.clone().turned([0.0, 1.0, 0.0], TURN * layer as f32)?;
            let height = 1.25 + 0.06 * layer as f32;
            scene.add(format!("sheet {layer}"), turned.moved([0.0, height, 0.0]))?;
        }
        let surface = Surface { friction: 0.5, thickness: 0.01, ..Surface::default() };
        let ball = Sphere::new([0.0, 0.95, 0.0], 0.2)?;
        let table = Cuboid::new([-0.6, 0.7, -0.6], [0.6, 0.75, 0.6])?;
        scene.obstacles.push(Arc::new(Solid::new(ball).with(surface)?));
        scene.obstacles.push(Arc::new(Solid::new(table).with(surface)?));
        add_floor(&mut scene, surface)?;
        scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
        Ok(scene.into())
    },
};

pub(super) const FOLDED: LibraryScene = LibraryScene {
    name: "folded",
    description: "a long cloth falls on the floor, in folds on itself",
    size: 60,
    size_unit: "particles along the length",
    copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: |size| {
        let cloth = Cloth {
            columns: (size / 4).max(2),
            rows: size,
            width: 0.5,
            height: 2.0,
            density: 0.3,
            ..Cloth::default()
        };
        let mut model = Model::cloth(&cloth)?.moved([0.0, 2.1, 0.0]);
        // Slightly wavy: it would stand on its edge otherwise.
        for particle in 0..model.particles.len() {
            let [x, y, z] = model.particles.position(particle);
            let wave = 0.01 * libm::sin(9.0 * f64::from(y)) as f32;
            model.particles.set_position(particle, [x, y, z + wave]).map_err(ModelError::from)?;
        }
        let mut scene = Scene::<3>::new();
        scene.add("cloth", model.self_colliding(SelfCollision::default())?)?;
        let surface = Surface { friction: 0.5, thickness: 0.005, ..Surface::default() };
        add_floor(&mut scene, surface)?;
        scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
        Ok(scene.into())
    },
};

/// Adds a horizontal floor at height 0.
fn add_floor(scene: &mut Scene, surface: Surface) -> Result<(), SceneError> {
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?;
    scene.obstacles.push(Arc::new(Solid::new(floor).with(surface)?));
    Ok(())
}
