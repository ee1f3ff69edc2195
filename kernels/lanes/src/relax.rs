//! The inner loop of the indexed kernels.
//!
//! A register of sticks whose ends all have the same inverse mass (nearly every register) is
//! relaxed in *rows*, the memory order of the records: only the differences are transposed, for
//! their lengths, and the factors are spread back. That takes 11 shuffles; columns take 32. Runs of
//! consecutive particles are loaded and stored as whole registers, without indices.

use core::marker::PhantomData;

use taut_core::{
    Factor, PACKET_STICKS, Response, STAR_STICKS, displaced, factor, relax, squared_length, weight,
};
use taut_program::{Access, Slots, TWO_AT_ONCE_LANES};

use crate::ends::{Ends, OneRun, Runs, Scattered, load_indexed, store_indexed};
use crate::record::{Half, Record};
use crate::vector::Vector;

/// Relaxes slots, one register at a time.
///
/// # Safety
/// - `records` is valid for reading and writing at every index in `slots`, in units of half
///   records,
/// - no other code accesses those records meanwhile,
/// - the slots are a whole number of registers of `V`, each of independent sticks or repeats
///   of one (a register reads all its ends before it writes any), and their ends are laid out as
///   `slots.access` says.
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
        match (slots.inverse_mass, slots.access) {
            (None, _) if slots.non_plain.is_some() || !V::LANES.is_multiple_of(4) => {
                relax_columns::<V, F, D>(cpu, slots, records, inverse_h2);
            }
            (None, Access::Stars) => relax_stars::<V, F, D>(cpu, slots, records, None),
            (None, Access::TwoScattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, None, &Scattered::<true>);
            }
            (None, _) => relax_rows::<V, F, D, _>(cpu, slots, records, None, &Scattered::<false>),
            (Some(mass), Access::Scattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(mass), &Scattered::<false>);
            }
            (Some(mass), Access::TwoScattered) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(mass), &Scattered::<true>);
            }
            (Some(mass), Access::Runs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(mass), &Runs);
            }
            (Some(mass), Access::Pairs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(mass), &OneRun::<false>);
            }
            (Some(mass), Access::InterleavedPairs) => {
                relax_rows::<V, F, D, _>(cpu, slots, records, Some(mass), &OneRun::<true>);
            }
            (Some(mass), Access::Stars) => relax_stars::<V, F, D>(cpu, slots, records, Some(mass)),
        }
    }
}

/// Relaxes packets of stars, whose ends all have the inverse mass `mass` if it is given. A register of
/// centres is loaded and stored once for all its sticks: the stars of a packet share no particle.
///
/// # Safety
/// - As [`relax_slots`]; the slots are whole packets of [`Access::Stars`].
#[inline(always)]
unsafe fn relax_stars<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    mass: Option<f32>,
) {
    const PACKET: usize = STAR_STICKS * PACKET_STICKS;
    #[repr(align(64))]
    struct Aligned<T>(T);
    /// The most registers of centres of a packet.
    const REGISTERS: usize = 16;
    const { assert!(PACKET_STICKS.is_multiple_of(V::LANES)) };
    const { assert!(PACKET_STICKS / V::LANES <= REGISTERS || V::LANES < 4) };
    let sticks = PlainSticks::<V, F>::new(cpu, &slots, mass);
    let two_at_once = V::LANES >= TWO_AT_ONCE_LANES && PACKET_STICKS.is_multiple_of(2 * V::LANES);
    let mut all_centres = Aligned([[V::splat(cpu, 0.0); 4]; REGISTERS]);
    for packet in (0..sticks.len / PACKET).map(|packet| packet * PACKET) {
        // SAFETY: the lanes divide the packet, so all registers are within the slots; indices are
        // valid by contract.
        unsafe {
            if two_at_once {
                // The centres stay in registers.
                for first in (packet..packet + PACKET_STICKS).step_by(2 * V::LANES) {
                    let second = first + V::LANES;
                    let mut centres_1 = load_indexed::<V>(cpu, records, sticks.a.add(first));
                    let mut centres_2 = load_indexed::<V>(cpu, records, sticks.a.add(second));
                    for rank in 0..STAR_STICKS {
                        let slot = first + rank * PACKET_STICKS;
                        let b_1 = load_indexed::<V>(cpu, records, sticks.b.add(slot));
                        let gains_1 = sticks.gains::<D>(cpu, slot, [centres_1, b_1]);
                        let b_2 = load_indexed::<V>(cpu, records, sticks.b.add(slot + V::LANES));
                        let gains_2 = sticks.gains::<D>(cpu, slot + V::LANES, [centres_2, b_2]);
                        let moved_1 = sticks.moved::<D>([centres_1, b_1], gains_1);
                        centres_1 = moved_1[0];
                        store_indexed(moved_1[1], records, sticks.b.add(slot));
                        let moved_2 = sticks.moved::<D>([centres_2, b_2], gains_2);
                        centres_2 = moved_2[0];
                        store_indexed(moved_2[1], records, sticks.b.add(slot + V::LANES));
                    }
                    store_indexed(centres_1, records, sticks.a.add(first));
                    store_indexed(centres_2, records, sticks.a.add(second));
                }
                continue;
            }
            // The centres stay in the first-level cache, so that many sticks are independent.
            let centres = &mut all_centres.0[..PACKET_STICKS / V::LANES];
            for (index, centres) in centres.iter_mut().enumerate() {
                let slot = packet + index * V::LANES;
                *centres = load_indexed::<V>(cpu, records, sticks.a.add(slot));
            }
            for rank in 0..STAR_STICKS {
                for (index, centres) in centres.iter_mut().enumerate() {
                    let slot = packet + rank * PACKET_STICKS + index * V::LANES;
                    let old = [*centres, load_indexed::<V>(cpu, records, sticks.b.add(slot))];
                    let gains = sticks.gains::<D>(cpu, slot, old);
                    let moved = sticks.moved::<D>(old, gains);
                    *centres = moved[0];
                    store_indexed(moved[1], records, sticks.b.add(slot));
                }
            }
            for (index, centres) in centres.iter().enumerate() {
                let slot = packet + index * V::LANES;
                store_indexed(*centres, records, sticks.a.add(slot));
            }
        }
    }
}

/// Relaxes plain sticks, whose ends all have the inverse mass `mass` if it is given.
///
/// # Safety
/// - As [`relax_slots`]; the ends are laid out as the type of `ends` says.
#[inline(always)]
unsafe fn relax_rows<V: Vector, F: Factor, const D: usize, E: Ends>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    mass: Option<f32>,
    ends: &E,
) {
    let sticks = PlainSticks::<V, F>::new(cpu, &slots, mass);
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
                ends.store(sticks.moved::<D>(ends_1, gains_1), records, indices_1);
                ends.store(sticks.moved::<D>(ends_2, gains_2), records, indices_2);
                slot += 2 * V::LANES;
            }
        }
        while slot < sticks.len {
            let indices = sticks.indices(slot);
            let old = ends.load::<V>(cpu, records, indices);
            let gains = sticks.gains::<D>(cpu, slot, old);
            ends.store(sticks.moved::<D>(old, gains), records, indices);
            slot += V::LANES;
        }
    }
}

/// The columns of plain sticks, and what is the same for all of them.
struct PlainSticks<'a, V, F> {
    a: *const u32,
    b: *const u32,
    rest_term: *const f32,
    /// Empty unless the formula stores the weight term.
    stored_weight_term: &'a [f32],
    /// The inverse mass of all ends, if it is the same.
    mass: Option<V>,
    /// The weight term for `mass`.
    weight_term: Option<V>,
    len: usize,
    formula: PhantomData<F>,
}

impl<'a, V: Vector, F: Factor> PlainSticks<'a, V, F> {
    #[inline(always)]
    fn new(cpu: V::Cpu, slots: &Slots<'a, f32>, mass: Option<f32>) -> Self {
        let len = slots.a.len() / V::LANES * V::LANES;
        let (a, b, rest_term) = (&slots.a[..len], &slots.b[..len], &slots.rest_term[..len]);
        let stored_weight_term = if F::STORES_WEIGHT { &slots.weight_term[..len] } else { &[] };
        let mass = mass.map(|mass| V::splat(cpu, mass));
        let weight_term = match mass {
            // A branch on the constant, because otherwise the compiler hoists a division that is
            // not used.
            Some(_) if F::STORES_WEIGHT => {
                Some(V::splat(cpu, stored_weight_term.first().copied().unwrap_or_default()))
            }
            Some(mass) => Some(F::weight_term(mass + mass)),
            None => None,
        };
        Self {
            a: a.as_ptr(),
            b: b.as_ptr(),
            rest_term: rest_term.as_ptr(),
            stored_weight_term,
            mass,
            weight_term,
            len,
            formula: PhantomData,
        }
    }

    /// # Safety
    /// - `slot` is below `len`.
    #[inline(always)]
    unsafe fn indices(&self, slot: usize) -> [*const u32; 2] {
        // SAFETY: within the columns, by contract.
        unsafe { [self.a.add(slot), self.b.add(slot)] }
    }

    /// The gains of both ends of the register of sticks from `slot` on, whose ends are these rows.
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
        let by_axis = V::transpose(core::array::from_fn(|row| old_b[row] - old_a[row]));
        let l2 = squared_length::<V, D>(core::array::from_fn(|axis| by_axis[axis]));
        let masses = match self.mass {
            Some(mass) => [mass; 2],
            None => [V::transpose(old_a)[D], V::transpose(old_b)[D]],
        };
        let weight_term = match self.weight_term {
            Some(weight_term) => weight_term,
            // SAFETY: as above.
            None if F::STORES_WEIGHT => unsafe {
                V::load(cpu, self.stored_weight_term.as_ptr().add(slot))
            },
            None => F::weight_term(masses[0] + masses[1]),
        };
        let factor = factor::<F, V>(l2, rest_term, weight_term, None).in_order();
        [masses[0] * factor, masses[1] * factor]
    }

    /// The rows of both ends, displaced by these gains.
    #[inline(always)]
    fn moved<const D: usize>(&self, [old_a, old_b]: [[V; 4]; 2], gains: [V; 2]) -> [[V; 4]; 2] {
        // Inverse masses do not change: their difference is 0 if all are equal, else their gain is.
        let (gains_a, gains_b) = if self.mass.is_some() {
            let rows = gains[0].repeat();
            (rows, rows)
        } else {
            (gains[0].spread::<D>(), gains[1].spread::<D>())
        };
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

/// Relaxes any sticks.
///
/// # Safety
/// - As [`relax_slots`].
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
    let stored = F::STORES_WEIGHT.then(|| &slots.weight_term[..len]);
    let non_plain = slots.non_plain.map(|non_plain| {
        [non_plain.stretched, non_plain.compressed, non_plain.compliance]
            .map(|column| &column[..len])
    });
    let mut slot = 0;
    while slot < len {
        // SAFETY: `slot + LANES <= len`, and every column was cut to `len` above.
        let column = |column: &[f32]| unsafe { V::load(cpu, column.as_ptr().add(slot)) };
        // SAFETY: the same, and indices are valid for reading by contract.
        let (indices, [rows_a, rows_b]) = unsafe {
            let indices = [a.as_ptr().add(slot), b.as_ptr().add(slot)];
            let [a, b] = indices;
            (indices, [load_indexed::<V>(cpu, records, a), load_indexed::<V>(cpu, records, b)])
        };
        let (mut ends_a, mut ends_b) = (V::transpose(rows_a), V::transpose(rows_b));
        let masses = [ends_a[D], ends_b[D]];
        let non_plain = non_plain.map(|columns| columns.map(&column));
        let weight_term = match stored {
            Some(stored) => column(stored),
            None => F::weight_term(match non_plain {
                Some([_, _, compliance]) => weight(masses, compliance, V::splat(cpu, inverse_h2)),
                None => masses[0] + masses[1],
            }),
        };
        let (new_a, new_b) = relax::<F, V, D>(
            core::array::from_fn(|axis| ends_a[axis]),
            core::array::from_fn(|axis| ends_b[axis]),
            masses,
            column(rest_terms),
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
