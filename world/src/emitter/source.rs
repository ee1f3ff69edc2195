//! Sources of particles.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::vector::dot;

/// Where an emitter starts particles, uniformly distributed.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<const D: usize = 3> {
    /// A point, m.
    Point([f32; D]),
    /// A disc, or an ellipse, m.
    Disc {
        /// Its centre.
        centre: [f32; D],
        /// From the centre to the rim, along two perpendicular axes.
        axes: [[f32; D]; 2],
    },
    /// Triangles by their corners, m, counter-clockwise seen from the side to which particles fly.
    Polygons(Vec<[[f32; D]; 3]>),
}

/// A number in [0, 1), the same on every machine.
pub(super) fn uniform(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / 4_294_967_296.0
}

/// A point in the unit ball.
pub(super) fn in_ball<const D: usize>(random: &mut ChaCha8Rng) -> [f64; D] {
    loop {
        let place: [f64; D] = core::array::from_fn(|_| 2.0 * uniform(random) - 1.0);
        if dot(place, place) <= 1.0 {
            return place;
        }
    }
}

fn wide<const D: usize>(place: [f32; D]) -> [f64; D] {
    place.map(f64::from)
}

fn sides<const D: usize>([a, b, c]: [[f32; D]; 3]) -> [[f64; D]; 2] {
    [b, c].map(|end| core::array::from_fn(|axis| f64::from(end[axis]) - f64::from(a[axis])))
}

/// The unit normal of two vectors; 0 unless in three dimensions.
fn normal<const D: usize>([p, q]: [[f64; D]; 2]) -> [f64; D] {
    let mut normal = [0.0; D];
    if D == 3 {
        for (axis, along) in normal.iter_mut().enumerate() {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            *along = p[next] * q[last] - p[last] * q[next];
        }
        let length = libm::sqrt(dot(normal, normal));
        if length > 0.0 {
            normal = normal.map(|along| along / length);
        }
    }
    normal
}

impl<const D: usize> Source<D> {
    /// Cumulative areas of its polygons, m².
    pub(super) fn areas(&self) -> Vec<f64> {
        let Self::Polygons(triangles) = self else { return Vec::new() };
        let mut sum = 0.0;
        let up_to = |&corners: &[[f32; D]; 3]| {
            let [p, q] = sides(corners);
            let across = dot(p, q);
            sum += 0.5 * libm::sqrt((dot(p, p) * dot(q, q) - across * across).max(0.0));
            sum
        };
        triangles.iter().map(up_to).collect()
    }

    /// A point of the source, m.
    pub(crate) fn anchor(&self) -> [f32; D] {
        match self {
            Self::Point(place) | Self::Disc { centre: place, .. } => *place,
            Self::Polygons(triangles) => triangles.first().map_or([0.0; D], |corners| corners[0]),
        }
    }

    /// Moves the source.
    pub(super) fn move_by(&mut self, by: [f32; D]) {
        let moved = |place: &mut [f32; D]| {
            for (x, by) in place.iter_mut().zip(by) {
                *x += by;
            }
        };
        match self {
            Self::Point(place) | Self::Disc { centre: place, .. } => moved(place),
            Self::Polygons(triangles) => triangles.iter_mut().flatten().for_each(moved),
        }
    }

    /// All coordinates, to check.
    pub(super) fn numbers(&self) -> Vec<f32> {
        match self {
            Self::Point(place) => place.to_vec(),
            Self::Disc { centre, axes } => {
                [centre, &axes[0], &axes[1]].into_iter().flatten().copied().collect()
            }
            Self::Polygons(triangles) => triangles.iter().flatten().flatten().copied().collect(),
        }
    }

    /// A random point, m, and the unit normal there; `areas` are those of the source.
    pub(super) fn draw(&self, areas: &[f64], random: &mut ChaCha8Rng) -> [[f64; D]; 2] {
        let (from, along, shares) = match self {
            Self::Point(place) => return [wide(*place), [0.0; D]],
            Self::Disc { centre, axes } => (wide(*centre), axes.map(wide), in_ball::<2>(random)),
            Self::Polygons(triangles) => {
                let area = uniform(random) * areas[areas.len() - 1];
                let nth = areas.partition_point(|&up_to| up_to <= area).min(areas.len() - 1);
                let [p, q] = [uniform(random), uniform(random)];
                // Mirrors the other half of the parallelogram into the triangle.
                let shares = if p + q > 1.0 { [1.0 - p, 1.0 - q] } else { [p, q] };
                (wide(triangles[nth][0]), sides(triangles[nth]), shares)
            }
        };
        let place = core::array::from_fn(|axis| {
            from[axis] + (along[0][axis] * shares[0] + along[1][axis] * shares[1])
        });
        [place, normal(along)]
    }
}
