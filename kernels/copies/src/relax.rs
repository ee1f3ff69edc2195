//! The inner loop of relaxation.

use taut_core::{Factor, Response, displaced, factor, relax, squared_length};
use taut_lanes::Vector;

use crate::constants::{Constants, GroupConstants, StickColumns};
use crate::layout::GROUP;

/// Relaxes all sticks of a group once, in the order of the schedule.
///
/// # Safety
/// - `position` and `masses` are valid for reading [`Layout::group_len`](crate::layout::Layout)
///   numbers each, and `position` for writing; no other code accesses these meanwhile.
#[inline(always)]
pub(crate) unsafe fn relax_group<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    constants: &Constants,
    group: usize,
    position: [*mut f32; D],
    masses: *const f32,
) {
    let GroupConstants { sticks, usual_mass, masses: common, .. } = &constants.groups[group];
    let lanes = constants.layout.copies_in(group).next_multiple_of(V::LANES);
    let ends = constants.ends();
    let numbers_per_stick = if sticks.by_copy { GROUP } else { 1 };
    assert!(sticks.rest_term.len() == ends.len() * numbers_per_stick && lanes <= GROUP);
    assert!(sticks.non_plain.iter().flatten().all(|it| it.len() == ends.len() * numbers_per_stick));
    assert!(common.len() == constants.layout.particles);
    let group = GroupOfCopies::<V, D> { cpu, position, masses, lanes };
    let plain = !sticks.by_copy && sticks.non_plain.is_none();
    if !plain {
        for (index, ends) in ends.iter().enumerate() {
            // SAFETY: by contract; ends are below the length of a group, and every column has
            // numbers for each index.
            unsafe { group.relax_any::<F>(*ends, sticks, index, constants.inverse_h2) };
        }
        return;
    }
    let mass = V::splat(cpu, *usual_mass);
    let weight_term = F::weight_term(mass + mass);
    let usual = usual_mass.to_bits();
    for (index, ends) in ends.iter().enumerate() {
        let [a, b] = ends.map(|end| common[end as usize / GROUP]);
        // SAFETY: as above.
        unsafe {
            if a.to_bits() == usual && b.to_bits() == usual {
                group.relax_equal::<F>(*ends, sticks.rest_term[index], mass, weight_term);
            } else {
                group.relax_any::<F>(*ends, sticks, index, constants.inverse_h2);
            }
        }
    }
}

/// The location of the constants of a register of copies in a column.
#[derive(Clone, Copy)]
struct ConstantsAt {
    by_copy: bool,
    index: usize,
    lane: usize,
}

impl ConstantsAt {
    /// One number per lane. (A method, because a closure cannot be `#[inline(always)]`, and would
    /// be compiled without the target features of its caller.)
    #[inline(always)]
    fn load<V: Vector>(self, cpu: V::Cpu, column: &[f32]) -> V {
        if self.by_copy {
            let numbers = &column[self.index * GROUP + self.lane..][..V::LANES];
            // SAFETY: the slice has as many numbers as there are lanes.
            unsafe { V::load(cpu, numbers.as_ptr()) }
        } else {
            V::splat(cpu, column[self.index])
        }
    }
}

/// The particles of a group.
struct GroupOfCopies<V: Vector, const D: usize> {
    cpu: V::Cpu,
    position: [*mut f32; D],
    masses: *const f32,
    /// The number of lanes to process: those that have a copy, in whole registers.
    lanes: usize,
}

impl<V: Vector, const D: usize> GroupOfCopies<V, D> {
    /// Relaxes a plain stick whose ends have the same inverse mass, in all copies.
    ///
    /// # Safety
    /// - The columns are valid for reading and writing [`GROUP`] numbers at both ends.
    #[inline(always)]
    unsafe fn relax_equal<F: Factor>(
        &self,
        ends: [u32; 2],
        rest_term: f32,
        mass: V,
        weight_term: V,
    ) {
        let rest_term = V::splat(self.cpu, rest_term);
        for lane in (0..self.lanes).step_by(V::LANES) {
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let [slot_a, slot_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(slot_a), self.load(slot_b));
                let d: [V; D] = core::array::from_fn(|axis| b[axis] - a[axis]);
                let g = factor::<F, V>(squared_length(d), rest_term, weight_term, None);
                let gain = mass * g;
                let (mut new_a, mut new_b) = (a, b);
                for axis in 0..D {
                    [new_a[axis], new_b[axis]] = displaced([a[axis], b[axis]], d[axis], [gain; 2]);
                }
                self.store(slot_a, new_a);
                self.store(slot_b, new_b);
            }
        }
    }

    /// Relaxes any stick, in all copies.
    ///
    /// # Safety
    /// - As for [`relax_equal`](Self::relax_equal); the masses are valid for reading at both ends.
    /// - The columns of `sticks` have numbers at `index`.
    #[inline(always)]
    unsafe fn relax_any<F: Factor>(
        &self,
        ends: [u32; 2],
        sticks: &StickColumns,
        index: usize,
        inverse_h2: f32,
    ) {
        let StickColumns { by_copy, rest_term, non_plain, compliant } = sticks;
        let inverse_h2 = V::splat(self.cpu, inverse_h2);
        for lane in (0..self.lanes).step_by(V::LANES) {
            let constants_at = ConstantsAt { by_copy: *by_copy, index, lane };
            let rest_term = constants_at.load(self.cpu, rest_term);
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let [slot_a, slot_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(slot_a), self.load(slot_b));
                let masses = [
                    V::load(self.cpu, self.masses.add(slot_a)),
                    V::load(self.cpu, self.masses.add(slot_b)),
                ];
                let mut weight = masses[0] + masses[1];
                let mut response = None;
                if let Some([compliance, stretched, compressed]) = non_plain {
                    if *compliant {
                        let compliance = constants_at.load(self.cpu, compliance);
                        weight = taut_core::weight(masses, compliance, inverse_h2);
                    }
                    let (stretched, compressed) = (
                        constants_at.load(self.cpu, stretched),
                        constants_at.load(self.cpu, compressed),
                    );
                    response = Some(Response { stretched, compressed });
                }
                let weight_term = F::weight_term(weight);
                let (new_a, new_b) =
                    relax::<F, V, D>(a, b, masses, rest_term, weight_term, response);
                self.store(slot_a, new_a);
                self.store(slot_b, new_b);
            }
        }
    }

    /// # Safety
    /// - The columns are valid for reading `LANES` numbers at `slot`.
    #[inline(always)]
    unsafe fn load(&self, slot: usize) -> [V; D] {
        // SAFETY: by contract.
        self.position.map(|column| unsafe { V::load(self.cpu, column.add(slot)) })
    }

    /// # Safety
    /// - The columns are valid for writing `LANES` numbers at `slot`.
    #[inline(always)]
    unsafe fn store(&self, slot: usize, lanes: [V; D]) {
        for (column, lanes) in self.position.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(slot)) };
        }
    }
}
