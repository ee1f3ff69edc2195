//! The drawn scene, which is the same in all frames, and the frames.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use crate::{FrameMismatch, InFile, Mesh, SceneError};

/// The material of a part or rigid shape, which decides its colour and gloss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// Cloth, seen from both sides.
    Cloth,
    /// Ropes and bridges.
    Rope,
    /// Stems and leaves.
    Plant,
    /// Rigid bodies.
    Body,
    /// Limbs.
    Ragdoll,
    /// Particles without sticks or faces: drops, grains.
    Grains,
    /// Obstacles.
    Obstacle,
    /// Floors, slopes and the insides of rooms.
    Ground,
}

impl Material {
    /// The colour in sRGB of the part or rigid shape with the index `nth`. Cloths, bodies and
    /// ragdolls have several colours, to tell them apart.
    #[must_use]
    pub fn colour(self, nth: usize) -> [u8; 3] {
        const BODIES: [[u8; 3]; 6] = [
            [0x3a, 0x86, 0xc8],
            [0xe0, 0x9f, 0x3e],
            [0xc8, 0x4b, 0x5e],
            [0x4f, 0x9d, 0x69],
            [0x8a, 0x6f, 0xb0],
            [0x2f, 0x9c, 0x95],
        ];
        match self {
            Self::Cloth => [[0xd6, 0x4f, 0x4a], [0x3a, 0x86, 0xc8], [0xe0, 0x9f, 0x3e]][nth % 3],
            Self::Rope => [0x9c, 0x6b, 0x3f],
            Self::Plant => [0x5a, 0x95, 0x45],
            Self::Body | Self::Ragdoll => BODIES[nth % BODIES.len()],
            Self::Grains => [0x2f, 0x86, 0xd0],
            Self::Obstacle => [0x8c, 0x9a, 0xad],
            Self::Ground => [0xc3, 0xc9, 0xd1],
        }
    }
}

/// A deformable part: a range of vertices, with faces, sticks, both or neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// The material.
    pub material: Material,
    /// Its vertices, among those of the drawn scene.
    pub vertices: Range<usize>,
    /// Its faces, among those of the drawn scene. Their corners must be vertices of the part.
    pub faces: Range<usize>,
    /// Its sticks that are drawn, among those of the drawn scene. Their ends must be vertices of
    /// the part.
    pub sticks: Range<usize>,
    /// The radius with which its sticks are drawn, m. If it has neither sticks nor faces, its vertices
    /// are drawn with this radius.
    pub radius: f32,
}

impl Part {
    /// Whether its vertices are drawn, as points or balls: it has neither sticks nor faces.
    #[must_use]
    pub fn are_vertices_drawn(&self) -> bool {
        self.faces.is_empty() && self.sticks.is_empty()
    }
}

/// A rigid shape that may move: a rigid body or an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidShape {
    /// The name.
    pub name: String,
    /// The material.
    pub material: Material,
    /// The shape, in its own coordinates.
    pub mesh: Mesh,
    /// Whether it is unbounded: the ground, or the solid around a room. `mesh` is then only a part of
    /// its surface.
    pub unbounded: bool,
}

/// The parts and rigid shapes of a scene, without positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnScene {
    /// Whether the scene is 2D, in the plane z = 0.
    pub flat: bool,
    /// The number of vertices.
    pub vertices: usize,
    /// Triangles of three vertices, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
    /// The sticks that are drawn, each between two vertices.
    pub sticks: Vec<[u32; 2]>,
    /// The radius of each vertex that is drawn as a ball, m, and 0 for other vertices; empty if
    /// there are no balls.
    pub ball_radii: Vec<f32>,
    /// The pinned vertices.
    pub pinned: Vec<u32>,
    /// The deformable parts.
    pub parts: Vec<Part>,
    /// The rigid shapes.
    pub rigid_shapes: Vec<RigidShape>,
}

/// The pose of a rigid shape.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pose {
    /// The position of its origin, m.
    pub position: [f32; 3],
    /// Its rotation, a unit quaternion: x, y, z, w.
    pub rotation: [f32; 4],
}

impl Pose {
    /// At the origin, without rotation.
    pub const REST: Self = Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
}

/// The positions of all vertices and rigid shapes of a drawn scene at one time, in metres, y up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The time, s.
    pub time: f64,
    /// The position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// The unit normal of each vertex. It may be 0 for a vertex without a face.
    pub normals: Vec<[f32; 3]>,
    /// The pose of each rigid shape.
    pub poses: Vec<Pose>,
    /// For each vertex whether it is hidden, such as an expired drop; empty if none is.
    pub hidden_vertices: Vec<bool>,
    /// For each face whether it is removed by a tear; empty if none is.
    pub removed_faces: Vec<bool>,
    /// For each stick whether it is torn; empty if none is.
    pub torn_sticks: Vec<bool>,
}

/// The numbers of elements in a frame of a drawn scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameSizes {
    pub(crate) vertices: usize,
    pub(crate) poses: usize,
    pub(crate) faces: usize,
    pub(crate) sticks: usize,
}

impl FrameSizes {
    pub(crate) fn of(scene: &DrawnScene) -> Self {
        Self {
            vertices: scene.vertices,
            poses: scene.rigid_shapes.len(),
            faces: scene.faces.len(),
            sticks: scene.sticks.len(),
        }
    }

    /// An error if a list of the frame has another length.
    pub(crate) fn check(self, frame: &Frame) -> Result<(), FrameMismatch> {
        let lists = [
            ("positions", frame.positions.len(), self.vertices),
            ("normals", frame.normals.len(), self.vertices),
            ("poses", frame.poses.len(), self.poses),
        ];
        let flags = [
            ("flags of vertices", frame.hidden_vertices.len(), self.vertices),
            ("flags of faces", frame.removed_faces.len(), self.faces),
            ("flags of sticks", frame.torn_sticks.len(), self.sticks),
        ];
        let given_flags = flags.into_iter().filter(|&(_, found, _)| found != 0);
        match lists.into_iter().chain(given_flags).find(|(_, found, expected)| found != expected) {
            Some((list, found, expected)) => Err(FrameMismatch { list, found, expected }),
            None => Ok(()),
        }
    }
}

/// The flag at an index; false if `flags` is empty.
pub(crate) fn is_set(flags: &[bool], index: usize) -> bool {
    flags.get(index).copied().unwrap_or(false)
}

impl Frame {
    /// Whether a face is not removed.
    #[must_use]
    pub fn has_face(&self, face: usize) -> bool {
        !is_set(&self.removed_faces, face)
    }

    /// Whether a stick is not torn.
    #[must_use]
    pub fn has_stick(&self, stick: usize) -> bool {
        !is_set(&self.torn_sticks, stick)
    }

    /// Whether a vertex is visible.
    #[must_use]
    pub fn has_vertex(&self, vertex: usize) -> bool {
        !is_set(&self.hidden_vertices, vertex)
    }
}

impl DrawnScene {
    /// Checks the indices of all parts, of the meshes of rigid shapes and of pinned vertices, and the
    /// number of ball radii.
    ///
    /// # Errors
    /// The first that is invalid.
    pub fn check(&self) -> Result<(), SceneError> {
        let is_within =
            |range: &Range<usize>, len: usize| range.start <= range.end && range.end <= len;
        let is_valid_part = |part: &Part| {
            let is_own = |vertex: &u32| part.vertices.contains(&(*vertex as usize));
            is_within(&part.vertices, self.vertices)
                && is_within(&part.faces, self.faces.len())
                && is_within(&part.sticks, self.sticks.len())
                && self.faces[part.faces.clone()].as_flattened().iter().all(is_own)
                && self.sticks[part.sticks.clone()].as_flattened().iter().all(is_own)
        };
        if let Some(part) = self.parts.iter().find(|part| !is_valid_part(part)) {
            return Err(SceneError::Part { name: part.name.clone() });
        }
        let is_valid_shape = |shape: &RigidShape| {
            let corners = shape.mesh.triangles.as_flattened();
            shape.mesh.normals.len() == shape.mesh.points.len()
                && corners.iter().all(|&corner| (corner as usize) < shape.mesh.points.len())
        };
        if let Some(shape) = self.rigid_shapes.iter().find(|shape| !is_valid_shape(shape)) {
            return Err(SceneError::RigidShape { name: shape.name.clone() });
        }
        let vertices = self.vertices;
        if let Some(&vertex) = self.pinned.iter().find(|&&vertex| vertex as usize >= vertices) {
            return Err(SceneError::Pinned { vertex, vertices });
        }
        let found = self.ball_radii.len();
        if found != 0 && found != vertices {
            return Err(SceneError::BallRadii { found, vertices });
        }
        Ok(())
    }

    /// Checks that a frame belongs to this drawn scene. Each [`Sink`](crate::Sink) calls this method
    /// with the `path` of its file, which the error names.
    ///
    /// # Errors
    /// If the numbers of vertices, rigid shapes, faces or sticks differ.
    pub fn check_frame(&self, frame: &Frame, path: &Path) -> crate::Result<()> {
        FrameSizes::of(self).check(frame).in_file(path)
    }

    /// The bounded rigid shapes, with their indices. In written files, their points follow the
    /// vertices.
    pub(crate) fn bounded_shapes(&self) -> impl Iterator<Item = (usize, &RigidShape)> {
        self.rigid_shapes.iter().enumerate().filter(|(_, shape)| !shape.unbounded)
    }

    /// The number of points that [`points`](Self::points) returns.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.vertices
            + self.bounded_shapes().map(|(_, shape)| shape.mesh.points.len()).sum::<usize>()
    }

    /// The positions of vertices in written files. File formats cannot hide vertices, so a hidden
    /// vertex gets the position of the first visible vertex of its part, if there is one.
    pub(crate) fn vertex_positions<'a>(&self, frame: &'a Frame) -> Cow<'a, [[f32; 3]]> {
        let mut positions = Cow::Borrowed(&*frame.positions);
        if frame.hidden_vertices.is_empty() {
            return positions;
        }
        for part in &self.parts {
            let Some(visible) = part.vertices.clone().find(|&vertex| frame.has_vertex(vertex))
            else {
                continue;
            };
            for vertex in part.vertices.clone().filter(|&vertex| !frame.has_vertex(vertex)) {
                positions.to_mut()[vertex] = frame.positions[visible];
            }
        }
        positions
    }

    /// The positions of all points of a frame: the vertices, then the points of each bounded rigid
    /// shape. A hidden vertex gets the position of the first visible vertex of its part, if there is
    /// one.
    pub fn points<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = [f32; 3]> + 'a {
        let of_shapes = self.bounded_shapes().flat_map(|(nth, shape)| {
            let pose = frame.poses[nth];
            shape.mesh.points.iter().map(move |&point| pose.point(point))
        });
        let positions = self.vertex_positions(frame);
        (0..positions.len()).map(move |vertex| positions[vertex]).chain(of_shapes)
    }

    /// The triangles of a frame, between the points of [`points`](Self::points): for each part and
    /// each bounded rigid shape its name and triangles.
    pub(crate) fn triangles<'a>(
        &'a self,
        frame: &'a Frame,
    ) -> impl Iterator<Item = (&'a str, Vec<[u32; 3]>)> + 'a {
        let of_parts = self.parts.iter().map(move |part| {
            let faces = part.faces.clone().filter(|&face| frame.has_face(face));
            (&*part.name, faces.map(|face| self.faces[face]).collect())
        });
        let mut first = self.vertices as u32;
        let of_shapes = self.bounded_shapes().map(move |(_, shape)| {
            let triangles = shape.mesh.triangles.iter().map(|it| it.map(|corner| first + corner));
            let triangles = triangles.collect();
            first += shape.mesh.points.len() as u32;
            (&*shape.name, triangles)
        });
        of_parts.chain(of_shapes)
    }
}

impl Pose {
    /// The pose of a triangle: the origin is the first corner, the x axis points to the second, and
    /// the third is in the plane of x and y. Without rotation if the triangle has no area.
    #[must_use]
    pub fn of_triangle(corners: [[f32; 3]; 3]) -> Self {
        let [a, b, c] = corners.map(glam::Vec3::from);
        let axes = || {
            let x = (b - a).try_normalize()?;
            let z = x.cross(c - a).try_normalize()?;
            Some(glam::Quat::from_mat3(&glam::Mat3::from_cols(x, z.cross(x), z)))
        };
        Self { position: a.into(), rotation: axes().unwrap_or_default().to_array() }
    }

    /// The inverse pose.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = glam::Quat::from_array(self.rotation).conjugate();
        let position = rotation * -glam::Vec3::from(self.position);
        Self { position: position.into(), rotation: rotation.to_array() }
    }

    /// Transforms a point.
    #[must_use]
    pub fn point(&self, point: [f32; 3]) -> [f32; 3] {
        let rotated = glam::Quat::from_array(self.rotation) * glam::Vec3::from(point);
        (rotated + glam::Vec3::from(self.position)).into()
    }

    /// Rotates a direction.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        (glam::Quat::from_array(self.rotation) * glam::Vec3::from(direction)).into()
    }
}
