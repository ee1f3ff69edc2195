//! Checks library scenes: finite positions, a residual under the bound of the scene, and the same
//! bits from every kernel, instruction set and number of threads.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use comfy_table::CellAlignment;
use taut::world::{AnyScene, LibraryScene, Scene, World};
use taut::{AnyKernel, Kernel, KernelSet, SpecialParts};
use taut_bench::Progress;

use crate::Failure;
use crate::output::with_progress;
use crate::table;

/// The number of frames between measurements of the residual.
const EVERY: u64 = 10;
/// The number of threads of the threaded run.
const THREADS: usize = 3;

/// The result of a scene on one kernel.
struct Trace {
    /// The largest rms residual (stretch and compression) of the measured frames.
    residual: f64,
    hash: u64,
}

/// The result of a scene.
struct Verdict {
    listed: &'static LibraryScene,
    particles: usize,
    kernels: usize,
    trace: Option<Trace>,
    violations: Vec<String>,
}

/// Checks scenes for `seconds` of simulated time, in parallel, and prints a line for each.
pub(super) fn run(scenes: &'static [LibraryScene], seconds: f64) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut verdicts = with_progress(|progress| {
        let mut verdicts: Vec<Verdict> = Vec::new();
        progress(Progress { share: 0.0, doing: "all scenes on all kernels" });
        thread::scope(|scope| {
            let (done, finished) = mpsc::channel();
            for done in vec![done; cores] {
                let next = &next;
                scope.spawn(move || {
                    while let Some(scene) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if done.send(check(scene, seconds)).is_err() {
                            break;
                        }
                    }
                });
            }
            for verdict in finished {
                let share = (verdicts.len() + 1) as f64 / scenes.len() as f64;
                let doing = format!("all scenes on all kernels; done: {}", verdict.listed.name);
                progress(Progress { share, doing: &doing });
                verdicts.push(verdict);
            }
        });
        Ok(verdicts)
    })?;
    verdicts.sort_by_key(|it| it.listed.name);
    writeln!(io::stdout(), "{}", render(&verdicts)).context("the table was not written")?;
    let violations: Vec<String> = verdicts.into_iter().flat_map(|it| it.violations).collect();
    if violations.is_empty() { Ok(()) } else { Err(Failure::Broken(violations)) }
}

fn check(listed: &'static LibraryScene, seconds: f64) -> Verdict {
    let mut verdict =
        Verdict { listed, particles: 0, kernels: 0, trace: None, violations: Vec::new() };
    match listed.scene(listed.size) {
        Ok(AnyScene::Flat(scene)) => verdict.judge(&scene, seconds),
        Ok(AnyScene::Solid(scene)) => verdict.judge(&scene, seconds),
        Err(error) => verdict.add_violation(&error),
    }
    verdict
}

impl Verdict {
    fn judge<const D: usize>(&mut self, scene: &Scene<D>, seconds: f64)
    where
        AnyKernel: Kernel<D>,
    {
        self.particles = scene.particles();
        let mut kernels = KernelSet::available(SpecialParts::of(scene));
        let threaded = kernels[0].clone().on_threads(THREADS);
        kernels.extend(threaded.inspect_err(|error| self.add_violation(error)).ok());
        for kernel in &kernels {
            match (trace(scene, kernel, seconds), &self.trace) {
                (Err(error), _) => self.add_violation(&format!("{kernel}: {error:#}")),
                (Ok(trace), Some(first)) if trace.hash != first.hash => {
                    self.add_violation(&format!("{kernel} and {} give different bits", kernels[0]));
                }
                (Ok(_), Some(_)) => {}
                (Ok(trace), None) => self.trace = Some(trace),
            }
            self.kernels += 1;
        }
        let (stated, worst) = (self.listed.residual, self.trace.as_ref().map(|it| it.residual));
        if let Some(worst) = worst.filter(|worst| worst.is_nan() || *worst > stated) {
            self.add_violation(&format!("rms residual {worst:.4} is above the stated {stated}"));
        }
    }

    fn add_violation(&mut self, what: &dyn fmt::Display) {
        self.violations.push(format!("{}: {what}", self.listed.name));
    }
}

/// Runs a scene on a kernel.
fn trace<const D: usize>(
    scene: &Scene<D>,
    kernel: &KernelSet,
    seconds: f64,
) -> anyhow::Result<Trace>
where
    AnyKernel: Kernel<D>,
{
    let mut world = World::new(scene, |schedule| kernel.kernel_for(schedule))?;
    let mut residual = 0.0_f64;
    while world.time() < seconds {
        anyhow::ensure!(world.step()?.finite, "blew up after {:.2} s", world.time());
        if world.steps() % EVERY == 0 {
            residual = residual.max(world.diagnostics()?.stretch.residual_rms());
        }
    }
    Ok(Trace { residual, hash: world.hash() })
}

fn render(verdicts: &[Verdict]) -> String {
    let mut table = table::plain();
    table.set_header([
        "scene",
        "",
        "particles",
        "kernels",
        "residual\nworst rms",
        "stated",
        "hash",
        "",
    ]);
    for verdict in verdicts {
        let of =
            |show: &dyn Fn(&Trace) -> String| verdict.trace.as_ref().map_or_else(String::new, show);
        table.add_row([
            verdict.listed.name.to_owned(),
            format!("{}-D", verdict.listed.dimensions),
            verdict.particles.to_string(),
            verdict.kernels.to_string(),
            of(&|trace| format!("{:.4}", trace.residual)),
            format!("{}", verdict.listed.residual),
            of(&|trace| format!("{:016x}", trace.hash)),
            if verdict.violations.is_empty() { "holds" } else { "BROKEN" }.to_owned(),
        ]);
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}
