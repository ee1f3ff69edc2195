//! Scenes without sticks: emitters and springs.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{Cloth, Gusts, Model, Scene, Wind};
#[cfg(feature = "parry")]
use taut_world::{Drag, Emission, Facing, Field, Solid, Source, Surface, TriMesh};

use super::LibraryScene;

#[cfg(feature = "parry")]
pub(super) const FOUNTAIN: LibraryScene = LibraryScene {
    name: "fountain",
    about: "drops emitted upwards from a triangle, that fall on a four-sided roof and run down it",
    size: 2000,
    size_is: "drops a second",
    copies: false,
    dimensions: 3,
    residual: 0.0,
    build: |size| {
        let mouth = [[0.0, 0.0, 0.15], [0.15, 0.0, -0.1], [-0.15, 0.0, -0.1]];
        let drops = Model::emitter(Emission {
            source: Source::Polygons(vec![mouth]),
            rate: size as f64,
            normal_speed: 6.0,
            spread: 1.2,
            lifetime: [2.0, 3.0],
            seed: 5,
            ..Emission::default()
        })?;
        let mut scene = Scene::<3>::new();
        scene.add("drops", drops)?;
        scene.forces.push(Arc::new(Field::new(Drag::linear(5e-4)).on("particles")));
        // A four-sided roof, its tip below the emitter.
        let [far, low] = [3.0, -1.2];
        let corners = [[far, low, far], [far, low, -far], [-far, low, -far], [-far, low, far]];
        let points: Vec<[f32; 3]> = [[0.0, -0.3, 0.0]].into_iter().chain(corners).collect();
        let slopes: Vec<[u32; 3]> = (0..4).map(|side| [0, 1 + side, 1 + (side + 1) % 4]).collect();
        let roof = Solid::mesh(TriMesh::new(&points, &slopes, Facing::Both)?);
        let wet = Surface { friction: 0.05, restitution: 0.4, ..Surface::default() };
        scene.obstacles.push(Arc::new(roof.with(wet)?));
        scene.settings.step = Step { substeps: 1, iterations: 1, ..Step::default() };
        Ok(scene.into())
    },
};

pub(super) const SPRINGS: LibraryScene = LibraryScene {
    name: "springs",
    about: "a cloth of damped springs in the wind, without a stick: as stiff as the step allows",
    size: 24,
    size_is: "particles along each side",
    copies: false,
    dimensions: 3,
    residual: 0.0,
    build: |size| {
        let cloth = Model::<3>::curtain(&Cloth {
            columns: size,
            rows: size,
            density: 0.3,
            ..Cloth::default()
        })?;
        let lightest = cloth.particles.inverse_masses().iter().copied().fold(0.0, f32::max);
        // A particle has 12 neighbours: the longest stable substep is 1/240 s, twice that of the
        // scene.
        let stiffness = 480.0 * 480.0 / (96.0 * lightest);
        let damping = 0.002 * stiffness;
        let mut scene = Scene::<3>::new();
        scene.add("cloth", cloth.sprung(stiffness, damping)?)?;
        let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed: 2 });
        scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([0.5, 0.0, 2.0]) }));
        scene.settings.step =
            Step { substeps: 8, iterations: 1, damping_rate: 4.824, ..Step::default() };
        Ok(scene.into())
    },
};
