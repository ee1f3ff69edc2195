//! Every operation of every register type gives the same bits as scalar operations. (Not compared
//! here: `Vector::spread_with_any_fourth`, whose fourth field may differ between register types, and
//! `Vector::compute_before_memory_access`.)

use taut_lanes::{Operation, Vector, Wide8};

use crate::array::Array;
use crate::masks;

/// The names of the instruction sets that are chosen at run time and that this machine has.
fn detected_isas() -> Vec<&'static str> {
    let mut all = Vec::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2") && has!("fma") && has!("bmi2");
        let other_avx512 =
            has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
        if avx2 && has!("avx512f") && other_avx512 {
            all.push("avx512");
        }
        if avx2 {
            all.push("avx2");
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        all.push("neon");
    }
    all
}

#[test]
fn every_operation_of_every_instruction_set_gives_the_bits_of_scalar_operations() {
    compare::<f32>("one lane", ());
    compare::<Wide8>("wide", ());
    masks::compare(pulp::Scalar::new());
    let mut compared = Vec::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let Some(simd) = pulp::x86::V4::try_new() {
            taut_lanes::pulp::run(simd, Compare("avx512", &mut compared));
            masks::compare(simd);
        }
        if let Some(simd) = pulp::x86::V3::try_new() {
            taut_lanes::pulp::run(simd, Compare("avx2", &mut compared));
            masks::compare(simd);
        }
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(simd) = pulp::aarch64::Neon::try_new() {
        taut_lanes::pulp::run(simd, Compare("neon", &mut compared));
        masks::compare(simd);
    }
    assert_eq!(compared, detected_isas(), "instruction sets compared, and those of this machine");
}

/// Compares the registers of an instruction set, then adds its name to the list.
struct Compare<'a>(&'static str, &'a mut Vec<&'static str>);

impl Operation for Compare<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        compare::<V>(self.0, cpu);
        self.1.push(self.0);
    }
}

/// Compares the results of a register type with those of an array of as many lanes.
#[inline(always)]
fn compare<V: Vector>(name: &str, cpu: V::Cpu) {
    let expected = match V::LANES {
        1 => results::<Array<1>>(()),
        4 => results::<Array<4>>(()),
        8 => results::<Array<8>>(()),
        16 => results::<Array<16>>(()),
        lanes => panic!("{name}: no reference for {lanes} lanes"),
    };
    let found = results::<V>(cpu);
    assert_eq!(found.len(), expected.len(), "{name}: number of results");
    for (found, expected) in found.into_iter().zip(expected) {
        assert_eq!(
            found, expected,
            "{name}: (operation, index of the operands, bits of the lanes)"
        );
    }
}

/// An operation, the index of its operands, and the bits of its result.
type Outcome = (&'static str, usize, Vec<u32>);

/// Zeros, subnormals, the ends of the range, infinities, NaNs (quiet and signalling), and values
/// whose results are rounded. The count is odd, so that in a repetition of the list each value
/// occurs in every lane.
fn test_values() -> Vec<f32> {
    let mut bits = vec![
        0x0000_0000,
        0x0000_0001,
        0x0000_ffff,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x1a2b_3c4d,
        0x3380_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fc0_0000,
        0x4049_0fdb,
        0x4b80_0001,
        0x5f60_0720,
        0x7f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
    ];
    bits.extend(bits.clone().iter().map(|positive| positive | 0x8000_0000));
    // Pseudo-random bits: x ← 1664525 x + 1013904223 (Numerical Recipes).
    let mut x = 1_u32;
    bits.extend((0..21).map(|_| {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        x
    }));
    assert!(bits.len() % 2 == 1);
    bits.into_iter().map(f32::from_bits).collect()
}

/// The results of all operations with registers of `V`.
#[inline(always)]
fn results<V: Vector>(cpu: V::Cpu) -> Vec<Outcome> {
    let mut all = Vec::new();
    arithmetic::<V>(cpu, &mut all);
    constants::<V>(cpu, &mut all);
    shuffles::<V>(cpu, &mut all);
    memory::<V>(cpu, &mut all);
    records::<V>(cpu, &mut all);
    all
}

fn load<V: Vector>(cpu: V::Cpu, values: &[f32]) -> V {
    assert!(values.len() >= V::LANES);
    // SAFETY: at least as many values as lanes, as asserted.
    unsafe { V::load(cpu, values.as_ptr()) }
}

fn lanes<V: Vector>(register: V) -> Vec<f32> {
    let mut lanes = vec![0.0; V::LANES];
    // SAFETY: as many values as lanes.
    unsafe { register.store(lanes.as_mut_ptr()) };
    lanes
}

/// The bits of all lanes.
fn bits<V: Vector>(registers: impl IntoIterator<Item = V>) -> Vec<u32> {
    registers.into_iter().flat_map(lanes).map(f32::to_bits).collect()
}

/// The bits of all lanes, with one value for all NaNs: which NaN an operation returns is not
/// specified.
fn canonical_bits<V: Vector>(register: V) -> Vec<u32> {
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    lanes(register).into_iter().map(bits).collect()
}

/// Arithmetic on every pair of test values.
#[inline(always)]
fn arithmetic<V: Vector>(cpu: V::Cpu, all: &mut Vec<Outcome>) {
    let values = test_values();
    let pairs = values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b)));
    let (mut first, mut second): (Vec<f32>, Vec<f32>) = pairs.unzip();
    first.resize(first.len().next_multiple_of(16), 1.0);
    second.resize(first.len(), 1.0);
    for (index, (a, b)) in first.chunks(V::LANES).zip(second.chunks(V::LANES)).enumerate() {
        let (a, b): (V, V) = (load(cpu, a), load(cpu, b));
        all.push(("add", index, canonical_bits(a + b)));
        all.push(("sub", index, canonical_bits(a - b)));
        all.push(("mul", index, canonical_bits(a * b)));
        all.push(("div", index, canonical_bits(a / b)));
        all.push(("sqrt", index, canonical_bits(a.sqrt())));
        all.push(("reciprocal_sqrt_seed", index, bits([a.reciprocal_sqrt_seed()])));
        all.push(("select by above", index, bits([V::select(a.above(b), a, b)])));
        all.push(("select by at_least", index, bits([V::select(a.at_least(b), b, a)])));
    }
}

#[inline(always)]
fn constants<V: Vector>(cpu: V::Cpu, all: &mut Vec<Outcome>) {
    for (index, x) in test_values().into_iter().enumerate() {
        all.push(("splat", index, bits([V::splat(cpu, x)])));
    }
    let doubles =
        [0.0, -0.0, 0.1, 1.0 + 1e-9, 1e-40, 1e-50, 1e39, f64::MAX, -f64::INFINITY, f64::NAN];
    for (index, x) in doubles.into_iter().enumerate() {
        all.push(("constant", index, canonical_bits(V::splat(cpu, 7.0).constant(x))));
    }
}

/// Shuffles, with every test value in every lane.
#[inline(always)]
fn shuffles<V: Vector>(cpu: V::Cpu, all: &mut Vec<Outcome>) {
    let values = test_values();
    for begin in 0..values.len() {
        let rotated: Vec<f32> = values.iter().cycle().skip(begin).take(64).copied().collect();
        let rows: [V; 4] = core::array::from_fn(|row| load(cpu, &rotated[row * V::LANES..]));
        let [a, b, ..] = rows;
        all.push(("successors", begin, bits([a.successors(b)])));
        all.push(("predecessors", begin, bits([a.predecessors(b)])));
        all.push(("transpose", begin, bits(V::transpose(rows))));
        assert_eq!(bits(V::transpose(V::transpose(rows))), bits(rows), "transposed twice");
        all.push(("spread<2>", begin, bits(a.spread::<2>())));
        all.push(("spread<3>", begin, bits(a.spread::<3>())));
        all.push(("deinterleave_records", begin, bits(V::deinterleave_records(a, b))));
        all.push(("interleave_records", begin, bits(V::interleave_records(a, b))));
        all.push(("deinterleave_pairs", begin, bits(V::deinterleave_pairs(a, b))));
        let [even, odd] = V::deinterleave_records(a, b);
        assert_eq!(
            bits(V::interleave_records(even, odd)),
            bits([a, b]),
            "deinterleave_records, then interleave_records"
        );
        let [even, odd] = V::deinterleave_pairs(a, b);
        assert_eq!(
            bits(V::deinterleave_pairs(even, odd)),
            bits([a, b]),
            "deinterleave_pairs twice"
        );
    }
}

/// Loads and stores of whole registers at any alignment. The bits of the whole buffer are compared,
/// so a store that changes other memory is found.
#[inline(always)]
fn memory<V: Vector>(cpu: V::Cpu, all: &mut Vec<Outcome>) {
    let values = test_values();
    for begin in 0..16 {
        let register: V = load(cpu, &values[begin..]);
        let expected: Vec<u32> =
            values[begin..][..V::LANES].iter().copied().map(f32::to_bits).collect();
        assert_eq!(bits([register]), expected, "load");
        let mut buffer = [-1.0_f32; 48];
        // SAFETY: at most 16 values, which begin at one of the first 16 of 48.
        unsafe { register.store(buffer[begin..].as_mut_ptr()) };
        all.push(("store", begin, buffer.map(f32::to_bits).to_vec()));
    }
}

/// Loads and stores of records at any alignment, in any order. The bits of the whole buffer are
/// compared, so a store that changes other memory is found.
#[inline(always)]
fn records<V: Vector>(cpu: V::Cpu, all: &mut Vec<Outcome>) {
    let memory: Vec<f32> = test_values().into_iter().cycle().take(300).collect();
    for begin in 0..64 {
        // Lanes whose numbers differ by 8 read the same record. The records to write are disjoint,
        // except that lanes 1 and 2 write the same one.
        let read_offset = |lane: usize| 7 * ((5 * lane + begin) % 40);
        let shared_lane = |lane: usize| if lane == 2 { 1 } else { lane };
        let write_offset = |lane: usize| begin + 5 * ((7 * shared_lane(lane)) % 16);
        // SAFETY: four values at an offset below 280 of 300.
        let read = |lane| unsafe { memory.as_ptr().add(read_offset(lane)).cast::<[f32; 4]>() };
        // SAFETY: as above, for all lanes.
        let (rows, columns) = unsafe { (V::gather_rows(cpu, read), V::gather(cpu, read)) };
        all.push(("gather_rows", begin, bits(rows)));
        all.push(("gather", begin, bits(columns)));
        for (field, column) in columns.into_iter().enumerate() {
            let expected: Vec<u32> =
                (0..V::LANES).map(|lane| memory[read_offset(lane) + field].to_bits()).collect();
            assert_eq!(bits([column]), expected, "gather: field {field}");
        }
        // Lanes that share an address must write the same values.
        let shared_offset = |lane: usize| read_offset(shared_lane(lane));
        // SAFETY: as for `read`.
        let read = |lane| unsafe { memory.as_ptr().add(shared_offset(lane)).cast::<[f32; 4]>() };
        // SAFETY: as above.
        let (rows, columns) = unsafe { (V::gather_rows(cpu, read), V::gather(cpu, read)) };
        for (name, by_rows) in [("scatter_rows", true), ("scatter", false)] {
            let mut buffer = vec![-1.0_f32; 160];
            let start = buffer.as_mut_ptr();
            // SAFETY: four values at an offset below 64 + 5 * 16 = 144 of 160.
            let write = |lane| unsafe { start.add(write_offset(lane)).cast::<[f32; 4]>() };
            // SAFETY: as above, for all lanes.
            unsafe {
                if by_rows {
                    V::scatter_rows(rows, write);
                } else {
                    V::scatter(columns, write);
                }
            }
            all.push((name, begin, buffer.iter().map(|x| x.to_bits()).collect()));
            for lane in 0..V::LANES {
                let written = &buffer[write_offset(lane)..][..4];
                let read = &memory[shared_offset(lane)..][..4];
                let equal = written.iter().zip(read).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(equal, "{name}: lane {lane} has other values than were read");
            }
        }
    }
}
