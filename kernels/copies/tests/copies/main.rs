//! A few copies get the same bits on the copies kernel and on the scalar kernel. These meshes are
//! small enough for Miri (`scripts/miri.sh`), which checks that raw pointers follow the aliasing
//! rules. The conformance tests compare more meshes and numbers of copies, on every instruction set and on
//! several threads.

use std::iter::repeat_n;

use taut_copies::CopiesKernel;
use taut_core::{
    Duplicates, Formula, Kernel, Kind, Particles, Plan, PlanError, Schedule, Step, Sticks,
};
use taut_lanes::OneLane;
use taut_scalar::ScalarKernel;

/// More than one group of 16.
const COPIES: usize = 18;
const PARTICLES: usize = 5;

/// [`COPIES`] ropes of [`PARTICLES`] particles, each pinned at its first particle.
fn ropes() -> (Particles<3>, Sticks, Schedule) {
    let points: Vec<[f32; 3]> =
        (0..PARTICLES).map(|p| [0.1 * p as f32, 0.0, 0.01 * p as f32]).collect();
    let inverse_masses: Vec<f32> = (0..PARTICLES).map(|p| f32::from(u8::from(p > 0))).collect();
    let rope = Particles::new(&points, &inverse_masses).unwrap();
    let pairs: Vec<[u32; 2]> = (1..PARTICLES as u32).map(|p| [p - 1, p]).collect();
    let sticks = Sticks::joining(&rope, &pairs, Duplicates::Keep).unwrap();
    let schedule = Schedule::coloured(&sticks);
    let ropes = Particles::side_by_side(repeat_n(&rope, COPIES)).unwrap();
    let sticks = Sticks::side_by_side(repeat_n(&sticks, COPIES)).unwrap();
    let schedule = Schedule::side_by_side(&sticks, repeat_n(&schedule, COPIES)).unwrap();
    (ropes, sticks, schedule)
}

/// Runs a step, a session that moves a particle, and a step after changes that make copies
/// different. Returns the bits of the positions.
fn run(kernel: &impl Kernel<3>) -> Vec<[u32; 3]> {
    let (mut particles, mut sticks, schedule) = ropes();
    let mut plan = kernel.plan(&particles, &sticks, &schedule, Formula::Halley).unwrap();
    let step = Step { substeps: 3, ..Step::default() };
    assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);

    let mut session = plan.session(&mut particles, &sticks, &step).unwrap();
    session.integrate();
    let moved = session.position(7).map(|x| x + 0.05);
    session.set_position(7, moved);
    session.relax(2);
    assert!(session.finish().finite);

    particles.set_inverse_mass(17 * PARTICLES + 2, 0.5).unwrap();
    sticks.set_rest(3, 0.2).unwrap();
    sticks.tear(9).unwrap();
    assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
    bits(&particles)
}

fn bits(particles: &Particles<3>) -> Vec<[u32; 3]> {
    (0..particles.len()).map(|p| particles.position(p).map(f32::to_bits)).collect()
}

/// The bits after each of several steps. Before them, properties of all copies change together, then
/// those of one copy, then these become equal to the others again; and the step length changes.
fn run_with_changes(kernel: &impl Kernel<3>, formula: Formula) -> Vec<Vec<[u32; 3]>> {
    let (mut particles, mut sticks, schedule) = ropes();
    let mut plan = kernel.plan(&particles, &sticks, &schedule, formula).unwrap();
    let per_copy = PARTICLES - 1;
    let mut results = Vec::new();
    for change in 0..14 {
        let in_all_copies = |stick: usize| (0..COPIES).map(move |copy| copy * per_copy + stick);
        match change {
            1 => in_all_copies(0).for_each(|stick| sticks.set_compliance(stick, 1e-4).unwrap()),
            2 => in_all_copies(1).for_each(|stick| sticks.set_kind(stick, Kind::Maximum).unwrap()),
            3 => sticks.set_compliance(2 * per_copy, 3e-4).unwrap(),
            4 => sticks.set_rest(5 * per_copy + 2, 0.15).unwrap(),
            5 => particles.set_inverse_mass(3 * PARTICLES + 3, 0.25).unwrap(),
            6 => sticks.set_compliance(2 * per_copy, 1e-4).unwrap(),
            7 => particles.set_inverse_mass(3 * PARTICLES + 3, 1.0).unwrap(),
            8 => in_all_copies(3).for_each(|stick| sticks.tear(stick).unwrap()),
            9 => sticks.set_stiffness(5 * per_copy + 2, 0.5).unwrap(),
            10 => particles.set_inverse_mass(17 * PARTICLES + 4, 0.0).unwrap(),
            11 => in_all_copies(3).for_each(|stick| sticks.mend(stick).unwrap()),
            12 => particles.set_inverse_mass(17 * PARTICLES + 4, 1.0).unwrap(),
            13 => sticks.set_rest(5 * per_copy + 2, sticks.rest(2)).unwrap(),
            _ => {}
        }
        let dt = if change % 3 == 2 { 0.01 } else { 1.0 / 60.0 };
        let step = Step { dt, substeps: 2, ..Step::default() };
        assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
        results.push(bits(&particles));
    }
    results
}

#[test]
fn copies_have_the_bits_of_the_scalar_kernel() {
    assert_eq!(run(&CopiesKernel::on(OneLane)), run(&ScalarKernel));
}

#[test]
fn copies_that_differ_and_become_equal_again_have_the_bits_of_the_scalar_kernel() {
    for formula in Formula::ALL {
        let copies = run_with_changes(&CopiesKernel::on(OneLane), formula);
        assert_eq!(copies, run_with_changes(&ScalarKernel, formula), "{formula}");
    }
}

#[test]
fn a_schedule_without_copies_is_rejected() {
    let (particles, sticks, _) = ropes();
    let schedule = Schedule::coloured(&sticks);
    let plan = CopiesKernel::on(OneLane).plan(&particles, &sticks, &schedule, Formula::Halley);
    assert_eq!(plan.err(), Some(PlanError::NotCopies));
}
