//! Sticks as columns (structure of arrays).

mod checks;
mod error;
mod kind;
mod pairs;
#[cfg(feature = "serde")]
mod serialized;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::arithmetic::{ABSENT, Response};
use crate::changes::Changes;
use crate::error::PlanError;
use crate::hash::fnv1a;
use crate::particles::Particles;
use crate::real::Real;
use crate::renumbering::{PermutationError, Renumbering};

use checks::{
    check_pairs, checked_compliance, checked_rest, checked_stiffness, converted_stiffness,
};
pub use error::StickError;
pub use kind::Kind;
use pairs::first_occurrences;
pub(crate) use pairs::{same_ends, sorted_by_ends};

/// The shortest valid rest length, m.
pub const REST_MIN: f64 = 1e-15;
/// The longest valid rest length, m. It keeps the factor `g` of the correction (see
/// [`Factor`](crate::Factor)) finite in `f32`, for all valid inverse masses and all lengths whose
/// square is a normal `f32` (1.1e-19 to 1.8e19 m).
pub const REST_MAX: f64 = 1e10;
/// The largest valid compliance, m/N.
pub const COMPLIANCE_MAX: f64 = 100.0;

/// What to do with sticks that join the same two particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// Keep all of them, and relax each.
    Keep,
    /// Keep only the first of them.
    Merge,
}

/// Sticks: columns of both ends, rest length (m), stiffness, compliance (m/N), kind and torn flag.
///
/// A stick is *plain* when it is two-sided, of stiffness 1 and compliance 0; schedules put plain
/// sticks into separate batches, which kernels relax faster. Ends never change; everything else
/// may, and plans read the changes at their next step.
///
/// ```
/// use taut_core::{Duplicates, Particles, Sticks};
///
/// let particles = Particles::new(&[[0.0, 0.0], [3.0, 4.0]], &[1.0, 1.0])?;
/// let mut sticks = Sticks::joining(&particles, &[[0, 1]], Duplicates::Keep)?;
/// assert_eq!(sticks.rest(0), 5.0);
///
/// sticks.tear(0)?;
/// assert!(sticks.is_torn(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sticks<S: Real = f32> {
    /// Shared with clones, schedules and plans: equal pointers prove equal ends.
    ends: Arc<[[u32; 2]]>,
    rest: Vec<S>,
    stiffness: Vec<S>,
    compliance: Vec<S>,
    kind: Vec<Kind>,
    torn: Vec<bool>,
    /// The number of particles that the ends were checked against.
    particles: usize,
    changes: Changes,
}

impl<S: Real> Sticks<S> {
    /// Plain sticks between `pairs` of particles. Rest lengths are the current distances
    /// (computed in `f64` and rounded once).
    ///
    /// # Errors
    /// A pair out of range or with one particle twice; a distance outside 1e-15 to 1e10 m, such as 0
    /// for two particles at the same position; too many pairs for 32-bit numbers.
    pub fn joining<const D: usize>(
        particles: &Particles<D, S>,
        pairs: &[[u32; 2]],
        duplicates: Duplicates,
    ) -> Result<Self, StickError> {
        check_pairs(pairs, particles.len())?;
        let columns = core::array::from_fn(|axis| particles.positions(axis));
        let rests: Vec<S> =
            pairs.iter().map(|&ends| S::from_f64(length::<D, S>(columns, ends))).collect();
        Self::with_rests(particles.len(), pairs, &rests, duplicates)
    }

    /// Plain sticks between `pairs` of `particles` particles, with the rest lengths `rests`, m.
    /// (Plans require particles of the same number type.)
    ///
    /// # Errors
    /// Slices of unequal length; a pair out of range or with one particle twice; a rest
    /// length outside 1e-15 to 1e10 m; too many pairs or particles for 32-bit numbers.
    pub fn with_rests(
        particles: usize,
        pairs: &[[u32; 2]],
        rests: &[S],
        duplicates: Duplicates,
    ) -> Result<Self, StickError> {
        if pairs.len() != rests.len() {
            return Err(StickError::UnequalCounts { pairs: pairs.len(), rests: rests.len() });
        }
        if pairs.len().max(particles) >= u32::MAX as usize {
            return Err(StickError::TooMany { pairs: pairs.len(), particles });
        }
        check_pairs(pairs, particles)?;
        for (stick, &rest) in rests.iter().enumerate() {
            checked_rest(stick, rest)?;
        }
        let (ends, rest): (Arc<_>, Vec<S>) = match duplicates {
            Duplicates::Keep => (pairs.into(), rests.to_vec()),
            Duplicates::Merge => {
                let is_first = first_occurrences(pairs, particles);
                let kept = || (0..pairs.len()).filter(|&stick| is_first[stick]);
                (
                    kept().map(|stick| pairs[stick]).collect(),
                    kept().map(|stick| rests[stick]).collect(),
                )
            }
        };
        let len = ends.len();
        Ok(Self {
            ends,
            rest,
            stiffness: alloc::vec![S::ONE; len],
            compliance: alloc::vec![S::ZERO; len],
            kind: alloc::vec![Kind::TwoSided; len],
            torn: alloc::vec![false; len],
            particles,
            changes: Changes::new(),
        })
    }

    /// Concatenates the sticks of several cloths with all their columns. Particle numbers of each
    /// cloth are offset by the particle counts of those before it, as in
    /// [`Particles::side_by_side`].
    ///
    /// # Errors
    /// Too many sticks or particles for 32-bit numbers.
    pub fn side_by_side<'a>(
        cloths: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Self, StickError> {
        let cloths: Vec<&Self> = cloths.into_iter().collect();
        let particles = cloths.iter().map(|cloth| cloth.particles).sum();
        let pairs = cloths.iter().map(|cloth| cloth.len()).sum::<usize>();
        if pairs.max(particles) >= u32::MAX as usize {
            return Err(StickError::TooMany { pairs, particles });
        }
        let mut ends = Vec::with_capacity(pairs);
        let mut first_particle = 0;
        for cloth in &cloths {
            ends.extend(cloth.ends.iter().map(|ends| ends.map(|end| first_particle + end)));
            first_particle += cloth.particles as u32;
        }
        Ok(Self {
            ends: ends.into(),
            rest: cloths.iter().flat_map(|cloth| &cloth.rest).copied().collect(),
            stiffness: cloths.iter().flat_map(|cloth| &cloth.stiffness).copied().collect(),
            compliance: cloths.iter().flat_map(|cloth| &cloth.compliance).copied().collect(),
            kind: cloths.iter().flat_map(|cloth| &cloth.kind).copied().collect(),
            torn: cloths.iter().flat_map(|cloth| &cloth.torn).copied().collect(),
            particles,
            changes: Changes::new(),
        })
    }

    /// How many sticks there are, including torn ones.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no sticks.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of particles that the ends were checked against: every end is below this.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// The column of both ends.
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The column of ends, shared: a plan keeps it for [`check_ends`](Self::check_ends).
    pub fn shared_ends(&self) -> Arc<[[u32; 2]]> {
        Arc::clone(&self.ends)
    }

    /// Checks that these sticks have the ends that a plan was made for. The check is cheap if
    /// the plan was made for these sticks or for clones of them.
    ///
    /// # Errors
    /// [`PlanError::OtherSticks`] with the first stick that differs.
    pub fn check_ends(&self, planned: &Arc<[[u32; 2]]>) -> Result<(), PlanError> {
        match self.first_difference(planned) {
            Some(stick) => Err(PlanError::OtherSticks { stick }),
            None => Ok(()),
        }
    }

    /// The first stick whose ends differ from `ends`, or that only one of the two lists has, if any.
    pub(crate) fn first_difference(&self, ends: &Arc<[[u32; 2]]>) -> Option<usize> {
        if Arc::ptr_eq(&self.ends, ends) || self.ends == *ends {
            return None;
        }
        Some(self.ends.iter().zip(&**ends).take_while(|(own, other)| own == other).count())
    }

    /// The column of rest lengths, m.
    pub fn rests(&self) -> &[S] {
        &self.rest
    }

    /// A rest length, m. This and all other getters of one stick panic if there is no such stick.
    pub fn rest(&self, stick: usize) -> S {
        self.rest[stick]
    }

    /// A stiffness, in (0, 1]: the fraction of the correction that one relaxation applies. More
    /// iterations or substeps make the stick stiffer; the effect of a compliance does not depend on
    /// the number of substeps.
    pub fn stiffness(&self, stick: usize) -> S {
        self.stiffness[stick]
    }

    /// A compliance, m/N: 0 is rigid.
    pub fn compliance(&self, stick: usize) -> S {
        self.compliance[stick]
    }

    /// When the stick acts.
    pub fn kind(&self, stick: usize) -> Kind {
        self.kind[stick]
    }

    /// The multipliers of the factor `g` of the correction, by kind and stiffness; `stretched` is
    /// [`ABSENT`] if the stick is torn.
    pub fn response(&self, stick: usize) -> Response<S> {
        let (kind, stiffness) = (self.kind[stick], self.stiffness[stick]);
        let stretched = if kind.pulls() { stiffness } else { S::ZERO };
        Response {
            stretched: if self.torn[stick] { S::from_f64(ABSENT.into()) } else { stretched },
            compressed: if kind.pushes() { stiffness } else { S::ZERO },
        }
    }

    /// Whether the stick is torn: it no longer acts.
    pub fn is_torn(&self, stick: usize) -> bool {
        self.torn[stick]
    }

    /// Whether the stick is two-sided, of stiffness 1 and compliance 0 (torn or not).
    pub fn is_plain(&self, stick: usize) -> bool {
        self.kind[stick] == Kind::TwoSided
            && self.stiffness[stick] == S::ONE
            && self.compliance[stick] == S::ZERO
    }

    /// Changes a rest length, m.
    ///
    /// # Errors
    /// No such stick, or a length outside 1e-15 to 1e10 m. This and all other setters change nothing
    /// if they return an error.
    pub fn set_rest(&mut self, stick: usize, rest: S) -> Result<(), StickError> {
        self.check_exists(stick)?;
        self.rest[stick] = checked_rest(stick, rest)?;
        self.record(stick);
        Ok(())
    }

    /// Changes a stiffness.
    ///
    /// # Errors
    /// No such stick, or a stiffness outside (0, 1].
    pub fn set_stiffness(&mut self, stick: usize, stiffness: S) -> Result<(), StickError> {
        self.check_exists(stick)?;
        self.stiffness[stick] = checked_stiffness(stick, stiffness)?;
        self.record(stick);
        Ok(())
    }

    /// Changes a compliance, m/N.
    ///
    /// # Errors
    /// No such stick, or a compliance outside 0 to 100 m/N.
    pub fn set_compliance(&mut self, stick: usize, compliance: S) -> Result<(), StickError> {
        self.check_exists(stick)?;
        self.compliance[stick] = checked_compliance(stick, compliance)?;
        self.record(stick);
        Ok(())
    }

    /// Changes when a stick acts.
    ///
    /// # Errors
    /// No such stick.
    pub fn set_kind(&mut self, stick: usize, kind: Kind) -> Result<(), StickError> {
        self.check_exists(stick)?;
        self.kind[stick] = kind;
        self.record(stick);
        Ok(())
    }

    /// Tears a stick: it no longer acts. The schedule stays valid.
    ///
    /// # Errors
    /// No such stick.
    pub fn tear(&mut self, stick: usize) -> Result<(), StickError> {
        self.set_torn(stick, true)
    }

    /// Mends a torn stick.
    ///
    /// # Errors
    /// No such stick.
    pub fn mend(&mut self, stick: usize) -> Result<(), StickError> {
        self.set_torn(stick, false)
    }

    fn set_torn(&mut self, stick: usize, torn: bool) -> Result<(), StickError> {
        self.check_exists(stick)?;
        if self.torn[stick] != torn {
            self.torn[stick] = torn;
            self.record(stick);
        }
        Ok(())
    }

    fn check_exists(&self, stick: usize) -> Result<(), StickError> {
        if stick < self.len() {
            Ok(())
        } else {
            Err(StickError::NoSuchStick { stick, sticks: self.len() })
        }
    }

    fn record(&mut self, stick: usize) {
        self.changes.record(stick as u32, self.ends.len());
    }

    /// The record of changes, for plans.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The same sticks in the other number type, each value rounded once; a stiffness stays above 0.
    #[must_use]
    pub fn convert<T: Real>(&self) -> Sticks<T> {
        let column = |from: &[S]| from.iter().map(|value| T::from_f64(value.to_f64())).collect();
        Sticks {
            ends: self.ends.clone(),
            rest: column(&self.rest),
            stiffness: self.stiffness.iter().copied().map(converted_stiffness).collect(),
            compliance: column(&self.compliance),
            kind: self.kind.clone(),
            torn: self.torn.clone(),
            particles: self.particles,
            changes: Changes::new(),
        }
    }

    /// A hash of the ends: FNV-1a, 64 bits, over both ends of each stick in order, every number as
    /// 4 little-endian bytes. Rest lengths and other columns that may change are not included.
    pub fn fingerprint(&self) -> u64 {
        fnv1a(self.ends.as_flattened().iter().flat_map(|end| end.to_le_bytes()))
    }

    /// The same sticks in the same order, with new particle numbers.
    #[must_use]
    pub(crate) fn renumbered(&self, new_of_old: &[u32]) -> Self {
        let new_ends = |ends: &[u32; 2]| ends.map(|end| new_of_old[end as usize]);
        Self { ends: self.ends.iter().map(new_ends).collect(), ..self.clone() }
    }

    /// The same sticks in another order: stick `old_of_new[i]` becomes stick `i`.
    ///
    /// # Errors
    /// If `old_of_new` is not a permutation of the stick numbers.
    pub fn reordered(&self, old_of_new: &[u32]) -> Result<Self, PermutationError> {
        let order = Renumbering::from_order(old_of_new.to_vec())?;
        if order.len() != self.len() {
            return Err(PermutationError::Len { len: order.len(), expected: self.len() });
        }
        Ok(self.gathered(old_of_new))
    }

    /// Some of the sticks, with all their columns: stick `kept[i]` becomes stick `i`. For example,
    /// to leave torn sticks out of a new schedule.
    ///
    /// # Errors
    /// No such stick.
    pub fn selected(&self, kept: &[u32]) -> Result<Self, StickError> {
        for &stick in kept {
            self.check_exists(stick as usize)?;
        }
        Ok(self.gathered(kept))
    }

    /// Stick `old_of_new[i]` becomes stick `i`; sticks may be left out.
    fn gathered(&self, old_of_new: &[u32]) -> Self {
        Self {
            ends: gather(&self.ends, old_of_new).into(),
            rest: gather(&self.rest, old_of_new),
            stiffness: gather(&self.stiffness, old_of_new),
            compliance: gather(&self.compliance, old_of_new),
            kind: gather(&self.kind, old_of_new),
            torn: gather(&self.torn, old_of_new),
            particles: self.particles,
            changes: Changes::new(),
        }
    }

    /// The numbers of the sticks sorted by lower end, higher end and number. Schedule builders use
    /// this order for locality in memory, however the sticks were listed. Linear time.
    pub fn by_ends(&self) -> Vec<u32> {
        sorted_by_ends(&self.ends, self.particles)
    }
}

/// `column[old]` for each `old` in `old_of_new`.
fn gather<T: Copy>(column: &[T], old_of_new: &[u32]) -> Vec<T> {
    old_of_new.iter().map(|&old| column[old as usize]).collect()
}

/// The distance between particles `a` and `b`, m, in `f64`, from the columns of positions.
#[inline]
pub(crate) fn length<const D: usize, S: Real>(columns: [&[S]; D], [a, b]: [u32; 2]) -> f64 {
    let mut squared = 0.0;
    for column in columns {
        let d = column[b as usize].to_f64() - column[a as usize].to_f64();
        squared += d * d;
    }
    crate::lane::Lane::sqrt(squared)
}
