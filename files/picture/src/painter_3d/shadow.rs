//! Shadow mapping: a depth map of a directional light (Williams, "Casting curved shadows on curved
//! surfaces", 1978), with several look-ups around a point (Reeves, Salesin and Cook, "Rendering
//! antialiased shadows with depth maps", 1987).

use glam::{Vec2, Vec3};

use super::soup::Soup;
use crate::camera::Bounds;

/// A shadow map of a directional light.
#[derive(Clone, Debug)]
pub(super) struct ShadowMap {
    right: Vec3,
    up: Vec3,
    /// The direction towards the light.
    pub(super) towards: Vec3,
    /// The corner of the map with the smallest coordinates along `right` and `up`, m.
    corner: Vec2,
    /// Cells per m.
    scale: f32,
    /// Cells along each side.
    side: usize,
    /// For each cell the coordinate along `towards` of the surface nearest to the light, m.
    highest: Vec<f32>,
}

impl ShadowMap {
    /// An empty map of `side` by `side` cells that covers the bounds, extended down to the floor.
    pub(super) fn new(bounds: &Bounds, floor: f32, towards: Vec3, side: usize) -> Self {
        let right = towards.any_orthonormal_vector();
        let up = towards.cross(right);
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for vertex in 0..8 {
            let select =
                |bit: u32, min: f32, max: f32| if (vertex >> bit) & 1 == 0 { min } else { max };
            let (min, max) = (bounds.min, bounds.max);
            let point = Vec3::new(
                select(0, min.x, max.x),
                select(1, min.y.min(floor), max.y),
                select(2, min.z, max.z),
            );
            let across = Vec2::new(point.dot(right), point.dot(up));
            low = low.min(across);
            high = high.max(across);
        }
        // With a margin of 1 % at each side.
        let width = (high - low).max_element().max(1e-6) * 1.02;
        let corner = low.midpoint(high) - Vec2::splat(0.5 * width);
        let scale = side as f32 / width;
        Self { right, up, towards, corner, scale, side, highest: Vec::new() }
    }

    /// Returns the map with the triangles of a frame that cast shadows.
    #[allow(clippy::cast_sign_loss, reason = "clamped")]
    pub(super) fn with_triangles_of(&self, soup: &Soup) -> Self {
        let mut map =
            Self { highest: vec![f32::NEG_INFINITY; self.side * self.side], ..self.clone() };
        // x and y are the cell of a point, z is its coordinate along `towards`, m.
        let cells: Vec<Vec3> =
            soup.points.iter().map(|&it| self.cell(it).extend(it.dot(self.towards))).collect();
        for corners in &soup.triangles[..soup.caster_count] {
            let [a, b, c] = corners.map(|corner| cells[corner as usize]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            let has_area = area.abs() > 1e-9;
            if !has_area {
                continue;
            }
            let side = self.side as f32;
            // The cells whose centres are from `low` to `high`.
            let cell_range = |low: f32, high: f32| {
                (low - 0.5).ceil().clamp(0.0, side) as usize
                    ..((high - 0.5).floor() + 1.0).clamp(0.0, side) as usize
            };
            for row in cell_range(low.y, high.y) {
                let y = row as f32 + 0.5;
                for column in cell_range(low.x, high.x) {
                    let x = column as f32 + 0.5;
                    // The barycentric coordinates t, u and v of corners a, b and c.
                    let u = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) / area;
                    let v = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) / area;
                    let t = 1.0 - u - v;
                    if u >= 0.0 && v >= 0.0 && t >= 0.0 {
                        let cell = &mut map.highest[row * self.side + column];
                        *cell = cell.max(t * a.z + u * b.z + v * c.z);
                    }
                }
            }
        }
        map
    }

    /// The cell of a point, not rounded.
    fn cell(&self, point: Vec3) -> Vec2 {
        (Vec2::new(point.dot(self.right), point.dot(self.up)) - self.corner) * self.scale
    }

    /// The size of a cell, m.
    pub(super) fn cell_size(&self) -> f32 {
        1.0 / self.scale
    }

    /// The fraction of the light that reaches a point: the mean of look-ups at `offsets`, scaled by
    /// `radius`, m. An occluder blocks less light the farther it is from the point, and none at a
    /// distance of `fade`, m, or more.
    #[allow(clippy::cast_sign_loss, reason = "checked")]
    pub(super) fn visibility(&self, point: Vec3, radius: f32, fade: f32, offsets: &[Vec2]) -> f32 {
        let (centre, height) = (self.cell(point), point.dot(self.towards));
        let radius = radius * self.scale;
        let mut occluded = 0.0;
        for offset in offsets {
            let cell = centre + *offset * radius;
            if cell.min_element() < 0.0 || cell.max_element() >= self.side as f32 {
                continue;
            }
            let above = self.highest[cell.y as usize * self.side + cell.x as usize] - height;
            if above > 0.0 {
                occluded += (1.0 - above / fade).clamp(0.0, 1.0);
            }
        }
        1.0 - occluded / offsets.len() as f32
    }
}
