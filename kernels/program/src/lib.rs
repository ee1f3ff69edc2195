//! A schedule with the sticks' constants filled in, in the order in which they are read.
//!
//! This is what kernels that name particles by index run. It knows how many lanes are filled
//! at a time, but not what a lane is.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{
    Column, Cursor, Delta, Factor, Formula, PACKET_STICKS, Particles, PlanError, Real, Response,
    STAR_STICKS, Schedule, Sticks, WithFactor, weight,
};

/// A block of one batch longer than this is cut into tasks of this many sticks: its sticks
/// are independent, so threads may share them, and nobody can see it.
const TASK_STICKS: usize = 2048;

/// How many registers are transposed at a time: a record has four numbers.
const QUARTERS: usize = 4;

/// Sticks in the order of a schedule, in *slots*.
///
/// Each batch begins a new register: it is padded to a whole number of `lanes` slots by
/// repeating its last stick. A register reads all its ends before it writes any, so the
/// repeats compute the same values again and store the same bits in the same places: padding
/// is inert, needs no mask, no dummy particles, and no tail loop.
///
/// The sticks of a batch are independent, so their order in it cannot be seen. The program uses
/// that twice. *Runs*, sticks whose ends are consecutive particles, are gathered into registers
/// of their own, whose ends are whole pieces of memory. And inside a register of `L` lanes,
/// stick `p` is in lane `4 (p mod L/4) + p / (L/4)`: there the transpose of four registers
/// finds the records of `L` consecutive particles.
///
/// Nor can it be seen which end of a stick is called the first. *Stars* are batches of as many
/// sticks in which the same particle comes back in the same place: the program makes it the
/// first end, so that a kernel may hold it over all of them.
#[derive(Clone, Debug)]
pub struct Program<S: Real> {
    formula: Formula,
    lanes: usize,
    unit: u32,
    a: Vec<u32>,
    b: Vec<u32>,
    rest_term: Column<S>,
    /// Empty unless the formula stores it.
    weight_term: Column<S>,
    /// Empty, or as long as the slots, once any stick is torn or not plain.
    special: Special<S>,
    registers: Vec<Register>,
    /// In registers.
    task_ends: Vec<u32>,
    phase_ends: Vec<u32>,
    segments: Vec<Segment<S>>,
    /// In segments, for each task.
    segment_ends: Vec<u32>,
    /// The first slot of each stick; its repeats, if any, are in the same register.
    slot_of: Vec<u32>,
    stick_of: Vec<u32>,
    ends: Arc<[[u32; 2]]>,
    particles: usize,
    seen_sticks: Cursor,
    seen_masses: Cursor,
    /// For each particle whether its mass changed, while that is taken over; else for none.
    reweighed: Vec<bool>,
    inverse_h2: S,
}

/// What plain sticks have no use for: a column each, one entry a slot.
#[derive(Clone, Debug, Default)]
struct Special<S> {
    pull: Vec<S>,
    push: Vec<S>,
    compliance: Vec<S>,
}

/// How the ends of a register's sticks lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anywhere.
    Scattered,
    /// `a` is a run of consecutive particles, and so is `b`.
    Runs,
    /// All ends are one run: `a`, `b`, `a`, `b`, ...
    Pairs,
    /// All ends are one run: `a`, `a`, `b`, `b`, `a`, `a`, ... (8 lanes or more)
    InterleavedPairs,
    /// Whole packets of stars: [`STAR_STICKS`] times [`PACKET_STICKS`] sticks with the same `a`,
    /// which are the ends of no other of these sticks.
    Stars,
}

/// What the sticks of a register have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Plain sticks, and all ends have the same inverse mass.
    Equal,
    /// Plain sticks.
    Mixed,
    /// Some stick is torn, or is not plain.
    NonPlain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Register {
    access: Access,
    form: Form,
}

/// Consecutive registers of one kind, in one task.
#[derive(Clone, Debug, PartialEq)]
struct Segment<S> {
    slots: Range<u32>,
    register: Register,
    /// Of all ends, if the form is equal.
    inverse_mass: Option<S>,
}

/// The columns of consecutive slots, as long as each other and a whole number of registers.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a, S> {
    /// First ends: numbers of particles, times the unit.
    pub a: &'a [u32],
    /// Second ends, likewise.
    pub b: &'a [u32],
    /// How the ends of each register lie.
    pub access: Access,
    /// The inverse mass of all ends, 1/kg, if they have the same and the sticks are plain.
    pub inverse_mass: Option<S>,
    /// The formula's rest term.
    pub rest_term: &'a [S],
    /// The formula's weight term, if it stores one, else empty.
    pub weight_term: &'a [S],
    /// If some of the sticks are torn or not plain.
    pub special: Option<SpecialSlots<'a, S>>,
}

/// The columns that only sticks that are torn or not plain need.
#[derive(Clone, Copy, Debug)]
pub struct SpecialSlots<'a, S> {
    /// Multiplies the factor of a stretched stick; [`ABSENT`] if the stick is torn.
    pub pull: &'a [S],
    /// Multiplies the factor of a compressed stick.
    pub push: &'a [S],
    /// Compliance, m/N; add it to the weight with [`weight`], unless the weight term is stored.
    pub compliance: &'a [S],
}

impl<S: Real> Program<S> {
    /// Lays out `sticks` in the order of `schedule` for registers of `lanes` lanes. The
    /// numbers of particles are multiplied by `unit`, so that a kernel whose table has rows of
    /// so many of its units finds them without (a shift for every end is a sixth of the
    /// instructions of an indexed kernel).
    ///
    /// # Errors
    /// If the schedule was built for different sticks, if there are fewer particles than it names, or if
    /// more than `u32` counts.
    ///
    /// # Panics
    /// If there are no lanes.
    pub fn new<const D: usize>(
        lanes: usize,
        unit: u32,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        schedule.check(sticks)?;
        let mut program = Self {
            formula,
            lanes,
            unit,
            a: Vec::new(),
            b: Vec::new(),
            rest_term: Column::new(0),
            weight_term: Column::new(0),
            special: Special::default(),
            registers: Vec::new(),
            task_ends: Vec::new(),
            phase_ends: Vec::new(),
            segments: Vec::new(),
            segment_ends: Vec::new(),
            slot_of: alloc::vec![0; sticks.len()],
            stick_of: Vec::with_capacity(sticks.len()),
            ends: sticks.shared_ends(),
            particles: sticks.particles(),
            seen_sticks: sticks.changes().now(),
            seen_masses: particles.mass_changes().now(),
            reweighed: alloc::vec![false; sticks.particles()],
            inverse_h2: S::ZERO,
        };
        program.enough(particles)?;
        program.lay_out(schedule)?;
        u32::try_from(sticks.particles() as u64 * u64::from(unit))
            .map_err(|_| PlanError::TooLarge)?;
        program.name_ends();
        program.rest_term.resize(program.a.len(), S::ONE);
        if formula.dispatch(StoresWeight) {
            program.weight_term.resize(program.a.len(), S::ZERO);
        }
        program.refresh_all(particles, sticks);
        Ok(program)
    }

    /// Fills `stick_of`, `slot_of`, the registers, tasks and phases.
    fn lay_out(&mut self, schedule: &Schedule) -> Result<(), PlanError> {
        for phase in schedule.phases() {
            for block in phase.blocks() {
                let batches: Vec<&[u32]> = block.batches().collect();
                if let [batch] = batches[..] {
                    for share in batch.chunks(TASK_STICKS) {
                        self.lay_out_batch(share);
                        self.task_ends.push(self.registers.len() as u32);
                    }
                    continue;
                }
                let mut rest = &batches[..];
                while let Some((batch, others)) = rest.split_first() {
                    if self.are_stars(rest) {
                        let (stars, others) = rest.split_at(STAR_STICKS);
                        for batch in stars {
                            self.lay_out_registers(Access::Stars, batch);
                        }
                        rest = others;
                    } else {
                        self.lay_out_batch(batch);
                        rest = others;
                    }
                }
                self.task_ends.push(self.registers.len() as u32);
            }
            self.phase_ends.push(self.task_ends.len() as u32);
        }
        u32::try_from(self.stick_of.len()).map_err(|_| PlanError::TooLarge)?;
        Ok(())
    }

    /// Whether a packet of stars begins these batches. (As the sticks of a batch share no
    /// particle, a particle that is in all of them in one place is in no other place.)
    fn are_stars(&self, batches: &[&[u32]]) -> bool {
        let Some(ranks) = batches.first_chunk::<STAR_STICKS>() else { return false };
        self.lanes.is_multiple_of(QUARTERS)
            && PACKET_STICKS.is_multiple_of(self.lanes)
            && ranks.iter().all(|rank| rank.len() == PACKET_STICKS)
            && (0..PACKET_STICKS).all(|at| self.centre(ranks.map(|rank| rank[at])).is_some())
    }

    /// The particle that sticks have in common.
    fn centre(&self, star: [u32; STAR_STICKS]) -> Option<u32> {
        let [first, others @ ..] = star.map(|stick| self.ends[stick as usize]);
        first.into_iter().find(|end| others.iter().all(|ends| ends.contains(end)))
    }

    fn lay_out_batch(&mut self, batch: &[u32]) {
        if !self.lanes.is_multiple_of(QUARTERS) || batch.len() < self.lanes {
            self.lay_out_registers(Access::Scattered, batch);
            return;
        }
        // By direction (`b - a`), then by place.
        let mut keyed: Vec<(u64, u32)> = batch
            .iter()
            .map(|&stick| {
                let [a, b] = self.ends[stick as usize];
                (u64::from(b.wrapping_sub(a)) << u32::BITS | u64::from(a), stick)
            })
            .collect();
        if !keyed.is_sorted() {
            keyed.sort_unstable();
        }
        let mut others = Vec::new();
        let mut register = Vec::with_capacity(self.lanes);
        let mut rest = &keyed[..];
        while let Some(&(first, stick)) = rest.first() {
            // How far the first stick's key is from that of the stick `place` after it.
            let (access, after): (_, fn(u64) -> u64) = match first >> u32::BITS {
                1 => (Access::Pairs, |place| 2 * place),
                2 if self.lanes > QUARTERS => {
                    (Access::InterleavedPairs, |place| 2 * place - place % 2)
                }
                _ => (Access::Runs, |place| place),
            };
            let expected = (0..).map(|place| first + after(place));
            let whole = rest.len() >= self.lanes
                && rest[..self.lanes].iter().zip(expected).all(|(&(key, _), next)| key == next);
            if whole {
                register.clear();
                register.extend(rest[..self.lanes].iter().map(|&(_, stick)| stick));
                self.lay_out_registers(access, &register);
                rest = &rest[self.lanes..];
            } else {
                others.push(stick);
                rest = &rest[1..];
            }
        }
        self.lay_out_registers(Access::Scattered, &others);
    }

    fn lay_out_registers(&mut self, access: Access, sticks: &[u32]) {
        for register in sticks.chunks(self.lanes) {
            let begin = self.stick_of.len();
            let last = register[register.len() - 1];
            self.stick_of.resize(begin + self.lanes, last);
            for (place, &stick) in register.iter().enumerate().rev() {
                let slot = begin + lane_of(place, self.lanes);
                self.stick_of[slot] = stick;
                self.slot_of[stick as usize] = slot as u32;
            }
            self.registers.push(Register { access, form: Form::Mixed });
        }
    }

    /// Fills `a` and `b`.
    fn name_ends(&mut self) {
        for (which, names) in [&mut self.a, &mut self.b].into_iter().enumerate() {
            let name = |&stick: &u32| self.ends[stick as usize][which] * self.unit;
            names.extend(self.stick_of.iter().map(name));
        }
        let mut register = 0;
        while register < self.registers.len() {
            let together = self.together(register);
            if self.registers[register].access == Access::Stars {
                for first in (register * self.lanes..).take(PACKET_STICKS) {
                    let star = core::array::from_fn(|rank| first + rank * PACKET_STICKS);
                    let centre = self.centre(star.map(|slot| self.stick_of[slot]));
                    for slot in star {
                        if centre.is_some_and(|centre| self.b[slot] == centre * self.unit) {
                            core::mem::swap(&mut self.a[slot], &mut self.b[slot]);
                        }
                    }
                }
            }
            register = together.end;
        }
    }

    /// The registers from `first` on that mean something together only.
    fn together(&self, first: usize) -> Range<usize> {
        match self.registers[first].access {
            Access::Stars => first..first + STAR_STICKS * PACKET_STICKS / self.lanes,
            _ => first..first + 1,
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

    /// Every end is of a particle below this.
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

    /// The pieces of a task, in sequence: each of registers of one kind.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn task(&self, task: usize) -> impl Iterator<Item = Slots<'_, S>> {
        self.segments[before(&self.segment_ends, task)].iter().map(|segment| {
            let Segment { ref slots, register: Register { access, form }, inverse_mass } = *segment;
            let slots = slots.start as usize..slots.end as usize;
            Slots {
                a: &self.a[slots.clone()],
                b: &self.b[slots.clone()],
                access,
                inverse_mass,
                rest_term: &self.rest_term[slots.clone()],
                weight_term: self.weight_term.get(slots.clone()).unwrap_or_default(),
                special: (form == Form::NonPlain).then(|| SpecialSlots {
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
        let (sticks_news, masses_news) = (
            sticks.changes().since(self.seen_sticks),
            particles.mass_changes().since(self.seen_masses),
        );
        if sticks_news == Delta::DifferentTable {
            sticks.check_ends(&self.ends)?;
        }
        match (sticks_news, masses_news) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed), Delta::Entries(reweighed)) => {
                for &stick in changed {
                    self.refresh_stick(sticks, stick as usize);
                }
                let mut news = !reweighed.is_empty();
                for &stick in changed {
                    news |= self.refresh_masses_of(particles, sticks, stick as usize);
                }
                if !reweighed.is_empty() {
                    self.mark(reweighed, true);
                    for (stick, ends) in sticks.ends().iter().enumerate() {
                        if ends.iter().any(|&end| self.reweighed[end as usize]) {
                            self.refresh_masses_of(particles, sticks, stick);
                        }
                    }
                    self.mark(reweighed, false);
                }
                if news {
                    self.segment(particles);
                }
            }
            _ => self.refresh_all(particles, sticks),
        }
        self.seen_sticks = sticks.changes().now();
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    /// Notes of particles that their masses changed, or that this is done with. Those of them that no
    /// stick has do not matter.
    fn mark(&mut self, reweighed: &[u32], changed: bool) {
        for &particle in reweighed {
            if let Some(mark) = self.reweighed.get_mut(particle as usize) {
                *mark = changed;
            }
        }
    }

    /// Takes over the masses at the ends of a stick, and whether that made a difference to what its
    /// register has in common.
    fn refresh_masses_of<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        stick: usize,
    ) -> bool {
        self.refresh_weight_of(particles, stick);
        self.refresh_form(particles, sticks, self.slot_of[stick] as usize / self.lanes)
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

    fn refresh_all<const D: usize>(&mut self, particles: &Particles<D, S>, sticks: &Sticks<S>) {
        for stick in 0..sticks.len() {
            self.refresh_stick(sticks, stick);
        }
        self.refresh_weights(particles);
        for register in 0..self.registers.len() {
            self.refresh_form(particles, sticks, register);
        }
        self.segment(particles);
    }

    fn refresh_stick(&mut self, sticks: &Sticks<S>, stick: usize) {
        let rest_term = self.formula.dispatch(RestTerm(sticks.rest(stick)));
        for slot in self.register_of(stick) {
            if self.stick_of[slot] as usize == stick {
                self.rest_term[slot] = rest_term;
            }
        }
        if self.special.pull.is_empty() {
            if sticks.is_plain(stick) && !sticks.is_torn(stick) {
                return;
            }
            let slots = self.slots();
            self.special.pull.resize(slots, S::ONE);
            self.special.push.resize(slots, S::ONE);
            self.special.compliance.resize(slots, S::ZERO);
        }
        let Response { pull, push } = sticks.response(stick);
        for slot in self.register_of(stick) {
            if self.stick_of[slot] as usize == stick {
                self.special.pull[slot] = pull;
                self.special.push[slot] = push;
                self.special.compliance[slot] = sticks.compliance(stick);
            }
        }
    }

    /// The slots of the register that a stick is in.
    fn register_of(&self, stick: usize) -> Range<usize> {
        let first = self.slot_of[stick] as usize / self.lanes * self.lanes;
        first..first + self.lanes
    }

    /// Whether that made a difference.
    fn refresh_form<const D: usize>(
        &mut self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        register: usize,
    ) -> bool {
        let slots = register * self.lanes..(register + 1) * self.lanes;
        let plain =
            |&stick: &u32| sticks.is_plain(stick as usize) && !sticks.is_torn(stick as usize);
        let mass = |&end: &u32| particles.inverse_masses()[(end / self.unit) as usize];
        let first = mass(&self.a[slots.start]);
        let form = if !self.stick_of[slots.clone()].iter().all(plain) {
            Form::NonPlain
        } else if self.lanes.is_multiple_of(QUARTERS)
            && [&self.a, &self.b]
                .into_iter()
                .all(|ends| ends[slots.clone()].iter().all(|end| mass(end) == first))
        {
            Form::Equal
        } else {
            Form::Mixed
        };
        core::mem::replace(&mut self.registers[register].form, form) != form
    }

    /// Puts registers of one kind together.
    fn segment<const D: usize>(&mut self, particles: &Particles<D, S>) {
        self.segments.clear();
        self.segment_ends.clear();
        for task in 0..self.task_ends.len() {
            let begin = self.segments.len();
            let mut registers = before(&self.task_ends, task);
            while !registers.is_empty() {
                let together = self.together(registers.start);
                registers.start = together.end;
                let first = self.kind(particles, together.start);
                let alike = together.clone().all(|at| self.kind(particles, at) == first);
                for at in together {
                    let (mut register, inverse_mass) = self.kind(particles, at);
                    if !alike {
                        register.access = Access::Scattered;
                    }
                    let slots = (at * self.lanes) as u32..((at + 1) * self.lanes) as u32;
                    match self.segments[begin..].last_mut() {
                        Some(segment)
                            if segment.register == register
                                && segment.inverse_mass == inverse_mass =>
                        {
                            segment.slots.end = slots.end;
                        }
                        _ => self.segments.push(Segment { slots, register, inverse_mass }),
                    }
                }
            }
            self.segment_ends.push(self.segments.len() as u32);
        }
    }

    /// What registers of a segment have in common: the inverse mass of all ends is one of it,
    /// if the form is equal.
    fn kind<const D: usize>(
        &self,
        particles: &Particles<D, S>,
        at: usize,
    ) -> (Register, Option<S>) {
        let register = self.registers[at];
        let inverse_mass = (register.form == Form::Equal)
            .then(|| particles.inverse_masses()[(self.a[at * self.lanes] / self.unit) as usize]);
        (register, inverse_mass)
    }

    fn refresh_weights<const D: usize>(&mut self, particles: &Particles<D, S>) {
        for slot in 0..self.weight_term.len() {
            self.refresh_weight(particles, slot);
        }
    }

    fn refresh_weight_of<const D: usize>(&mut self, particles: &Particles<D, S>, stick: usize) {
        if !self.weight_term.is_empty() {
            for slot in self.register_of(stick) {
                if self.stick_of[slot] as usize == stick {
                    self.refresh_weight(particles, slot);
                }
            }
        }
    }

    fn refresh_weight<const D: usize>(&mut self, particles: &Particles<D, S>, slot: usize) {
        let masses = [self.a[slot], self.b[slot]]
            .map(|end| particles.inverse_masses()[(end / self.unit) as usize]);
        let compliance = self.special.compliance.get(slot).copied().unwrap_or(S::ZERO);
        let weight = weight(masses, compliance, self.inverse_h2);
        self.weight_term[slot] = self.formula.dispatch(WeightTerm(weight));
    }
}

/// Where stick `place` of a register is: see [`Program`].
fn lane_of(place: usize, lanes: usize) -> usize {
    if !lanes.is_multiple_of(QUARTERS) {
        return place;
    }
    let quarter = lanes / QUARTERS;
    QUARTERS * (place % quarter) + place / quarter
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
