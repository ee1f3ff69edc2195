//! Snapshots of worlds whose models sleep.

use taut_scalar::ScalarKernel;
use taut_world::{Sleep, SnapshotError, World};

use crate::make::{steps, world};
use crate::sleeping::cloths;

#[test]
fn a_resumed_world_sleeps_and_wakes_with_the_same_bits() {
    let scene = cloths();
    // Drags a particle of the sheet up, and releases it.
    let change = |world: &mut World, step: usize| match step {
        140 => world.grab(world.model("sheet").unwrap().start + 45).unwrap(),
        141..160 => {
            let particle = world.model("sheet").unwrap().start + 45;
            let up = 0.02 * (step - 140) as f32;
            world.drag(particle, [0.0, up, 0.0]).unwrap();
        }
        160 => world.release(world.model("sheet").unwrap().start + 45).unwrap(),
        _ => {}
    };
    let mut original = world(&scene);
    let (mut snapshots, mut sleeping) = (Vec::new(), Vec::new());
    for step in 0..300 {
        change(&mut original, step);
        snapshots.push(original.snapshot());
        sleeping.push(original.sleeping_models().count());
        steps(&mut original, 1);
    }
    assert!(
        sleeping.contains(&1) && sleeping[130] == 3 && sleeping[150] < 2,
        "models asleep in each step: {sleeping:?}"
    );
    assert_eq!(original.sleeping_models().count(), 3);
    for start in [0, 50, 75, 85, 95, 105, 115, 130, 145, 200, 250, 299] {
        let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshots[start]).unwrap();
        assert_eq!(resumed.snapshot(), snapshots[start], "at step {start}");
        for (step, snapshot) in snapshots.iter().enumerate().skip(start) {
            if step > start {
                change(&mut resumed, step);
            }
            assert_eq!(resumed.snapshot(), *snapshot, "resumed at step {start}, step {step}");
            steps(&mut resumed, 1);
        }
        assert_eq!(resumed.hash(), original.hash(), "resumed at step {start}");
    }
}

#[test]
fn a_world_resumes_only_if_scene_and_snapshot_both_enable_sleeping_or_neither_does() {
    let mut with = cloths();
    let snapshot = world(&with).snapshot();
    with.sleep = Some(Sleep { speed: 0.1, time: 1.0 });
    assert!(World::resume(&with, |_| ScalarKernel, &snapshot).is_ok());
    let mut without = with.clone();
    without.sleep = None;
    for (scene, snapshot, expected) in [
        (&without, snapshot, "its models may sleep, expected that they never sleep"),
        (&with, world(&without).snapshot(), "its models never sleep, expected that they may sleep"),
    ] {
        let error = World::resume(scene, |_| ScalarKernel, &snapshot).unwrap_err();
        assert!(matches!(error, SnapshotError::OtherScene { .. }));
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}
