//! What is shown: all that stays the same from frame to frame, and a frame.

use std::borrow::Cow;
use std::ops::Range;

use crate::Mesh;

/// What a part looks like.
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
    /// What all else collides with.
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

/// A thing that deforms, or some that look alike: a run of vertices, with faces, sticks, or neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// What it looks like.
    pub look: Look,
    /// Its vertices, among those of the stage.
    pub vertices: Range<usize>,
    /// Its faces, among those of the stage; their corners are its vertices.
    pub faces: Range<usize>,
    /// Its sticks that are shown, among those of the stage; their ends are its vertices.
    pub sticks: Range<usize>,
    /// How thick sticks are shown, and vertices where there are neither sticks nor faces: the
    /// radius, m.
    pub radius: f32,
}

/// A thing that moves, but keeps its shape: a rigid body, or what others collide with.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// What it is called.
    pub name: String,
    /// What it looks like.
    pub look: Look,
    /// Its shape, in its own coordinates.
    pub mesh: Mesh,
    /// Whether it has no end, so that `mesh` is only the part of it that is near: a floor, a room.
    pub endless: bool,
}

/// What is shown, but for where it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Whether it lies in the plane z = 0.
    pub flat: bool,
    /// How many vertices there are that move each on its own.
    pub vertices: usize,
    /// Triangles, by the numbers of their vertices, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
    /// Sticks that are shown, by the numbers of their vertices.
    pub sticks: Vec<[u32; 2]>,
    /// How large a ball each vertex is, m, 0 for none; empty if none is.
    pub balls: Vec<f32>,
    /// Vertices that are held.
    pub pinned: Vec<u32>,
    /// The things made of these.
    pub parts: Vec<Part>,
    /// The things that keep their shapes.
    pub solids: Vec<Solid>,
}

/// Where a solid is.
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

/// Where everything on a stage is at a time, in metres, y up.
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
    /// Whether each vertex is not to be seen, as a drop that has dried; empty if all are.
    pub gone_vertices: Vec<bool>,
    /// Whether each face is torn out; empty if none is.
    pub gone_faces: Vec<bool>,
    /// Whether each stick is torn; empty if none is.
    pub gone_sticks: Vec<bool>,
}

/// Whether a flag is up among flags of which there are none if all are down.
pub(crate) fn is_up(flags: &[bool], at: usize) -> bool {
    flags.get(at).copied().unwrap_or(false)
}

impl Frame {
    /// Whether a face is still there.
    #[must_use]
    pub fn has_face(&self, face: usize) -> bool {
        !is_up(&self.gone_faces, face)
    }

    /// Whether a stick is still there.
    #[must_use]
    pub fn has_stick(&self, stick: usize) -> bool {
        !is_up(&self.gone_sticks, stick)
    }

    /// Whether a vertex is to be seen.
    #[must_use]
    pub fn has_vertex(&self, vertex: usize) -> bool {
        !is_up(&self.gone_vertices, vertex)
    }
}

impl Stage {
    /// What is wrong with it, if its numbers name what is not there.
    ///
    /// # Errors
    /// In a few words.
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
            return Err("a part of the stage names vertices, faces or sticks that are not its own");
        }
        let solid = |solid: &Solid| {
            let corners = solid.mesh.triangles.as_flattened();
            solid.mesh.normals.len() == solid.mesh.points.len()
                && corners.iter().all(|&corner| (corner as usize) < solid.mesh.points.len())
        };
        if !self.solids.iter().all(solid) {
            return Err("a solid of the stage names vertices that it has not");
        }
        Ok(())
    }

    /// Whether a frame is of this stage.
    ///
    /// # Errors
    /// If it has more or fewer of something, in a few words.
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
            Err("a frame has other vertices, solids or faces than its stage")
        }
    }

    /// The solids that have an end: those that files of points hold, after the vertices.
    pub(crate) fn ending(&self) -> impl Iterator<Item = (usize, &Solid)> {
        self.solids.iter().enumerate().filter(|(_, solid)| !solid.endless)
    }

    /// How many points [`points`](Self::points) gives.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.vertices + self.ending().map(|(_, solid)| solid.mesh.points.len()).sum::<usize>()
    }

    /// Where files show the vertices of a frame, as those that they hold are all seen: one that is
    /// not to be seen is behind the first of its part that is.
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

    /// Where all points of a frame are: the vertices, then those of each solid that has an end. A
    /// vertex that is not to be seen is where the first of its part is that can be.
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

    /// The pose that leads back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = glam::Quat::from_array(self.rotation).conjugate();
        let position = back * -glam::Vec3::from(self.position);
        Self { position: position.into(), rotation: back.to_array() }
    }

    /// Where a point of the solid is.
    #[must_use]
    pub fn point(&self, point: [f32; 3]) -> [f32; 3] {
        let turned = glam::Quat::from_array(self.rotation) * glam::Vec3::from(point);
        (turned + glam::Vec3::from(self.position)).into()
    }

    /// Where a direction of the solid points.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        (glam::Quat::from_array(self.rotation) * glam::Vec3::from(direction)).into()
    }
}
