//! A depth buffer of some rows of samples: finds the visible triangle at each sample.

use glam::Vec3;

use super::soup::Soup;

/// The visible surface at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Its depth, m.
    pub(super) depth: f32,
    /// The unit normal that points towards the eye.
    pub(super) normal: Vec3,
    /// The index of the shading.
    pub(super) shading: u32,
    /// Whether the front of the triangle is visible: its corners are counter-clockwise from the
    /// eye.
    pub(super) front: bool,
}

/// The samples of some rows of the picture.
#[derive(Debug)]
pub(super) struct Samples {
    width: u32,
    rows: u32,
    /// The first row.
    top: u32,
    /// For each sample the inverse of its depth, 1/m; 0 if nothing is visible.
    inverse_depth: Vec<f32>,
    /// For each sample the normal, the shading, and whether the front is visible.
    surface: Vec<(Vec3, u32, bool)>,
}

impl Samples {
    pub(super) fn new(width: u32, rows: u32) -> Self {
        let count = (width * rows) as usize;
        let (inverse_depth, surface) = (vec![0.0; count], vec![(Vec3::ZERO, 0, false); count]);
        Self { width, rows, top: 0, inverse_depth, surface }
    }

    /// Clears the samples, and moves them to the rows from `top`.
    pub(super) fn clear(&mut self, top: u32) {
        self.top = top;
        self.inverse_depth.fill(0.0);
    }

    /// Draws all triangles. `projected` are the projections of all points.
    pub(super) fn draw(&mut self, soup: &Soup, projected: &[Vec3]) {
        for (corners, &shading) in soup.triangles.iter().zip(&soup.shading_indices) {
            let points = corners.map(|corner| projected[corner as usize]);
            let normals = corners.map(|corner| soup.normals[corner as usize]);
            let one_sided = soup.shadings[shading as usize].one_sided;
            self.draw_triangle(points, normals, shading, one_sided);
        }
    }

    #[allow(clippy::cast_sign_loss, reason = "clamped")]
    fn draw_triangle(
        &mut self,
        [a, b, c]: [Vec3; 3],
        normals: [Vec3; 3],
        shading: u32,
        one_sided: bool,
    ) {
        // Triangles that reach behind the eye are skipped. `Camera::framing` places the camera so that
        // everything within the bounds is in front of it.
        let is_in_front_of_eye = a.z.min(b.z).min(c.z) > 1e-6;
        if !is_in_front_of_eye {
            return;
        }
        let (top, bottom) = (self.top as f32, (self.top + self.rows) as f32);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if high.y < top || low.y > bottom || high.x < 0.0 || low.x > self.width as f32 {
            return;
        }
        // Twice the signed area. It is negative for counter-clockwise corners, because y points
        // down.
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let front = area < 0.0;
        let is_visible = area.abs() > 1e-9 && (front || !one_sided);
        if !is_visible {
            return;
        }
        let inverse_area = 1.0 / area;
        // 1/z and normal/z are linear in pixel coordinates.
        let inverse_z = [1.0 / a.z, 1.0 / b.z, 1.0 / c.z];
        let normals =
            [normals[0] * inverse_z[0], normals[1] * inverse_z[1], normals[2] * inverse_z[2]];
        let facing = if front { 1.0 } else { -1.0 };
        let columns = (low.x - 0.5).ceil().max(0.0) as u32
            ..((high.x - 0.5).floor() + 1.0).clamp(0.0, self.width as f32) as u32;
        let rows = (low.y - 0.5).ceil().max(top) as u32
            ..((high.y - 0.5).floor() + 1.0).clamp(0.0, bottom) as u32;
        for row in rows {
            let y = row as f32 + 0.5;
            let first = ((row - self.top) * self.width) as usize;
            for column in columns.clone() {
                let x = column as f32 + 0.5;
                // The barycentric coordinates t, u and v of corners a, b and c.
                let u = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) * inverse_area;
                let v = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) * inverse_area;
                let t = 1.0 - u - v;
                if u < 0.0 || v < 0.0 || t < 0.0 {
                    continue;
                }
                let inverse_depth = t * inverse_z[0] + u * inverse_z[1] + v * inverse_z[2];
                let index = first + column as usize;
                if inverse_depth > self.inverse_depth[index] {
                    self.inverse_depth[index] = inverse_depth;
                    let normal = normals[0] * t + normals[1] * u + normals[2] * v;
                    self.surface[index] = (normal * facing, shading, front);
                }
            }
        }
    }

    /// The visible surface at a sample, if any.
    pub(super) fn at(&self, [x, y]: [u32; 2]) -> Option<Sample> {
        let index = ((y - self.top) * self.width + x) as usize;
        let inverse_depth = self.inverse_depth[index];
        (inverse_depth > 0.0).then(|| {
            let (normal, shading, front) = self.surface[index];
            let (depth, normal) = (1.0 / inverse_depth, normal.normalize_or(Vec3::Y));
            Sample { depth, normal, shading, front }
        })
    }
}
