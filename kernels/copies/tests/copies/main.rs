//! A few copies get the same bits on the copies kernel and on the scalar kernel. These meshes are
//! small enough for Miri (`scripts/miri.sh`), which checks that raw pointers follow the aliasing
//! rules. The conformance tests compare more meshes and numbers of copies, on every instruction set and on
//! several threads.

use std::iter::repeat_n;

use taut_copies::CopiesKernel;
use taut_core::{Duplicates, Formula, Kernel, Particles, Plan, PlanError, Schedule, Step, Sticks};
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
    (0..particles.len()).map(|p| particles.position(p).map(f32::to_bits)).collect()
}

#[test]
fn copies_have_the_bits_of_the_scalar_kernel() {
    assert_eq!(run(&CopiesKernel::on(OneLane)), run(&ScalarKernel));
}

#[test]
fn a_schedule_without_copies_is_rejected() {
    let (particles, sticks, _) = ropes();
    let schedule = Schedule::coloured(&sticks);
    let plan = CopiesKernel::on(OneLane).plan(&particles, &sticks, &schedule, Formula::Halley);
    assert_eq!(plan.err(), Some(PlanError::NotCopies));
}
