//! Compliant sticks: how far they stretch under a weight.

use taut_core::{Duplicates, Formula, Particles, Sticks};
use taut_world::Model;

use crate::make::{scene, steps, world};

/// The sag, m, of a weight of `mass` kg on a compliant stick with a rest length of 1 m.
fn sag(compliance: f32, mass: f32, substeps: u32, iterations: u32, formula: Formula) -> f64 {
    let points = [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    let particles = Particles::new(&points, &[0.0, 1.0 / mass]).unwrap();
    let mut sticks = Sticks::joining(&particles, &[[0, 1]], Duplicates::Keep).unwrap();
    sticks.set_compliance(0, compliance).unwrap();
    let mut scene = scene("weight", Model::new(particles, sticks));
    scene.formula = formula;
    scene.settings.step.substeps = substeps;
    scene.settings.step.iterations = iterations;
    scene.settings.step.damping_rate = 41.6; // halves velocities in 1/60 s
    let mut world = world(&scene);
    steps(&mut world, 600);
    -1.0 - f64::from(world.position(1)[1])
}

#[test]
fn a_weight_sags_by_compliance_times_weight_at_any_number_of_substeps() {
    for formula in [Formula::Exact, Formula::Halley] {
        for (compliance, mass) in [(1e-3, 1.0), (1e-2, 1.0), (1e-3, 5.0)] {
            let expected = f64::from(compliance) * f64::from(mass) * 9.81;
            for substeps in [1, 2, 4, 8, 16] {
                let sag = sag(compliance, mass, substeps, 1, formula);
                let error = (sag - expected).abs() / expected;
                assert!(
                    error < 0.01,
                    "{formula}, {substeps} substeps: {sag} m, expected {expected} m"
                );
            }
        }
    }
}

#[test]
fn more_iterations_make_a_compliant_stick_stiffer() {
    let [one, many] = [1, 8].map(|iterations| sag(1e-2, 1.0, 2, iterations, Formula::Exact));
    assert!(many < 0.5 * one, "{one} m with one iteration, {many} m with eight");
}
