//! Cases that random changes rarely have: the first particle without a slot, sticks that are all
//! compliant, masses in several groups of copies, coordinates that a stage sets to -0.0.

use taut::{Family, Formula, Kernel, ParticleView, Plan, Schedule, Stage, Step, Sticks};

use crate::configurations::reference;
use crate::live::sheets;
use crate::meshes::{Mesh, Recipe, Shape};
use crate::runner::{InitialState, Outcome, Setup, eight_iterations, rows};
use crate::values::Values;

/// 16 copies of a chain, as many as are stored together.
fn copies() -> (Mesh, Schedule) {
    let mesh: Mesh = Recipe::copies(Shape::Chain(9), 16, 0, Values::Uniform).mesh();
    let schedule = mesh.schedule("copies");
    (mesh, schedule)
}

#[test]
fn changes_of_the_first_added_particle_change_no_other() {
    let step = eight_iterations();
    // No slots of padding follow those of this sheet, where the slots of an axis follow each other.
    let unpadded: Mesh = Recipe::sheet([9, 21], Family::BEND, 0, Values::Uniform).mesh();
    let unpadded_schedule = unpadded.schedule("sheet");
    let meshes = sheets().into_iter().chain([copies(), (unpadded, unpadded_schedule)]);
    for (mesh, schedule) in meshes {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        let alone =
            setup.assert_all_agree("no added particle", |start| start.steps(&step, 4)).particles;
        let all = setup.assert_all_agree("an added particle", |mut start| {
            let added = start.particles.push([1.0, 2.0, 3.0], 1.0).unwrap() as usize;
            start.step(&step);
            start.particles.set_inverse_mass(added, 0.5).unwrap();
            start.step(&step);
            start.particles.set_position(added, [3.0, 2.0, 1.0]).unwrap();
            start.step(&step);
            let InitialState { mut plan, mut particles, sticks } = start;
            let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
            for _ in 0..step.substeps {
                session.integrate();
                session.set_position(added, [-1.0, 0.5, 0.25]);
                session.relax(step.iterations);
            }
            assert_eq!(session.position(added), [-1.0, 0.5, 0.25]);
            let _ = session.finish();
            Outcome { particles, notes: Vec::new() }
        });
        assert!(rows(&all.particles)[..alone.len()] == rows(&alone)[..]);
    }
}

#[test]
fn masses_that_change_in_several_copies_are_all_used() {
    let step = eight_iterations();
    let mesh: Mesh = Recipe::copies(Shape::Chain(9), 40, 0, Values::Uniform).mesh();
    let schedule = mesh.schedule("copies");
    for formula in Formula::ALL {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula };
        setup.assert_all_agree("changed masses", |mut start| {
            start.step(&step);
            // One particle in each of three copies, which are stored in different groups.
            for (copy, particle, inverse_mass) in [(1, 2, 0.25), (20, 5, 4.0), (39, 7, 0.0)] {
                start.particles.set_inverse_mass(copy * 10 + particle, inverse_mass).unwrap();
            }
            start.steps(&step, 2)
        });
    }
}

/// A stage that moves all free particles to x = -0.0.
struct ToNegativeZero;

impl Stage<3> for ToNegativeZero {
    fn run(&self, particles: ParticleView<'_, 3>) {
        let ParticleView { position: [x, ..], inverse_mass, .. } = particles;
        for (x, _) in x.iter_mut().zip(inverse_mass).filter(|(_, w)| **w > 0.0) {
            *x = -0.0;
        }
    }
}

#[test]
fn a_coordinate_that_a_stage_sets_to_negative_zero_is_positive_zero() {
    let step = eight_iterations();
    for (mesh, schedule) in sheets().into_iter().chain([copies()]) {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        setup.assert_all_agree("negative zeros", |start| {
            let InitialState { mut plan, mut particles, sticks } = start;
            particles.push([1.0; 3], 1.0).unwrap(); // without sticks
            let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
            session.integrate();
            session.visit(&ToNegativeZero);
            let is_negative_zero = |x: f32| x.to_bits() == (-0.0_f32).to_bits();
            let in_session = |particle| is_negative_zero(session.position(particle)[0]);
            assert!(!(0..session.len()).any(in_session));
            let _ = session.finish();
            assert!(!particles.positions(0).iter().any(|&x| is_negative_zero(x)));
            Outcome { particles, notes: Vec::new() }
        });
    }
}

#[test]
fn sticks_that_are_all_compliant_follow_the_length_of_the_step() {
    let step = eight_iterations();
    let steps = [step, step, Step { dt: 2.0 * step.dt, ..step }];
    let make_compliant = |sticks: &mut Sticks| {
        (0..sticks.len()).for_each(|stick| sticks.set_compliance(stick, 1e-4).unwrap());
    };
    for (mut mesh, schedule) in sheets().into_iter().chain([copies()]) {
        // Compliant from the second step on, and from before planning on.
        for before_planning in [false, true] {
            if before_planning {
                make_compliant(&mut mesh.sticks);
            }
            let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
            let Mesh { mut particles, mut sticks, .. } = mesh.clone();
            for (index, step) in steps.iter().enumerate() {
                if index == 1 {
                    make_compliant(&mut sticks);
                }
                let plan = reference().plan(&particles, &sticks, &schedule, setup.formula);
                let _ = plan.unwrap().step(&mut particles, &sticks, step).unwrap();
            }
            let expected = Outcome { particles, notes: Vec::new() };
            setup.assert_all_agree_with(&expected, "compliant sticks", |start| {
                let InitialState { mut plan, mut particles, mut sticks } = start;
                for (index, step) in steps.iter().enumerate() {
                    if index == 1 {
                        make_compliant(&mut sticks);
                    }
                    let _ = plan.step(&mut particles, &sticks, step).unwrap();
                }
                Outcome { particles, notes: Vec::new() }
            });
        }
    }
}
