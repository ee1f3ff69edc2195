//! glTF, read back by the crate `gltf`, which validates it.

use gltf::animation::util::ReadOutputs;
use gltf::{Gltf, Node};

use crate::{DRIED, FRAMES, SIDES, TORN, folder, frame, write};

struct File {
    gltf: Gltf,
    data: Vec<u8>,
}

impl File {
    fn node(&self, name: &str) -> Node<'_> {
        self.gltf.nodes().find(|node| node.name() == Some(name)).unwrap()
    }

    /// What an animation does to a node, by the property, with the times.
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

fn written() -> (File, taut_export::Stage) {
    let folder = folder();
    let path = folder.path().join("scene.glb");
    let stage = write(&path);
    let bytes = std::fs::read(&path).unwrap();
    let estimate =
        taut_export::gltf::size(&stage, taut_export::Schedule { frames: FRAMES as u64, fps: 10.0 });
    let size = bytes.len() as u64;
    assert!(size / 3 < estimate && estimate < size * 3, "{size} bytes, said {estimate}");
    // Not by name alone: this reader refuses indices, bounds and counts that are wrong.
    let gltf = Gltf::from_slice(&bytes).unwrap();
    let data = gltf.blob.clone().unwrap();
    (File { gltf, data }, stage)
}

fn close(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
}

#[test]
fn the_sheet_morphs_through_all_frames_and_what_is_torn_falls_together() {
    let (file, stage) = written();
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
    assert_eq!(corners.len(), 3 * stage.faces.len());

    let [(times, ReadOutputs::MorphTargetWeights(weights))] = &mut file.outputs(&node)[..] else {
        panic!("the sheet has one channel, of weights")
    };
    assert_eq!(times.len(), FRAMES);
    let weights: Vec<f32> = weights.clone().into_f32().collect();
    for (key, weights) in weights.chunks(FRAMES - 1).enumerate() {
        let now: Vec<[f32; 3]> = (0..base.len())
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
        let frame = frame(&stage, key);
        for (vertex, place) in frame.positions[..SIDES[0] * SIDES[1]].iter().enumerate() {
            assert!(close(now[vertex], *place), "vertex {vertex} at key {key}");
        }
        for (face, corners) in corners.chunks(3).enumerate() {
            let drawn = [0, 1, 2].map(|corner| now[corners[corner] as usize]);
            let there = stage.faces[face].map(|corner| frame.positions[corner as usize]);
            if face == TORN.0 && key >= TORN.1 {
                assert!(close(drawn[0], drawn[1]) && close(drawn[1], drawn[2]), "key {key}");
            } else {
                let same = drawn.iter().zip(there).all(|(a, b)| close(*a, b));
                assert!(same, "face {face} at key {key}");
            }
        }
    }
}

#[test]
fn a_drop_that_is_not_to_be_seen_is_behind_one_that_is() {
    let (file, stage) = written();
    let mesh = file.node("drops").mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    assert_eq!(primitive.mode(), gltf::mesh::Mode::Points);
    let reader = primitive.reader(|_| Some(&file.data));
    let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    for (target, (offsets, _, _)) in reader.read_morph_targets().enumerate() {
        let offsets: Vec<[f32; 3]> = offsets.unwrap().collect();
        let now = |drop: usize| [0, 1, 2].map(|axis| base[drop][axis] + offsets[drop][axis]);
        let there = frame(&stage, target + 1).positions;
        let dried = target + 1 >= DRIED.1;
        assert!(close(now(0), there[DRIED.0 - 1]));
        assert!(close(now(1), there[DRIED.0 - usize::from(dried)]), "key {}", target + 1);
    }
}

#[test]
fn solids_are_nodes_and_only_those_that_move_are_animated() {
    let (file, stage) = written();
    let ball = file.node("ball");
    let outputs = file.outputs(&ball);
    assert_eq!(outputs.len(), 2);
    for (_, outputs) in outputs {
        match outputs {
            ReadOutputs::Translations(places) => {
                for (key, place) in places.enumerate() {
                    assert!(close(place, frame(&stage, key).poses[0].position));
                }
            }
            ReadOutputs::Rotations(turns) => {
                for (key, turn) in turns.into_f32().enumerate() {
                    let pose = frame(&stage, key).poses[0].rotation;
                    let cosine: f32 = turn.iter().zip(pose).map(|(a, b)| a * b).sum();
                    assert!(cosine.abs() > 1.0 - 1e-6);
                }
            }
            _ => panic!("a solid is moved and turned, no more"),
        }
    }
    let still = file.node("box");
    assert!(file.outputs(&still).is_empty());
    assert!(close(still.transform().decomposed().0, [1.0, 2.0, 3.0]));
    assert!(file.node("ground").mesh().is_some());
}

#[test]
fn ropes_are_rods_from_end_to_end() {
    let (file, stage) = written();
    let parent = file.node("old rope");
    let rods: Vec<Node<'_>> = parent.children().collect();
    assert_eq!(rods.len(), 3, "two sticks and a ball");
    let first = frame(&stage, 0);
    for (rod, [a, b]) in rods.iter().zip(&stage.sticks) {
        let (place, _, scale) = rod.transform().decomposed();
        let [a, b] = [a, b].map(|end| first.positions[*end as usize]);
        assert!(close(place, [0, 1, 2].map(|axis| a[axis].midpoint(b[axis]))));
        let length = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f32>().sqrt();
        assert!((scale[1] - length).abs() < 1e-6 && (scale[0] - 0.02).abs() < 1e-9);
    }
}
