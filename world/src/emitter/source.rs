//! Sources of particles.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::vector::{difference, dot, to_f64};

/// The shape on which an emitter starts particles, with uniform distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<const D: usize = 3> {
    /// A point, m.
    Point([f32; D]),
    /// A disc, or an ellipse, m.
    Disc {
        /// Its centre.
        centre: [f32; D],
        /// Two perpendicular vectors from the centre to the rim.
        axes: [[f32; D]; 2],
    },
    /// Triangles by their corners, m, counter-clockwise seen from the side to which particles fly.
    Polygons(Vec<[[f32; D]; 3]>),
}

/// A random number in [0, 1), the same on every machine.
pub(super) fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / 4_294_967_296.0 // 2^32
}

/// A random point in the unit ball, distributed uniformly.
pub(super) fn in_ball<const D: usize>(random: &mut ChaCha8Rng) -> [f64; D] {
    loop {
        let point: [f64; D] = core::array::from_fn(|_| 2.0 * uniform(random) - 1.0);
        if dot(point, point) <= 1.0 {
            return point;
        }
    }
}

/// The sides of a triangle that meet at its first corner.
fn sides<const D: usize>([a, b, c]: [[f32; D]; 3]) -> [[f64; D]; 2] {
    [b, c].map(|end| difference(to_f64(end), to_f64(a)))
}

/// The unit vector perpendicular to two vectors; 0 if they are parallel or `D` is not 3.
fn normal<const D: usize>([p, q]: [[f64; D]; 2]) -> [f64; D] {
    let mut normal = [0.0; D];
    if D == 3 {
        for (axis, component) in normal.iter_mut().enumerate() {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            *component = p[next] * q[last] - p[last] * q[next];
        }
        let length = libm::sqrt(dot(normal, normal));
        if length > 0.0 {
            normal = normal.map(|component| component / length);
        }
    }
    normal
}

impl<const D: usize> Source<D> {
    /// Cumulative areas of its polygons, m²; empty for other sources.
    pub(super) fn cumulative_areas(&self) -> Vec<f64> {
        let Self::Polygons(triangles) = self else { return Vec::new() };
        let mut sum = 0.0;
        let add_area = |&corners: &[[f32; D]; 3]| {
            let [p, q] = sides(corners);
            let p_dot_q = dot(p, q);
            sum += 0.5 * libm::sqrt((dot(p, p) * dot(q, q) - p_dot_q * p_dot_q).max(0.0));
            sum
        };
        triangles.iter().map(add_area).collect()
    }

    /// A point of the source, m: the position of particles before their first birth.
    pub(crate) fn initial_position(&self) -> [f32; D] {
        match self {
            Self::Point(point) | Self::Disc { centre: point, .. } => *point,
            Self::Polygons(triangles) => triangles.first().map_or([0.0; D], |corners| corners[0]),
        }
    }

    /// The points of the source, m: all values that a translation changes.
    fn points_mut(&mut self) -> &mut [[f32; D]] {
        match self {
            Self::Point(point) | Self::Disc { centre: point, .. } => core::slice::from_mut(point),
            Self::Polygons(triangles) => triangles.as_flattened_mut(),
        }
    }

    /// Translates the source, m.
    pub(super) fn move_by(&mut self, by: [f32; D]) {
        for point in self.points_mut() {
            for (x, by) in point.iter_mut().zip(by) {
                *x += by;
            }
        }
    }

    /// Rotates the source about the origin by a linear map.
    pub(super) fn rotate(&mut self, map: impl Fn([f32; D]) -> [f32; D]) {
        for point in self.points_mut() {
            *point = map(*point);
        }
        if let Self::Disc { axes, .. } = self {
            *axes = axes.map(map);
        }
    }

    /// All coordinates, m, for a range check.
    pub(super) fn coordinates(&self) -> Vec<f32> {
        match self {
            Self::Point(point) => point.to_vec(),
            Self::Disc { centre, axes } => {
                [centre, &axes[0], &axes[1]].into_iter().flatten().copied().collect()
            }
            Self::Polygons(triangles) => triangles.iter().flatten().flatten().copied().collect(),
        }
    }

    /// A random point, m, and the unit normal there (0 if there is none). `cumulative_areas` are those
    /// of the source, m².
    pub(super) fn draw(&self, cumulative_areas: &[f64], random: &mut ChaCha8Rng) -> [[f64; D]; 2] {
        let (origin, axes, weights) = match self {
            Self::Point(point) => return [to_f64(*point), [0.0; D]],
            Self::Disc { centre, axes } => {
                (to_f64(*centre), axes.map(to_f64), in_ball::<2>(random))
            }
            Self::Polygons(triangles) => {
                let last = cumulative_areas.len() - 1;
                let area = uniform(random) * cumulative_areas[last];
                let nth =
                    cumulative_areas.partition_point(|&cumulative| cumulative <= area).min(last);
                let [u, v] = [uniform(random), uniform(random)];
                // [u, v] is uniform in the parallelogram of the two sides. A point outside the triangle
                // is mirrored into it.
                let weights = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
                (to_f64(triangles[nth][0]), sides(triangles[nth]), weights)
            }
        };
        let point = core::array::from_fn(|axis| {
            origin[axis] + (axes[0][axis] * weights[0] + axes[1][axis] * weights[1])
        });
        [point, normal(axes)]
    }
}
