//! Scenes written in TOML: the examples run, and what is wrong is said by its line.

use taut_core::{Kernel, Schedule};
use taut_scalar::ScalarKernel;
use taut_world::{AnyScene, LibraryScene, Scene, World};

const EXAMPLES: [(&str, &str); 4] = [
    ("curtain", include_str!("../../scenes/curtain.toml")),
    ("table-cloth", include_str!("../../scenes/table-cloth.toml")),
    ("wrecking-ball", include_str!("../../scenes/wrecking-ball.toml")),
    ("washing-line", include_str!("../../scenes/washing-line.toml")),
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
    for (name, text) in EXAMPLES {
        let scene = AnyScene::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(any_hash_after(&scene, 20), any_hash_after(&scene, 0), "{name}");
    }
}

#[test]
fn a_file_says_what_the_library_builds_to_the_bit() {
    let (_, text) = EXAMPLES[0];
    let written = AnyScene::from_toml(text).unwrap();
    let built = LibraryScene::named("curtain").unwrap().scene(60).unwrap();
    assert_eq!(any_hash_after(&written, 60), any_hash_after(&built, 60));
}

#[test]
fn an_empty_file_is_an_empty_scene_in_space() {
    let scene = AnyScene::from_toml("").unwrap();
    assert_eq!((scene.dimensions(), scene.particles()), (3, 0));
}

#[test]
fn what_is_wrong_is_said_in_a_sentence_with_its_line() {
    let model = |what: &str| format!("[[model]]\nname = \"it\"\n{what}");
    for (text, line, part) in [
        ("dimensions = 4".to_owned(), 1, "a scene has 2 or 3 dimensions, not 4"),
        ("formula = \"euler\"".to_owned(), 1, "unknown variant `euler`"),
        ("\nwind = 3".to_owned(), 2, "unknown field `wind`"),
        ("[step]\ndt = 0.1\ndt = 0.2".to_owned(), 3, "duplicate key"),
        ("[step]\n\nsubsteps = -1".to_owned(), 3, "-1"),
        ("\n[step]\nsubsteps = 0".to_owned(), 2, "at least one substep"),
        ("[step]\ngravity = [0, -9.81]".to_owned(), 2, "2 numbers where 3 belong"),
        ("[step\n".to_owned(), 1, "]"),
        (model("cloth = {}\nrope = { path = [] }"), 1, "2 builders where one belongs"),
        (model("at = [0, 0, 0]"), 1, "0 builders where one belongs, of: drape, cloth"),
        (model("cloth = { rows = 1 }"), 1, "rows of a cloth is 1; it must be at least 2"),
        (model("cloth = { ros = 1 }"), 3, "unknown field `ros`"),
        (model("cloth = { families = \"some\" }"), 3, "unknown variant `some`"),
        (model("cloth = {}\npinned = [\"lid\"]"), 1, "'it' has no group 'lid' but: bottom"),
        (model("rope = {}"), 3, "missing field `path`"),
        (format!("{}\n{}", model("cloth = {}"), model("cloth = {}")), 4, "two models called 'it'"),
        ("[[obstacle]]\nsurface = {}".to_owned(), 1, "0 shapes where one belongs"),
        ("[[obstacle]]\n\nsphere = { centre = [0, 0, 0] }".to_owned(), 3, "missing field `radius`"),
        (
            "[[obstacle]]\nsphere = { centre = [0, 0, 0], radius = -1 }".to_owned(),
            1,
            "radius of a sphere",
        ),
        ("\n[[force]]\nmagic = {}".to_owned(), 3, "unknown field `magic`"),
        ("[[force]]\ndrag = { linear = -1 }".to_owned(), 1, "linear drag, kg/s, is -1"),
        ("[[force]]\nwind = { velocity = [0, nan, 0] }".to_owned(), 1, "velocity of a wind"),
    ] {
        let error = AnyScene::from_toml(&text).expect_err(&text);
        assert!(error.message.contains(part), "{text}\n{error}");
        assert_eq!(error.line, line, "{text}\n{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{text}\n{error}");
    }
}
