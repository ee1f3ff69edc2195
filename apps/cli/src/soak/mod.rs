//! `taut soak`: simulates library scenes for a long time, with scripted disturbance, on one thread and on two.

mod disturbance;
mod memory;

use std::fmt;
use std::io::{self, Write};

use anyhow::Context;
use clap::Args;
use comfy_table::CellAlignment;
use taut::world::{AnyScene, LibraryScene, Scene, Simulation, World};
use taut::{AnyKernel, Executor, Inline, Kernel, KernelSet, Pool, SheetsAndCopies};
use taut_bench::Progress;

use crate::Failure;
use crate::output::with_progress;
use crate::parsers::decimal_within;
use crate::table;

use disturbance::{Actions, Disturbance, PLANAR, SPATIAL};
use memory::ResidentSizes;

/// The number of threads of the simulation that is compared with the simulation on one thread.
const THREADS: usize = 2;
/// The rms residual above which a scene has blown up. Disturbed scenes exceed their own bounds: a dragged or freed
/// particle stretches its sticks for a while.
const RESIDUAL_RMS_MAX: f64 = 1.0;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// Scenes of the library. [default: all]
    #[arg(value_name = "SCENE", value_parser = parse_scene)]
    scenes: Vec<&'static LibraryScene>,
    /// Simulated time, minutes.
    #[arg(long, value_name = "M", default_value_t = 60.0, value_parser = decimal_within(0.01..=1e5))]
    minutes: f64,
    /// The seed of the scripted disturbance.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

fn parse_scene(name: &str) -> Result<&'static LibraryScene, String> {
    LibraryScene::named(name).map_err(|error| error.to_string())
}

/// Simulates the scenes, one after the other, and prints a table row for each. The exit code is 1 unless all positions
/// stay finite, residuals do not exceed [`RESIDUAL_RMS_MAX`], both numbers of threads give the same bits after every
/// simulated minute, and the memory grows by at most 4 MiB (see [`memory`]).
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let all: Vec<&LibraryScene> = LibraryScene::ALL.iter().collect();
    let scenes = if arguments.scenes.is_empty() { &all } else { &arguments.scenes };
    let results = with_progress(|progress| {
        let soak = |(index, scene): (usize, &&'static LibraryScene)| {
            let mut report = |fraction: f64, minutes: f64| {
                let share = (index as f64 + fraction) / scenes.len() as f64;
                let doing = format!("{}, minute {minutes:.0}", scene.name);
                progress(Progress { share, doing: &doing });
            };
            SceneSoak::of(scene, arguments, &mut report)
        };
        Ok(scenes.iter().enumerate().map(soak).collect::<Vec<_>>())
    })?;
    let written =
        writeln!(io::stdout(), "{}", render(&results)).context("the table was not written");
    let violations: Vec<String> =
        results.into_iter().filter_map(|result| result.violation).collect();
    // Violations decide the exit code even if the standard output is closed.
    if violations.is_empty() { Ok(written?) } else { Err(Failure::Violations(violations)) }
}

/// The result of a scene.
struct SceneSoak {
    scene: &'static LibraryScene,
    particles: usize,
    /// Simulated time, s.
    time: f64,
    restarts: u32,
    /// The number of sticks torn since the last restart.
    torn: usize,
    /// The largest rms residual.
    residual: f64,
    /// The hash of the final positions.
    hash: u64,
    memory: ResidentSizes,
    violation: Option<String>,
}

impl SceneSoak {
    /// Simulates a scene. Repeatedly calls `report` with the finished fraction and the simulated minutes.
    fn of(
        scene: &'static LibraryScene,
        arguments: &Arguments,
        report: &mut dyn FnMut(f64, f64),
    ) -> Self {
        let mut result = Self {
            scene,
            particles: 0,
            time: 0.0,
            restarts: 0,
            torn: 0,
            residual: 0.0,
            hash: 0,
            memory: ResidentSizes::default(),
            violation: None,
        };
        let outcome = match scene.scene(scene.size) {
            Ok(AnyScene::TwoD(scene)) => result.simulate(&scene, PLANAR, arguments, report),
            Ok(AnyScene::ThreeD(scene)) => result.simulate(&scene, SPATIAL, arguments, report),
            Err(error) => Err(error.into()),
        };
        let violation_message =
            |error| format!("{}: after {:.2} s: {error:#}", scene.name, result.time);
        result.violation = outcome.err().map(violation_message);
        result
    }

    /// Simulates the scene on one and on two threads, minute by minute.
    fn simulate<const D: usize>(
        &mut self,
        scene: &Scene<D>,
        actions: Actions<D>,
        arguments: &Arguments,
        report: &mut dyn FnMut(f64, f64),
    ) -> anyhow::Result<()>
    where
        AnyKernel: Kernel<D>,
        World<D>: Simulation<D>,
    {
        self.particles = scene.particles();
        // The first set has the most lanes.
        let kernels =
            KernelSet::available(SheetsAndCopies::of(scene.sheets(), scene.may_have_copies()))
                .swap_remove(0);
        let mut simulations = [
            DisturbedSimulation::new(
                scene,
                kernels.clone(),
                Box::new(Inline),
                actions,
                arguments.seed,
            )?,
            DisturbedSimulation::new(
                scene,
                kernels.on_threads(THREADS)?,
                Box::new(Pool::new(THREADS)?),
                actions,
                arguments.seed,
            )?,
        ];
        let end = arguments.minutes * 60.0;
        while self.time < end {
            report(self.time / end, self.time / 60.0);
            let until = (self.time + 60.0).min(end);
            for simulation in &mut simulations {
                simulation.advance(until).inspect_err(|_| self.time = simulation.time())?;
            }
            let [on_one, on_two] = &simulations;
            self.time = until;
            self.restarts = on_one.restarts;
            self.torn = on_one.world.torn();
            self.residual = on_one.residual;
            self.hash = on_one.world.hash();
            self.memory.add();
            anyhow::ensure!(
                self.hash == on_two.world.hash(),
                "1 and {THREADS} threads give different bits"
            );
        }
        self.memory.check()
    }

    fn cells(&self) -> [String; 9] {
        [
            self.scene.name.to_owned(),
            self.particles.to_string(),
            format!("{:.1}", self.time / 60.0),
            self.restarts.to_string(),
            self.torn.to_string(),
            format!("{:.3}", self.residual),
            format!("{:016x}", self.hash),
            self.memory.to_string(),
            if self.violation.is_none() { "passed" } else { "FAILED" }.to_owned(),
        ]
    }
}

/// The simulation of a disturbed scene on one number of threads.
struct DisturbedSimulation<'a, const D: usize> {
    scene: &'a Scene<D>,
    kernels: KernelSet,
    executor: Box<dyn Executor>,
    disturbance: Disturbance<D>,
    world: World<D>,
    /// The number of steps per simulated second.
    steps_per_second: u64,
    /// The number of steps in all, including those before a restart.
    steps: u64,
    /// The number of times that the scene was restarted.
    restarts: u32,
    /// The largest rms residual so far.
    residual: f64,
}

impl<'a, const D: usize> DisturbedSimulation<'a, D>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    fn new(
        scene: &'a Scene<D>,
        kernels: KernelSet,
        executor: Box<dyn Executor>,
        actions: Actions<D>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let mut world = World::new(scene, |schedule| kernels.kernel_for(schedule))?;
        #[allow(clippy::cast_sign_loss, reason = "a step takes more than 0 s")]
        let steps_per_second = (1.0 / scene.settings.step.dt).round().max(1.0) as u64;
        let mut disturbance = Disturbance::new(&world, actions, steps_per_second, seed);
        disturbance.begin(&mut world);
        let (steps, restarts, residual) = (0, 0, 0.0);
        Ok(Self {
            scene,
            kernels,
            executor,
            disturbance,
            world,
            steps_per_second,
            steps,
            restarts,
            residual,
        })
    }

    /// The simulated time since the first start, s.
    fn time(&self) -> f64 {
        self.steps as f64 / self.steps_per_second as f64
    }

    /// Simulates until [`time`](Self::time) is `until`, s; each second, measures the residual and may restart.
    fn advance(&mut self, until: f64) -> anyhow::Result<()> {
        while (self.steps as f64) < until * self.steps_per_second as f64 {
            self.disturbance.disturb(&mut self.world, self.steps)?;
            let finite = self.world.step_on(&*self.executor)?.finite;
            self.steps += 1;
            anyhow::ensure!(finite, "a position is not finite");
            if self.steps.is_multiple_of(self.steps_per_second) {
                self.check_and_restart()?;
            }
        }
        Ok(())
    }

    /// Measures the residual, and restarts the scene if a particle is too far away or too many sticks are torn.
    fn check_and_restart(&mut self) -> anyhow::Result<()> {
        let residual = self.world.diagnostics()?.stretch.residual_rms();
        self.residual = self.residual.max(residual);
        anyhow::ensure!(
            residual <= RESIDUAL_RMS_MAX,
            "rms residual {residual:.3}, expected at most {RESIDUAL_RMS_MAX}"
        );
        if self.disturbance.needs_restart(&self.world) {
            self.world = World::new(self.scene, |schedule| self.kernels.kernel_for(schedule))?;
            self.disturbance.begin(&mut self.world);
            self.restarts += 1;
        }
        Ok(())
    }
}

/// The table of results.
fn render(results: &[SceneSoak]) -> impl fmt::Display {
    let mut table = table::plain();
    table.set_header([
        "scene",
        "particles",
        "minutes",
        "restarts",
        "torn",
        "residual\nlargest rms",
        "hash",
        "memory, MiB\n(growth)",
        "",
    ]);
    for result in results {
        table.add_row(result.cells());
    }
    for column in [1, 2, 3, 4, 5, 7] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
