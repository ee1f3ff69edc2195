//! The inner loop of the indexed kernels.
//!
//! A register of plain sticks is relaxed in *rows*, the memory order of the records: only the
//! differences of the ends are transposed, to compute their lengths, and the factors are spread
//! back to rows. That takes 11 shuffles if all ends have the same inverse mass, as in nearly every
//! register; transposing both ends to columns and back takes 32. Consecutive particles are loaded
//! and stored as whole registers, without indices.

use core::marker::PhantomData;

use taut_core::{
    Factor, PACKET_STICKS, Response, STAR_STICKS, arrays, displaced, factor, relax, squared_length,
    weight,
};
use taut_program::{Access, Slots, TWO_AT_ONCE_LANES};

use crate::ends::{Ends, Pairs, Runs, Scattered, load_indexed, store_indexed};
use crate::record::{Half, Record};
use crate::vector::Vector;

/// Relaxes the sticks of slots, one register at a time, or two at once where the layout allows it.
///
/// # Safety
/// - `records` is valid for reading and writing at every index in `slots`. An index counts half
///   records.
/// - No other code accesses those records meanwhile.
/// - The slots are a whole number of registers of `V`. The sticks of a register are independent,
///   except that a register may repeat its last stick: all ends of a register are read before any
///   is written.
/// - The ends are laid out as `slots.access` says.
#[inline(always)]
pub(crate) unsafe fn relax_slots<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Record,
    inverse_h2: f32,
) {
    let records = records.cast::<Half>();
    // SAFETY: the same contract.
    unsafe {
        // `inverse_mass` is `Some` only if all sticks are plain. The arms with `None` and with
        // `Some` are separate, so that the compiler specializes the loops for each.
        match (slots.inverse_mass, slots.access) {
            (None, _) if slots.non_plain.is_some() || !V::LANES.is_multiple_of(4) => {
                relax_columns::<V, F, D>(cpu, slots, records, inverse_h2);
            }
            (None, Access::Stars) => relax_stars::<V, F, D>(cpu, slots, records, None),
            (None, Access::TwoScattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, None, &Scattered::<true>);
            }
            (None, _) => relax_rows::<V, F, D, _>(cpu, slots, records, None, &Scattered::<false>),
            (Some(w), Access::Scattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(w), &Scattered::<false>);
            }
            (Some(w), Access::TwoScattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(w), &Scattered::<true>);
            }
            (Some(w), Access::Runs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(w), &Runs);
            }
            (Some(w), Access::Pairs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(w), &Pairs::<false>);
            }
            (Some(w), Access::InterleavedPairs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(w), &Pairs::<true>);
            }
            (Some(w), Access::Stars) => relax_stars::<V, F, D>(cpu, slots, records, Some(w)),
        }
    }
}

/// Relaxes packets of stars: [`STAR_STICKS`] batches of [`PACKET_STICKS`] sticks, one after the
/// other, in which the sticks at the same index form a star. All ends have the inverse mass
/// `inverse_mass` if it is `Some`. A register of centres is loaded and stored once for all its
/// sticks: the stars of a packet share no particle.
///
/// # Safety
/// - Same as [`relax_slots`]; the slots are whole packets of [`Access::Stars`].
#[inline(always)]
unsafe fn relax_stars<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    inverse_mass: Option<f32>,
) {
    let sticks = PlainSticks::<V, F>::new(cpu, &slots, inverse_mass);
    let packets = (0..sticks.len).step_by(STAR_STICKS * PACKET_STICKS);
    // SAFETY: packets begin at these slots, by contract.
    unsafe {
        if V::LANES >= TWO_AT_ONCE_LANES {
            for packet in packets {
                relax_two_star_registers::<V, F, D>(cpu, &sticks, records, packet);
            }
        } else {
            let mut centres = Centres([[V::splat(cpu, 0.0); 4]; CENTRE_REGISTERS]);
            for packet in packets {
                relax_buffered_stars::<V, F, D>(cpu, &sticks, records, packet, &mut centres);
            }
        }
    }
}

/// Relaxes the packet of stars that begins at slot `packet`, two registers of stars at a time. The
/// centres of these stars stay in registers.
///
/// # Safety
/// - Same as [`relax_stars`]; a packet begins at slot `packet`.
#[inline(always)]
unsafe fn relax_two_star_registers<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    sticks: &PlainSticks<'_, V, F>,
    records: *mut Half,
    packet: usize,
) {
    const { assert!(PACKET_STICKS.is_multiple_of(2 * V::LANES)) };
    for first in (packet..packet + PACKET_STICKS).step_by(2 * V::LANES) {
        let second = first + V::LANES;
        // SAFETY: the lanes of two registers divide the packet, so all registers are within the
        // slots; indices are valid by contract.
        unsafe {
            let mut centres_1 = load_indexed::<V>(cpu, records, sticks.a.add(first));
            let mut centres_2 = load_indexed::<V>(cpu, records, sticks.a.add(second));
            for batch in 0..STAR_STICKS {
                let slot_1 = first + batch * PACKET_STICKS;
                let slot_2 = slot_1 + V::LANES;
                let old_1 = [centres_1, load_indexed(cpu, records, sticks.b.add(slot_1))];
                let gains_1 = sticks.gains::<D>(cpu, slot_1, old_1);
                let old_2 = [centres_2, load_indexed(cpu, records, sticks.b.add(slot_2))];
                let gains_2 = sticks.gains::<D>(cpu, slot_2, old_2);
                let new_1 = sticks.displace::<D>(old_1, gains_1);
                centres_1 = new_1[0];
                store_indexed(new_1[1], records, sticks.b.add(slot_1));
                let new_2 = sticks.displace::<D>(old_2, gains_2);
                centres_2 = new_2[0];
                store_indexed(new_2[1], records, sticks.b.add(slot_2));
            }
            store_indexed(centres_1, records, sticks.a.add(first));
            store_indexed(centres_2, records, sticks.a.add(second));
        }
    }
}

/// The maximum number of registers of centres of a packet.
const CENTRE_REGISTERS: usize = 16;

/// The records of the centres of a packet, in rows.
#[repr(align(64))]
struct Centres<V>([[V; 4]; CENTRE_REGISTERS]);

/// Relaxes the packet of stars that begins at slot `packet`, batch by batch and one register after
/// the other. All centres stay in a buffer, which fits the L1 cache. (Relaxing all sticks of one
/// register of centres first would make each register of sticks wait for the one before it.)
///
/// # Safety
/// - Same as [`relax_stars`]; a packet begins at slot `packet`.
#[inline(always)]
unsafe fn relax_buffered_stars<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    sticks: &PlainSticks<'_, V, F>,
    records: *mut Half,
    packet: usize,
    centres: &mut Centres<V>,
) {
    const { assert!(PACKET_STICKS.is_multiple_of(V::LANES)) };
    // Stars are laid out for at least four lanes.
    const { assert!(PACKET_STICKS / V::LANES <= CENTRE_REGISTERS || V::LANES < 4) };
    let centres = &mut centres.0[..PACKET_STICKS / V::LANES];
    // SAFETY: the lanes divide the packet, so all registers are within the slots; indices are valid
    // by contract.
    unsafe {
        for (index, register) in centres.iter_mut().enumerate() {
            *register = load_indexed::<V>(cpu, records, sticks.a.add(packet + index * V::LANES));
        }
        for batch in 0..STAR_STICKS {
            for (index, register) in centres.iter_mut().enumerate() {
                let slot = packet + batch * PACKET_STICKS + index * V::LANES;
                let old = [*register, load_indexed(cpu, records, sticks.b.add(slot))];
                let gains = sticks.gains::<D>(cpu, slot, old);
                let new = sticks.displace::<D>(old, gains);
                *register = new[0];
                store_indexed(new[1], records, sticks.b.add(slot));
            }
        }
        for (index, register) in centres.iter().enumerate() {
            store_indexed(*register, records, sticks.a.add(packet + index * V::LANES));
        }
    }
}

/// Relaxes plain sticks; all ends have the inverse mass `inverse_mass` if it is `Some`.
///
/// # Safety
/// - Same as [`relax_slots`]; the ends are laid out as the type of `ends` says.
#[inline(always)]
unsafe fn relax_rows<V: Vector, F: Factor, const D: usize, E: Ends>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    inverse_mass: Option<f32>,
    ends: &E,
) {
    let sticks = PlainSticks::<V, F>::new(cpu, &slots, inverse_mass);
    let mut slot = 0;
    // SAFETY: `slot + LANES <= len`, or `slot + 2 * LANES <= len`, which all columns have; the rest
    // by contract.
    unsafe {
        if V::LANES >= TWO_AT_ONCE_LANES && E::TWO_ARE_INDEPENDENT {
            while slot + 2 * V::LANES <= sticks.len {
                let indices_1 = sticks.indices(slot);
                let ends_1 = ends.load::<V>(cpu, records, indices_1);
                let gains_1 = sticks.gains::<D>(cpu, slot, ends_1);
                let indices_2 = sticks.indices(slot + V::LANES);
                let ends_2 = ends.load::<V>(cpu, records, indices_2);
                let gains_2 = sticks.gains::<D>(cpu, slot + V::LANES, ends_2);
                ends.store(sticks.displace::<D>(ends_1, gains_1), records, indices_1);
                ends.store(sticks.displace::<D>(ends_2, gains_2), records, indices_2);
                slot += 2 * V::LANES;
            }
        }
        while slot < sticks.len {
            let indices = sticks.indices(slot);
            let old = ends.load::<V>(cpu, records, indices);
            let gains = sticks.gains::<D>(cpu, slot, old);
            ends.store(sticks.displace::<D>(old, gains), records, indices);
            slot += V::LANES;
        }
    }
}

/// The columns of plain sticks, and the values that are the same for all of them.
struct PlainSticks<'a, V, F> {
    /// The indices of the records of the first ends, counted in half records.
    a: *const u32,
    /// The same for the second ends.
    b: *const u32,
    /// The formula's rest term of each stick.
    rest_term: *const f32,
    /// Empty unless the formula stores the weight term.
    stored_weight_term: &'a [f32],
    /// The inverse mass of all ends, if it is known to be the same.
    inverse_mass: Option<V>,
    /// The weight term of all sticks; `Some` if `inverse_mass` is.
    weight_term: Option<V>,
    /// The number of slots.
    len: usize,
    formula: PhantomData<F>,
}

impl<'a, V: Vector, F: Factor> PlainSticks<'a, V, F> {
    #[inline(always)]
    fn new(cpu: V::Cpu, slots: &Slots<'a, f32>, inverse_mass: Option<f32>) -> Self {
        let len = slots.a.len() / V::LANES * V::LANES;
        let (a, b, rest_term) = (&slots.a[..len], &slots.b[..len], &slots.rest_term[..len]);
        let stored_weight_term = if F::STORES_WEIGHT { &slots.weight_term[..len] } else { &[] };
        let inverse_mass = inverse_mass.map(|w| V::splat(cpu, w));
        let weight_term = match inverse_mass {
            // The guard is a constant. Without this arm, the compiler would hoist the division of
            // `F::weight_term` out of a branch that is not taken.
            Some(_) if F::STORES_WEIGHT => {
                Some(V::splat(cpu, stored_weight_term.first().copied().unwrap_or_default()))
            }
            Some(w) => Some(F::weight_term(w + w)),
            None => None,
        };
        Self {
            a: a.as_ptr(),
            b: b.as_ptr(),
            rest_term: rest_term.as_ptr(),
            stored_weight_term,
            inverse_mass,
            weight_term,
            len,
            formula: PhantomData,
        }
    }

    /// The addresses of the indices of the first and of the second ends, from a slot on.
    ///
    /// # Safety
    /// - `slot` is below `len`.
    #[inline(always)]
    unsafe fn indices(&self, slot: usize) -> [*const u32; 2] {
        // SAFETY: within the columns, by contract.
        unsafe { [self.a.add(slot), self.b.add(slot)] }
    }

    /// The gains (factor times inverse mass) of both ends of the register of sticks that begins at
    /// `slot`; the records of the ends are `old_a` and `old_b`.
    ///
    /// # Safety
    /// - `slot + LANES <= len`.
    #[inline(always)]
    unsafe fn gains<const D: usize>(
        &self,
        cpu: V::Cpu,
        slot: usize,
        [old_a, old_b]: [[V; 4]; 2],
    ) -> [V; 2] {
        // SAFETY: within the columns, by contract.
        let rest_term = unsafe { V::load(cpu, self.rest_term.add(slot)) };
        let by_axis = V::transpose(arrays::from_fn(|row| old_b[row] - old_a[row]));
        let l2 = squared_length::<V, D>(arrays::from_fn(|axis| by_axis[axis]));
        let inverse_masses = match self.inverse_mass {
            Some(w) => [w; 2],
            None => [V::transpose(old_a)[D], V::transpose(old_b)[D]],
        };
        let weight_term = match self.weight_term {
            Some(weight_term) => weight_term,
            // SAFETY: as above.
            None if F::STORES_WEIGHT => unsafe {
                V::load(cpu, self.stored_weight_term.as_ptr().add(slot))
            },
            None => F::weight_term(inverse_masses[0] + inverse_masses[1]),
        };
        let factor =
            factor::<F, V>(l2, rest_term, weight_term, None).compute_before_memory_access();
        [inverse_masses[0] * factor, inverse_masses[1] * factor]
    }

    /// Displaces the rows of both ends by the difference of the ends times these gains.
    #[inline(always)]
    fn displace<const D: usize>(&self, [old_a, old_b]: [[V; 4]; 2], gains: [V; 2]) -> [[V; 4]; 2] {
        // The inverse mass in a record does not change: either the gain of its field is 0, or the
        // difference of the two inverse masses is 0 (they are equal) and the gain is not infinite.
        // (If the gain is NaN, the inverse mass may become NaN, and the positions do: the simulation
        // has blown up.)
        let gains_a = if self.inverse_mass.is_some() && !F::MAY_BE_INFINITE {
            gains[0].spread_with_any_fourth()
        } else {
            gains[0].spread::<D>()
        };
        let gains_b = if self.inverse_mass.is_some() { gains_a } else { gains[1].spread::<D>() };
        let (mut new_a, mut new_b) = (old_a, old_b);
        for row in 0..4 {
            [new_a[row], new_b[row]] = displaced(
                [old_a[row], old_b[row]],
                old_b[row] - old_a[row],
                [gains_a[row], gains_b[row]],
            );
        }
        [new_a, new_b]
    }
}

/// Relaxes sticks that may be torn or not plain, with the records transposed to columns.
///
/// # Safety
/// - Same as [`relax_slots`].
#[inline(always)]
unsafe fn relax_columns<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    inverse_h2: f32,
) {
    let len = slots.a.len() / V::LANES * V::LANES;
    let (a, b) = (&slots.a[..len], &slots.b[..len]);
    let rest_terms = &slots.rest_term[..len];
    let stored_weight_terms = F::STORES_WEIGHT.then(|| &slots.weight_term[..len]);
    let non_plain = slots.non_plain.map(|non_plain| {
        let columns = [non_plain.stretched, non_plain.compressed, non_plain.compliance];
        arrays::map(columns, |column| &column[..len])
    });
    let mut slot = 0;
    while slot < len {
        // SAFETY: `slot + LANES <= len`, and every column was cut to `len` above.
        let load = |column: &[f32]| unsafe { V::load(cpu, column.as_ptr().add(slot)) };
        // SAFETY: the same, and indices are valid for reading by contract.
        let (indices, [rows_a, rows_b]) = unsafe {
            let indices = [a.as_ptr().add(slot), b.as_ptr().add(slot)];
            let [a, b] = indices;
            (indices, [load_indexed::<V>(cpu, records, a), load_indexed::<V>(cpu, records, b)])
        };
        let (mut ends_a, mut ends_b) = (V::transpose(rows_a), V::transpose(rows_b));
        let inverse_masses = [ends_a[D], ends_b[D]];
        let non_plain = non_plain.map(|columns| arrays::map(columns, load));
        let weight_term = match stored_weight_terms {
            Some(weight_terms) => load(weight_terms),
            None => F::weight_term(match non_plain {
                Some([_, _, compliance]) => {
                    weight(inverse_masses, compliance, V::splat(cpu, inverse_h2))
                }
                None => inverse_masses[0] + inverse_masses[1],
            }),
        };
        let (new_a, new_b) = relax::<F, V, D>(
            arrays::from_fn(|axis| ends_a[axis]),
            arrays::from_fn(|axis| ends_b[axis]),
            inverse_masses,
            load(rest_terms),
            weight_term,
            non_plain.map(|[stretched, compressed, _]| Response { stretched, compressed }),
        );
        ends_a[..D].copy_from_slice(&new_a);
        ends_b[..D].copy_from_slice(&new_b);
        // SAFETY: valid for writing by contract.
        unsafe {
            store_indexed(V::transpose(ends_a), records, indices[0]);
            store_indexed(V::transpose(ends_b), records, indices[1]);
        }
        slot += V::LANES;
    }
}
