// A register that is an array, and a machine with such registers: the reference for the registers
// of the instruction sets. (Doctests include this file, too.)

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

use taut_core::{Duplicates, Family, Formula, Kernel, Lane, Particles, Plan, Sheet, Step, Sticks};
use taut_lanes::{Machine, Operation, Vector};

/// A register of `N` lanes, 1 or a multiple of 4: each lane is computed separately, as an `f32`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<const N: usize>(pub(crate) [f32; N]);

impl<const N: usize> Array<N> {
    fn zip_with(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl<const N: usize> Add for Array<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Array<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for Array<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a * b)
    }
}

impl<const N: usize> Div for Array<N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a / b)
    }
}

impl<const N: usize> Lane for Array<N> {
    type Mask = [bool; N];

    fn constant(self, value: f64) -> Self {
        Self([value as f32; N])
    }
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    fn reciprocal_sqrt_seed(self) -> Self {
        Self(self.0.map(f32::reciprocal_sqrt_seed))
    }
    fn at_least(self, other: Self) -> [bool; N] {
        from_fn(|lane| self.0[lane] >= other.0[lane])
    }
    fn above(self, other: Self) -> [bool; N] {
        from_fn(|lane| self.0[lane] > other.0[lane])
    }
    fn select(mask: [bool; N], yes: Self, no: Self) -> Self {
        Self(from_fn(|lane| if mask[lane] { yes.0[lane] } else { no.0[lane] }))
    }
}

/// The index of the row of `Vector::gather_rows` that holds a field of a lane's record, and the
/// index of the field in that row.
fn row_and_index(lanes: usize, lane: usize, field: usize) -> [usize; 2] {
    if lanes == 1 { [field, 0] } else { [lane % 4, lane / 4 * 4 + field] }
}

// SAFETY: `load` and `store` access exactly `N` values, and the methods for rows access four values
// at the address of each lane below `N`, as arrays of `f32`. (Kernels check at compile time that
// `N` divides the padding of columns.)
unsafe impl<const N: usize> Vector for Array<N> {
    type Cpu = ();
    const LANES: usize = N;

    fn splat((): (), value: f32) -> Self {
        Self([value; N])
    }
    unsafe fn load((): (), from: *const f32) -> Self {
        // SAFETY: valid for reading `N` values, by contract.
        Self(unsafe { from.cast::<[f32; N]>().read() })
    }
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: valid for writing `N` values, by contract.
        unsafe { to.cast::<[f32; N]>().write(self.0) }
    }
    unsafe fn gather_rows((): (), address: impl Fn(usize) -> *const [f32; 4]) -> [Self; 4] {
        let mut rows = [Self([0.0; N]); 4];
        for lane in 0..N {
            // SAFETY: valid for reading four values, by contract.
            for (field, value) in unsafe { address(lane).read() }.into_iter().enumerate() {
                let [row, index] = row_and_index(N, lane, field);
                rows[row].0[index] = value;
            }
        }
        rows
    }
    unsafe fn scatter_rows(rows: [Self; 4], address: impl Fn(usize) -> *mut [f32; 4]) {
        for lane in 0..N {
            let record = from_fn(|field| {
                let [row, index] = row_and_index(N, lane, field);
                rows[row].0[index]
            });
            // SAFETY: valid for writing four values, by contract.
            unsafe { address(lane).write(record) }
        }
    }
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        from_fn(|field| {
            Self(from_fn(|lane| {
                let [row, index] = row_and_index(N, lane, field);
                rows[row].0[index]
            }))
        })
    }
    fn deinterleave_records(first: Self, second: Self) -> [Self; 2] {
        alternate(1, first, second)
    }
    fn interleave_records(even: Self, odd: Self) -> [Self; 2] {
        let both = [even.0, odd.0];
        // Value `i` is in record `r = i / 4` of the result, which is record `r / 2` of `even` or `odd`.
        let value = |i: usize| if N == 1 { both[i][0] } else { both[i / 4 % 2][i / 8 * 4 + i % 4] };
        [Self(from_fn(&value)), Self(from_fn(|i| value(N + i)))]
    }
    fn deinterleave_pairs(first: Self, second: Self) -> [Self; 2] {
        if N < 16 { [first, second] } else { alternate(2, first, second) }
    }
    fn successors(self, next: Self) -> Self {
        Self(from_fn(|lane| if lane + 1 < N { self.0[lane + 1] } else { next.0[0] }))
    }
    fn predecessors(self, previous: Self) -> Self {
        Self(from_fn(|lane| if lane > 0 { self.0[lane - 1] } else { previous.0[N - 1] }))
    }
}

/// Distributes the records of two registers alternately to two registers, `count` at a time.
fn alternate<const N: usize>(count: usize, first: Array<N>, second: Array<N>) -> [Array<N>; 2] {
    if N == 1 {
        return [first, second];
    }
    let all: Vec<f32> = first.0.into_iter().chain(second.0).collect();
    from_fn(|register| {
        let mut records = all.chunks(4 * count).skip(register).step_by(2).flatten();
        Array(from_fn(|_| *records.next().expect("each register gets half of the records")))
    })
}

/// The machine whose registers are arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayMachine<const N: usize>;

impl<const N: usize> Machine for ArrayMachine<N> {
    fn name(self) -> &'static str {
        "array"
    }
    fn isa(self) -> &'static str {
        "scalar"
    }
    fn lanes(self) -> usize {
        N
    }
    fn run(self, operation: impl Operation) {
        operation.run::<Array<N>>(());
    }
}

/// Steps a sheet of 40 x 9 particles three times and returns the bits of the positions.
#[allow(dead_code, reason = "not every file that includes this one uses it")]
pub(crate) fn step_a_sheet(kernel: &impl Kernel<3>) -> Vec<[u32; 3]> {
    let points: Vec<[f32; 3]> =
        (0..360).map(|i| [0.1 * (i % 40) as f32, -0.1 * (i / 40) as f32, 0.0]).collect();
    let inverse_masses: Vec<f32> = (0..360).map(|i| f32::from(i >= 40)).collect();
    let mut cloth = Particles::new(&points, &inverse_masses).unwrap();
    let sheet = Sheet::new(40, 9, Family::BEND);
    let sticks = Sticks::joining(&cloth, &sheet.pairs(), Duplicates::Keep).unwrap();
    let schedule = sheet.schedule(&sticks).unwrap();
    let mut plan = kernel.plan(&cloth, &sticks, &schedule, Formula::Halley).unwrap();
    for _ in 0..3 {
        assert!(plan.step(&mut cloth, &sticks, &Step::default()).unwrap().finite);
    }
    (0..360).map(|i| cloth.position(i).map(f32::to_bits)).collect()
}
