//! A schedule with the sticks' constants filled in, in the order in which they are read.
//!
//! This is what kernels that name particles by index run. It knows how many lanes are filled
//! at a time, but not what a lane is.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::changes::{News, Seen};
use crate::formula::{Factor, Formula, WithFactor};
use crate::kernel::PlanError;
use crate::law::weight;
use crate::particles::{Column, Particles};
use crate::real::Real;
use crate::schedule::Schedule;
use crate::sticks::{Kind, Sticks};

/// A block of one batch longer than this is cut into tasks of this many sticks: its sticks
/// are independent, so threads may share them, and nobody can see it.
const TASK_STICKS: usize = 2048;

/// Sticks in the order of a schedule, in *slots*.
///
/// Each batch begins a new register: it is padded to a whole number of `lanes` slots by
/// repeating its last stick. A register reads all its ends before it writes any, so the
/// repeats compute the same values again and store the same bits in the same places: padding
/// is inert, needs no mask, no dummy particles, and no tail loop.
///
/// A torn stick has particle `a` at both ends: it has no direction, so it moves nothing (but
/// makes an infinite coordinate of `a` NaN, where a kernel that masks it would not), and
/// no other stick of its batch can see it.
#[derive(Clone, Debug)]
pub struct Program<S: Real> {
    formula: Formula,
    lanes: usize,
    a: Vec<u32>,
    b: Vec<u32>,
    rest_term: Column<S>,
    /// Empty unless the formula stores it.
    weight_term: Column<S>,
    /// Empty, or as long as the slots, once any stick is not plain.
    special: Special<S>,
    segments: Vec<Segment>,
    task_ends: Vec<u32>,
    phase_ends: Vec<u32>,
    /// The first slot of each stick; its repeats, if any, follow.
    slot_of: Vec<u32>,
    stick_of: Vec<u32>,
    ends: Arc<[[u32; 2]]>,
    particles: usize,
    seen_sticks: Seen,
    seen_masses: Seen,
    inverse_h2: S,
}

/// What plain sticks have no use for: a column each, one entry a slot.
#[derive(Clone, Debug, Default)]
struct Special<S> {
    pull: Vec<S>,
    push: Vec<S>,
    compliance: Vec<S>,
}

/// Consecutive registers of one form.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    slots: Range<u32>,
    plain: bool,
}

/// The columns of consecutive slots, as long as each other and a whole number of registers.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a, S> {
    /// First ends.
    pub a: &'a [u32],
    /// Second ends.
    pub b: &'a [u32],
    /// The formula's rest term.
    pub rest_term: &'a [S],
    /// The formula's weight term, if it stores one, else empty.
    pub weight_term: &'a [S],
    /// For sticks that are not plain.
    pub special: Option<SpecialSlots<'a, S>>,
}

/// The columns that only sticks that are not plain have.
#[derive(Clone, Copy, Debug)]
pub struct SpecialSlots<'a, S> {
    /// Multiplies the factor of a stretched stick.
    pub pull: &'a [S],
    /// Multiplies the factor of a compressed stick.
    pub push: &'a [S],
    /// Compliance, m/N; add it to the weight with [`weight`], unless the weight term is stored.
    pub compliance: &'a [S],
}

impl<S: Real> Program<S> {
    /// Lays out `sticks` in the order of `schedule` for registers of `lanes` lanes.
    ///
    /// # Errors
    /// If the schedule is of other sticks, or there are fewer particles than it names.
    ///
    /// # Panics
    /// If there are no lanes.
    pub fn new<const D: usize>(
        lanes: usize,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        schedule.check(sticks)?;
        let mut program = Self {
            formula,
            lanes,
            a: Vec::new(),
            b: Vec::new(),
            rest_term: Column::new(0),
            weight_term: Column::new(0),
            special: Special::default(),
            segments: Vec::new(),
            task_ends: Vec::new(),
            phase_ends: Vec::new(),
            slot_of: alloc::vec![0; sticks.len()],
            stick_of: Vec::with_capacity(sticks.len()),
            ends: sticks.shared_ends(),
            particles: sticks.particles(),
            seen_sticks: sticks.changes().now(),
            seen_masses: particles.mass_changes().now(),
            inverse_h2: S::ZERO,
        };
        program.enough(particles)?;
        program.lay_out(sticks, schedule)?;
        program.a.extend(program.stick_of.iter().map(|&stick| sticks.ends()[stick as usize][0]));
        program.b.extend(program.stick_of.iter().map(|&stick| sticks.ends()[stick as usize][1]));
        program.rest_term.resize(program.a.len(), S::ONE);
        if formula.dispatch(StoresWeight) {
            program.weight_term.resize(program.a.len(), S::ZERO);
        }
        program.refresh_sticks(sticks);
        program.refresh_weights(particles);
        Ok(program)
    }

    /// Fills `stick_of`, `slot_of`, the segments, tasks and phases.
    fn lay_out(&mut self, sticks: &Sticks<S>, schedule: &Schedule) -> Result<(), PlanError> {
        for phase in schedule.phases() {
            for block in phase.blocks() {
                let mut batches = block.batches();
                let (first, second) = (batches.next().unwrap_or_default(), batches.next());
                if second.is_none() {
                    for share in first.chunks(TASK_STICKS) {
                        self.lay_out_batch(sticks, share);
                        self.task_ends.push(self.segments.len() as u32);
                    }
                } else {
                    for batch in [first].into_iter().chain(second).chain(batches) {
                        self.lay_out_batch(sticks, batch);
                    }
                    self.task_ends.push(self.segments.len() as u32);
                }
            }
            self.phase_ends.push(self.task_ends.len() as u32);
        }
        u32::try_from(self.stick_of.len()).map_err(|_| PlanError::TooLarge)?;
        Ok(())
    }

    fn lay_out_batch(&mut self, sticks: &Sticks<S>, batch: &[u32]) {
        let begin = self.stick_of.len();
        for &stick in batch {
            self.slot_of[stick as usize] = self.stick_of.len() as u32;
            self.stick_of.push(stick);
        }
        let padded = begin + batch.len().next_multiple_of(self.lanes);
        let last = *batch.last().unwrap_or(&0);
        self.stick_of.resize(padded, last);
        let plain = batch.iter().all(|&stick| sticks.is_plain(stick as usize));
        let slots = begin as u32..padded as u32;
        let task_begin = self.task_ends.last().map_or(0, |&end| end as usize);
        match self.segments[task_begin..].last_mut() {
            Some(segment) if segment.plain == plain => segment.slots.end = slots.end,
            _ => self.segments.push(Segment { slots, plain }),
        }
    }

    /// Which formula the constants are for.
    pub fn formula(&self) -> Formula {
        self.formula
    }

    /// How many lanes a register has.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Every end is below this.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// How many slots there are, padding included.
    pub fn slots(&self) -> usize {
        self.a.len()
    }

    /// The tasks of each phase: tasks of one phase share no particle.
    pub fn phases(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.phase_ends.len()).map(|phase| before(&self.phase_ends, phase))
    }

    /// The runs of slots of a task, in sequence.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn task(&self, task: usize) -> impl Iterator<Item = Slots<'_, S>> {
        self.segments[before(&self.task_ends, task)].iter().map(|segment| {
            let slots = segment.slots.start as usize..segment.slots.end as usize;
            Slots {
                a: &self.a[slots.clone()],
                b: &self.b[slots.clone()],
                rest_term: &self.rest_term[slots.clone()],
                weight_term: self.weight_term.get(slots.clone()).unwrap_or_default(),
                special: (!segment.plain).then(|| SpecialSlots {
                    pull: &self.special.pull[slots.clone()],
                    push: &self.special.push[slots.clone()],
                    compliance: &self.special.compliance[slots],
                }),
            }
        })
    }

    /// Takes over what has changed in the sticks and the masses since the last look.
    ///
    /// # Errors
    /// If these are other sticks than the program was made for (other ends), or particles
    /// are missing. Nothing is taken over then.
    pub fn refresh<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError> {
        self.enough(particles)?;
        match sticks.changes().since(self.seen_sticks) {
            News::Entries(changed) => {
                for &stick in changed {
                    self.refresh_stick(sticks, stick as usize);
                }
                self.refresh_weights_of(particles, changed);
            }
            News::Everything => {
                self.refresh_sticks(sticks);
                self.refresh_weights(particles);
            }
            News::AnotherTable => {
                sticks.check_ends(&self.ends)?;
                self.refresh_sticks(sticks);
                self.refresh_weights(particles);
            }
        }
        self.seen_sticks = sticks.changes().now();
        match particles.mass_changes().since(self.seen_masses) {
            News::Entries([]) => {}
            News::Entries(changed) => {
                if !self.weight_term.is_empty() {
                    let mut moved = alloc::vec![false; particles.len()];
                    for &particle in changed {
                        moved[particle as usize] = true;
                    }
                    let touches = |ends: &[u32; 2]| ends.iter().any(|&end| moved[end as usize]);
                    let touched =
                        sticks.ends().iter().enumerate().filter(|(_, ends)| touches(ends));
                    let touched: Vec<u32> = touched.map(|(stick, _)| stick as u32).collect();
                    self.refresh_weights_of(particles, &touched);
                }
            }
            News::Everything | News::AnotherTable => self.refresh_weights(particles),
        }
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    /// Tells the length of the substeps to come, as `1 / h²` in 1/s²: compliance asks for it.
    pub fn set_inverse_h2<const D: usize>(&mut self, particles: &Particles<D, S>, inverse_h2: S) {
        if self.inverse_h2 != inverse_h2 {
            self.inverse_h2 = inverse_h2;
            if !self.special.compliance.is_empty() {
                self.refresh_weights(particles);
            }
        }
    }

    /// `1 / h²` of the substeps, 1/s².
    pub fn inverse_h2(&self) -> S {
        self.inverse_h2
    }

    fn enough<const D: usize>(&self, particles: &Particles<D, S>) -> Result<(), PlanError> {
        if particles.len() < self.particles {
            return Err(PlanError::TooFewParticles {
                needed: self.particles,
                particles: particles.len(),
            });
        }
        Ok(())
    }

    fn refresh_sticks(&mut self, sticks: &Sticks<S>) {
        for stick in 0..sticks.len() {
            self.refresh_stick(sticks, stick);
        }
    }

    fn refresh_stick(&mut self, sticks: &Sticks<S>, stick: usize) {
        let [a, b] = sticks.ends()[stick];
        let rest_term = self.formula.dispatch(RestTerm(sticks.rest(stick)));
        let plain = sticks.is_plain(stick);
        for slot in self.slots_of(stick) {
            self.b[slot] = if sticks.is_torn(stick) { a } else { b };
            self.rest_term[slot] = rest_term;
        }
        if !plain && self.special.pull.is_empty() {
            let slots = self.slots();
            self.special.pull.resize(slots, S::ONE);
            self.special.push.resize(slots, S::ONE);
            self.special.compliance.resize(slots, S::ZERO);
        }
        if !self.special.pull.is_empty() {
            let (stiffness, kind) = (sticks.stiffness(stick), sticks.kind(stick));
            for slot in self.slots_of(stick) {
                self.special.pull[slot] = if kind == Kind::Minimum { S::ZERO } else { stiffness };
                self.special.push[slot] = if kind == Kind::Maximum { S::ZERO } else { stiffness };
                self.special.compliance[slot] = sticks.compliance(stick);
            }
            if !plain {
                // A response of 1 and 1 changes no bit of the plain sticks that share it.
                let slot = self.slot_of[stick];
                let at = self.segments.partition_point(|segment| segment.slots.end <= slot);
                self.segments[at].plain = false;
            }
        }
    }

    /// The slots of a stick: its own and the repeats that pad its register.
    fn slots_of(&self, stick: usize) -> Range<usize> {
        let first = self.slot_of[stick] as usize;
        let same = |&&other: &&u32| other as usize == stick;
        first..first + self.stick_of[first..].iter().take(self.lanes).take_while(same).count()
    }

    fn refresh_weights<const D: usize>(&mut self, particles: &Particles<D, S>) {
        for slot in 0..self.weight_term.len() {
            self.refresh_weight(particles, slot);
        }
    }

    fn refresh_weights_of<const D: usize>(&mut self, particles: &Particles<D, S>, sticks: &[u32]) {
        if !self.weight_term.is_empty() {
            for &stick in sticks {
                for slot in self.slots_of(stick as usize) {
                    self.refresh_weight(particles, slot);
                }
            }
        }
    }

    fn refresh_weight<const D: usize>(&mut self, particles: &Particles<D, S>, slot: usize) {
        let masses =
            [self.a[slot], self.b[slot]].map(|end| particles.inverse_masses()[end as usize]);
        let compliance = self.special.compliance.get(slot).copied().unwrap_or(S::ZERO);
        let weight = weight(masses, compliance, self.inverse_h2);
        self.weight_term[slot] = self.formula.dispatch(WeightTerm(weight));
    }
}

/// What lies between the end before `at` and the end at `at`.
fn before(ends: &[u32], at: usize) -> Range<usize> {
    let start = if at == 0 { 0 } else { ends[at - 1] as usize };
    start..ends[at] as usize
}

struct StoresWeight;
impl WithFactor for StoresWeight {
    type Output = bool;
    fn with<F: Factor>(self) -> bool {
        F::STORES_WEIGHT
    }
}

struct RestTerm<S>(S);
impl<S: Real> WithFactor for RestTerm<S> {
    type Output = S;
    fn with<F: Factor>(self) -> S {
        F::rest_term(self.0)
    }
}

struct WeightTerm<S>(S);
impl<S: Real> WithFactor for WeightTerm<S> {
    type Output = S;
    fn with<F: Factor>(self) -> S {
        F::weight_term(self.0)
    }
}
