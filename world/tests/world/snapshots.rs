//! Snapshots: a resumed world continues with the same bits.

use std::sync::Arc;

use taut_scalar::ScalarKernel;
use taut_world::{
    EmitterSettings, Model, Rope, Scene, SelfCollision, Snapshot, SnapshotError, Spring, Springs,
    StickSet, Wind, World,
};

use crate::make::{drape, steps, unconnected, world};

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.add("ball", Model::sphere(6, StickSet::All).unwrap()).unwrap();
    scene.add("sheet", drape(16, StickSet::All).moved([0.0, 2.0, 0.0]).tearing_at(1.5)).unwrap();
    scene.add("disc", Model::disc(10, StickSet::All).unwrap().tearing_at(2.0)).unwrap();
    scene.forces.push(Arc::new(Wind::new([1.0, 0.5, 4.0])));
    scene.settings.step.substeps = 2;
    scene.settings.step.iterations = 3;
    scene
}

/// Changes the world before the step with this index: grabs, drags and releases a particle, pins it,
/// cuts the sheet, and so on.
fn apply_changes(world: &mut World, step: usize) {
    let corner = world.model("sheet").unwrap().end - 1;
    match step {
        0 => world.grab(corner).unwrap(),
        1..30 => {
            let by = 0.03 * step as f32;
            world.drag(corner, [0.75 + by, 1.25 - by, by]).unwrap();
        }
        30 => world.release(corner).unwrap(),
        34 => world.pin(corner).unwrap(),
        35 => {
            let [from, to] = [-1.0, 1.0].map(|x| [[x, 1.55, -1.0], [x, 1.6, 1.0]]);
            assert!(world.cut_swept(from, to) > 0);
            assert!(world.reorder(|_| ScalarKernel).unwrap() > 0);
        }
        40 => world.unpin(corner).unwrap(),
        45 => world.settings_mut().step.iterations = 5,
        _ => {}
    }
}

#[test]
fn resuming_at_any_step_gives_the_same_bits() {
    let scene = scene();
    let mut original = world(&scene);
    let mut snapshots = Vec::new();
    for step in 0..60 {
        apply_changes(&mut original, step);
        snapshots.push(original.snapshot());
        steps(&mut original, 1);
    }
    assert!(original.torn() > 10);
    for start in [0, 1, 20, 30, 35, 36, 50] {
        let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshots[start]).unwrap();
        assert_eq!(resumed.snapshot(), snapshots[start]);
        for step in start..60 {
            if step > start {
                apply_changes(&mut resumed, step);
            }
            steps(&mut resumed, 1);
        }
        assert_eq!(resumed.hash(), original.hash(), "resumed at step {start}");
        assert_eq!(resumed.snapshot(), original.snapshot(), "resumed at step {start}");
    }
}

/// Asserts that a resumed world continues as the original.
fn assert_resumes(scene: &Scene, original: &mut World) {
    let snapshot = original.snapshot();
    let mut resumed = World::resume(scene, |_| ScalarKernel, &snapshot).unwrap();
    assert_eq!(resumed.snapshot(), snapshot);
    for step in 0..30 {
        steps(original, 1);
        steps(&mut resumed, 1);
        assert_eq!(resumed.snapshot(), original.snapshot(), "step {step}");
    }
}

#[test]
fn a_pinned_particle_that_was_dragged_and_got_a_mass_resumes() {
    let scene = scene();
    for grabbed in [false, true] {
        let mut original = world(&scene);
        let pin = original.model("sheet").unwrap().start;
        assert_eq!(original.inverse_mass(pin), 0.0);
        if grabbed {
            original.grab(pin).unwrap();
        }
        original.drag(pin, [-0.5, 3.0, 0.0]).unwrap();
        original.release(pin).unwrap();
        original.set_inverse_mass(pin, 1.0).unwrap();
        assert_resumes(&scene, &mut original);
        assert!(original.position(pin)[1] < 2.6, "the particle is still dragged");
    }
}

#[test]
fn a_held_particle_that_is_emitted_again_resumes() {
    let settings = EmitterSettings {
        rate: 100.0,
        lifetime: [0.1, 0.1],
        velocity: [0.0, 3.0, 0.0],
        ..EmitterSettings::default()
    };
    let scene = crate::make::scene("fountain", Model::emitter(settings).unwrap());
    for pinned in [false, true] {
        let mut original = world(&scene);
        steps(&mut original, 3);
        if pinned {
            original.pin(0).unwrap();
        } else {
            original.grab(0).unwrap();
        }
        assert_eq!(original.inverse_mass(0), 0.0);
        while original.inverse_mass(0) == 0.0 {
            steps(&mut original, 1);
        }
        assert_resumes(&scene, &mut original);
    }
}

#[test]
fn a_scene_with_a_limb_at_a_torn_stick_resumes() {
    // The second of two limbs does not exist, because its stick is torn: the sheet falls past it.
    let rod = Rope { spacing: 0.5, density: 1.0, ..Rope::default() };
    let rod = Model::rope(&[[0.0; 3], [1.0, 0.0, 0.0]], &rod).unwrap();
    let mut rod = rod.with_limbs([([0, 1], 0.05), ([1, 2], 0.05)]).unwrap();
    rod.sticks.tear(1).unwrap();
    let sheet = Model::drape(9, StickSet::All).unwrap().moved([0.7, 0.3, 0.0]);
    let colliding = |model: Model| model.self_colliding(SelfCollision::default()).unwrap();
    let mut scene = Scene::new();
    scene.add("rod", colliding(rod)).unwrap();
    scene.add("sheet", colliding(sheet)).unwrap();
    assert_resumes(&scene, &mut world(&scene));
}

#[test]
fn a_snapshot_resumes_whose_substeps_are_stable_only_with_its_own_masses() {
    let spring = Spring { rest: 1.0, stiffness: 40000.0, damping: 0.0 };
    let springs = Springs::new(2, &[[0, 1]], &[spring]).unwrap();
    let model = Model { springs, ..unconnected(&[[0.0; 3], [1.1, 0.0, 0.0]], &[0.0, 1.0]) };
    let mut scene = Scene::new();
    scene.settings.step.substeps = 4;
    scene.add("spring", model).unwrap();
    let mut original = world(&scene);
    let mut long = *original.settings();
    long.step.substeps = 1;
    assert!(original.set_settings(long).is_err());
    // With 100 kg instead of 1 kg, the spring is stable in longer substeps.
    original.set_inverse_mass(1, 0.01).unwrap();
    original.set_settings(long).unwrap();
    assert_resumes(&scene, &mut original);
}

#[test]
fn removed_faces_are_recorded_after_a_caller_replaced_the_faces() {
    let mut world = world(&scene());
    let sheet_len = world.model("sheet").unwrap().len();
    let mut islands = world.islands().iter();
    let island = islands.position(|island| island.model.particles.len() == sheet_len).unwrap();
    let first_stick = world.sticks_of("sheet").unwrap().start;
    world.tear(first_stick).unwrap();
    world.islands_mut()[island].model.faces = vec![[0, 1, 16], [1, 17, 16]].into();
    let removed = world.removed().triangles.len();
    // Tearing the common edge of the two new faces removes both.
    let sticks = &world.islands()[island].model.sticks;
    let edge = sticks.ends().iter().position(|ends| *ends == [1, 16]).unwrap();
    assert!(world.tear(first_stick + edge).unwrap());
    steps(&mut world, 2);
    assert_eq!(world.removed().triangles.len(), removed + 2);
}

#[test]
fn a_snapshot_resumes_whose_scene_has_substeps_too_long_for_its_springs() {
    let points = [[0.0; 3], [1.1, 0.0, 0.0]];
    let spring = Spring { rest: 1.0, stiffness: 2e4, damping: 0.0 };
    let springs = Springs::new(2, &[[0, 1]], &[spring]).unwrap();
    let mut scene = Scene::new();
    scene.add("spring", Model { springs, ..unconnected(&points, &[0.0, 1.0]) }).unwrap();
    scene.settings.step.substeps = 16;
    let mut world = world(&scene);
    steps(&mut world, 10);
    scene.settings.step.substeps = 1;
    assert!(World::new(&scene, |_| ScalarKernel).is_err());
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    for world in [&mut world, &mut resumed] {
        steps(world, 10);
    }
    assert_eq!(resumed.hash(), world.hash());
}

#[test]
fn a_different_scene_is_rejected() {
    let snapshot = world(&scene()).snapshot();
    let resume = |scene: &Scene| World::resume(scene, |_| ScalarKernel, &snapshot);
    let mut others: Vec<(Scene, &str)> = Vec::new();
    let mut more = scene();
    more.add("more", Model::drape(3, StickSet::All).unwrap()).unwrap();
    others.push((more, "3 models, expected 4"));
    others.push((Scene::new(), "3 models, expected 0"));
    for (name, size, set, what) in [
        ("globe", 6, StickSet::All, "should be 'globe'"),
        ("ball", 7, StickSet::All, "particles"),
        ("ball", 6, StickSet::Structural, "different sticks"),
    ] {
        let mut other = Scene::new();
        other.add(name, Model::sphere(size, set).unwrap()).unwrap();
        others.push((other, what));
    }
    for (other, what) in others {
        let error = resume(&other).unwrap_err();
        assert!(matches!(error, SnapshotError::OtherScene { .. }), "{error}");
        assert!(error.to_string().contains(what), "`{error}` does not contain `{what}`");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_snapshot_survives_json_and_damage_is_detected() {
    let scene = scene();
    let mut world = world(&scene);
    for step in 0..45 {
        apply_changes(&mut world, step);
        steps(&mut world, 1);
    }
    let snapshot = world.snapshot();
    let json = serde_json::to_string(&snapshot).unwrap();
    let parsed: Snapshot = serde_json::from_str(&json).unwrap();
    assert_eq!(parsed, snapshot);

    // With any number replaced, resuming succeeds or returns an error; it never panics.
    let digits: Vec<_> = json.match_indices(|c: char| c.is_ascii_digit()).collect();
    let mut rejected = 0;
    for (nth, &(start, _)) in digits.iter().enumerate() {
        let is_first_digit = start == 0 || !json.as_bytes()[start - 1].is_ascii_digit();
        // A sample of the numbers, to save time.
        if !is_first_digit || nth % 97 != 0 {
            continue;
        }
        let end = json[start..].find(|c: char| !c.is_ascii_digit()).unwrap() + start;
        for replacement in ["4290000000", "7"] {
            let damaged = format!("{}{replacement}{}", &json[..start], &json[end..]);
            let Ok(damaged) = serde_json::from_str::<Snapshot>(&damaged) else { continue };
            match World::resume(&scene, |_| ScalarKernel, &damaged) {
                Ok(mut world) => drop(world.step()),
                Err(_) => rejected += 1,
            }
        }
    }
    assert!(rejected > 5, "only {rejected} damaged snapshots are rejected");
}

#[test]
fn snapshots_with_positions_that_are_not_finite_are_rejected() {
    let scene = scene();
    let mut world = world(&scene);
    world.islands_mut()[0].model.particles.positions_mut(1)[20] = f32::NAN;
    let snapshot: Snapshot = world.snapshot();
    let error = World::resume(&scene, |_| ScalarKernel, &snapshot).unwrap_err();
    assert!(matches!(error, SnapshotError::Particle(_)), "{error}");
}

#[cfg(feature = "serde")]
#[test]
fn snapshots_with_values_out_of_range_are_rejected() {
    let scene = scene();
    let mut world = world(&scene);
    world.grab(3).unwrap();
    steps(&mut world, 2);
    let good = serde_json::to_value(world.snapshot()).unwrap();
    let resume = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut damaged = good.clone();
        change(&mut damaged);
        let snapshot: Snapshot = serde_json::from_value(damaged).unwrap();
        World::resume(&scene, |_| ScalarKernel, &snapshot)
    };
    let f64_bits = |value: f64| serde_json::json!(value.to_bits());
    let f32_bits = |value: f32| serde_json::json!(value.to_bits());
    let steps_max = 1_u64 << 53; // the largest number of steps that a snapshot may have
    let rejected: [(&str, serde_json::Value, &str); 9] = [
        ("/steps", serde_json::json!(u64::MAX), "the number of steps"),
        // The check is in `f64`, in which 2^53 + 1 is 2^53.
        ("/steps", serde_json::json!(steps_max + 2), "the number of steps"),
        ("/time", f64_bits(1e300), "the time"),
        ("/time", f64_bits(-1.0), "the time"),
        ("/time", f64_bits(f64::NAN), "the time"),
        ("/substeps", serde_json::json!(u32::MAX), "the number of substeps"),
        ("/iterations", serde_json::json!(3_000_000), "iterations is 3000000"),
        ("/passes", serde_json::json!(0), "the number of passes"),
        // In JSON, the displacement of a held particle is called `drift`.
        ("/held/0/drift/0", f32_bits(1e30), "the displacement per substep"),
    ];
    for (pointer, value, what) in rejected {
        let error =
            resume(&|json| *json.pointer_mut(pointer).unwrap() = value.clone()).unwrap_err();
        assert!(error.to_string().contains(what), "{pointer}: {error}");
        assert!(error.to_string().starts_with("the snapshot is damaged: "), "{pointer}: {error}");
    }
    for invalid in [serde_json::Value::Null, serde_json::json!(f32::NAN.to_bits())] {
        let error = resume(&|json| json["damping_rate"] = invalid.clone()).unwrap_err();
        assert!(error.to_string().contains("damping"), "{error}");
    }
    // Snapshots of earlier versions have a damping per substep instead of a rate.
    let mut old = good.clone();
    old.as_object_mut().unwrap().remove("damping_rate");
    let old: Snapshot = serde_json::from_value(old).unwrap();
    let error = World::resume(&scene, |_| ScalarKernel, &old).unwrap_err();
    assert_eq!(error, SnapshotError::NoDampingRate);
    // With the largest number of steps and a time of 1e15 s, further steps do not overflow.
    let mut late = resume(&|json| {
        json["steps"] = serde_json::json!(steps_max);
        json["time"] = f64_bits(1e15);
    })
    .unwrap();
    steps(&mut late, 2);
    assert_eq!(late.steps(), steps_max + 2);
}
