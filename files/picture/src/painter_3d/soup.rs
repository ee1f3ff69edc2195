//! Collects the triangles of a frame that are drawn.

use glam::{Quat, Vec3};
use taut_export::{DrawnScene, Frame, Material, Mesh, Part};

use crate::camera::{Camera, is_horizontal_plane};
use crate::colour::{faded, linear};

/// The shading of a part or rigid shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shading {
    /// The colour of the front, in linear light.
    pub(super) front: Vec3,
    /// The colour of the back, in linear light.
    pub(super) back: Vec3,
    /// The fraction of light from the other side that passes through.
    pub(super) translucency: f32,
    /// The strength of specular reflection.
    pub(super) specular: f32,
    /// Whether the back is culled.
    pub(super) one_sided: bool,
}

impl Shading {
    fn new(material: Material, nth: usize) -> Self {
        let front = linear(material.colour(nth));
        let (translucency, specular) = match material {
            Material::Cloth => (0.35, 0.06),
            Material::Plant => (0.3, 0.05),
            Material::Rope | Material::Ground => (0.0, 0.02),
            Material::Body | Material::Ragdoll | Material::Obstacle => (0.0, 0.16),
            Material::Grains => (0.0, 0.5),
        };
        let back = if material == Material::Cloth { faded(front) } else { front };
        Self { front, back, translucency, specular, one_sided: material == Material::Ground }
    }
}

/// The triangles of a frame that are drawn: all except those of floors.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub(super) points: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each triangle the index of its shading.
    pub(super) shading_indices: Vec<u32>,
    pub(super) shadings: Vec<Shading>,
    /// The number of triangles that cast shadows; they come first.
    pub(super) caster_count: usize,
}

impl Soup {
    /// Collects the triangles of a frame. The camera decides how finely sticks and balls are divided.
    pub(super) fn new(scene: &DrawnScene, frame: &Frame, camera: &Camera) -> Self {
        let mut soup = Self::default();
        for (nth, part) in scene.parts.iter().enumerate() {
            soup.set_material(part.material, nth);
            soup.add_part(scene, frame, part, camera);
        }
        // Unbounded shapes other than floors cast no shadows, so they come last.
        let mut slopes_and_rooms = Vec::new();
        for (nth, (shape, pose)) in scene.rigid_shapes.iter().zip(&frame.poses).enumerate() {
            if !shape.unbounded {
                soup.set_material(shape.material, nth);
                soup.add_mesh(
                    &shape.mesh,
                    |point| pose.point(point),
                    |normal| pose.direction(normal),
                );
                continue;
            }
            if !is_horizontal_plane(shape, pose) {
                slopes_and_rooms.push((nth, shape, pose));
            }
        }
        soup.caster_count = soup.triangles.len();
        for (nth, shape, pose) in slopes_and_rooms {
            soup.set_material(shape.material, nth);
            soup.add_mesh(&shape.mesh, |point| pose.point(point), |normal| pose.direction(normal));
        }
        soup
    }

    /// Sets the shading of the triangles that follow.
    fn set_material(&mut self, material: Material, nth: usize) {
        self.shadings.push(Shading::new(material, nth));
    }

    fn add_triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
        self.shading_indices.push(self.shadings.len() as u32 - 1);
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

    fn add_part(&mut self, scene: &DrawnScene, frame: &Frame, part: &Part, camera: &Camera) {
        let first_point = self.points.len() as u32;
        let position = |vertex: usize| Vec3::from(frame.positions[vertex]);
        if !part.faces.is_empty() {
            let first_vertex = part.vertices.start as u32;
            self.points.extend(part.vertices.clone().map(position));
            self.normals.extend(part.vertices.clone().map(|it| Vec3::from(frame.normals[it])));
            for face in part.faces.clone().filter(|&face| frame.has_face(face)) {
                self.add_triangle(
                    scene.faces[face].map(|corner| first_point + corner - first_vertex),
                );
            }
        }
        // Sticks are rods with a ball at each end. Their radius in pixels decides how many segments
        // are around them.
        let segments = |radius: f32, centre: Vec3| match camera.pixels(radius, centre) {
            pixels if pixels < 2.0 => 6,
            pixels if pixels < 6.0 => 12,
            pixels if pixels < 20.0 => 24,
            _ => 48,
        };
        let mut ends = Vec::new();
        for stick in part.sticks.clone().filter(|&stick| frame.has_stick(stick)) {
            let [a, b] = scene.sticks[stick].map(|end| position(end as usize));
            ends.extend(scene.sticks[stick]);
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
        let stick_ends = ends.into_iter().map(|end| (end as usize, part.radius));
        let lone_vertices = if part.are_vertices_drawn() { part.vertices.clone() } else { 0..0 };
        let lone_vertices = lone_vertices.map(|it| (it, part.radius));
        let vertices_with_radii =
            part.vertices.clone().map(|it| (it, scene.ball_radii.get(it).copied().unwrap_or(0.0)));
        for (vertex, radius) in stick_ends.chain(lone_vertices).chain(vertices_with_radii) {
            if radius > 0.0 && frame.has_vertex(vertex) {
                let centre = position(vertex);
                let ball = Mesh::capsule(1.0, 0.0, segments(radius, centre));
                self.add_mesh(&ball, |it| (radius * Vec3::from(it) + centre).into(), |it| it);
            }
        }
    }
}
