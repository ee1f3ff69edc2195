//! Errors in scene files: each message is one line, with the number of the line in error.

use taut_scenes::AnyScene;
use taut_world::Sleep;

/// The text of a model called `it` with these keys, which begin at line 3.
pub(crate) fn model(keys: &str) -> String {
    format!("[[model]]\nname = \"it\"\n{keys}")
}

/// Asserts that `text` is rejected at `line` with a message that contains `expected`.
pub(crate) fn assert_error(text: &str, line: usize, expected: &str) {
    let error = AnyScene::from_toml(text).expect_err(text);
    assert!(error.message.contains(expected), "{text}\n{error}");
    assert_eq!(error.line, line, "{text}\n{error}");
    assert_eq!(error.to_string().lines().count(), 1, "{text}\n{error}");
}

/// Each emitter has fewer particles than the limit; the first two together have more, so the error is
/// at the second.
#[test]
fn too_many_particles_are_rejected_at_the_line_of_the_model() {
    let emitter = |name: &str| {
        format!(
            "\n[[model]]\nname = \"{name}\"\nemitter = {{ rate = 1e9, lifetime = [1e-6, 9e-3] }}"
        )
    };
    let text = ["dimensions = 2".to_owned(), emitter("a"), emitter("b"), emitter("c")].concat();
    // The text is short: the length of a file does not limit the particles that it requests.
    assert!(text.len() < 256);
    let expected = "the number of particles of all models is 18000002; it must be at most 16777216";
    assert_error(&text, 5, expected);
}

/// The limit applies to all mesh files together, because a scene may name one file any number of times.
#[test]
fn too_large_mesh_files_are_rejected_at_their_line() {
    let model_of = |file: &str| {
        format!("[[model]]\nname = \"{file}\"\nmesh = {{ density = 1, file = \"{file}\" }}\n")
    };
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let read = |file: &str| {
        let count = if file == "small" { 1 } else { (1 << 24) / 3 + 1 };
        Ok((corners.repeat(count), vec![[0, 1, 2]]))
    };
    let text = [model_of("small"), model_of("large")].concat();
    let error = AnyScene::from_toml_with(&text, &read).unwrap_err();
    let expected =
        "the number of vertices of all mesh files is 16777221; it must be at most 16777216";
    assert_eq!((error.line, &*error.message), (6, expected));
}

/// The limit applies to the copies of all models together.
#[test]
fn too_many_copies_for_the_length_of_the_file_are_rejected_at_their_line() {
    let model_of = |name: &str| {
        format!(
            "[[model]]\nname = \"{name}\"\nparticles = {{ positions = [[0, 0, 0]], masses = [1] }}\n\
             copies = {{ grid = [600, 1, 1], spacing = [1, 0, 0] }}\n"
        )
    };
    let comment = "#".repeat(1 << 20);
    let error = AnyScene::from_toml(&[model_of("a"), model_of("b"), comment].concat()).unwrap_err();
    assert_eq!(error.line, 8, "{error}");
    assert!(error.message.starts_with("the number of copies of all models, multiplied"), "{error}");
}

#[test]
fn damping_is_checked_and_the_earlier_key_is_rejected_with_the_equivalent_rate() {
    for (keys, line, expected) in [
        ("damping_rate = -1", 1, "the damping rate is -1 1/s; it must be from 0 to 1e9"),
        (
            "damping = 0.01",
            2,
            "\"damping\" is now \"damping_rate\", in 1/s: write damping_rate = 0.603 and \
             substeps = 1, the default at that time, for the same motion",
        ),
        (
            "dt = 0.01\n\ndamping = 0.005\nsubsteps = 4",
            4,
            "write damping_rate = 2.005 for the same motion",
        ),
        (
            "damping = 0",
            2,
            "write damping_rate = 0.0 and substeps = 1, the default at that time, for",
        ),
        ("damping = 1.5", 2, "1.5 is not from 0 to 1"),
    ] {
        assert_error(&format!("[step]\n{keys}"), line, expected);
    }
}

#[test]
fn settings_of_sleep_are_checked() {
    for (sleep, expected) in [
        ("speed = -0.1", "the sleep speed, m/s, is -0.1"),
        ("time = 0", "the time before sleep, s, is 0"),
        ("after = 1.0", "unknown field `after`"),
    ] {
        assert_error(&format!("[sleep]\n{sleep}"), 2, expected);
    }
    let AnyScene::ThreeD(scene) = AnyScene::from_toml("sleep = { time = 2.0 }").unwrap() else {
        panic!("expected a 3D scene");
    };
    assert_eq!(scene.sleep, Some(Sleep { time: 2.0, ..Sleep::default() }));
}

#[test]
fn errors_of_copies_have_line_numbers() {
    let cases = [
        (
            model("cloth = {}\ncopies = {}"),
            4,
            "exactly one key, found 0; expected one of: at, grid",
        ),
        (model("cloth = {}\ncopies = { grid = [2, 2, 2] }"), 4, "both 'grid' and 'spacing'"),
        (
            model("cloth = {}\ncopies = { grid = [9999, 9999, 9999], spacing = [1, 1, 1] }"),
            4,
            "the number of copies is 999700029999; it must be at most 65536",
        ),
        (model("cloth = {}\ncopies = { at = [] }"), 4, "at least one copy, found none"),
        (
            model("cloth = {}\ncopies = { grid = [2, 0, 2], spacing = [1, 1, 1] }"),
            4,
            "at least 1 along each axis",
        ),
        (
            model("cloth = {}\ncopies = { grid = [3, 1, 1], spacing = [1e12, 0, 0] }"),
            4,
            "it must be within 1e12 m",
        ),
        (
            model("cloth = {}\ncopies = { at = [[0, 0, 0], [1e30, 0, 0]] }"),
            4,
            "the position of a copy, m, is 1000000000000000000000000000000",
        ),
        (
            model("cloth = {}\nat = [6e11, 0, 0]\ncopies = { at = [[0, 0, 0], [6e11, 0, 0]] }"),
            5,
            "a coordinate of a particle of a copy, m,",
        ),
        (
            // The second copy of `it` would have the name of the first model.
            "[[model]]\nname = \"it 1\"\ncloth = {}\n\n[[model]]\nname = \"it\"\ncloth = {}\n\
             copies = { at = [[0, 0, 0], [1, 0, 0]] }"
                .to_owned(),
            5,
            "'it 1'",
        ),
    ];
    for (text, line, expected) in cases {
        assert_error(&text, line, expected);
    }
}

#[test]
fn types_and_limits_are_named_as_in_scene_files() {
    for (text, line, expected) in [
        (model("emitter = { source = { disc = 3 } }"), 3, "expected a table"),
        (model("cloth = { columns = -3 }"), 3, "expected an integer of at least 0"),
        (model("emitter = { source = \"point\" }"), 3, "'point' needs parameters, as in { point = "),
        ("[model]\nname = \"it\"\ncloth = {}".to_owned(), 1, "expected a list"),
        ("step = [0.1, 2]".to_owned(), 1, "invalid type: list, expected a table"),
        ("[step]\ndt = {}".to_owned(), 2, "invalid type: table, expected a number"),
        ("[step]\ndt = 2026-01-01".to_owned(), 2, "date or time, expected a number"),
        ("[step]\ndt = 1e999".to_owned(), 2, "the number 1e999 is too large"),
        ("[step]\nsubsteps = 0x1ffffffffffffffff".to_owned(), 2, "0x1ffffffffffffffff has more"),
        ("[step]\nsubsteps = 4.5".to_owned(), 2, "point `4.5`, expected an integer from 0"),
        (model("emitter = { source = 3 }"), 3, "integer `3`, expected a string, or a table of one"),
        (model("emitter = { source = {} }"), 3, "expected a table of one key, found 0"),
        (
            model("emitter = { source = { point = [0, 0, 0], ring = 1 } }"),
            3,
            "expected a table of one key, found 2",
        ),
        (model("[model.emitter.source]\n\nring = [0, 0, 0]"), 5, "unknown variant `ring`"),
        (model("[model.cloth.diagonals]\n\nparallel = 1"), 5, "'parallel' takes no parameters"),
        (model("cloth = {}\nguided = [{ group = \"top\", path = \"linear\" }]"), 4, "'linear' needs"),
        (model("emitter = { lifetime = [1, 2, 3] }"), 3, "length 3, expected a list of 2 values"),
        (
            model("particles = { positions = [], masses = [], sticks = [[0, 1, 2]] }"),
            3,
            "invalid length 3, expected a list of 2 values",
        ),
        (model("emitter = {}\nstiffness = 0.5"), 1, "'it' has no sticks"),
        (model("emitter = {}\ntears_at = 2"), 1, "'it' has no sticks"),
        (
            model("particles = { positions = [[1e12, 0, 0]], masses = [1] }\nat = [1e12, 0, 0]"),
            4,
            "a coordinate of a particle at the position of the model",
        ),
        (model("rigid_box = { size = [1e6, 1e6, 1e6], density = 1e30 }"), 3, "the mass of a body"),
        (
            "[[force]]\nacceleration = [0, 1, 0]\nwithin = { behind = { normal = [0, 0, 0], offset = 1 } }"
                .to_owned(),
            3,
            "the length of the normal of a region is 0",
        ),
    ] {
        assert_error(&text, line, expected);
    }
}

#[test]
fn each_error_is_one_line_with_the_number_of_the_line_in_error() {
    for (text, line, expected) in [
        ("dimensions = 4".to_owned(), 1, "expected 2 or 3 dimensions, found 4"),
        ("formula = \"euler\"".to_owned(), 1, "unknown variant `euler`"),
        ("\nwind = 3".to_owned(), 2, "unknown field `wind`"),
        ("[step]\ndt = 0.1\ndt = 0.2".to_owned(), 3, "duplicate key"),
        ("[step]\n\nsubsteps = -1".to_owned(), 3, "-1"),
        ("\n[step]\nsubsteps = 0".to_owned(), 2, "at least one substep"),
        ("[step]\ngravity = [0, -9.81]".to_owned(), 2, "expected 3 numbers, found 2"),
        (model("cloth = {}\nrope = { path = [] }"), 1, "needs exactly one builder, found 2"),
        (model("at = [0, 0, 0]"), 1, "exactly one builder, found 0; expected one of: drape, disc"),
        (model("cloth = { rows = 1 }"), 3, "rows of a cloth is 1; it must be at least 2"),
        (model("cloth = { ros = 1 }"), 3, "unknown field `ros`"),
        (model("cloth = { axes = 'flat' }"), 3, "invalid type: string \"flat\", expected a table"),
        ("step = 3".to_owned(), 1, "invalid type: integer `3`, expected a table"),
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
            "unknown field `speed`, expected `velocity`",
        ),
        (
            model(
                "cloth = {}\nguided = [{ group = \"top\", \
                 path = { oscillating = { amplitude = [1, 0, 0], period = 0 } } }]",
            ),
            4,
            "the period of a path or spin, s, is 0",
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
            "expected 3 half edges, found 1",
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
        (
            model("emitter = {}\nvelocity = [0, 1, 0]"),
            1,
            "'it' is an emitter, which takes neither 'turned' nor 'velocity'",
        ),
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
        assert_error(&text, line, expected);
    }
}

#[test]
fn invalid_values_are_rejected_at_their_line() {
    for (text, line, expected) in [
        (model("drape = { size = 9223372036854775807 }"), 3, "at most 16777216"),
        (model("disc = { size = 5000 }"), 3, "at most 16777216"),
        (model("ball = { size = 4000 }"), 3, "at most 16777216"),
        (model("cloth = {}\nat = [0, inf, 0]"), 4, "the position of a model, m, is inf"),
        (model("cloth = {}\nvelocity = [nan, 0, 0]"), 4, "the velocity of a model, m/s, is NaN"),
        (
            model("cloth = {}\ntears_at = 0.5"),
            4,
            "tear factor of sticks is 0.5; it must be at least 1",
        ),
        (
            model("drape = { size = 4 }\npinned = [\"top\"]"),
            4,
            "no group 'top'; its groups are: none",
        ),
        (
            format!("{}\n[[force]]\non = \"tpo\"\nacceleration = [0, 1, 0]", model("cloth = {}")),
            5,
            "the group 'tpo', which no model has",
        ),
        (
            "[[force]]\nwind = { velocity = [1, 0, 0], \
             gusts = { strength = 1, size = 2.9e-39, seed = 1 } }"
                .to_owned(),
            2,
            "size of gusts, m, is 0.000",
        ),
        (
            "[[force]]\nwind = { velocity = [1, 0, 0], \
             gusts = { strength = 2e6, size = 1, seed = 1 } }"
                .to_owned(),
            2,
            "strength of gusts is 2000000; it must be from 0 to 1e6",
        ),
        (
            model(
                "particles = { positions = [[0, 0, 0], [1, 0, 0]], masses = [1, 1], \
                 springs = [{ ends = [0, 1], rest = 1e30, stiffness = 1, damping = 0 }] }",
            ),
            3,
            "spring 0 has the rest length 1",
        ),
        (
            "[[force]]\nattractor = { place = [0, 0, 0], strength = 1e25, softening = 0 }"
                .to_owned(),
            2,
            "strength of an attractor, m³/s²,",
        ),
        (
            "[[force]]\nacceleration = [0, 1, 0]\n\
             within = { ball = { centre = [0, 0, 0], radius = nan } }"
                .to_owned(),
            3,
            "the radius of a region, m, is NaN",
        ),
    ] {
        assert_error(&text, line, expected);
    }
}

#[cfg(feature = "parry")]
#[test]
fn invalid_keys_and_values_of_meshes_and_body_contacts_are_rejected() {
    let mesh = "mesh = { positions = [], triangles = [], facing = \"both\" }";
    assert_error(&format!("\n[[obstacle]]\nedges = true\n{mesh}"), 3, "mesh takes no 'edges'");
    assert_error("[[obstacle]]\nbody_contacts = { margin = -1 }", 2, "margin of contacts");
    let text = "[[obstacle]]\nbody_contacts = {}\nsurface = { restitution = 7 }";
    assert_error(text, 3, "the restitution of a surface is 7");
}

#[test]
fn errors_of_ties_have_line_numbers() {
    // Two ropes, then a table `tie` at line 8, whose keys begin at line 9.
    let scene = |tie: &str| {
        let rope = |name: &str| {
            format!("[[model]]\nname = \"{name}\"\nrope = {{ path = [[0, 0, 0], [1, 0, 0]] }}\n")
        };
        format!("{}{}\n[[tie]]\n{tie}", rope("one"), rope("other"))
    };
    let end = "{ model = \"one\", group = \"end\" }";
    let other = "{ model = \"other\", group = \"end\" }";
    for (tie, line, expected) in [
        (format!("from = {end}"), 8, "missing field `to`"),
        (format!("from = {end}\nto = {other}\nlength = 1"), 11, "unknown field `length`"),
        (
            format!("from = {end}\nto = {{ model = \"other\" }}"),
            10,
            "an end of a tie needs exactly one key for its place, found 0; expected one of: particle, \
             group",
        ),
        (
            format!("from = {end}\nto = {{ model = \"other\", particle = 0, body = 0 }}"),
            10,
            "exactly one key for its place, found 2",
        ),
        (
            format!("from = {end}\nto = {{ model = \"other\", particle = 0, fraction = 0.5 }}"),
            10,
            "'fraction' needs the key 'stick' or 'limb'",
        ),
        (
            format!("from = {end}\nto = {{ model = \"third\", particle = 0 }}"),
            10,
            "tie 0 (counted from 0, ties of a group as one), 'to': there is no model 'third'",
        ),
        (
            format!("to = {end}\n[tie.from]\nmodel = \"other\"\n\ngroup = \"top\""),
            13,
            "tie 0 (counted from 0, ties of a group as one), 'from': the model 'other' has no group 'top'",
        ),
        (
            format!("to = {end}\n[tie.from]\nmodel = \"other\"\n\nparticle = 21"),
            13,
            "the model 'other' has no particle 21 (counted from 0); it has 21",
        ),
        (
            format!("to = {end}\n[tie.from]\nmodel = \"other\"\nstick = 3\nfraction = 2"),
            13,
            "the fraction of the length of a stick or limb, from its first end, is 2; it must be from 0 to 1",
        ),
        (
            format!("from = {end}\nto = {other}\nbreaking_force = 0"),
            11,
            "the breaking force of a tie, N, is 0; it must be above 0 and finite",
        ),
        (format!("from = {end}\nto = {end}"), 8, "both ends move particle 20 of the model 'one'"),
        (
            format!("from = {end}\nto = {other}\n\n[[tie]]\nto = {end}\nfrom = {other}"),
            12,
            "tie 1 (counted from 0, ties of a group as one): its two points are already joined by tie 0",
        ),
    ] {
        assert_error(&scene(&tie), line, expected);
    }
}
