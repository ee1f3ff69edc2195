//! Pairs of particles of one model that do not collide, because they are near each other at rest.

use super::clusters::{Balls, CLUSTER, clustered};
use super::near_rows::{Margin, NearRows, Pairing, Pairings};
use crate::model::Model;
use crate::vector::{difference, length};

/// A pair of particles is left out up to this length of the path along sticks, as a multiple of the
/// thickness. (In square cells without diagonal sticks a path is longer than the distance by √2.)
const PATH: f32 = 2.0;

/// Pairs of slots that do not collide with each other, by cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    /// Where the entries of each cluster begin, and the end of the last.
    first: Vec<u32>,
    /// For each slot of a cluster the slots of another one, or of the same, that are left out, as
    /// bits. The other cluster comes later.
    entries: Vec<(u32, [u16; CLUSTER])>,
}

impl LeftOut {
    /// From pairs of slots of so many clusters.
    pub(crate) fn new(clusters: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let ordered = pairs.map(|[one, other]| [one.min(other), one.max(other)]);
        let of = |slot: u32| slot / CLUSTER as u32;
        let mut pairs: Vec<[u32; 2]> = ordered.collect();
        pairs.sort_unstable_by_key(|&[one, other]| (of(one), of(other)));
        let (mut first, mut entries) = (Vec::with_capacity(clusters + 1), Vec::new());
        for same in pairs.chunk_by(|one, other| one.map(of) == other.map(of)) {
            let [cluster, other] = same[0].map(of);
            first.resize(cluster as usize + 1, entries.len() as u32);
            let mut slots = [0; CLUSTER];
            for pair in same {
                let [lane, bit] = pair.map(|slot| slot as usize % CLUSTER);
                slots[lane] |= 1 << bit;
            }
            entries.push((other, slots));
        }
        first.resize(clusters + 1, entries.len() as u32);
        Self { first, entries }
    }

    /// For each slot of the first cluster, the slots of the second that are left out. The first is
    /// the same or comes earlier.
    #[inline(always)]
    pub(crate) fn of(&self, [one, other]: [usize; 2]) -> Option<&[u16; CLUSTER]> {
        let entries = &self.entries[self.first[one] as usize..self.first[one + 1] as usize];
        entries.iter().find(|entry| entry.0 as usize == other).map(|entry| &entry.1)
    }
}

/// A model's balls at rest.
#[derive(Clone, Debug)]
pub(crate) struct RestPairs {
    /// The particle of each slot.
    pub(crate) particles: Vec<u32>,
    /// Pairs of slots that do not collide with each other.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// The number of pairs that no stick joins.
    pub(crate) close: usize,
}

/// The sticks at each particle.
struct Neighbours {
    first: Vec<u32>,
    /// Another end, and the rest length, m.
    others: Vec<(u32, f32)>,
}

impl Neighbours {
    fn new<const D: usize>(model: &Model<D>) -> Self {
        let sticks = &model.sticks;
        let mut first = vec![0; model.particles.len() + 2];
        for end in sticks.ends().iter().flatten() {
            first[*end as usize + 2] += 1;
        }
        for particle in 2..first.len() {
            first[particle] += first[particle - 1];
        }
        let mut others = vec![(0, 0.0); 2 * sticks.len()];
        for (&[a, b], &rest) in sticks.ends().iter().zip(sticks.rests()) {
            for [from, to] in [[a, b], [b, a]] {
                let place = &mut first[from as usize + 1];
                others[*place as usize] = (to, rest);
                *place += 1;
            }
        }
        Self { first, others }
    }

    fn of(&self, particle: u32) -> &[(u32, f32)] {
        let [first, end] = [0, 1].map(|next| self.first[particle as usize + next] as usize);
        &self.others[first..end]
    }

    /// Whether a path of at most `length`, m, along sticks joins two particles. `shortest` has an
    /// infinite length for each particle, and gets it again.
    fn joins(&self, [from, to]: [u32; 2], length: f32, shortest: &mut [f32]) -> bool {
        let mut reached = vec![(from, 0.0)];
        shortest[from as usize] = 0.0;
        let mut next = 0;
        while let Some(&(at, path)) = reached.get(next) {
            next += 1;
            if path > shortest[at as usize] {
                continue; // found again, on a shorter path
            }
            for &(other, rest) in self.of(at) {
                let longer = path + rest;
                if longer <= length && longer < shortest[other as usize] {
                    shortest[other as usize] = longer;
                    reached.push((other, longer));
                }
            }
        }
        let found = shortest[to as usize] <= length;
        for (particle, _) in reached {
            shortest[particle as usize] = f32::INFINITY;
        }
        found
    }
}

/// All pairs of balls of one model, apart from those that are left out.
struct WithinModel {
    thickness: f32,
    left_out: LeftOut,
}

impl Pairings for WithinModel {
    fn of(&self, _: [u32; 2]) -> Option<Pairing> {
        Some(Pairing { thickness: self.thickness, friction: 0.0 })
    }

    fn thickness(&self) -> f32 {
        self.thickness
    }

    fn left_out(&self) -> &LeftOut {
        &self.left_out
    }
}

impl RestPairs {
    pub(crate) fn new<const D: usize>(model: &Model<D>, thickness: f32) -> Self {
        let count = model.particles.len();
        let points: Vec<[f32; D]> = (0..count).map(|it| model.particles.position(it)).collect();
        let particles = clustered(&points);
        let mut balls = Balls::<D>::new(core::iter::once(count));
        let mut slot_of = vec![0; count];
        for (slot, &particle) in particles.iter().enumerate().rev() {
            slot_of[particle as usize] = slot as u32; // the first: the others are padding
            for (axis, x) in points[particle as usize].into_iter().enumerate() {
                (balls.position[axis][slot], balls.previous[axis][slot]) = (x, x);
            }
        }
        let joined = model.sticks.ends().iter().filter(|[a, b]| a != b);
        let mut pairs: Vec<[u32; 2]> =
            joined.map(|&ends| ends.map(|end| slot_of[end as usize])).collect();
        for pair in &mut pairs {
            pair.sort_unstable();
        }
        pairs.sort_unstable();
        pairs.dedup();
        let sticks = pairs.len();
        let left_out = LeftOut::new(balls.models.len(), pairs.iter().copied());
        let mut near = NearRows::new(&balls);
        near.search(&balls, &WithinModel { thickness, left_out }, Margin::Distance(0.0));
        let neighbours = Neighbours::new(model);
        let mut shortest = vec![f32::INFINITY; count];
        for pair in near.rows().iter().flat_map(|row| row.pairs()) {
            let [one, other] = pair.map(|slot| balls.position(slot));
            let is_near = length(difference(one, other)) < thickness;
            if is_near
                && neighbours.joins(
                    pair.map(|slot| particles[slot]),
                    PATH * thickness,
                    &mut shortest,
                )
            {
                pairs.push(pair.map(|slot| slot as u32));
            }
        }
        let close = pairs.len() - sticks;
        Self { particles, pairs, close }
    }
}
