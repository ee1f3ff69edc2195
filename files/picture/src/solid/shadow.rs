//! Shadow mapping: a depth map of a directional light (Williams, "Casting curved
//! shadows on curved surfaces", 1978), looked up at several places around (Reeves, Salesin and Cook,
//! "Rendering antialiased shadows with depth maps", 1987).

use glam::{Vec2, Vec3};

use super::soup::Soup;
use crate::camera::Bounds;

/// A shadow map.
#[derive(Clone, Debug)]
pub(super) struct Shadows {
    right: Vec3,
    up: Vec3,
    /// Towards the light.
    pub(super) towards: Vec3,
    /// The corner of the map.
    corner: Vec2,
    /// Cells per m.
    scale: f32,
    side: usize,
    /// For each cell the coordinate along `towards` of the surface nearest to the light.
    highest: Vec<f32>,
}

impl Shadows {
    /// A map of `side` times `side` cells that covers the bounds and their shadow on the floor.
    pub(super) fn new(bounds: &Bounds, floor: f32, towards: Vec3, side: usize) -> Self {
        let right = towards.any_orthonormal_vector();
        let up = towards.cross(right);
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in 0..8 {
            let pick =
                |bit: u32, min: f32, max: f32| if (corner >> bit) & 1 == 0 { min } else { max };
            let (min, max) = (bounds.min, bounds.max);
            let point = Vec3::new(
                pick(0, min.x, max.x),
                pick(1, min.y.min(floor), max.y),
                pick(2, min.z, max.z),
            );
            let flat = Vec2::new(point.dot(right), point.dot(up));
            low = low.min(flat);
            high = high.max(flat);
        }
        let wide = (high - low).max_element().max(1e-6) * 1.02;
        let corner = low.midpoint(high) - Vec2::splat(0.5 * wide);
        let scale = side as f32 / wide;
        Self { right, up, towards, corner, scale, side, highest: Vec::new() }
    }

    /// The map with the triangles of a frame.
    #[allow(clippy::cast_sign_loss, reason = "clamped")]
    pub(super) fn of(&self, soup: &Soup) -> Self {
        let mut map =
            Self { highest: vec![f32::NEG_INFINITY; self.side * self.side], ..self.clone() };
        let cells: Vec<Vec3> =
            soup.points.iter().map(|&it| self.cell(it).extend(it.dot(self.towards))).collect();
        for corners in &soup.triangles[..soup.casting] {
            let [a, b, c] = corners.map(|corner| cells[corner as usize]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            let seen = area.abs() > 1e-9;
            if !seen {
                continue;
            }
            let most = self.side as f32;
            let range = |low: f32, high: f32| {
                (low - 0.5).ceil().clamp(0.0, most) as usize
                    ..((high - 0.5).floor() + 1.0).clamp(0.0, most) as usize
            };
            for row in range(low.y, high.y) {
                let y = row as f32 + 0.5;
                for column in range(low.x, high.x) {
                    let x = column as f32 + 0.5;
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

    fn cell(&self, point: Vec3) -> Vec2 {
        (Vec2::new(point.dot(self.right), point.dot(self.up)) - self.corner) * self.scale
    }

    /// The size of a cell, m.
    pub(super) fn cell_size(&self) -> f32 {
        1.0 / self.scale
    }

    /// The share of the light that reaches a point, averaged over `places` within `radius`, m.
    /// Occluders farther than `fade`, m, count less.
    #[allow(clippy::cast_sign_loss, reason = "checked")]
    pub(super) fn light(&self, point: Vec3, radius: f32, fade: f32, places: &[Vec2]) -> f32 {
        let (middle, height) = (self.cell(point), point.dot(self.towards));
        let radius = radius * self.scale;
        let mut dark = 0.0;
        for place in places {
            let cell = middle + *place * radius;
            if cell.min_element() < 0.0 || cell.max_element() >= self.side as f32 {
                continue;
            }
            let above = self.highest[cell.y as usize * self.side + cell.x as usize] - height;
            if above > 0.0 {
                dark += (1.0 - above / fade).clamp(0.0, 1.0);
            }
        }
        1.0 - dark / places.len() as f32
    }
}
