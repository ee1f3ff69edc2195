//! The status of a step, and particles that must not move.

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Family, Formula, Kernel, Particles, Plan, Step};

use crate::meshes::{Mesh, Pattern, Recipe, Shape};
use crate::runner::{InitialState, Outcome, Setup, eight_iterations, rows};
use crate::sessions::sheets;
use crate::values::Values;

/// Runs steps, and checks that each status says whether all positions are finite.
fn checked_steps<const D: usize>(
    mut start: InitialState<D>,
    step: &Step<D>,
    steps: usize,
) -> Outcome<D>
where
    AnyKernel: Kernel<D>,
{
    let mut notes = Vec::new();
    for _ in 0..steps {
        notes.push(start.step(step));
        let column_is_finite = |axis| start.particles.positions(axis).iter().all(|x| x.is_finite());
        let finite = (0..D).all(column_is_finite);
        assert_eq!(notes.last(), Some(&u64::from(finite)));
    }
    Outcome { particles: start.particles, notes }
}

#[test]
fn one_position_that_is_not_finite_is_reported_in_the_same_step() {
    fn check<const D: usize>()
    where
        AnyKernel: Kernel<D>,
    {
        for count in [1, 2, 15, 16, 17, 33, 64] {
            // A sheet without sticks: all kernels can run it, and one particle affects no other.
            let unconnected: Mesh<D> = Recipe::sheet([count, 1], &[], 0, Values::Moderate).mesh();
            let schedule = unconnected.schedule("sheet");
            for particle in 0..count {
                for axis in 0..D {
                    for (x, previous) in [
                        (f32::NAN, 0.0),
                        (f32::NEG_INFINITY, 0.0),
                        // Not finite after two steps: 1e38, 2e38, 3e38, then infinity.
                        (2e38, 1e38),
                    ] {
                        let mut mesh = unconnected.clone();
                        mesh.particles.set_inverse_mass(particle, 1.0).unwrap();
                        mesh.particles.positions_mut(axis)[particle] = x;
                        mesh.particles.previous_mut(axis)[particle] = previous;
                        let formula = Formula::Halley;
                        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
                        let step = Step { damping_rate: 0.0, ..eight_iterations() };
                        let case = format!("{count} particles, {particle} at {x} on axis {axis}");
                        let outcome =
                            setup.assert_all_agree(&case, |start| checked_steps(start, &step, 3));
                        let expected = if x == 2e38 { [1, 0, 0] } else { [0, 0, 0] };
                        assert_eq!(outcome.notes, expected, "{case}");
                    }
                }
            }
        }
    }
    check::<2>();
    check::<3>();
}

#[test]
fn finite_positions_whose_sum_is_infinite_are_finite() {
    let sheets =
        [2, 17, 64].map(|count| (Recipe::sheet([count, 1], &[], 0, Values::Uniform), "sheet"));
    let copies = Recipe::copies(Shape::Chain(1), 20, 0, Values::Uniform);
    for (recipe, order) in sheets.into_iter().chain([(copies, "copies")]) {
        let mut mesh: Mesh = recipe.mesh();
        mesh.particles.positions_mut(0).fill(2e38);
        mesh.particles.previous_mut(0).fill(2e38);
        let schedule = mesh.schedule(order);
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        let outcome = setup.assert_all_agree(order, |mut start| {
            for _ in 0..2 {
                let added = start.particles.push([0.0; 3], 1.0).unwrap() as usize;
                start.particles.positions_mut(0)[added] = 2e38;
                start.particles.previous_mut(0)[added] = 2e38;
            }
            checked_steps(start, &eight_iterations(), 2)
        });
        assert_eq!(outcome.notes, [1, 1]);
    }
}

#[test]
fn all_kernels_report_a_blow_up_in_the_same_step() {
    // One particle on weak sticks flies off until the square of a length is infinite in `f32`.
    let mut mesh: Mesh = Recipe::sheet([9, 9], Family::STRUCTURAL, 0, Values::Moderate).mesh();
    for stick in 0..mesh.sticks.len() {
        mesh.sticks.set_stiffness(stick, 0.01).unwrap();
    }
    let free = mesh.particles.inverse_masses().iter().position(|&w| w > 0.0).unwrap();
    mesh.particles.previous_mut(0)[free] = 6e18;
    let schedule = mesh.schedule("sheet");
    let step = Step { substeps: 1, iterations: 1, damping_rate: 0.0, ..Step::default() };
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let outcome = setup.assert_all_agree("a blow-up", |start| checked_steps(start, &step, 6));
        assert_eq!((outcome.notes[0], outcome.notes[5]), (1, 0), "{formula}: {:?}", outcome.notes);
    }
}

#[test]
fn pinned_particles_never_move() {
    let shapes = vec![Shape::Grid(7, 6), Shape::Star(20), Shape::Complete(8)];
    let step =
        Step { acceleration: [300.0, -900.0, 200.0], damping_rate: 0.0, ..eight_iterations() };
    for pattern in [Pattern::Shapes(shapes), Pattern::Sheet(10, 9, Family::SHEAR)] {
        let recipe =
            Recipe { pattern, duplicates: 5, non_plain: 20, values: Values::Moderate, seed: 11 };
        let mut mesh: Mesh = recipe.mesh();
        // Very light, very heavy and ordinary particles alternate.
        for particle in 0..mesh.particles.len() {
            if mesh.particles.inverse_masses()[particle] > 0.0 {
                let inverse_mass = [1e9, 1e-9, 1.0][particle % 3];
                mesh.particles.set_inverse_mass(particle, inverse_mass).unwrap();
            }
        }
        // A velocity that the host sets does not move pinned particles either.
        for previous in mesh.particles.previous_mut(1) {
            *previous += 0.5;
        }
        let (_, schedule) = mesh.schedules().pop().unwrap();
        for formula in Formula::ALL {
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
            let outcome = setup.assert_all_agree("masses of any magnitude", |start| {
                checked_steps(start, &step, 100)
            });
            assert!(outcome.notes.iter().all(|&finite| finite == 1), "{formula}");
            let [before, after] = [&mesh.particles, &outcome.particles].map(rows);
            let (mut pinned, mut moved) = (0, 0);
            for (particle, &inverse_mass) in mesh.particles.inverse_masses().iter().enumerate() {
                if inverse_mass == 0.0 {
                    assert_eq!(
                        after[particle], [before[particle][0]; 2],
                        "{formula}: particle {particle}"
                    );
                    pinned += 1;
                } else {
                    moved += usize::from(after[particle][0] != before[particle][0]);
                }
            }
            assert!(pinned >= 5 && moved >= 40, "{formula}: {pinned} pinned, {moved} moved");
        }
    }
}

#[test]
fn a_pinned_particle_that_the_host_moves_drags_the_sheet_along() {
    let mut mesh = Mesh::from(Model::drape(6, StickSet::All).unwrap());
    (1..6).for_each(|particle| mesh.particles.set_inverse_mass(particle, 1.0).unwrap());
    let schedule = mesh.schedule("sheet");
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        let outcome =
            setup.assert_all_agree("the host moves a particle by ten metres", |mut start| {
                let mut notes = Vec::new();
                for step in 1..=300_u16 {
                    let x = f32::from(step) / 30.0;
                    start.particles.set_position(0, [x, 0.0, 0.0]).unwrap();
                    notes.push(start.step(&eight_iterations()));
                }
                Outcome { particles: start.particles, notes }
            });
        assert_eq!(outcome.particles.position(0), [10.0, 0.0, 0.0]);
        let distance = largest_distance(&outcome.particles, [10.0, 0.0, 0.0]);
        assert!(distance < 1.0, "{formula}: a particle is {distance} m away");
    }
}

fn largest_distance(particles: &Particles<3>, from: [f32; 3]) -> f32 {
    let distance = |particle| {
        let point = particles.position(particle);
        (0..3).map(|axis| (point[axis] - from[axis]).powi(2)).sum::<f32>().sqrt()
    };
    (0..particles.len()).map(distance).fold(0.0, f32::max)
}

#[test]
fn a_position_set_to_a_value_that_is_not_finite_is_reported() {
    let step = eight_iterations();
    for (mesh, schedule) in &sheets() {
        let setup = Setup { mesh, schedule, formula: Formula::Halley };
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for (particle, axis) in [(0, 0), (20, 1), (35, 2)] {
                setup.assert_all_agree("a position that is not finite", |start| {
                    let InitialState { mut plan, mut particles, sticks } = start;
                    let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
                    session.integrate();
                    session.relax(1);
                    let mut point = session.position(particle);
                    point[axis] = x;
                    session.set_position(particle, point);
                    session.relax(1);
                    let finite = session.finish().finite;
                    assert!(!finite, "particle {particle} at {x} on axis {axis}");
                    Outcome { particles, notes: Vec::new() }
                });
            }
        }
    }
}
