//! Sheets whose rows have few registers.
//!
//! The sticks of a row then join few pairs of registers, and each row waits for the one before it.
//! So pairs are sorted by level: a pair is one level above the last pairs that used one of its two
//! registers. The pairs of a level share no register, and a CPU relaxes several of them at once.
//! Sticks that share a particle keep their order, so the bits are those of the schedule.

use alloc::vec::Vec;

use taut_core::{ABSENT, Column, Factor, WithFactor};
use taut_lanes::{Operation, SharedPtr, Vector};

use crate::band_tasks::{BandTask, Strip};
use crate::constants::{Constants, RowConstants};
use crate::layout::Layout;
use crate::sweep::{StickConstants, predecessors, successors};

/// The tasks of a sheet are merged if they have at most this many register pairs together: more
/// would fill the L1 cache.
const MERGED_PAIRS_MAX: usize = 1024;

/// The sticks from a register of one row to a register of the same or another row, which are
/// relaxed together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterPair {
    /// The offset of the register with the first ends, in a column.
    from: u32,
    /// The offset of the register with the second ends.
    to: u32,
    /// The row that the sticks begin in.
    row: u32,
    /// The index of the family in the constants.
    family: u8,
    /// The register of the first ends in its row.
    register: u8,
    /// The index of the pair's entry in [`NarrowSheet::presence`].
    presence: u8,
    /// The first end in lane `l` is joined to the second end in lane `l + shift`.
    shift: u8,
    /// Whether every lane has a stick.
    is_whole: bool,
}

/// Pairs of registers in an order that gives the bits of the schedule.
pub(crate) type Pairs = Vec<RegisterPair>;

/// The register pairs of a narrow sheet.
#[derive(Debug)]
pub(crate) struct NarrowSheet {
    layout: Layout,
    /// Negative in the lanes of a row that have no stick. Entries 0, 1 and 2 are for sticks that
    /// span as many columns of the sheet. Entries 3 and 4 are for the two batches of sticks along a
    /// row that span 1 column, and entries 5 and 6 for the two batches that span 2 columns.
    presence: [Column<f32>; 7],
    /// The pairs of each task for one thread.
    pub(crate) tasks: Vec<Pairs>,
    /// The pairs of each block, if threads may take blocks; else empty.
    pub(crate) blocks: Vec<Pairs>,
}

impl NarrowSheet {
    /// Lists the pairs of `tasks`, the whole schedule for one thread, and of `blocks`, the tasks
    /// that several threads take. Merges the tasks of a small sheet into one: the more pairs are
    /// sorted together, the more of them are independent.
    pub(crate) fn new(
        constants: &Constants,
        tasks: &mut Vec<BandTask>,
        blocks: &[BandTask],
    ) -> Self {
        let layout = constants.layout;
        let presence_of_batch = |across: usize, parity: usize| {
            layout.stick_presence(across, move |i| i / across % 2 == parity)
        };
        let presence = [
            layout.stick_presence(0, |_| true),
            layout.stick_presence(1, |_| true),
            layout.stick_presence(2, |_| true),
            presence_of_batch(1, 0),
            presence_of_batch(1, 1),
            presence_of_batch(2, 0),
            presence_of_batch(2, 1),
        ];
        let mut narrow = Self { layout, presence, tasks: Vec::new(), blocks: Vec::new() };
        narrow.tasks = tasks.iter().map(|task| narrow.sorted_pairs(constants, task)).collect();
        if narrow.tasks.iter().map(Vec::len).sum::<usize>() <= MERGED_PAIRS_MAX {
            *tasks = BandTask::merged(tasks).into_iter().collect();
            narrow.tasks = tasks.iter().map(|task| narrow.sorted_pairs(constants, task)).collect();
        }
        narrow.blocks = blocks.iter().map(|task| narrow.sorted_pairs(constants, task)).collect();
        narrow
    }

    /// The pairs of one iteration of a task, sorted by level.
    fn sorted_pairs(&self, constants: &Constants, task: &BandTask) -> Pairs {
        let strips = task.strips.iter();
        let pairs: Pairs = strips.flat_map(|strip| self.pairs_of_strip(constants, strip)).collect();
        let registers = |pair: &RegisterPair| {
            [pair.from, pair.to].map(|offset| offset as usize / self.layout.lanes)
        };
        let first = pairs.iter().flat_map(registers).min().unwrap_or_default();
        let last = pairs.iter().flat_map(registers).max().unwrap_or_default();
        let mut levels = alloc::vec![0_u32; last - first + 1];
        let mut pairs_with_level: Vec<(u32, RegisterPair)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let [from, to] = registers(&pair).map(|register| register - first);
            let level = levels[from].max(levels[to]) + 1;
            (levels[from], levels[to]) = (level, level);
            pairs_with_level.push((level, pair));
        }
        pairs_with_level.sort_by_key(|(level, _)| *level);
        pairs_with_level.into_iter().map(|(_, pair)| pair).collect()
    }

    /// The pairs of a strip, in the order of the schedule.
    fn pairs_of_strip<'a>(
        &'a self,
        constants: &'a Constants,
        strip: &'a Strip,
    ) -> impl Iterator<Item = RegisterPair> + use<'a> {
        let Layout { registers, lanes, pitch, .. } = self.layout;
        let family = &constants.families[strip.family];
        let (across, down) = (family.across, family.down);
        let presence_columns = match (across, down) {
            (1, 0) => 3..5,
            (2, 0) => 5..7,
            _ => across..across + 1,
        };
        strip.rows.clone().flat_map(move |row| {
            presence_columns.clone().flat_map(move |presence| {
                let has_sticks = move |register: &usize| {
                    let values = &self.presence[presence][register * lanes..][..lanes];
                    values.iter().any(|&value| value >= 0.0)
                };
                let is_whole = move |register: usize| {
                    let values = &self.presence[presence][register * lanes..][..lanes];
                    values.iter().all(|&value| value >= 0.0)
                };
                (0..registers).filter(has_sticks).map(move |register| {
                    let partner = register + across;
                    let [from, to] =
                        if family.leans_left { [row + down, row] } else { [row, row + down] };
                    RegisterPair {
                        from: (from * pitch + register * lanes) as u32,
                        to: (to * pitch + partner % registers * lanes) as u32,
                        row: row as u32,
                        family: strip.family as u8,
                        register: register as u8,
                        presence: presence as u8,
                        shift: (partner / registers) as u8,
                        is_whole: is_whole(register),
                    }
                })
            })
        })
    }
}

/// Relaxes pairs of registers, in sequence.
pub(crate) struct RelaxPairs<'a, const D: usize> {
    constants: &'a Constants,
    narrow: &'a NarrowSheet,
    position: [*mut f32; D],
    inverse_mass: &'a [f32],
    pairs: &'a [RegisterPair],
}

impl<'a, const D: usize> RelaxPairs<'a, D> {
    /// # Safety
    /// - `narrow` was made of the constants, and `pairs` belong to `narrow`.
    /// - The columns of `position` have [`Layout::len`] values each, and are valid for reading and
    ///   writing at the rows that the sticks join; no other code accesses these rows meanwhile.
    pub(crate) unsafe fn new(
        constants: &'a Constants,
        narrow: &'a NarrowSheet,
        position: [SharedPtr<f32>; D],
        inverse_mass: &'a [f32],
        pairs: &'a [RegisterPair],
    ) -> Self {
        assert!(narrow.layout == constants.layout && inverse_mass.len() >= narrow.layout.len());
        let position = position.map(|SharedPtr(column)| column);
        Self { constants, narrow, position, inverse_mass, pairs }
    }
}

impl<const D: usize> Operation for RelaxPairs<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct RelaxEachPair<'a, V: Vector, const D: usize>(V::Cpu, RelaxPairs<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for RelaxEachPair<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, relax) = self;
                for pair in relax.pairs {
                    // SAFETY: `run` has checked the lanes; the rest by the contract of `new`.
                    unsafe { relax.relax_pair::<V, F>(cpu, pair) };
                }
            }
        }
        assert!(self.narrow.layout.lanes == V::LANES);
        self.constants.formula.dispatch(RelaxEachPair::<V, D>(cpu, self));
    }
}

impl<const D: usize> RelaxPairs<'_, D> {
    /// Relaxes a pair. Plain sticks of one rest length between masses of 1 kg have separate code,
    /// as in `sweep.rs`.
    ///
    /// # Safety
    /// - The pair is of this layout, whose registers have the lanes of `V`.
    #[inline(always)]
    unsafe fn relax_pair<V: Vector, F: Factor>(&self, cpu: V::Cpu, pair: &RegisterPair) {
        let family = &self.constants.families[pair.family as usize];
        // SAFETY: by contract.
        unsafe {
            let row = family.rows[pair.row as usize];
            if let RowConstants::Unit { rest_term } = row {
                let one = V::splat(cpu, 1.0);
                let terms = [V::splat(cpu, rest_term), V::splat(cpu, F::weight_term(2.0))];
                return self.relax_plain::<V, F>(cpu, [one; 2], terms, pair);
            }
            if let RowConstants::Equal { rest_term, weight_term, inverse_masses: [wa, wb] } = row {
                let terms = [V::splat(cpu, rest_term), V::splat(cpu, weight_term)];
                // A separate call for the compiler: equal inverse masses give both ends the same
                // displacement.
                let masses_are_equal = wa.to_bits() == wb.to_bits();
                let (wa, wb) = (V::splat(cpu, wa), V::splat(cpu, wb));
                if masses_are_equal {
                    return self.relax_plain::<V, F>(cpu, [wa; 2], terms, pair);
                }
                return self.relax_plain::<V, F>(cpu, [wa, wb], terms, pair);
            }
            let Some(columns) = &family.columns else { return };
            let index = self.index_in_columns(pair);
            if let RowConstants::Plain { rest_term } = row {
                let weight_terms = &columns.weight_term[index..index + V::LANES];
                let terms = [V::splat(cpu, rest_term), V::load(cpu, weight_terms.as_ptr())];
                let inverse_masses = self.inverse_masses(cpu, pair);
                return self.relax_plain::<V, F>(cpu, inverse_masses, terms, pair);
            }
            assert!(index + V::LANES <= columns.len());
            let mut constants = columns.load(self.inverse_masses(cpu, pair), cpu, index);
            // An entry of `presence` from 3 on is for one batch, but the constants are for the
            // sticks of both batches.
            if pair.presence > 2 {
                constants.present = constants.present.map(|stretched| {
                    let zero = V::splat(cpu, 0.0);
                    let is_present = self.present::<V>(cpu, pair).at_least(zero);
                    V::select(is_present, stretched, V::splat(cpu, ABSENT))
                });
            }
            self.relax_shifted::<V, F>(&constants, pair);
        }
    }

    /// Relaxes a pair of plain sticks.
    ///
    /// # Safety
    /// - Same as for [`relax_pair`](Self::relax_pair).
    #[inline(always)]
    unsafe fn relax_plain<V: Vector, F: Factor>(
        &self,
        cpu: V::Cpu,
        inverse_masses: [V; 2],
        terms: [V; 2],
        pair: &RegisterPair,
    ) {
        let constants =
            StickConstants { cpu, inverse_masses, terms, response: None, present: None };
        // SAFETY: by contract; if all lanes of a pair have a stick, its shift is 0.
        unsafe {
            if pair.is_whole {
                self.relax::<V, F, 0>(&constants, pair);
            } else {
                let present = Some(self.present::<V>(cpu, pair));
                self.relax_shifted::<V, F>(&StickConstants { present, ..constants }, pair);
            }
        }
    }

    /// Relaxes a pair with these constants.
    ///
    /// # Safety
    /// - Same as for [`relax_pair`](Self::relax_pair).
    #[inline(always)]
    unsafe fn relax_shifted<V: Vector, F: Factor>(
        &self,
        constants: &StickConstants<V>,
        pair: &RegisterPair,
    ) {
        // SAFETY: by contract.
        unsafe {
            match pair.shift {
                0 => self.relax::<V, F, 0>(constants, pair),
                1 => self.relax::<V, F, 1>(constants, pair),
                _ => self.relax::<V, F, 2>(constants, pair),
            }
        }
    }

    /// Relaxes a pair whose `shift` is `SHIFT`.
    ///
    /// # Safety
    /// - Same as for [`relax_pair`](Self::relax_pair), for such a pair.
    #[inline(always)]
    unsafe fn relax<V: Vector, F: Factor, const SHIFT: usize>(
        &self,
        constants: &StickConstants<V>,
        pair: &RegisterPair,
    ) {
        let cpu = constants.cpu;
        let (from, to) = (pair.from as usize, pair.to as usize);
        // SAFETY: by contract, the columns have both registers.
        unsafe {
            let (a, mut b) = (self.load::<V>(cpu, from), self.load::<V>(cpu, to));
            for _ in 0..SHIFT {
                b = successors(b);
            }
            let (mut new_a, mut new_b) = constants.relax(F::default(), a, b);
            for _ in 0..SHIFT {
                new_b = predecessors(new_b);
            }
            if SHIFT > 0 && from == to {
                // The register is joined to itself. Each of its lanes is a first end, a second end
                // or neither. A lane that is neither does not change, so its two values are equal.
                let mut is_second = self.present::<V>(cpu, pair);
                for _ in 0..SHIFT {
                    is_second = is_second.predecessors(is_second);
                }
                let is_second = is_second.at_least(V::splat(cpu, 0.0));
                for (a, b) in new_a.iter_mut().zip(new_b) {
                    *a = V::select(is_second, b, *a);
                }
            } else {
                self.store(to, new_b);
            }
            self.store(from, new_a);
        }
    }

    /// A register that is negative in the lanes without a stick.
    ///
    /// # Safety
    /// - Same as for [`relax_pair`](Self::relax_pair).
    #[inline(always)]
    unsafe fn present<V: Vector>(&self, cpu: V::Cpu, pair: &RegisterPair) -> V {
        let presence = &self.narrow.presence[pair.presence as usize];
        // SAFETY: the columns of presence have all registers of a row.
        unsafe { V::load(cpu, presence.as_ptr().add(pair.register as usize * V::LANES)) }
    }

    /// The index of a pair in the columns of constants.
    #[inline(always)]
    fn index_in_columns(&self, pair: &RegisterPair) -> usize {
        let Layout { registers, lanes, .. } = self.narrow.layout;
        (pair.row as usize * registers + pair.register as usize) * lanes
    }

    /// The inverse masses of both ends. (Written without a closure, which would not use its
    /// caller's target features.)
    ///
    /// # Safety
    /// - Same as for [`relax_pair`](Self::relax_pair).
    #[inline(always)]
    unsafe fn inverse_masses<V: Vector>(&self, cpu: V::Cpu, pair: &RegisterPair) -> [V; 2] {
        let inverse_mass = self.inverse_mass.as_ptr();
        // SAFETY: the column has both registers.
        unsafe {
            let a = V::load(cpu, inverse_mass.add(pair.from as usize));
            let mut b = V::load(cpu, inverse_mass.add(pair.to as usize));
            if pair.shift > 0 {
                b = b.successors(b);
            }
            if pair.shift > 1 {
                b = b.successors(b);
            }
            [a, b]
        }
    }

    /// Loads a register of each axis. (Why this uses `map` of the standard library: see
    /// [`taut_core::arrays`].)
    ///
    /// # Safety
    /// - The columns are valid for reading `LANES` values at `index`.
    #[inline(always)]
    unsafe fn load<V: Vector>(&self, cpu: V::Cpu, index: usize) -> [V; D] {
        // SAFETY: by contract.
        self.position.map(|column| unsafe { V::load(cpu, column.add(index)) })
    }

    /// Stores a register of each axis.
    ///
    /// # Safety
    /// - The columns are valid for writing `LANES` values at `index`.
    #[inline(always)]
    unsafe fn store<V: Vector>(&self, index: usize, lanes: [V; D]) {
        for (column, lanes) in self.position.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(index)) };
        }
    }
}
