//! The stage, which is constant over frames, and frames.

use std::borrow::Cow;
use std::ops::Range;

use crate::Mesh;

/// The look of a part or solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Cloth: both sides are seen.
    Cloth,
    /// Ropes, and what hangs on them.
    Rope,
    /// Stems and leaves.
    Plant,
    /// Rigid bodies.
    Body,
    /// Limbs.
    Ragdoll,
    /// Single particles: drops, grains.
    Grains,
    /// Obstacles.
    Collider,
    /// Floors, slopes and the insides of rooms.
    Ground,
}

impl Look {
    /// Its colour, in sRGB; things of a look that is told apart by colours differ by `nth`.
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
            Self::Collider => [0x8c, 0x9a, 0xad],
            Self::Ground => [0xc3, 0xc9, 0xd1],
        }
    }
}

/// A deformable part: a range of vertices, with faces, sticks, or neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its look.
    pub look: Look,
    /// Its vertices, among those of the stage.
    pub vertices: Range<usize>,
    /// Its faces, among those of the stage; their corners are its vertices.
    pub faces: Range<usize>,
    /// Its sticks that are shown, among those of the stage; their ends are its vertices.
    pub sticks: Range<usize>,
    /// The drawn radius of sticks, and of vertices if there are neither sticks nor faces, m.
    pub radius: f32,
}

/// A rigid shape that may move: a rigid body or an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its name.
    pub name: String,
    /// Its look.
    pub look: Look,
    /// Its shape, in its own coordinates.
    pub mesh: Mesh,
    /// Whether it is unbounded, so that `mesh` is only its near part: a floor, a room.
    pub endless: bool,
}

/// The scene without positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Whether it lies in the plane z = 0.
    pub flat: bool,
    /// Number of vertices.
    pub vertices: usize,
    /// Triangles, by the numbers of their vertices, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
    /// Sticks that are shown, by the numbers of their vertices.
    pub sticks: Vec<[u32; 2]>,
    /// Radius of each vertex that is a ball, m, 0 for others; empty if none is.
    pub balls: Vec<f32>,
    /// Pinned vertices.
    pub pinned: Vec<u32>,
    /// The deformable parts.
    pub parts: Vec<Part>,
    /// The rigid solids.
    pub solids: Vec<Solid>,
}

/// The pose of a solid.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pose {
    /// Of its origin, m.
    pub position: [f32; 3],
    /// A quaternion of length 1: x, y, z, w.
    pub rotation: [f32; 4],
}

impl Pose {
    /// At the origin, not turned.
    pub const REST: Self = Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
}

/// Positions of everything on a stage at a time, in metres, y up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// s.
    pub time: f64,
    /// Of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// Of each vertex, of length 1; those of no face may be 0.
    pub normals: Vec<[f32; 3]>,
    /// Of each solid.
    pub poses: Vec<Pose>,
    /// Whether each vertex is hidden, such as an expired drop; empty if none is.
    pub gone_vertices: Vec<bool>,
    /// Whether each face is torn out; empty if none is.
    pub gone_faces: Vec<bool>,
    /// Whether each stick is torn; empty if none is.
    pub gone_sticks: Vec<bool>,
}

/// A flag; false if the flags are empty.
pub(crate) fn is_up(flags: &[bool], at: usize) -> bool {
    flags.get(at).copied().unwrap_or(false)
}

impl Frame {
    /// Whether a face is not torn out.
    #[must_use]
    pub fn has_face(&self, face: usize) -> bool {
        !is_up(&self.gone_faces, face)
    }

    /// Whether a stick is not torn.
    #[must_use]
    pub fn has_stick(&self, stick: usize) -> bool {
        !is_up(&self.gone_sticks, stick)
    }

    /// Whether a vertex is visible.
    #[must_use]
    pub fn has_vertex(&self, vertex: usize) -> bool {
        !is_up(&self.gone_vertices, vertex)
    }
}

impl Stage {
    /// Checks that all indices are valid.
    ///
    /// # Errors
    /// A short description of the invalid index.
    pub fn check(&self) -> Result<(), &'static str> {
        let within = |part: &Range<usize>, all: usize| part.start <= part.end && part.end <= all;
        let sane = |part: &Part| {
            let own = |vertex: &u32| part.vertices.contains(&(*vertex as usize));
            within(&part.vertices, self.vertices)
                && within(&part.faces, self.faces.len())
                && within(&part.sticks, self.sticks.len())
                && self.faces[part.faces.clone()].as_flattened().iter().all(own)
                && self.sticks[part.sticks.clone()].as_flattened().iter().all(own)
        };
        if !self.parts.iter().all(sane) {
            return Err(
                "a part of the stage has indices of vertices, faces or sticks outside its ranges",
            );
        }
        let solid = |solid: &Solid| {
            let corners = solid.mesh.triangles.as_flattened();
            solid.mesh.normals.len() == solid.mesh.points.len()
                && corners.iter().all(|&corner| (corner as usize) < solid.mesh.points.len())
        };
        if !self.solids.iter().all(solid) {
            return Err("a solid of the stage has an index of a vertex that does not exist");
        }
        Ok(())
    }

    /// Checks that a frame belongs to this stage.
    ///
    /// # Errors
    /// A short description if numbers of elements differ.
    pub fn check_frame(&self, frame: &Frame) -> Result<(), &'static str> {
        let flags = |flags: &[bool], all: usize| flags.is_empty() || flags.len() == all;
        let fits = frame.positions.len() == self.vertices
            && frame.normals.len() == self.vertices
            && frame.poses.len() == self.solids.len()
            && flags(&frame.gone_vertices, self.vertices)
            && flags(&frame.gone_faces, self.faces.len())
            && flags(&frame.gone_sticks, self.sticks.len());
        if fits {
            Ok(())
        } else {
            Err("a frame and its stage have different numbers of vertices, solids or faces")
        }
    }

    /// The solids that have an end: those that files of points hold, after the vertices.
    pub(crate) fn ending(&self) -> impl Iterator<Item = (usize, &Solid)> {
        self.solids.iter().enumerate().filter(|(_, solid)| !solid.endless)
    }

    /// The number of points that [`points`](Self::points) returns.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.vertices + self.ending().map(|(_, solid)| solid.mesh.points.len()).sum::<usize>()
    }

    /// Positions of vertices for files, which cannot hide vertices: a hidden one gets the position
    /// of the first visible one of its part.
    pub(crate) fn places<'a>(&self, frame: &'a Frame) -> Cow<'a, [[f32; 3]]> {
        let mut places = Cow::Borrowed(&*frame.positions);
        if frame.gone_vertices.is_empty() {
            return places;
        }
        for part in &self.parts {
            let Some(seen) = part.vertices.clone().find(|&it| frame.has_vertex(it)) else {
                continue;
            };
            for vertex in part.vertices.clone().filter(|&it| !frame.has_vertex(it)) {
                places.to_mut()[vertex] = frame.positions[seen];
            }
        }
        places
    }

    /// Positions of all points of a frame: the vertices, then the points of each bounded solid. A
    /// hidden vertex gets the position of the first visible one of its part.
    pub fn points<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = [f32; 3]> + 'a {
        let of_solids = self.ending().flat_map(|(nth, solid)| {
            let pose = frame.poses[nth];
            solid.mesh.points.iter().map(move |&point| pose.point(point))
        });
        let places = self.places(frame);
        (0..places.len()).map(move |vertex| places[vertex]).chain(of_solids)
    }

    /// The triangles among those points that a frame has: of each part and solid, by its name.
    pub(crate) fn triangles<'a>(
        &'a self,
        frame: &'a Frame,
    ) -> impl Iterator<Item = (&'a str, Vec<[u32; 3]>)> + 'a {
        let of_parts = self.parts.iter().map(move |part| {
            let here = part.faces.clone().filter(|&face| frame.has_face(face));
            (&*part.name, here.map(|face| self.faces[face]).collect())
        });
        let mut first = self.vertices as u32;
        let of_solids = self.ending().map(move |(_, solid)| {
            let triangles = solid.mesh.triangles.iter().map(|it| it.map(|corner| first + corner));
            let triangles = triangles.collect();
            first += solid.mesh.points.len() as u32;
            (&*solid.name, triangles)
        });
        of_parts.chain(of_solids)
    }
}

impl Pose {
    /// The pose whose origin is the first corner of a triangle, whose x leads to the second, and in
    /// whose plane of x and y the third lies; not turned if the triangle has no area.
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
        let back = glam::Quat::from_array(self.rotation).conjugate();
        let position = back * -glam::Vec3::from(self.position);
        Self { position: position.into(), rotation: back.to_array() }
    }

    /// Transforms a point.
    #[must_use]
    pub fn point(&self, point: [f32; 3]) -> [f32; 3] {
        let turned = glam::Quat::from_array(self.rotation) * glam::Vec3::from(point);
        (turned + glam::Vec3::from(self.position)).into()
    }

    /// Rotates a direction.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        (glam::Quat::from_array(self.rotation) * glam::Vec3::from(direction)).into()
    }
}
