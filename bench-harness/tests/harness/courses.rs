//! Scenarios are data that makes sense, and a run that did not do its work is found out.

use taut::world::Model;
use taut::{AnyKernel, Formula, Kernel};
use taut_bench::{COURSE_FRAMES, Course, SCENARIOS, Scenario, Unsound, kernel_path};

const SIZE: usize = 8;

fn course(scenario: Scenario) -> Course {
    Course::new(scenario, scenario.model(SIZE).unwrap(), Formula::Halley).unwrap()
}

#[test]
fn scenarios_have_names_of_their_own_and_something_to_run() {
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        assert!(SCENARIOS[..at].iter().all(|other| other.name != scenario.name));
        assert!(!scenario.formulas.is_empty() && !scenario.sizes.is_empty());
        assert!(scenario.step().motion().is_ok());
        let engines = scenario.engines();
        assert!(engines.iter().any(|kernel| kernel_path(kernel) == "scalar"));
        let mut names: Vec<_> = engines.iter().map(kernel_path).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), engines.len(), "{names:?}");
    }
    let path = SCENARIOS[0].path(Formula::Halley, "grid-avx512", 128);
    assert_eq!(path, "drape-all/halley/grid-avx512/128");
}

#[test]
fn a_frame_relaxes_each_stick_in_each_iteration_of_each_substep() {
    let scenario = Scenario { iterations: 3, substeps: 2, ..SCENARIOS[0] };
    let model = scenario.model(SIZE).unwrap();
    assert_eq!(scenario.relaxed_per_frame(&model), model.sticks.len() as u64 * 6);
}

#[test]
fn every_engine_of_every_scenario_passes_after_any_number_of_frames() {
    for scenario in SCENARIOS {
        let course = course(*scenario);
        let engines = scenario.engines();
        let mut runs: Vec<_> = engines.iter().map(|kernel| course.run(kernel).unwrap()).collect();
        runs.push(course.run_textbook());
        for run in &mut runs {
            for frames in [COURSE_FRAMES, 1, 3] {
                run.rewind();
                run.frames(frames);
                let stretch = run.verified(frames).unwrap();
                let residual = stretch.residual_rms();
                assert!(residual > 0.0 && residual <= scenario.stretch_rms_bound);
            }
        }
    }
}

#[test]
fn a_run_that_did_nothing_is_found_out() {
    let course = course(SCENARIOS[0]);
    let mut run = course.run(&AnyKernel::best()).unwrap();
    assert_eq!(run.verified(1), Err(Unsound::NothingMoved));
    run.frames(2);
    run.verified(2).unwrap();
    run.rewind();
    assert_eq!(run.verified(2), Err(Unsound::NothingMoved));
}

#[test]
fn a_run_of_other_bits_is_found_out() {
    let course = course(SCENARIOS[0]);
    let mut run = course.run(&AnyKernel::best()).unwrap();
    run.frames(3);
    assert!(matches!(run.verified(2), Err(Unsound::OtherBits { .. })), "a frame too many");
    // The textbook loop has its own bits, which are not compared with others.
    let mut textbook = course.run_textbook();
    textbook.frames(3);
    assert!(textbook.verified(2).is_ok());
}

#[test]
fn a_run_beyond_the_stated_bound_is_found_out() {
    let course = course(Scenario { stretch_rms_bound: 1e-6, ..SCENARIOS[0] });
    let mut run = course.run(&AnyKernel::best()).unwrap();
    run.frames(1);
    assert!(matches!(run.verified(1), Err(Unsound::Stretched { bound: 1e-6, .. })));
}

#[test]
fn a_run_that_left_the_numbers_is_found_out() {
    fn exploding(
        size: usize,
        set: taut::world::StickSet,
    ) -> Result<Model, taut::world::ModelError> {
        let mut model = Model::drape(size, set)?;
        model.particles.previous_mut(2)[size + 1] = -f32::MAX;
        Ok(model)
    }
    let course = course(Scenario { shape: exploding, ..SCENARIOS[0] });
    let mut run = course.run(&AnyKernel::best()).unwrap();
    run.frames(1);
    assert_eq!(run.verified(1), Err(Unsound::NotFinite));
}

#[test]
fn an_engine_is_named_by_its_kernel_and_instruction_set() {
    for kernel in AnyKernel::available() {
        let name = kernel_path(&kernel);
        assert!(name.starts_with(Kernel::<3>::name(&kernel)), "{name}");
        assert!(name.ends_with(Kernel::<3>::isa(&kernel)), "{name}");
    }
}
