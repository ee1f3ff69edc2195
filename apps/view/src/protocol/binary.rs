//! The binary messages of the host.

use serde::Serialize;

use super::Message;

/// The data that does not change within an epoch, the time for which the topology stays the same: see
/// the [module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mesh {
    /// Number of vertices in a frame: the particles, then the vertices of meshes attached to rigid
    /// bodies, then the two ends of each tie.
    pub vertices: usize,
    /// Number of particles; they are the first vertices.
    pub particles: usize,
    /// The models; then the springs of each model that has springs and no faces; then all ties, if
    /// there are any.
    pub parts: Vec<DrawnModel>,
    /// The obstacles that can be drawn.
    pub obstacles: Vec<ObstacleShape>,
    /// Particles that are pinned at the start.
    pub pinned: Vec<u32>,
    /// Sticks to hide: auxiliary ones, such as those that keep the posture of a ragdoll, and
    /// one-sided ones.
    pub hidden_sticks: Vec<u32>,
    /// Particles with a radius, and their radii, m.
    pub radii: Vec<(u32, f32)>,
}

/// A model, the springs of one, or the ties.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnModel {
    /// Its name in the scene.
    pub name: String,
    /// Its kind, which decides how it is drawn: `cloth`, `rope`, `plant`, `body`, `ragdoll`,
    /// `grains` or `tie`.
    pub kind: &'static str,
    /// Its first face, and the number of faces.
    pub faces: [usize; 2],
    /// Its first stick, and the number of sticks.
    pub sticks: [usize; 2],
    /// Its first particle, and the number of particles.
    pub particles: [usize; 2],
    /// The number of particles in a row, if the model is a regular sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
}

/// The shape of an obstacle in its own coordinates; frames have its position and rotation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum ObstacleShape {
    /// A ball around the origin; a disc in 2-D.
    Sphere {
        /// m.
        radius: f32,
    },
    /// All points within `radius` of a segment along y.
    Capsule {
        /// m.
        radius: f32,
        /// Half the length of the segment, m.
        half: f32,
    },
    /// A box around the origin.
    Cuboid {
        /// Half extents, m.
        half: [f32; 3],
    },
    /// Everything below y = 0.
    HalfSpace,
    /// Everything outside a box around the origin.
    Bounds {
        /// Half extents, m.
        half: [f32; 3],
    },
    /// A triangle mesh.
    Mesh {
        /// x, y, z of each point, m.
        points: Vec<f32>,
        /// Three point indices each.
        triangles: Vec<u32>,
    },
}

/// The kind of a binary message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MessageKind {
    /// A [`Mesh`].
    Mesh = 1,
    /// Corners of faces, ends of sticks.
    Indices = 2,
    /// Removed faces and sticks.
    Removed = 3,
    /// Positions of vertices and obstacles.
    Frame = 4,
    /// Rest lengths of sticks.
    Rests = 5,
}

/// A binary message that is being written.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Writes the header, and reserves `bytes` for the body. `header_numbers` are the last two values of
    /// the header; their meaning depends on the kind.
    pub(crate) fn new(
        kind: MessageKind,
        epoch: u32,
        header_numbers: [usize; 2],
        bytes: usize,
    ) -> Self {
        let mut writer = Self(Vec::with_capacity(16 + bytes));
        let [first, second] = header_numbers.map(|number| number as u32);
        writer.u32s([kind as u32, epoch, first, second]);
        writer
    }

    pub(crate) fn f32s(&mut self, values: impl IntoIterator<Item = f32>) {
        self.0.extend(values.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Like `f32s`, for points; faster, because it reserves the space once and writes in place.
    pub(crate) fn points(&mut self, points: &[[f32; 3]]) {
        let start = self.0.len();
        self.0.resize(start + size_of_val(points), 0);
        for (bytes, coordinate) in self.0[start..].chunks_exact_mut(4).zip(points.as_flattened()) {
            bytes.copy_from_slice(&coordinate.to_le_bytes());
        }
    }

    pub(crate) fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        self.0.extend(values.into_iter().flat_map(u32::to_le_bytes));
    }

    pub(crate) fn json(&mut self, mesh: &Mesh) {
        serde_json::to_writer(&mut self.0, mesh)
            .expect("map keys are strings, and a Vec accepts all writes");
    }

    pub(crate) fn finish(self) -> Message {
        Message::Binary(self.0)
    }
}
