//! The textbook loop compared with the scalar kernel: different arithmetic, the same physics.

use taut::world::Model;
use taut::{Duplicates, Formula, Particles, Step, Sticks};
use taut_bench::textbook::Textbook;

use crate::fixtures::{arrangement, run_scalar, sheet, shuffled_disc, step};

fn run_textbook(model: &Model, step: &Step<3>, frames: usize) -> Textbook {
    let mut textbook = Textbook::new(&model.particles, &model.sticks);
    for _ in 0..frames {
        textbook.step(step);
    }
    textbook
}

fn bits(point: [f32; 3]) -> [u32; 3] {
    point.map(f32::to_bits)
}

/// A sheet with an initial sideways velocity.
fn moving() -> Model {
    let mut model = sheet();
    for z in model.particles.previous_mut(2) {
        *z -= 0.02;
    }
    model
}

#[test]
fn positions_are_near_those_of_the_scalar_kernel_in_authored_order() {
    for model in [sheet(), moving(), shuffled_disc()] {
        let scalar = run_scalar(&model, arrangement("authored"), Formula::Exact, &step(), 6);
        let textbook = run_textbook(&model, &step(), 6);
        assert_eq!(textbook.particles.len(), scalar.len());
        for (i, particle) in textbook.particles.iter().enumerate() {
            let expected = scalar.position(i);
            let near = |axis: usize| (particle.position[axis] - expected[axis]).abs() < 1e-5;
            assert!(
                (0..3).all(near),
                "particle {i}: {:?}, expected {expected:?}",
                particle.position
            );
        }
    }
}

#[test]
fn pinned_particles_keep_their_bits() {
    let model = sheet();
    let textbook = run_textbook(&model, &step(), 6);
    let inverse_masses = model.particles.inverse_masses();
    for pinned in (0..inverse_masses.len()).filter(|&i| inverse_masses[i] == 0.0) {
        let before = model.particles.position(pinned);
        assert_eq!(bits(textbook.particles[pinned].position), bits(before));
    }
}

#[test]
fn sticks_of_length_0_or_without_a_free_end_move_nothing() {
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let particles = Particles::new(&points, &[1.0, 1.0, 0.0, 0.0]).unwrap();
    let sticks = Sticks::with_rests(4, &[[0, 1], [2, 3]], &[1.0, 1.0], Duplicates::Keep).unwrap();
    let weightless = Step { acceleration: [0.0; 3], ..step() };
    let textbook = run_textbook(&Model::new(particles, sticks), &weightless, 3);
    for (particle, before) in textbook.particles.iter().zip(points) {
        assert_eq!(bits(particle.position), bits(before));
    }
}
