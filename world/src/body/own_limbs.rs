//! Limbs of one owner that are near each other at rest.

use taut_core::Particles;

use super::limbs::{Limb, axis_distance};
use crate::sweep;

/// Two limbs of one owner that overlap at rest.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    /// Their indices, in ascending order.
    limbs: [usize; 2],
    /// The distance that their axes keep, m: their distance at rest. None if they do not collide,
    /// because they overlap too much.
    distance: Option<f32>,
}

/// The pairs of limbs of one owner that overlap at rest. The axes of all other pairs of limbs of one
/// owner keep the sum of their radii, unless the two limbs share a particle.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnLimbOverlaps {
    /// In ascending order of `limbs`.
    overlaps: Vec<Overlap>,
}

/// Limbs whose axes are nearer at rest than this fraction of the sum of their radii do not collide.
const DEEP_OVERLAP: f32 = 0.5;

impl OwnLimbOverlaps {
    /// Adds the overlaps among the limbs from the index `first` on, which have one owner. `particles`
    /// are at rest.
    pub(super) fn extend<const D: usize>(
        &mut self,
        limbs: &[Limb],
        first: usize,
        particles: &Particles<D>,
    ) {
        let new = limbs.iter().enumerate().skip(first);
        let mut boxes: Vec<_> =
            new.map(|(index, limb)| limb.bounds(index, particles, 0.0)).collect();
        let mut pairs = Vec::new();
        sweep::pairs(
            &mut boxes,
            |one, other| !limbs[one].shares_particle_with(&limbs[other]),
            &mut pairs,
        );
        for pair in pairs {
            let [one, other] = pair.map(|limb| &limbs[limb]);
            let radius_sum = one.radius + other.radius;
            let at_rest = axis_distance([one, other], particles);
            if at_rest < radius_sum {
                let distance = (at_rest >= DEEP_OVERLAP * radius_sum).then_some(at_rest);
                self.overlaps.push(Overlap { limbs: pair, distance });
            }
        }
    }

    /// Appends the overlaps of other limbs, the first of which gets the index `first`.
    pub(super) fn append(&mut self, others: &Self, first: usize) {
        let shifted = |overlap: &Overlap| Overlap {
            limbs: overlap.limbs.map(|limb| first + limb),
            ..*overlap
        };
        self.overlaps.extend(others.overlaps.iter().map(shifted));
    }

    /// Keeps the overlaps of limbs that remain; `new_of` returns their new indices, in the same
    /// order.
    pub(super) fn retain(&mut self, new_of: impl Fn(usize) -> Option<usize>) {
        let kept = self.overlaps.iter().filter_map(|overlap| {
            let [Some(one), Some(other)] = overlap.limbs.map(&new_of) else { return None };
            Some(Overlap { limbs: [one, other], ..*overlap })
        });
        self.overlaps = kept.collect();
    }

    /// The distance that the axes of two limbs of one owner that share no particle keep, m; None if they
    /// do not collide. `pair` has the lower index first.
    pub(super) fn distance(&self, limbs: &[Limb], pair: [usize; 2]) -> Option<f32> {
        let [one, other] = pair.map(|limb| &limbs[limb]);
        match self.overlaps.binary_search_by_key(&pair, |overlap| overlap.limbs) {
            Ok(index) => self.overlaps[index].distance,
            Err(_) => Some(one.radius + other.radius),
        }
    }
}
