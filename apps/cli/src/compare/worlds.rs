//! Compares kernels on whole steps of library scenes.

use comfy_table::{Cell, CellAlignment, Color};
use serde::Serialize;
use taut::world::{AnyScene, LibraryScene, Scene, Settings};
use taut::{AnyWorld, Formula, KernelName, KernelSet};
use taut_bench::{MachineInfo, WorldComparison, WorldRow};

use super::Arguments;
use crate::Failure;
use crate::output::{machine_sentence, warn, with_progress};
use crate::table;

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    scene: Description<'a>,
    rows: &'a [WorldRow],
}

#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    size: usize,
    particles: usize,
    formula: &'static str,
    #[serde(flatten)]
    step_counts: StepCounts,
    warmup_frames: usize,
    timed_frames: usize,
}

/// The substeps of a step, the passes of a substep and the iterations of a pass.
#[derive(Clone, Copy, Serialize)]
struct StepCounts {
    substeps: u32,
    passes: u32,
    iterations: u32,
}

/// Runs the comparison and prints it.
pub(super) fn run(
    arguments: &Arguments,
    library_scene: &LibraryScene,
    size: usize,
) -> Result<(), Failure> {
    let PreparedScene { scene, formula, step_counts } = match library_scene.scene(size)? {
        AnyScene::TwoD(scene) => arguments.prepare(scene)?,
        AnyScene::ThreeD(scene) => arguments.prepare(scene)?,
    };
    let comparison = WorldComparison {
        kernels: arguments.kernel_sets(&scene)?,
        scene,
        warmup: arguments.warmup,
        frames: arguments.frames,
    };
    warn(&comparison.scene.warnings());
    let outputs = arguments.output.open()?;
    let rows = with_progress(|progress| Ok(comparison.run(progress)?))?;

    let machine = MachineInfo::current();
    let description = Description {
        name: library_scene.name,
        size,
        particles: comparison.scene.particles(),
        formula: formula.name(),
        step_counts,
        warmup_frames: arguments.warmup,
        timed_frames: arguments.frames,
    };
    let StepCounts { substeps, passes, iterations } = step_counts;
    let agree = rows.iter().all(|row| row.hash == rows[0].hash);
    let text = format!(
        "{} {size}: {}; {} particles, {substeps} substep(s) of {passes} pass(es) of {iterations} \
         iteration(s), formula {formula}; {} warm-up frames, {} timed frames. Times are medians over \
         frames.\n{}\n{}\nResults: {}.\n",
        library_scene.name,
        library_scene.description,
        description.particles,
        arguments.warmup,
        arguments.frames,
        machine_sentence(&machine),
        render(&rows),
        if agree { "bit-identical in all rows" } else { "hashes DIFFER between rows" },
    );
    let written =
        outputs.write(&Report { machine: &machine, scene: description, rows: &rows }, &rows, &text);
    if !agree {
        let message = format!(
            "{}: the hashes of the positions differ between kernels; expected all equal",
            library_scene.name
        );
        return Err(Failure::Violations(vec![message]));
    }
    written.map_err(Failure::Error)
}

/// A library scene with the settings of the arguments.
struct PreparedScene {
    scene: AnyScene,
    formula: Formula,
    step_counts: StepCounts,
}

impl Arguments {
    /// Applies the options of `taut compare` to a library scene.
    ///
    /// # Errors
    /// If an option does not apply to library scenes, or a setting is invalid.
    fn prepare<const D: usize>(&self, mut scene: Scene<D>) -> anyhow::Result<PreparedScene>
    where
        AnyScene: From<Scene<D>>,
    {
        for (given, option) in [
            (!self.schedules.is_empty(), "--schedules"),
            (self.tuned.is_some(), "--tuned"),
            (self.scene.copies.is_some(), "--copies"),
        ] {
            anyhow::ensure!(!given, "{option} applies to shapes and meshes, not to library scenes");
        }
        let mut settings = scene.settings;
        let step = &mut settings.step;
        step.iterations = self.iterations.unwrap_or(step.iterations);
        step.substeps = self.substeps.unwrap_or(step.substeps);
        scene.set_settings(settings)?;
        scene.formula = match self.formulas.as_slice() {
            [] => scene.formula,
            [formula] => *formula,
            _ => anyhow::bail!("--formulas: a library scene takes a single formula"),
        };
        let Settings { step, passes, .. } = settings;
        Ok(PreparedScene {
            formula: scene.formula,
            step_counts: StepCounts {
                substeps: step.substeps,
                passes: passes.max(1),
                iterations: step.iterations,
            },
            scene: scene.into(),
        })
    }

    /// The kernel sets to compare: on one thread, each selected kernel on each selected instruction
    /// set, and always the scalar kernel; then, on each requested number of threads above 1, the first
    /// of these sets, which has the most lanes.
    fn kernel_sets(&self, scene: &AnyScene) -> anyhow::Result<Vec<KernelSet>> {
        self.check_isas()?;
        let mut sets = AnyWorld::available_kernels(scene);
        let name_of = |set: &KernelSet| set.main_kernel().kernel_name();
        let has_isa =
            |set: &KernelSet| self.isa.is_empty() || self.isa.iter().any(|isa| isa == set.isa());
        for &wanted in self.kernels.iter().filter(|&&name| name != KernelName::Scalar) {
            anyhow::ensure!(
                wanted != KernelName::Colour,
                "--kernels colour does not apply to library scenes; use --threads"
            );
            let mut with_name = sets.iter().filter(|set| name_of(set) == wanted).peekable();
            anyhow::ensure!(
                with_name.peek().is_some(),
                "--kernels {wanted}: this build has no such kernel on this machine, or the scene does not \
                 have the models that it needs (grid: a sheet that is not narrow; copies: enough equal \
                 models)"
            );
            anyhow::ensure!(with_name.any(has_isa), self.without_isa(wanted));
        }
        sets.retain(|set| {
            name_of(set) == KernelName::Scalar || (has_isa(set) && self.is_requested(name_of(set)))
        });
        let one_thread = sets.clone();
        for &threads in self.threads.iter().filter(|&&threads| threads > 1) {
            sets.push(one_thread[0].clone().on_threads(threads)?);
        }
        Ok(sets)
    }
}

/// The table of all rows, the fastest first.
fn render(rows: &[WorldRow]) -> String {
    let mut sorted: Vec<&WorldRow> = rows.iter().collect();
    sorted.sort_by(|one, other| one.frame_us_median.total_cmp(&other.frame_us_median));
    let mut table = table::plain();
    table.set_header([
        "kernel",
        "isa",
        "threads",
        "frame\nµs",
        "sticks\nµs",
        "other\nµs",
        "sticks\n% of frame",
        "sticks\nns per relaxation",
        "other\nns per particle",
        "stretch\nrms / max",
        "compression\nrms / max",
        "hash",
    ]);
    for row in sorted {
        let [stretch, compression] = if row.finite {
            let pairs =
                [(row.stretch_rms, row.stretch_max), (row.compression_rms, row.compression_max)];
            pairs.map(|(rms, max)| Cell::new(format!("{rms:.4} / {max:.3}")))
        } else {
            [Cell::new("NOT FINITE").fg(Color::Red), Cell::new("")]
        };
        let sticks_percent = 100.0 * row.sticks_us_median / row.frame_us_median;
        table.add_row([
            Cell::new(row.kernel),
            Cell::new(row.isa),
            Cell::new(row.threads),
            Cell::new(format!("{:.1}", row.frame_us_median)),
            Cell::new(format!("{:.1}", row.sticks_us_median)),
            Cell::new(format!("{:.1}", row.others_us_median)),
            Cell::new(format!("{sticks_percent:.0}")),
            Cell::new(if row.ns_per_stick.is_nan() {
                "-".to_owned() // the scene has no sticks
            } else {
                format!("{:.3}", row.ns_per_stick)
            }),
            Cell::new(format!("{:.2}", row.others_ns_per_particle)),
            stretch,
            compression,
            Cell::new(format!("{:016x}", row.hash)),
        ]);
    }
    // Numbers are right-aligned: all columns except names (kernel, isa) and the hash.
    for column in 2..11 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}
