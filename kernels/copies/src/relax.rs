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
    let numbers = if sticks.by_copy { GROUP } else { 1 };
    assert!(sticks.rest_term.len() == ends.len() * numbers && lanes <= GROUP);
    assert!(sticks.special.iter().flatten().all(|it| it.len() == ends.len() * numbers));
    assert!(common.len() == constants.layout.particles);
    let group = GroupOfCopies::<V, D> { cpu, position, masses, lanes };
    let plain = !sticks.by_copy && sticks.special.is_none();
    if !plain {
        for (place, ends) in ends.iter().enumerate() {
            // SAFETY: by contract; ends are below the length of a group, and every column has
            // numbers for each place.
            unsafe { group.relax_any::<F>(*ends, sticks, place, constants.inverse_h2) };
        }
        return;
    }
    let mass = V::splat(cpu, *usual_mass);
    let weight_term = F::weight_term(mass + mass);
    let usual = usual_mass.to_bits();
    for (place, ends) in ends.iter().enumerate() {
        let [a, b] = ends.map(|end| common[end as usize / GROUP]);
        // SAFETY: as above.
        unsafe {
            if a.to_bits() == usual && b.to_bits() == usual {
                group.relax_equal::<F>(*ends, sticks.rest_term[place], mass, weight_term);
            } else {
                group.relax_any::<F>(*ends, sticks, place, constants.inverse_h2);
            }
        }
    }
}

/// Where the constants of a register of copies are in a column.
#[derive(Clone, Copy)]
struct ConstantsAt {
    by_copy: bool,
    place: usize,
    lane: usize,
}

impl ConstantsAt {
    /// A number a lane. (A method, because a closure cannot be `#[inline(always)]`, which lets it
    /// use its caller's target features.)
    #[inline(always)]
    fn of<V: Vector>(self, cpu: V::Cpu, column: &[f32]) -> V {
        if self.by_copy {
            let numbers = &column[self.place * GROUP + self.lane..][..V::LANES];
            // SAFETY: a slice of as many numbers as there are lanes.
            unsafe { V::load(cpu, numbers.as_ptr()) }
        } else {
            V::splat(cpu, column[self.place])
        }
    }
}

/// The particles of a group.
struct GroupOfCopies<V: Vector, const D: usize> {
    cpu: V::Cpu,
    position: [*mut f32; D],
    masses: *const f32,
    /// How many of the lanes are processed: all that have a copy.
    lanes: usize,
}

impl<V: Vector, const D: usize> GroupOfCopies<V, D> {
    /// Relaxes a plain stick between particles of one inverse mass, in all copies.
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
                let [place_a, place_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(place_a), self.load(place_b));
                let d: [V; D] = core::array::from_fn(|axis| b[axis] - a[axis]);
                let g = factor::<F, V>(squared_length(d), rest_term, weight_term, None);
                let gain = mass * g;
                let (mut new_a, mut new_b) = (a, b);
                for axis in 0..D {
                    [new_a[axis], new_b[axis]] = displaced([a[axis], b[axis]], d[axis], [gain; 2]);
                }
                self.store(place_a, new_a);
                self.store(place_b, new_b);
            }
        }
    }

    /// Relaxes any stick, in all copies.
    ///
    /// # Safety
    /// - As for [`relax_equal`](Self::relax_equal); the masses likewise, for reading.
    /// - The columns of `sticks` have numbers at `place`.
    #[inline(always)]
    unsafe fn relax_any<F: Factor>(
        &self,
        ends: [u32; 2],
        sticks: &StickColumns,
        place: usize,
        inverse_h2: f32,
    ) {
        let StickColumns { by_copy, rest_term, special, compliant } = sticks;
        let inverse_h2 = V::splat(self.cpu, inverse_h2);
        for lane in (0..self.lanes).step_by(V::LANES) {
            let constants_at = ConstantsAt { by_copy: *by_copy, place, lane };
            let rest_term = constants_at.of(self.cpu, rest_term);
            // SAFETY: by contract: `lane + LANES <= GROUP`.
            unsafe {
                let [place_a, place_b] = [ends[0] as usize + lane, ends[1] as usize + lane];
                let (a, b) = (self.load(place_a), self.load(place_b));
                let masses = [
                    V::load(self.cpu, self.masses.add(place_a)),
                    V::load(self.cpu, self.masses.add(place_b)),
                ];
                let mut weight = masses[0] + masses[1];
                let mut response = None;
                if let Some([compliance, stretched, compressed]) = special {
                    if *compliant {
                        let compliance = constants_at.of(self.cpu, compliance);
                        weight = taut_core::weight(masses, compliance, inverse_h2);
                    }
                    let (stretched, compressed) = (
                        constants_at.of(self.cpu, stretched),
                        constants_at.of(self.cpu, compressed),
                    );
                    response = Some(Response { stretched, compressed });
                }
                let weight_term = F::weight_term(weight);
                let (new_a, new_b) =
                    relax::<F, V, D>(a, b, masses, rest_term, weight_term, response);
                self.store(place_a, new_a);
                self.store(place_b, new_b);
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
