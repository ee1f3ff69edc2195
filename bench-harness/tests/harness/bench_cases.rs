//! Scenarios are valid, and invalid runs are detected.

use taut::world::{Model, ModelError, StickSet};
use taut::{AnyKernel, Formula, Kernel};
use taut_bench::{BenchCase, InvalidRun, RUN_FRAMES, SCENARIOS, Scenario, kernel_label};

const SIZE: usize = 8;

fn case(scenario: Scenario) -> BenchCase {
    BenchCase::new(scenario, scenario.model(SIZE).unwrap(), Formula::Halley).unwrap()
}

#[test]
fn scenarios_have_unique_names_and_distinct_kernels() {
    for (index, scenario) in SCENARIOS.iter().enumerate() {
        assert!(SCENARIOS[..index].iter().all(|other| other.name != scenario.name));
        assert!(!scenario.formulas.is_empty() && !scenario.sizes.is_empty());
        assert!(scenario.step().motion().is_ok());
        let kernels = scenario.kernels();
        assert!(kernels.iter().any(|kernel| kernel_label(kernel) == "scalar"));
        let mut names: Vec<_> = kernels.iter().map(kernel_label).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), kernels.len(), "{names:?}");
    }
    let id = SCENARIOS[0].benchmark_id(Formula::Halley, "grid-avx512", 128);
    assert_eq!(id, "drape-all/halley/grid-avx512/128");
}

#[test]
fn a_frame_relaxes_each_stick_in_each_iteration_of_each_substep() {
    let scenario = Scenario { iterations: 3, substeps: 2, ..SCENARIOS[0] };
    let model = scenario.model(SIZE).unwrap();
    assert_eq!(scenario.relaxations_per_frame(&model), model.sticks.len() as u64 * 6);
}

#[test]
fn every_kernel_of_every_scenario_passes_verification() {
    for scenario in SCENARIOS {
        let case = case(*scenario);
        let kernels = scenario.kernels();
        let mut runs: Vec<_> =
            kernels.iter().map(|kernel| case.start_run(kernel).unwrap()).collect();
        runs.push(case.start_textbook_run());
        for run in &mut runs {
            for frames in [RUN_FRAMES, 1, 3] {
                run.rewind();
                run.run_frames(frames);
                let stretch = run.verify(frames).unwrap();
                let residual = stretch.residual_rms();
                assert!(residual > 0.0 && residual <= scenario.residual_rms_max);
            }
        }
    }
}

#[test]
fn a_run_in_which_nothing_moves_is_invalid() {
    let case = case(SCENARIOS[0]);
    let mut run = case.start_run(&AnyKernel::best()).unwrap();
    assert_eq!(run.verify(1), Err(InvalidRun::NothingMoved));
    run.run_frames(2);
    run.verify(2).unwrap();
    run.rewind();
    assert_eq!(run.verify(2), Err(InvalidRun::NothingMoved));
}

#[test]
fn a_run_with_different_bits_is_invalid() {
    let case = case(SCENARIOS[0]);
    let mut run = case.start_run(&AnyKernel::best()).unwrap();
    run.run_frames(3);
    assert!(
        matches!(run.verify(2), Err(InvalidRun::DifferentBits { .. })),
        "one frame too many was run"
    );
    // The textbook loop has another order and other arithmetic, so its bits are not compared.
    let mut textbook = case.start_textbook_run();
    textbook.run_frames(3);
    assert!(textbook.verify(2).is_ok());
}

#[test]
fn a_run_beyond_the_residual_bound_is_invalid() {
    let case = case(Scenario { residual_rms_max: 1e-6, ..SCENARIOS[0] });
    let mut run = case.start_run(&AnyKernel::best()).unwrap();
    run.run_frames(1);
    assert!(matches!(run.verify(1), Err(InvalidRun::ResidualTooLarge { bound: 1e-6, .. })));
}

#[test]
fn a_run_with_a_position_that_is_not_finite_is_invalid() {
    fn unstable(size: usize, set: StickSet) -> Result<Model, ModelError> {
        let mut model = Model::drape(size, set)?;
        model.particles.previous_mut(2)[size + 1] = -f32::MAX;
        Ok(model)
    }
    let case = case(Scenario { shape: unstable, ..SCENARIOS[0] });
    let mut run = case.start_run(&AnyKernel::best()).unwrap();
    run.run_frames(1);
    assert_eq!(run.verify(1), Err(InvalidRun::NotFinite));
}

#[test]
fn a_benchmark_id_names_the_kernel_and_its_instruction_set() {
    for kernel in AnyKernel::available() {
        let name = kernel_label(&kernel);
        assert!(name.starts_with(Kernel::<3>::name(&kernel)), "{name}");
        assert!(name.ends_with(Kernel::<3>::isa(&kernel)), "{name}");
    }
}
