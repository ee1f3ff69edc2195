//! Snapshots with arbitrary edits. If a world resumes from an edited snapshot, it must resume again from
//! its own snapshot, and step with the same bits on the scalar kernel and on the best kernel.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use taut::AnyKernel;
use taut::world::{AnyScene, Scene, Snapshot, World};
use taut_fuzz::edit::Edit;
use taut_fuzz::scenes::SCENES;
use taut_fuzz::world::{scalar, shorten};

/// A scene, and a snapshot of a world of it, as JSON.
type Base = (Scene, Value);

static BASES: LazyLock<Vec<Base>> =
    LazyLock::new(|| SCENES.iter().map(|text| base(text)).collect());

/// Makes a scene, and a snapshot after some steps and changes.
fn base(text: &str) -> Base {
    let Ok(AnyScene::ThreeD(mut scene)) = AnyScene::from_toml(text) else {
        panic!("the scene is valid, in 3D")
    };
    shorten(&mut scene.settings);
    let mut world = World::new(&scene, AnyKernel::best_for).expect("the scene is valid");
    for step in 0..4 {
        if step == 1 {
            let dragged = world.grab(1).and_then(|()| world.drag(1, [0.1, 0.3, 0.1]));
            dragged.expect("the particle exists");
            world.pin(2).expect("the particle exists");
            world.tear(5).expect("the stick exists");
        }
        if step == 2 {
            world.reorder(AnyKernel::best_for).expect("the sticks are those of the scene");
        }
        assert!(world.step().expect("the settings are valid").finite);
    }
    let value = serde_json::to_value(world.snapshot()).expect("a snapshot can be written");
    (scene, value)
}

fuzz_target!(|input: (u8, Vec<Edit>)| {
    let (base_index, edits) = input;
    let (scene, base) = &BASES[usize::from(base_index) % BASES.len()];
    let mut value = base.clone();
    edits.iter().take(8).for_each(|edit| edit.apply(&mut value));
    let Ok(snapshot) = serde_json::from_value::<Snapshot>(value) else { return };
    let mut world = match World::resume(scene, AnyKernel::best_for, &snapshot) {
        Ok(world) => world,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let own = world.snapshot();
    let text = serde_json::to_string(&own).expect("a snapshot can be written");
    let read: Snapshot = serde_json::from_str(&text).expect("a written snapshot is read back");
    assert_eq!(read, own);
    let resumed = World::resume(scene, |_| scalar(), &own);
    let mut resumed = resumed.expect("a world resumes from its own snapshot");
    assert_eq!(resumed.snapshot(), own, "a resumed world has a different state");
    for world in [&mut world, &mut resumed] {
        shorten(world.settings_mut());
    }
    for _ in 0..2 {
        assert_eq!(world.step(), resumed.step(), "a resumed world steps differently");
        assert_eq!(world.hash(), resumed.hash(), "a resumed world has different bits");
    }
});
