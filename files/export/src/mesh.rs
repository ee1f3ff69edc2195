//! Triangle meshes of simple shapes.

use std::collections::HashMap;
use std::f32::consts::{FRAC_PI_2, TAU};

use glam::Vec3;

/// Points with normals, and triangles. The corners of a triangle are counter-clockwise from
/// outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals, one for each point.
    pub normals: Vec<[f32; 3]>,
    /// Indices of points.
    pub triangles: Vec<[u32; 3]>,
}

/// Segments around a sphere.
const SEGMENTS: u32 = 48;

impl Mesh {
    /// A sphere of this radius, m, around the origin.
    ///
    /// ```
    /// let ball = taut_export::Mesh::sphere(0.5);
    /// assert!(ball.points.iter().all(|[x, y, z]| (x * x + y * y + z * z - 0.25).abs() < 1e-6));
    /// ```
    #[must_use]
    pub fn sphere(radius: f32) -> Self {
        Self::capsule(radius, 0.0, SEGMENTS)
    }

    /// A capsule: the surface of all points within `radius` of the line from (0, -`half_length`, 0) to
    /// (0, `half_length`, 0), both in metres, with `segments` segments around the line, at least 4.
    #[must_use]
    pub fn capsule(radius: f32, half_length: f32, segments: u32) -> Self {
        let segments = segments.max(4);
        let rings = segments / 4;
        let mut mesh = Self::default();
        let latitude = |ring: u32| FRAC_PI_2 * (ring as f32 / rings as f32 - 1.0);
        let lower = (0..=rings).map(|ring| (latitude(ring), -half_length));
        // A sphere has one middle ring, a longer capsule two.
        let upper = (u32::from(half_length <= 0.0)..=rings)
            .map(|ring| (FRAC_PI_2 + latitude(ring), half_length));
        for (latitude, centre) in lower.chain(upper) {
            for segment in 0..segments {
                let (sine, cosine) = (TAU * segment as f32 / segments as f32).sin_cos();
                let (height, cosine_of_latitude) = latitude.sin_cos();
                // At a pole the cosine is not quite 0, but all points of the ring must be equal.
                let width = if height.abs() < 1.0 { cosine_of_latitude } else { 0.0 };
                let normal = Vec3::new(width * sine, height, width * cosine);
                mesh.normals.push(normal.normalize().into());
                mesh.points.push((radius * normal + centre * Vec3::Y).into());
            }
        }
        mesh.join_rings(segments);
        mesh
    }

    /// An open cylinder of radius 1 and length 1 along y, centred at the origin, with `segments`
    /// segments around the axis, at least 3. Scaled, it draws a stick.
    #[must_use]
    pub fn rod(segments: u32) -> Self {
        let segments = segments.max(3);
        let mut mesh = Self::default();
        for y in [-0.5, 0.5] {
            for segment in 0..segments {
                let (sine, cosine) = (TAU * segment as f32 / segments as f32).sin_cos();
                mesh.normals.push([sine, 0.0, cosine]);
                mesh.points.push([sine, y, cosine]);
            }
        }
        mesh.join_rings(segments);
        mesh
    }

    /// Adds triangles between rings of `segments` points each, which are ordered from the lowest
    /// up.
    fn join_rings(&mut self, segments: u32) {
        let rings = self.points.len() as u32 / segments;
        for ring in 0..rings.saturating_sub(1) {
            for segment in 0..segments {
                let (first, next) = (ring * segments, (segment + 1) % segments);
                let [a, b] = [first + segment, first + next];
                let [c, d] = [a + segments, b + segments];
                let not_degenerate = |[p, q, r]: [u32; 3]| {
                    let [p, q, r] = [p, q, r].map(|point| Vec3::from(self.points[point as usize]));
                    p != q && q != r && r != p
                };
                let both = [[a, b, d], [a, d, c]].into_iter().filter(|&it| not_degenerate(it));
                self.triangles.extend(both.collect::<Vec<_>>());
            }
        }
    }

    /// An axis-aligned box with these half extents, m, centred at the origin.
    #[must_use]
    pub fn cuboid(half_extents: [f32; 3]) -> Self {
        let mut mesh = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0_f32] {
                mesh.add_side(half_extents, axis, side, side);
            }
        }
        mesh
    }

    /// The floor of a room centred at the origin with these half extents, m, and its walls up to
    /// `wall_height`, m, above the floor. The normals point inwards.
    #[must_use]
    pub fn room(half_extents: [f32; 3], wall_height: f32) -> Self {
        let mut mesh = Self::default();
        for (axis, side) in [(1, -1.0), (0, -1.0), (0, 1.0), (2, -1.0), (2, 1.0)] {
            mesh.add_side(half_extents, axis, side, -side);
        }
        for [_, y, _] in &mut mesh.points {
            *y = y.min(wall_height - half_extents[1]);
        }
        mesh
    }

    /// A square with sides of twice `half_side`, m, in the plane y = 0, facing up.
    #[must_use]
    pub fn floor(half_side: f32) -> Self {
        let mut mesh = Self::default();
        mesh.add_side([half_side, 0.0, half_side], 1, 1.0, 1.0);
        mesh
    }

    /// Adds the side of a box at `side * half_extents` along `axis`; the sign of `facing` is that of
    /// its normal.
    fn add_side(&mut self, half_extents: [f32; 3], axis: usize, side: f32, facing: f32) {
        let first = self.points.len() as u32;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut normal = [0.0; 3];
        normal[axis] = facing;
        for [s, t] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0_f32]] {
            let mut point = [0.0; 3];
            point[axis] = side * half_extents[axis];
            point[u] = s * half_extents[u];
            point[v] = t * half_extents[v];
            self.points.push(point);
            self.normals.push(normal);
        }
        let corners = if facing > 0.0 { [0, 1, 2, 3] } else { [0, 3, 2, 1] };
        let [a, b, c, d] = corners.map(|corner| first + corner);
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// Flat-shaded triangles: each corner has the normal of its triangle. Degenerate triangles and
    /// triangles with invalid indices are skipped.
    #[must_use]
    pub fn faceted(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut mesh = Self::default();
        // Triangles that share a corner and have the same normal, rounded to 0.001, share the point:
        // a box has 24 points.
        let mut corners: HashMap<(u32, [i32; 3]), u32> = HashMap::new();
        for triangle in triangles {
            let [Some(a), Some(b), Some(c)] =
                triangle.map(|corner| points.get(corner as usize).copied().map(Vec3::from))
            else {
                continue;
            };
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let rounded = (normal * 1e3).round().to_array().map(|n| n as i32);
            mesh.triangles.push(triangle.map(|corner| {
                *corners.entry((corner, rounded)).or_insert_with(|| {
                    mesh.points.push(points[corner as usize]);
                    mesh.normals.push(normal.into());
                    mesh.points.len() as u32 - 1
                })
            }));
        }
        mesh
    }
}
