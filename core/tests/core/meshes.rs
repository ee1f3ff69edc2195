//! Particles and sticks for the tests: regular and random meshes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use taut_core::{Duplicates, Family, Kind, Particles, Real, Sheet, Sticks};

/// Reproducible random numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end - 1`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// True one time in `count`, on average.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Uniform from `low` to `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Log-uniform from `low` to `high`: all orders of magnitude are equally likely.
    pub(crate) fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        let exponent = self.between(low.log10(), high.log10());
        10.0_f64.powf(exponent).clamp(low, high)
    }

    /// 0 (pinned) one time in four, else any valid magnitude.
    pub(crate) fn inverse_mass(&mut self) -> f32 {
        if self.one_in(4) { 0.0 } else { self.magnitude(1e-9, 1e9) as f32 }
    }

    /// Puts the items in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Runs `property` on `cases` values and shrinks the first that fails. Writes no regression file.
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

/// Particles, and sticks that join them.
#[derive(Clone, Debug)]
pub(crate) struct Mesh<const D: usize = 3, S: Real = f32> {
    pub(crate) particles: Particles<D, S>,
    pub(crate) sticks: Sticks<S>,
}

/// Particles at `points`, all of inverse mass 1.
pub(crate) fn particles_at<const D: usize, S: Real>(points: &[[S; D]]) -> Particles<D, S> {
    Particles::new_generic(points, &vec![S::ONE; points.len()]).unwrap()
}

/// Plain sticks of rest length 1.
pub(crate) fn unit_sticks(particles: usize, pairs: &[[u32; 2]]) -> Sticks {
    Sticks::with_rests(particles, pairs, &vec![1.0; pairs.len()], Duplicates::Keep).unwrap()
}

/// A slightly wavy sheet with a spacing of 0.05 m, pinned at its top row.
pub(crate) fn sheet_mesh(width: usize, height: usize, families: &[Family]) -> (Sheet, Mesh) {
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

/// A component of a mesh.
#[derive(Clone, Debug)]
pub(crate) enum Component {
    /// This many particles; a stick joins each to the next one.
    Chain(usize),
    /// This many hubs and this many rays; a stick joins every hub to every ray.
    Bipartite(usize, usize),
    /// This many particles; a stick joins every two of them.
    Complete(usize),
    /// This many columns and rows of particles; sticks join the neighbours along both.
    Grid(usize, usize),
    /// This many particles without sticks.
    Isolated(usize),
}

/// How to make a random mesh.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) components: Vec<Component>,
    /// The number of additional sticks between random particles.
    pub(crate) bridges: usize,
    /// The number of duplicates of sticks, with their ends in either order.
    pub(crate) duplicates: usize,
    /// Percentage of sticks that are not plain.
    pub(crate) non_plain: usize,
    pub(crate) seed: u64,
}

impl Recipe {
    /// Random recipes for small meshes.
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let component = prop_oneof![
            (1..60_usize).prop_map(Component::Chain),
            (1..4_usize, 1..90_usize).prop_map(|(hubs, rays)| Component::Bipartite(hubs, rays)),
            (1..20_usize).prop_map(Component::Complete),
            (1..14_usize, 1..14_usize).prop_map(|(width, height)| Component::Grid(width, height)),
            (1..9_usize).prop_map(Component::Isolated),
        ];
        let non_plain = prop_oneof![Just(0), Just(20), Just(100)];
        (vec(component, 0..5), 0..20_usize, 0..10_usize, non_plain, any::<u64>()).prop_map(
            |(components, bridges, duplicates, non_plain, seed)| Self {
                components,
                bridges,
                duplicates,
                non_plain,
                seed,
            },
        )
    }

    /// A recipe for these components alone, with all sticks plain.
    pub(crate) fn plain(components: Vec<Component>) -> Self {
        Self { components, bridges: 0, duplicates: 0, non_plain: 0, seed: 1 }
    }

    /// A recipe for a mesh of several blocks, with hubs whose sticks do not fit in one block;
    /// `non_plain` percent of the sticks are not plain.
    pub(crate) fn large(non_plain: usize) -> Self {
        let components = vec![
            Component::Grid(61, 57),
            Component::Bipartite(2, 700),
            Component::Chain(900),
            Component::Complete(40),
            Component::Isolated(300),
        ];
        Self { components, bridges: 300, duplicates: 200, non_plain, seed: 7 }
    }

    /// The number of particles, and the ends of each stick.
    fn pairs(&self, random: &mut Random) -> (usize, Vec<[u32; 2]>) {
        let (mut particles, mut pairs) = (0, Vec::new());
        for component in &self.components {
            let mut join = |a: usize, b: usize| {
                pairs.push([a, b].map(|end| (particles + end) as u32));
            };
            particles += match *component {
                Component::Chain(length) => {
                    (1..length).for_each(|i| join(i - 1, i));
                    length
                }
                Component::Bipartite(hubs, rays) => {
                    (0..hubs * rays).for_each(|i| join(i % hubs, hubs + i / hubs));
                    hubs + rays
                }
                Component::Complete(count) => {
                    (0..count).for_each(|b| (0..b).for_each(|a| join(a, b)));
                    count
                }
                Component::Grid(width, height) => {
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
                Component::Isolated(count) => count,
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

    /// The mesh: its particles and sticks are shuffled, positions are random in a cube (some of
    /// them shared), and inverse masses, rest lengths and the properties of non-plain sticks are
    /// random.
    pub(crate) fn mesh<const D: usize, S: Real>(&self) -> Mesh<D, S> {
        let mut random = Random::new(self.seed);
        let (count, mut pairs) = self.pairs(&mut random);
        let mut new_numbers: Vec<u32> = (0..count as u32).collect();
        random.shuffle(&mut new_numbers);
        random.shuffle(&mut pairs);
        let pairs: Vec<[u32; 2]> =
            pairs.into_iter().map(|ends| ends.map(|end| new_numbers[end as usize])).collect();

        let mut particles = Particles::new_generic(&[], &[]).unwrap();
        for _ in 0..count {
            let on_lattice = random.one_in(10); // so that some particles share a position
            let point = std::array::from_fn(|_| {
                let x = random.between(-1.0, 1.0);
                S::from_f64(if on_lattice { x.round() } else { x })
            });
            let inverse_mass = if random.one_in(8) { 0.0 } else { random.between(0.1, 4.0) };
            particles.push(point, S::from_f64(inverse_mass)).unwrap();
        }
        let rests: Vec<S> = pairs.iter().map(|_| S::from_f64(random.between(0.2, 1.5))).collect();
        let mut sticks = Sticks::with_rests(count, &pairs, &rests, Duplicates::Keep).unwrap();
        for stick in 0..sticks.len() {
            if random.below(100) < self.non_plain {
                make_non_plain(&mut random, &mut sticks, stick);
            }
        }
        Mesh { particles, sticks }
    }
}

/// Makes a stick non-plain: sets a random selection of stiffness, compliance and kind. Tears one in
/// five.
pub(crate) fn make_non_plain<S: Real>(random: &mut Random, sticks: &mut Sticks<S>, stick: usize) {
    let selection = 1 + random.below(7); // a bit mask, not empty
    if selection & 1 != 0 {
        sticks.set_stiffness(stick, S::from_f64(random.between(0.01, 0.99))).unwrap();
    }
    if selection & 2 != 0 {
        sticks.set_compliance(stick, S::from_f64(random.magnitude(1e-7, 1e-3))).unwrap();
    }
    if selection & 4 != 0 {
        let kind = if random.one_in(2) { Kind::Minimum } else { Kind::Maximum };
        sticks.set_kind(stick, kind).unwrap();
    }
    if random.one_in(5) {
        sticks.tear(stick).unwrap();
    }
}
