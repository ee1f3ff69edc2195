//! The configurations cover every instruction set of this machine. (No other test would fail if one
//! were missing.)

use taut::{
    AnyKernel, Family, Formula, Kernel, KernelChoice, KernelChoiceError, KernelName, KernelSet,
    SheetsAndCopies,
};

use crate::configurations::{Configuration, THREADS, configurations};
use crate::meshes::{Mesh, Recipe, Shape};
use crate::runner::Setup;
use crate::values::Values;

/// The run-time selectable instruction sets that this machine has, and their lanes.
fn detected() -> Vec<(&'static str, usize)> {
    let mut all = Vec::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2") && has!("fma") && has!("bmi2");
        let other_avx512 =
            has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
        if avx2 && has!("avx512f") && other_avx512 {
            all.push(("avx512", 16));
        }
        if avx2 {
            all.push(("avx2", 8));
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        all.push(("neon", 4));
    }
    all.push(("scalar", 1));
    all
}

/// The instruction set that this program is compiled for.
const fn compiled() -> &'static str {
    if cfg!(target_feature = "avx2") {
        "avx2"
    } else if cfg!(target_feature = "avx") {
        "avx"
    } else if cfg!(target_feature = "sse2") {
        "sse2"
    } else if cfg!(all(target_arch = "aarch64", target_feature = "neon")) {
        "neon"
    } else if cfg!(target_feature = "simd128") {
        "simd128"
    } else {
        "scalar"
    }
}

#[test]
fn every_instruction_set_of_this_machine_is_covered_on_every_number_of_threads() {
    let is_covered = |name: &str, isa: &str, lanes: usize, threads: usize| {
        configurations().iter().any(|configuration| {
            configuration.name.starts_with(name)
                && (configuration.isa(), configuration.lanes()) == (isa, lanes)
                && configuration.threads() == threads
        })
    };
    for threads in THREADS {
        for (isa, lanes) in detected() {
            for name in ["pulp", "grid", "copies"] {
                assert!(is_covered(name, isa, lanes, threads), "{name}, {isa}, {threads} threads");
            }
        }
        assert!(is_covered("wide", compiled(), 8, threads), "wide, {}", compiled());
        // `wide` and `pulp` may have the same instruction set; `grid` and `copies` are then listed
        // with the one of `pulp` only, because it is selected at run time. One lane is a fallback.
        let selected = detected().into_iter().find(|&(isa, lanes)| isa == compiled() && lanes > 1);
        let lanes = selected.map_or(8, |(_, lanes)| lanes);
        for name in ["grid", "copies"] {
            assert!(is_covered(name, compiled(), lanes, threads), "{name}, {}", compiled());
        }
        assert!(is_covered("scalar", "scalar", 1, threads));
    }
    println!("configurations: {:#?}", configurations().iter().map(|c| &c.name).collect::<Vec<_>>());
}

#[test]
fn the_best_kernel_has_the_most_lanes_and_kernels_are_found_by_name() {
    let most = configurations().iter().map(Configuration::lanes).max();
    assert_eq!(Some(Kernel::<3>::lanes(&AnyKernel::best())), most);
    for name in ["scalar", "wide", "pulp", "grid", "copies"] {
        let kernel = AnyKernel::named(name).unwrap();
        assert_eq!(Kernel::<3>::name(&kernel), name);
    }
    assert_eq!(Kernel::<3>::isa(&AnyKernel::named("pulp").unwrap()), detected()[0].0);
    assert!(AnyKernel::named("abacus").unwrap_err().to_string().contains("'abacus'"));
    let choice = KernelChoice { kernel: Some(KernelName::Colour), ..KernelChoice::default() };
    assert!(matches!(choice.find(), Err(KernelChoiceError::Colour)));
}

#[test]
fn only_the_kernels_for_sheets_and_for_copies_reject_other_schedules() {
    let recipes = [
        Recipe::sheet([9, 9], Family::BEND, 0, Values::Uniform),
        Recipe::copies(Shape::Chain(9), 3, 0, Values::Uniform),
    ];
    for mesh in recipes.map(|recipe| recipe.mesh::<3>()) {
        for (order, schedule) in &mesh.schedules() {
            let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
            for Configuration { name, kernel, .. } in configurations() {
                let rejects = setup.start(kernel).is_none();
                let should_reject = *order != "sheet" && name.starts_with("grid")
                    || *order != "copies" && name.starts_with("copies");
                assert_eq!(rejects, should_reject, "{name}: {order}");
                assert_eq!(kernel.runs(schedule), !should_reject, "{name}: {order}");
                let general = !name.starts_with("grid") && !name.starts_with("copies");
                assert_eq!(kernel.is_general(), general, "{name}");
            }
        }
    }
}

#[test]
fn six_copies_or_more_get_the_kernel_for_copies() {
    for copies in [2, 5, 6, 40] {
        let mesh: Mesh = Recipe::copies(Shape::Chain(9), copies, 0, Values::Uniform).mesh();
        for (order, schedule) in &mesh.schedules() {
            let name = Kernel::<3>::name(&AnyKernel::best_for(schedule));
            assert_eq!(
                name == "copies",
                *order == "copies" && copies >= 6,
                "{copies} copies: {order}"
            );
        }
    }
}

#[test]
fn sheets_of_4_columns_or_more_get_the_kernel_for_sheets() {
    for width in [2, 3, 4, 24] {
        let mesh: Mesh = Recipe::sheet([width, 9], Family::BEND, 0, Values::Uniform).mesh();
        for (order, schedule) in &mesh.schedules() {
            let name = Kernel::<3>::name(&AnyKernel::best_for(schedule));
            assert_eq!(name == "grid", *order == "sheet" && width >= 4, "{width} columns: {order}");
            // A `KernelSet` follows the same rule.
            for set in KernelSet::available(SheetsAndCopies::ALL) {
                let name = Kernel::<3>::name(&set.kernel_for(schedule));
                let expected =
                    if *order == "sheet" && width >= 4 { &set.sheets } else { &set.others };
                assert_eq!(name, Kernel::<3>::name(expected), "{set}, {width} columns: {order}");
            }
        }
    }
}
