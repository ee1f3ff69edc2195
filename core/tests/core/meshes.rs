//! Particles and sticks for the tests: regular, random and awkward ones.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use taut_core::{Duplicates, Family, Kind, Particles, Real, Sheet, Sticks};

/// Reproducible numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Every order of magnitude from `low` to `high` as likely as every other.
    pub(crate) fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        let exponent = self.between(low.log10(), high.log10());
        10.0_f64.powf(exponent).clamp(low, high)
    }

    /// Pinned one time in four, else of any sane magnitude.
    pub(crate) fn inverse_mass(&mut self) -> f32 {
        if self.one_in(4) { 0.0 } else { self.magnitude(1e-9, 1e9) as f32 }
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Runs `property` on `cases` values, shrinks the first that fails, and leaves no file.
pub(crate) fn for_all<T: Strategy>(cases: u32, values: T, property: impl Fn(T::Value)) {
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let outcome = TestRunner::new(config).run(&values, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// Particles and the sticks between them.
#[derive(Clone, Debug)]
pub(crate) struct Mesh<const D: usize = 3, S: Real = f32> {
    pub(crate) particles: Particles<D, S>,
    pub(crate) sticks: Sticks<S>,
}

/// Particles at the points given, all of inverse mass 1.
pub(crate) fn at<const D: usize, S: Real>(points: &[[S; D]]) -> Particles<D, S> {
    Particles::in_precision(points, &vec![S::ONE; points.len()]).unwrap()
}

/// Plain sticks of rest length 1.
pub(crate) fn joined(particles: usize, pairs: &[[u32; 2]]) -> Sticks {
    Sticks::with_rests(particles, pairs, &vec![1.0; pairs.len()], Duplicates::Keep).unwrap()
}

/// A flat sheet, spacing 0.05 m, slightly wavy; its top row is pinned.
pub(crate) fn sheet(width: usize, height: usize, families: &[Family]) -> (Sheet, Mesh) {
    let sheet = Sheet::new(width, height, families);
    let mut particles = Particles::with_capacity(width * height);
    for j in 0..height {
        for i in 0..width {
            let [x, y] = [i as f32, j as f32];
            let point = [0.05 * x, -0.05 * y, 1e-3 * (0.37 * x + 0.71 * y).sin()];
            particles.push(point, if j == 0 { 0.0 } else { 1.0 }).unwrap();
        }
    }
    let sticks = Sticks::joining(&particles, &sheet.pairs(), Duplicates::Keep).unwrap();
    (sheet, Mesh { particles, sticks })
}

/// One connected part of a mesh.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Chain(usize),
    /// Every particle of one side joined to every one of the other; one hub makes a star.
    Bipartite(usize, usize),
    Complete(usize),
    Grid(usize, usize),
    /// Particles without sticks.
    Dust(usize),
}

/// How to make a random mesh.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) parts: Vec<Part>,
    /// Sticks between any two particles.
    pub(crate) bridges: usize,
    /// Duplicates of sticks, in either direction.
    pub(crate) duplicates: usize,
    /// Percent of the sticks that are not plain.
    pub(crate) special: usize,
    pub(crate) seed: u64,
}

impl Recipe {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let part = prop_oneof![
            (1..60_usize).prop_map(Part::Chain),
            (1..4_usize, 1..90_usize).prop_map(|(hubs, rays)| Part::Bipartite(hubs, rays)),
            (1..20_usize).prop_map(Part::Complete),
            (1..14_usize, 1..14_usize).prop_map(|(width, height)| Part::Grid(width, height)),
            (1..9_usize).prop_map(Part::Dust),
        ];
        let special = prop_oneof![Just(0), Just(20), Just(100)];
        (vec(part, 0..5), 0..20_usize, 0..10_usize, special, any::<u64>()).prop_map(
            |(parts, bridges, duplicates, special, seed)| Self {
                parts,
                bridges,
                duplicates,
                special,
                seed,
            },
        )
    }

    /// These parts and nothing else, all sticks plain.
    pub(crate) fn plain(parts: Vec<Part>) -> Self {
        Self { parts, bridges: 0, duplicates: 0, special: 0, seed: 1 }
    }

    /// Many blocks' worth of particles, with hubs whose sticks no block holds.
    pub(crate) fn large(special: usize) -> Self {
        let parts = vec![
            Part::Grid(61, 57),
            Part::Bipartite(2, 700),
            Part::Chain(900),
            Part::Complete(40),
            Part::Dust(300),
        ];
        Self { parts, bridges: 300, duplicates: 200, special, seed: 7 }
    }

    fn pairs(&self, random: &mut Random) -> (usize, Vec<[u32; 2]>) {
        let (mut particles, mut pairs) = (0, Vec::new());
        for part in &self.parts {
            let mut join = |a: usize, b: usize| {
                pairs.push([a, b].map(|end| (particles + end) as u32));
            };
            particles += match *part {
                Part::Chain(length) => {
                    (1..length).for_each(|i| join(i - 1, i));
                    length
                }
                Part::Bipartite(hubs, rays) => {
                    (0..hubs * rays).for_each(|i| join(i % hubs, hubs + i / hubs));
                    hubs + rays
                }
                Part::Complete(corners) => {
                    (0..corners).for_each(|b| (0..b).for_each(|a| join(a, b)));
                    corners
                }
                Part::Grid(width, height) => {
                    for i in 0..width * height {
                        if i % width + 1 < width {
                            join(i, i + 1);
                        }
                        if i + width < width * height {
                            join(i, i + width);
                        }
                    }
                    width * height
                }
                Part::Dust(grains) => grains,
            };
        }
        for _ in 0..self.bridges {
            if particles > 1 {
                let a = random.below(particles);
                let b = (a + 1 + random.below(particles - 1)) % particles;
                pairs.push([a as u32, b as u32]);
            }
        }
        for _ in 0..self.duplicates {
            if !pairs.is_empty() {
                let [a, b] = pairs[random.below(pairs.len())];
                pairs.push(if random.one_in(2) { [a, b] } else { [b, a] });
            }
        }
        (particles, pairs)
    }

    /// The mesh, its particles and sticks shuffled, at random points of a unit cube (some
    /// of them shared), with masses, rest lengths and special sticks of all sorts.
    pub(crate) fn mesh<const D: usize, S: Real>(&self) -> Mesh<D, S> {
        let mut random = Random::new(self.seed);
        let (count, mut pairs) = self.pairs(&mut random);
        let mut names: Vec<u32> = (0..count as u32).collect();
        random.shuffle(&mut names);
        random.shuffle(&mut pairs);
        let pairs: Vec<[u32; 2]> =
            pairs.into_iter().map(|ends| ends.map(|end| names[end as usize])).collect();

        let mut particles = Particles::in_precision(&[], &[]).unwrap();
        for _ in 0..count {
            let coarse = random.one_in(10);
            let point = std::array::from_fn(|_| {
                let x = random.between(-1.0, 1.0);
                S::from_f64(if coarse { x.round() } else { x })
            });
            let inverse_mass = if random.one_in(8) { 0.0 } else { random.between(0.1, 4.0) };
            particles.push(point, S::from_f64(inverse_mass)).unwrap();
        }
        let rests: Vec<S> = pairs.iter().map(|_| S::from_f64(random.between(0.2, 1.5))).collect();
        let mut sticks = Sticks::with_rests(count, &pairs, &rests, Duplicates::Keep).unwrap();
        for stick in 0..sticks.len() {
            if random.below(100) < self.special {
                make_special(&mut random, &mut sticks, stick);
            }
        }
        Mesh { particles, sticks }
    }
}

/// Makes a stick not plain, in one way or another.
pub(crate) fn make_special<S: Real>(random: &mut Random, sticks: &mut Sticks<S>, stick: usize) {
    let ways = 1 + random.below(7);
    if ways & 1 != 0 {
        sticks.set_stiffness(stick, S::from_f64(random.between(0.01, 0.99))).unwrap();
    }
    if ways & 2 != 0 {
        sticks.set_compliance(stick, S::from_f64(random.magnitude(1e-7, 1e-3))).unwrap();
    }
    if ways & 4 != 0 {
        let kind = if random.one_in(2) { Kind::Minimum } else { Kind::Maximum };
        sticks.set_kind(stick, kind).unwrap();
    }
    if random.one_in(5) {
        sticks.tear(stick).unwrap();
    }
}
