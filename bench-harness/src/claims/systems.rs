//! Systems built of sticks: ragdolls, plants, bodies in a room, cloth on a table.

use std::sync::Arc;

use taut::world::{
    AnyScene, Bounds, LibraryScene, Model, Plant, Ragdoll, Scene, SceneError, Settings, Simulation,
    Solid, World,
};
use taut::{AnyKernel, Kernel, Kind, Sticks, Stretch};

use super::run::{one_substep, or_infinite};
use super::{Bound, Check, Claim, ClaimError, Scale, Source, VerdictRule};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "one-pass-for-plants",
        quote: "only one pass through the relaxation loop was enough (in fact, the low number gave \
                the plants exactly the right amount of bending behavior)",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless(
                "height after 10 s over that at the start, 1 iteration per frame",
                Bound::AtLeast(0.9),
            ),
            Check::dimensionless(
                "sag of the leaves over the height, 1 iteration per frame",
                Bound::Between(0.002, 0.1),
            ),
            Check::dimensionless(
                "sag with 8 iterations over sag with 1 iteration",
                Bound::AtMost(0.5),
            ),
        ],
        rule: VerdictRule::All,
        measure: one_pass_for_plants,
        method: "Eight shrubs under their own weight, with support sticks between second \
              neighbours and from the roots. The bound for \"enough\" is 90 % of the height. \
              Eight iterations at least halve the sag, so the low number causes the bending; \
              which amount is right is a matter of taste.",
        command: "taut simulate plants --iterations 1 --substeps 1",
    },
    Claim {
        name: "posture-links",
        quote: "the body will easily contort into awkward shapes; invisible and very unstiff links \
              from the feet to the shoulder and the pelvis to the head push it into a less awkward \
              resting position",
        source: Source::Ragdolls,
        section: "Step 8: Add Some Ragdolls",
        checks: &[
            Check::dimensionless(
                "distance of feet from shoulders over that of a standing ragdoll, with the links",
                Bound::Between(0.9, 1.1),
            ),
            Check::dimensionless("the same without the links", Bound::AtMost(0.9)),
        ],
        rule: VerdictRule::All,
        measure: posture_links,
        method: "Ten 2D ragdolls with joint limits, thrown about a room: the mean distance of feet \
              from shoulders after 20 s, over that of a standing ragdoll. The links have a \
              stiffness of 0.01.",
        command: "taut simulate ragdolls",
    },
    Claim {
        name: "penetration-points",
        quote: "moving particles so that the point of penetration leaves the other object, then \
                relaxing once more or several times, keeps a cube that is fastened to a tetrahedron \
                out of other objects",
        source: Source::Jakobsen,
        section: "Rigid Bodies",
        checks: &[
            Check::dimensionless(
                "deepest penetration of a corner over the edge length, 3 passes",
                Bound::AtMost(0.01),
            ),
            Check::dimensionless(
                "deepest penetration of a corner over the edge length, 4 passes",
                Bound::AtMost(0.01),
            ),
            Check::dimensionless("rms residual, 3 passes", Bound::AtMost(0.01)),
            Check::dimensionless("rms residual, 4 passes", Bound::AtMost(0.01)),
        ],
        rule: VerdictRule::All,
        measure: penetration_points,
        method: "Cubes of 0.5 m, each fastened to four particles, in various orientations, drop 1 \
              m in a room: 60 steps per second, each of 3 or 4 passes. A pass is one iteration, \
              then one resolution of collisions. The deepest penetration at the end of any step, \
              and the rms residual over all steps.",
        command: "taut simulate tetra-cube-world",
    },
    Claim {
        name: "no-drape-equation",
        quote: "the cloth would naturally drape on its own, without the need for any sort of \
                position correction via the drape equation",
        source: Source::Report,
        section: "Phase IV: External Effects and Cloth Draping",
        checks: &[
            Check::dimensionless(
                "drop of the hem below the table in the middles of the sides, over the overhang",
                Bound::Between(0.8, 1.1),
            ),
            Check {
                what: "height of the middles of the hem above its corners",
                unit: "m",
                bound: Bound::AtLeast(0.02),
            },
            Check {
                what: "deepest penetration of the table",
                unit: "m",
                bound: Bound::AtMost(0.001),
            },
            Check { what: "rms speed at the end", unit: "m/s", bound: Bound::AtMost(0.05) },
        ],
        rule: VerdictRule::All,
        measure: no_drape_equation,
        method: "A sheet of 1.4 m, flat at first, falls on a table of 1 m. After 10 s with \
              only sticks, gravity, damping and contacts with friction, it counts as draped if its hem hangs down by the overhang (0.2 m in the middle of a side), its corners hang \
              lower, and it rests.",
        command: "taut simulate tablecloth",
    },
];

/// A scene of the library, by name.
fn library_scene(name: &str, size: usize) -> Result<AnyScene, SceneError> {
    let scene = LibraryScene::ALL.iter().find(|scene| scene.name == name);
    scene.expect("a scene of the library").scene(size)
}

/// Runs a scene and calls `after_frame` after each frame.
fn run<const D: usize>(
    scene: &Scene<D>,
    frames: usize,
    mut after_frame: impl FnMut(&World<D>) -> Result<(), ClaimError>,
) -> Result<World<D>, ClaimError>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let mut world = World::new(scene, AnyKernel::best_for)?;
    for _ in 0..frames {
        // A blow-up is visible in the measured numbers.
        let _ = world.step()?;
        after_frame(&world)?;
    }
    Ok(world)
}

/// 2D ragdolls in a room. They do not collide with each other, as in the article: the obstacle for these
/// contacts, the only one without a figure to draw, is removed.
fn ragdolls(size: usize) -> Result<Option<Scene<2>>, ClaimError> {
    let AnyScene::TwoD(mut scene) = library_scene("ragdolls", size)? else { return Ok(None) };
    scene.obstacles.retain(|obstacle| obstacle.figure(0.0).is_some());
    Ok(Some(scene))
}

/// The rms residual of ragdolls in a room over all frames, of all sticks except the weak posture
/// sticks.
pub(super) fn ragdolls_residual(iterations: u32, scale: Scale) -> Result<f64, ClaimError> {
    let Some(mut scene) = ragdolls(scale.pick(10, 2))? else { return Ok(f64::NAN) };
    // `set_settings` keeps the speed of the throw, although the substeps become longer.
    scene.set_settings(Settings { step: one_substep(iterations), passes: 1 })?;
    let frames = scale.pick(600, 10);
    let mut stiff_sticks: Option<Sticks> = None;
    let mut squares = 0.0;
    run(&scene, frames, |world| {
        let model = &world.islands()[0].model; // all ragdolls: models with limbs share an island
        if stiff_sticks.is_none() {
            let sticks = &model.sticks;
            let is_stiff = |&stick: &u32| sticks.stiffness(stick as usize) >= 1.0;
            let stiff: Vec<u32> = (0..sticks.len() as u32).filter(is_stiff).collect();
            stiff_sticks = Some(sticks.selected(&stiff)?);
        }
        let rms =
            stiff_sticks.iter().map(|sticks| Stretch::of(&model.particles, sticks).residual_rms());
        squares += rms.map(|rms| rms * rms).sum::<f64>();
        Ok(())
    })?;
    Ok(or_infinite((squares / frames as f64).sqrt()))
}

fn one_pass_for_plants(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (shrubs, frames) = scale.pick((8, 600), (1, 5));
    let height = f64::from(Plant::default().height);
    // The height at the end over that at the start, and the sag of the leaves over the height of a plant.
    let height_and_sag = |iterations| -> Result<[f64; 2], ClaimError> {
        let AnyScene::ThreeD(mut scene) = library_scene("plants", shrubs)? else {
            return Ok([f64::NAN; 2]);
        };
        scene.forces.clear();
        scene.settings.step = one_substep(iterations);
        // The mean height of the shrubs and of their leaves.
        let heights = |world: &World| {
            let (mut top, mut leaves) = (0.0, Vec::new());
            for shrub in 0..shrubs {
                let name = format!("shrub {shrub}");
                let y = |particle| f64::from(world.position(particle)[1]);
                let all = world.model(&name).unwrap_or_default();
                top += all.map(y).fold(0.0, f64::max) / shrubs as f64;
                let leaves_of_shrub = world.group(&name, "leaves").unwrap_or_default();
                leaves.extend(leaves_of_shrub.into_iter().map(y));
            }
            [top, leaves.iter().sum::<f64>() / leaves.len() as f64]
        };
        let [top_before, leaves_before] = heights(&World::new(&scene, AnyKernel::best_for)?);
        let [top, leaves] = heights(&run(&scene, frames, |_| Ok(()))?);
        Ok([top / top_before, (leaves_before - leaves) / height])
    };
    let ([relative_height, sag], [_, sag_of_8]) = (height_and_sag(1)?, height_and_sag(8)?);
    Ok(vec![relative_height, or_infinite(sag), or_infinite(sag_of_8 / sag)])
}

fn posture_links(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (size, frames) = scale.pick((10, 1200), (2, 5));
    let relative_distance = |linked: bool| -> Result<f64, ClaimError> {
        let Some(mut scene) = ragdolls(size)? else { return Ok(f64::NAN) };
        if !linked {
            scene = without_posture(&scene)?;
        }
        let distance = |world: &World<2>| {
            let mut sum = 0.0;
            for ragdoll in 0..size {
                let position = |group| {
                    let particles = world.group(&format!("ragdoll {ragdoll}"), group);
                    particles.map_or([f64::NAN; 2], |group| world.position(group[0]).map(f64::from))
                };
                let shoulders = position("shoulders");
                for foot in ["left foot", "right foot"].map(position) {
                    sum += (foot[0] - shoulders[0]).hypot(foot[1] - shoulders[1]);
                }
            }
            sum
        };
        let standing = distance(&World::new(&scene, AnyKernel::best_for)?);
        Ok(distance(&run(&scene, frames, |_| Ok(()))?) / standing)
    };
    Ok([relative_distance(true)?, relative_distance(false)?].map(or_infinite).to_vec())
}

/// The scene, which has no forces or ties, with its posture sticks torn: those that are two-sided and of
/// low stiffness.
fn without_posture(scene: &Scene<2>) -> Result<Scene<2>, ClaimError> {
    let mut loose = Scene::new();
    for (name, model) in scene.models() {
        let mut model: Model<2> = model.clone();
        for stick in 0..model.sticks.len() {
            if model.sticks.stiffness(stick) < Ragdoll::default().posture * 1.5
                && model.sticks.kind(stick) == Kind::TwoSided
            {
                model.sticks.tear(stick)?;
            }
        }
        loose.add(name, model)?;
    }
    loose.obstacles.clone_from(&scene.obstacles);
    loose.settings = scene.settings;
    Ok(loose)
}

fn penetration_points(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    const EDGE: f32 = 0.5; // m
    let (cubes, frames) = scale.pick((9, 600), (2, 5));
    let mut scene = Scene::<3>::new();
    for index in 0..cubes {
        // 300 kg/m³, turned about one axis by as many radians as the cube's index.
        let cube = Model::rigid_box([EDGE; 3], 300.0)?.turned([1.0, 2.0, 3.0], index as f32)?;
        let coordinate = |cell: usize| 1.2 * (cell as f32 - 1.0);
        scene.add(
            format!("cube {index}"),
            cube.moved([coordinate(index % 3), 1.5, coordinate(index / 3)]),
        )?;
    }
    let room = Bounds::new([-2.0, 0.0, -2.0], [2.0, 4.0, 2.0])?;
    scene.obstacles.push(Arc::new(Solid::new(room)));
    scene.settings.step = one_substep(1);
    // The deepest penetration over the edge length, and the rms residual.
    let mut depth_and_residual = |passes| -> Result<[f64; 2], ClaimError> {
        scene.settings.passes = passes;
        let (mut depth, mut squares) = (0.0_f64, 0.0);
        run(&scene, frames, |world| {
            let diagnostics = world.diagnostics()?;
            depth = depth.max(diagnostics.depth.into());
            squares += diagnostics.stretch.residual_rms().powi(2);
            Ok(())
        })?;
        let rms = (squares / frames as f64).sqrt();
        Ok([depth / f64::from(EDGE), rms].map(or_infinite))
    };
    let ([depth_3, rms_3], [depth_4, rms_4]) = (depth_and_residual(3)?, depth_and_residual(4)?);
    Ok(vec![depth_3, depth_4, rms_3, rms_4])
}

fn no_drape_equation(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    // In metres.
    const TABLE_HEIGHT: f64 = 0.75;
    const OVERHANG: f64 = 0.2;
    let (size, frames) = scale.pick((33, 600), (5, 5));
    let AnyScene::ThreeD(scene) = library_scene("tablecloth", size)? else {
        return Ok(vec![f64::NAN; 4]);
    };
    let mut mass = 0.0;
    for (_, model) in scene.models() {
        mass += model.particles.inverse_masses().iter().map(|w| 1.0 / f64::from(*w)).sum::<f64>();
    }
    let mut depth = 0.0_f64;
    let world = run(&scene, frames, |world| {
        depth = depth.max(world.diagnostics()?.depth.into());
        Ok(())
    })?;
    let y = |particle: usize| f64::from(world.position(particle)[1]);
    let mean_height = |particles: &[usize]| {
        particles.iter().copied().map(y).sum::<f64>() / particles.len() as f64
    };
    let group = |name| world.group("cloth", name).unwrap_or_default();
    let middles = ["top", "bottom", "left", "right"].map(|name| {
        let side = group(name);
        side.get(side.len() / 2).copied().unwrap_or_default()
    });
    let speed = (2.0 * world.diagnostics()?.kinetic / mass).sqrt();
    let hem_height = mean_height(&middles);
    Ok(vec![
        or_infinite((TABLE_HEIGHT - hem_height) / OVERHANG),
        or_infinite(hem_height - mean_height(&group("corners"))),
        or_infinite(depth),
        or_infinite(speed),
    ])
}
