//! Lower bounds follow from the demand of a stick and the peak rates of a machine; the demand
//! follows from the law and the layout.

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Formula, Kernel, Tally};
use taut_bench::roofline::{Bandwidth, Demand, Limit, Peak, roofline};
use taut_bench::{Arranged, Comparison};

use crate::make::{arrangement, comparison, everybody, scalar, sheet, shuffled_disc};

/// A synthetic machine.
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

fn demand_of(kernel: &AnyKernel, on: &Arranged, scene: &Model, formula: Formula) -> Demand {
    Demand::of(kernel, on, scene.sheet.as_ref(), formula).unwrap()
}

#[track_caller]
fn assert_same(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-12 * other.abs(), "{one} and {other}");
}

#[test]
fn a_limit_is_each_demand_over_its_speed_and_the_largest_binds() {
    let limit = Limit::new(&demand(), &peak());
    let expected = Limit { arithmetic_ns: 2.0, divider_ns: 1.0, access_ns: 1.5, sweep_ns: 1.2 };
    assert_eq!(limit, expected);
    assert_eq!(limit.binding(), (2.0, "arithmetic"));
    for (demand, binding) in [
        (Demand { square_roots: 20.0, ..demand() }, (5.5, "divider")),
        (Demand { accessed_bytes: 500.0, ..demand() }, (10.0, "access")),
        (Demand { swept_bytes: 500.0, ..demand() }, (25.0, "sweep")),
        (Demand { arithmetic: 500.0, ..demand() }, (50.0, "arithmetic")),
    ] {
        assert_eq!(Limit::new(&demand, &peak()).binding(), binding);
    }
}

/// Never slower than a set can be: so the next smaller set that was measured counts.
#[test]
fn the_bandwidth_of_a_set_is_that_of_the_next_smaller_one_or_better() {
    let sets = [0.0, 999.0, 1000.0, 3999.0, 4000.0, 15_999.0, 16_000.0, 1e9];
    let speeds = [50.0, 50.0, 50.0, 50.0, 20.0, 20.0, 8.0, 8.0];
    for (set, speed) in sets.into_iter().zip(speeds) {
        assert_eq!(peak().bytes_per_ns(set).to_bits(), f64::to_bits(speed), "{set}");
    }
    // Noise may make a larger set the faster one.
    let mut noisy = peak();
    noisy.bandwidths[2].bytes_per_ns = 30.0;
    assert_eq!(noisy.bytes_per_ns(4000.0).to_bits(), 30.0_f64.to_bits());
}

#[test]
fn the_scalar_kernel_asks_for_what_the_law_counts() {
    for scene in [sheet(), shuffled_disc()] {
        let on = arrangement("blocked").of(&scene).unwrap();
        for formula in Formula::ALL {
            let scalar = AnyKernel::named("scalar").unwrap();
            let asked = demand_of(&scalar, &on, &scene, formula);
            let Tally { additions, multiplications, divisions, square_roots, estimates } =
                taut_scalar::count_operations(&scene.particles, &scene.sticks, formula);
            let sticks = scene.sticks.len() as f64;
            let arithmetic = additions + multiplications + 2 * estimates;
            assert_same(asked.arithmetic * sticks, arithmetic as f64);
            assert_same(asked.divisions * sticks, divisions as f64);
            assert_same(asked.square_roots * sticks, square_roots as f64);
            // Two names and a rest term, and a weight term if the formula stores it; a record.
            let program = if formula == Formula::Quick { 16.0 } else { 12.0 } * sticks;
            let records = 16.0 * scene.particles.len() as f64;
            assert_same(asked.set_bytes, program + records);
            assert_same(asked.swept_bytes * sticks, program + 2.0 * records);
        }
    }
}

/// Where rows are full the grid kernel pads nothing: what is left is its arithmetic, counted by
/// hand (differences 3, squared length 5, displacements 9, and the formula) and its columns.
#[test]
fn the_grid_kernel_asks_for_no_names_and_no_masses() {
    let scene = Model::drape(64, StickSet::Structural).unwrap();
    let on = arrangement("sheet").of(&scene).unwrap();
    // Of each row, the last lane begins no stick to the right.
    let padding = (64.0 * 64.0 + 63.0 * 64.0) / scene.sticks.len() as f64;
    for (formula, arithmetic, divisions, square_roots) in [
        (Formula::Exact, 19.0, 1.0, 1.0),
        (Formula::Newton, 20.0, 1.0, 0.0),
        (Formula::Halley, 21.0, 1.0, 0.0),
        (Formula::Quick, 32.0, 0.0, 0.0),
    ] {
        let grids = AnyKernel::available();
        for grid in grids.iter().filter(|kernel| Kernel::<3>::name(*kernel) == "grid") {
            let asked = demand_of(grid, &on, &scene, formula);
            assert_same(asked.arithmetic, arithmetic * padding);
            assert_same(asked.divisions, divisions * padding);
            assert_same(asked.square_roots, square_roots * padding);
            assert_same(asked.accessed_bytes, 48.0 * padding);
            assert_same(asked.set_bytes, 64.0 * 64.0 * 12.0);
            assert_same(asked.swept_bytes, 2.0 * asked.set_bytes / scene.sticks.len() as f64);
        }
    }
}

/// The same schedule for wider registers: more padding, never less; and runs in place of names.
#[test]
fn wider_registers_ask_for_no_less_memory() {
    let scene = shuffled_disc();
    let on = arrangement("coloured/rcm").of(&scene).unwrap();
    let mut asked: Vec<(usize, Demand)> = AnyKernel::available()
        .iter()
        .filter(|kernel| matches!(Kernel::<3>::name(*kernel), "pulp" | "scalar"))
        .map(|kernel| (Kernel::<3>::lanes(kernel), demand_of(kernel, &on, &scene, Formula::Halley)))
        .collect();
    asked.sort_by_key(|(lanes, _)| *lanes);
    for ((_, narrow), (_, wide)) in asked.iter().zip(&asked[1..]) {
        assert!(wide.set_bytes >= narrow.set_bytes && wide.divisions >= narrow.divisions);
    }
}

#[test]
fn every_configuration_has_a_row_that_its_limit_can_be_found_in() {
    let scene = sheet();
    let comparison: Comparison = comparison(scene.clone(), everybody(&scene, &[Formula::Exact]));
    let peaks = Peak::measure(0);
    let rows = roofline("a sheet", &comparison, &peaks, |_| ()).unwrap();
    assert_eq!(rows.len(), comparison.configurations.len());
    for (row, configuration) in rows.iter().zip(&comparison.configurations) {
        assert_eq!(row.isa, Kernel::<3>::isa(&configuration.kernel));
        assert_eq!(row.schedule, configuration.arrangement.to_string());
        let ceilings = [row.arithmetic_ns, row.divider_ns, row.access_ns, row.sweep_ns];
        assert!(ceilings.iter().all(|ns| ns.is_finite() && *ns > 0.0), "{row:?}");
        assert_same(ceilings.into_iter().fold(0.0, f64::max), row.limit_ns);
        assert_same(row.times_limit * row.limit_ns, row.ns_fastest);
    }
}

#[test]
fn missing_measurements_give_no_row() {
    let configurations = vec![scalar(Formula::Exact, arrangement("coloured"))];
    let comparison = comparison(sheet(), configurations);
    let peaks = [Peak { isa: "abacus", ..peak() }];
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
        let speeds = [arithmetic_per_ns, divisions_per_ns, square_roots_per_ns].map(|it| *it);
        let speeds = speeds.into_iter().chain(bandwidths.iter().map(|it| it.bytes_per_ns));
        assert!(speeds.into_iter().all(|speed| speed.is_finite() && speed > 0.0));
    }
}
