//! Lays out a schedule in registers and tasks.

use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{PACKET_STICKS, PlanError, Real, STAR_STICKS, Schedule};

use crate::{Access, Form, Program, Register, TWO_AT_ONCE_LANES};

/// The maximum number of sticks of a task that is a part of a batch. A block of a single batch longer
/// than this is split into such tasks: the sticks are independent, so threads can share them without
/// changing the result.
const TASK_STICKS: usize = 2048;

/// The number of registers that are transposed together: one for each of the four values of a
/// record.
pub(super) const TRANSPOSED_REGISTERS: usize = 4;

impl<S: Real> Program<S> {
    /// Fills `stick_of`, `slot_of`, the registers, tasks and phases.
    pub(super) fn lay_out(&mut self, schedule: &Schedule) -> Result<(), PlanError> {
        for phase in schedule.phases() {
            for block in phase.blocks() {
                let batches: Vec<&[u32]> = block.batches().collect();
                if let [batch] = batches[..] {
                    for task in batch.chunks(TASK_STICKS) {
                        self.lay_out_batch(task);
                        self.task_ends.push(self.registers.len() as u32);
                    }
                    continue;
                }
                let mut remaining = &batches[..];
                while let Some((batch, others)) = remaining.split_first() {
                    if self.starts_with_stars(remaining) {
                        let (stars, others) = remaining.split_at(STAR_STICKS);
                        for batch in stars {
                            self.lay_out_registers(Access::Stars, batch);
                        }
                        remaining = others;
                    } else {
                        self.lay_out_batch(batch);
                        remaining = others;
                    }
                }
                self.task_ends.push(self.registers.len() as u32);
            }
            self.phase_ends.push(self.task_ends.len() as u32);
        }
        u32::try_from(self.stick_of.len()).map_err(|_| PlanError::TooLarge)?;
        Ok(())
    }

    /// Whether the first [`STAR_STICKS`] batches are a star packet: full batches whose sticks at
    /// the same index form a star, and whose stars share no particle. Always false if the number of
    /// lanes is not a multiple of 4 or does not divide [`PACKET_STICKS`].
    fn starts_with_stars(&self, batches: &[&[u32]]) -> bool {
        let Some(star_packet) = batches.first_chunk::<STAR_STICKS>() else { return false };
        if !self.lanes.is_multiple_of(TRANSPOSED_REGISTERS)
            || !PACKET_STICKS.is_multiple_of(self.lanes)
            || star_packet.iter().any(|batch| batch.len() != PACKET_STICKS)
        {
            return false;
        }
        let mut particles = Vec::new();
        for index in 0..PACKET_STICKS {
            let star = star_packet.map(|batch| batch[index]);
            let Some(centre) = self.centre(star) else { return false };
            let ends = star.into_iter().flat_map(|stick| self.ends[stick as usize]);
            particles.push(centre);
            particles.extend(ends.filter(|&end| end != centre));
        }
        particles.sort_unstable();
        particles.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The particle that all sticks of a star share, if any.
    fn centre(&self, star: [u32; STAR_STICKS]) -> Option<u32> {
        let [first, rest @ ..] = star.map(|stick| self.ends[stick as usize]);
        first.into_iter().find(|end| rest.iter().all(|ends| ends.contains(end)))
    }

    /// Appends the registers of a batch: first registers of runs and pairs, then the registers of
    /// the other sticks. If registers cannot be transposed (their number of lanes is not
    /// a multiple of 4), or if the batch does not fill one, all sticks are scattered.
    fn lay_out_batch(&mut self, batch: &[u32]) {
        if !self.lanes.is_multiple_of(TRANSPOSED_REGISTERS) || batch.len() < self.lanes {
            self.lay_out_registers(Access::Scattered, batch);
            return;
        }
        // Sorted by direction (`b - a`), then by first end.
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
        let mut remaining = &keyed[..];
        while let Some(&(first_key, stick)) = remaining.first() {
            // By direction: the access, and the difference of keys between the first stick of the
            // register and stick `index`.
            let (access, offset): (_, fn(u64) -> u64) = match first_key >> u32::BITS {
                1 => (Access::Pairs, |index| 2 * index),
                2 if self.lanes > TRANSPOSED_REGISTERS => {
                    (Access::InterleavedPairs, |index| 2 * index - index % 2)
                }
                _ => (Access::Runs, |index| index),
            };
            let expected = (0..).map(|index| first_key + offset(index));
            let matches = |(&(key, _), expected): (&(u64, u32), u64)| key == expected;
            let fills_register = remaining.len() >= self.lanes
                && remaining[..self.lanes].iter().zip(expected).all(matches);
            if fills_register {
                register.clear();
                register.extend(remaining[..self.lanes].iter().map(|&(_, stick)| stick));
                self.lay_out_registers(access, &register);
                remaining = &remaining[self.lanes..];
            } else {
                others.push(stick);
                remaining = &remaining[1..];
            }
        }
        self.lay_out_registers(Access::Scattered, &others);
    }

    /// Appends registers with these sticks. Repeats of the last stick fill the last register.
    fn lay_out_registers(&mut self, access: Access, sticks: &[u32]) {
        let register_count = sticks.len().div_ceil(self.lanes);
        for (register_index, register) in sticks.chunks(self.lanes).enumerate() {
            let access = match access {
                Access::Scattered
                    if self.lanes >= TWO_AT_ONCE_LANES
                        && register_index < register_count / 2 * 2 =>
                {
                    Access::TwoScattered
                }
                _ => access,
            };
            let begin = self.stick_of.len();
            let last = register[register.len() - 1];
            self.stick_of.resize(begin + self.lanes, last);
            for (index, &stick) in register.iter().enumerate() {
                let slot = begin + lane_of(index, self.lanes);
                self.stick_of[slot] = stick;
                self.slot_of[stick as usize] = slot as u32;
            }
            // The form is a placeholder, until it is computed from the sticks and masses.
            self.registers.push(Register { access, form: Form::MixedMasses });
        }
    }

    /// Fills the columns `a` and `b`, and makes the centre of each star the first end of its
    /// sticks.
    pub(super) fn fill_ends(&mut self) {
        for (side, column) in [&mut self.a, &mut self.b].into_iter().enumerate() {
            let end = |&stick: &u32| self.ends[stick as usize][side] * self.stride;
            column.extend(self.stick_of.iter().map(end));
        }
        let mut register = 0;
        while register < self.registers.len() {
            let group = self.register_group(register);
            if self.registers[register].access == Access::Stars {
                for first in (register * self.lanes..).take(PACKET_STICKS) {
                    let star = core::array::from_fn(|batch| first + batch * PACKET_STICKS);
                    let centre = self.centre(star.map(|slot| self.stick_of[slot]));
                    for slot in star {
                        if centre.is_some_and(|centre| self.b[slot] == centre * self.stride) {
                            core::mem::swap(&mut self.a[slot], &mut self.b[slot]);
                        }
                    }
                }
            }
            register = group.end;
        }
    }

    /// The registers from `first` on that are relaxed together: two of [`Access::TwoScattered`], a
    /// star packet, or else one register.
    pub(super) fn register_group(&self, first: usize) -> Range<usize> {
        match self.registers[first].access {
            Access::TwoScattered => first..first + 2,
            Access::Stars => first..first + STAR_STICKS * PACKET_STICKS / self.lanes,
            _ => first..first + 1,
        }
    }
}

/// The lane of stick `index` of a register: see [`Program`].
fn lane_of(index: usize, lanes: usize) -> usize {
    if !lanes.is_multiple_of(TRANSPOSED_REGISTERS) {
        return index;
    }
    let records_per_register = lanes / TRANSPOSED_REGISTERS;
    TRANSPOSED_REGISTERS * (index % records_per_register) + index / records_per_register
}
