//! Meshes of shapes.

use std::collections::HashMap;
use std::f32::consts::{FRAC_PI_2, TAU};

use glam::Vec3;

/// Points with normals, and triangles of them, counter-clockwise from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals, one for each point.
    pub normals: Vec<[f32; 3]>,
    /// Indices of points.
    pub triangles: Vec<[u32; 3]>,
}

/// Segments of a circle.
const AROUND: u32 = 48;

impl Mesh {
    /// A ball around the origin.
    ///
    /// ```
    /// let ball = taut_export::Mesh::sphere(0.5);
    /// assert!(ball.points.iter().all(|[x, y, z]| (x * x + y * y + z * z - 0.25).abs() < 1e-6));
    /// ```
    #[must_use]
    pub fn sphere(radius: f32) -> Self {
        Self::capsule(radius, 0.0, AROUND)
    }

    /// All points within `radius` of the segment from (0, -half, 0) to (0, half, 0), with `around`
    /// segments.
    #[must_use]
    pub fn capsule(radius: f32, half: f32, around: u32) -> Self {
        let around = around.max(4);
        let rings = around / 4;
        let mut mesh = Self::default();
        let latitude = |ring: u32| FRAC_PI_2 * (ring as f32 / rings as f32 - 1.0);
        let lower = (0..=rings).map(|ring| (latitude(ring), -half));
        // The middle ring is duplicated if the ends are apart.
        let upper = (u32::from(half <= 0.0)..=rings).map(|ring| (FRAC_PI_2 + latitude(ring), half));
        for (latitude, lift) in lower.chain(upper) {
            for step in 0..around {
                let (sine, cosine) = (TAU * step as f32 / around as f32).sin_cos();
                let (high, wide) = latitude.sin_cos();
                let normal = Vec3::new(wide * sine, high, wide * cosine);
                mesh.normals.push(normal.normalize().into());
                mesh.points.push((radius * normal + lift * Vec3::Y).into());
            }
        }
        mesh.lathe(around);
        mesh
    }

    /// An open cylinder of radius and length 1 along y, centred at the origin, to be scaled to sticks.
    #[must_use]
    pub fn rod(around: u32) -> Self {
        let mut mesh = Self::default();
        for y in [-0.5, 0.5] {
            for step in 0..around {
                let (sine, cosine) = (TAU * step as f32 / around as f32).sin_cos();
                mesh.normals.push([sine, 0.0, cosine]);
                mesh.points.push([sine, y, cosine]);
            }
        }
        mesh.lathe(around);
        mesh
    }

    /// Joins rings of `around` points each, from the lowest up.
    fn lathe(&mut self, around: u32) {
        let rings = self.points.len() as u32 / around;
        for ring in 0..rings.saturating_sub(1) {
            for step in 0..around {
                let (low, next) = (ring * around, (step + 1) % around);
                let [a, b] = [low + step, low + next];
                let [c, d] = [a + around, b + around];
                let apart = |[p, q, r]: [u32; 3]| {
                    let [p, q, r] = [p, q, r].map(|it| Vec3::from(self.points[it as usize]));
                    p != q && q != r && r != p
                };
                let two = [[a, b, d], [a, d, c]].into_iter().filter(|&it| apart(it));
                self.triangles.extend(two.collect::<Vec<_>>());
            }
        }
    }

    /// An axis-aligned box centred at the origin.
    #[must_use]
    pub fn cuboid(half: [f32; 3]) -> Self {
        let mut mesh = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0_f32] {
                mesh.side(half, axis, side, side);
            }
        }
        mesh
    }

    /// The floor of a room centred at the origin and its walls up to `high` above the floor, facing
    /// inwards.
    #[must_use]
    pub fn room(half: [f32; 3], high: f32) -> Self {
        let mut mesh = Self::default();
        for (axis, side) in [(1, -1.0), (0, -1.0), (0, 1.0), (2, -1.0), (2, 1.0)] {
            mesh.side(half, axis, side, -side);
        }
        for [_, y, _] in &mut mesh.points {
            *y = y.min(high - half[1]);
        }
        mesh
    }

    /// A square of half size `half` in the plane y = 0, facing up.
    #[must_use]
    pub fn floor(half: f32) -> Self {
        let mut mesh = Self::default();
        mesh.side([half, 0.0, half], 1, 1.0, 1.0);
        mesh
    }

    /// One side of a box, whose normal is along `axis`.
    fn side(&mut self, half: [f32; 3], axis: usize, side: f32, facing: f32) {
        let first = self.points.len() as u32;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut normal = [0.0; 3];
        normal[axis] = facing;
        for [s, t] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0_f32]] {
            let mut point = [0.0; 3];
            point[axis] = side * half[axis];
            point[u] = s * half[u];
            point[v] = t * half[v];
            self.points.push(point);
            self.normals.push(normal);
        }
        let corners = if facing > 0.0 { [0, 1, 2, 3] } else { [0, 3, 2, 1] };
        let [a, b, c, d] = corners.map(|corner| first + corner);
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// Flat-shaded triangles: each corner has the normal of its triangle. Degenerate triangles and those
    /// with invalid indices are skipped.
    #[must_use]
    pub fn faceted(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut mesh = Self::default();
        // Coplanar triangles share corners, so a box has 24.
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
