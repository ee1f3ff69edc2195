//! `taut soak`: library scenes with scripted disturbance, each on one thread and on two. A scene passes
//! if it stays bounded, both simulations give the same bits, and the memory hardly grows.

use crate::run::{RunOutput, taut};

/// The cells of a scene's row in the table, after the name of the scene.
fn row(output: &RunOutput, scene: &str) -> Vec<String> {
    let mut rows = output.out.lines().map(|line| line.split_whitespace().map(str::to_owned));
    let row = rows.find_map(|mut cells| (cells.next()? == scene).then(|| cells.collect()));
    row.unwrap_or_else(|| panic!("{scene} is missing: {}", output.out))
}

#[test]
fn scenes_stay_bounded_and_have_the_same_bits_on_one_thread_and_on_two() {
    // In two and in three dimensions, with and without pins, with bodies, and with self-collision.
    let scenes = ["curtain", "plants", "ragdolls", "springs", "boxes", "folded"];
    let output = taut(&format!("soak {} --minutes 0.1", scenes.join(" "))).assert_success();
    assert_eq!(output.err, "");
    for scene in scenes {
        let row = row(&output, scene);
        assert_eq!(row[1], "0.1", "simulated minutes: {row:?}");
        assert_eq!(row.last().unwrap(), "passed", "{row:?}");
    }
}

#[test]
fn the_seed_decides_the_disturbance() {
    // The hash is the only cell of 16 characters.
    let hash = |arguments: &str| {
        let output = taut(&format!("soak curtain --minutes 0.05 {arguments}")).assert_success();
        row(&output, "curtain").into_iter().find(|cell| cell.len() == 16).unwrap()
    };
    let first = hash("");
    assert_eq!(first, hash("--seed 1"));
    assert_ne!(first, hash("--seed 2"));
}

#[test]
fn an_unknown_scene_is_a_usage_error() {
    taut("soak curtains").assert_usage_error(&["there is no scene 'curtains'"]);
}
