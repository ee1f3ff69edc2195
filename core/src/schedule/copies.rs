//! Schedules of copies of one mesh.

use alloc::sync::Arc;

use super::Schedule;
use crate::real::Real;
use crate::sticks::Sticks;

/// What a schedule is made of if all its parts are copies of one: stick `s` of copy `c` of `n`
/// sticks is number `c n + s`, and particles likewise.
#[derive(Clone, Debug)]
pub struct Copies {
    count: usize,
    one: Arc<Schedule>,
}

impl Copies {
    /// The parts of the schedule of `sticks`, if there are several and they are equal.
    pub(super) fn of<S: Real>(sticks: &Sticks<S>, parts: &[&Schedule]) -> Option<Self> {
        let (&one, others) = parts.split_first()?;
        let (len, particles) = (one.sticks(), one.particles());
        if others.is_empty() || len == 0 || sticks.particles() != parts.len() * particles {
            return None;
        }
        let equal = |&other: &&Schedule| core::ptr::eq(one, other) || one.has_order_of(other);
        if !others.iter().all(equal) {
            return None;
        }
        // Their own ends may have other numbers than those in `sticks`.
        let ends = &sticks.ends()[..len];
        let inside = ends.as_flattened().iter().all(|&end| (end as usize) < particles);
        let shifted = sticks.ends().chunks(len).enumerate().all(|(copy, of_copy)| {
            let first = (copy * particles) as u32;
            of_copy.iter().zip(ends).all(|(it, ends)| *it == ends.map(|end| first + end))
        });
        (inside && shifted).then(|| {
            let one = Schedule { ends: ends.into(), sheet: None, copies: None, ..one.clone() };
            Self { count: parts.len(), one: Arc::new(one) }
        })
    }

    /// How many copies there are: at least two.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The schedule of one: at least one stick.
    pub fn one(&self) -> &Schedule {
        &self.one
    }
}
