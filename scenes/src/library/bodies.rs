//! Rigid bodies and ragdolls.

use std::sync::Arc;

use taut_core::Step;
#[cfg(feature = "parry")]
use taut_world::BodyContacts;
use taut_world::{
    Bounds, Cuboid, HalfSpace, LimbContacts, Model, Ragdoll, Scene, SceneError, Solid, Surface,
};

use super::LibraryScene;
use crate::AnyScene;

pub(super) const TETRA_CUBE_WORLD: LibraryScene = LibraryScene {
    name: "tetra-cube-world",
    description: "Jakobsen's cube world: tetrahedra that bounce in a box",
    size: 27,
    size_unit: "tetrahedra",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.05,
    build: tetra_cube_world,
};

fn tetra_cube_world(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<3>::new();
    for body in 0..size {
        // Layers of nine: three rows of three, 1 m apart. Each tetrahedron has its own rotation.
        let coordinate = |cell: usize| cell as f32 - 1.0;
        let position = [coordinate(body % 3), 1.0 + (body / 9) as f32, coordinate(body / 3 % 3)];
        let tetrahedron = Model::tetrahedron(0.5, 1.0)?;
        let turned = tetrahedron.turned([1.0, 2.0, 3.0], body as f32)?;
        scene.add(format!("tetrahedron {body}"), turned.moved(position))?;
    }
    // The ceiling, at 1000 m, is higher than all bodies.
    let walls = Bounds::new([-2.0, 0.0, -2.0], [2.0, 1000.0, 2.0])?;
    let surface = Surface { friction: 0.3, restitution: 0.5, ..Surface::default() };
    scene.obstacles.push(Arc::new(Solid::new(walls).with(surface)?));
    scene.settings.step = Step { substeps: 1, iterations: 1, ..Step::default() };
    scene.settings.passes = 4;
    Ok(scene.into())
}

#[cfg(feature = "parry")]
pub(super) const BOXES: LibraryScene = LibraryScene {
    name: "boxes",
    description: "rigid cubes, of four particles each, that fall on each other in a trough",
    size: 8,
    size_unit: "cubes",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.05,
    build: boxes,
};

#[cfg(feature = "parry")]
fn boxes(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<3>::new();
    // Two slopes form a concave floor. A body whose particles are pinned does not move.
    for (name, side) in [("left slope", -1.0), ("right slope", 1.0)] {
        let slope =
            Model::rigid_box([4.0, 0.5, 4.0], 1000.0)?.turned([0.0, 0.0, 1.0], 0.3 * side)?;
        scene.add(name, slope.moved([1.8 * side, 0.0, 0.0]).pinned("body"))?;
    }
    for body in 0..size {
        let cube = Model::rigid_box([0.5; 3], 300.0)?.turned([1.0, 2.0, 3.0], body as f32)?;
        let position = [0.4 * (body % 3) as f32 - 0.4, 1.5 + 0.9 * body as f32, 0.0];
        scene.add(format!("cube {body}"), cube.moved(position))?;
    }
    scene.obstacles.push(Arc::new(BodyContacts::default()));
    scene.settings.step =
        // The damping rate, here and below, takes 4 % of the velocity per frame of 1/60 s.
        Step { substeps: 4, iterations: 1, damping_rate: 2.412, ..Step::default() };
    scene.settings.passes = 4;
    Ok(scene.into())
}

pub(super) const RAGDOLLS: LibraryScene = LibraryScene {
    name: "ragdolls",
    description: "2D ragdolls that are thrown around a room",
    size: 20,
    size_unit: "ragdolls",
    size_is_copies: true,
    dimensions: 2,
    residual_rms_max: 0.1,
    build: ragdolls,
};

fn ragdolls(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<2>::new();
    let h = scene.settings.step.dt / 4.0; // the settings below have 4 substeps
    for nth in 0..size {
        // Rows of five. Each ragdoll is rotated about its middle, 0.9 m above its feet.
        let position = [1.9 * (nth % 5) as f32 - 3.8, 1.2 + 2.0 * (nth / 5) as f32];
        let ragdoll = Model::<2>::ragdoll(&Ragdoll::default())?.moved([0.0, -0.9]);
        let velocity = if nth % 2 == 0 { [5.0, 3.0] } else { [-4.0, 6.0] };
        let thrown = ragdoll.turned(nth as f32)?.moved(position).moving_at(velocity, h);
        scene.add(format!("ragdoll {nth}"), thrown)?;
    }
    scene.obstacles.push(Arc::new(LimbContacts::default()));
    let room = Bounds::new([-5.0, 0.0], [5.0, 1000.0])?;
    let surface = Surface { friction: 0.5, restitution: 0.3, ..Surface::default() };
    scene.obstacles.push(Arc::new(Solid::new(room).with(surface)?));
    scene.settings.step =
        Step { substeps: 4, iterations: 2, damping_rate: 2.412, ..Step::default() };
    scene.settings.passes = 2;
    Ok(scene.into())
}

pub(super) const RAGDOLLS_3D: LibraryScene = LibraryScene {
    name: "ragdolls-3d",
    description: "ragdolls that fall down a flight of stairs",
    size: 20,
    size_unit: "ragdolls",
    size_is_copies: true,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: ragdolls_3d,
};

fn ragdolls_3d(size: usize) -> Result<AnyScene, SceneError> {
    let mut scene = Scene::<3>::new();
    for nth in 0..size {
        let position = [1.2 * (nth % 4) as f32 - 1.8, 3.5 + 1.5 * (nth / 4) as f32, 0.5];
        let ragdoll = Model::<3>::ragdoll(&Ragdoll::default())?.moved([0.0, -0.9, 0.0]);
        let turned = ragdoll.turned([1.0, 0.5, 0.2], 0.7 * nth as f32)?;
        scene.add(format!("ragdoll {nth}"), turned.moved(position))?;
    }
    scene.obstacles.push(Arc::new(LimbContacts::default()));
    let surface = Surface { friction: 0.5, ..Surface::default() };
    for nth in 0..8 {
        let z = 0.3 * f64::from(nth) - 1.0;
        let top = 0.2 * f64::from(8 - nth);
        let stair = Cuboid::new([-3.0, top - 3.0, z], [3.0, top, z + 0.6])?;
        scene.obstacles.push(Arc::new(Solid::new(stair).with(surface)?));
    }
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?;
    scene.obstacles.push(Arc::new(Solid::new(floor).with(surface)?));
    scene.settings.step =
        Step { substeps: 4, iterations: 2, damping_rate: 2.412, ..Step::default() };
    scene.settings.passes = 2;
    Ok(scene.into())
}
