//! A step taken apart is the same step.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use taut::world::{Scene, StickSet};
use taut::{Formula, Plan, Real, Schedule, Step};

use crate::meshes::{Manner, Mesh, Recipe};
use crate::play::{Ending, Setup, all_agree, all_end_as, any_step, for_all, rows};

/// How a session ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Finished,
    Dropped,
}

#[test]
fn a_step_by_hand_is_the_step() {
    fn check<const D: usize>() {
        let cases = (Recipe::any(Manner::Wild), any::<Index>(), any_step::<D>());
        for_all(100, cases, |(recipe, order, step)| {
            let mesh = recipe.mesh();
            let schedules = mesh.schedules();
            let (order, schedule) = order.get(&schedules);
            for formula in Formula::ALL {
                let setup = Setup { mesh: &mesh, schedule, formula };
                let expected = all_agree(order, |kernel| setup.steps(kernel, &step, 2));
                for at_once in [true, false] {
                    all_end_as(&expected, order, |kernel| {
                        let (mut plan, mut particles, sticks) = setup.plan(kernel);
                        let mut notes = Vec::new();
                        for _ in 0..2 {
                            let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
                            for _ in 0..step.substeps {
                                session.integrate();
                                if at_once {
                                    session.relax(step.iterations);
                                } else {
                                    (0..step.iterations).for_each(|_| session.relax(1));
                                }
                            }
                            notes.push(u64::from(session.finish().finite));
                        }
                        Ending { particles, notes }
                    });
                }
            }
        });
    }
    check::<2>();
    check::<3>();
}

/// What a host does in a session.
#[derive(Clone, Debug)]
enum Act {
    Integrate,
    Relax(u32),
    Read(Index),
    Move(Index, [f32; 3]),
}

impl Act {
    fn any() -> impl Strategy<Value = Self> {
        let x = prop_oneof![1 => Just(-0.0_f32), 1 => Just(f32::INFINITY), 20 => -3.0..3.0_f32];
        prop_oneof![
            2 => Just(Self::Integrate),
            2 => (0..3_u32).prop_map(Self::Relax),
            3 => any::<Index>().prop_map(Self::Read),
            2 => (any::<Index>(), proptest::array::uniform3(x))
                .prop_map(|(particle, point)| Self::Move(particle, point)),
        ]
    }
}

/// Plays the acts and notes what is read.
fn act<const D: usize>(
    setup: &Setup<D>,
    step: &Step<D>,
    acts: &[Act],
    end: End,
    kernel: &taut::AnyKernel,
) -> Ending<D> {
    let (mut plan, mut particles, sticks) = setup.plan(kernel);
    let mut notes = Vec::new();
    let mut session = plan.session(&mut particles, &sticks, step).unwrap();
    for act in acts {
        let len = session.len();
        match act {
            Act::Integrate => session.integrate(),
            Act::Relax(iterations) => session.relax(*iterations),
            _ if session.is_empty() => {}
            Act::Read(which) => {
                notes.extend(session.position(which.index(len)).map(Real::canonical_bits));
            }
            Act::Move(which, point) => {
                let point = std::array::from_fn(|axis| point[axis]);
                session.set_position(which.index(len), point);
            }
        }
    }
    if end == End::Finished {
        let status = session.finish();
        let all_finite = (0..D).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
        assert_eq!(status.finite, all_finite);
    } else {
        drop(session);
    }
    Ending { particles, notes }
}

#[test]
fn whatever_is_done_in_a_session_kernels_agree_and_dropping_is_finishing() {
    fn check<const D: usize>() {
        let formula = proptest::sample::select(&Formula::ALL[..]);
        let acts = vec(Act::any(), 0..16);
        let cases = (Recipe::any(Manner::Wild), any::<Index>(), formula, any_step::<D>(), acts);
        for_all(300, cases, |(recipe, order, formula, step, acts)| {
            let mesh = recipe.mesh();
            let schedules = mesh.schedules();
            let (order, schedule) = order.get(&schedules);
            let setup = Setup { mesh: &mesh, schedule, formula };
            let finished =
                all_agree(order, |kernel| act(&setup, &step, &acts, End::Finished, kernel));
            all_end_as(&finished, order, |kernel| act(&setup, &step, &acts, End::Dropped, kernel));
        });
    }
    check::<2>();
    check::<3>();
}

#[test]
fn positions_can_be_read_before_integration_and_moves_are_seen_by_the_next_relaxation() {
    let mesh: Mesh = Scene::drape(6, StickSet::Structural).unwrap().into();
    let schedule = Schedule::coloured(&mesh.sticks);
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Exact };
    let step = Step::default();
    all_agree("a particle lifted between iterations", |kernel| {
        let (mut plan, mut particles, sticks) = setup.plan(kernel);
        let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
        assert_eq!(session.len(), 36);
        for particle in 0..36 {
            assert_eq!(session.position(particle), mesh.particles.position(particle));
        }
        session.integrate();
        session.relax(1);
        let [lifted, neighbour] = [20, 21].map(|particle| session.position(particle));
        session.set_position(20, [lifted[0], lifted[1], lifted[2] + 1.0]);
        assert_eq!(session.position(20), [lifted[0], lifted[1], lifted[2] + 1.0]);
        assert_eq!(session.position(21), neighbour);
        session.relax(1);
        // The neighbour is drawn after it, and draws it back.
        assert!(session.position(20)[2] < lifted[2] + 0.99);
        assert!(session.position(21)[2] > neighbour[2] + 0.01);
        let last: Vec<[f32; 3]> = (0..36).map(|particle| session.position(particle)).collect();
        let status = session.finish();
        for (particle, point) in last.into_iter().enumerate() {
            assert_eq!(particles.position(particle), point);
        }
        Ending { particles, notes: vec![u64::from(status.finite)] }
    });
}

#[test]
fn a_session_that_is_forgotten_leaves_the_plan_sound() {
    let mesh: Mesh = Scene::drape(6, StickSet::All).unwrap().into();
    let schedule = Schedule::coloured(&mesh.sticks);
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let step = Step::default();
    let expected = all_agree("a step", |kernel| setup.steps(kernel, &step, 1));
    all_end_as(&expected, "a step after a session was forgotten", |kernel| {
        let (mut plan, mut particles, sticks) = setup.plan(kernel);
        let mut other = particles.clone();
        let mut session = plan.session(&mut other, &sticks, &step).unwrap();
        session.integrate();
        session.relax(2);
        std::mem::forget(session);
        assert!(rows(&other).iter().zip(rows(&particles)).all(|(a, b)| a[0] == b[0]));
        let status = plan.step(&mut particles, &sticks, &step).unwrap();
        Ending { particles, notes: vec![u64::from(status.finite)] }
    });
}
