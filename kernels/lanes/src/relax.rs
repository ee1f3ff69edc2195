//! The inner loop of the indexed kernels: the only gather in the workspace.
//!
//! A register of sticks whose ends all have the same inverse mass, which is nearly every one, is
//! relaxed in *rows*, as the records lie in memory: only the differences are transposed, for
//! their lengths, and the factors are spread back. That is 11 shuffles where columns need 32. Ends that are
//! runs of consecutive particles are whole loads and stores besides, and name nothing.

use taut_core::{
    Access, Factor, Response, Slots, displaced, factor, relax, squared_length, weight,
};

use crate::record::{Half, Record};
use crate::vector::Vector;

/// Relaxes slots, a register at a time.
///
/// # Safety
/// - `records` is valid for reading and writing at every name in `slots`, which count
///   [`HALVES`](crate::record::HALVES),
/// - nobody else uses those records meanwhile,
/// - the slots are a whole number of registers of `V`, each of independent sticks or repeats
///   of one (a register reads all its ends before it writes any), and their ends lie as
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
            (None, _) => in_columns::<V, F, D>(cpu, slots, records, inverse_h2),
            (Some(mass), Access::Scattered) => {
                in_rows::<V, F, Scattered, D>(cpu, slots, records, mass);
            }
            (Some(mass), Access::Runs) => in_rows::<V, F, Runs, D>(cpu, slots, records, mass),
            (Some(mass), Access::Pairs) => {
                in_rows::<V, F, OneRun<false>, D>(cpu, slots, records, mass);
            }
            (Some(mass), Access::Twos) => {
                in_rows::<V, F, OneRun<true>, D>(cpu, slots, records, mass);
            }
        }
    }
}

/// Plain sticks whose ends all have one inverse mass.
///
/// # Safety
/// - As [`relax_slots`]; the ends lie as `E` says.
#[inline(always)]
unsafe fn in_rows<V: Vector, F: Factor, E: Ends, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    mass: f32,
) {
    let len = slots.a.len() / V::LANES * V::LANES;
    let (a, b) = (&slots.a[..len], &slots.b[..len]);
    let rest_terms = &slots.rest_term[..len];
    let mass = V::splat(cpu, mass);
    let weight_term = match slots.weight_term.first() {
        Some(&stored) => V::splat(cpu, stored),
        None => F::weight_term(mass + mass),
    };
    let mut slot = 0;
    while slot < len {
        // SAFETY: `slot + LANES <= len`, which all columns have; the rest by contract.
        unsafe {
            let names = [a.as_ptr().add(slot), b.as_ptr().add(slot)];
            let [old_a, old_b] = E::load::<V>(cpu, records, names);
            let rest_term = V::load(cpu, rest_terms.as_ptr().add(slot));
            let d: [V; 4] = core::array::from_fn(|row| old_b[row] - old_a[row]);
            let along = V::transpose(d);
            let l2 = squared_length::<V, D>(core::array::from_fn(|axis| along[axis]));
            let gain = mass * factor::<F, V>(l2, rest_term, weight_term, None);
            // None for the inverse masses: they stay.
            let gains = gain.spread::<D>();
            let (mut new_a, mut new_b) = (old_a, old_b);
            for row in 0..4 {
                [new_a[row], new_b[row]] =
                    displaced([old_a[row], old_b[row]], d[row], [gains[row]; 2]);
            }
            E::store([new_a, new_b], records, names);
        }
        slot += V::LANES;
    }
}

/// Any sticks.
///
/// # Safety
/// - As [`relax_slots`].
#[inline(always)]
unsafe fn in_columns<V: Vector, F: Factor, const D: usize>(
    cpu: V::Cpu,
    slots: Slots<'_, f32>,
    records: *mut Half,
    inverse_h2: f32,
) {
    let len = slots.a.len() / V::LANES * V::LANES;
    let (a, b) = (&slots.a[..len], &slots.b[..len]);
    let rest_terms = &slots.rest_term[..len];
    let stored = F::STORES_WEIGHT.then(|| &slots.weight_term[..len]);
    let special = slots.special.map(|special| {
        [special.pull, special.push, special.compliance].map(|column| &column[..len])
    });
    let mut slot = 0;
    while slot < len {
        // SAFETY: `slot + LANES <= len`, and every column was cut to `len` above.
        let column = |column: &[f32]| unsafe { V::load(cpu, column.as_ptr().add(slot)) };
        // SAFETY: the same, and names are valid for reading by contract.
        let (names, [rows_a, rows_b]) = unsafe {
            let names = [a.as_ptr().add(slot), b.as_ptr().add(slot)];
            (names, Scattered::load::<V>(cpu, records, names))
        };
        let (mut ends_a, mut ends_b) = (V::transpose(rows_a), V::transpose(rows_b));
        let masses = [ends_a[D], ends_b[D]];
        let special = special.map(|columns| columns.map(&column));
        let weight_term = match stored {
            Some(stored) => column(stored),
            None => F::weight_term(match special {
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
            special.map(|[pull, push, _]| Response { pull, push }),
        );
        ends_a[..D].copy_from_slice(&new_a);
        ends_b[..D].copy_from_slice(&new_b);
        // SAFETY: valid for writing by contract.
        unsafe { Scattered::store([V::transpose(ends_a), V::transpose(ends_b)], records, names) };
        slot += V::LANES;
    }
}

/// How the records of a register's ends are reached, by the names of both ends in each lane.
/// (A trait, not a closure: only a method can be told to take on its caller's target features.)
trait Ends {
    /// The records of the first ends and of the second ones, in rows.
    ///
    /// # Safety
    /// - Both `names` are valid for reading as many as `V` has lanes,
    /// - `records` is valid for reading at each of them,
    /// - and they lie as the type says.
    unsafe fn load<V: Vector>(
        cpu: V::Cpu,
        records: *const Half,
        names: [*const u32; 2],
    ) -> [[V; 4]; 2];

    /// Puts them back.
    ///
    /// # Safety
    /// - As [`load`](Self::load), for writing.
    unsafe fn store<V: Vector>(ends: [[V; 4]; 2], records: *mut Half, names: [*const u32; 2]);
}

/// [`Access::Scattered`].
struct Scattered;
/// [`Access::Runs`].
struct Runs;
/// [`Access::Pairs`], or [`Access::Twos`].
struct OneRun<const TWOS: bool>;

impl Ends for Scattered {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        cpu: V::Cpu,
        records: *const Half,
        [a, b]: [*const u32; 2],
    ) -> [[V; 4]; 2] {
        // SAFETY: `lane` is below the lanes, and the names are valid, by contract.
        unsafe {
            let (at_a, at_b) = (
                |lane: usize| records.add(*a.add(lane) as usize).cast::<[f32; 4]>(),
                |lane: usize| records.add(*b.add(lane) as usize).cast::<[f32; 4]>(),
            );
            [V::gather_rows(cpu, at_a), V::gather_rows(cpu, at_b)]
        }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        [ends_a, ends_b]: [[V; 4]; 2],
        records: *mut Half,
        [a, b]: [*const u32; 2],
    ) {
        // SAFETY: as above.
        unsafe {
            let (at_a, at_b) = (
                |lane: usize| records.add(*a.add(lane) as usize).cast::<[f32; 4]>(),
                |lane: usize| records.add(*b.add(lane) as usize).cast::<[f32; 4]>(),
            );
            V::scatter_rows(ends_a, at_a);
            V::scatter_rows(ends_b, at_b);
        }
    }
}

impl Ends for Runs {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        cpu: V::Cpu,
        records: *const Half,
        names: [*const u32; 2],
    ) -> [[V; 4]; 2] {
        // SAFETY: each run is as many records as there are lanes, from the first name on.
        let run = |first: *const u32| unsafe {
            let first = records.add(*first as usize).cast::<f32>();
            core::array::from_fn(|row| V::load(cpu, first.add(row * V::LANES)))
        };
        [run(names[0]), run(names[1])]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(ends: [[V; 4]; 2], records: *mut Half, names: [*const u32; 2]) {
        for (rows, first) in ends.into_iter().zip(names) {
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

impl<const TWOS: bool> Ends for OneRun<TWOS> {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        cpu: V::Cpu,
        records: *const Half,
        [first, _]: [*const u32; 2],
    ) -> [[V; 4]; 2] {
        let [mut a, mut b] = [[V::splat(cpu, 0.0); 4]; 2];
        for row in 0..4 {
            // SAFETY: the run is twice as many records as there are lanes, from the first name on.
            [a[row], b[row]] = unsafe {
                let at = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                let (first, second) = (V::load(cpu, at), V::load(cpu, at.add(V::LANES)));
                if TWOS { V::unzip_pairs(first, second) } else { V::unzip(first, second) }
            };
        }
        [a, b]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        [a, b]: [[V; 4]; 2],
        records: *mut Half,
        [first, _]: [*const u32; 2],
    ) {
        for row in 0..4 {
            // SAFETY: as above.
            unsafe {
                let at = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                let [first, second] =
                    if TWOS { V::unzip_pairs(a[row], b[row]) } else { V::zip(a[row], b[row]) };
                first.store(at);
                second.store(at.add(V::LANES));
            }
        }
    }
}
