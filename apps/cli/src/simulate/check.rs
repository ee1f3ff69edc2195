//! Checks library scenes: the positions must be finite, the residual within the bound of the scene,
//! and the results of all kernels and instruction sets, and of one of them on threads, bit-identical.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use comfy_table::CellAlignment;
use taut::world::{AnyScene, LibraryScene};
use taut::{AnyWorld, KernelSet};
use taut_bench::Progress;

use crate::Failure;
use crate::output::with_progress;
use crate::table;

/// The number of frames between measurements of the residual.
const MEASURE_EVERY: u64 = 10;
/// The number of threads on which the first kernel set is also run.
const THREADS: usize = 3;

/// The result of a scene on one kernel set.
struct KernelSetResult {
    kernel_set: String,
    /// The largest rms residual (stretch and compression) of the measured frames.
    residual: f64,
    /// The hash of the final positions.
    hash: u64,
}

/// The result of a scene.
struct SceneCheck {
    scene: &'static LibraryScene,
    particles: usize,
    /// The number of kernel sets on which the scene was simulated.
    kernel_set_count: usize,
    /// The result of the first kernel set that did not fail; the others must have the same bits.
    first_result: Option<KernelSetResult>,
    violations: Vec<String>,
}

/// Checks scenes for `seconds` of simulated time, several scenes in parallel, and prints a table row for each.
pub(super) fn run(scenes: &'static [LibraryScene], seconds: f64) -> Result<(), Failure> {
    let next_scene = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut checks = with_progress(|progress| {
        let mut checks: Vec<SceneCheck> = Vec::new();
        progress(Progress { share: 0.0, doing: "all scenes on all kernels" });
        thread::scope(|scope| {
            let (sender, finished_checks) = mpsc::channel();
            for sender in vec![sender; cores] {
                let next_scene = &next_scene;
                scope.spawn(move || {
                    while let Some(scene) = scenes.get(next_scene.fetch_add(1, Ordering::Relaxed)) {
                        if sender.send(check_scene(scene, seconds)).is_err() {
                            break;
                        }
                    }
                });
            }
            for check in finished_checks {
                let share = (checks.len() + 1) as f64 / scenes.len() as f64;
                let doing = format!("all scenes on all kernels; finished: {}", check.scene.name);
                progress(Progress { share, doing: &doing });
                checks.push(check);
            }
        });
        Ok(checks)
    })?;
    checks.sort_by_key(|check| check.scene.name);
    let written =
        writeln!(io::stdout(), "{}", render(&checks)).context("the table was not written");
    let violations: Vec<String> = checks.into_iter().flat_map(|check| check.violations).collect();
    // Violations decide the exit code even if the standard output is closed.
    if violations.is_empty() { Ok(written?) } else { Err(Failure::Violations(violations)) }
}

fn check_scene(scene: &'static LibraryScene, seconds: f64) -> SceneCheck {
    let mut check = SceneCheck {
        scene,
        particles: 0,
        kernel_set_count: 0,
        first_result: None,
        violations: Vec::new(),
    };
    match scene.scene(scene.size) {
        Ok(scene) => check.run_kernels(&scene, seconds),
        Err(error) => check.add_violation(&error),
    }
    check
}

impl SceneCheck {
    /// Simulates the scene on every kernel set. Checks that the residual is within its bound, and that
    /// all final positions are bit-identical.
    fn run_kernels(&mut self, scene: &AnyScene, seconds: f64) {
        self.particles = scene.particles();
        let mut kernel_sets = AnyWorld::available_kernels(scene);
        // The first set has the most lanes.
        let threaded = kernel_sets[0].clone().on_threads(THREADS);
        kernel_sets.extend(threaded.inspect_err(|error| self.add_violation(error)).ok());
        for kernels in &kernel_sets {
            match (simulate(scene, kernels, seconds), &self.first_result) {
                (Err(error), _) => self.add_violation(&format!("{kernels}: {error:#}")),
                (Ok(result), Some(first)) if result.hash != first.hash => {
                    let problem = format!("different bits: '{kernels}' and '{}'", first.kernel_set);
                    self.add_violation(&problem);
                }
                (Ok(_), Some(_)) => {}
                (Ok(result), None) => self.first_result = Some(result),
            }
            self.kernel_set_count += 1;
        }
        let (bound, residual) =
            (self.scene.residual_rms_max, self.first_result.as_ref().map(|result| result.residual));
        if let Some(residual) = residual.filter(|residual| residual.is_nan() || *residual > bound) {
            self.add_violation(&format!("rms residual {residual:.4}, expected at most {bound}"));
        }
    }

    fn add_violation(&mut self, problem: &dyn fmt::Display) {
        self.violations.push(format!("{}: {problem}", self.scene.name));
    }
}

/// Simulates a scene on a kernel set.
///
/// # Errors
/// If the world cannot be made, or a position is not finite after a step.
fn simulate(
    scene: &AnyScene,
    kernels: &KernelSet,
    seconds: f64,
) -> anyhow::Result<KernelSetResult> {
    let mut world = AnyWorld::with_kernels(scene.clone(), kernels.clone())?;
    let mut residual = 0.0_f64;
    while world.time() < seconds {
        anyhow::ensure!(world.step(1)?.finite, "blew up after {:.2} s", world.time());
        if world.steps() % MEASURE_EVERY == 0 {
            let now = world.diagnostics()?.stretch.residual_rms();
            // `f64::max` would drop a NaN.
            residual = if residual.is_nan() || now <= residual { residual } else { now };
        }
    }
    Ok(KernelSetResult { kernel_set: kernels.to_string(), residual, hash: world.hash() })
}

/// The table of results.
fn render(checks: &[SceneCheck]) -> String {
    let mut table = table::plain();
    table.set_header([
        "scene",
        "",
        "particles",
        "kernel sets",
        "residual\nlargest rms",
        "residual\nbound",
        "hash",
        "",
    ]);
    for check in checks {
        let result_text = |text: &dyn Fn(&KernelSetResult) -> String| {
            check.first_result.as_ref().map_or_else(String::new, text)
        };
        table.add_row([
            check.scene.name.to_owned(),
            format!("{}-D", check.scene.dimensions),
            check.particles.to_string(),
            check.kernel_set_count.to_string(),
            result_text(&|result| format!("{:.4}", result.residual)),
            format!("{}", check.scene.residual_rms_max),
            result_text(&|result| format!("{:016x}", result.hash)),
            if check.violations.is_empty() { "passed" } else { "FAILED" }.to_owned(),
        ]);
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}
