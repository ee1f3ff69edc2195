//! Loads and stores the records of the ends of sticks.

use taut_core::arrays;

use crate::record::Half;
use crate::vector::Vector;

/// Loads the records at the indices, as rows (see [`Vector::gather_rows`]).
///
/// # Safety
/// - `indices` is valid for reading one index per lane of `V`.
/// - `records` is valid for reading a whole record at each of these indices, which count halves.
#[inline(always)]
pub(crate) unsafe fn load_indexed<V: Vector>(
    cpu: V::Cpu,
    records: *const Half,
    indices: *const u32,
) -> [V; 4] {
    // SAFETY: `lane` is below `LANES`, and the indices are valid, by contract.
    unsafe { V::gather_rows(cpu, |lane| records.add(*indices.add(lane) as usize).cast()) }
}

/// Stores rows to the records at the indices.
///
/// # Safety
/// - Same as [`load_indexed`], for writing.
#[inline(always)]
pub(crate) unsafe fn store_indexed<V: Vector>(
    rows: [V; 4],
    records: *mut Half,
    indices: *const u32,
) {
    // SAFETY: as above.
    unsafe { V::scatter_rows(rows, |lane| records.add(*indices.add(lane) as usize).cast()) }
}

/// Loads and stores the records of a register's ends, given the indices of both ends in each lane.
/// (It is a trait, because a closure cannot be `#[inline(always)]`, and one that is not inlined is
/// compiled without the target features of its caller.)
pub(crate) trait Ends {
    /// Whether each register with an even index shares no particle with the register after it.
    const TWO_ARE_INDEPENDENT: bool = false;

    /// The records of the first ends and of the second ones, as rows.
    ///
    /// # Safety
    /// - Both `indices` are valid for reading one index per lane of `V`.
    /// - `records` is valid for reading a whole record at each of these indices, which count halves.
    /// - The ends are laid out as the documentation of the implementing type says.
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        indices: [*const u32; 2],
    ) -> [[V; 4]; 2];

    /// Stores the records of both ends.
    ///
    /// # Safety
    /// - Same as [`load`](Self::load), for writing.
    unsafe fn store<V: Vector>(
        &self,
        ends: [[V; 4]; 2],
        records: *mut Half,
        indices: [*const u32; 2],
    );
}

/// The ends are any particles: `Access::Scattered`, or, if `TWO`, `Access::TwoScattered`.
pub(crate) struct Scattered<const TWO: bool>;
/// The first ends are consecutive particles, and so are the second ends: `Access::Runs`.
pub(crate) struct Runs;
/// All ends are consecutive particles, in the order `a`, `b`, `a`, `b`, ... (`Access::Pairs`)
/// or, if `INTERLEAVED`, in the order `a`, `a`, `b`, `b`, ... (`Access::InterleavedPairs`).
pub(crate) struct Pairs<const INTERLEAVED: bool>;

impl<const TWO: bool> Ends for Scattered<TWO> {
    const TWO_ARE_INDEPENDENT: bool = TWO;

    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        [a, b]: [*const u32; 2],
    ) -> [[V; 4]; 2] {
        // SAFETY: the same contract.
        unsafe { [load_indexed(cpu, records, a), load_indexed(cpu, records, b)] }
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &self,
        [ends_a, ends_b]: [[V; 4]; 2],
        records: *mut Half,
        [a, b]: [*const u32; 2],
    ) {
        // SAFETY: the same contract.
        unsafe {
            store_indexed(ends_a, records, a);
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
    ) -> [[V; 4]; 2] {
        // SAFETY: by contract, the ends of each side are as many consecutive records as there are
        // lanes, from the first index on.
        let load_consecutive = |first: *const u32| unsafe {
            let address = records.add(*first as usize).cast::<f32>();
            arrays::from_fn(|row| V::load(cpu, address.add(row * V::LANES)))
        };
        [load_consecutive(indices[0]), load_consecutive(indices[1])]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &self,
        ends: [[V; 4]; 2],
        records: *mut Half,
        indices: [*const u32; 2],
    ) {
        for (rows, first) in ends.into_iter().zip(indices) {
            // SAFETY: as above.
            unsafe {
                let address = records.add(*first as usize).cast::<f32>();
                for (index, row) in rows.into_iter().enumerate() {
                    row.store(address.add(index * V::LANES));
                }
            }
        }
    }
}

impl<const INTERLEAVED: bool> Ends for Pairs<INTERLEAVED> {
    #[inline(always)]
    unsafe fn load<V: Vector>(
        &self,
        cpu: V::Cpu,
        records: *const Half,
        [first, _]: [*const u32; 2],
    ) -> [[V; 4]; 2] {
        let [mut a, mut b] = [[V::splat(cpu, 0.0); 4]; 2];
        for row in 0..4 {
            // SAFETY: by contract, the ends are twice as many consecutive records as there are
            // lanes, from the first index on.
            [a[row], b[row]] = unsafe {
                let address = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                let (first, second) = (V::load(cpu, address), V::load(cpu, address.add(V::LANES)));
                if INTERLEAVED {
                    V::deinterleave_pairs(first, second)
                } else {
                    V::deinterleave_records(first, second)
                }
            };
        }
        [a, b]
    }

    #[inline(always)]
    unsafe fn store<V: Vector>(
        &self,
        [a, b]: [[V; 4]; 2],
        records: *mut Half,
        [first, _]: [*const u32; 2],
    ) {
        for row in 0..4 {
            // SAFETY: as above.
            unsafe {
                let address = records.add(*first as usize).cast::<f32>().add(2 * row * V::LANES);
                // Interleaving pairs is its own inverse.
                let [first, second] = if INTERLEAVED {
                    V::deinterleave_pairs(a[row], b[row])
                } else {
                    V::interleave_records(a[row], b[row])
                };
                first.store(address);
                second.store(address.add(V::LANES));
            }
        }
    }
}
