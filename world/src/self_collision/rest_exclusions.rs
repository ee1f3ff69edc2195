//! Pairs of particles of one model that do not collide: those that a stick joins, and those that are
//! near each other at the beginning and joined by a short path along sticks.
//!
//! In this file a slot is an index into the columns of [`Balls`].

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use taut_core::Sticks;

use super::clusters::{Balls, CLUSTER, clustered};
use super::near_rows::{NearRows, Pairing, Pairings};
use crate::error::ModelError;
use crate::model::Model;
use crate::vector::{difference, length};

/// The greatest length of a path along sticks between two near particles that do not collide, as a
/// multiple of the thickness. (In square cells without diagonal sticks, a path is up to √2 times as long
/// as the distance.)
const PATH_MAX: f32 = 2.0;

/// The greatest number of pairs of particles of one model that [`check_thickness`] may count. More pairs
/// would need gigabytes of memory.
const CELL_PAIRS_MAX: usize = 1 << 24;

/// Checks that the pairs of a model's particles that begin closer together than the thickness do not
/// need too much memory. It counts only the pairs within a cell of a grid of cubes whose diagonal is
/// the thickness. In a flat cloth these are about a ninth of all, in 2D a sixth.
pub(crate) fn check_thickness<const D: usize>(
    model: &Model<D>,
    thickness: f32,
) -> Result<(), ModelError> {
    let side = f64::from(thickness) / (D as f64).sqrt();
    let mut counts = HashMap::<[u64; D], usize>::new();
    let mut pairs = 0;
    for particle in 0..model.particles.len() {
        let position = model.particles.position(particle);
        let cube = position.map(|x| (f64::from(x) / side).floor().to_bits());
        let count = counts.entry(cube).or_default();
        pairs += *count;
        *count += 1;
    }
    if pairs <= CELL_PAIRS_MAX {
        return Ok(());
    }
    Err(ModelError::OutOfRange {
        key: "thickness",
        what: "the thickness of cloth, m,",
        value: thickness.into(),
        must: "so small that at most 16777216 pairs of particles share a cube with this diagonal",
    })
}

/// Pairs of slots that do not collide with each other, by the clusters of [`Balls`] that contain them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedPairs {
    /// The index of the first entry of each cluster, and at the end the number of entries.
    first: Vec<u32>,
    /// Each entry has a second cluster, the same or a later one; and for each slot of the first cluster,
    /// the slots of the second that are excluded, as bits.
    entries: Vec<(u32, [u16; CLUSTER])>,
}

impl ExcludedPairs {
    /// From pairs of slots; `clusters` is the number of clusters.
    pub(crate) fn new(clusters: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let ordered = pairs.map(|[one, other]| [one.min(other), one.max(other)]);
        let cluster_of = |slot: u32| slot / CLUSTER as u32;
        let mut pairs: Vec<[u32; 2]> = ordered.collect();
        pairs.sort_unstable_by_key(|&[one, other]| (cluster_of(one), cluster_of(other)));
        let (mut first, mut entries) = (Vec::with_capacity(clusters + 1), Vec::new());
        let clusters_of = |pair: &[u32; 2]| pair.map(cluster_of);
        for of_clusters in pairs.chunk_by(|one, next| clusters_of(one) == clusters_of(next)) {
            let [cluster, other] = clusters_of(&of_clusters[0]);
            first.resize(cluster as usize + 1, entries.len() as u32);
            let mut slots = [0; CLUSTER];
            for pair in of_clusters {
                let [lane, bit] = pair.map(|slot| slot as usize % CLUSTER);
                slots[lane] |= 1 << bit;
            }
            entries.push((other, slots));
        }
        first.resize(clusters + 1, entries.len() as u32);
        Self { first, entries }
    }

    /// For each slot of the first cluster, the slots of the second that are excluded, as bits. The
    /// second cluster is the same or a later one.
    #[inline(always)]
    pub(crate) fn of(&self, [one, other]: [usize; 2]) -> Option<&[u16; CLUSTER]> {
        let entries = &self.entries[self.first[one] as usize..self.first[one + 1] as usize];
        entries.iter().find(|entry| entry.0 as usize == other).map(|entry| &entry.1)
    }
}

/// The slots of a model's balls, and the pairs of slots that do not collide: a stick joins their
/// particles, or these are near each other and joined by a short path along sticks.
#[derive(Clone, Debug)]
pub(crate) struct RestExclusions {
    /// The particle of each slot.
    pub(crate) particles: Vec<u32>,
    /// Pairs of slots that do not collide with each other.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// The number of `pairs` whose particles no stick joins.
    pub(crate) close_count: usize,
}

/// The sticks at each particle, without those that are torn.
struct Neighbours {
    /// The index of the first entry of each particle, and at the end the number of entries.
    first: Vec<u32>,
    /// For each stick at a particle: its other end, and its rest length, m.
    others: Vec<(u32, f32)>,
}

/// The sticks that are not torn, with their ends.
fn intact(sticks: &Sticks) -> impl Iterator<Item = (usize, [u32; 2])> {
    (0..).zip(sticks.ends().iter().copied()).filter(|&(stick, _)| !sticks.is_torn(stick))
}

impl Neighbours {
    fn new<const D: usize>(model: &Model<D>) -> Self {
        let sticks = &model.sticks;
        // Counting sort. At first, `first[p + 1]` is where the entries of p begin. Each entry that is
        // filled in increases it, so at the end it is where the entries of p end and those of p + 1
        // begin.
        let mut first = vec![0; model.particles.len() + 2];
        for end in intact(sticks).flat_map(|(_, ends)| ends) {
            first[end as usize + 2] += 1;
        }
        for particle in 2..first.len() {
            first[particle] += first[particle - 1];
        }
        let mut others = vec![(0, 0.0); 2 * sticks.len()];
        for (stick, [a, b]) in intact(sticks) {
            let rest = sticks.rests()[stick];
            for [from, to] in [[a, b], [b, a]] {
                let next = &mut first[from as usize + 1];
                others[*next as usize] = (to, rest);
                *next += 1;
            }
        }
        Self { first, others }
    }

    /// The sticks at a particle.
    fn of(&self, particle: u32) -> &[(u32, f32)] {
        let [first, end] = [0, 1].map(|next| self.first[particle as usize + next] as usize);
        &self.others[first..end]
    }
}

/// The lengths of the shortest paths along sticks from one particle (Dijkstra, "A Note on Two Problems
/// in Connexion with Graphs", 1959).
struct ShortestPaths<'a> {
    neighbours: &'a Neighbours,
    /// By particle, m; infinite if it was not reached.
    lengths: Vec<f32>,
    /// The particles with a finite length.
    reached: Vec<u32>,
    /// The ends of paths that have yet to be continued, shortest first: the bits of the length, m, which
    /// sort like the lengths because these are not negative; and the particle.
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<'a> ShortestPaths<'a> {
    fn new(neighbours: &'a Neighbours, particles: usize) -> Self {
        Self {
            neighbours,
            lengths: vec![f32::INFINITY; particles],
            reached: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// Finds all paths of at most `length_max`, m, from a particle.
    fn find(&mut self, from: u32, length_max: f32) {
        for particle in self.reached.drain(..) {
            self.lengths[particle as usize] = f32::INFINITY;
        }
        self.reach(from, 0.0);
        while let Some(Reverse((length, particle))) = self.open.pop() {
            let length = f32::from_bits(length);
            if length > self.lengths[particle as usize] {
                continue; // there is a shorter path
            }
            for &(other, rest) in self.neighbours.of(particle) {
                let extended = length + rest;
                if extended <= length_max && extended < self.lengths[other as usize] {
                    self.reach(other, extended);
                }
            }
        }
    }

    /// Records a path to a particle that is shorter than all others so far.
    fn reach(&mut self, particle: u32, length: f32) {
        let known = core::mem::replace(&mut self.lengths[particle as usize], length);
        if known == f32::INFINITY {
            self.reached.push(particle);
        }
        self.open.push(Reverse((length.to_bits(), particle)));
    }
}

/// All pairs of balls of one model, without the excluded ones.
struct WithinModel {
    thickness: f32,
    excluded: ExcludedPairs,
}

impl Pairings for WithinModel {
    fn of(&self, _: [u32; 2]) -> Option<Pairing> {
        Some(Pairing { thickness: self.thickness, friction: 0.0 })
    }

    fn thickness(&self) -> f32 {
        self.thickness
    }

    fn excluded(&self) -> &ExcludedPairs {
        &self.excluded
    }
}

impl RestExclusions {
    /// The pairs of a model whose thickness is not [too large](check_thickness).
    pub(crate) fn new<const D: usize>(model: &Model<D>, thickness: f32) -> Self {
        let count = model.particles.len();
        let points: Vec<[f32; D]> = (0..count).map(|it| model.particles.position(it)).collect();
        let particles = clustered(&points);
        let mut balls = Balls::<D>::new(core::iter::once(count));
        let slot_of = first_slots(&particles, count);
        for (slot, &particle) in particles.iter().enumerate() {
            for (axis, x) in points[particle as usize].into_iter().enumerate() {
                (balls.position[axis][slot], balls.previous[axis][slot]) = (x, x);
            }
        }
        let joined = intact(&model.sticks).filter(|(_, [a, b])| a != b);
        let mut pairs: Vec<[u32; 2]> =
            joined.map(|(_, ends)| ends.map(|end| slot_of[end as usize])).collect();
        for pair in &mut pairs {
            pair.sort_unstable();
        }
        pairs.sort_unstable();
        pairs.dedup();
        let joined_count = pairs.len();
        let excluded = ExcludedPairs::new(balls.models.len(), pairs.iter().copied());
        let mut near = NearRows::new(&balls);
        let pairings = WithinModel { thickness, excluded };
        near.search_all(&balls, &pairings);
        let neighbours = Neighbours::new(model);
        let is_near = |&[one, other]: &[usize; 2]| {
            length(difference(balls.position(one), balls.position(other))) < thickness
        };
        let near = near.pairs().filter(is_near).map(|pair| pair.map(|slot| slot as u32));
        let mut near: Vec<[u32; 2]> = near.collect();
        near.sort_unstable();
        let particle_of = |slot: u32| particles[slot as usize];
        let mut paths = ShortestPaths::new(&neighbours, count);
        for of_one in near.chunk_by(|pair, next| pair[0] == next[0]) {
            paths.find(particle_of(of_one[0][0]), PATH_MAX * thickness);
            let is_reached =
                |[_, other]: &&[u32; 2]| paths.lengths[particle_of(*other) as usize].is_finite();
            pairs.extend(of_one.iter().filter(is_reached));
        }
        let close_count = pairs.len() - joined_count;
        Self { particles, pairs, close_count }
    }
}

/// For each of `count` particles the first of its slots; the others are padding. `particles` has the
/// particle of each slot.
pub(crate) fn first_slots(particles: &[u32], count: usize) -> Vec<u32> {
    let mut slots = vec![0; count];
    for (slot, &particle) in particles.iter().enumerate().rev() {
        slots[particle as usize] = slot as u32;
    }
    slots
}
