//! Files that cannot be written are errors before the simulation starts.

use std::path::Path;

use taut_export::{Schedule, Stage, sink};

use crate::{folder, stage};

const SHORT: Schedule = Schedule { frames: 10, fps: 30.0 };

fn complaint(path: &Path, stage: &Stage, schedule: Schedule) -> String {
    sink(path, stage, schedule).err().unwrap().to_string()
}

#[test]
fn names_that_make_no_sense() {
    let folder = folder();
    let say = |name: &str| complaint(&folder.path().join(name), &stage(), SHORT);
    for (name, sentence) in [
        ("cloth.fbx", "cloth.fbx: unknown extension: expected one of .glb, .obj, .ply, .pc2"),
        ("cloth", "cloth: unknown extension"),
        ("%x.obj", "expected at most one frame number pattern such as %04d"),
        ("%d-%d.obj", "expected at most one frame number pattern"),
        ("nowhere/cloth.glb", "nowhere/cloth.glb: there is no folder "),
        ("%04d.glb", "holds all frames in one file"),
    ] {
        let said = say(name);
        assert!(said.contains(sentence) && said.lines().count() == 1, "{name}: {said}");
    }
}

#[test]
fn files_that_would_be_absurd() {
    let folder = folder();
    let path = folder.path().join("huge.glb");
    let said = complaint(&path, &stage(), Schedule { frames: 1_000_000, fps: 60.0 });
    assert!(said.contains("GB large, more than the 1.1 GB"), "{said}");
    assert!(!path.exists(), "nothing is left of it");
}

#[test]
fn stages_and_runs_without_sense() {
    let folder = folder();
    let path = folder.path().join("cloth.obj");
    let wrong = Stage { vertices: 3, ..stage() };
    assert!(complaint(&path, &wrong, SHORT).contains("outside its ranges"));
    let none = sink(&path, &stage(), SHORT).unwrap();
    let said = none.finish(&stage(), &mut |_| {}).unwrap_err().to_string();
    assert!(said.ends_with("no frame was written"), "{said}");
}
