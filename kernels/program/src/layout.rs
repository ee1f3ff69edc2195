//! Lays out a schedule in registers and tasks.

use alloc::vec::Vec;
use core::ops::Range;

use taut_core::{PACKET_STICKS, PlanError, Real, STAR_STICKS, Schedule};

use crate::{Access, Form, Program, Register};

/// A block of one batch longer than this is split into tasks of this many sticks: its sticks
/// are independent, so threads may share them without changing the result.
const TASK_STICKS: usize = 2048;

/// The number of registers transposed together: a record has four numbers.
pub(super) const QUARTERS: usize = 4;

impl<S: Real> Program<S> {
    /// Fills `stick_of`, `slot_of`, the registers, tasks and phases.
    pub(super) fn lay_out(&mut self, schedule: &Schedule) -> Result<(), PlanError> {
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

    /// Whether these batches begin with a packet of stars. (The sticks of a batch share no
    /// particle, so the centre of one star occurs in no other star.)
    fn are_stars(&self, batches: &[&[u32]]) -> bool {
        let Some(ranks) = batches.first_chunk::<STAR_STICKS>() else { return false };
        self.lanes.is_multiple_of(QUARTERS)
            && PACKET_STICKS.is_multiple_of(self.lanes)
            && ranks.iter().all(|rank| rank.len() == PACKET_STICKS)
            && (0..PACKET_STICKS).all(|at| self.centre(ranks.map(|rank| rank[at])).is_some())
    }

    /// The particle that all sticks share, if any.
    fn centre(&self, star: [u32; STAR_STICKS]) -> Option<u32> {
        let [first, rest @ ..] = star.map(|stick| self.ends[stick as usize]);
        first.into_iter().find(|end| rest.iter().all(|ends| ends.contains(end)))
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
    pub(super) fn name_ends(&mut self) {
        for (which, names) in [&mut self.a, &mut self.b].into_iter().enumerate() {
            let name = |&stick: &u32| self.ends[stick as usize][which] * self.unit;
            names.extend(self.stick_of.iter().map(name));
        }
        let mut register = 0;
        while register < self.registers.len() {
            let together = self.register_group(register);
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

    /// The registers from `first` on that form a unit: a whole packet of stars, else one register.
    pub(super) fn register_group(&self, first: usize) -> Range<usize> {
        match self.registers[first].access {
            Access::Stars => first..first + STAR_STICKS * PACKET_STICKS / self.lanes,
            _ => first..first + 1,
        }
    }
}

/// The lane of stick `place` of a register: see [`Program`].
fn lane_of(place: usize, lanes: usize) -> usize {
    if !lanes.is_multiple_of(QUARTERS) {
        return place;
    }
    let quarter = lanes / QUARTERS;
    QUARTERS * (place % quarter) + place / quarter
}

/// The range of item `index` in a list of ends.
pub(super) fn span(ends: &[u32], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    start..ends[index] as usize
}
