//! The parts of the kernel contract that the core provides: steps and sessions made of a
//! plan's own methods.

use taut_core::{
    Executor, Inline, Motion, Particles, Plan, PlanError, Status, Step, StepError, Sticks,
};

use crate::meshes::{at, joined};

/// Writes down what it is asked to do.
#[derive(Default)]
struct Recorder {
    calls: Vec<String>,
    refuses: bool,
}

impl Plan<2> for Recorder {
    fn begin(
        &mut self,
        _: &mut Particles<2>,
        _: &Sticks,
        motion: &Motion<2>,
    ) -> Result<(), PlanError> {
        self.calls.push(format!("begin {:.0}", motion.inverse_h2));
        if self.refuses { Err(PlanError::OtherSticks { stick: 7 }) } else { Ok(()) }
    }

    fn integrate(&mut self, _: &mut Particles<2>, _: &dyn Executor) {
        self.calls.push("integrate".into());
    }

    fn relax(&mut self, _: &mut Particles<2>, iterations: u32, _: &dyn Executor) {
        self.calls.push(format!("relax {iterations}"));
    }

    fn position(&self, particles: &Particles<2>, particle: usize) -> [f32; 2] {
        particles.position(particle)
    }

    fn set_position(&mut self, particles: &mut Particles<2>, particle: usize, point: [f32; 2]) {
        (0..2).for_each(|axis| particles.positions_mut(axis)[particle] = point[axis]);
    }

    fn finish(&mut self, _: &mut Particles<2>, executor: &dyn Executor) -> Status {
        self.calls.push(format!("finish on {}", executor.threads()));
        Status { finite: true }
    }
}

fn two() -> (Particles<2>, Sticks) {
    (at(&[[0.0, 0.0], [1.0, 0.0]]), joined(2, &[[0, 1]]))
}

fn step() -> Step<2> {
    Step { dt: 0.2, substeps: 2, iterations: 3, ..Step::default() }
}

#[test]
fn a_step_integrates_then_relaxes_each_substep() {
    let (mut particles, sticks) = two();
    let mut plan = Recorder::default();
    let status = plan.step(&mut particles, &sticks, &step()).unwrap();
    assert!(status.finite);
    let expected = ["begin 100", "integrate", "relax 3", "integrate", "relax 3", "finish on 1"];
    assert_eq!(plan.calls, expected);
}

#[test]
fn a_step_that_is_not_sane_or_not_the_plans_does_nothing() {
    let (mut particles, sticks) = two();
    let mut plan = Recorder::default();
    let bad = Step { substeps: 0, ..step() };
    assert_eq!(plan.step(&mut particles, &sticks, &bad), Err(StepError::NoSubsteps));
    assert!(plan.session(&mut particles, &sticks, &bad).is_err());
    assert_eq!(plan.calls, [""; 0]);

    plan.refuses = true;
    let refused = PlanError::OtherSticks { stick: 7 };
    let outcome = plan.step(&mut particles, &sticks, &step());
    assert_eq!(outcome, Err(StepError::Plan(refused)));
    assert!(plan.session(&mut particles, &sticks, &step()).is_err());
    assert_eq!(plan.calls, ["begin 100"; 2], "nothing to finish");
}

#[test]
fn a_session_is_finished_once_even_when_dropped() {
    let (mut particles, sticks) = two();
    let mut plan = Recorder::default();
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    session.integrate();
    session.relax(5);
    assert!(session.finish().finite);
    assert_eq!(plan.calls, ["begin 100", "integrate", "relax 5", "finish on 1"]);

    plan.calls.clear();
    drop(plan.session(&mut particles, &sticks, &step()).unwrap());
    assert_eq!(plan.calls, ["begin 100", "finish on 1"]);
}

#[test]
fn a_session_shows_and_moves_positions_without_negative_zeros() {
    let (mut particles, sticks) = two();
    let mut plan = Recorder::default();
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    assert_eq!((session.len(), session.is_empty()), (2, false));
    assert_eq!(session.position(1), [1.0, 0.0]);
    session.set_position(1, [2.0, -0.0]);
    assert_eq!(session.position(1).map(f32::to_bits), [2.0_f32, 0.0].map(f32::to_bits));
    drop(session);
    assert_eq!(particles.position(1), [2.0, 0.0]);
    assert_eq!(particles.previous(0), [0.0, 1.0], "so it has gained velocity");
}

#[test]
fn inline_is_the_calling_thread_alone() {
    let calls = std::sync::Mutex::new(Vec::new());
    let note = |number| calls.lock().unwrap().push((number, std::thread::current().id()));
    Inline.run(4, &note);
    assert_eq!(calls.into_inner().unwrap(), [(0, std::thread::current().id())]);
    assert_eq!(Inline.threads(), 1);
}
