//! Animated binary glTF 2.0 ("glTF 2.0 Specification", Khronos Group 2021; ISO/IEC 12113:2022).
//!
//! - A part with faces is a mesh whose morph targets are the key frames, with normals; one target's
//!   weight is 1 at each key, and the way between is linear. Both sides are seen.
//! - glTF has no faces that come and go: one that is torn out has corners of its own, which fall
//!   together at the first key after it went.
//! - Solids are nodes, moved and turned if they move. Sticks and balls are, too, up to
//!   [`MOST_RODS`]; more sticks than that are lines that morph. Single particles are points; one that
//!   is not to be seen is where another is.
//!
//! A key takes 24 bytes for each vertex. Frames are put aside on the disk until all are there: where
//! a file has so many tables, they stand before what they tell of.

mod document;
mod rods;
mod skin;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gltf_json::animation::Property;

use crate::error::{InFile, Problem, Result};
use crate::sink::{Schedule, Sink};
use crate::stage::is_up;
use crate::{Frame, Mesh, Pose, Recording, Stage};

use document::{Document, SkinSize};
use rods::Rods;
use skin::{Deltas, Skin};

/// The most sticks and balls that are nodes of their own.
pub const MOST_RODS: usize = 1000;

/// The largest file that is written, bytes: what a browser can hold in one buffer.
pub const MOST_BYTES: u64 = 1 << 30;

/// About how large a file becomes, bytes.
#[must_use]
pub fn size(stage: &Stage, schedule: Schedule) -> u64 {
    let skins = Skin::all(stage, &[]);
    let rods = Rods::all(stage).iter().map(|rods| rods.len() as u64).sum::<u64>();
    let vertices: u64 = skins.iter().map(|skin| skin.len() as u64).sum();
    let keys = schedule.frames.max(1);
    let a_key = 24 * vertices + 28 * stage.solids.len() as u64 + 40 * rods;
    let tables = 340 * skins.len() as u64 * keys + 1000 * (rods + stage.solids.len() as u64);
    let of_mesh = |mesh: &Mesh| 24 * mesh.points.len() + 12 * mesh.triangles.len();
    let meshes = stage.solids.iter().map(|it| of_mesh(&it.mesh)).sum::<usize>();
    let still = meshes as u64 + Rods::all(stage).iter().map(Rods::mesh_bytes).sum::<u64>();
    let weights = if skins.is_empty() { 0 } else { 4 * keys.saturating_mul(keys) };
    keys.saturating_mul(a_key).saturating_add(weights).saturating_add(tables + still)
}

/// See the [module](self).
#[derive(Debug)]
pub struct Glb {
    path: PathBuf,
    /// Opened before the work, so that a wrong path fails early.
    file: File,
    recording: Recording,
    /// The faces that are torn out at the end.
    gone: Vec<bool>,
}

impl Glb {
    /// Begins a file.
    ///
    /// # Errors
    /// If it would be larger than [`MOST_BYTES`], cannot be written, or there is nothing on the stage.
    pub fn new(path: &Path, stage: &Stage, schedule: Schedule) -> Result<Self> {
        let bytes = size(stage, schedule);
        if bytes > MOST_BYTES {
            return Err(Problem::TooLarge { bytes, most: MOST_BYTES }.of(path));
        }
        if stage.parts.is_empty() && stage.solids.is_empty() {
            return Err(Problem::Unfit("the stage is empty").of(path));
        }
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path).in_file(path)?,
            recording: Recording::beside(path, stage).in_file(path)?,
            gone: Vec::new(),
        })
    }
}

impl Sink for Glb {
    fn frame(&mut self, stage: &Stage, frame: &Frame) -> Result<()> {
        self.gone.clone_from(&frame.gone_faces);
        let added = match stage.places(frame) {
            Cow::Borrowed(_) => self.recording.add(frame),
            Cow::Owned(positions) => self.recording.add(&Frame { positions, ..frame.clone() }),
        };
        added.in_file(&self.path)
    }

    fn finish(mut self: Box<Self>, stage: &Stage, progress: &mut dyn FnMut(f64)) -> Result<()> {
        if self.recording.is_empty() {
            return Err(Problem::NoFrames.of(&self.path));
        }
        let torn: Vec<usize> =
            (0..stage.faces.len()).filter(|&face| is_up(&self.gone, face)).collect();
        let skins = Skin::all(stage, &torn);
        let survey = Survey::new(stage, &skins, &mut self.recording).in_file(&self.path)?;
        let (json, head, deltas) = document(stage, &skins, &survey)
            .map_err(|error| Problem::Encoding(error.to_string()).of(&self.path))?;
        let bytes = 28 + json.len() as u64 + head.len() as u64 + deltas;
        if bytes > MOST_BYTES {
            return Err(Problem::TooLarge { bytes, most: MOST_BYTES }.of(&self.path));
        }
        let frames = self.recording.len();
        let mut write = || -> io::Result<()> {
            let mut file = BufWriter::new(&self.file);
            let binary = head.len() as u32 + deltas as u32;
            file.write_all(b"glTF")?;
            for number in [2, bytes as u32, json.len() as u32] {
                file.write_all(&number.to_le_bytes())?;
            }
            file.write_all(b"JSON")?;
            file.write_all(&json)?;
            file.write_all(&binary.to_le_bytes())?;
            file.write_all(b"BIN\0")?;
            file.write_all(&head)?;
            let (mut read, mut deltas) = (self.recording.read()?, Deltas::new(&skins));
            let mut done = 0_u64;
            while let Some(frame) = read.read_next()? {
                deltas.of(&frame, |nth, deltas| {
                    file.write_all(bytemuck::cast_slice(&deltas.positions))?;
                    if skins[nth].is_shaded() {
                        file.write_all(bytemuck::cast_slice(&deltas.normals))?;
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

/// Data of all frames that is needed before the first is written.
struct Survey {
    /// s, from 0.
    times: Vec<f32>,
    /// For each key, for each skin: the least and the greatest coordinates.
    bounds: Vec<Vec<[[f32; 3]; 2]>>,
    /// For each solid, where it is at each key.
    poses: Vec<Vec<Pose>>,
    rods: Vec<Rods>,
}

impl Survey {
    fn new(stage: &Stage, skins: &[Skin], recording: &mut Recording) -> io::Result<Self> {
        let mut survey = Self {
            times: Vec::new(),
            bounds: Vec::new(),
            poses: vec![Vec::new(); stage.solids.len()],
            rods: Rods::all(stage),
        };
        let (mut read, mut deltas) = (recording.read()?, Deltas::new(skins));
        let mut first = None;
        while let Some(frame) = read.read_next()? {
            survey.times.push((frame.time - *first.get_or_insert(frame.time)) as f32);
            let mut bounds = Vec::with_capacity(skins.len());
            deltas.of(&frame, |_, deltas| {
                bounds.push(bounds_of(&deltas.positions));
                Ok(())
            })?;
            survey.bounds.push(bounds);
            for (poses, pose) in survey.poses.iter_mut().zip(&frame.poses) {
                poses.push(pose.near(poses.last()));
            }
            for rods in &mut survey.rods {
                rods.add(stage, &frame);
            }
        }
        Ok(survey)
    }
}

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
    /// The same with a quaternion of length 1 and of the sign that is nearer to the one before: a turn
    /// has two.
    fn near(&self, before: Option<&Self>) -> Self {
        let turn = glam::DQuat::from_array(self.rotation.map(f64::from)).normalize();
        let turn = if turn.is_finite() { turn } else { glam::DQuat::IDENTITY };
        let opposite = before.is_some_and(|before| {
            turn.dot(glam::DQuat::from_array(before.rotation.map(f64::from))) < 0.0
        });
        let turn = if opposite { -turn } else { turn };
        Self { position: self.position, rotation: turn.to_array().map(|x| x as f32) }
    }
}

/// The tables, all data but that of the key frames, and how long that is.
fn document(
    stage: &Stage,
    skins: &[Skin],
    survey: &Survey,
) -> std::result::Result<(Vec<u8>, Vec<u8>, u64), serde_json::Error> {
    let mut document = Document::new(&survey.times);
    for (nth, solid) in stage.solids.iter().enumerate() {
        let material = document.material(solid.look, nth);
        let mesh = document.mesh(&solid.name, &solid.mesh, material);
        let node = document.node(&solid.name, Some(mesh));
        document.place(node, &survey.poses[nth]);
    }
    for rods in &survey.rods {
        rods.write(stage, &mut document);
    }
    let indices: Vec<_> = skins.iter().map(|skin| skin.indices(&mut document)).collect();
    let weights = (!skins.is_empty()).then(|| document.weights()).flatten();
    // The last table of the data: no more is added to the head from here on.
    let size = |skin: &Skin| SkinSize { vertices: skin.len(), has_normals: skin.is_shaded() };
    let sizes: Vec<SkinSize> = skins.iter().map(size).collect();
    let deltas = document.deltas(&sizes, &survey.bounds);
    for (nth, skin) in skins.iter().enumerate() {
        let mesh = skin.mesh(stage, &mut document, &indices[nth], &deltas.accessors[nth]);
        let node = document.node(skin.name(stage), Some(mesh));
        if let Some(weights) = weights {
            document.animate(node, Property::MorphTargetWeights, weights);
        }
    }
    let (json, head) = document.finish(deltas.bytes)?;
    Ok((json, head, deltas.bytes))
}
