//! The parts of the kernel contract that taut-core provides: steps, sessions and boxed engines, which
//! call the methods of an engine.

use std::sync::{Arc, Mutex};

use taut_core::{
    BoxedPlan, Engine, Executor, Formula, Inline, Kernel, ParticleView, Particles, Plan, PlanError,
    Schedule, Stage, Status, Step, StepError, Sticks, Substeps,
};

use crate::meshes::{particles_at, unit_sticks};

/// An engine that records the calls of its methods.
#[derive(Default)]
struct Recorder {
    calls: Calls,
    /// Whether methods that can fail return an error.
    rejects: bool,
}

/// Recorded calls, which all clones share.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    fn push(&self, call: String) {
        self.0.lock().unwrap().push(call);
    }

    /// Returns the calls and forgets them.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Recorder {
    fn record(&mut self, call: String) -> Result<(), PlanError> {
        self.calls.push(call);
        if self.rejects { Err(PlanError::OtherSticks { stick: 7 }) } else { Ok(()) }
    }
}

impl Engine<2> for Recorder {
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    fn sync_in(&mut self, _: &mut Particles<2>, _: &Sticks) -> Result<(), PlanError> {
        self.record("sync in".into())
    }

    fn advance(
        &mut self,
        _: &dyn Executor,
        _: &mut Particles<2>,
        _: &Sticks,
        substeps: &Substeps<'_, 2>,
    ) -> Result<(), PlanError> {
        let Substeps { motion, count, iterations, .. } = substeps;
        self.record(format!("advance {count} x {iterations}, 1/h² {:.0}", motion.inverse_h2))
    }

    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<2>,
        sticks: &Sticks,
        substeps: &Substeps<'_, 2>,
    ) -> Result<Status, PlanError> {
        self.calls.push("advance and write back".into());
        self.advance(executor, particles, sticks, substeps)?;
        Ok(self.write_back(executor, particles))
    }

    fn relax(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<2>,
        sticks: &Sticks,
        inverse_h2: f32,
        iterations: u32,
    ) -> Result<(), PlanError> {
        let (needed, particles) = (sticks.particles(), particles.len());
        if particles < needed {
            return Err(PlanError::TooFewParticles { needed, particles });
        }
        self.record(format!("relax {iterations}, 1/h² {inverse_h2:.0}"))
    }

    fn visit(
        &mut self,
        _: &dyn Executor,
        particles: &mut Particles<2>,
        _: &Sticks,
        stage: &dyn Stage<2>,
    ) -> Result<(), PlanError> {
        particles.visit(stage);
        self.record("visit".into())
    }

    fn position(&self, particles: &Particles<2>, particle: usize) -> [f32; 2] {
        particles.position(particle)
    }

    fn set_position(&mut self, particles: &mut Particles<2>, particle: usize, point: [f32; 2]) {
        for (axis, x) in point.into_iter().enumerate() {
            particles.positions_mut(axis)[particle] = x;
        }
    }

    fn write_back(&mut self, executor: &dyn Executor, _: &mut Particles<2>) -> Status {
        self.calls.push(format!("write back, threads {}", executor.threads()));
        Status { finite: true }
    }

    fn write_back_inline(&mut self, _: &mut Particles<2>) {
        self.calls.push("write back inline".into());
    }
}

fn two_particles() -> (Particles<2>, Sticks) {
    (particles_at(&[[0.0, 0.0], [1.0, 0.0]]), unit_sticks(2, &[[0, 1]]))
}

/// Moves all particles by 1 m along x.
struct MoveRight;

impl Stage<2> for MoveRight {
    fn run(&self, particles: ParticleView<'_, 2>) {
        let [x, _] = particles.position;
        for x in x {
            *x += 1.0;
        }
    }
}

/// Substeps of 0.1 s, so 1 / h² is 100 1/s².
fn step() -> Step<2> {
    Step { dt: 0.2, substeps: 2, iterations: 3, ..Step::default() }
}

#[test]
fn a_step_advances_all_substeps_and_writes_back() {
    let (mut particles, sticks) = two_particles();
    let mut plan = Recorder::default();
    let status = plan.step(&mut particles, &sticks, &step()).unwrap();
    assert!(status.finite);
    let expected = ["advance and write back", "advance 2 x 3, 1/h² 100", "write back, threads 1"];
    assert_eq!(plan.calls.take(), expected);
}

#[test]
fn invalid_steps_and_different_sticks_are_rejected_without_a_write_back() {
    let (mut particles, sticks) = two_particles();
    let mut plan = Recorder::default();
    let invalid = Step { substeps: 0, ..step() };
    assert_eq!(plan.step(&mut particles, &sticks, &invalid), Err(StepError::NoSubsteps));
    assert!(plan.session(&mut particles, &sticks, &invalid).is_err());
    assert_eq!(plan.calls.take(), [""; 0]);

    plan.rejects = true;
    let error = PlanError::OtherSticks { stick: 7 };
    let outcome = plan.step(&mut particles, &sticks, &step());
    assert_eq!(outcome, Err(StepError::Plan(error)));
    assert!(plan.session(&mut particles, &sticks, &step()).is_err());
    assert_eq!(
        plan.calls.take(),
        ["advance and write back", "advance 2 x 3, 1/h² 100", "sync in"],
        "a rejected step writes nothing back"
    );
}

#[test]
fn a_session_writes_back_once_also_if_it_is_dropped() {
    let (mut particles, sticks) = two_particles();
    let mut plan = Recorder::default();
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    session.integrate();
    session.relax(5);
    session.visit(&MoveRight);
    assert_eq!(session.position(0), [1.0, 0.0]);
    assert!(session.finish().finite);
    let calls = [
        "sync in",
        "advance 1 x 0, 1/h² 100",
        "relax 5, 1/h² 100",
        "visit",
        "write back, threads 1",
    ];
    assert_eq!(plan.calls.take(), calls);

    drop(plan.session(&mut particles, &sticks, &step()).unwrap());
    assert_eq!(plan.calls.take(), ["sync in", "write back inline"]);
}

#[test]
#[should_panic(expected = "fewer than its sticks need: TooFewParticles { needed: 2")]
fn a_session_whose_particles_become_too_few_panics_with_the_reason() {
    let (mut particles, sticks) = two_particles();
    let mut plan = Recorder::default();
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    *session.particles_mut() = particles_at(&[[0.0, 0.0]]);
    session.relax(1);
}

#[test]
fn a_session_reads_and_sets_positions_without_negative_zeros() {
    let (mut particles, sticks) = two_particles();
    let mut plan = Recorder::default();
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    assert_eq!((session.len(), session.is_empty()), (2, false));
    assert_eq!(session.position(1), [1.0, 0.0]);
    session.set_position(1, [2.0, -0.0]);
    assert_eq!(session.position(1).map(f32::to_bits), [2.0_f32, 0.0].map(f32::to_bits));
    drop(session);
    assert_eq!(particles.position(1), [2.0, 0.0]);
    assert_eq!(
        particles.previous_position(1),
        [1.0, 0.0],
        "setting a position changes the velocity"
    );
}

/// Runs a step, a session that is dropped and one that is finished, and so calls all methods of an engine
/// but `executor`. Returns a position read in the session, the position that was set in it, and the
/// recorded calls.
fn exercise(mut plan: impl Engine<2>, calls: &Calls) -> ([[f32; 2]; 2], Vec<String>) {
    let (mut particles, sticks) = two_particles();
    assert!(plan.step(&mut particles, &sticks, &step()).unwrap().finite);
    let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
    session.integrate();
    session.relax(5);
    session.visit(&MoveRight);
    session.set_position(1, [7.0, 0.0]);
    let read = session.position(0);
    drop(session);
    assert!(plan.session(&mut particles, &sticks, &step()).unwrap().finish().finite);
    ([read, particles.position(1)], calls.take())
}

#[test]
fn a_boxed_engine_forwards_the_calls_of_steps_and_sessions() {
    let calls = Calls::default();
    let recorder = || Recorder { calls: calls.clone(), ..Recorder::default() };
    let expected = exercise(recorder(), &calls);
    assert_eq!(expected.0, [[1.0, 0.0], [7.0, 0.0]]);
    let boxed: BoxedPlan<2> = Box::new(recorder());
    assert_eq!(format!("{boxed:?}"), "Engine { .. }");
    assert_eq!(exercise(boxed, &calls), expected);
}

#[test]
fn substeps_show_their_counts_when_printed() {
    let substeps = step().to_substeps().unwrap();
    let text = format!("{substeps:?}");
    assert!(text.contains("count: 2") && text.contains("after_motion: false"), "{text}");
}

#[test]
fn a_session_of_no_particles_is_empty() {
    let (mut particles, sticks) = (Particles::new(&[], &[]).unwrap(), unit_sticks(0, &[]));
    let mut plan = Recorder::default();
    assert!(plan.session(&mut particles, &sticks, &step()).unwrap().is_empty());
}

#[test]
fn inline_runs_on_the_calling_thread_only() {
    let calls = Mutex::new(Vec::new());
    let work = |index| calls.lock().unwrap().push((index, std::thread::current().id()));
    Inline.run(4, &work);
    assert_eq!(calls.into_inner().unwrap(), [(0, std::thread::current().id())]);
    assert_eq!(Inline.threads(), 1);
}

#[test]
fn a_kernel_uses_one_thread_by_default() {
    struct RecordingKernel;
    impl Kernel<2> for RecordingKernel {
        type Plan = Recorder;
        fn name(&self) -> &'static str {
            "recording"
        }
        fn isa(&self) -> &'static str {
            "none"
        }
        fn lanes(&self) -> usize {
            1
        }
        fn plan(
            &self,
            _: &Particles<2>,
            _: &Sticks,
            _: &Schedule,
            _: Formula,
        ) -> Result<Recorder, PlanError> {
            Ok(Recorder::default())
        }
    }
    assert_eq!(RecordingKernel.threads(), 1);
}
