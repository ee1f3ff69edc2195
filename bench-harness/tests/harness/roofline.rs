//! Lower bounds follow from the demand of a stick and the peak rates of a machine; the demand
//! follows from the formula and the layout.

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Duplicates, Formula, Kernel, Particles, Step, Sticks, Tally};
use taut_bench::roofline::{Bandwidth, Demand, Limit, Peak, roofline};
use taut_bench::{Arranged, Comparison};

use crate::fixtures::{all_configurations, arrangement, comparison, scalar, sheet, shuffled_disc};

/// The peak rates of an invented machine.
fn peak() -> Peak {
    let bandwidth = |set_bytes, bytes_per_ns| Bandwidth { set_bytes, bytes_per_ns };
    Peak {
        isa: "scalar",
        arithmetic_per_ns: 10.0,
        divisions_per_ns: 2.0,
        square_roots_per_ns: 4.0,
        bandwidths: vec![bandwidth(1000, 50.0), bandwidth(4000, 20.0), bandwidth(16_000, 8.0)],
    }
}

fn demand() -> Demand {
    Demand {
        arithmetic: 20.0,
        divisions: 1.0,
        square_roots: 2.0,
        accessed_bytes: 75.0,
        swept_bytes: 24.0,
        set_bytes: 5000.0,
    }
}

fn step(substeps: u32, iterations: u32) -> Step<3> {
    Step { substeps, iterations, ..Step::default() }
}

/// The demand in steps of one iteration.
fn demand_of(kernel: &AnyKernel, arranged: &Arranged, formula: Formula) -> Demand {
    Demand::of(kernel, arranged, formula, &step(1, 1)).unwrap()
}

#[track_caller]
fn assert_near(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-12 * other.abs(), "{one} differs from {other}");
}

#[test]
fn a_limit_is_each_demand_over_its_rate_and_the_largest_is_the_bottleneck() {
    let limit = Limit::new(&demand(), &peak());
    let expected = Limit { arithmetic_ns: 2.0, divider_ns: 1.0, access_ns: 1.5, sweep_ns: 1.2 };
    assert_eq!(limit, expected);
    assert_eq!(limit.bottleneck(), (2.0, "arithmetic"));
    for (demand, expected) in [
        (Demand { square_roots: 20.0, ..demand() }, (5.5, "divider")),
        (Demand { accessed_bytes: 500.0, ..demand() }, (10.0, "access")),
        (Demand { swept_bytes: 500.0, ..demand() }, (25.0, "sweep")),
        (Demand { arithmetic: 500.0, ..demand() }, (50.0, "arithmetic")),
    ] {
        assert_eq!(Limit::new(&demand, &peak()).bottleneck(), expected);
    }
}

/// The bandwidth is an upper bound, so that of the next smaller measured set counts.
#[test]
fn the_bandwidth_of_a_set_is_that_of_the_next_smaller_one_or_better() {
    let sets = [0.0, 999.0, 1000.0, 3999.0, 4000.0, 15_999.0, 16_000.0, 1e9];
    let bandwidths = [50.0, 50.0, 50.0, 50.0, 20.0, 20.0, 8.0, 8.0];
    for (set, bandwidth) in sets.into_iter().zip(bandwidths) {
        assert_eq!(peak().bytes_per_ns(set).to_bits(), f64::to_bits(bandwidth), "{set} bytes");
    }
    // Because of noise, a larger set may be measured as faster.
    let mut noisy = peak();
    noisy.bandwidths[2].bytes_per_ns = 30.0;
    assert_eq!(noisy.bytes_per_ns(4000.0).to_bits(), 30.0_f64.to_bits());
}

#[test]
fn the_demand_of_the_scalar_kernel_is_that_of_the_counted_operations() {
    for model in [sheet(), shuffled_disc()] {
        let arranged = arrangement("blocked").of(&model).unwrap();
        for formula in Formula::ALL {
            let scalar = AnyKernel::named("scalar").unwrap();
            let demand = demand_of(&scalar, &arranged, formula);
            let Tally { additions, multiplications, divisions, square_roots, estimates } =
                taut_scalar::count_operations(&model.particles, &model.sticks, formula);
            let sticks = model.sticks.len() as f64;
            let arithmetic = additions + multiplications + 2 * estimates;
            assert_near(demand.arithmetic * sticks, arithmetic as f64);
            assert_near(demand.divisions * sticks, divisions as f64);
            assert_near(demand.square_roots * sticks, square_roots as f64);
            // Two indices, a rest term, and a weight term if the formula stores it; and the
            // records.
            let program = if formula == Formula::Quick { 16.0 } else { 12.0 } * sticks;
            let records = 16.0 * model.particles.len() as f64;
            assert_near(demand.set_bytes, program + records);
            assert_near(demand.swept_bytes * sticks, program + 2.0 * records);
        }
    }
}

/// Counted by hand for one stick: differences 3 and 0 (additions and multiplications), squared length 2
/// and 3, sum of the inverse masses 1 and 0, gains 0 and 2, displacements 6 and 6, and the formula.
#[test]
fn the_counted_operations_are_those_of_the_formulas() {
    let model = sheet();
    let (common, sticks) = ([12, 11], model.sticks.len() as u64);
    for (formula, [additions, multiplications], square_roots) in
        [(Formula::Exact, [1, 1], 1), (Formula::Newton, [2, 1], 0), (Formula::Halley, [2, 3], 0)]
    {
        let expected = Tally {
            additions: (common[0] + additions) * sticks,
            multiplications: (common[1] + multiplications) * sticks,
            divisions: sticks,
            square_roots: square_roots * sticks,
            estimates: 0,
        };
        let counted = taut_scalar::count_operations(&model.particles, &model.sticks, formula);
        assert_eq!(counted, expected, "{formula}");
    }
}

/// With 64 columns the grid kernel pads nothing. Its demand is its arithmetic, counted by hand
/// (differences 3, squared length 5, displacements 9, and the formula), and the bytes of its
/// columns.
#[test]
fn the_demand_of_the_grid_kernel_has_no_indices_and_no_masses() {
    let model = Model::drape(64, StickSet::Structural).unwrap();
    let arranged = arrangement("sheet").of(&model).unwrap();
    // 64 rows of 64 lanes relax the sticks within a row, although the last lane has none; 63 rows
    // of 64 lanes relax the sticks to the next row.
    let lanes_per_stick = (64.0 * 64.0 + 63.0 * 64.0) / model.sticks.len() as f64;
    for (formula, arithmetic, divisions, square_roots) in [
        (Formula::Exact, 19.0, 1.0, 1.0),
        (Formula::Newton, 20.0, 1.0, 0.0),
        (Formula::Halley, 21.0, 1.0, 0.0),
        (Formula::Quick, 32.0, 0.0, 0.0),
    ] {
        let kernels = AnyKernel::available();
        for grid in kernels.iter().filter(|kernel| Kernel::<3>::name(*kernel) == "grid") {
            let demand = demand_of(grid, &arranged, formula);
            assert_near(demand.arithmetic, arithmetic * lanes_per_stick);
            assert_near(demand.divisions, divisions * lanes_per_stick);
            assert_near(demand.square_roots, square_roots * lanes_per_stick);
            assert_near(demand.accessed_bytes, 48.0 * lanes_per_stick);
            assert_near(demand.set_bytes, 64.0 * 64.0 * 12.0);
            assert_near(demand.swept_bytes, 2.0 * demand.set_bytes / model.sticks.len() as f64);
        }
    }
}

#[test]
fn the_grid_kernel_sweeps_over_memory_once_for_eight_iterations() {
    let model = Model::drape(64, StickSet::Structural).unwrap();
    let arranged = arrangement("sheet").of(&model).unwrap();
    let grid = AnyKernel::named("grid").unwrap();
    let one_pass = demand_of(&grid, &arranged, Formula::Halley).swept_bytes;
    for (substeps, iterations, passes) in
        [(1, 1, 1.0), (1, 8, 1.0), (8, 1, 1.0), (2, 3, 1.0), (1, 9, 2.0), (3, 8, 3.0)]
    {
        let step = step(substeps, iterations);
        let demand = Demand::of(&grid, &arranged, Formula::Halley, &step).unwrap();
        assert_near(demand.swept_bytes * f64::from(substeps * iterations), passes * one_pass);
    }
}

/// Copies in the order `packed` are one phase, with a task for each copy; a single copy is one task.
#[test]
fn tasks_of_a_single_phase_sweep_over_memory_once_per_substep() {
    let model = Model::drape(20, StickSet::All).unwrap();
    for kernel in AnyKernel::available().iter().filter(|kernel| kernel.is_general()) {
        let runs_task_by_task = Kernel::<3>::name(kernel) != "scalar";
        for copies in [1, 3] {
            let arranged = arrangement("packed").of_copies(&model, copies).unwrap();
            let one_pass = demand_of(kernel, &arranged, Formula::Halley).swept_bytes;
            let demand = Demand::of(kernel, &arranged, Formula::Halley, &step(4, 5)).unwrap();
            let iterations_per_pass = if copies > 1 && runs_task_by_task { 5.0 } else { 1.0 };
            assert_near(demand.swept_bytes * iterations_per_pass, one_pass);
        }
    }
}

/// Counted by hand, per stick and copy as on the grid, with a multiplication by the common
/// inverse mass. The sticks of the pinned particle read the inverse masses of each copy instead.
#[test]
fn the_copies_kernel_reads_a_stick_once_per_group_of_copies() {
    let points = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.3, 0.0, 0.0]];
    let particles = Particles::new(&points, &[0.0, 2.0, 2.0, 2.0]).unwrap();
    let sticks = Sticks::joining(&particles, &[[0, 1], [1, 2], [2, 3]], Duplicates::Keep).unwrap();
    let model = Model::new(particles, sticks);
    let kernels = AnyKernel::available();
    for kernel in kernels.iter().filter(|kernel| kernel.is_for_copies()) {
        let lanes = Kernel::<3>::lanes(kernel);
        for count in [2, 15, 16, 17, 40] {
            let arranged = arrangement("packed").of_copies(&model, count).unwrap();
            let padded = (count / 16 * 16 + (count % 16).next_multiple_of(lanes)) as f64;
            let (groups, relaxed) = (count.div_ceil(16) as f64, 3.0 * count as f64);
            for (formula, equal, any) in
                [(Formula::Exact, 20.0, 25.0), (Formula::Halley, 22.0, 28.0)]
            {
                let demand = demand_of(kernel, &arranged, formula);
                assert_near(demand.arithmetic * relaxed, (2.0 * equal + any) * padded);
                assert_near(demand.divisions * relaxed, 3.0 * padded);
                // 48 bytes of coordinates per stick and copy, and two inverse masses at the pinned
                // particle; per stick and group, 20 bytes of indices, rest term and inverse masses.
                let accessed = (2.0 * 48.0 + 56.0) * padded + 3.0 * 20.0 * groups;
                assert_near(demand.accessed_bytes * relaxed, accessed);
                // Two indices and a rest term per stick; an inverse mass and three coordinates per
                // particle.
                let constants = 3.0 * 12.0 + 4.0 * 4.0;
                let swept = constants * groups + 2.0 * 4.0 * 12.0 * padded;
                assert_near(demand.swept_bytes * relaxed, swept);
                assert_near(demand.set_bytes, constants + 4.0 * 12.0 * padded.min(16.0));
            }
        }
    }
}

/// With the same schedule, wider registers have at least as much padding.
#[test]
fn wider_registers_demand_no_less_memory() {
    let model = shuffled_disc();
    let arranged = arrangement("coloured/rcm").of(&model).unwrap();
    let mut demands: Vec<(usize, Demand)> = AnyKernel::available()
        .iter()
        .filter(|kernel| matches!(Kernel::<3>::name(*kernel), "pulp" | "scalar"))
        .map(|kernel| (Kernel::<3>::lanes(kernel), demand_of(kernel, &arranged, Formula::Halley)))
        .collect();
    demands.sort_by_key(|(lanes, _)| *lanes);
    for ((_, narrow), (_, wide)) in demands.iter().zip(&demands[1..]) {
        assert!(wide.set_bytes >= narrow.set_bytes && wide.divisions >= narrow.divisions);
    }
}

#[test]
fn every_configuration_has_a_row_with_its_ceilings_and_limit() {
    let model = sheet();
    let comparison: Comparison =
        comparison(model.clone(), all_configurations(&model, &[Formula::Exact]));
    let peaks = Peak::measure(0);
    let rows = roofline("a sheet", &comparison, &peaks, |_| ()).unwrap();
    assert_eq!(rows.len(), comparison.configurations.len());
    for (row, configuration) in rows.iter().zip(&comparison.configurations) {
        assert_eq!(row.isa, Kernel::<3>::isa(&configuration.kernel));
        assert_eq!(row.schedule, configuration.arrangement.to_string());
        let ceilings = [row.arithmetic_ns, row.divider_ns, row.access_ns, row.sweep_ns];
        assert!(ceilings.iter().all(|ns| ns.is_finite() && *ns > 0.0), "{row:?}");
        assert_near(ceilings.into_iter().fold(0.0, f64::max), row.limit_ns);
        assert_near(row.time_over_limit * row.limit_ns, row.ns_fastest);
    }
}

#[test]
fn an_instruction_set_without_peak_rates_has_no_row() {
    let configurations = vec![scalar(Formula::Exact, arrangement("coloured"))];
    let comparison = comparison(sheet(), configurations);
    let peaks = [Peak { isa: "no-such-set", ..peak() }];
    assert_eq!(roofline("a sheet", &comparison, &peaks, |_| ()).unwrap(), []);
    assert_eq!(roofline("a sheet", &comparison, &[peak()], |_| ()).unwrap().len(), 1);
}

#[test]
fn a_peak_is_measured_for_every_instruction_set_up_to_the_largest_set() {
    let peaks = Peak::measure(256 << 10);
    for kernel in AnyKernel::available() {
        let isa = Kernel::<3>::isa(&kernel);
        assert_eq!(peaks.iter().filter(|peak| peak.isa == isa).count(), 1, "{isa}");
    }
    for Peak { arithmetic_per_ns, divisions_per_ns, square_roots_per_ns, bandwidths, .. } in &peaks
    {
        let sets: Vec<usize> = bandwidths.iter().map(|it| it.set_bytes).collect();
        assert_eq!(sets, [16 << 10, 64 << 10, 256 << 10]);
        let rates = [*arithmetic_per_ns, *divisions_per_ns, *square_roots_per_ns];
        let mut rates = rates.into_iter().chain(bandwidths.iter().map(|it| it.bytes_per_ns));
        assert!(rates.all(|rate| rate.is_finite() && rate > 0.0));
    }
}
