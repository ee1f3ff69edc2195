//! Sticks and balls as nodes: each is an instance of a mesh with animated translation, rotation and
//! scale.

use glam::{Quat, Vec3};

use super::RODS_MAX;
use super::document::Document;
use crate::{DrawnScene, Frame, Mesh, Pose};

/// The sticks and balls of a part at all keys.
pub(super) struct Rods {
    /// The index of the part.
    part: usize,
    sticks: Vec<Rod>,
    balls: Vec<Rod>,
}

/// A stick or ball at each key.
struct Rod {
    /// The index of the stick, or of the vertex of the ball.
    index: usize,
    poses: Vec<Pose>,
    /// Along x, y and z, m. A stick has its radius, length and radius, or 0 if it is torn; a ball has
    /// its radius three times.
    scales: Vec<[f32; 3]>,
}

impl Rods {
    /// Whether the drawn scene has few enough sticks and balls to make each a node.
    pub(super) fn are_nodes(scene: &DrawnScene) -> bool {
        let sticks: usize = scene.parts.iter().map(|part| part.sticks.len()).sum();
        sticks + scene.ball_radii.iter().filter(|&&radius| radius > 0.0).count() <= RODS_MAX
    }

    /// The sticks and balls of each part that has any; empty if there are too many to be nodes.
    pub(super) fn all(scene: &DrawnScene) -> Vec<Self> {
        if !Self::are_nodes(scene) {
            return Vec::new();
        }
        let rod = |index| Rod { index, poses: Vec::new(), scales: Vec::new() };
        let all = scene.parts.iter().enumerate().map(|(nth, part)| {
            let is_ball =
                |vertex: &usize| scene.ball_radii.get(*vertex).is_some_and(|&radius| radius > 0.0);
            Self {
                part: nth,
                sticks: part.sticks.clone().map(rod).collect(),
                balls: part.vertices.clone().filter(is_ball).map(rod).collect(),
            }
        });
        all.filter(|rods| rods.len() > 0).collect()
    }

    /// The number of sticks and balls.
    pub(super) fn len(&self) -> usize {
        self.sticks.len() + self.balls.len()
    }

    /// The sticks with the mesh of a stick, and the balls with the mesh of a ball, if there are any.
    fn meshes(&self) -> impl Iterator<Item = (&[Rod], Mesh)> {
        let (stick, ball) = (Mesh::rod(12), Mesh::capsule(1.0, 0.0, 24));
        let both = [(&*self.sticks, stick), (&*self.balls, ball)];
        both.into_iter().filter(|(rods, _)| !rods.is_empty())
    }

    /// The size of the data of the meshes, bytes.
    pub(super) fn mesh_bytes(&self) -> u64 {
        let size = |(_, mesh): (_, Mesh)| 24 * mesh.points.len() + 12 * mesh.triangles.len();
        self.meshes().map(size).sum::<usize>() as u64
    }

    /// Adds a key.
    pub(super) fn add_key(&mut self, scene: &DrawnScene, frame: &Frame) {
        let radius = scene.parts[self.part].radius;
        for rod in &mut self.sticks {
            let ends = scene.sticks[rod.index];
            let [a, b] = ends.map(|end| Vec3::from(frame.positions[end as usize]));
            let along = b - a;
            let rotation = along.try_normalize().map(|unit| Quat::from_rotation_arc(Vec3::Y, unit));
            let position = a.midpoint(b).into();
            let pose = Pose { position, rotation: rotation.unwrap_or_default().to_array() };
            rod.poses.push(pose.with_quaternion_near(rod.poses.last()));
            rod.scales.push(if frame.has_stick(rod.index) {
                [radius, along.length(), radius]
            } else {
                [0.0; 3]
            });
        }
        for ball in &mut self.balls {
            ball.poses.push(Pose { position: frame.positions[ball.index], ..Pose::REST });
            ball.scales.push([scene.ball_radii[ball.index]; 3]);
        }
    }

    /// Adds their nodes, as children of a node with the name of the part.
    pub(super) fn add_nodes(&self, scene: &DrawnScene, document: &mut Document) {
        let part = &scene.parts[self.part];
        let material = document.material(part.material, self.part);
        let parent = document.add_node(&part.name, None);
        for (rods, mesh) in self.meshes() {
            let mesh = document.add_rigid_mesh(&part.name, &mesh, material);
            for rod in rods {
                let node = document.add_child(parent, mesh);
                document.set_poses(node, &rod.poses);
                document.set_scales(node, &rod.scales);
            }
        }
    }
}
