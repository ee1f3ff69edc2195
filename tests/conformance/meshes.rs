//! Meshes of every size and shape, and the orders in which their sticks can be relaxed.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut::world::Model;
use taut::{Duplicates, Family, Particles, Schedule, Sheet, Sticks};

use crate::values::{Values, make_non_plain};

/// Particles and the sticks between them.
#[derive(Clone, Debug)]
pub(crate) struct Mesh<const D: usize = 3> {
    pub(crate) particles: Particles<D>,
    pub(crate) sticks: Sticks,
    /// The sheet, if the mesh is a regular one.
    pub(crate) sheet: Option<Sheet>,
    /// The number of equal parts that it consists of; 1 unless it is made of copies.
    pub(crate) copies: usize,
}

impl From<Model> for Mesh {
    fn from(Model { particles, sticks, sheet, .. }: Model) -> Self {
        Self { particles, sticks, sheet, copies: 1 }
    }
}

/// Orders that need no particular mesh: all except those of sheets and of copies.
const GENERAL_ORDERS: [&str; 8] = [
    "authored",
    "coloured",
    "packed",
    "starred",
    "banded",
    "blocked",
    "components",
    "components in phases",
];

impl<const D: usize> Mesh<D> {
    /// A schedule in every order that the mesh allows, and two schedules in random orders.
    pub(crate) fn schedules(&self) -> Vec<(&'static str, Schedule)> {
        let named = |order| Some((order, self.schedule_if_any(order)?));
        GENERAL_ORDERS.into_iter().chain(["sheet", "copies"]).filter_map(named).collect()
    }

    /// The schedule with this name; None if the mesh is not the sheet or the copies that it needs.
    fn schedule_if_any(&self, order: &str) -> Option<Schedule> {
        let Self { particles, sticks, sheet, .. } = self;
        Some(match order {
            "authored" => Schedule::authored(sticks),
            "coloured" => Schedule::coloured(sticks),
            "packed" => Schedule::packed(sticks),
            "starred" => Schedule::starred(sticks),
            "banded" => Schedule::banded(sticks),
            "blocked" => Schedule::blocked(particles, sticks),
            "components" => components(sticks, 1),
            "components in phases" => components(sticks, 3),
            "sheet" => sheet.as_ref()?.schedule(sticks).unwrap(),
            "copies" => self.copies_schedule()?,
            _ => panic!("there is no order {order}"),
        })
    }

    /// The schedule of the copies side by side, each in the coloured order of the first.
    fn copies_schedule(&self) -> Option<Schedule> {
        let Self { particles, sticks, copies, .. } = self;
        if *copies < 2 {
            return None;
        }
        let [stick_count, particle_count] =
            [sticks.len(), particles.len()].map(|total| total / copies);
        let (pairs, rests) = (&sticks.ends()[..stick_count], &sticks.rests()[..stick_count]);
        let one = Sticks::with_rests(particle_count, pairs, rests, Duplicates::Keep).unwrap();
        let schedule_of_one = Schedule::coloured(&one);
        let schedules = std::iter::repeat_n(&schedule_of_one, *copies);
        Some(Schedule::side_by_side(sticks, schedules).unwrap())
    }

    /// The schedule with this name, which the mesh must allow.
    pub(crate) fn schedule(&self, order: &str) -> Schedule {
        self.schedule_if_any(order).unwrap()
    }

    /// The schedule of the sheet or of the copies if there is one, so that the kernel for these
    /// takes part; otherwise the one that `which` selects.
    pub(crate) fn any_schedule(&self, which: Index) -> (&'static str, Schedule) {
        let order = match (self.copies, &self.sheet) {
            (2.., _) => "copies",
            (_, Some(_)) => "sheet",
            _ => *which.get(&GENERAL_ORDERS),
        };
        (order, self.schedule(order))
    }
}

/// A schedule in a random order. The sticks are shuffled and divided into `phases` phases. In each phase, a
/// connected component is a block, so several cloths in one buffer are blocks of one phase. In a
/// block, a batch ends before the first stick that shares a particle with it.
fn components(sticks: &Sticks, phases: usize) -> Schedule {
    let mut order: Vec<u32> = (0..sticks.len() as u32).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(sticks.len() as u64));
    let phases: Vec<_> = order
        .chunks(sticks.len().div_ceil(phases).max(1))
        .map(|phase| {
            let pairs = phase.iter().map(|&stick| sticks.ends()[stick as usize]);
            let component = component_of_each(sticks.particles(), pairs);
            let mut blocks: Vec<Vec<Vec<u32>>> = vec![Vec::new(); sticks.particles()];
            for &stick in phase {
                let ends = sticks.ends()[stick as usize];
                let batches = &mut blocks[component[ends[0] as usize] as usize];
                let shares_particle = |other: &u32| {
                    sticks.ends()[*other as usize].iter().any(|end| ends.contains(end))
                };
                match batches.last_mut() {
                    Some(batch) if !batch.iter().any(shares_particle) => batch.push(stick),
                    _ => batches.push(vec![stick]),
                }
            }
            blocks
        })
        .collect();
    Schedule::new(sticks, &phases).unwrap()
}

/// For each particle, the lowest index of a particle in its connected component.
pub(crate) fn component_of_each(
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

/// The shape of a part of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// The number of sticks that share no particle.
    Pairs(usize),
    /// The number of sticks in a chain.
    Chain(usize),
    /// The number of sticks that have one end in common.
    Star(usize),
    /// Columns and rows of particles.
    Grid(usize, usize),
    /// The number of particles, each pair joined.
    Complete(usize),
    /// The numbers of particles and of random sticks.
    Graph(usize, usize),
    /// The number of particles without sticks.
    Unconnected(usize),
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
            (1..20_usize).prop_map(Self::Unconnected),
        ]
    }

    /// The number of particles, and the ends of the sticks.
    fn pairs(self, random: &mut ChaCha8Rng) -> (usize, Vec<[usize; 2]>) {
        match self {
            Self::Pairs(sticks) => (2 * sticks, (0..sticks).map(|i| [2 * i, 2 * i + 1]).collect()),
            Self::Chain(sticks) => (sticks + 1, (0..sticks).map(|i| [i, i + 1]).collect()),
            Self::Star(sticks) => (sticks + 1, (1..=sticks).map(|end| [0, end]).collect()),
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
            Self::Unconnected(particles) => (particles, Vec::new()),
        }
    }

    /// The number of particles in a row when the shape is placed in the plane.
    fn columns(self, particles: usize) -> usize {
        match self {
            Self::Grid(width, _) => width,
            _ => particles.isqrt() + 1,
        }
    }
}

/// The parts of a mesh.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Shapes side by side, with particles and sticks in random order.
    Shapes(Vec<Shape>),
    /// A regular sheet: columns, rows and families.
    Sheet(usize, usize, &'static [Family]),
    /// Shapes as above, and the number of copies of them.
    Copies(Vec<Shape>, usize),
}

/// How to make a random mesh.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) pattern: Pattern,
    /// The number of duplicate sticks, in either direction. A sheet has none.
    pub(crate) duplicates: usize,
    /// The probability that a stick is not plain, %.
    pub(crate) non_plain: u32,
    pub(crate) values: Values,
    pub(crate) seed: u64,
}

impl Recipe {
    pub(crate) fn any(values: Values) -> impl Strategy<Value = Self> {
        let families = select(&[Family::STRUCTURAL, Family::SHEAR, Family::BEND][..]);
        let width = prop_oneof![4 => 1..20_usize, 1 => 62..67_usize];
        let pattern = prop_oneof![
            3 => vec(Shape::any(), 0..4).prop_map(Pattern::Shapes),
            2 => (width, 1..11_usize, families)
                .prop_map(|(width, height, families)| Pattern::Sheet(width, height, families)),
            2 => (vec(Shape::any(), 1..3), 2..20_usize)
                .prop_map(|(shapes, copies)| Pattern::Copies(shapes, copies)),
        ];
        let non_plain = select(&[0, 3, 20, 100][..]);
        // The values of `Uniform` are moderate, too.
        let values = match values {
            Values::Moderate => select(&[Values::Uniform, Values::Moderate][..]),
            Values::Uniform => select(&[Values::Uniform][..]),
            Values::Extreme => select(&[Values::Extreme][..]),
        };
        (pattern, 0..6_usize, non_plain, values, any::<u64>()).prop_map(
            |(pattern, duplicates, non_plain, values, seed)| Self {
                pattern,
                duplicates,
                non_plain,
                values,
                seed,
            },
        )
    }

    /// A mesh of one shape.
    pub(crate) fn of(shape: Shape, non_plain: u32, values: Values) -> Self {
        let pattern = Pattern::Shapes(vec![shape]);
        Self { pattern, duplicates: 0, non_plain, values, seed: 3 }
    }

    /// A regular sheet.
    pub(crate) fn sheet(
        [width, height]: [usize; 2],
        families: &'static [Family],
        non_plain: u32,
        values: Values,
    ) -> Self {
        let pattern = Pattern::Sheet(width, height, families);
        Self { pattern, duplicates: 0, non_plain, values, seed: 4 }
    }

    /// Copies of a shape. The masses and rest lengths of the copies differ unless `values` is
    /// [`Values::Uniform`].
    pub(crate) fn copies(shape: Shape, copies: usize, non_plain: u32, values: Values) -> Self {
        let pattern = Pattern::Copies(vec![shape], copies);
        Self { pattern, duplicates: 0, non_plain, values, seed: 5 }
    }

    pub(crate) fn mesh<const D: usize>(&self) -> Mesh<D> {
        let mut copies = 1;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let (points, pairs, sheet) = match &self.pattern {
            Pattern::Shapes(shapes) => {
                let (points, pairs) = self.side_by_side(&mut random, shapes);
                (points, pairs, None)
            }
            &Pattern::Sheet(width, height, families) => {
                let sheet = Sheet::new(width, height, families);
                let points = (0..width * height).map(|i| [i % width, i / width]);
                let points = points.map(|[i, j]| [i as f64, -(j as f64)]).collect();
                (points, sheet.pairs(), Some(sheet))
            }
            Pattern::Copies(shapes, count) => {
                copies = *count;
                let (points, pairs) = self.side_by_side(&mut random, shapes);
                let pairs = (0..copies).flat_map(|copy| {
                    let first = (copy * points.len()) as u32;
                    pairs.iter().map(move |ends| ends.map(|end| first + end))
                });
                (points.repeat(copies), pairs.collect(), None)
            }
        };
        let (particles, mut sticks) =
            self.values.particles_and_sticks(&mut random, &points, &pairs);
        for stick in 0..sticks.len() {
            if random.random_ratio(self.non_plain, 100) {
                make_non_plain(&mut random, &mut sticks, stick);
            }
        }
        Mesh { particles, sticks, sheet, copies }
    }

    /// The points of these shapes side by side, and the ends of their sticks with duplicates, in
    /// random order.
    fn side_by_side(
        &self,
        random: &mut ChaCha8Rng,
        shapes: &[Shape],
    ) -> (Vec<[f64; 2]>, Vec<[u32; 2]>) {
        let (mut points, mut pairs) = (Vec::new(), Vec::new());
        // The x coordinate at which the next shape starts.
        let mut left = 0.0;
        for shape in shapes {
            let (count, joined) = shape.pairs(random);
            let (first, columns) = (points.len(), shape.columns(count));
            pairs.extend(joined.into_iter().map(|ends| ends.map(|end| (first + end) as u32)));
            let point = |i| [left + (i % columns) as f64, -((i / columns) as f64)];
            points.extend((0..count).map(point));
            left += columns as f64 + 1.0;
        }
        for _ in 0..self.duplicates.min(pairs.len()) {
            let [a, b] = pairs[random.random_range(0..pairs.len())];
            pairs.push(if random.random() { [a, b] } else { [b, a] });
        }
        pairs.shuffle(random);
        let mut new_indices: Vec<u32> = (0..points.len() as u32).collect();
        new_indices.shuffle(random);
        for ends in &mut pairs {
            *ends = ends.map(|end| new_indices[end as usize]);
        }
        let mut renumbered = vec![[0.0; 2]; points.len()];
        for (&index, point) in new_indices.iter().zip(points) {
            renumbered[index as usize] = point;
        }
        (renumbered, pairs)
    }
}
