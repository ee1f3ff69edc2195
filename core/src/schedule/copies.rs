//! Schedules of copies of one mesh.

use alloc::sync::Arc;

use super::Schedule;
use crate::real::Real;
use crate::sticks::Sticks;

/// The copies of one mesh that a schedule merges. If a copy has `n` sticks, stick `s` of copy `c`
/// has the number `c n + s`. Particles are numbered in the same way.
#[derive(Clone, Debug)]
pub struct Copies {
    count: usize,
    /// The schedule of one copy.
    one: Arc<Schedule>,
}

impl Copies {
    /// The copies in the merged `sticks`, if there are at least two `schedules` and all are equal.
    pub(super) fn of<S: Real>(sticks: &Sticks<S>, schedules: &[&Schedule]) -> Option<Self> {
        let (&one, others) = schedules.split_first()?;
        let (per_copy, particles) = (one.sticks(), one.particles());
        if others.is_empty() || per_copy == 0 || sticks.particles() != schedules.len() * particles {
            return None;
        }
        let same_order = |&other: &&Schedule| core::ptr::eq(one, other) || one.has_order_of(other);
        if !others.iter().all(same_order) {
            return None;
        }
        // `has_order_of` ignores ends, so compare the ends of each copy with those of the first. (All ends
        // are below the number of particles of all copies. So if the ends of the last copy are shifted
        // by all particles before it, each copy has ends among its own particles only.)
        let ends = &sticks.ends()[..per_copy];
        let shifted = sticks.ends().chunks(per_copy).enumerate().all(|(copy, of_copy)| {
            let first = (copy * particles) as u32;
            of_copy.iter().zip(ends).all(|(pair, ends)| *pair == ends.map(|end| first + end))
        });
        shifted.then(|| {
            let one = Schedule { ends: ends.into(), sheet: None, copies: None, ..one.clone() };
            Self { count: schedules.len(), one: Arc::new(one) }
        })
    }

    /// The number of copies from which a kernel that uses one lane per copy is faster than a
    /// general kernel. Measured on AVX-512, AVX2 and SSE2; it affects only the speed.
    pub const FASTER_FROM: usize = 6;

    /// How many copies there are: at least two.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The schedule of one copy, which has at least one stick.
    pub fn one(&self) -> &Schedule {
        &self.one
    }
}
