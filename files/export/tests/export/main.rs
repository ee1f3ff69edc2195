//! Written files are read back, by independent readers where there are any.

mod errors;
mod gltf;
mod points;
mod shapes;

use std::fs;
use std::path::{Path, PathBuf};

use taut_export::{DrawnScene, Frame, Material, Mesh, Part, Pose, RigidShape, Timeline, sink};

/// Columns and rows of the sheet.
const SIDES: [usize; 2] = [5, 4];
/// The face that a tear removes, and the first frame without it.
const REMOVED_FACE: (usize, usize) = (7, 3);
/// The vertex of the drop that disappears, and the first frame without it.
const HIDDEN_DROP: (usize, usize) = (SIDES[0] * SIDES[1] + 4, 2);
const FRAMES: usize = 6;
const FPS: f64 = 10.0;

/// A sheet, a rope, drops, a moving ball, a static box, and the ground.
fn scene() -> DrawnScene {
    let [columns, rows] = SIDES;
    let sheet_vertices = columns * rows;
    let mut faces = Vec::new();
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let a = (j * columns + i) as u32;
            let (b, c) = (a + 1, a + columns as u32);
            faces.extend([[a, c, b], [b, c, c + 1]]);
        }
    }
    let part = |name: &str, material, vertices, faces, sticks| Part {
        name: name.into(),
        material,
        vertices,
        faces,
        sticks,
        radius: 0.02,
    };
    let first_of_rope = sheet_vertices as u32;
    let shape = |name: &str, material, mesh| RigidShape {
        name: name.into(),
        material,
        mesh,
        unbounded: false,
    };
    DrawnScene {
        flat: false,
        vertices: sheet_vertices + 3 + 2,
        sticks: vec![[first_of_rope, first_of_rope + 1], [first_of_rope + 1, first_of_rope + 2]],
        ball_radii: (0..sheet_vertices + 5)
            .map(|vertex| if vertex == sheet_vertices { 0.1 } else { 0.0 })
            .collect(),
        pinned: vec![0],
        parts: vec![
            part("sheet", Material::Cloth, 0..sheet_vertices, 0..faces.len(), 0..0),
            part("old rope", Material::Rope, sheet_vertices..sheet_vertices + 3, 0..0, 0..2),
            part("drops", Material::Grains, sheet_vertices + 3..sheet_vertices + 5, 0..0, 0..0),
        ],
        rigid_shapes: vec![
            shape("ball", Material::Obstacle, Mesh::sphere(0.25)),
            shape("box", Material::Body, Mesh::cuboid([0.1, 0.2, 0.3])),
            RigidShape { unbounded: true, ..shape("ground", Material::Ground, Mesh::floor(5.0)) },
        ],
        faces,
    }
}

/// A frame whose coordinates use all bits of their mantissa.
fn frame(scene: &DrawnScene, nth: usize) -> Frame {
    let [columns, _] = SIDES;
    let time = nth as f64 / FPS;
    let position = |vertex: usize| {
        let (i, j) = ((vertex % columns) as f32, (vertex / columns) as f32);
        let wave = (0.7 * i + 1.3 * j + 2.0 * time as f32).sin() / 3.0;
        [0.1 * i + 0.01 * wave, -0.1 * j, wave * 1e-3 - 1e-9]
    };
    let angle = 0.3 * nth as f32;
    let moving = Pose {
        position: [0.3 * angle, 1.0 / 3.0, 0.0],
        rotation: [0.0, angle.sin(), 0.0, angle.cos()],
    };
    Frame {
        time,
        positions: (0..scene.vertices).map(position).collect(),
        normals: vec![[0.6, 0.0, 0.8]; scene.vertices],
        poses: vec![moving, Pose { position: [1.0, 2.0, 3.0], ..Pose::REST }, Pose::REST],
        hidden_vertices: (0..scene.vertices)
            .map(|vertex| vertex == HIDDEN_DROP.0 && nth >= HIDDEN_DROP.1)
            .collect(),
        removed_faces: (0..scene.faces.len())
            .map(|face| face == REMOVED_FACE.0 && nth >= REMOVED_FACE.1)
            .collect(),
        ..Frame::default()
    }
}

/// Writes all frames of the drawn scene to a file, and returns the drawn scene.
fn write(path: &Path) -> DrawnScene {
    let scene = scene();
    let timeline = Timeline { frames: FRAMES as u64, fps: FPS };
    let mut sink = sink(path, &scene, timeline).unwrap();
    for nth in 0..FRAMES {
        sink.frame(&scene, &frame(&scene, nth)).unwrap();
    }
    sink.finish(&scene, &mut |fraction| assert!((0.0..=1.0).contains(&fraction))).unwrap();
    scene
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The names of all files in a folder, sorted.
fn file_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    names.sort();
    names.iter().map(|it| it.file_name().unwrap().to_string_lossy().into_owned()).collect()
}
