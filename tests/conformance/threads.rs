//! The number of threads does not change the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use taut::world::{Model, StickSet};
use taut::{
    AnyKernel, ColourKernel, Executor, Family, Formula, Inline, Kernel, Kind, Plan, Pool, Schedule,
    Step,
};

use crate::configurations::configurations;
use crate::meshes::{Manner, Mesh, Pattern, Recipe, Shape};
use crate::play::{Ending, Setup, Start};

/// Large enough to be worth eight threads: more particles than a thread takes at a time, colours
/// of more sticks than a task has, many blocks, some sticks that are not plain.
fn large() -> Mesh {
    let shapes = vec![
        Shape::Grid(210, 150),
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

/// Scoped threads, as many as it is asked for. Notes how many that were each time.
struct Scope {
    threads: usize,
    asked_for: Mutex<Vec<usize>>,
}

impl Scope {
    fn new(threads: usize) -> Self {
        Self { threads, asked_for: Mutex::default() }
    }
}

impl Executor for Scope {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| (0..threads).for_each(|at| drop(scope.spawn(move || work(at)))));
        self.asked_for.lock().unwrap().push(threads);
    }
}

/// Executors that violate the contract.
#[derive(Clone, Copy, Debug)]
enum Hostile {
    /// Makes no call.
    Absent,
    /// Makes one call, on another thread, with a number out of range.
    Elsewhere,
    /// One after the other, from the last number to the first.
    Backwards,
    /// More threads than it has, several with the same number, and all again afterwards.
    Crowd,
}

impl Hostile {
    const ALL: [Self; 4] = [Self::Absent, Self::Elsewhere, Self::Backwards, Self::Crowd];
}

impl Executor for Hostile {
    fn threads(&self) -> usize {
        4
    }

    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        match self {
            Self::Absent => {}
            Self::Elsewhere => thread::scope(|scope| drop(scope.spawn(|| work(usize::MAX)))),
            Self::Backwards => (0..threads).rev().for_each(work),
            Self::Crowd => {
                thread::scope(|scope| {
                    (0..9).for_each(|at| drop(scope.spawn(move || work(at % 3))));
                });
                (0..threads).for_each(work);
            }
        }
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
fn one_to_eight_threads_agree_on_a_pool_and_on_a_scope() {
    let mesh = large();
    for schedule in [Schedule::coloured(&mesh.sticks), mesh.schedule("blocked")] {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        let alone = || setup.start(&AnyKernel::best()).unwrap();
        let expected = steps_on(&Inline, alone());
        for threads in 1..=8 {
            let pool = Pool::new(threads).unwrap();
            let executors = [("pool", &pool as &dyn Executor), ("scope", &Scope::new(threads))];
            for (name, executor) in executors {
                let ending = steps_on(executor, alone());
                let difference = ending.difference(&expected);
                assert_eq!(difference, None, "{threads} threads of a {name}");
            }
        }
    }
}

#[test]
fn the_large_mesh_really_is_shared_out() {
    let mesh = large();
    // For how many threads there was work, each time that there was some for several.
    let asked_for = |schedule: &Schedule, iterations| {
        let spy = Scope::new(8);
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let Start { mut plan, mut particles, sticks } = setup.start(&AnyKernel::best()).unwrap();
        let step = Step { substeps: 1, iterations, ..step() };
        assert!(plan.step_on(&spy, &mut particles, &sticks, &step).unwrap().finite);
        spy.asked_for.into_inner().unwrap()
    };
    // The widest colour makes five tasks.
    for (order, threads) in [("coloured", 5), ("blocked", 8)] {
        let schedule = mesh.schedule(order);
        assert_eq!(asked_for(&schedule, 0), [5, 5], "integration and return");
        assert_eq!(asked_for(&schedule, 3), [5, threads, 5], "{order}: all iterations at once");
    }
}

#[test]
fn a_large_sheet_is_shared_out_and_nobody_sees_it() {
    let mesh: Mesh = Recipe::sheet([130, 200], Family::ALL, 1, Manner::Even).mesh();
    let schedule = mesh.schedule("sheet");
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.all_agree("alone", |start| start.steps(&step(), 2));
    for executor in Hostile::ALL {
        let game = format!("step_on, {executor:?}");
        setup.all_end_as(&expected, &game, |start| steps_on(&executor, start));
    }
    let spy = Scope::new(8);
    let start = setup.start(&AnyKernel::best_for(&schedule)).unwrap();
    let difference = steps_on(&spy, start).difference(&expected);
    assert_eq!(difference, None);
    // Passes over rows by three, four blocks: positions and previous positions are brought in once;
    // then two steps of two substeps, motion and relaxation, after which both are brought back.
    let (brought_in, step) = ([3, 3], [3, 4, 3, 4, 3, 3]);
    assert_eq!(spy.asked_for.into_inner().unwrap(), [&brought_in[..], &step, &step].concat());
}

#[test]
fn threads_give_the_same_hash_every_time() {
    let Model { particles, mut sticks, .. } = Model::disc(80, StickSet::All).unwrap().shuffled(1);
    for stick in (0..sticks.len()).step_by(50) {
        sticks.set_kind(stick, Kind::Maximum).unwrap();
    }
    let schedule = Schedule::blocked(&particles, &sticks);
    let mesh = Mesh { particles, sticks, sheet: None, copies: 1 };
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.all_agree("once", |start| start.steps(&step(), 2)).particles.hash();
    for configuration in configurations().iter().filter(|configuration| configuration.threads() > 1)
    {
        for round in 0..10 {
            let start = setup.start(&configuration.kernel);
            let hash = start.map(|start| start.steps(&step(), 2).particles.hash());
            assert!(hash.is_none_or(|hash| hash == expected), "{}, {round}", configuration.name);
        }
    }
}

#[test]
fn an_executor_that_does_not_as_it_should_changes_nothing() {
    let mesh = large();
    let coloured = Schedule::coloured(&mesh.sticks);
    let blocked = Schedule::blocked(&mesh.particles, &mesh.sticks);
    for schedule in [&coloured, &blocked] {
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let expected = setup.all_agree("by step", |start| start.steps(&step(), 2));
        setup.all_end_as(&expected, "step_on", |start| steps_on(&Scope::new(3), start));
        for executor in Hostile::ALL {
            let game = format!("step_on, {executor:?}");
            setup.all_end_as(&expected, &game, |start| steps_on(&executor, start));
        }
    }
}

/// Panics in `run`, like a pool in which a thread panicked.
#[derive(Clone, Copy)]
struct Broken;

impl Executor for Broken {
    fn threads(&self) -> usize {
        8
    }

    fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
        panic!("no threads");
    }
}

#[test]
fn a_session_whose_executor_panics_unwinds_and_writes_back() {
    let sheet = Recipe::sheet([160, 160], Family::ALL, 0, Manner::Even);
    let copies = Recipe::copies(Shape::Grid(40, 40), 30, 0, Manner::Even);
    for (recipe, order, moves) in [
        (&sheet, "sheet", true),
        (&sheet, "sheet", false),
        (&sheet, "blocked", true),
        (&copies, "copies", true),
        (&copies, "copies", false),
    ] {
        let mesh: Mesh = recipe.mesh();
        let schedule = mesh.schedule(order);
        for kernel in AnyKernel::available() {
            let kernel = ColourKernel::new(kernel, Broken);
            let (mut particles, sticks) = (mesh.particles.clone(), mesh.sticks.clone());
            let plan = Kernel::<3>::plan(&kernel, &particles, &sticks, &schedule, Formula::Halley);
            let Ok(mut plan) = plan else { continue };
            let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
            let panicked = catch_unwind(AssertUnwindSafe(move || {
                if moves {
                    session.integrate();
                }
                session.relax(1);
            }));
            let name = Kernel::<3>::name(kernel.inner());
            if name != "scalar" {
                assert!(panicked.is_err(), "{name} asked for no threads");
            }
            let all_finite =
                (0..3).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
            assert!(all_finite, "{name}");
            if !moves {
                // No position was lost, whatever had been relaxed.
                let mut moved = (0..3).flat_map(|axis| {
                    particles.positions(axis).iter().zip(mesh.particles.positions(axis))
                });
                assert!(moved.all(|(x, before)| (x - before).abs() < 1.0), "{name}, {order}");
            }
            // Another plan goes on from there.
            let mut plan = AnyKernel::best()
                .plan(&particles, &sticks, &mesh.schedule("blocked"), Formula::Halley)
                .unwrap();
            assert!(plan.step(&mut particles, &sticks, &step()).unwrap().finite);
        }
    }
}
