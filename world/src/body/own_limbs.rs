//! Limbs of one owner that are near each other at rest.

use taut_core::Particles;

use super::limbs::{Limb, axis_distance};
use crate::sweep;

/// Two limbs of one owner that overlap at rest.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    /// Their numbers, in ascending order.
    limbs: [usize; 2],
    /// The distance that their axes keep, m: that at rest. None if they overlap so much that they do
    /// not collide.
    distance: Option<f32>,
}

/// How far limbs of one owner stay apart. Only pairs that overlap at rest are listed.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnLimbs {
    overlaps: Vec<Overlap>,
}

/// Limbs whose axes are nearer at rest than this fraction of the sum of their radii do not collide.
const DEEP: f32 = 0.5;

impl OwnLimbs {
    /// Adds the last limbs, from the number `first`, which have one owner, at rest.
    pub(super) fn extend<const D: usize>(
        &mut self,
        limbs: &[Limb],
        first: usize,
        particles: &Particles<D>,
    ) {
        let new = limbs.iter().enumerate().skip(first);
        let mut boxes: Vec<_> =
            new.map(|(number, limb)| limb.bounds(number, particles, 0.0)).collect();
        let mut pairs = Vec::new();
        sweep::pairs(&mut boxes, |one, other| !limbs[one].joins(&limbs[other]), &mut pairs);
        for pair in pairs {
            let both = pair.map(|number| &limbs[number]);
            let touching = both[0].radius + both[1].radius;
            let at_rest = axis_distance(both, particles);
            if at_rest < touching {
                let distance = (at_rest >= DEEP * touching).then_some(at_rest);
                self.overlaps.push(Overlap { limbs: pair, distance });
            }
        }
    }

    /// Appends those of other limbs, the first of which gets the number `first`.
    pub(super) fn append(&mut self, others: &Self, first: usize) {
        let shifted = |it: &Overlap| Overlap { limbs: it.limbs.map(|limb| first + limb), ..*it };
        self.overlaps.extend(others.overlaps.iter().map(shifted));
    }

    /// Keeps those of limbs that remain; `new_of` gives their new numbers, in the same order.
    pub(super) fn retain(&mut self, new_of: impl Fn(usize) -> Option<usize>) {
        let kept = self.overlaps.iter().filter_map(|it| {
            let [Some(one), Some(other)] = it.limbs.map(&new_of) else { return None };
            Some(Overlap { limbs: [one, other], ..*it })
        });
        self.overlaps = kept.collect();
    }

    /// The distance that the axes of two limbs of one owner keep, m, the lower number first; None if
    /// they do not collide.
    pub(super) fn distance(&self, limbs: &[Limb], pair: [usize; 2]) -> Option<f32> {
        let [one, other] = pair.map(|number| &limbs[number]);
        if one.joins(other) {
            return None;
        }
        match self.overlaps.binary_search_by_key(&pair, |it| it.limbs) {
            Ok(place) => self.overlaps[place].distance,
            Err(_) => Some(one.radius + other.radius),
        }
    }
}
