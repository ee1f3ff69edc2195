//! Scenes from TOML: the examples run, and some are bit-identical to scenes of the library.

use taut_core::{Kernel, Schedule};
use taut_scalar::ScalarKernel;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{Scene, Simulation, World};

#[cfg(feature = "parry")]
use crate::errors::{assert_error, model};

/// The names and texts of the example files.
const EXAMPLES: &[(&str, &str)] = &[
    ("coarse-cloth", include_str!("../../files/coarse-cloth.toml")),
    ("curtain", include_str!("../../files/curtain.toml")),
    ("springs", include_str!("../../files/springs.toml")),
    #[cfg(feature = "parry")]
    ("fountain", include_str!("../../files/fountain.toml")),
    ("puppet", include_str!("../../files/puppet.toml")),
    ("tablecloth", include_str!("../../files/tablecloth.toml")),
    #[cfg(feature = "parry")]
    ("ties", include_str!("../../files/ties.toml")),
    #[cfg(feature = "parry")]
    ("trampoline", include_str!("../../files/trampoline.toml")),
    ("wrecking-ball", include_str!("../../files/wrecking-ball.toml")),
    ("washing-line", include_str!("../../files/washing-line.toml")),
];

/// The hash of a world of the scene after these steps.
fn hash_after<const D: usize>(scene: &Scene<D>, steps: usize) -> u64
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let mut world = World::new(scene, |_: &Schedule| ScalarKernel).unwrap();
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
    }
    world.hash()
}

fn any_hash_after(scene: &AnyScene, steps: usize) -> u64 {
    match scene {
        AnyScene::TwoD(scene) => hash_after(scene, steps),
        AnyScene::ThreeD(scene) => hash_after(scene, steps),
    }
}

#[test]
fn the_examples_run() {
    for &(name, text) in EXAMPLES {
        let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(any_hash_after(&scene, 20), any_hash_after(&scene, 0), "{name}: nothing moved");
    }
}

#[cfg(feature = "parry")]
#[test]
fn a_sheet_holds_a_box_and_a_doll_and_a_beam_holds_a_rope() {
    let text = include_str!("../../files/trampoline.toml");
    let AnyScene::ThreeD(scene) = AnyScene::from_toml(text).unwrap() else {
        panic!("expected a 3D scene")
    };
    let mut world = World::new(&scene, |_: &Schedule| ScalarKernel).unwrap();
    for _ in 0..120 {
        assert!(world.step().unwrap().finite);
    }
    let heights =
        |model: &str| world.model(model).unwrap().map(|particle| world.position(particle)[1]);
    let highest = |model: &str| heights(model).fold(f32::MIN, f32::max);
    // The rim of the sheet is at height 0, and the top of the beam at 0.6 m.
    assert!(highest("box") > 0.0 && highest("doll") > 0.0 && highest("rope") > 0.55);
    let rope_top = highest("rope");
    assert!(rope_top < 0.65, "the rope is at {rope_top} m, expected on the beam, below 0.65 m");
}

#[test]
fn edges_and_swept_obstacles_hold_coarse_and_fast_models() {
    let text = include_str!("../../files/coarse-cloth.toml");
    let lowest = |text: &str, model: &str| {
        let AnyScene::ThreeD(scene) = AnyScene::from_toml(text).unwrap() else {
            panic!("expected a 3D scene")
        };
        let mut world = World::new(&scene, |_: &Schedule| ScalarKernel).unwrap();
        for _ in 0..60 {
            assert!(world.step().unwrap().finite);
        }
        let heights = world.model(model).unwrap().map(|particle| world.position(particle)[1]);
        heights.fold(f32::INFINITY, f32::min)
    };
    let without = text.replace("edges = true", "").replace("swept = true", "");
    // The thresholds, m, are between the heights of a model that is held and of one that falls through.
    for (model, threshold) in [("cloth", -0.5), ("rope", -0.1), ("pellets", 0.499)] {
        let (held, fallen) = (lowest(text, model), lowest(&without, model));
        assert!(
            held > threshold && fallen < threshold,
            "{model}: {held} m, without edges and sweeps {fallen} m"
        );
    }
}

#[test]
fn copies_are_models_at_their_own_positions() {
    let table = |rest: &str| format!("dimensions = 2\n[[model]]\nname = \"rope\"\n{rest}");
    let rope = "rope = { path = [[0, 0], [1, 0]], spacing = 0.25 }\nat = [0, 3]\n";
    let scene = |copies: &str| {
        let text = table(&format!("{rope}copies = {{ {copies} }}"));
        match AnyScene::from_toml(&text).unwrap_or_else(|error| panic!("{copies}: {error}")) {
            AnyScene::TwoD(scene) => scene,
            AnyScene::ThreeD(_) => panic!("expected a 2D scene"),
        }
    };
    let first_positions = |scene: &Scene<2>| -> Vec<(String, [f32; 2])> {
        let models = scene.models();
        models.map(|(name, model)| (name.to_owned(), model.particles.position(0))).collect()
    };
    let listed = scene("at = [[0, 0], [2, 1]]");
    let expected = [("rope 0".into(), [0.0, 3.0]), ("rope 1".into(), [2.0, 4.0])];
    assert_eq!(first_positions(&listed), expected);
    let grid = scene("grid = [3, 2], spacing = [0.5, -1]");
    let all: Vec<[f32; 2]> =
        first_positions(&grid).into_iter().map(|(_, position)| position).collect();
    let expected = [[0.0, 3.0], [0.5, 3.0], [1.0, 3.0], [0.0, 2.0], [0.5, 2.0], [1.0, 2.0]];
    assert_eq!(all, expected);
    // Six equal models are enough to be relaxed as copies, one per lane; two are not.
    assert!(grid.may_have_copies() && !listed.may_have_copies());
}

#[test]
fn particles_of_the_smallest_and_the_largest_mass_are_simulated() {
    let text = r#"
        [[model]]
        name = "pair"
        particles = { positions = [[0, 0, 0], [1, 0, 0]], masses = [1e-9, 1e9] }
    "#;
    let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(any_hash_after(&scene, 1), any_hash_after(&scene, 0));
}

#[test]
fn files_equal_the_scenes_of_the_library_bit_for_bit() {
    for name in [
        "curtain",
        "springs",
        #[cfg(feature = "parry")]
        "fountain",
    ] {
        let (_, text) = EXAMPLES.iter().find(|(example, _)| *example == name).unwrap();
        let from_file = AnyScene::from_toml(text).unwrap();
        let library = LibraryScene::named(name).unwrap();
        let built = library.scene(library.size).unwrap();
        if let (AnyScene::ThreeD(from_file), AnyScene::ThreeD(built)) = (&from_file, &built) {
            let springs = |scene: &Scene| {
                let (_, model) = scene.models().next().unwrap();
                (!model.springs.is_empty()).then(|| model.springs.get(0))
            };
            assert_eq!(springs(from_file), springs(built), "{name}");
        }
        assert_eq!(any_hash_after(&from_file, 60), any_hash_after(&built, 60), "{name}");
    }
}

#[test]
fn guided_particles_are_on_their_paths_and_free_particles_follow() {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == "puppet").unwrap();
    let AnyScene::ThreeD(scene) = AnyScene::from_toml(text).unwrap() else {
        panic!("expected a 3D scene")
    };
    let mut world = World::new(&scene, |_: &Schedule| ScalarKernel).unwrap();
    let (top, start) =
        (world.group("banner", "top").unwrap(), world.group("rope", "start").unwrap());
    let initial: Vec<[f32; 3]> = world.positions().collect();
    for step in 1..=240 {
        assert!(world.step().unwrap().finite);
        let time = world.time();
        let offset = 0.4 * (core::f64::consts::PI * time).sin();
        for &pin in &top {
            let [x, y, z] = world.position(pin);
            let [initial_x, initial_y, initial_z] = initial[pin];
            assert_eq!([x, y], [initial_x, initial_y], "step {step}");
            assert!((f64::from(z) - (f64::from(initial_z) + offset)).abs() < 1e-6, "step {step}");
        }
        // The start of the rope circles the axis of the spin at a distance of 0.2 m.
        let (sine, cosine) = (3.0 * time).sin_cos();
        let [x, y, _] = world.position(start[0]).map(f64::from);
        assert!((x - (1.5 + 0.2 * cosine)).abs() < 1e-6 && (y - (1.0 + 0.2 * sine)).abs() < 1e-6);
    }
    // The free edge has followed.
    let bottom = world.group("banner", "bottom").unwrap();
    assert!(bottom.iter().any(|&i| (world.position(i)[2] - initial[i][2]).abs() > 0.02));
    // A world that resumes from a snapshot guides its pins to the same positions.
    let mut resumed =
        World::resume(&scene, |_: &Schedule| ScalarKernel, &world.snapshot()).unwrap();
    for _ in 0..30 {
        assert!(world.step().unwrap().finite && resumed.step().unwrap().finite);
    }
    assert_eq!(world.hash(), resumed.hash());
    // Setting an inverse mass frees a guided particle: the rope falls.
    world.set_inverse_mass(top[0], 1.0).unwrap();
    world.set_inverse_mass(start[0], 1.0).unwrap();
    for _ in 0..30 {
        assert!(world.step().unwrap().finite);
    }
    assert!(world.position(start[0])[1] < 0.5);
}

/// Every code block of docs/scenes.md is a scene that moves. The test needs the feature `parry`, because
/// some of these scenes have mesh obstacles and contacts of bodies.
#[cfg(feature = "parry")]
#[test]
fn the_scenes_in_the_docs_run() {
    let page = include_str!("../../../docs/scenes.md");
    let scenes: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("the code block is closed").0)
        .collect();
    assert!(scenes.len() >= 6, "found {} scenes", scenes.len());
    for text in scenes {
        let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_ne!(any_hash_after(&scene, 30), any_hash_after(&scene, 0), "nothing moved:\n{text}");
    }
}

#[cfg(feature = "parry")]
#[test]
fn triangles_from_a_file_equal_inline_triangles() {
    let inline = r#"
        [[model]]
        name = "roof"
        mesh = { positions = [[0, 0, 0], [2, 0, 0], [0, 0, 2], [0, 1, 0]], triangles = [[0, 1, 3], [0, 3, 2]], density = 1, bending = "free" }
        pinned = ["top"]

        [[model]]
        name = "stone"
        rigid_mesh = { positions = [[0, 0, 0], [2, 0, 0], [0, 0, 2], [0, 1, 0]], triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]], density = 1 }
        at = [0, 2, 0]

        [[obstacle]]
        mesh = { positions = [[-9, -1, -9], [-9, -1, 9], [9, -1, -9]], triangles = [[0, 1, 2]], facing = "both" }
    "#;
    let tetrahedron = "positions = [[0, 0, 0], [2, 0, 0], [0, 0, 2], [0, 1, 0]]";
    let with_files = inline
        .replace(
            &format!("{tetrahedron}, triangles = [[0, 1, 3], [0, 3, 2]]"),
            r#"file = "roof", scale = 0.5"#,
        )
        .replace(
            &format!("{tetrahedron}, triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]"),
            r#"file = "stone""#,
        )
        .replace(
            "positions = [[-9, -1, -9], [-9, -1, 9], [9, -1, -9]], triangles = [[0, 1, 2]]",
            r#"file = "floor", scale = 3"#,
        );
    assert_eq!(with_files.matches("file").count(), 3);
    // The files hold the same shapes; two have another scale, which the key `scale` undoes.
    let corners = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]];
    let read = |file: &str| {
        Ok(match file {
            "roof" => (
                corners.iter().map(|corner| corner.map(|x: f32| 2.0 * x)).collect(),
                vec![[0, 1, 3], [0, 3, 2]],
            ),
            "stone" => (corners.clone(), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]),
            "floor" => {
                let third = -1.0 / 3.0;
                (vec![[-3.0, third, -3.0], [-3.0, third, 3.0], [3.0, third, -3.0]], vec![[0, 1, 2]])
            }
            other => Err(format!("no file {other}"))?,
        })
    };
    let [inline, from_files] =
        [AnyScene::from_toml(inline), AnyScene::from_toml_with(&with_files, &read)].map(|scene| {
            let AnyScene::ThreeD(scene) = scene.unwrap() else { panic!("expected a 3D scene") };
            scene
        });
    let roof_top = |scene: &Scene<3>| scene.models().next().unwrap().1.groups["top"].clone();
    assert_eq!((roof_top(&inline), roof_top(&from_files)), (vec![3], vec![3]));
    assert_ne!(hash_after(&inline, 60), hash_after(&inline, 0));
    assert_eq!(hash_after(&from_files, 60), hash_after(&inline, 60));

    let expected = "'positions' and 'triangles', or a 'file'";
    assert_error(&model("mesh = { density = 1 }"), 3, expected);
    assert_error(&model("mesh = { positions = [], density = 1 }"), 3, expected);
    let scale_without_file = "mesh = { positions = [], triangles = [], scale = 2, density = 1 }";
    assert_error(&model(scale_without_file), 3, "only a mesh with a 'file' can have a 'scale'");
    let both = "mesh = { positions = [], triangles = [], file = \"a\", density = 1 }";
    assert_error(&model(both), 3, "'positions' and 'triangles', or a 'file', not both");
    let without_reader = "\n[model.rigid_mesh]\ndensity = 1\nfile = \"a.obj\"";
    assert_error(&model(without_reader), 6, "mesh files are not supported here, found a.obj");

    let text = "[[obstacle]]\n\nmesh.facing = \"front\"\nmesh.file = \"wall\"";
    let error = AnyScene::from_toml_with(text, &read).unwrap_err();
    assert_eq!((error.line, &*error.message), (4, "no file wall"));
}

#[test]
fn an_empty_file_is_an_empty_3d_scene() {
    let scene = AnyScene::from_toml("").unwrap();
    assert_eq!((scene.dimensions(), scene.particles()), (3, 0));
}

/// In the example of ties, the tie that holds the bag breaks when the stone falls on the bag, and no
/// other tie breaks.
#[cfg(feature = "parry")]
#[test]
fn the_tie_of_the_bag_breaks_under_the_stone() {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == "ties").unwrap();
    let AnyScene::ThreeD(scene) = AnyScene::from_toml(text).unwrap() else {
        panic!("expected a 3D scene")
    };
    let mut world = World::new(&scene, |_: &Schedule| ScalarKernel).unwrap();
    let mut broken_at = Vec::new();
    for step in 0..120 {
        let outcome = world.step().unwrap();
        assert!(outcome.finite);
        if outcome.broken > 0 {
            broken_at.push(step);
        }
    }
    let ties: Vec<_> = world.ties().collect();
    // The 16 ties between flag and pole, then those of the hook, the bag and the two hands. Tie 17 holds the bag.
    assert_eq!(ties.len(), 16 + 4);
    let broken: Vec<usize> = (0..ties.len()).filter(|&tie| ties[tie].broken).collect();
    assert_eq!(broken, [17], "ties broke at steps {broken_at:?}");
    assert!((25..40).contains(&broken_at[0]), "ties broke at steps {broken_at:?}");
    // The flag, the hook and the hands hold.
    for tie in ties.iter().filter(|tie| !tie.broken) {
        let squared_gap: f32 =
            (0..3).map(|axis| (tie.ends[0][axis] - tie.ends[1][axis]).powi(2)).sum();
        assert!(squared_gap.sqrt() < tie.distance + 0.005, "the tie is stretched: {tie:?}");
    }
}
