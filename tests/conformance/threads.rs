//! The number of threads does not change the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use taut::world::{Axes, Cloth, Model, Scene, SelfCollision, StickSet, World};
use taut::{
    AnyKernel, ColourKernel, Executor, Family, Formula, Inline, Kernel, Kind, Plan, Pool, Schedule,
    Step,
};

use crate::configurations::{Configuration, configurations};
use crate::meshes::{Mesh, Pattern, Recipe, Shape};
use crate::runner::{InitialState, Outcome, Setup};
use crate::values::Values;

/// A mesh that is large enough for eight threads. It has so many particles, and so many sticks in a
/// colour, that the plan splits them into tasks; it has many blocks, and some sticks that are not
/// plain.
fn large() -> Mesh {
    let shapes = vec![
        Shape::Grid(210, 150),
        Shape::Pairs(5000),
        Shape::Grid(40, 30),
        Shape::Star(5),
        Shape::Unconnected(50),
    ];
    let pattern = Pattern::Shapes(shapes);
    Recipe { pattern, duplicates: 30, non_plain: 3, values: Values::Moderate, seed: 5 }.mesh()
}

fn step() -> Step<3> {
    Step { substeps: 2, iterations: 2, ..Step::default() }
}

/// An executor that runs scoped threads and records how many threads each call requests.
#[derive(Clone)]
struct ScopedThreads {
    threads: usize,
    requested: Arc<Mutex<Vec<usize>>>,
}

impl ScopedThreads {
    fn new(threads: usize) -> Self {
        Self { threads, requested: Arc::default() }
    }

    /// How many threads each call requested so far.
    fn requested(&self) -> Vec<usize> {
        self.requested.lock().unwrap().clone()
    }
}

impl Executor for ScopedThreads {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            (0..threads).for_each(|thread| drop(scope.spawn(move || work(thread))));
        });
        self.requested.lock().unwrap().push(threads);
    }
}

/// Executors that violate the contract.
#[derive(Clone, Copy, Debug)]
enum FaultyExecutor {
    /// Makes no call.
    NoCall,
    /// Makes one call, on another thread, with a thread index out of range.
    OtherThread,
    /// Calls one by one, from the last thread index to the first.
    Backwards,
    /// Makes calls on more threads than requested, several with the same thread index, and then calls
    /// with each index again on the calling thread.
    TooManyCalls,
}

impl FaultyExecutor {
    const ALL: [Self; 4] = [Self::NoCall, Self::OtherThread, Self::Backwards, Self::TooManyCalls];
}

impl Executor for FaultyExecutor {
    fn threads(&self) -> usize {
        4
    }

    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        match self {
            Self::NoCall => {}
            Self::OtherThread => thread::scope(|scope| drop(scope.spawn(|| work(usize::MAX)))),
            Self::Backwards => (0..threads).rev().for_each(work),
            Self::TooManyCalls => {
                thread::scope(|scope| {
                    (0..9).for_each(|i| drop(scope.spawn(move || work(i % 3))));
                });
                (0..threads).for_each(work);
            }
        }
    }
}

fn steps_on(executor: &dyn Executor, start: InitialState<3>) -> Outcome<3> {
    let InitialState { mut plan, mut particles, sticks } = start;
    let notes = (0..2)
        .map(|_| plan.step_on(executor, &mut particles, &sticks, &step()).unwrap())
        .map(|status| u64::from(status.finite))
        .collect();
    Outcome { particles, notes }
}

#[test]
fn kernels_agree_on_a_large_mesh_in_every_order() {
    let mesh = large();
    for (order, schedule) in &mesh.schedules() {
        for formula in Formula::ALL {
            let setup = Setup { mesh: &mesh, schedule, formula };
            setup.assert_all_agree(&format!("{order}, {formula}"), |start| start.steps(&step(), 1));
        }
    }
}

#[test]
fn one_to_eight_threads_agree_on_a_pool_and_on_a_scope() {
    let mesh = large();
    let default = Schedule::for_mesh(&mesh.particles, &mesh.sticks);
    for schedule in [mesh.schedule("coloured"), mesh.schedule("blocked"), default] {
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        let initial_state = || setup.start(&AnyKernel::best()).unwrap();
        let expected = steps_on(&Inline, initial_state());
        for threads in 1..=8 {
            let pool = Pool::new(threads).unwrap();
            let executors =
                [("pool", &pool as &dyn Executor), ("scope", &ScopedThreads::new(threads))];
            for (name, executor) in executors {
                let outcome = steps_on(executor, initial_state());
                let difference = outcome.difference(&expected);
                assert_eq!(difference, None, "{threads} threads of a {name}");
            }
        }
    }
}

#[test]
fn the_large_mesh_is_distributed_over_threads() {
    let mesh = large();
    // The number of threads of each call of the executor.
    let requested = |schedule: &Schedule, iterations| {
        let executor = ScopedThreads::new(8);
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let InitialState { mut plan, mut particles, sticks } =
            setup.start(&AnyKernel::best()).unwrap();
        let step = Step { substeps: 1, iterations, ..step() };
        assert!(plan.step_on(&executor, &mut particles, &sticks, &step).unwrap().finite);
        executor.requested()
    };
    // The mesh has 42,756 particles, enough for five threads, and its widest colour makes five tasks.
    let default = Schedule::for_mesh(&mesh.particles, &mesh.sticks);
    for (order, schedule, threads) in [
        ("coloured", mesh.schedule("coloured"), 5),
        ("blocked", mesh.schedule("blocked"), 8),
        ("default", default, 8),
    ] {
        assert_eq!(
            requested(&schedule, 0),
            [5, 5],
            "{order}: calls for integration and write-back"
        );
        assert_eq!(
            requested(&schedule, 3),
            [5, threads, 5],
            "{order}: not one call for all iterations"
        );
    }
}

#[test]
fn a_large_sheet_is_distributed_over_threads_without_a_change_of_bits() {
    let mesh: Mesh = Recipe::sheet([130, 200], Family::BEND, 1, Values::Uniform).mesh();
    let schedule = mesh.schedule("sheet");
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.assert_all_agree("alone", |start| start.steps(&step(), 2));
    for executor in FaultyExecutor::ALL {
        let case = format!("step_on, {executor:?}");
        setup.assert_all_agree_with(&expected, &case, |start| steps_on(&executor, start));
    }
    let executor = ScopedThreads::new(8);
    let start = setup.start(&AnyKernel::best_for(&schedule)).unwrap();
    let difference = steps_on(&executor, start).difference(&expected);
    assert_eq!(difference, None);
    // Loops over the rows request three threads, loops over the blocks four. First the plan fills in
    // the positions and previous positions. Each of the two steps has two substeps, each of motion and
    // relaxation, and then writes back positions and previous positions.
    let (fill_calls, step_calls) = ([3, 3], [3, 4, 3, 4, 3, 3]);
    assert_eq!(executor.requested(), [&fill_calls[..], &step_calls, &step_calls].concat());
}

/// Their rows have so few registers that pairs of registers are listed. The first has sticks for one
/// thread only, the second for several.
#[test]
fn narrow_sheets_have_the_same_bits_on_several_threads() {
    for size in [[18, 100], [23, 282]] {
        let mesh: Mesh = Recipe::sheet(size, Family::BEND, 0, Values::Uniform).mesh();
        let schedule = mesh.schedule("sheet");
        let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
        setup.assert_all_agree("a narrow sheet", |start| start.steps(&step(), 2));
    }
}

#[test]
fn a_plan_has_the_executor_of_its_kernel() {
    let mesh: Mesh = Recipe::of(Shape::Chain(3), 0, Values::Uniform).mesh();
    let schedule = mesh.schedule("authored");
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    for Configuration { name, kernel, pool } in configurations() {
        let Some(start) = setup.start(kernel) else { continue };
        let threads = start.plan.executor().map(|executor| executor.threads());
        assert_eq!(threads, *pool, "{name}");
    }
}

#[test]
fn many_copies_are_distributed_over_threads_without_a_change_of_bits() {
    let mesh: Mesh = Recipe::copies(Shape::Grid(24, 24), 40, 1, Values::Uniform).mesh();
    let schedule = mesh.schedule("copies");
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.assert_all_agree("alone", |start| start.steps(&step(), 2));
    let executor = ScopedThreads::new(8);
    let start = setup.start(&AnyKernel::best_for(&schedule)).unwrap();
    let difference = steps_on(&executor, start).difference(&expected);
    assert_eq!(difference, None);
    assert!(executor.requested().iter().any(|&threads| threads > 1), "one thread is enough");
}

#[test]
fn repeated_runs_on_threads_give_the_same_hash() {
    let Model { particles, mut sticks, .. } = Model::disc(80, StickSet::All).unwrap().shuffled(1);
    for stick in (0..sticks.len()).step_by(50) {
        sticks.set_kind(stick, Kind::Maximum).unwrap();
    }
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mesh = Mesh { particles, sticks, sheet: None, copies: 1 };
    let setup = Setup { mesh: &mesh, schedule: &schedule, formula: Formula::Halley };
    let expected = setup.assert_all_agree("once", |start| start.steps(&step(), 2)).particles.hash();
    for configuration in configurations().iter().filter(|configuration| configuration.threads() > 1)
    {
        for round in 0..10 {
            let start = setup.start(&configuration.kernel);
            let hash = start.map(|start| start.steps(&step(), 2).particles.hash());
            assert!(
                hash.is_none_or(|hash| hash == expected),
                "{}, round {round}",
                configuration.name
            );
        }
    }
}

#[test]
fn an_executor_that_violates_its_contract_changes_no_bit() {
    let mesh = large();
    let coloured = Schedule::coloured(&mesh.sticks);
    let default = Schedule::for_mesh(&mesh.particles, &mesh.sticks);
    for schedule in [&coloured, &default] {
        let setup = Setup { mesh: &mesh, schedule, formula: Formula::Halley };
        let expected = setup.assert_all_agree("by step", |start| start.steps(&step(), 2));
        setup.assert_all_agree_with(&expected, "step_on", |start| {
            steps_on(&ScopedThreads::new(3), start)
        });
        for executor in FaultyExecutor::ALL {
            let case = format!("step_on, {executor:?}");
            setup.assert_all_agree_with(&expected, &case, |start| steps_on(&executor, start));
        }
    }
}

/// An executor of eight threads that panics in `run`, as a pool does if one of its threads panics.
#[derive(Clone, Copy)]
struct PanickingExecutor;

impl Executor for PanickingExecutor {
    fn threads(&self) -> usize {
        8
    }

    fn run(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
        panic!("the executor panics");
    }
}

#[test]
fn a_session_whose_executor_panics_unwinds_and_writes_back() {
    let sheet = Recipe::sheet([160, 160], Family::BEND, 0, Values::Uniform);
    let copies = Recipe::copies(Shape::Grid(40, 40), 30, 0, Values::Uniform);
    for (recipe, order, integrates) in [
        (&sheet, "sheet", true),
        (&sheet, "sheet", false),
        (&sheet, "blocked", true),
        (&copies, "copies", true),
        (&copies, "copies", false),
    ] {
        let mesh: Mesh = recipe.mesh();
        let (schedule, blocked) = (mesh.schedule(order), mesh.schedule("blocked"));
        for kernel in AnyKernel::available() {
            let kernel = ColourKernel::new(kernel, PanickingExecutor);
            let (mut particles, sticks) = (mesh.particles.clone(), mesh.sticks.clone());
            let plan = Kernel::<3>::plan(&kernel, &particles, &sticks, &schedule, Formula::Halley);
            let Ok(mut plan) = plan else { continue };
            let mut session = plan.session(&mut particles, &sticks, &step()).unwrap();
            let panicked = catch_unwind(AssertUnwindSafe(move || {
                if integrates {
                    session.integrate();
                }
                session.relax(1);
            }));
            let name = Kernel::<3>::name(kernel.inner());
            if name != "scalar" {
                assert!(panicked.is_err(), "{name} did not use the executor");
            }
            let all_finite =
                (0..3).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
            assert!(all_finite, "{name}");
            if !integrates {
                // All positions were written back, relaxed or not.
                let mut coordinates = (0..3).flat_map(|axis| {
                    particles.positions(axis).iter().zip(mesh.particles.positions(axis))
                });
                assert!(coordinates.all(|(x, before)| (x - before).abs() < 1.0), "{name}, {order}");
            }
            // Another plan can continue from the particles that were written back.
            let mut plan =
                AnyKernel::best().plan(&particles, &sticks, &blocked, Formula::Halley).unwrap();
            assert!(plan.step(&mut particles, &sticks, &step()).unwrap().finite);
        }
    }
}

/// Three sheets that fall on each other, of which none has enough sticks for two threads.
fn sheets_on_each_other() -> Scene {
    let axes = Axes::HORIZONTAL;
    let cloth = Cloth { columns: 36, rows: 36, width: 0.7, height: 0.7, axes, ..Cloth::default() };
    let sheet = Model::cloth(&cloth).unwrap().self_colliding(SelfCollision::default()).unwrap();
    let mut scene = Scene::new();
    scene.add("hammock", sheet.clone().pinned("corners")).unwrap();
    scene.add_copies("falling", &sheet, [[0.05, 0.04, 0.02], [-0.1, 0.08, 0.1]]).unwrap();
    scene
}

#[test]
fn contacts_have_the_same_bits_on_several_threads() {
    let scene = sheets_on_each_other();
    let run = |world: &mut World, executor: &dyn Executor| {
        for _ in 0..30 {
            assert!(world.step_on(executor).unwrap().finite);
        }
        (world.hash(), world.contacts().unwrap().touching)
    };
    let mut world = World::new(&scene, |_| AnyKernel::named("scalar").unwrap()).unwrap();
    let expected = run(&mut world, &Inline);
    assert!(expected.1 > 300, "only {} contacts", expected.1);
    for threads in [2, 3, 8] {
        let executor = ScopedThreads::new(threads);
        let mut world = World::new(&scene, AnyKernel::best_for).unwrap();
        assert_eq!(run(&mut world, &executor), expected, "on an executor with {threads} threads");
        assert!(executor.requested().len() > 100, "one thread found the contacts");
        // The threads of the kernel find contacts, too.
        let executor = ScopedThreads::new(threads);
        let on_threads = |schedule: &Schedule| {
            ColourKernel::new(AnyKernel::best_for(schedule), executor.clone())
        };
        let mut world = World::new(&scene, on_threads).unwrap();
        assert_eq!(run(&mut world, &Inline), expected, "on a kernel with {threads} threads");
        assert!(executor.requested().len() > 100, "one thread found the contacts");
    }
}
