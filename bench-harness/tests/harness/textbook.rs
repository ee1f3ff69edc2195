//! The textbook loop against the scalar kernel: another arithmetic, the same physics.

use taut::world::Model;
use taut::{Duplicates, Formula, Particles, Step, Sticks};
use taut_bench::textbook::Textbook;

use crate::make::{arrangement, by_hand, sheet, shuffled_disc, step};

fn after(model: &Model, step: &Step<3>, frames: usize) -> Textbook {
    let mut textbook = Textbook::new(&model.particles, &model.sticks);
    for _ in 0..frames {
        textbook.step(step);
    }
    textbook
}

fn bits(point: [f32; 3]) -> [u32; 3] {
    point.map(f32::to_bits)
}

/// A sheet that flies sideways from the start.
fn moving() -> Model {
    let mut model = sheet();
    for z in model.particles.previous_mut(2) {
        *z -= 0.02;
    }
    model
}

#[test]
fn the_textbook_goes_where_the_scalar_kernel_goes_in_authored_order() {
    for model in [sheet(), moving(), shuffled_disc()] {
        let kernel = by_hand(&model, arrangement("authored"), Formula::Exact, &step(), 6);
        let textbook = after(&model, &step(), 6);
        assert_eq!(textbook.particles.len(), kernel.len());
        for (i, particle) in textbook.particles.iter().enumerate() {
            let expected = kernel.position(i);
            let near = |axis: usize| (particle.position[axis] - expected[axis]).abs() < 1e-5;
            assert!((0..3).all(near), "particle {i}: {:?}, not {expected:?}", particle.position);
        }
    }
}

#[test]
fn pinned_particles_keep_their_bits() {
    let model = sheet();
    let textbook = after(&model, &step(), 6);
    let masses = model.particles.inverse_masses();
    for pinned in (0..masses.len()).filter(|&i| masses[i] == 0.0) {
        let before = model.particles.position(pinned);
        assert_eq!(bits(textbook.particles[pinned].position), bits(before));
    }
}

#[test]
fn sticks_without_a_direction_or_a_free_end_move_nothing() {
    let points = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let particles = Particles::new(&points, &[1.0, 1.0, 0.0, 0.0]).unwrap();
    let sticks = Sticks::with_rests(4, &[[0, 1], [2, 3]], &[1.0, 1.0], Duplicates::Keep).unwrap();
    let weightless = Step { acceleration: [0.0; 3], ..step() };
    let textbook = after(&Model::new(particles, sticks), &weightless, 3);
    for (particle, before) in textbook.particles.iter().zip(points) {
        assert_eq!(bits(particle.position), bits(before));
    }
}
