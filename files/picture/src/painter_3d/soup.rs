//! Collects all triangles of a frame.

use glam::{Quat, Vec3};
use taut_export::{Frame, Look, Mesh, Part, Stage};

use crate::camera::{Camera, is_floor};
use crate::colour::{faded, linear};

/// The material of a part or rigid shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    /// The colour of the front, in linear light.
    pub(super) front: Vec3,
    /// The colour of the back, in linear light.
    pub(super) back: Vec3,
    /// The share of light from the other side that passes through.
    pub(super) translucency: f32,
    /// The strength of specular reflection.
    pub(super) specular: f32,
    /// Whether the back is culled.
    pub(super) one_sided: bool,
}

impl Material {
    fn new(look: Look, nth: usize) -> Self {
        let front = linear(look.colour(nth));
        let (translucency, specular) = match look {
            Look::Cloth => (0.35, 0.06),
            Look::Plant => (0.3, 0.05),
            Look::Rope | Look::Ground => (0.0, 0.02),
            Look::Body | Look::Ragdoll | Look::Obstacle => (0.0, 0.16),
            Look::Grains => (0.0, 0.5),
        };
        let back = if look == Look::Cloth { faded(front) } else { front };
        Self { front, back, translucency, specular, one_sided: look == Look::Ground }
    }
}

/// All triangles of a frame.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub(super) points: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The material of each triangle.
    pub(super) material: Vec<u16>,
    pub(super) materials: Vec<Material>,
    /// The number of triangles that cast shadows; they come first.
    pub(super) casting: usize,
}

impl Soup {
    /// All triangles of a stage except floors.
    pub(super) fn new(stage: &Stage, frame: &Frame, camera: &Camera) -> Self {
        let mut soup = Self::default();
        for (nth, part) in stage.parts.iter().enumerate() {
            soup.set_material(part.look, nth);
            soup.add_part(stage, frame, part, camera);
        }
        let mut rooms = Vec::new();
        for (nth, (shape, pose)) in stage.rigid_shapes.iter().zip(&frame.poses).enumerate() {
            if !shape.unbounded {
                soup.set_material(shape.look, nth);
                soup.add_mesh(
                    &shape.mesh,
                    |point| pose.point(point),
                    |normal| pose.direction(normal),
                );
                continue;
            }
            if !is_floor(shape, pose) {
                rooms.push((nth, shape, pose));
            }
        }
        soup.casting = soup.triangles.len();
        for (nth, shape, pose) in rooms {
            soup.set_material(shape.look, nth);
            soup.add_mesh(&shape.mesh, |point| pose.point(point), |normal| pose.direction(normal));
        }
        soup
    }

    /// Sets the material of the triangles that follow.
    fn set_material(&mut self, look: Look, nth: usize) {
        self.materials.push(Material::new(look, nth));
    }

    fn add_triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
        self.material.push(self.materials.len() as u16 - 1);
    }

    /// Adds a mesh, with its points and normals transformed.
    fn add_mesh(
        &mut self,
        mesh: &Mesh,
        point: impl Fn([f32; 3]) -> [f32; 3],
        normal: impl Fn([f32; 3]) -> [f32; 3],
    ) {
        let first = self.points.len() as u32;
        self.points.extend(mesh.points.iter().map(|&it| Vec3::from(point(it))));
        self.normals.extend(mesh.normals.iter().map(|&it| Vec3::from(normal(it))));
        for triangle in &mesh.triangles {
            self.add_triangle(triangle.map(|corner| first + corner));
        }
    }

    fn add_part(&mut self, stage: &Stage, frame: &Frame, part: &Part, camera: &Camera) {
        let offset = self.points.len() as u32;
        let position = |vertex: usize| Vec3::from(frame.positions[vertex]);
        if !part.faces.is_empty() {
            let first = part.vertices.start as u32;
            self.points.extend(part.vertices.clone().map(position));
            self.normals.extend(part.vertices.clone().map(|it| Vec3::from(frame.normals[it])));
            for face in part.faces.clone().filter(|&face| frame.has_face(face)) {
                self.add_triangle(stage.faces[face].map(|corner| offset + corner - first));
            }
        }
        // Sticks are rods with a ball at each end. Their size in pixels decides the tessellation.
        let segments = |radius: f32, at: Vec3| match camera.pixels(radius, at) {
            radius if radius < 2.0 => 6,
            radius if radius < 6.0 => 12,
            radius if radius < 20.0 => 24,
            _ => 48,
        };
        let mut ends = Vec::new();
        for stick in part.sticks.clone().filter(|&stick| frame.has_stick(stick)) {
            let [a, b] = stage.sticks[stick].map(|end| position(end as usize));
            ends.extend(stage.sticks[stick]);
            let Some(along) = (b - a).try_normalize() else { continue };
            let rotation = Quat::from_rotation_arc(Vec3::Y, along);
            let (middle, length, radius) = (a.midpoint(b), a.distance(b), part.radius);
            let scale = Vec3::new(radius, length, radius);
            self.add_mesh(
                &Mesh::rod(segments(radius, middle)),
                |it| (rotation * (Vec3::from(it) * scale) + middle).into(),
                |it| (rotation * Vec3::from(it)).into(),
            );
        }
        ends.sort_unstable();
        ends.dedup();
        let joints = ends.into_iter().map(|end| (end as usize, part.radius));
        let only_vertices = part.faces.is_empty() && part.sticks.is_empty();
        let grains = part.vertices.clone().filter(|_| only_vertices).map(|it| (it, part.radius));
        let balls =
            part.vertices.clone().map(|it| (it, stage.balls.get(it).copied().unwrap_or(0.0)));
        for (vertex, radius) in joints.chain(grains).chain(balls) {
            if radius > 0.0 && frame.has_vertex(vertex) {
                let centre = position(vertex);
                let ball = Mesh::capsule(1.0, 0.0, segments(radius, centre));
                self.add_mesh(&ball, |it| (radius * Vec3::from(it) + centre).into(), |it| it);
            }
        }
    }
}
