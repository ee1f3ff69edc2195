//! Simulations converge, and are stable where that is documented.

use taut::world::{Model, StickSet};
use taut::{Formula, Kernel, Plan, Schedule, Step, Stretch};

use crate::configurations::reference;
use crate::meshes::Mesh;

/// The outcome of a hanging sheet.
struct Hung {
    /// The residual in the end.
    rms: f64,
    /// The largest residual there was, looked at every tenth step; infinite if a position
    /// was not finite.
    worst_rms: f64,
}

fn drape(size: usize) -> Mesh {
    Model::drape(size, StickSet::All).unwrap().into()
}

/// Steps until something is not finite; all kernels give these bits, and the reference gives
/// them fast in a build that is not optimized.
fn hang(mesh: &Mesh, schedule: &Schedule, formula: Formula, step: &Step<3>, steps: usize) -> Hung {
    let Mesh { mut particles, sticks, .. } = mesh.clone();
    let mut plan = reference().plan(&particles, &sticks, schedule, formula).unwrap();
    let mut worst_rms = 0.0_f64;
    for at in 0..steps {
        if !plan.step(&mut particles, &sticks, step).unwrap().finite {
            return Hung { rms: f64::INFINITY, worst_rms: f64::INFINITY };
        }
        if at % 10 == 9 {
            worst_rms = worst_rms.max(Stretch::of(&particles, &sticks).residual_rms());
        }
    }
    Hung { rms: Stretch::of(&particles, &sticks).residual_rms(), worst_rms }
}

fn one_iteration() -> Step<3> {
    Step { substeps: 1, iterations: 1, ..Step::default() }
}

#[test]
fn with_one_iteration_blocks_colours_and_bands_stay_bounded() {
    for (size, bound) in [(64, 1.5), (128, 3.0)] {
        let mesh = drape(size);
        let mut rms = Vec::new();
        for order in ["blocked", "coloured", "sheet", "banded"] {
            let hung = hang(&mesh, &mesh.schedule(order), Formula::Halley, &one_iteration(), 300);
            assert!(hung.worst_rms < bound, "{order}, {size}: {}", hung.worst_rms);
            rms.push(hung.rms);
        }
        // One direction after the other, in bands, converges better than colours do.
        assert!(rms[2] < 0.8 * rms[1] && rms[3] < 0.8 * rms[1], "{size}: {rms:?}");
    }
}

/// Why [`Schedule::authored`] carries a warning, and why Halley is the default.
#[test]
fn with_one_iteration_authored_order_explodes_and_halley_last() {
    let explodes = |size, formula| {
        let mesh = drape(size);
        let hung = hang(&mesh, &Schedule::authored(&mesh.sticks), formula, &one_iteration(), 300);
        hung.worst_rms > 1e6
    };
    assert!(explodes(64, Formula::Exact));
    assert!(explodes(64, Formula::Newton));
    assert!(!explodes(64, Formula::Halley));
    assert!(explodes(128, Formula::Exact));
    assert!(explodes(128, Formula::Halley));
}

#[test]
fn more_iterations_leave_smaller_residuals_down_to_almost_none() {
    let mesh = drape(12);
    for order in ["banded", "blocked", "packed", "sheet"] {
        let schedule = mesh.schedule(order);
        for formula in Formula::ALL {
            let residual = |iterations| {
                let step = Step { substeps: 1, iterations, ..Step::default() };
                hang(&mesh, &schedule, formula, &step, 150).rms
            };
            let residuals = [1, 4, 16, 64].map(residual);
            let falling = residuals.is_sorted_by(|few, many| *many < few / 3.0);
            assert!(falling && residuals[3] < 2e-4, "{order}, {formula}: {residuals:?}");
        }
    }
}

#[test]
fn substeps_of_one_iteration_beat_iterations_of_one_step() {
    let mesh = drape(16);
    let schedule = Schedule::for_mesh(&mesh.particles, &mesh.sticks);
    for formula in Formula::ALL {
        let [iterations, substeps] = [(1, 8), (8, 1)].map(|(substeps, iterations)| {
            let step = Step { substeps, iterations, ..Step::default() };
            hang(&mesh, &schedule, formula, &step, 150).rms
        });
        assert!(substeps < iterations / 4.0, "{formula}: {substeps} and {iterations}");
    }
}
