//! A schedule with the sticks' constants filled in, in the order in which they are read.
//!
//! This is what kernels that name particles by index run. It knows how many lanes are filled
//! at a time, but not what a lane is.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod layout;
mod refresh;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{Column, Cursor, Formula, Particles, PlanError, Real, Schedule, Sticks};

use layout::before;
use refresh::StoresWeight;

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
    /// Whole packets of stars: [`STAR_STICKS`](taut_core::STAR_STICKS) times
    /// [`PACKET_STICKS`](taut_core::PACKET_STICKS) sticks with the same `a`,
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
    /// Multiplies the factor of a stretched stick; [`ABSENT`](taut_core::ABSENT) if the stick is torn.
    pub pull: &'a [S],
    /// Multiplies the factor of a compressed stick.
    pub push: &'a [S],
    /// Compliance, m/N; add it to the weight with [`weight`](taut_core::weight), unless the weight term is stored.
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
}
