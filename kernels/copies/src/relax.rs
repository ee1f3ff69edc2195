//! The inner loop of relaxation.

use taut_core::{Factor, Response, arrays, displaced, factor, relax, squared_length};
use taut_lanes::Vector;

use crate::constants::{Constants, GroupConstants};
use crate::layout::GROUP;

/// Relaxes all sticks of a group once, in the order of the schedule.
///
/// # Safety
/// - `position` and `inverse_masses` are valid for reading
///   [`Layout::group_len`](crate::layout::Layout) values each, and `position` for writing; no other
///   code accesses these values meanwhile.
#[inline(always)]
pub(crate) unsafe fn relax_group<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    constants: &Constants,
    group: usize,
    position: [*mut f32; D],
    inverse_masses: *const f32,
) {
    let inverse_h2 = constants.inverse_h2;
    let lanes = constants.layout.copies_in(group).next_multiple_of(V::LANES);
    let constants_of_group = &constants.groups[group];
    let GroupConstants {
        rest_term,
        non_plain,
        weight_term,
        inverse_masses: common_inverse_masses,
        ..
    } = constants_of_group;
    let ends = constants.ends();
    assert!(rest_term.has_len(ends.len()) && lanes <= GROUP);
    assert!(non_plain.as_ref().is_none_or(|non_plain| non_plain.has_len(ends.len())));
    assert!(weight_term.has_len(if F::STORES_WEIGHT { ends.len() } else { 0 }));
    assert!(common_inverse_masses.len() == constants.layout.particles);
    let copies = GroupOfCopies::<V, D> { cpu, position, inverse_masses, lanes };
    let Some([rest_term]) = rest_term.shared_by_copies().filter(|_| non_plain.is_none()) else {
        for (index, ends) in ends.iter().enumerate() {
            // SAFETY: by contract; ends are below the length of a group, and every column has
            // values for each index.
            unsafe { copies.relax_any::<F>(*ends, constants_of_group, index, inverse_h2) };
        }
        return;
    };
    let GroupConstants { majority_inverse_mass, majority_weight_term, .. } = *constants_of_group;
    let (inverse_mass, weight_term) =
        (V::splat(cpu, majority_inverse_mass), V::splat(cpu, majority_weight_term));
    let majority_bits = majority_inverse_mass.to_bits();
    for (index, ends) in ends.iter().enumerate() {
        let [wa, wb] = arrays::map(*ends, |end| common_inverse_masses[end as usize / GROUP]);
        // SAFETY: as above.
        unsafe {
            if wa.to_bits() == majority_bits && wb.to_bits() == majority_bits {
                copies.relax_equal::<F>(*ends, rest_term[index], inverse_mass, weight_term);
            } else {
                copies.relax_any::<F>(*ends, constants_of_group, index, inverse_h2);
            }
        }
    }
}

/// The particles of a group.
struct GroupOfCopies<V: Vector, const D: usize> {
    cpu: V::Cpu,
    /// The positions in the slots of the group, by axis.
    position: [*mut f32; D],
    /// The inverse masses in the slots of the group.
    inverse_masses: *const f32,
    /// The number of lanes to process: the number of copies, rounded up to whole registers.
    lanes: usize,
}

impl<V: Vector, const D: usize> GroupOfCopies<V, D> {
    /// Relaxes a plain stick whose ends have the same inverse mass, in all copies.
    ///
    /// # Safety
    /// - The columns are valid for reading and writing [`GROUP`] values at both ends.
    #[inline(always)]
    unsafe fn relax_equal<F: Factor>(
        &self,
        ends: [u32; 2],
        rest_term: f32,
        inverse_mass: V,
        weight_term: V,
    ) {
        let rest_term = V::splat(self.cpu, rest_term);
        for lane in (0..self.lanes).step_by(V::LANES) {
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let [slot_a, slot_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(slot_a), self.load(slot_b));
                let d: [V; D] = arrays::from_fn(|axis| b[axis] - a[axis]);
                let factor = factor::<F, V>(squared_length(d), rest_term, weight_term, None);
                let gain = inverse_mass * factor;
                let (mut new_a, mut new_b) = (a, b);
                for axis in 0..D {
                    [new_a[axis], new_b[axis]] = displaced([a[axis], b[axis]], d[axis], [gain; 2]);
                }
                self.store(slot_a, new_a);
                self.store(slot_b, new_b);
            }
        }
    }

    /// Relaxes the stick at an index of the schedule, whatever its properties, in all copies.
    ///
    /// # Safety
    /// - Same as for [`relax_equal`](Self::relax_equal); the inverse masses are valid for reading
    ///   at both ends.
    #[inline(always)]
    unsafe fn relax_any<F: Factor>(
        &self,
        ends: [u32; 2],
        constants: &GroupConstants,
        index: usize,
        inverse_h2: f32,
    ) {
        let GroupConstants { rest_term, non_plain, compliant, weight_term, .. } = constants;
        let inverse_h2 = V::splat(self.cpu, inverse_h2);
        for lane in (0..self.lanes).step_by(V::LANES) {
            let [rest_term] = rest_term.load(self.cpu, index, lane);
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let [slot_a, slot_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(slot_a), self.load(slot_b));
                let inverse_masses = [
                    V::load(self.cpu, self.inverse_masses.add(slot_a)),
                    V::load(self.cpu, self.inverse_masses.add(slot_b)),
                ];
                let mut weight = inverse_masses[0] + inverse_masses[1];
                let mut response = None;
                if let Some(non_plain) = non_plain {
                    let [compliance, stretched, compressed] = non_plain.load(self.cpu, index, lane);
                    if *compliant {
                        weight = taut_core::weight(inverse_masses, compliance, inverse_h2);
                    }
                    response = Some(Response { stretched, compressed });
                }
                let weight_term = if F::STORES_WEIGHT {
                    let [weight_term] = weight_term.load(self.cpu, index, lane);
                    weight_term
                } else {
                    F::weight_term(weight)
                };
                let (new_a, new_b) =
                    relax::<F, V, D>(a, b, inverse_masses, rest_term, weight_term, response);
                self.store(slot_a, new_a);
                self.store(slot_b, new_b);
            }
        }
    }

    /// Loads a register of each axis.
    ///
    /// # Safety
    /// - The columns are valid for reading `LANES` values at `slot`.
    #[inline(always)]
    unsafe fn load(&self, slot: usize) -> [V; D] {
        // SAFETY: by contract.
        arrays::map(self.position, |column| unsafe { V::load(self.cpu, column.add(slot)) })
    }

    /// Stores a register of each axis.
    ///
    /// # Safety
    /// - The columns are valid for writing `LANES` values at `slot`.
    #[inline(always)]
    unsafe fn store(&self, slot: usize, lanes: [V; D]) {
        for (column, lanes) in self.position.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(slot)) };
        }
    }
}
