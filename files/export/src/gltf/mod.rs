//! Animated binary glTF 2.0 ("glTF 2.0 Specification", Khronos Group 2021; ISO/IEC 12113:2022).
//!
//! - Each frame is a key frame, in short a key. A part with faces is a double-sided mesh: its shape is
//!   that of the first key, and each later key has a morph target with positions and normals. At each
//!   key the weight of its target is 1; between keys weights are interpolated linearly.
//! - A glTF mesh cannot remove faces or lines. A face that is removed by a tear has separate corners,
//!   which collapse to one point at the first key after the tear; so have the lines of torn sticks.
//! - A rigid shape is a node, animated if it moves. Each stick, and each particle that is drawn as a
//!   ball, is also a node if there are at most [`RODS_MAX`] of both together. Otherwise sticks are
//!   lines with morph targets, and balls are not drawn.
//! - A part without sticks and faces is a set of points. A mesh cannot hide a vertex, so a hidden
//!   vertex, such as an expired particle of an emitter, gets the position of the first visible vertex
//!   of its part, if there is one.
//!
//! A key takes 24 bytes for each vertex of a part with faces, and 12 for other vertices. The JSON,
//! which describes all data, comes first in the file, so frames are stored in a temporary file until
//! the run is complete.

mod document;
mod morph;
mod rods;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gltf_json::animation::Property;

use crate::error::{InFile, Problem, Result};
use crate::sink::{Sink, Timeline};
use crate::{DrawnScene, Frame, Mesh, Pose, Recording};

use document::{Document, MorphSize};
use morph::{Deltas, MorphMesh};
use rods::Rods;

/// The maximum number of sticks and balls that are separate nodes.
pub const RODS_MAX: usize = 1000;

/// The maximum size of a file, bytes: what a browser can load into one buffer.
pub const BYTES_MAX: u64 = 1 << 30;

/// The estimated size of a file, bytes, if nothing tears.
#[must_use]
pub fn size(scene: &DrawnScene, timeline: Timeline) -> u64 {
    let meshes = MorphMesh::all(scene, &Frame::default());
    let rods = Rods::all(scene).iter().map(|rods| rods.len() as u64).sum::<u64>();
    let vertices: u64 = meshes.iter().map(|mesh| mesh.size().bytes_per_key()).sum();
    let keys = timeline.frames.max(1);
    // Bytes of a key: a rigid shape has position and rotation, a stick or ball position, rotation and
    // scale.
    let per_key = vertices + 28 * scene.rigid_shapes.len() as u64 + 40 * rods;
    // The JSON takes about 340 bytes for a morph mesh at a key, and about 1000 for a node.
    let json = keys
        .saturating_mul(340 * meshes.len() as u64)
        .saturating_add(1000 * (rods + scene.rigid_shapes.len() as u64));
    let shape_bytes = |mesh: &Mesh| 24 * mesh.points.len() + 12 * mesh.triangles.len();
    let shapes_bytes =
        scene.rigid_shapes.iter().map(|shape| shape_bytes(&shape.mesh)).sum::<usize>();
    let rods_bytes = Rods::all(scene).iter().map(Rods::mesh_bytes).sum::<u64>();
    let rigid = shapes_bytes as u64 + rods_bytes;
    let weights = if meshes.is_empty() { 0 } else { keys.saturating_mul(keys).saturating_mul(4) };
    keys.saturating_mul(per_key).saturating_add(weights).saturating_add(json).saturating_add(rigid)
}

/// The sink for binary glTF files; see the [module](self).
#[derive(Debug)]
pub struct Glb {
    path: PathBuf,
    /// Opened before the run, so that a wrong path fails early.
    file: File,
    recording: Recording,
    /// The last frame so far.
    last: Frame,
}

impl Glb {
    /// Creates a file.
    ///
    /// # Errors
    /// If the file would be larger than [`BYTES_MAX`] or cannot be created, or if the drawn scene
    /// is empty.
    pub fn new(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<Self> {
        Self::check(path, scene, timeline)?;
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path).in_file(path)?,
            recording: Recording::beside(path, scene).in_file(path)?,
            last: Frame::default(),
        })
    }

    /// Checks that the drawn scene is not empty and that the file would not be too large.
    pub(crate) fn check(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<()> {
        let bytes = size(scene, timeline);
        if bytes > BYTES_MAX {
            return Err(Problem::TooLarge { bytes, limit: BYTES_MAX }.of(path));
        }
        if scene.parts.is_empty() && scene.rigid_shapes.is_empty() {
            return Err(Problem::Unsupported("the drawn scene is empty").of(path));
        }
        Ok(())
    }
}

impl Sink for Glb {
    fn frame(&mut self, scene: &DrawnScene, frame: &Frame) -> Result<()> {
        scene.check_frame(frame, &self.path)?;
        self.last.clone_from(frame);
        let added = match scene.vertex_positions(frame) {
            Cow::Borrowed(_) => self.recording.add(frame),
            Cow::Owned(positions) => self.recording.add(&Frame { positions, ..frame.clone() }),
        };
        added.in_file(&self.path)
    }

    fn finish(
        mut self: Box<Self>,
        scene: &DrawnScene,
        progress: &mut dyn FnMut(f64),
    ) -> Result<()> {
        if self.recording.is_empty() {
            return Err(Problem::NoFrames.of(&self.path));
        }
        let meshes = MorphMesh::all(scene, &self.last);
        let keys = Keys::new(scene, &meshes, &mut self.recording).in_file(&self.path)?;
        let (json, data, delta_bytes) = build_document(scene, &meshes, &keys)
            .map_err(|error| Problem::Encoding(error.to_string()).of(&self.path))?;
        // 12 bytes of header, and 8 for each of the two chunks.
        let bytes = 28 + json.len() as u64 + data.len() as u64 + delta_bytes;
        if bytes > BYTES_MAX {
            return Err(Problem::TooLarge { bytes, limit: BYTES_MAX }.of(&self.path));
        }
        let frames = self.recording.len();
        let mut write = || -> io::Result<()> {
            let mut file = BufWriter::new(&self.file);
            let binary_bytes = data.len() as u32 + delta_bytes as u32;
            file.write_all(b"glTF")?;
            // The version, the length of the file, and the length of the JSON chunk.
            for word in [2, bytes as u32, json.len() as u32] {
                file.write_all(&word.to_le_bytes())?;
            }
            file.write_all(b"JSON")?;
            file.write_all(&json)?;
            file.write_all(&binary_bytes.to_le_bytes())?;
            file.write_all(b"BIN\0")?;
            file.write_all(&data)?;
            let (mut recorded, mut deltas) = (self.recording.read()?, Deltas::new(&meshes));
            let mut done = 0_u64;
            while let Some(frame) = recorded.read_next()? {
                deltas.compute(&frame, |nth, shape| {
                    file.write_all(bytemuck::cast_slice(&shape.positions))?;
                    if meshes[nth].has_normals() {
                        file.write_all(bytemuck::cast_slice(&shape.normals))?;
                    }
                    Ok(())
                })?;
                done += 1;
                progress(done as f64 / frames as f64);
            }
            file.flush()
        };
        write().in_file(&self.path)
    }
}

/// Data of all key frames that the document needs before the first frame is written.
struct Keys {
    /// The time of each key, s; the first is 0.
    times: Vec<f32>,
    /// For each key and each morph mesh: the smallest and the largest coordinates.
    bounds: Vec<Vec<[[f32; 3]; 2]>>,
    /// For each rigid shape its pose at each key.
    poses: Vec<Vec<Pose>>,
    /// The sticks and balls of each part that are nodes.
    rods: Vec<Rods>,
}

impl Keys {
    fn new(
        scene: &DrawnScene,
        meshes: &[MorphMesh],
        recording: &mut Recording,
    ) -> io::Result<Self> {
        let mut keys = Self {
            times: Vec::new(),
            bounds: Vec::new(),
            poses: vec![Vec::new(); scene.rigid_shapes.len()],
            rods: Rods::all(scene),
        };
        let (mut recorded, mut deltas) = (recording.read()?, Deltas::new(meshes));
        let mut start = None;
        while let Some(frame) = recorded.read_next()? {
            keys.times.push((frame.time - *start.get_or_insert(frame.time)) as f32);
            let mut bounds = Vec::with_capacity(meshes.len());
            deltas.compute(&frame, |_, shape| {
                bounds.push(bounds_of(&shape.positions));
                Ok(())
            })?;
            keys.bounds.push(bounds);
            for (poses, pose) in keys.poses.iter_mut().zip(&frame.poses) {
                poses.push(pose.with_quaternion_near(poses.last()));
            }
            for rods in &mut keys.rods {
                rods.add_key(scene, &frame);
            }
        }
        Ok(keys)
    }
}

/// The smallest and the largest coordinates.
fn bounds_of(points: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for point in points {
        for axis in 0..3 {
            bounds[0][axis] = bounds[0][axis].min(point[axis]);
            bounds[1][axis] = bounds[1][axis].max(point[axis]);
        }
    }
    bounds
}

impl Pose {
    /// The same pose with a unit quaternion. Of the two quaternions of a rotation, it has the one
    /// nearer to the previous pose.
    fn with_quaternion_near(&self, previous: Option<&Self>) -> Self {
        let rotation = glam::DQuat::from_array(self.rotation.map(f64::from)).normalize();
        let rotation = if rotation.is_finite() { rotation } else { glam::DQuat::IDENTITY };
        let opposite = previous.is_some_and(|previous| {
            rotation.dot(glam::DQuat::from_array(previous.rotation.map(f64::from))) < 0.0
        });
        let rotation = if opposite { -rotation } else { rotation };
        Self { position: self.position, rotation: rotation.to_array().map(|x| x as f32) }
    }
}

/// Returns the JSON chunk, all data before the morph targets, and the length of the data of morph
/// targets, bytes.
fn build_document(
    scene: &DrawnScene,
    meshes: &[MorphMesh],
    keys: &Keys,
) -> std::result::Result<(Vec<u8>, Vec<u8>, u64), serde_json::Error> {
    let mut document = Document::new(&keys.times);
    for (nth, shape) in scene.rigid_shapes.iter().enumerate() {
        let material = document.material(shape.material, nth);
        // glTF has no empty meshes.
        let mesh = (!shape.mesh.triangles.is_empty())
            .then(|| document.add_rigid_mesh(&shape.name, &shape.mesh, material));
        let node = document.add_node(&shape.name, mesh);
        document.set_poses(node, &keys.poses[nth]);
    }
    for rods in &keys.rods {
        rods.add_nodes(scene, &mut document);
    }
    let indices: Vec<_> = meshes.iter().map(|mesh| mesh.add_indices(&mut document)).collect();
    let weights = (!meshes.is_empty()).then(|| document.add_weights()).flatten();
    // The deltas come last: from here on, no data is added.
    let sizes: Vec<MorphSize> = meshes.iter().map(MorphMesh::size).collect();
    let deltas = document.add_deltas(&sizes, &keys.bounds);
    for (nth, mesh) in meshes.iter().enumerate() {
        let added = mesh.add_mesh(scene, &mut document, &indices[nth], &deltas.accessors[nth]);
        let node = document.add_node(mesh.name(scene), Some(added));
        if let Some(weights) = weights {
            document.animate(node, Property::MorphTargetWeights, weights);
        }
    }
    let (json, data) = document.finish(deltas.bytes)?;
    Ok((json, data, deltas.bytes))
}
