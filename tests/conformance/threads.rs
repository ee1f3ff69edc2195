//! Threads share the work, and nobody can see it.

use std::sync::Mutex;
use std::thread;

use taut::world::{Scene, StickSet};
use taut::{AnyKernel, Executor, Formula, Kind, Plan, Schedule, Step};

use crate::contestants::contestants;
use crate::meshes::{Manner, Mesh, Pattern, Recipe, Shape};
use crate::play::{Ending, Setup, Start};

/// Large enough to be shared out in every way: more particles than a thread takes at a time,
/// colours of more sticks than a task has, several blocks, some sticks that are not plain.
fn large() -> Mesh {
    let shapes = vec![
        Shape::Grid(81, 62),
        Shape::Pairs(5000),
        Shape::Grid(40, 30),
        Shape::Star(5),
        Shape::Dust(50),
    ];
    let pattern = Pattern::Shapes(shapes);
    Recipe { pattern, duplicates: 30, special: 3, manner: Manner::Tame, seed: 5 }.mesh()
}

fn step() -> Step<3> {
    Step { substeps: 2, iterations: 2, ..Step::default() }
}

/// One thread a job. Notes how often that was several.
#[derive(Default)]
struct Spy {
    shared_out: Mutex<usize>,
}

impl Executor for Spy {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            for at in 0..jobs {
                scope.spawn(move || job(at));
            }
        });
        *self.shared_out.lock().unwrap() += usize::from(jobs > 1);
    }
}

/// Does more than it is asked to, in no order: two threads call every job, one of them
/// backwards, and then some are called again.
struct Hostile;

impl Executor for Hostile {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            scope.spawn(|| (0..jobs).rev().for_each(job));
            scope.spawn(|| (0..jobs).for_each(job));
        });
        (0..jobs).step_by(3).for_each(job);
    }
}

fn steps_on(executor: &dyn Executor, start: Start<3>) -> Ending<3> {
    let Start { mut plan, mut particles, sticks } = start;
    let notes = (0..2)
        .map(|_| plan.step_on(executor, &mut particles, &sticks, &step()).unwrap())
        .map(|status| u64::from(status.finite))
        .collect();
    Ending { particles, notes }
}

#[test]
fn kernels_agree_on_a_mesh_that_is_shared_out_in_every_way() {
    let mesh = large();
    for (order, schedule) in &mesh.schedules() {
        for formula in Formula::ALL {
            let setup = Setup { mesh: &mesh, schedule, formula };
            setup.all_agree(&format!("{order}, {formula}"), |start| start.steps(&step(), 1));
        }
    }
}

#[test]
fn the_large_mesh_really_is_shared_out() {
    let mesh = large();
    // How often there were several jobs.
    let shared_out = |schedule: &Schedule, iterations| {
        let spy = Spy::default();
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let Start { mut plan, mut particles, sticks } = setup.start(&AnyKernel::best()).unwrap();
        let step = Step { iterations, ..step() };
        assert!(plan.step_on(&spy, &mut particles, &sticks, &step).unwrap().finite);
        spy.shared_out.into_inner().unwrap()
    };
    let coloured = Schedule::coloured(&mesh.sticks);
    let blocked = Schedule::blocked(&mesh.particles, &mesh.sticks);
    let of_particles = shared_out(&coloured, 0);
    assert!(of_particles > 0);
    for schedule in [coloured, blocked] {
        let [once, twice] = [1, 2].map(|iterations| shared_out(&schedule, iterations));
        assert!(of_particles < once && once < twice, "{of_particles}, {once}, {twice}");
    }
}

#[test]
fn threads_give_the_same_hash_every_time() {
    let Scene { particles, mut sticks, .. } = Scene::disc(80, StickSet::All).unwrap().shuffled(1);
    for stick in (0..sticks.len()).step_by(50) {
        sticks.set_kind(stick, Kind::Maximum).unwrap();
    }
    let schedule = Schedule::blocked(&particles, &sticks);
    let mesh = Mesh { particles, sticks, sheet: None };
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.all_agree("once", |start| start.steps(&step(), 2)).particles.hash();
    for contestant in contestants().iter().filter(|contestant| contestant.threads() > 1) {
        for round in 0..10 {
            let start = setup.start(&contestant.kernel);
            let hash = start.map(|start| start.steps(&step(), 2).particles.hash());
            assert!(hash.is_none_or(|hash| hash == expected), "{}, {round}", contestant.name);
        }
    }
}

#[test]
fn an_executor_that_does_more_than_it_should_changes_nothing() {
    let mesh = large();
    let coloured = Schedule::coloured(&mesh.sticks);
    let blocked = Schedule::blocked(&mesh.particles, &mesh.sticks);
    for schedule in [&coloured, &blocked] {
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let expected = setup.all_agree("by step", |start| start.steps(&step(), 2));
        for executor in [&Spy::default() as &dyn Executor, &Hostile] {
            setup.all_end_as(&expected, "step_on", |start| steps_on(executor, start));
        }
    }
}
