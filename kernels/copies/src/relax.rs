//! The inner loop of relaxation.

use taut_core::{Factor, Response, arrays, relax, relax_by};
use taut_lanes::Vector;

use crate::constants::{ByCopy, Constants, GroupConstants, Shared, StickConstants};
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
    let lanes = constants.layout.copies_in(group).next_multiple_of(V::LANES);
    assert!(lanes <= GROUP);
    let copies = GroupOfCopies::<V, D> { cpu, position, inverse_masses, lanes };
    let ends = constants.ends();
    let GroupConstants {
        sticks,
        rest_terms,
        in_majority,
        majority_inverse_mass,
        majority_weight_term,
        rest_terms_by_copy,
        by_copy,
        ..
    } = &constants.groups[group];
    let majority_masses = [V::splat(cpu, *majority_inverse_mass); 2];
    let majority_weight = V::splat(cpu, *majority_weight_term);
    for (((&ends, stick), &rest_term), &in_majority) in
        ends.iter().zip(sticks).zip(rest_terms).zip(in_majority)
    {
        // SAFETY: by contract; ends are multiples of `GROUP` below the length of a group.
        unsafe {
            if in_majority {
                let terms = [V::splat(cpu, rest_term), majority_weight];
                copies.relax_shared::<F>(ends, majority_masses, terms, None);
                continue;
            }
            match stick {
                StickConstants::WithoutResponse(shared) => {
                    let (inverse_masses, terms) = splat::<V>(cpu, shared);
                    copies.relax_shared::<F>(ends, inverse_masses, terms, None);
                }
                StickConstants::WithResponse(shared, Response { stretched, compressed }) => {
                    let (inverse_masses, terms) = splat::<V>(cpu, shared);
                    let response = Response {
                        stretched: V::splat(cpu, *stretched),
                        compressed: V::splat(cpu, *compressed),
                    };
                    copies.relax_shared::<F>(ends, inverse_masses, terms, Some(response));
                }
                StickConstants::PlainByCopy(row) => {
                    copies.relax_plain_by_copy::<F>(ends, rest_terms_by_copy.get(*row));
                }
                StickConstants::ByCopy(row) => copies.relax_by_copy::<F>(ends, by_copy.get(*row)),
            }
        }
    }
}

/// The inverse masses, and the rest and weight terms, in all lanes.
#[inline(always)]
fn splat<V: Vector>(cpu: V::Cpu, shared: &Shared) -> ([V; 2], [V; 2]) {
    let Shared { inverse_masses: [wa, wb], rest_term, weight_term, .. } = *shared;
    ([V::splat(cpu, wa), V::splat(cpu, wb)], [V::splat(cpu, rest_term), V::splat(cpu, weight_term)])
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
    /// Relaxes a stick whose constants are the same in all copies; `terms` are its rest term and
    /// weight term. It must not be torn: see [`relax_by`].
    ///
    /// # Safety
    /// - The columns are valid for reading and writing [`GROUP`] values at both ends.
    #[inline(always)]
    unsafe fn relax_shared<F: Factor>(
        &self,
        ends: [u32; 2],
        inverse_masses: [V; 2],
        terms: [V; 2],
        response: Option<Response<V>>,
    ) {
        // If a register has all lanes of a group, the limit is a constant, and the compiler removes the loop.
        let lanes = if V::LANES == GROUP { GROUP } else { self.lanes };
        for lane in (0..lanes).step_by(V::LANES) {
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let (slots, [a, b]) = self.load_ends(ends, lane);
                let d: [V; D] = arrays::from_fn(|axis| b[axis] - a[axis]);
                let new_ends = relax_by::<F, V, D>([a, b], d, inverse_masses, terms, response);
                self.store_ends(slots, new_ends);
            }
        }
    }

    /// Relaxes a plain stick whose rest lengths or masses differ between copies.
    ///
    /// # Safety
    /// - Same as for [`relax_shared`](Self::relax_shared); the inverse masses are valid for reading
    ///   at both ends.
    #[inline(always)]
    unsafe fn relax_plain_by_copy<F: Factor>(&self, ends: [u32; 2], rest_terms: &[f32; GROUP]) {
        for lane in (0..self.lanes).step_by(V::LANES) {
            // SAFETY: by contract: `lane + LANES <= GROUP`, the length of the array.
            unsafe {
                let (slots, [a, b]) = self.load_ends(ends, lane);
                let inverse_masses = self.load_inverse_masses(slots);
                let rest_term = V::load(self.cpu, rest_terms.as_ptr().add(lane));
                let weight_term = F::weight_term(inverse_masses[0] + inverse_masses[1]);
                let new_ends = relax::<F, V, D>(a, b, inverse_masses, rest_term, weight_term, None);
                self.store_ends(slots, new_ends);
            }
        }
    }

    /// Relaxes any stick, with constants for each copy.
    ///
    /// # Safety
    /// - Same as for [`relax_plain_by_copy`](Self::relax_plain_by_copy).
    #[inline(always)]
    unsafe fn relax_by_copy<F: Factor>(&self, ends: [u32; 2], constants: &ByCopy) {
        let ByCopy { rest_term, weight_term, stretched, compressed } = constants;
        for lane in (0..self.lanes).step_by(V::LANES) {
            // SAFETY: by contract: `lane + LANES <= GROUP`, the length of the arrays.
            unsafe {
                let (slots, [a, b]) = self.load_ends(ends, lane);
                let inverse_masses = self.load_inverse_masses(slots);
                let rest_term = V::load(self.cpu, rest_term.as_ptr().add(lane));
                let weight_term = V::load(self.cpu, weight_term.as_ptr().add(lane));
                let response = Some(Response {
                    stretched: V::load(self.cpu, stretched.as_ptr().add(lane)),
                    compressed: V::load(self.cpu, compressed.as_ptr().add(lane)),
                });
                let new_ends =
                    relax::<F, V, D>(a, b, inverse_masses, rest_term, weight_term, response);
                self.store_ends(slots, new_ends);
            }
        }
    }

    /// Loads the positions of both ends in the copies of one register, from `lane` on; also returns
    /// their slots.
    ///
    /// # Safety
    /// - The columns are valid for reading `LANES` values at both ends, from `lane` on.
    #[inline(always)]
    unsafe fn load_ends(&self, ends: [u32; 2], lane: usize) -> ([usize; 2], [[V; D]; 2]) {
        let slots = [ends[0] as usize + lane, ends[1] as usize + lane];
        // SAFETY: by contract.
        (slots, unsafe { [self.load(slots[0]), self.load(slots[1])] })
    }

    /// Loads the inverse masses of both ends.
    ///
    /// # Safety
    /// - The inverse masses are valid for reading `LANES` values at both slots.
    #[inline(always)]
    unsafe fn load_inverse_masses(&self, [a, b]: [usize; 2]) -> [V; 2] {
        // SAFETY: by contract.
        unsafe {
            [
                V::load(self.cpu, self.inverse_masses.add(a)),
                V::load(self.cpu, self.inverse_masses.add(b)),
            ]
        }
    }

    /// Stores the positions of both ends.
    ///
    /// # Safety
    /// - The columns are valid for writing `LANES` values at both slots.
    #[inline(always)]
    unsafe fn store_ends(&self, slots: [usize; 2], (a, b): ([V; D], [V; D])) {
        // SAFETY: by contract.
        unsafe {
            self.store(slots[0], a);
            self.store(slots[1], b);
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
