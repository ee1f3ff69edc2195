//! Programs: the sticks' ends and constants in the order of a schedule, laid out for registers.
//!
//! Kernels that access particles by index run programs. A program depends on the number of lanes,
//! but not on the register type.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod layout;
mod refresh;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{Column, Cursor, Formula, Particles, PlanError, Real, Schedule, Sticks};

use layout::span;
use refresh::StoresWeight;

/// Sticks in the order of a schedule, in *slots*.
///
/// Each batch begins a new register: it is padded to a whole number of `lanes` slots by
/// repeating its last stick. A register reads all its ends before it writes any, so the
/// repeats compute the same values again and store the same bits in the same places: padding
/// is inert, needs no mask, no dummy particles, and no tail loop.
///
/// The sticks of a batch are independent, so their order does not affect the result. The program
/// uses that twice. *Runs*, sticks whose ends are consecutive particles, get registers of their
/// own, whose ends are contiguous in memory. Inside a register of `L` lanes, stick `p` is in lane
/// `4 (p mod L/4) + p / (L/4)`, so that the transpose of four registers yields the records of `L`
/// consecutive particles.
///
/// The order of a stick's two ends does not affect the result either. In consecutive batches of
/// *stars*, the sticks at one index share a particle: the program makes it the first end, so that
/// a kernel may keep it in a register.
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
    /// For each particle, whether its mass changed; set only during a refresh.
    reweighed: Vec<bool>,
    inverse_h2: S,
}

/// The columns that plain sticks do not need, one entry a slot.
#[derive(Clone, Debug, Default)]
struct Special<S> {
    stretched: Vec<S>,
    compressed: Vec<S>,
    compliance: Vec<S>,
}

/// The memory layout of the ends of a register's sticks.
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
    /// [`PACKET_STICKS`](taut_core::PACKET_STICKS) sticks with the same `a`. No second end in the
    /// packet is one of these `a`.
    Stars,
}

/// The kind of sticks in a register.
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
    /// The inverse mass of all ends, for [`Form::Equal`].
    inverse_mass: Option<S>,
}

/// The columns of consecutive slots, all of the same length, a whole number of registers.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a, S> {
    /// First ends: numbers of particles, times the unit.
    pub a: &'a [u32],
    /// Second ends, likewise.
    pub b: &'a [u32],
    /// The memory layout of the ends of each register.
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
    /// Multiplies the factor of a stretched stick; [`ABSENT`](taut_core::ABSENT) if the stick is
    /// torn.
    pub stretched: &'a [S],
    /// Multiplies the factor of a compressed stick.
    pub compressed: &'a [S],
    /// Compliance, m/N; add it to the weight with [`weight`](taut_core::weight), unless the weight
    /// term is stored.
    pub compliance: &'a [S],
}

impl<S: Real> Program<S> {
    /// Lays out `sticks` in the order of `schedule` for registers of `lanes` lanes. Particle
    /// numbers are multiplied by `unit`, the size of a particle in the kernel's table (a shift for
    /// every end would be a sixth of the instructions of an indexed kernel).
    ///
    /// # Errors
    /// If the schedule was built for different sticks, if it needs more particles, or if there are
    /// more slots than `u32` counts.
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
        (0..self.phase_ends.len()).map(|phase| span(&self.phase_ends, phase))
    }

    /// The pieces of a task, in sequence: each of registers of one kind.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn task(&self, task: usize) -> impl Iterator<Item = Slots<'_, S>> {
        self.segments[span(&self.segment_ends, task)].iter().map(|segment| {
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
                    stretched: &self.special.stretched[slots.clone()],
                    compressed: &self.special.compressed[slots.clone()],
                    compliance: &self.special.compliance[slots],
                }),
            }
        })
    }
}
