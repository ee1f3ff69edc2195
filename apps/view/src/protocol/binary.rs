//! The binary messages of the host.

use serde::Serialize;

use super::Message;

/// The data that does not change within an epoch. An epoch is the time for which the topology stays the
/// same: see the [module](super).
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
    /// Particles that are pinned at the start of the scene. (Grains do not count, because a grain that is not alive
    /// has the inverse mass of a pinned particle.)
    pub pinned: Vec<u32>,
    /// Sticks that are not drawn: auxiliary ones, such as those that keep the posture of a ragdoll, and
    /// one-sided ones.
    pub hidden_sticks: Vec<u32>,
    /// Each particle that has a radius, and its radius, m.
    pub radii: Vec<(u32, f32)>,
}

/// What is drawn as one part: a model, the springs of a model, or all ties.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnModel {
    /// The name of the model in the scene; `ties` for the ties.
    pub name: String,
    /// The kind, which decides how the part is drawn: `cloth`, `rope`, `plant`, `body`, `ragdoll`,
    /// `grains` or `tie`. Springs have the kind `rope`.
    pub kind: &'static str,
    /// The first face of the part, and the number of faces.
    pub faces: [usize; 2],
    /// The first stick of the part, and the number of sticks.
    pub sticks: [usize; 2],
    /// The first particle of the part, and the number of particles; 0 particles for springs and ties.
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
        /// Radius, m.
        radius: f32,
    },
    /// All points within `radius` of a segment along y, whose middle is the origin.
    Capsule {
        /// Radius, m.
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
    /// The corners of faces, and the ends of sticks.
    Indices = 2,
    /// Faces and sticks that were removed.
    Removed = 3,
    /// The positions of vertices, and the poses of obstacles.
    Frame = 4,
    /// The rest lengths of sticks.
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

    /// Writes values as little-endian `f32`.
    pub(crate) fn f32s(&mut self, values: impl IntoIterator<Item = f32>) {
        self.0.extend(values.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Writes points as `f32s` would, but faster: resizes the message once, and writes in place.
    pub(crate) fn points(&mut self, points: &[[f32; 3]]) {
        let start = self.0.len();
        self.0.resize(start + size_of_val(points), 0);
        for (bytes, coordinate) in self.0[start..].chunks_exact_mut(4).zip(points.as_flattened()) {
            bytes.copy_from_slice(&coordinate.to_le_bytes());
        }
    }

    /// Writes values as little-endian `u32`.
    pub(crate) fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        self.0.extend(values.into_iter().flat_map(u32::to_le_bytes));
    }

    /// Writes a mesh as JSON.
    pub(crate) fn json(&mut self, mesh: &Mesh) {
        serde_json::to_writer(&mut self.0, mesh)
            .expect("map keys are strings, and a Vec accepts all writes");
    }

    /// The complete message.
    pub(crate) fn finish(self) -> Message {
        Message::Binary(self.0)
    }
}
