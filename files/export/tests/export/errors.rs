//! Files that cannot be written are rejected before the simulation starts.

use std::io::ErrorKind;
use std::path::Path;

use taut_export::{DrawnScene, Frame, Recording, Timeline, sink};

use crate::{folder, frame, scene};

const SHORT: Timeline = Timeline { frames: 10, fps: 30.0 };

fn error_message(path: &Path, scene: &DrawnScene, timeline: Timeline) -> String {
    sink(path, scene, timeline).err().unwrap().to_string()
}

#[test]
fn invalid_names_are_rejected() {
    let folder = folder();
    let message_for = |name: &str| error_message(&folder.path().join(name), &scene(), SHORT);
    for (name, expected) in [
        ("cloth.fbx", "cloth.fbx: unknown extension: expected one of .glb, .obj, .ply, .pc2"),
        ("cloth", "cloth: unknown extension"),
        ("%x.obj", "expected at most one frame number pattern such as %04d"),
        ("%d-%d.obj", "expected at most one frame number pattern"),
        ("%+4d.obj", "expected at most one frame number pattern"),
        ("%d/cloth.obj", "expected at most one frame number pattern"),
        ("nowhere/cloth.glb", "nowhere/cloth.glb: there is no folder "),
        ("%04d.glb", "contains all frames: expected a name without a frame number pattern"),
    ] {
        let message = message_for(name);
        assert!(message.contains(expected) && message.lines().count() == 1, "{name}: {message}");
    }
}

#[test]
fn files_that_would_be_too_large_are_rejected() {
    let folder = folder();
    let path = folder.path().join("huge.glb");
    let message = error_message(&path, &scene(), Timeline { frames: 1_000_000, fps: 60.0 });
    assert!(message.contains(" GB, more than the limit of 1.1 GB"), "{message}");
    assert!(!path.exists(), "a file was left");
}

#[test]
fn files_of_one_frame_are_created_before_the_run() {
    let folder = folder();
    for name in ["cloth.obj", "cloth.ply"] {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        assert!(error_message(&path, &scene(), SHORT).contains("cannot be written"), "{name}");
    }
}

#[test]
fn invalid_scenes_and_empty_runs_are_rejected() {
    let folder = folder();
    let path = folder.path().join("cloth.obj");
    let vertices = scene().vertices;
    for (invalid, expected) in [
        (DrawnScene { vertices: 3, ..scene() }, "out of range"),
        (DrawnScene { pinned: vec![0, vertices as u32], ..scene() }, "pinned vertex "),
        (
            DrawnScene { ball_radii: vec![0.1], ..scene() },
            "1 ball radii: expected none, or one for",
        ),
    ] {
        let message = error_message(&path, &invalid, SHORT);
        assert!(message.contains(expected), "{message}");
    }
    for name in ["cloth.glb", "cloth.obj", "cloth.ply", "cloth.pc2"] {
        let empty = sink(&folder.path().join(name), &scene(), SHORT).unwrap();
        let message = empty.finish(&scene(), &mut |_| {}).unwrap_err().to_string();
        assert!(message.ends_with("no frame was written"), "{message}");
    }
}

#[test]
fn frames_of_another_scene_are_rejected() {
    let folder = folder();
    let scene = scene();
    let other = Frame { poses: Vec::new(), ..frame(&scene, 0) };
    for name in ["cloth.glb", "cloth.obj", "cloth.ply", "cloth.pc2"] {
        let mut sink = sink(&folder.path().join(name), &scene, SHORT).unwrap();
        sink.frame(&scene, &frame(&scene, 0)).unwrap();
        let message = sink.frame(&scene, &other).unwrap_err().to_string();
        let expected = "a frame has 0 poses: expected 3, as in its scene";
        assert!(message.contains(name) && message.ends_with(expected), "{message}");
    }
    let mut recording = Recording::beside(&folder.path().join("cloth.glb"), &scene).unwrap();
    assert_eq!(recording.add(&other).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(recording.is_empty());
}
