//! Random masses, positions, velocities and rest lengths for meshes, and sticks that are not plain.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use taut::{Duplicates, Kind, Particles, Sticks};

/// The distribution of the masses, positions, velocities and rest lengths of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Typical cloth: jittered points, the particles of the first row are pinned, the others have
    /// 1 kg, and sticks of one direction have equal rest lengths.
    Uniform,
    /// Jittered points, rest lengths within 20 % of the lengths, masses of a few kilograms or pinned:
    /// rounding errors stay small.
    Moderate,
    /// Values of many magnitudes: any accepted masses, coordinates up to 1e6 m, rest lengths from
    /// 1e-8 to 1e7 m, coincident ends, -0.0.
    Extreme,
}

impl Values {
    /// Particles and sticks with such values. Only [`Uniform`](Self::Uniform) and
    /// [`Moderate`](Self::Moderate) use the points.
    pub(crate) fn particles_and_sticks<const D: usize>(
        self,
        random: &mut ChaCha8Rng,
        points: &[[f64; 2]],
        pairs: &[[u32; 2]],
    ) -> (Particles<D>, Sticks) {
        match self {
            Self::Uniform => uniform(random, points, pairs),
            Self::Moderate => moderate(random, points, pairs),
            Self::Extreme => extreme(random, points.len(), pairs),
        }
    }
}

/// The point, moved by up to 0.2 m along each axis.
fn jittered<const D: usize>(random: &mut ChaCha8Rng, point: [f64; 2]) -> [f32; D] {
    std::array::from_fn(|axis| {
        let x = point.get(axis).unwrap_or(&0.0);
        (x + random.random_range(-0.2..0.2)) as f32
    })
}

fn uniform<const D: usize>(
    random: &mut ChaCha8Rng,
    points: &[[f64; 2]],
    pairs: &[[u32; 2]],
) -> (Particles<D>, Sticks) {
    let mut particles = Particles::with_capacity(points.len());
    for &point in points {
        let inverse_mass = if point[1] == 0.0 { 0.0 } else { 1.0 };
        particles.push(jittered(random, point), inverse_mass).unwrap();
    }
    let rest = |&[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|end| points[end as usize]);
        (b[0] - a[0]).hypot(b[1] - a[1]) as f32
    };
    let rests: Vec<f32> = pairs.iter().map(rest).collect();
    let sticks = Sticks::with_rests(points.len(), pairs, &rests, Duplicates::Keep).unwrap();
    (particles, sticks)
}

fn moderate<const D: usize>(
    random: &mut ChaCha8Rng,
    points: &[[f64; 2]],
    pairs: &[[u32; 2]],
) -> (Particles<D>, Sticks) {
    let mut particles = Particles::with_capacity(points.len());
    for &point in points {
        let pinned = random.random_ratio(1, 8);
        let inverse_mass = if pinned { 0.0 } else { random.random_range(0.2..4.0) };
        particles.push(jittered(random, point), inverse_mass).unwrap();
    }
    let mut sticks = Sticks::joining(&particles, pairs, Duplicates::Keep).unwrap();
    for stick in 0..sticks.len() {
        let rest = sticks.rest(stick) * random.random_range(0.85..1.2);
        sticks.set_rest(stick, rest).unwrap();
    }
    (particles, sticks)
}

fn extreme<const D: usize>(
    random: &mut ChaCha8Rng,
    count: usize,
    pairs: &[[u32; 2]],
) -> (Particles<D>, Sticks) {
    let scale = [1e-6, 1.0, 1.0, 1.0, 1e6][random.random_range(0..5)];
    let mut particles = Particles::with_capacity(count);
    for _ in 0..count {
        let coarse = random.random_ratio(1, 5);
        let point = std::array::from_fn(|_| {
            let x: f32 = random.random_range(-1.0..1.0);
            scale * if coarse { x.round() } else { x }
        });
        particles.push(point, any_inverse_mass(random)).unwrap();
    }
    for axis in 0..D {
        for particle in 0..count {
            if random.random_ratio(1, 20) {
                particles.positions_mut(axis)[particle] = -0.0;
            }
            if random.random() {
                let displacement = scale * random.random_range(-0.1..0.1);
                particles.previous_mut(axis)[particle] += displacement;
            }
            if random.random_ratio(1, 20) {
                particles.previous_mut(axis)[particle] = -0.0;
            }
        }
    }
    let rests: Vec<f32> = pairs.iter().map(|_| scale * magnitude(random, -2.0..1.0)).collect();
    let sticks = Sticks::with_rests(count, pairs, &rests, Duplicates::Keep).unwrap();
    (particles, sticks)
}

/// A power of ten with a uniformly distributed exponent.
fn magnitude(random: &mut ChaCha8Rng, exponents: std::ops::Range<f64>) -> f32 {
    10.0_f64.powf(random.random_range(exponents)) as f32
}

/// Pinned in one case of four, 1 kg in another, otherwise of any accepted magnitude.
fn any_inverse_mass(random: &mut ChaCha8Rng) -> f32 {
    match random.random_range(0..4) {
        0 => 0.0,
        1 => 1.0,
        _ => magnitude(random, -9.0..9.0),
    }
}

/// Gives a stick a random stiffness, compliance or kind, or several of them, and may tear it. One
/// stick of 15 stays plain and may be torn.
pub(crate) fn make_non_plain(random: &mut ChaCha8Rng, sticks: &mut Sticks, stick: usize) {
    let properties = random.random_range(1..16);
    if properties & 1 != 0 {
        sticks.set_stiffness(stick, random.random_range(0.01..1.0)).unwrap();
    }
    if properties & 2 != 0 {
        sticks.set_compliance(stick, magnitude(random, -7.0..-2.0)).unwrap();
    }
    if properties & 4 != 0 {
        let kind = if random.random() { Kind::Minimum } else { Kind::Maximum };
        sticks.set_kind(stick, kind).unwrap();
    }
    if properties & 8 != 0 && random.random() {
        sticks.tear(stick).unwrap();
    }
}
