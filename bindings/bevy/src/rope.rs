//! Ropes: the component, its model, and the tube as which it is drawn.

use bevy_asset::RenderAssetUsages;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Indices, Mesh, PrimitiveTopology};
use bevy_reflect::prelude::*;
use bevy_transform::prelude::Transform;
use taut::Kind;
use taut::world::{self as model, Model};

use crate::cloth::with_properties;
use crate::error::TautError;

/// Number of sides of the tube as which a rope is drawn.
const SIDES: usize = 8;
/// Number of vertices around each particle of the tube. The last one is at the position of the first one,
/// with u = 1 instead of 0, so that a texture closes at a seam.
pub(crate) const RING_VERTICES: usize = SIDES + 1;

/// A rope or chain along a path.
///
/// The rope is as long as its path. If [`radius`](Self::radius) is above 0, the plugin inserts a
/// [`Mesh3d`](bevy_mesh::Mesh3d) with a tube of eight sides; add a material to see it. The groups of its
/// [`Pins`](crate::Pins) are `start`, `end` and `ends`.
///
/// ```
/// use bevy_math::Vec3;
/// use bevy_taut::Rope;
///
/// let rope = Rope::new([Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0)]);
/// let chain = Rope { density: 2.0, resists_compression: false, ..rope };
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct Rope {
    /// The path, at least two points, in the space of the entity, m.
    pub path: Vec<Vec3>,
    /// The largest distance between neighbouring particles, m, whatever the scale of the entity. Default: 0.05.
    pub spacing: f32,
    /// Mass per length, kg/m, whatever the scale of the entity. Default: 0.1.
    pub density: f32,
    /// The radius of the tube as which the rope is drawn, m. 0: the rope is not drawn. With colliders, particles collide
    /// as points, whatever the radius. Default: 0.01.
    pub radius: f32,
    /// The stiffness of bending, 0 to 1. Default: 0.
    pub bending: f32,
    /// Whether the sticks between neighbours resist compression; those of a chain do not. (Sticks that
    /// resist bending always do.) Default: true.
    pub resists_compression: bool,
    /// Whether its particles are tethered to pinned ones, so that it hardly stretches. Default: true.
    pub tethered: bool,
    /// The multiple of its rest length at which a stick tears. Default: `None`, never.
    pub tear_factor: Option<f32>,
    /// Whether it collides with itself and with other cloths and ropes that have this field set. Steps then
    /// take longer. Default: false.
    pub self_collision: bool,
}

impl Rope {
    /// A rope along a path, m.
    pub fn new(path: impl IntoIterator<Item = Vec3>) -> Self {
        Self {
            path: path.into_iter().collect(),
            spacing: 0.05,
            density: 0.1,
            radius: 0.01,
            bending: 0.0,
            resists_compression: true,
            tethered: true,
            tear_factor: None,
            self_collision: false,
        }
    }

    /// The model, in the space of the entity, its path multiplied by the entity's scale.
    pub(crate) fn model(&self, scale: [f64; 3]) -> Result<Model, TautError> {
        let scaled = |point: &Vec3| -> [f32; 3] {
            let point = point.to_array();
            core::array::from_fn(|axis| (f64::from(point[axis]) * scale[axis]) as f32)
        };
        let path: Vec<[f32; 3]> = self.path.iter().map(scaled).collect();
        let kind = if self.resists_compression { Kind::TwoSided } else { Kind::Maximum };
        let rope = model::Rope {
            spacing: self.spacing,
            density: self.density,
            kind,
            bending: self.bending,
        };
        let model = Model::rope(&path, &rope)?;
        with_properties(model, self.tethered, self.tear_factor, self.self_collision)
    }
}

/// The mesh of the tube of a rope with this number of particles, at least 2: a ring of vertices around each
/// particle. Positions and normals are written by [`write_tube`].
pub(crate) fn tube(particles: usize) -> Mesh {
    let vertex_of = |ring: u32, side: u32| ring * RING_VERTICES as u32 + side;
    let triangles: Vec<u32> = (0..particles as u32 - 1)
        .flat_map(|ring| (0..SIDES as u32).map(move |side| (ring, side)))
        .flat_map(|(ring, side)| {
            let [a, b] = [vertex_of(ring, side), vertex_of(ring, side + 1)];
            let [c, d] = [vertex_of(ring + 1, side), vertex_of(ring + 1, side + 1)];
            [a, b, c, c, b, d]
        })
        .collect();
    let uv = |vertex: usize| {
        let along = (vertex / RING_VERTICES) as f32 / (particles - 1) as f32;
        [(vertex % RING_VERTICES) as f32 / SIDES as f32, along]
    };
    let vertices = RING_VERTICES * particles;
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0_f32; 3]; vertices])
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0_f32, 1.0, 0.0]; vertices])
        .with_inserted_attribute(
            Mesh::ATTRIBUTE_UV_0,
            (0..vertices).map(uv).collect::<Vec<[f32; 2]>>(),
        )
        .with_inserted_indices(Indices::U32(triangles))
}

/// The indices of the triangles of the tube around a segment of the rope.
pub(crate) fn triangles_of_segment(segment: usize) -> core::ops::Range<usize> {
    2 * SIDES * segment..2 * SIDES * (segment + 1)
}

/// Writes the rings of a tube around a line of points. Each ring is rotated as little as possible
/// relative to the one before it (parallel transport), so the tube does not twist.
pub(crate) fn write_tube(
    line: &[[f32; 3]],
    radius: f32,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    let point = |particle: usize| Vec3::from(line[particle]);
    let mut ring_normal = Vec3::ZERO;
    for particle in 0..line.len() {
        let before = particle.saturating_sub(1);
        let after = (particle + 1).min(line.len() - 1);
        let tangent = (point(after) - point(before)).normalize_or(Vec3::Y);
        ring_normal = (ring_normal - tangent * ring_normal.dot(tangent))
            .try_normalize()
            .unwrap_or_else(|| tangent.any_orthonormal_vector());
        let binormal = tangent.cross(ring_normal);
        for ring_vertex in 0..RING_VERTICES {
            let side = ring_vertex % SIDES; // so that the last vertex is exactly at the first one
            let angle = core::f32::consts::TAU * side as f32 / SIDES as f32;
            let normal =
                ring_normal * bevy_math::ops::cos(angle) + binormal * bevy_math::ops::sin(angle);
            let vertex = RING_VERTICES * particle + ring_vertex;
            positions[vertex] = (point(particle) + normal * radius).to_array();
            normals[vertex] = normal.to_array();
        }
    }
}
