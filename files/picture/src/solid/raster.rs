//! A depth buffer over some rows: finds the visible triangle at each sample.

use glam::Vec3;

use super::soup::Soup;

/// The visible surface at a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Its depth, m.
    pub(super) depth: f32,
    /// Towards the eye, of length 1.
    pub(super) normal: Vec3,
    pub(super) material: u16,
    /// Whether its corners are counter-clockwise as seen from the eye.
    pub(super) front: bool,
}

/// The samples of some rows.
#[derive(Debug)]
pub(super) struct Samples {
    width: u32,
    rows: u32,
    /// The first row.
    top: u32,
    /// Inverse depth; 0: empty.
    near: Vec<f32>,
    seen: Vec<(Vec3, u16, bool)>,
}

impl Samples {
    pub(super) fn new(width: u32, rows: u32) -> Self {
        let all = (width * rows) as usize;
        Self { width, rows, top: 0, near: vec![0.0; all], seen: vec![(Vec3::ZERO, 0, false); all] }
    }

    /// Clears the samples; `top` is their first row.
    pub(super) fn clear(&mut self, top: u32) {
        self.top = top;
        self.near.fill(0.0);
    }

    /// Draws all triangles; `seen` are their projected corners.
    pub(super) fn draw(&mut self, soup: &Soup, seen: &[Vec3]) {
        for (corners, &material) in soup.triangles.iter().zip(&soup.material) {
            let at = corners.map(|corner| seen[corner as usize]);
            let normals = corners.map(|corner| soup.normals[corner as usize]);
            let one_sided = soup.materials[material as usize].one_sided;
            self.triangle(at, normals, material, one_sided);
        }
    }

    #[allow(clippy::cast_sign_loss, reason = "clamped")]
    fn triangle(
        &mut self,
        [a, b, c]: [Vec3; 3],
        normals: [Vec3; 3],
        material: u16,
        one_sided: bool,
    ) {
        // Triangles behind the eye are skipped; the camera is placed so that there are none.
        let before = a.z.min(b.z).min(c.z) > 1e-6;
        if !before {
            return;
        }
        let (top, bottom) = (self.top as f32, (self.top + self.rows) as f32);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if high.y < top || low.y > bottom || high.x < 0.0 || low.x > self.width as f32 {
            return;
        }
        // Twice the signed area: y points down, so it is negative for counter-clockwise corners.
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        let front = area < 0.0;
        let seen = area.abs() > 1e-9 && (front || !one_sided);
        if !seen {
            return;
        }
        let inverse = 1.0 / area;
        let near = [1.0 / a.z, 1.0 / b.z, 1.0 / c.z];
        let normals = [normals[0] * near[0], normals[1] * near[1], normals[2] * near[2]];
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
                let u = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) * inverse;
                let v = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) * inverse;
                let t = 1.0 - u - v;
                if u < 0.0 || v < 0.0 || t < 0.0 {
                    continue;
                }
                let here = t * near[0] + u * near[1] + v * near[2];
                let at = first + column as usize;
                if here > self.near[at] {
                    self.near[at] = here;
                    let normal = normals[0] * t + normals[1] * u + normals[2] * v;
                    self.seen[at] = (normal * facing, material, front);
                }
            }
        }
    }

    /// The visible surface at a sample, if any.
    pub(super) fn at(&self, [x, y]: [u32; 2]) -> Option<Sample> {
        let at = ((y - self.top) * self.width + x) as usize;
        let near = self.near[at];
        (near > 0.0).then(|| {
            let (normal, material, front) = self.seen[at];
            Sample { depth: 1.0 / near, normal: normal.normalize_or(Vec3::Y), material, front }
        })
    }
}
