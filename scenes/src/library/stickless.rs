//! Scenes without sticks: an emitter, and a cloth of springs.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{Cloth, Gusts, Model, Scene, SceneError, Wind};
#[cfg(feature = "parry")]
use taut_world::{Drag, EmitterSettings, Facing, Field, Solid, Source, Surface, TriMesh};

use super::LibraryScene;
use crate::AnyScene;

#[cfg(feature = "parry")]
pub(super) const FOUNTAIN: LibraryScene = LibraryScene {
    name: "fountain",
    description: "drops that spray up from a triangle, fall on a four-sided roof and run down it",
    size: 2000,
    size_unit: "drops per second",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.0,
    build: fountain,
};

#[cfg(feature = "parry")]
fn fountain(size: usize) -> Result<AnyScene, SceneError> {
    let nozzle = [[0.0, 0.0, 0.15], [0.15, 0.0, -0.1], [-0.15, 0.0, -0.1]];
    let drops = Model::emitter(EmitterSettings {
        source: Source::Polygons(vec![nozzle]),
        rate: size as f64,
        normal_speed: 6.0,
        spread: 1.2,
        lifetime: [2.0, 3.0],
        seed: 5,
        ..EmitterSettings::default()
    })?;
    let mut scene = Scene::<3>::new();
    scene.add("drops", drops)?;
    scene.forces.push(Arc::new(Field::new(Drag::linear(5e-4)).on("particles")));
    // A four-sided roof. Its tip is below the emitter; the eaves are its lower edges.
    let [half, eaves] = [3.0, -1.2]; // half the width of the roof, and the height of the eaves, m
    let corners =
        [[half, eaves, half], [half, eaves, -half], [-half, eaves, -half], [-half, eaves, half]];
    let points: Vec<[f32; 3]> = [[0.0, -0.3, 0.0]].into_iter().chain(corners).collect();
    let slopes: Vec<[u32; 3]> = (0..4).map(|side| [0, 1 + side, 1 + (side + 1) % 4]).collect();
    let roof = Solid::mesh(TriMesh::new(&points, &slopes, Facing::Both)?);
    let surface = Surface { friction: 0.05, restitution: 0.4, ..Surface::default() };
    scene.obstacles.push(Arc::new(roof.with(surface)?));
    scene.settings.step = Step { substeps: 1, iterations: 1, ..Step::default() };
    Ok(scene.into())
}

pub(super) const SPRINGS: LibraryScene = LibraryScene {
    name: "springs",
    description: "a cloth of damped springs instead of sticks, in the wind",
    size: 24,
    size_unit: "particles along each side",
    size_is_copies: false,
    dimensions: 3,
    residual_rms_max: 0.0,
    build: springs,
};

fn springs(size: usize) -> Result<AnyScene, SceneError> {
    let cloth = Model::<3>::curtain(&Cloth {
        columns: size,
        rows: size,
        density: 0.3,
        ..Cloth::default()
    })?;
    let inverse_mass_max = cloth.particles.inverse_masses().iter().copied().fold(0.0, f32::max);
    // At most 12 springs meet at a particle, so the stability analysis of `Springs` bounds the square
    // of the angular frequency by 24 times stiffness times inverse mass: with this stiffness, by
    // (240 1/s)². With this damping, substeps of 1/240 s are stable, twice as long as those of the
    // scene.
    let stiffness = 480.0 * 480.0 / (96.0 * inverse_mass_max);
    let damping = 0.002 * stiffness;
    let mut scene = Scene::<3>::new();
    scene.add("cloth", cloth.sprung(stiffness, damping)?)?;
    let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed: 2 });
    scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([0.5, 0.0, 2.0]) }));
    scene.settings.step =
        // The damping rate takes 8 % of the velocity per frame of 1/60 s.
        Step { substeps: 8, iterations: 1, damping_rate: 4.824, ..Step::default() };
    Ok(scene.into())
}
