//! Meshes of every size and shape, and the orders in which their sticks can be relaxed.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut::world::Model;
use taut::{Duplicates, Family, Kind, Particles, Schedule, Sheet, Sticks};

/// Particles and the sticks between them.
#[derive(Clone, Debug)]
pub(crate) struct Mesh<const D: usize = 3> {
    pub(crate) particles: Particles<D>,
    pub(crate) sticks: Sticks,
    /// The regular sheet, if it is one.
    pub(crate) sheet: Option<Sheet>,
    /// How many copies of one mesh it is made of.
    pub(crate) copies: usize,
}

impl From<Model> for Mesh {
    fn from(Model { particles, sticks, sheet, .. }: Model) -> Self {
        Self { particles, sticks, sheet, copies: 1 }
    }
}

impl<const D: usize> Mesh<D> {
    /// The order of every builder, and two random ones.
    pub(crate) fn schedules(&self) -> Vec<(&'static str, Schedule)> {
        let Self { particles, sticks, sheet, .. } = self;
        let mut all = vec![
            ("authored", Schedule::authored(sticks)),
            ("coloured", Schedule::coloured(sticks)),
            ("packed", Schedule::packed(sticks)),
            ("starred", Schedule::starred(sticks)),
            ("banded", Schedule::banded(sticks)),
            ("blocked", Schedule::blocked(particles, sticks)),
            ("islands", islands(sticks, 1)),
            ("islands in phases", islands(sticks, 3)),
        ];
        all.extend(sheet.as_ref().map(|sheet| ("sheet", sheet.schedule(sticks).unwrap())));
        all.extend(self.of_copies().map(|schedule| ("copies", schedule)));
        all
    }

    /// The order of the copies, each in that of the first in colours.
    fn of_copies(&self) -> Option<Schedule> {
        let Self { particles, sticks, copies, .. } = self;
        if *copies < 2 {
            return None;
        }
        let [of_one, particles] = [sticks.len(), particles.len()].map(|all| all / copies);
        let (pairs, rests) = (&sticks.ends()[..of_one], &sticks.rests()[..of_one]);
        let one = Sticks::with_rests(particles, pairs, rests, Duplicates::Keep).unwrap();
        let one = Schedule::coloured(&one);
        Some(Schedule::side_by_side(sticks, std::iter::repeat_n(&one, *copies)).unwrap())
    }

    /// One of them.
    pub(crate) fn schedule(&self, order: &str) -> Schedule {
        self.schedules().into_iter().find(|(name, _)| *name == order).unwrap().1
    }

    /// The schedule of the sheet or of the copies if it has one, so that the kernel for these is
    /// included; else any.
    pub(crate) fn any_schedule(&self, which: Index) -> (&'static str, Schedule) {
        let mut all = self.schedules();
        let special = self.sheet.is_some() || self.copies > 1;
        let at = if special { all.len() - 1 } else { which.index(all.len()) };
        all.swap_remove(at)
    }
}

/// A random order: the sticks are shuffled and distributed to `phases`; in each, a connected
/// component is a block, so several cloths in one buffer are blocks of one phase; in a block a
/// batch ends before the first stick that depends on it.
fn islands(sticks: &Sticks, phases: usize) -> Schedule {
    let mut order: Vec<u32> = (0..sticks.len() as u32).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(sticks.len() as u64));
    let phases: Vec<_> = order
        .chunks(sticks.len().div_ceil(phases).max(1))
        .map(|phase| {
            let pairs = phase.iter().map(|&stick| sticks.ends()[stick as usize]);
            let island = island_of_each(sticks.particles(), pairs);
            let mut blocks: Vec<Vec<Vec<u32>>> = vec![Vec::new(); sticks.particles()];
            for &stick in phase {
                let ends = sticks.ends()[stick as usize];
                let batches = &mut blocks[island[ends[0] as usize] as usize];
                let depends = |other: &u32| {
                    sticks.ends()[*other as usize].iter().any(|end| ends.contains(end))
                };
                match batches.last_mut() {
                    Some(batch) if !batch.iter().any(depends) => batch.push(stick),
                    _ => batches.push(vec![stick]),
                }
            }
            blocks
        })
        .collect();
    Schedule::new(sticks, &phases).unwrap()
}

/// For each particle, the lowest number of those it is connected with.
pub(crate) fn island_of_each(
    particles: usize,
    pairs: impl IntoIterator<Item = [u32; 2]>,
) -> Vec<u32> {
    fn root(parent: &mut [u32], mut particle: u32) -> u32 {
        while parent[particle as usize] != particle {
            parent[particle as usize] = parent[parent[particle as usize] as usize];
            particle = parent[particle as usize];
        }
        particle
    }
    let mut parent: Vec<u32> = (0..particles as u32).collect();
    for ends in pairs {
        let [a, b] = ends.map(|end| root(&mut parent, end));
        parent[a.max(b) as usize] = a.min(b);
    }
    (0..particles as u32).map(|particle| root(&mut parent, particle)).collect()
}

/// A part of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// The number of sticks that share no particle.
    Pairs(usize),
    /// The number of sticks in a chain.
    Chain(usize),
    /// The number of sticks with one end in common.
    Star(usize),
    /// Columns and rows of particles.
    Grid(usize, usize),
    /// The number of particles, each pair joined.
    Complete(usize),
    /// The numbers of particles and of random sticks.
    Graph(usize, usize),
    /// The number of particles without sticks.
    Dust(usize),
}

impl Shape {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            (1..70_usize).prop_map(Self::Pairs),
            (1..70_usize).prop_map(Self::Chain),
            (1..70_usize).prop_map(Self::Star),
            (1..12_usize, 1..12_usize).prop_map(|(width, height)| Self::Grid(width, height)),
            (2..12_usize).prop_map(Self::Complete),
            (2..50_usize, 1..120_usize)
                .prop_map(|(particles, sticks)| Self::Graph(particles, sticks)),
            (1..20_usize).prop_map(Self::Dust),
        ]
    }

    /// How many particles, and its sticks between them.
    fn pairs(self, random: &mut ChaCha8Rng) -> (usize, Vec<[usize; 2]>) {
        match self {
            Self::Pairs(sticks) => (2 * sticks, (0..sticks).map(|i| [2 * i, 2 * i + 1]).collect()),
            Self::Chain(sticks) => (sticks + 1, (0..sticks).map(|i| [i, i + 1]).collect()),
            Self::Star(sticks) => (sticks + 1, (1..=sticks).map(|ray| [0, ray]).collect()),
            Self::Grid(width, height) => {
                let sheet = Sheet::new(width, height, Family::STRUCTURAL);
                let pairs = sheet.pairs().into_iter().map(|ends| ends.map(|end| end as usize));
                (width * height, pairs.collect())
            }
            Self::Complete(corners) => {
                (corners, (0..corners).flat_map(|b| (0..b).map(move |a| [a, b])).collect())
            }
            Self::Graph(particles, sticks) => {
                let stick = |_| {
                    let a = random.random_range(0..particles);
                    [a, (a + random.random_range(1..particles)) % particles]
                };
                (particles, (0..sticks).map(stick).collect())
            }
            Self::Dust(particles) => (particles, Vec::new()),
        }
    }

    /// How many particles it has in a row.
    fn columns(self, particles: usize) -> usize {
        match self {
            Self::Grid(width, _) => width,
            _ => particles.isqrt() + 1,
        }
    }
}

/// Particles and the sticks between them.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Side by side; particles and sticks in random order.
    Shapes(Vec<Shape>),
    /// The columns and rows of a regular sheet.
    Sheet(usize, usize, &'static [Family]),
    /// Shapes as above, so many times.
    Copies(Vec<Shape>, usize),
}

/// How to fill in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Typical cloth: a first row of pinned particles, the others of 1 kg, sticks of equal rest
    /// lengths.
    Even,
    /// Some metres large, regular positions, rest lengths within 20 % of the lengths, a few
    /// kilograms or pinned: rounding errors stay small.
    Tame,
    /// Anything sane: coincident ends, -0.0, any masses, any rest lengths, any velocities.
    Wild,
}

/// How to make a random mesh.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) pattern: Pattern,
    /// Duplicates of sticks, in either direction; not in a sheet.
    pub(crate) duplicates: usize,
    /// Percent of the sticks that are not plain.
    pub(crate) special: u32,
    pub(crate) manner: Manner,
    pub(crate) seed: u64,
}

impl Recipe {
    pub(crate) fn any(manner: Manner) -> impl Strategy<Value = Self> {
        let families = select(&[Family::STRUCTURAL, Family::SHEAR, Family::ALL][..]);
        let width = prop_oneof![4 => 1..20_usize, 1 => 62..67_usize];
        let pattern = prop_oneof![
            3 => vec(Shape::any(), 0..4).prop_map(Pattern::Shapes),
            2 => (width, 1..11_usize, families)
                .prop_map(|(width, height, families)| Pattern::Sheet(width, height, families)),
            2 => (vec(Shape::any(), 1..3), 2..20_usize)
                .prop_map(|(shapes, copies)| Pattern::Copies(shapes, copies)),
        ];
        let special = select(&[0, 3, 20, 100][..]);
        // Cloth is tame, too.
        let manner = match manner {
            Manner::Tame => select(&[Manner::Even, Manner::Tame][..]),
            Manner::Even => select(&[Manner::Even][..]),
            Manner::Wild => select(&[Manner::Wild][..]),
        };
        (pattern, 0..6_usize, special, manner, any::<u64>()).prop_map(
            |(pattern, duplicates, special, manner, seed)| Self {
                pattern,
                duplicates,
                special,
                manner,
                seed,
            },
        )
    }

    /// One shape.
    pub(crate) fn of(shape: Shape, special: u32, manner: Manner) -> Self {
        let pattern = Pattern::Shapes(vec![shape]);
        Self { pattern, duplicates: 0, special, manner, seed: 3 }
    }

    /// A regular sheet.
    pub(crate) fn sheet(
        [width, height]: [usize; 2],
        families: &'static [Family],
        special: u32,
        manner: Manner,
    ) -> Self {
        let pattern = Pattern::Sheet(width, height, families);
        Self { pattern, duplicates: 0, special, manner, seed: 4 }
    }

    /// Copies of a shape, which differ if their `manner` is not even.
    pub(crate) fn copies(shape: Shape, copies: usize, special: u32, manner: Manner) -> Self {
        let pattern = Pattern::Copies(vec![shape], copies);
        Self { pattern, duplicates: 0, special, manner, seed: 5 }
    }

    pub(crate) fn mesh<const D: usize>(&self) -> Mesh<D> {
        let mut copies = 1;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let (places, pairs, sheet) = match &self.pattern {
            Pattern::Shapes(shapes) => {
                let (places, pairs) = self.side_by_side(&mut random, shapes);
                (places, pairs, None)
            }
            &Pattern::Sheet(width, height, families) => {
                let sheet = Sheet::new(width, height, families);
                let places = (0..width * height).map(|i| [i % width, i / width]);
                let places = places.map(|[i, j]| [i as f64, -(j as f64)]).collect();
                (places, sheet.pairs(), Some(sheet))
            }
            Pattern::Copies(shapes, count) => {
                copies = *count;
                let (places, pairs) = self.side_by_side(&mut random, shapes);
                let pairs = (0..copies).flat_map(|copy| {
                    let first = (copy * places.len()) as u32;
                    pairs.iter().map(move |ends| ends.map(|end| first + end))
                });
                (places.repeat(copies), pairs.collect(), None)
            }
        };
        let (particles, mut sticks) = match self.manner {
            Manner::Even => even(&mut random, &places, &pairs),
            Manner::Tame => tame(&mut random, &places, &pairs),
            Manner::Wild => wild(&mut random, places.len(), &pairs),
        };
        for stick in 0..sticks.len() {
            if random.random_ratio(self.special, 100) {
                make_special(&mut random, &mut sticks, stick);
            }
        }
        Mesh { particles, sticks, sheet, copies }
    }

    fn side_by_side(
        &self,
        random: &mut ChaCha8Rng,
        shapes: &[Shape],
    ) -> (Vec<[f64; 2]>, Vec<[u32; 2]>) {
        let (mut places, mut pairs) = (Vec::new(), Vec::new());
        let mut left = 0.0;
        for shape in shapes {
            let (count, joined) = shape.pairs(random);
            let (first, columns) = (places.len(), shape.columns(count));
            pairs.extend(joined.into_iter().map(|ends| ends.map(|end| (first + end) as u32)));
            let place = |i| [left + (i % columns) as f64, -((i / columns) as f64)];
            places.extend((0..count).map(place));
            left += columns as f64 + 1.0;
        }
        for _ in 0..self.duplicates.min(pairs.len()) {
            let [a, b] = pairs[random.random_range(0..pairs.len())];
            pairs.push(if random.random() { [a, b] } else { [b, a] });
        }
        pairs.shuffle(random);
        let mut names: Vec<u32> = (0..places.len() as u32).collect();
        names.shuffle(random);
        for ends in &mut pairs {
            *ends = ends.map(|end| names[end as usize]);
        }
        let mut renamed = vec![[0.0; 2]; places.len()];
        for (&name, place) in names.iter().zip(places) {
            renamed[name as usize] = place;
        }
        (renamed, pairs)
    }
}

/// Near its place.
fn near<const D: usize>(random: &mut ChaCha8Rng, place: [f64; 2]) -> [f32; D] {
    std::array::from_fn(|axis| {
        let x = place.get(axis).unwrap_or(&0.0);
        (x + random.random_range(-0.2..0.2)) as f32
    })
}

fn even<const D: usize>(
    random: &mut ChaCha8Rng,
    places: &[[f64; 2]],
    pairs: &[[u32; 2]],
) -> (Particles<D>, Sticks) {
    let mut particles = Particles::with_capacity(places.len());
    for &place in places {
        let inverse_mass = if place[1] == 0.0 { 0.0 } else { 1.0 };
        particles.push(near(random, place), inverse_mass).unwrap();
    }
    let rest = |&[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|end| places[end as usize]);
        (b[0] - a[0]).hypot(b[1] - a[1]) as f32
    };
    let rests: Vec<f32> = pairs.iter().map(rest).collect();
    let sticks = Sticks::with_rests(places.len(), pairs, &rests, Duplicates::Keep).unwrap();
    (particles, sticks)
}

fn tame<const D: usize>(
    random: &mut ChaCha8Rng,
    places: &[[f64; 2]],
    pairs: &[[u32; 2]],
) -> (Particles<D>, Sticks) {
    let mut particles = Particles::with_capacity(places.len());
    for &place in places {
        let pinned = random.random_ratio(1, 8);
        let inverse_mass = if pinned { 0.0 } else { random.random_range(0.2..4.0) };
        particles.push(near(random, place), inverse_mass).unwrap();
    }
    let mut sticks = Sticks::joining(&particles, pairs, Duplicates::Keep).unwrap();
    for stick in 0..sticks.len() {
        let rest = sticks.rest(stick) * random.random_range(0.85..1.2);
        sticks.set_rest(stick, rest).unwrap();
    }
    (particles, sticks)
}

fn wild<const D: usize>(
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
                let moved = scale * random.random_range(-0.1..0.1);
                particles.previous_mut(axis)[particle] += moved;
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

/// A power of ten, every order of magnitude as likely as every other.
fn magnitude(random: &mut ChaCha8Rng, exponents: std::ops::Range<f64>) -> f32 {
    10.0_f64.powf(random.random_range(exponents)) as f32
}

/// Pinned one time in four, one kilogram as often, else of any sane magnitude.
fn any_inverse_mass(random: &mut ChaCha8Rng) -> f32 {
    match random.random_range(0..4) {
        0 => 0.0,
        1 => 1.0,
        _ => magnitude(random, -9.0..9.0),
    }
}

/// Makes a stick not plain, in one way or several, or tears it.
fn make_special(random: &mut ChaCha8Rng, sticks: &mut Sticks, stick: usize) {
    let ways = random.random_range(1..16);
    if ways & 1 != 0 {
        sticks.set_stiffness(stick, random.random_range(0.01..1.0)).unwrap();
    }
    if ways & 2 != 0 {
        sticks.set_compliance(stick, magnitude(random, -7.0..-2.0)).unwrap();
    }
    if ways & 4 != 0 {
        let kind = if random.random() { Kind::Minimum } else { Kind::Maximum };
        sticks.set_kind(stick, kind).unwrap();
    }
    if ways & 8 != 0 && random.random() {
        sticks.tear(stick).unwrap();
    }
}
