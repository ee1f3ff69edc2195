//! The inner loop of the indexed kernels.
//!
//! A register of sticks whose ends all have the same inverse mass (nearly every register) is
//! relaxed in *rows*, the memory order of the records: only the differences are transposed, for
//! their lengths, and the factors are spread back. That takes 11 shuffles; columns take 32. Runs of
//! consecutive particles are loaded and stored as whole registers, without indices.

use taut_core::{
    Factor, PACKET_STICKS, Response, STAR_STICKS, displaced, factor, relax, squared_length, weight,
};
use taut_program::{Access, Slots};

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
            (None, _) => relax_columns::<V, F, D>(cpu, slots, records, inverse_h2),
            (Some(mass), Access::Scattered) => {
                relax_rows::<V, F, D>(cpu, slots, records, mass, &mut Scattered);
            }
            (Some(mass), Access::Runs) => {
                relax_rows::<V, F, D>(cpu, slots, records, mass, &mut Runs);
            }
            (Some(mass), Access::Pairs) => {
                relax_rows::<V, F, D>(cpu, slots, records, mass, &mut OneRun::<false>);
            }
            (Some(mass), Access::InterleavedPairs) => {
                relax_rows::<V, F, D>(cpu, slots, records, mass, &mut OneRun::<true>);
            }
            (Some(mass), Access::Stars) => relax_stars::<V, F, D>(cpu, slots, records, mass),
        }
    }
}

/// Relaxes packets of stars whose ends all have one inverse mass. Keeps the centres of a packet in
/// a local buffer until all its sticks are relaxed.
///
/// # Safety
/// - As [`relax_slots`]; the slots are whole packets of [`Access::Stars`].
#[inline(always)]
unsafe fn relax_stars<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    mass: f32,
) {
    const PACKET: usize = STAR_STICKS * PACKET_STICKS;
    const { assert!(PACKET_STICKS.is_multiple_of(V::LANES)) };
    let mut centres = Centres([Record::default(); PACKET_STICKS]);
    for (packet, a) in slots.a.chunks_exact(PACKET).enumerate() {
        let range = packet * PACKET..(packet + 1) * PACKET;
        let (b, rest_term) = (&slots.b[range.clone()], &slots.rest_term[range]);
        for first in (0..PACKET_STICKS).step_by(V::LANES) {
            // SAFETY: the lanes divide the packet, and indices are valid by contract.
            unsafe {
                centres.store_rows(load_indexed::<V>(cpu, records, a[first..].as_ptr()), first);
            };
        }
        // SAFETY: by contract; no centre is a second end.
        unsafe {
            relax_rows::<V, F, D>(
                cpu,
                Slots { a, b, rest_term, ..slots },
                records,
                mass,
                &mut centres,
            );
        }
        for first in (0..PACKET_STICKS).step_by(V::LANES) {
            // SAFETY: as above.
            unsafe {
                store_indexed(centres.load_rows::<V>(cpu, first), records, a[first..].as_ptr());
            };
        }
    }
}

/// Relaxes plain sticks whose ends all have one inverse mass.
///
/// # Safety
/// - As [`relax_slots`]; the ends are laid out as the type of `ends` says.
#[inline(always)]
unsafe fn relax_rows<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    mass: f32,
    ends: &mut impl Ends,
) {
    let len = slots.a.len() / V::LANES * V::LANES;
    let (a, b) = (&slots.a[..len], &slots.b[..len]);
    let rest_terms = &slots.rest_term[..len];
    let mass = V::splat(cpu, mass);
    // A branch on the constant, because otherwise the compiler hoists a division that is not used.
    let weight_term = if F::STORES_WEIGHT {
        V::splat(cpu, slots.weight_term.first().copied().unwrap_or_default())
    } else {
        F::weight_term(mass + mass)
    };
    let mut slot = 0;
    while slot < len {
        // SAFETY: `slot + LANES <= len`, which all columns have; the rest by contract.
        unsafe {
            let indices = [a.as_ptr().add(slot), b.as_ptr().add(slot)];
            let [old_a, old_b] = ends.load::<V>(cpu, records, indices, slot);
            let rest_term = V::load(cpu, rest_terms.as_ptr().add(slot));
            let d: [V; 4] = core::array::from_fn(|row| old_b[row] - old_a[row]);
            let by_axis = V::transpose(d);
            let l2 = squared_length::<V, D>(core::array::from_fn(|axis| by_axis[axis]));
            let gain = mass * factor::<F, V>(l2, rest_term, weight_term, None);
            // The gain of the inverse masses is 0, so they do not change.
            let gains = gain.spread::<D>();
            let (mut new_a, mut new_b) = (old_a, old_b);
            for row in 0..4 {
                [new_a[row], new_b[row]] =
                    displaced([old_a[row], old_b[row]], d[row], [gains[row]; 2]);
            }
            ends.store([new_a, new_b], records, indices, slot);
        }
        slot += V::LANES;
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

/// Loads the records at the indices, in rows.
///
/// # Safety
/// - `indices` is valid for reading one index per lane of `V`,
/// - `records` is valid for reading at each of them.
#[inline(always)]
unsafe fn load_indexed<V: Vector>(
    cpu: V::Cpu,
    records: *const Half,
    indices: *const u32,
) -> [V; 4] {
    // SAFETY: `lane` is below the lanes, and the indices are valid, by contract.
    unsafe { V::gather_rows(cpu, |lane| records.add(*indices.add(lane) as usize).cast()) }
}

/// Stores rows in the records at the indices.
///
/// # Safety
/// - As [`load_indexed`], for writing.
#[inline(always)]
unsafe fn store_indexed<V: Vector>(rows: [V; 4], records: *mut Half, indices: *const u32) {
    // SAFETY: as above.
    unsafe { V::scatter_rows(rows, |lane| records.add(*indices.add(lane) as usize).cast()) }
}

/// Loads and stores the records of a register's ends, given the indices of both ends in each lane.
/// (A trait, because a closure cannot be `#[inline(always)]`, and would be compiled without the
/// target features of its caller.)
trait Ends {
    /// The records of the first ends and of the second ones, in rows.
    ///
    /// # Safety
    /// - Both `indices` are valid for reading one index per lane of `V`,
    /// - `records` is valid for reading at each of them,
    /// - and they are laid out as the type says, where `slot` is that of the first lane.
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        indices: [*const u32; 2],
        slot: usize,
    ) -> [[V; 4]; 2];

    /// Stores the records of both.
    ///
    /// # Safety
    /// - As [`load`](Self::load), for writing.
    unsafe fn store<V: Vector>(
        &mut self,
        ends: [[V; 4]; 2],
        records: *mut Half,
        indices: [*const u32; 2],
        slot: usize,
    );
}

/// [`Access::Scattered`].
struct Scattered;
/// [`Access::Runs`].
struct Runs;
/// [`Access::Pairs`], or [`Access::InterleavedPairs`].
struct OneRun<const INTERLEAVED: bool>;
/// The centres of a packet of [`Access::Stars`]: stick `slot` belongs to star `slot` modulo
/// [`PACKET_STICKS`]. Stored and loaded as whole registers, for store forwarding.
#[repr(align(64))]
struct Centres([Record; PACKET_STICKS]);

impl Centres {
    /// # Safety
    /// - The lanes divide `slot`.
    #[inline(always)]
    unsafe fn load_rows<V: Vector>(&self, cpu: V::Cpu, slot: usize) -> [V; 4] {
        const { assert!(PACKET_STICKS.is_multiple_of(V::LANES)) };
        // A pointer to all records: one to a single record would not be valid for its neighbours.
        let records = self.0.as_ptr();
        core::array::from_fn(|row| {
            // SAFETY: the lanes divide `slot` and the packet, so as many records as there are
            // lanes follow there.
            unsafe {
                let first = records.add(slot % PACKET_STICKS).cast::<f32>();
                V::load(cpu, first.add(row * V::LANES))
            }
        })
    }

    /// # Safety
    /// - As [`load_rows`](Self::load_rows).
    #[inline(always)]
    unsafe fn store_rows<V: Vector>(&mut self, rows: [V; 4], slot: usize) {
        const { assert!(PACKET_STICKS.is_multiple_of(V::LANES)) };
        let records = self.0.as_mut_ptr();
        for (at, row) in rows.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                let first = records.add(slot % PACKET_STICKS).cast::<f32>();
                row.store(first.add(at * V::LANES));
            }
        }
    }
}

impl Ends for Scattered {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        [a, b]: [*const u32; 2],
        _slot: usize,
    ) -> [[V; 4]; 2] {
        // SAFETY: the same contract.
        unsafe { [load_indexed(cpu, records, a), load_indexed(cpu, records, b)] }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &mut self,
        [ends_a, ends_b]: [[V; 4]; 2],
        records: *mut Half,
        [a, b]: [*const u32; 2],
        _slot: usize,
    ) {
        // SAFETY: the same contract.
        unsafe {
            store_indexed(ends_a, records, a);
            store_indexed(ends_b, records, b);
        }
    }
}

impl Ends for Centres {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        [_, b]: [*const u32; 2],
        slot: usize,
    ) -> [[V; 4]; 2] {
        // SAFETY: the same contract; packets of stars are only laid out for lanes that divide
        // them.
        unsafe { [self.load_rows(cpu, slot), load_indexed(cpu, records, b)] }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &mut self,
        [ends_a, ends_b]: [[V; 4]; 2],
        records: *mut Half,
        [_, b]: [*const u32; 2],
        slot: usize,
    ) {
        // SAFETY: as above.
        unsafe {
            self.store_rows(ends_a, slot);
            store_indexed(ends_b, records, b);
        }
    }
}

impl Ends for Runs {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        indices: [*const u32; 2],
        _slot: usize,
    ) -> [[V; 4]; 2] {
        // SAFETY: each run is as many records as there are lanes, from the first index on.
        let run = |first: *const u32| unsafe {
            let first = records.add(*first as usize).cast::<f32>();
            core::array::from_fn(|row| V::load(cpu, first.add(row * V::LANES)))
        };
        [run(indices[0]), run(indices[1])]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &mut self,
        ends: [[V; 4]; 2],
        records: *mut Half,
        indices: [*const u32; 2],
        _slot: usize,
    ) {
        for (rows, first) in ends.into_iter().zip(indices) {
            // SAFETY: as above.
            unsafe {
                let first = records.add(*first as usize).cast::<f32>();
                for (at, row) in rows.into_iter().enumerate() {
                    row.store(first.add(at * V::LANES));
                }
            }
        }
    }
}

impl<const INTERLEAVED: bool> Ends for OneRun<INTERLEAVED> {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        [first, _]: [*const u32; 2],
        _slot: usize,
    ) -> [[V; 4]; 2] {
        let [mut a, mut b] = [[V::splat(cpu, 0.0); 4]; 2];
        for row in 0..4 {
            // SAFETY: the run is twice as many records as there are lanes, from the first index on.
            [a[row], b[row]] = unsafe {
                let at = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                let (first, second) = (V::load(cpu, at), V::load(cpu, at.add(V::LANES)));
                if INTERLEAVED { V::unzip_pairs(first, second) } else { V::unzip(first, second) }
            };
        }
        [a, b]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &mut self,
        [a, b]: [[V; 4]; 2],
        records: *mut Half,
        [first, _]: [*const u32; 2],
        _slot: usize,
    ) {
        for row in 0..4 {
            // SAFETY: as above.
            unsafe {
                let at = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                let [first, second] = if INTERLEAVED {
                    V::unzip_pairs(a[row], b[row])
                } else {
                    V::zip(a[row], b[row])
                };
                first.store(at);
                second.store(at.add(V::LANES));
            }
        }
    }
}
