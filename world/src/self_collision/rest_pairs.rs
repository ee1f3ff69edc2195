//! Pairs of particles of one model that do not collide, because they are near each other at rest.

use super::cells::{Cells, PairList};
use crate::model::Model;

/// A pair of particles is left out up to this length of the path along sticks, as a multiple of the
/// thickness. (In square cells without diagonal sticks a path is longer than the distance by √2.)
const PATH: f32 = 2.0;

/// Pairs of particles of a model that do not collide with each other, by their numbers in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestPairs {
    pairs: PairList,
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

impl RestPairs {
    pub(crate) fn new<const D: usize>(model: &Model<D>, thickness: f32) -> Self {
        let count = model.particles.len();
        let joined = model.sticks.ends().iter().filter(|[a, b]| a != b);
        let mut pairs: Vec<[u32; 2]> = joined.map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let sticks = pairs.len();
        let neighbours = Neighbours::new(model);
        let mut joined = PairList::default();
        joined.fill(count, &pairs);
        let mut near = PairList::default();
        let points = (0..count).map(|it| model.particles.position(it));
        let not_joined = |pair| !joined.contains(pair);
        Cells::with_capacity(count).near_pairs(
            points,
            thickness,
            64 * count,
            not_joined,
            &mut near,
        );
        let mut shortest = vec![f32::INFINITY; count];
        for (low, others) in near.rows().enumerate() {
            for &high in others {
                let pair = [low as u32, high];
                if neighbours.joins(pair, PATH * thickness, &mut shortest) {
                    pairs.push(pair);
                }
            }
        }
        let close = pairs.len() - sticks;
        joined.fill(count, &pairs);
        Self { pairs: joined, close }
    }

    #[inline]
    pub(crate) fn contains(&self, pair: [u32; 2]) -> bool {
        self.pairs.contains(pair)
    }
}
