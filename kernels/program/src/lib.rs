//! Programs: the ends and constants of sticks in the order of a schedule, laid out for registers.
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

use taut_core::{
    Column, Cursor, Formula, Particles, PlanError, Real, Schedule, Sticks, item_range,
};

/// Sticks in the order of a schedule, in *slots*: indices into the columns of the program.
///
/// Each batch begins a new register. The batch is padded to a multiple of `lanes` slots by
/// repeating its last stick. A register reads all its ends before it writes any, so the repeats
/// compute the same values and store the same bits at the same addresses: padding has no effect,
/// and kernels need no mask, no dummy particles and no tail loop.
///
/// The sticks of a batch are independent, so their order does not affect the result. The program
/// uses that twice. *Runs*, sticks whose ends are consecutive particles, get separate registers,
/// whose ends are contiguous in memory. In any register of `L` lanes, where `L` is a multiple of 4,
/// stick `i` is in lane `4 (i mod L/4) + i / (L/4)`, so that the transpose of four registers yields
/// the records of `L` consecutive particles. (The divisions are integer divisions.)
///
/// The order of a stick's two ends does not affect the result either. In consecutive batches of
/// *stars*, the sticks at the same index share a particle, the centre of the star. The program
/// makes it the first end, so that a kernel can keep it in a register.
#[derive(Clone, Debug)]
pub struct Program<S: Real> {
    formula: Formula,
    /// Lanes per register.
    lanes: usize,
    /// The factor by which the indices in `a` and `b` are multiplied.
    stride: u32,
    /// The first end of the stick in each slot: its particle index times the stride.
    a: Vec<u32>,
    /// The second ends, likewise.
    b: Vec<u32>,
    /// The formula's rest term of the stick in each slot.
    rest_term: Column<S>,
    /// Empty unless the formula stores the weight term.
    weight_term: Column<S>,
    /// Empty until a stick is torn or not plain; then one entry per slot.
    non_plain: NonPlain<S>,
    /// The access and form of each register.
    registers: Vec<Register>,
    /// Where each task ends in `registers`. A task is a block, or a part of a long batch that is a
    /// block by itself.
    task_ends: Vec<u32>,
    /// Where each phase ends in `task_ends`.
    phase_ends: Vec<u32>,
    /// The segments of all tasks, in sequence.
    segments: Vec<Segment<S>>,
    /// Where each task ends in `segments`.
    segment_ends: Vec<u32>,
    /// The slot of each stick. Repeats of the stick are in other slots of the same register.
    slot_of: Vec<u32>,
    /// The stick in each slot.
    stick_of: Vec<u32>,
    /// The ends of the sticks that the program was made for.
    ends: Arc<[[u32; 2]]>,
    /// The number of particles that the sticks were checked against: every end is below it.
    particles: usize,
    /// How far the constants have read the changes of the sticks.
    stick_cursor: Cursor,
    /// How far the constants have read the changes of the inverse masses.
    mass_cursor: Cursor,
    /// For each particle, whether its inverse mass changed; set only during a refresh.
    mass_changed: Vec<bool>,
    /// `1 / h²` of the substeps, 1/s².
    inverse_h2: S,
}

/// The minimum number of lanes per register at which two independent registers of sticks are laid
/// out side by side ([`Access::TwoScattered`]). Relaxing both at once hides latencies but takes
/// about 28 registers: AVX-512 has 32, AVX2 only 16.
pub const TWO_AT_ONCE_LANES: usize = 16;

/// The columns of [`NonPlainSlots`], with one entry per slot of the program.
#[derive(Clone, Debug, Default)]
struct NonPlain<S> {
    stretched: Vec<S>,
    compressed: Vec<S>,
    compliance: Vec<S>,
}

/// The memory layout of the ends of a register's sticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The ends are any particles.
    Scattered,
    /// Two consecutive registers, relaxed together: all their sticks are independent, and the ends
    /// are any particles.
    TwoScattered,
    /// The first ends are consecutive particles, and so are the second ends.
    Runs,
    /// All ends together are consecutive particles, in the order `a`, `b`, `a`, `b`, ...
    Pairs,
    /// All ends together are consecutive particles, in the order `a`, `a`, `b`, `b`, `a`, `a`, ...
    /// (8 lanes or more).
    InterleavedPairs,
    /// Whole packets of stars: [`STAR_STICKS`](taut_core::STAR_STICKS) batches of
    /// [`PACKET_STICKS`](taut_core::PACKET_STICKS) sticks with the same column `a`. No second end
    /// in the packet is one of these first ends.
    Stars,
}

/// Which code the sticks of a register need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// All sticks are plain, and all ends have the same inverse mass. Registers have this form only
    /// if the number of lanes is a multiple of 4.
    EqualMasses,
    /// All sticks are plain, and inverse masses may differ.
    MixedMasses,
    /// At least one stick is torn or not plain.
    NonPlain,
}

/// How the sticks of a register are accessed and relaxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Register {
    access: Access,
    form: Form,
}

/// Consecutive registers of a task with the same access, form and inverse mass.
#[derive(Clone, Debug, PartialEq)]
struct Segment<S> {
    slots: Range<u32>,
    register: Register,
    /// The inverse mass of all ends, for [`Form::EqualMasses`].
    inverse_mass: Option<S>,
}

/// The columns of consecutive slots, all of the same length: a whole number of registers.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a, S> {
    /// First ends: particle indices times the stride.
    pub a: &'a [u32],
    /// Second ends, likewise.
    pub b: &'a [u32],
    /// The memory layout of the ends of each register.
    pub access: Access,
    /// The inverse mass of all ends, 1/kg. If it is `Some`, all sticks are plain and not torn. It
    /// may be `None` although the inverse masses are equal.
    pub inverse_mass: Option<S>,
    /// The formula's rest term.
    pub rest_term: &'a [S],
    /// The formula's weight term if the formula stores it, else empty.
    pub weight_term: &'a [S],
    /// `Some` if any of the sticks is torn or not plain.
    pub non_plain: Option<NonPlainSlots<'a, S>>,
}

/// The columns that only torn and non-plain sticks need.
#[derive(Clone, Copy, Debug)]
pub struct NonPlainSlots<'a, S> {
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
    /// indices are multiplied by `stride`, the number of elements of a particle in the kernel's
    /// array. (If the kernel multiplied them itself, the shifts, one per end, would be a sixth of
    /// its instructions.)
    ///
    /// # Errors
    /// If the schedule was built for different sticks, if there are too few particles, or if there
    /// are too many slots or particles for 32-bit indices.
    ///
    /// # Panics
    /// If `lanes` is 0.
    pub fn new<const D: usize>(
        lanes: usize,
        stride: u32,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        schedule.check(sticks)?;
        let mut program = Self {
            formula,
            lanes,
            stride,
            a: Vec::new(),
            b: Vec::new(),
            rest_term: Column::new(0),
            weight_term: Column::new(0),
            non_plain: NonPlain::default(),
            registers: Vec::new(),
            task_ends: Vec::new(),
            phase_ends: Vec::new(),
            segments: Vec::new(),
            segment_ends: Vec::new(),
            slot_of: alloc::vec![0; sticks.len()],
            stick_of: Vec::with_capacity(sticks.len()),
            ends: sticks.shared_ends(),
            particles: sticks.particles(),
            stick_cursor: sticks.changes().now(),
            mass_cursor: particles.mass_changes().now(),
            mass_changed: alloc::vec![false; sticks.particles()],
            inverse_h2: S::ZERO,
        };
        program.check_particle_count(particles)?;
        program.lay_out(schedule)?;
        u32::try_from(sticks.particles() as u64 * u64::from(stride))
            .map_err(|_| PlanError::TooLarge)?;
        program.fill_ends();
        program.rest_term.resize(program.a.len(), S::ONE);
        if formula.stores_weight() {
            program.weight_term.resize(program.a.len(), S::ZERO);
        }
        program.refresh_all(particles, sticks);
        Ok(program)
    }

    /// The formula that the constants are for.
    pub fn formula(&self) -> Formula {
        self.formula
    }

    /// How many lanes a register has.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// How many particles the sticks were checked against: every end is below this.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// How many slots there are, padding included.
    pub fn slots(&self) -> usize {
        self.a.len()
    }

    /// The tasks of each phase, as indices for [`task`](Self::task). A task is a block, or a part
    /// of a long batch that is a block by itself. Tasks of one phase share no particle.
    pub fn phases(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.phase_ends.len()).map(|phase| item_range(&self.phase_ends, phase))
    }

    /// The columns of a task, in sequence. They are split where the access, the inverse mass or the
    /// need for [`NonPlainSlots`] changes.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn task(&self, task: usize) -> impl Iterator<Item = Slots<'_, S>> {
        self.segments[item_range(&self.segment_ends, task)].iter().map(|segment| {
            let Segment { ref slots, register: Register { access, form }, inverse_mass } = *segment;
            let slots = slots.start as usize..slots.end as usize;
            Slots {
                a: &self.a[slots.clone()],
                b: &self.b[slots.clone()],
                access,
                inverse_mass,
                rest_term: &self.rest_term[slots.clone()],
                weight_term: self.weight_term.get(slots.clone()).unwrap_or_default(),
                non_plain: (form == Form::NonPlain).then(|| NonPlainSlots {
                    stretched: &self.non_plain.stretched[slots.clone()],
                    compressed: &self.non_plain.compressed[slots.clone()],
                    compliance: &self.non_plain.compliance[slots],
                }),
            }
        })
    }
}
