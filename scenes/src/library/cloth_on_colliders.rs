//! Cloth in contact with ragdolls and rigid bodies.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use taut_core::Step;
use taut_world::{
    Axes, Cloth, LimbContacts, Model, ModelError, Ragdoll, Scene, SceneError, SelfCollision,
};
#[cfg(feature = "parry")]
use taut_world::{BodyContacts, Bounds, Solid, Spin, Surface};

use super::LibraryScene;
use super::cloths::bend;
use crate::AnyScene;

/// Settings with a collision filter. `categories` is 1 for cloth, and 2 for limbs and bodies; `mask`
/// has the bits of the categories to collide with.
fn filtered(categories: u32, mask: u32) -> SelfCollision {
    SelfCollision { categories, mask, friction: 0.5, ..SelfCollision::default() }
}

/// A sheet that collides with limbs and bodies, but not with itself.
fn sheet(cloth: &Cloth) -> Result<Model, ModelError> {
    Model::cloth(cloth)?.self_colliding(filtered(1, 2))
}

/// The model with self-collision: its limbs or bodies (category 2) collide with sheets, and limbs with
/// the bodies of other models.
fn collider(model: Model) -> Result<Model, ModelError> {
    model.self_colliding(filtered(2, 1 | 2))
}

#[cfg(feature = "parry")]
pub(super) const TRAMPOLINE: LibraryScene = LibraryScene {
    name: "trampoline",
    description: "boxes fall on an elastic sheet that is pinned at its rim, and on each other",
    size: 20,
    size_unit: "particles along a side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.05,
    build: trampoline,
};

#[cfg(feature = "parry")]
fn trampoline(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: size,
        width: 2.0,
        height: 2.0,
        axes: Axes::HORIZONTAL,
        density: 1.0,
        ..Cloth::default()
    };
    let mut scene = Scene::<3>::new();
    let mut sheet = sheet(&cloth)?;
    for side in ["top", "bottom", "left", "right"] {
        sheet = sheet.pinned(side);
    }
    for stick in 0..sheet.sticks.len() {
        // m/N: the sheet is elastic.
        sheet.sticks.set_compliance(stick, 1e-3).map_err(ModelError::from)?;
    }
    scene.add("sheet", sheet)?;
    for nth in 0..3 {
        let cube = collider(Model::rigid_box([0.3; 3], 80.0)?)?;
        let cube = cube.turned([1.0, 2.0, 3.0], 0.4 * nth as f32)?;
        let position = [0.25 * nth as f32 - 0.2, 0.35 + 0.6 * nth as f32, 0.1 * nth as f32];
        scene.add(format!("box {nth}"), cube.moved(position))?;
    }
    let surface = Surface { friction: 0.5, restitution: 0.3, ..Surface::default() };
    scene.obstacles.push(Arc::new(BodyContacts { surface, ..BodyContacts::default() }));
    scene.settings.step = Step { substeps: 16, ..Step::default() };
    Ok(scene.into())
}

#[cfg(feature = "parry")]
pub(super) const LAUNDRY: LibraryScene = LibraryScene {
    name: "laundry",
    description: "three cloths, two boxes and a ragdoll tumble in a turning drum",
    size: 16,
    size_unit: "particles along a side of a cloth",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: laundry,
};

#[cfg(feature = "parry")]
fn laundry(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: size,
        width: 0.6,
        height: 0.6,
        density: 1.0,
        ..Cloth::default()
    };
    let mut scene = Scene::<3>::new();
    for nth in 0..3 {
        let cloth = Model::cloth(&cloth)?.self_colliding(filtered(1, 1 | 2))?;
        scene.add(format!("cloth {nth}"), cloth.moved([0.0, 0.0, -0.3 + 0.1 * nth as f32]))?;
    }
    for side in [-1.0, 1.0] {
        let cube = collider(Model::rigid_box([0.15; 3], 100.0)?)?;
        let name = if side < 0.0 { "left box" } else { "right box" };
        scene.add(name, cube.moved([0.4 * side, 0.2, 0.15]))?;
    }
    // With a doll of 4 kg, eleven times the mass of a cloth, the residual exceeded its bound in two frames of an hour.
    let doll = Ragdoll { height: 0.7, mass: 1.0, ..Ragdoll::default() };
    scene.add("doll", collider(Model::<3>::ragdoll(&doll)?)?.moved([0.0, -0.35, 0.2]))?;
    let surface = Surface { friction: 0.6, thickness: 0.01, ..Surface::default() };
    let drum = Bounds::new([-0.6, -0.6, -0.4], [0.6, 0.6, 0.4])?;
    let spin = Spin::about([0.0, 0.0, 1.0], [0.0; 3], 2.0)?;
    scene.obstacles.push(Arc::new(Solid::new(drum).with(surface)?.turning(spin)));
    scene.obstacles.push(Arc::new(BodyContacts { surface, ..BodyContacts::default() }));
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs: true, ..LimbContacts::default() }));
    // The damping rate, here and below, takes 2 % of the velocity per frame of 1/60 s.
    scene.settings.step = Step { substeps: 16, damping_rate: 1.2, ..Step::default() };
    Ok(scene.into())
}

pub(super) const DOLL_IN_HAMMOCK: LibraryScene = LibraryScene {
    name: "doll-in-hammock",
    description: "a ragdoll falls into a hammock that is pinned at two ends",
    size: 36,
    size_unit: "particles along the length",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.1,
    build: doll_in_hammock,
};

fn doll_in_hammock(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Cloth {
        columns: size,
        rows: (size / 2).max(2),
        width: 2.6,
        height: 1.3,
        axes: Axes::HORIZONTAL,
        density: 2.0,
        ..Cloth::default()
    };
    let mut hammock = sheet(&cloth)?.pinned("left").pinned("right");
    bend(&mut hammock, size)?;
    let mut scene = Scene::<3>::new();
    scene.add("hammock", hammock)?;
    // The doll falls with its back down, and its height is along the hammock.
    let doll = collider(Model::<3>::ragdoll(&Ragdoll::default())?)?;
    let doll = doll.turned([1.0, 0.0, 0.0], -FRAC_PI_2)?.turned([0.0, 1.0, 0.0], FRAC_PI_2)?;
    scene.add("doll", doll.moved([0.9, 0.2, 0.0]))?;
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs: true, ..LimbContacts::default() }));
    scene.settings.step = Step { substeps: 8, iterations: 2, damping_rate: 1.2, ..Step::default() };
    scene.settings.passes = 2;
    Ok(scene.into())
}
