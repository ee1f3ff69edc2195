//! Simulations converge, and are stable where the documentation says so.

use taut::world::{Model, StickSet};
use taut::{Formula, Kernel, Plan, Schedule, Step, Stretch};

use crate::configurations::reference;
use crate::meshes::Mesh;

/// The rms residuals of a hanging sheet; both are infinite if a position was not finite.
struct Residuals {
    /// After the last step.
    rms: f64,
    /// The largest of those after every tenth step.
    worst_rms: f64,
}

fn drape(size: usize) -> Mesh {
    Model::drape(size, StickSet::All).unwrap().into()
}

/// Runs steps, and stops if a position is not finite. Only the reference kernel runs, because all
/// kernels give the same bits and this one is fast in an unoptimized build.
fn hang(
    mesh: &Mesh,
    schedule: &Schedule,
    formula: Formula,
    step: &Step<3>,
    steps: usize,
) -> Residuals {
    let Mesh { mut particles, sticks, .. } = mesh.clone();
    let mut plan = reference().plan(&particles, &sticks, schedule, formula).unwrap();
    let mut worst_rms = 0.0_f64;
    for index in 0..steps {
        if !plan.step(&mut particles, &sticks, step).unwrap().finite {
            return Residuals { rms: f64::INFINITY, worst_rms: f64::INFINITY };
        }
        if index % 10 == 9 {
            worst_rms = worst_rms.max(Stretch::of(&particles, &sticks).residual_rms());
        }
    }
    Residuals { rms: Stretch::of(&particles, &sticks).residual_rms(), worst_rms }
}

fn one_iteration() -> Step<3> {
    Step { substeps: 1, iterations: 1, ..Step::default() }
}

#[test]
fn with_one_iteration_blocks_colours_bands_and_stars_stay_bounded() {
    for (size, bound) in [(64, 1.5), (128, 3.0)] {
        let mesh = drape(size);
        let mut rms = Vec::new();
        for order in ["blocked", "coloured", "sheet", "banded", "starred"] {
            let residuals =
                hang(&mesh, &mesh.schedule(order), Formula::Halley, &one_iteration(), 300);
            assert!(
                residuals.worst_rms < bound,
                "{order}, {size}: residual {}",
                residuals.worst_rms
            );
            rms.push(residuals.rms);
        }
        // "sheet" and "banded" relax one direction after the other in bands, and converge faster than
        // "coloured".
        assert!(rms[2] < 0.8 * rms[1] && rms[3] < 0.8 * rms[1], "{size}: residuals {rms:?}");
    }
}

/// The reason for the warning at [`Schedule::authored`], and for Halley as the default.
#[test]
fn with_one_iteration_authored_order_blows_up_with_halley_only_on_the_larger_sheet() {
    let blows_up = |size, formula| {
        let mesh = drape(size);
        let residuals =
            hang(&mesh, &Schedule::authored(&mesh.sticks), formula, &one_iteration(), 300);
        residuals.worst_rms > 1e6
    };
    assert!(blows_up(64, Formula::Exact));
    assert!(blows_up(64, Formula::Newton));
    assert!(!blows_up(64, Formula::Halley));
    assert!(blows_up(128, Formula::Exact));
    assert!(blows_up(128, Formula::Halley));
}

#[test]
fn more_iterations_give_smaller_residuals() {
    let mesh = drape(12);
    for order in ["banded", "blocked", "packed", "starred", "sheet"] {
        let schedule = mesh.schedule(order);
        for formula in Formula::ALL {
            let residual = |iterations| {
                let step = Step { substeps: 1, iterations, ..Step::default() };
                hang(&mesh, &schedule, formula, &step, 150).rms
            };
            let residuals = [1, 4, 16, 64].map(residual);
            let falling = residuals.is_sorted_by(|few, many| *many < few / 3.0);
            assert!(falling && residuals[3] < 2e-4, "{order}, {formula}: residuals {residuals:?}");
        }
    }
}

#[test]
fn substeps_of_one_iteration_beat_iterations_of_one_substep() {
    let mesh = drape(16);
    let schedule = Schedule::for_mesh(&mesh.particles, &mesh.sticks);
    for formula in Formula::ALL {
        let [rms_of_iterations, rms_of_substeps] =
            [(1, 8), (8, 1)].map(|(substeps, iterations)| {
                let step = Step { substeps, iterations, ..Step::default() };
                hang(&mesh, &schedule, formula, &step, 150).rms
            });
        assert!(
            rms_of_substeps < rms_of_iterations / 4.0,
            "{formula}: residual {rms_of_substeps} with 8 substeps, {rms_of_iterations} with 8 iterations"
        );
    }
}
