//! Register types: memory access and shuffles, in addition to the arithmetic of [`Lane`].

use taut_core::{Lane, arrays};

/// A register of `f32` lanes.
///
/// To add an instruction set, implement this and [`Lane`], and use it in a
/// [`Machine`](crate::Machine).
///
/// # Safety
/// Unsafe code relies on these methods and on [`LANES`](Self::LANES). An implementation guarantees:
/// - `LANES` is 1, 4, 8 or 16. (When a kernel is compiled, it checks that `LANES` divides
///   [`PADDING`](taut_core::PADDING), which is 16.)
/// - [`load`](Self::load) reads, and [`store`](Self::store) writes, exactly `LANES` consecutive
///   values from the address on.
/// - [`gather_rows`](Self::gather_rows), [`scatter_rows`](Self::scatter_rows),
///   [`gather`](Self::gather) and [`scatter`](Self::scatter) call `address` with lanes below
///   `LANES` only, and read or write exactly four values at each address that it returns.
/// - None of them needs an address to be aligned more than an `f32` is.
///
/// The values of the lanes may be arbitrary: no address is computed from them.
///
/// Kernels accept registers of up to 16 lanes (the tests' `Array<N>` has `N` lanes):
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lanes/array.rs"));
/// # fn main() {
/// step_a_sheet(&taut_lanes::IndexedKernel::on(ArrayMachine::<16>));
/// # }
/// ```
///
/// and do not compile with wider ones:
///
/// ```compile_fail
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lanes/array.rs"));
/// # fn main() {
/// step_a_sheet(&taut_lanes::IndexedKernel::on(ArrayMachine::<32>));
/// # }
/// ```
pub unsafe trait Vector: Lane {
    /// A value of this type proves that the CPU supports the instructions.
    type Cpu: Copy + Send + Sync + 'static;

    /// The number of lanes.
    const LANES: usize;

    /// `value` in every lane.
    fn splat(cpu: Self::Cpu, value: f32) -> Self;

    /// Reads [`LANES`](Self::LANES) consecutive values.
    ///
    /// # Safety
    /// - `from` is valid for reading that many `f32`.
    unsafe fn load(cpu: Self::Cpu, from: *const f32) -> Self;

    /// Writes [`LANES`](Self::LANES) consecutive values.
    ///
    /// # Safety
    /// - `to` is valid for writing that many `f32`.
    unsafe fn store(self, to: *mut f32);

    /// Reads four values per lane: a [`Record`](crate::Record), or four neighbours in a column.
    /// Returns them in memory order, as *rows*. A row consists of *quarters* of four values
    /// (four in a register of 16 lanes, two in one of 8): quarter `i` of row `q`, its values `4 i` to
    /// `4 i + 3`, belongs to lane `q + 4 i`. (With one lane, row `q` is value `q`.)
    ///
    /// # Safety
    /// - `address(lane)` is valid for reading four `f32`, for each lane below
    ///   [`LANES`](Self::LANES); with the alignment of an `f32`.
    unsafe fn gather_rows(cpu: Self::Cpu, address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4];

    /// Writes four values per lane, from rows as [`gather_rows`](Self::gather_rows) returns them.
    /// Where two lanes overlap in memory, either value may remain.
    ///
    /// # Safety
    /// - `address(lane)` is valid for writing four `f32`, for each lane below
    ///   [`LANES`](Self::LANES); with the alignment of an `f32`.
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]);

    /// Transposes rows to columns, one register for each field of a record, or back.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// Spreads one value per lane to rows: in quarter `i` of row `q`, the first `D` fields get the
    /// value of lane `q + 4 i`, and the other fields get 0. `D` is 2 or 3.
    #[inline(always)]
    fn spread<const D: usize>(self) -> [Self; 4] {
        let zero = self.constant(0.0);
        Self::transpose(arrays::from_fn(|field| if field < D { self } else { zero }))
    }

    /// Like [`spread`](Self::spread) with `D` = 3, but the fourth field may get the value of any
    /// lane or 0.
    #[inline(always)]
    fn spread_with_any_fourth(self) -> [Self; 4] {
        Self::transpose([self; 4])
    }

    /// The same value, computed before any access to memory that follows in the program. (Otherwise
    /// the compiler moves a division down to the first use of its result, after stores that the CPU
    /// could execute during the division.)
    #[inline(always)]
    fn compute_before_memory_access(self) -> Self {
        self
    }

    /// Separates the records of two rows, `first` and then `second`, into those with even and those
    /// with odd index.
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2];

    /// The inverse of [`deinterleave_records`](Self::deinterleave_records).
    fn interleave_records(even: Self, odd: Self) -> [Self; 2];

    /// Separates the pairs of records of two rows into those with even and those with odd index.
    /// This function is its own inverse. (The default is for rows of at most one pair.)
    #[inline(always)]
    fn deinterleave_pairs(first: Self, second: Self) -> [Self; 2] {
        [first, second]
    }

    /// [`gather_rows`](Self::gather_rows), as columns.
    ///
    /// # Safety
    /// - Same as for [`gather_rows`](Self::gather_rows).
    #[inline(always)]
    unsafe fn gather(cpu: Self::Cpu, address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: the same contract.
        Self::transpose(unsafe { Self::gather_rows(cpu, address) })
    }

    /// [`scatter_rows`](Self::scatter_rows), from columns.
    ///
    /// # Safety
    /// - Same as for [`scatter_rows`](Self::scatter_rows).
    #[inline(always)]
    unsafe fn scatter(columns: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        // SAFETY: the same contract.
        unsafe { Self::scatter_rows(Self::transpose(columns), address) }
    }

    /// Shifts by one lane: all lanes but the first, then the first of `next`.
    fn successors(self, next: Self) -> Self;

    /// Shifts back by one lane: the last lane of `previous`, then all lanes but the last.
    fn predecessors(self, previous: Self) -> Self;
}

/// One lane, for CPUs without SIMD and as the reference in tests.
// SAFETY: one lane, which divides everything; the methods read and write one value, or four at
// the address of lane 0, and need no more alignment than an `f32` has.
unsafe impl Vector for f32 {
    type Cpu = ();
    const LANES: usize = 1;

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        value
    }
    #[inline(always)]
    unsafe fn load((): (), from: *const f32) -> Self {
        // SAFETY: valid for reading one value, by contract.
        unsafe { from.read() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: valid for writing one value, by contract.
        unsafe { to.write(self) }
    }
    #[inline(always)]
    unsafe fn gather_rows((): (), address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        // SAFETY: valid for reading four values, by contract.
        unsafe { address(0).read() }
    }
    #[inline(always)]
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        // SAFETY: valid for writing four values, by contract.
        unsafe { address(0).write(rows) }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        rows
    }
    /// A row holds only one value of a record, so there is nothing to separate.
    #[inline(always)]
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        [first, second]
    }
    #[inline(always)]
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        [even, odd]
    }
    #[inline(always)]
    fn successors(self, next: Self) -> Self {
        next
    }
    #[inline(always)]
    fn predecessors(self, previous: Self) -> Self {
        previous
    }
}
