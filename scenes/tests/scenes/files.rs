//! Scenes as TOML: the examples run, and errors have their line.

use taut_core::{Kernel, Schedule};
use taut_scalar::ScalarKernel;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{Scene, World};

const EXAMPLES: &[(&str, &str)] = &[
    ("curtain", include_str!("../../files/curtain.toml")),
    ("springs", include_str!("../../files/springs.toml")),
    #[cfg(feature = "parry")]
    ("fountain", include_str!("../../files/fountain.toml")),
    ("puppet", include_str!("../../files/puppet.toml")),
    ("table-cloth", include_str!("../../files/table-cloth.toml")),
    ("wrecking-ball", include_str!("../../files/wrecking-ball.toml")),
    ("washing-line", include_str!("../../files/washing-line.toml")),
];

fn hash_after<const D: usize>(scene: &Scene<D>, steps: usize) -> u64
where
    ScalarKernel: Kernel<D>,
{
    let mut world = World::new(scene, |_: &Schedule| ScalarKernel).unwrap();
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
    }
    world.hash()
}

fn any_hash_after(scene: &AnyScene, steps: usize) -> u64 {
    match scene {
        AnyScene::Flat(scene) => hash_after(scene, steps),
        AnyScene::Solid(scene) => hash_after(scene, steps),
    }
}

#[test]
fn the_examples_run() {
    for &(name, text) in EXAMPLES {
        let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(any_hash_after(&scene, 20), any_hash_after(&scene, 0), "{name}");
    }
}

#[test]
fn copies_are_models_at_places_of_their_own() {
    let table = |rest: &str| format!("dimensions = 2\n[[model]]\nname = \"rope\"\n{rest}");
    let rope = "rope = { path = [[0, 0], [1, 0]], spacing = 0.25 }\nat = [0, 3]\n";
    let scene = |copies: &str| {
        let text = table(&format!("{rope}copies = {{ {copies} }}"));
        match AnyScene::from_toml(&text).unwrap_or_else(|error| panic!("{copies}: {error}")) {
            AnyScene::Flat(scene) => scene,
            AnyScene::Solid(_) => panic!("a scene in the plane"),
        }
    };
    let places = |scene: &Scene<2>| -> Vec<(String, [f32; 2])> {
        let each = scene.models();
        each.map(|(name, model)| (name.to_owned(), model.particles.position(0))).collect()
    };
    let listed = scene("at = [[0, 0], [2, 1]]");
    assert_eq!(places(&listed), [("rope 0".into(), [0.0, 3.0]), ("rope 1".into(), [2.0, 4.0])]);
    let grid = scene("grid = [3, 2], spacing = [0.5, -1]");
    let all: Vec<[f32; 2]> = places(&grid).into_iter().map(|(_, at)| at).collect();
    let rows = [[0.0, 3.0], [0.5, 3.0], [1.0, 3.0], [0.0, 2.0], [0.5, 2.0], [1.0, 2.0]];
    assert_eq!(all, rows);
    assert!(grid.may_have_copies() && !listed.may_have_copies());
}

#[test]
fn a_file_says_what_the_library_builds_to_the_bit() {
    for name in [
        "curtain",
        "springs",
        #[cfg(feature = "parry")]
        "fountain",
    ] {
        let (_, text) = EXAMPLES.iter().find(|(of, _)| *of == name).unwrap();
        let written = AnyScene::from_toml(text).unwrap();
        let library = LibraryScene::named(name).unwrap();
        let built = library.scene(library.size).unwrap();
        if let (AnyScene::Solid(written), AnyScene::Solid(built)) = (&written, &built) {
            let springs = |scene: &Scene| {
                let (_, model) = scene.models().next().unwrap();
                (!model.springs.is_empty()).then(|| model.springs.get(0))
            };
            assert_eq!(springs(written), springs(built), "{name}");
        }
        assert_eq!(any_hash_after(&written, 60), any_hash_after(&built, 60), "{name}");
    }
}

#[test]
fn guided_particles_are_on_their_path_and_others_follow() {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == "puppet").unwrap();
    let AnyScene::Solid(scene) = AnyScene::from_toml(text).unwrap() else { unreachable!() };
    let mut world = World::new(&scene, |_: &Schedule| ScalarKernel).unwrap();
    let (top, start) =
        (world.group("banner", "top").unwrap(), world.group("rope", "start").unwrap());
    let first: Vec<[f32; 3]> = world.positions().collect();
    for step in 1..=240 {
        assert!(world.step().unwrap().finite);
        let time = world.time();
        let swung = 0.4 * (core::f64::consts::PI * time).sin();
        for &pin in &top {
            let [x, y, z] = world.position(pin);
            let [from_x, from_y, from_z] = first[pin];
            assert_eq!([x, y], [from_x, from_y], "step {step}");
            assert!((f64::from(z) - (f64::from(from_z) + swung)).abs() < 1e-6, "step {step}");
        }
        // 0.2 m from the axis of the wheel.
        let (sine, cosine) = (3.0 * time).sin_cos();
        let [x, y, _] = world.position(start[0]).map(f64::from);
        assert!((x - (1.5 + 0.2 * cosine)).abs() < 1e-6 && (y - (1.0 + 0.2 * sine)).abs() < 1e-6);
    }
    // The hem has swung along, and who takes up a snapshot goes on with the pins where they were.
    let hem = world.group("banner", "bottom").unwrap();
    assert!(hem.iter().any(|&it| (world.position(it)[2] - first[it][2]).abs() > 0.02));
    let mut twin = World::resume(&scene, |_: &Schedule| ScalarKernel, &world.snapshot()).unwrap();
    for _ in 0..30 {
        assert!(world.step().unwrap().finite && twin.step().unwrap().finite);
    }
    assert_eq!(world.hash(), twin.hash());
    // A mass frees a pin.
    world.set_inverse_mass(top[0], 1.0).unwrap();
    world.set_inverse_mass(start[0], 1.0).unwrap();
    for _ in 0..30 {
        assert!(world.step().unwrap().finite);
    }
    assert!(world.position(start[0])[1] < 0.5);
}

/// The scenes of `docs/scenes.md`, of which some meet meshes and bodies.
#[cfg(feature = "parry")]
#[test]
fn the_scenes_of_the_page_about_them_run() {
    let page = include_str!("../../../docs/scenes.md");
    let scenes: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .map(|from| from.split_once("```").expect("a block ends").0)
        .collect();
    assert!(scenes.len() >= 6, "there are {}", scenes.len());
    for text in scenes {
        let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_ne!(any_hash_after(&scene, 30), any_hash_after(&scene, 0), "{text}");
    }
}

/// Triangles of a file are as those that are written, wherever they may stand.
#[cfg(feature = "parry")]
#[test]
fn the_triangles_of_a_file_are_as_if_they_were_written() {
    let written = r#"
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
    let named = written
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
    assert_eq!(named.matches("file").count(), 3);
    let corners = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]];
    let read = |file: &str| {
        Ok(match file {
            "roof" => (
                corners.iter().map(|place| place.map(|x: f32| 2.0 * x)).collect(),
                vec![[0, 1, 3], [0, 3, 2]],
            ),
            "stone" => (corners.clone(), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]),
            "floor" => {
                let third = -1.0 / 3.0;
                (vec![[-3.0, third, -3.0], [-3.0, third, 3.0], [3.0, third, -3.0]], vec![[0, 1, 2]])
            }
            other => Err(format!("there is no {other}"))?,
        })
    };
    let [written, from_files] =
        [AnyScene::from_toml(written), AnyScene::from_toml_with(&named, &read)].map(|scene| {
            let AnyScene::Solid(scene) = scene.unwrap() else { panic!("it is in space") };
            scene
        });
    let roof = |scene: &Scene<3>| scene.models().next().unwrap().1.groups["top"].clone();
    assert_eq!((roof(&written), roof(&from_files)), (vec![3], vec![3]));
    assert_ne!(hash_after(&written, 60), hash_after(&written, 0));
    assert_eq!(hash_after(&from_files, 60), hash_after(&written, 60));

    let either = "'positions' and 'triangles', or a 'file'";
    assert_error(&model("mesh = { density = 1 }"), 3, either);
    assert_error(&model("mesh = { positions = [], density = 1 }"), 3, either);
    let scaled = "mesh = { positions = [], triangles = [], scale = 2, density = 1 }";
    assert_error(&model(scaled), 3, either);
    let unread = "\n[model.rigid_mesh]\ndensity = 1\nfile = \"a.obj\"";
    assert_error(&model(unread), 6, "mesh files are not supported here, found a.obj");

    let text = "[[obstacle]]\n\nmesh.facing = \"front\"\nmesh.file = \"wall\"";
    let error = AnyScene::from_toml_with(text, &read).unwrap_err();
    assert_eq!((error.line, &*error.message), (4, "there is no wall"));
}

#[test]
fn an_empty_file_is_an_empty_scene_in_space() {
    let scene = AnyScene::from_toml("").unwrap();
    assert_eq!((scene.dimensions(), scene.particles()), (3, 0));
}

/// Each emitter is within the limit of a model, but their sum is not.
#[test]
fn too_many_particles_are_refused_at_the_line_of_the_model() {
    let emitter = |name: &str| {
        format!(
            "\n[[model]]\nname = \"{name}\"\nemitter = {{ rate = 1e9, lifetime = [1e-6, 9e-3] }}"
        )
    };
    let text = ["dimensions = 2".to_owned(), emitter("a"), emitter("b"), emitter("c")].concat();
    assert!(text.len() < 256);
    let sum = "the number of particles of all models is 18000002; it must be at most 16777216";
    assert_error(&text, 5, sum);
}

/// Models and obstacles may name one file any number of times.
#[test]
fn too_large_mesh_files_are_refused_at_their_line() {
    let named = |file: &str| {
        format!("[[model]]\nname = \"{file}\"\nmesh = {{ density = 1, file = \"{file}\" }}\n")
    };
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let read = |file: &str| {
        let count = if file == "small" { 1 } else { (1 << 24) / 3 + 1 };
        Ok((corners.repeat(count), vec![[0, 1, 2]]))
    };
    let text = [named("small"), named("large")].concat();
    let error = AnyScene::from_toml_with(&text, &read).unwrap_err();
    let sum = "the number of vertices of all mesh files is 16777221; it must be at most 16777216";
    assert_eq!((error.line, &*error.message), (6, sum));
}

fn model(what: &str) -> String {
    format!("[[model]]\nname = \"it\"\n{what}")
}

fn assert_error(text: &str, line: usize, part: &str) {
    let error = AnyScene::from_toml(text).expect_err(text);
    assert!(error.message.contains(part), "{text}\n{error}");
    assert_eq!(error.line, line, "{text}\n{error}");
    assert_eq!(error.to_string().lines().count(), 1, "{text}\n{error}");
}

#[test]
fn damping_per_substep_is_refused_with_the_equivalent_rate() {
    for (step, line, part) in [
        ("damping_rate = -1", 1, "a damping rate of -1 1/s is not from 0 to 1e9"),
        (
            "damping = 0.01",
            2,
            "\"damping\" is now \"damping_rate\", in 1/s: write damping_rate = 0.603 for the same \
             motion at 1 substep",
        ),
        (
            "dt = 0.01\n\ndamping = 0.005\nsubsteps = 4",
            4,
            "write damping_rate = 2.005 for the same motion at 4 substeps",
        ),
        ("damping = 0", 2, "write damping_rate = 0.0 for the same motion"),
        ("damping = 1.5", 2, "and 1.5 is not a share from 0 to 1"),
    ] {
        assert_error(&format!("[step]\n{step}"), line, part);
    }
}

#[test]
fn errors_of_copies_have_their_line() {
    let cases = [
        (model("cloth = {}\ncopies = {}"), 4, "exactly one key, found 0; there are: at, grid"),
        (model("cloth = {}\ncopies = { grid = [2, 2, 2] }"), 4, "both 'grid' and 'spacing'"),
        (
            model("cloth = {}\ncopies = { grid = [9999, 9999, 9999], spacing = [1, 1, 1] }"),
            4,
            "the number of copies is 999700029999; it must be at most 65536",
        ),
        (model("cloth = {}\ncopies = { at = [] }"), 4, "no copy has a place"),
        (
            model("cloth = {}\ncopies = { grid = [2, 0, 2], spacing = [1, 1, 1] }"),
            4,
            "one or more along each axis",
        ),
        (
            model("cloth = {}\ncopies = { grid = [3, 1, 1], spacing = [1e12, 0, 0] }"),
            4,
            "it must be within 1e12 m",
        ),
        (
            model("cloth = {}\ncopies = { at = [[0, 0, 0], [1e30, 0, 0]] }"),
            4,
            "where a copy is, m, is 1000000000000000000000000000000",
        ),
        (
            "[[model]]\nname = \"it 1\"\ncloth = {}\n\n[[model]]\nname = \"it\"\ncloth = {}\n\
             copies = { at = [[0, 0, 0], [1, 0, 0]] }"
                .to_owned(),
            5,
            "'it 1'",
        ),
    ];
    for (text, line, said) in cases {
        assert_error(&text, line, said);
    }
}

#[test]
fn errors_are_one_line_with_their_line_number() {
    for (text, line, part) in [
        ("dimensions = 4".to_owned(), 1, "a scene has 2 or 3 dimensions, not 4"),
        ("formula = \"euler\"".to_owned(), 1, "unknown variant `euler`"),
        ("\nwind = 3".to_owned(), 2, "unknown field `wind`"),
        ("[step]\ndt = 0.1\ndt = 0.2".to_owned(), 3, "duplicate key"),
        ("[step]\n\nsubsteps = -1".to_owned(), 3, "-1"),
        ("\n[step]\nsubsteps = 0".to_owned(), 2, "at least one substep"),
        ("[step]\ngravity = [0, -9.81]".to_owned(), 2, "expected 3 numbers, found 2"),
        (model("cloth = {}\nrope = { path = [] }"), 1, "needs exactly one builder, found 2"),
        (model("at = [0, 0, 0]"), 1, "needs exactly one builder, found 0; there are: drape, disc"),
        (model("cloth = { rows = 1 }"), 3, "rows of a cloth is 1; it must be at least 2"),
        (model("cloth = { ros = 1 }"), 3, "unknown field `ros`"),
        (model("cloth = { families = \"some\" }"), 3, "unknown variant `some`"),
        (
            model("cloth = {}\npinned = [\"lid\"]"),
            4,
            "'it' has no group 'lid'; its groups are: bottom",
        ),
        (model("rope = {}"), 3, "missing field `path`"),
        (format!("{}\n{}", model("cloth = {}"), model("cloth = {}")), 4, "two models called 'it'"),
        ("[[obstacle]]\nsurface = {}".to_owned(), 1, "needs exactly one shape, found 0"),
        ("[[obstacle]]\n\nsphere = { centre = [0, 0, 0] }".to_owned(), 3, "missing field `radius`"),
        (
            "[[obstacle]]\nsphere = { centre = [0, 0, 0], radius = -1 }".to_owned(),
            2,
            "radius of a sphere",
        ),
        (model("emitter = { rate = 0 }"), 3, "the rate of an emitter, 1/s, is 0"),
        (model("emitter = { source = { ring = [0, 0, 0] } }"), 3, "unknown variant `ring`"),
        (model("emitter = { lifetime = [2, 1] }"), 3, "the longest lifetime, s, is 1"),
        (model("emitter = { lifetime = [2] }"), 3, "length 1"),
        (model("cloth = {}\nsprings = { stiffness = -1, damping = 0 }"), 4, "the stiffness -1"),
        (model("cloth = {}\nsprings = { stiffness = 1 }"), 4, "missing field `damping`"),
        (model("cloth = {}\nstiffness = 2"), 4, "stick 0 has the stiffness 2"),
        (model("cloth = {}\ngroups = { far = [9999] }"), 4, "9999"),
        (model("cloth = {}\nguided = [{ group = \"lid\" }]"), 4, "'it' has no group 'lid'; its"),
        (
            model(
                "cloth = {}\n[[model.guided]]\ngroup = \"top\"\npath = { linear = { speed = 1 } }",
            ),
            6,
            "unexpected keys in table: speed",
        ),
        (
            model(
                "cloth = {}\nguided = [{ group = \"top\", path = { oscillating = { amplitude = [1, 0, 0], period = 0 } } }]",
            ),
            4,
            "the period of a path, s, is 0",
        ),
        (
            model("particles = { positions = [[0, 0, 0]], masses = [0] }"),
            3,
            "a mass, kg, is 0; it must be from 1e-9 to 1e9",
        ),
        (
            model("particles = { positions = [[0, 0, 0]], masses = [1], sticks = [[0, 1]] }"),
            3,
            "stick 0 ends at particle 1",
        ),
        (
            "[[obstacle]]\ntilted_cuboid = { centre = [0, 0, 0], half_edges = [[1, 0, 0]] }"
                .to_owned(),
            2,
            "1 half edges where 3 belong",
        ),
        (
            "[[obstacle]]\nsurface = {}\nlimb_contacts = { margin = 0.02 }".to_owned(),
            1,
            "contacts between limbs take neither 'surface'",
        ),
        (
            model("[model.cloth]\nrows = 3\n\ndensity = -0.1"),
            6,
            "density of a cloth, kg/m², is -0.1",
        ),
        (model("cloth = { width = -1, height = -1 }"), 3, "width of a cloth"),
        (model("emitter = {}\nvelocity = [0, 1, 0]"), 1, "'it' is an emitter: turn its source"),
        (
            model("cloth = {}\ntears_at = 2\nsprings = { stiffness = 1, damping = 0 }"),
            1,
            "springs instead of sticks",
        ),
        ("[step]\ndt = 0.01\niterations = 4_000_000".to_owned(), 3, "iterations is 4000000"),
        ("[step]\npasses = 0".to_owned(), 2, "passes is 0; it must be from 1 to 1000"),
        (model("cloth = {}\nvelocity = [1e30, 0, 0]"), 4, "velocity of a model, m/s, is 1"),
        ("order = \"any\"".to_owned(), 1, "unknown variant `any`"),
        ("\n[[force]]\nmagic = {}".to_owned(), 3, "unknown field `magic`"),
        ("[[force]]\ndrag = { linear = -1 }".to_owned(), 2, "linear drag, kg/s, is -1"),
        ("[[force]]\nwind = { velocity = [0, nan, 0] }".to_owned(), 2, "velocity of a wind"),
    ] {
        assert_error(&text, line, part);
    }
}

#[test]
fn values_out_of_range_are_refused() {
    for (text, line, part) in [
        (
            "[[obstacle]]\nlimb_contacts = { friction = nan }".to_owned(),
            2,
            "friction of contacts between limbs is NaN",
        ),
        ("[[obstacle]]\nbody_contacts = { margin = -1 }".to_owned(), 2, "margin of contacts"),
        (
            "[[obstacle]]\nbody_contacts = {}\nsurface = { restitution = 7 }".to_owned(),
            3,
            "the restitution of a surface is 7",
        ),
        (model("drape = { size = 9223372036854775807 }"), 3, "at most 16777216"),
        (model("disc = { size = 5000 }"), 3, "at most 16777216"),
        (model("ball = { size = 4000 }"), 3, "at most 16777216"),
        (model("cloth = {}\nat = [0, inf, 0]"), 4, "where a model is, m, is inf"),
        (model("cloth = {}\nvelocity = [nan, 0, 0]"), 4, "the velocity of a model, m/s, is NaN"),
        (model("cloth = {}\ntears_at = 0.5"), 4, "sticks tear is 0.5; it must be at least 1"),
        (model("drape = { size = 4 }\npinned = [\"top\"]"), 4, "no group 'top'; its groups are: none"),
        (
            format!("{}\n[[force]]\non = \"tpo\"\nacceleration = [0, 1, 0]", model("cloth = {}")),
            5,
            "the group 'tpo', which no model has",
        ),
        (
            "[[force]]\nwind = { velocity = [1, 0, 0], gusts = { strength = 1, size = 2.9e-39, seed = 1 } }"
                .to_owned(),
            2,
            "size of gusts, m, is 0.000",
        ),
        (
            "[[force]]\nwind = { velocity = [1, 0, 0], gusts = { strength = 2e6, size = 1, seed = 1 } }"
                .to_owned(),
            2,
            "strength of gusts is 2000000; it must be from 0 to 1e6",
        ),
        (
            model(
                "particles = { positions = [[0, 0, 0], [1, 0, 0]], masses = [1, 1], springs = [{ ends = [0, 1], rest = 1e30, stiffness = 1, damping = 0 }] }",
            ),
            3,
            "spring 0 has the rest 1",
        ),
        (
            "[[force]]\nattractor = { place = [0, 0, 0], strength = 1e25, softening = 0 }".to_owned(),
            2,
            "strength of an attractor, m³/s²,",
        ),
        (
            "[[force]]\nacceleration = [0, 1, 0]\nwithin = { ball = { centre = [0, 0, 0], radius = nan } }"
                .to_owned(),
            3,
            "the radius of a region, m, is NaN",
        ),
    ] {
        assert_error(&text, line, part);
    }
}
