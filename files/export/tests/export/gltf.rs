//! glTF, read back by the crate `gltf`, which validates it.

use gltf::animation::util::ReadOutputs;
use gltf::{Gltf, Node};

use taut_export::{DrawnScene, Frame, Material, Mesh, Part, Pose, RigidShape, Timeline, sink};

use crate::{FPS, FRAMES, HIDDEN_DROP, REMOVED_FACE, SIDES, folder, frame, write};

/// A file that was read back.
struct File {
    gltf: Gltf,
    /// The binary chunk.
    data: Vec<u8>,
}

impl File {
    fn node(&self, name: &str) -> Node<'_> {
        self.gltf.nodes().find(|node| node.name() == Some(name)).unwrap()
    }

    /// For each animated property of a node, the times and values of its keys.
    fn outputs(&self, node: &Node<'_>) -> Vec<(Vec<f32>, ReadOutputs<'_>)> {
        let animation = self.gltf.animations().next().unwrap();
        animation
            .channels()
            .filter(|channel| channel.target().node().index() == node.index())
            .map(|channel| {
                let reader = channel.reader(|_| Some(&self.data));
                (reader.read_inputs().unwrap().collect(), reader.read_outputs().unwrap())
            })
            .collect()
    }
}

/// Writes the drawn scene of `main.rs`, checks the estimate of the file size, and reads the file back.
fn written() -> (File, taut_export::DrawnScene) {
    let folder = folder();
    let path = folder.path().join("scene.glb");
    let scene = write(&path);
    let bytes = std::fs::read(&path).unwrap();
    let estimate =
        taut_export::gltf::size(&scene, taut_export::Timeline { frames: FRAMES as u64, fps: 10.0 });
    let size = bytes.len() as u64;
    assert!(size / 3 < estimate && estimate < size * 3, "{size} bytes, estimated {estimate}");
    // This reader rejects wrong indices, bounds and counts.
    let gltf = Gltf::from_slice(&bytes).unwrap();
    let data = gltf.blob.clone().unwrap();
    (File { gltf, data }, scene)
}

fn are_close(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
}

#[test]
fn the_sheet_morphs_through_all_frames_and_removed_faces_collapse() {
    let (file, scene) = written();
    let node = file.node("sheet");
    let mesh = node.mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    assert!(primitive.material().double_sided());
    let reader = primitive.reader(|_| Some(&file.data));
    let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let targets: Vec<Vec<[f32; 3]>> =
        reader.read_morph_targets().map(|(positions, _, _)| positions.unwrap().collect()).collect();
    assert_eq!(targets.len(), FRAMES - 1);
    let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    assert_eq!(corners.len(), 3 * scene.faces.len());

    let [(times, ReadOutputs::MorphTargetWeights(weights))] = &mut file.outputs(&node)[..] else {
        panic!("expected one channel, of weights")
    };
    assert_eq!(times.len(), FRAMES);
    let weights: Vec<f32> = weights.clone().into_f32().collect();
    for (key, weights) in weights.chunks(FRAMES - 1).enumerate() {
        let current: Vec<[f32; 3]> = (0..base.len())
            .map(|vertex| {
                let mut point = base[vertex];
                for (target, weight) in targets.iter().zip(weights) {
                    for axis in 0..3 {
                        point[axis] += weight * target[vertex][axis];
                    }
                }
                point
            })
            .collect();
        let frame = frame(&scene, key);
        for (vertex, position) in frame.positions[..SIDES[0] * SIDES[1]].iter().enumerate() {
            assert!(are_close(current[vertex], *position), "vertex {vertex} at key {key}");
        }
        for (face, corners) in corners.chunks(3).enumerate() {
            let [a, b, c] = [0, 1, 2].map(|corner| current[corners[corner] as usize]);
            let expected = scene.faces[face].map(|corner| frame.positions[corner as usize]);
            if face == REMOVED_FACE.0 && key >= REMOVED_FACE.1 {
                assert!(are_close(a, b) && are_close(b, c), "key {key}");
            } else {
                let same = [a, b, c].iter().zip(expected).all(|(a, b)| are_close(*a, b));
                assert!(same, "face {face} at key {key}");
            }
        }
    }
}

#[test]
fn a_hidden_drop_is_at_the_position_of_a_visible_one() {
    let (file, scene) = written();
    let mesh = file.node("drops").mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    assert_eq!(primitive.mode(), gltf::mesh::Mode::Points);
    let reader = primitive.reader(|_| Some(&file.data));
    let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    for (target, (offsets, _, _)) in reader.read_morph_targets().enumerate() {
        let offsets: Vec<[f32; 3]> = offsets.unwrap().collect();
        let position = |drop: usize| [0, 1, 2].map(|axis| base[drop][axis] + offsets[drop][axis]);
        let key = target + 1;
        let expected = frame(&scene, key).positions;
        let (vertex, first_hidden) = HIDDEN_DROP;
        let is_hidden = key >= first_hidden;
        assert!(are_close(position(0), expected[vertex - 1]));
        assert!(are_close(position(1), expected[vertex - usize::from(is_hidden)]), "key {key}");
    }
}

#[test]
fn rigid_shapes_are_nodes_and_only_moving_ones_are_animated() {
    let (file, scene) = written();
    let ball = file.node("ball");
    let outputs = file.outputs(&ball);
    assert_eq!(outputs.len(), 2);
    for (_, outputs) in outputs {
        match outputs {
            ReadOutputs::Translations(translations) => {
                for (key, translation) in translations.enumerate() {
                    assert!(are_close(translation, frame(&scene, key).poses[0].position));
                }
            }
            ReadOutputs::Rotations(rotations) => {
                for (key, rotation) in rotations.into_f32().enumerate() {
                    let expected = frame(&scene, key).poses[0].rotation;
                    let cosine: f32 = rotation.iter().zip(expected).map(|(a, b)| a * b).sum();
                    assert!(cosine.abs() > 1.0 - 1e-6);
                }
            }
            _ => panic!("expected only translations and rotations"),
        }
    }
    let static_box = file.node("box");
    assert!(file.outputs(&static_box).is_empty());
    assert!(are_close(static_box.transform().decomposed().0, [1.0, 2.0, 3.0]));
    assert!(file.node("ground").mesh().is_some());
}

#[test]
fn sticks_of_ropes_are_scaled_rods() {
    let (file, scene) = written();
    let parent = file.node("old rope");
    let rods: Vec<Node<'_>> = parent.children().collect();
    assert_eq!(rods.len(), 3, "two sticks and a ball");
    let first = frame(&scene, 0);
    for (rod, [a, b]) in rods.iter().zip(&scene.sticks) {
        let (translation, _, scale) = rod.transform().decomposed();
        let [a, b] = [a, b].map(|end| first.positions[*end as usize]);
        assert!(are_close(translation, [0, 1, 2].map(|axis| a[axis].midpoint(b[axis]))));
        let length = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f32>().sqrt();
        assert!((scale[1] - length).abs() < 1e-6 && (scale[0] - 0.02).abs() < 1e-9);
    }
}

#[test]
fn a_torn_stick_collapses_where_sticks_are_lines() {
    let sticks = taut_export::gltf::RODS_MAX as u32 + 1;
    let rope = Part {
        name: "rope".into(),
        material: Material::Rope,
        vertices: 0..sticks as usize + 1,
        faces: 0..0,
        sticks: 0..sticks as usize,
        radius: 0.01,
    };
    let empty = RigidShape {
        name: "empty".into(),
        material: Material::Body,
        mesh: Mesh::default(),
        unbounded: false,
    };
    let scene = DrawnScene {
        vertices: rope.vertices.end,
        sticks: (0..sticks).map(|nth| [nth, nth + 1]).collect(),
        parts: vec![rope],
        rigid_shapes: vec![empty],
        ..DrawnScene::default()
    };
    let torn = 5;
    let frames = [false, true].map(|is_torn| Frame {
        positions: (0..scene.vertices).map(|nth| [nth as f32, 0.0, 0.0]).collect(),
        normals: vec![[0.0; 3]; scene.vertices],
        poses: vec![Pose::REST],
        torn_sticks: (0..sticks).map(|nth| is_torn && nth == torn).collect(),
        ..Frame::default()
    });
    let folder = folder();
    let path = folder.path().join("rope.glb");
    let mut sink = sink(&path, &scene, Timeline { frames: frames.len() as u64, fps: FPS }).unwrap();
    for frame in &frames {
        sink.frame(&scene, frame).unwrap();
    }
    sink.finish(&scene, &mut |_| {}).unwrap();

    let gltf = Gltf::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let file = File { data: gltf.blob.clone().unwrap(), gltf };
    assert!(file.node("empty").mesh().is_none(), "glTF has no empty meshes");
    let mesh = file.node("rope").mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    assert_eq!(primitive.mode(), gltf::mesh::Mode::Lines);
    let reader = primitive.reader(|_| Some(&file.data));
    let first: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let (offsets, _, _) = reader.read_morph_targets().next().unwrap();
    let offsets: Vec<[f32; 3]> = offsets.unwrap().collect();
    let ends: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    for (nth, ends) in (0..).zip(ends.chunks(2)) {
        let x = |end: usize| first[ends[end] as usize][0];
        let x_last = |end: usize| x(end) + offsets[ends[end] as usize][0];
        assert!((x(1) - x(0) - 1.0).abs() < 1e-6, "stick {nth} before the tear");
        let expected = if nth == torn { 0.0 } else { 1.0 };
        assert!((x_last(1) - x_last(0) - expected).abs() < 1e-6, "stick {nth} after the tear");
    }
}
