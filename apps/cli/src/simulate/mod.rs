//! `taut simulate`: simulates a scene or a mesh, reports a summary, and writes files and pictures.

mod check;
mod export;
mod exported_world;
pub(crate) mod kernels;
mod records;
mod snapshot;
pub(crate) mod source;
mod summary;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use taut::world::{AnyScene, LibraryScene, Scene, Tethers};
use taut::{AnyWorld, Formula, KernelChoice};
use taut_bench::{FrameTimes, Progress};

use crate::Failure;
use crate::output::{JsonOutput, warn, with_progress};
use crate::parsers::{OnOff, decimal_within, parse, within};
use crate::table;

use export::ExportOptions;
use kernels::KernelOptions;
use records::{EnergyFile, PositionFile};
use source::{NamedScene, Source};
use summary::{ContactSummary, Summary};

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// The scene: a library name (see --list), or a scene file (TOML).
    #[arg(value_name = "SCENE|FILE.toml",
          required_unless_present_any = ["list", "check", "mesh"])]
    source: Option<Source>,
    /// A mesh file instead of a scene (OBJ, PLY, glTF or GLB); its highest 2 % of vertices are
    /// pinned. Exported files have the vertex numbering of the mesh file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "size"])]
    mesh: Option<PathBuf>,
    /// Keep the original scale of a mesh instead of scaling it to a mean edge of 0.05 m.
    #[arg(long, requires = "mesh")]
    keep_scale: bool,
    /// List the scenes of the library.
    #[arg(long)]
    list: bool,
    /// Simulate every library scene on every kernel and instruction set, and on several threads.
    /// The exit code is 1 unless positions stay finite, the residual stays within the bound of the
    /// scene, and all kernels give the same bits.
    #[arg(long, conflicts_with_all = ["source", "list", "mesh", "frames", "size", "substeps",
          "iterations", "passes", "tethers", "formula", "KernelOptions", "positions", "energy",
          "snapshot", "resume", "ExportOptions"])]
    check: bool,
    /// Number of frames. A frame is a step of the scene: 1/60 s by default.
    #[arg(long, value_name = "N", default_value_t = 600,
          value_parser = within::<u64>(1..=1_000_000_000))]
    frames: u64,
    /// Simulated time instead of a number of frames, s. [default for --check: 60]
    #[arg(long, value_name = "S", conflicts_with = "frames",
          value_parser = decimal_within(0.01..=1e6))]
    seconds: Option<f64>,
    /// Size of a library scene, in the unit that --list shows. [default: that of the scene]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1..=4096))]
    size: Option<usize>,
    /// Substeps per frame. [default: that of the scene; for a mesh 8]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1000))]
    substeps: Option<u32>,
    /// Iterations per pass. [default: that of the scene; for a mesh 1]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=100_000))]
    iterations: Option<u32>,
    /// Passes (iterations, then ties, then collisions) per substep. [default: that of the scene]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1000))]
    passes: Option<u32>,
    /// on: tether all particles to pinned ones, except in models that define their own tethers; off:
    /// remove all tethers. [default: as in the scene]
    #[arg(long, value_enum)]
    tethers: Option<OnOff>,
    /// The formula: exact, newton, halley or quick. [default: that of the scene]
    #[arg(long, value_name = "NAME", value_parser = parse::<Formula>)]
    formula: Option<Formula>,
    #[command(flatten)]
    kernels: KernelOptions,
    /// Write positions after the last frame as CSV, at full precision; for more frames, see
    /// --every.
    #[arg(long, value_name = "FILE.csv")]
    positions: Option<PathBuf>,
    /// Write positions also before the first frame and after every N frames.
    #[arg(long, value_name = "N", requires = "positions",
          value_parser = within::<u64>(1..=1_000_000_000))]
    every: Option<u64>,
    /// Write the result as one JSON object to a file, or with - to the standard output instead of
    /// the table. Every 8th frame is watched: its parts are timed one by one, which gives the fraction
    /// of time of each part, but its own time does not count as a frame time, unless it is the only
    /// frame. Where no force besides gravity acts, the fraction of sticks includes motion, because the
    /// kernel does both in one call. Contacts of models with self-collision are examined in every 10th
    /// frame and the last.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "check"])]
    json: Option<PathBuf>,
    /// Write energy, stretch and the number of torn sticks after every frame as CSV.
    #[arg(long, value_name = "FILE.csv")]
    energy: Option<PathBuf>,
    /// Write a snapshot after the last frame (JSON), for --resume.
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// Resume from a snapshot of the same scene, taken with the same --tethers. The result has the
    /// same bits as without the interruption.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["substeps", "iterations", "passes", "formula"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    export: ExportOptions,
}

/// Contacts are examined in every `CONTACTS_EVERY`-th frame and the last, because finding the edges and
/// faces that cross takes longer than a step.
const CONTACTS_EVERY: u64 = 10;

/// Checks all scenes, lists them, or simulates one, as the arguments say.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.check {
        return check::run(LibraryScene::ALL, arguments.seconds.unwrap_or(60.0));
    }
    match (&arguments.source, &arguments.mesh) {
        _ if arguments.list => list(),
        (Some(source), _) => arguments.simulate(source.load(arguments.size)?),
        (None, Some(path)) => arguments.simulate(source::load_mesh(path, arguments.keep_scale)?),
        (None, None) => list(),
    }
}

/// Prints a table with a row for each library scene.
fn list() -> Result<(), Failure> {
    let mut table = table::plain();
    table.set_header(["scene", "", "default --size", "description"]);
    for scene in LibraryScene::ALL {
        table.add_row([
            scene.name.to_owned(),
            format!("{}-D", scene.dimensions),
            format!("{} {}", scene.size, scene.size_unit),
            scene.description.to_owned(),
        ]);
    }
    writeln!(io::stdout(), "{table}")?;
    Ok(())
}

impl Arguments {
    /// The scene with the requested settings.
    fn with_settings(&self, scene: AnyScene) -> anyhow::Result<AnyScene> {
        Ok(match scene {
            AnyScene::TwoD(scene) => self.with_settings_in(scene)?.into(),
            AnyScene::ThreeD(scene) => self.with_settings_in(scene)?.into(),
        })
    }

    fn with_settings_in<const D: usize>(&self, mut scene: Scene<D>) -> anyhow::Result<Scene<D>> {
        let mut settings = scene.settings;
        settings.step.substeps = self.substeps.unwrap_or(settings.step.substeps);
        settings.step.iterations = self.iterations.unwrap_or(settings.step.iterations);
        settings.passes = self.passes.unwrap_or(settings.passes);
        scene.set_settings(settings)?;
        scene.formula = self.formula.unwrap_or(scene.formula);
        if let Some(tethers) = self.tethers {
            scene = scene.tethered((tethers == OnOff::On).then(Tethers::default))?;
        }
        Ok(scene)
    }

    /// The number of frames to simulate; a frame takes `dt` seconds.
    fn frames(&self, dt: f32) -> u64 {
        #[allow(clippy::cast_sign_loss, reason = "both are above 0")]
        let frames_in = |seconds: f64| (seconds / f64::from(dt)).round().max(1.0) as u64;
        self.seconds.map_or(self.frames, frames_in)
    }

    /// Checks that no two outputs have the same file name.
    fn check_output_names(&self) -> anyhow::Result<()> {
        let mut paths = BTreeSet::new();
        let json = self.json.as_ref().filter(|path| path.as_path() != Path::new("-"));
        let outputs = [&self.positions, &self.energy, &self.snapshot].into_iter().flatten();
        let outputs = outputs.chain(json);
        for path in outputs.chain(self.export.paths()) {
            anyhow::ensure!(
                paths.insert(path),
                "{}: two output files have this name",
                path.display()
            );
        }
        Ok(())
    }

    /// Simulates a scene, writes the requested files, and prints the summary. If the export fails, the
    /// simulation ends, but all else is written.
    fn simulate(&self, scene: NamedScene) -> Result<(), Failure> {
        let NamedScene { scene, name, vertex_map, notes } = scene;
        let name = name.as_str();
        self.check_output_names()?;
        let scene = self.with_settings(scene).with_context(|| name.to_owned())?;
        let kernels = KernelChoice::from(&self.kernels).find()?;
        let mut world = match &self.resume {
            None => AnyWorld::with_kernels(scene, kernels).with_context(|| name.to_owned())?,
            Some(path) => AnyWorld::resume(scene, kernels, &snapshot::read(path)?)
                .with_context(|| path.display().to_string())?,
        };
        warn(&world.warnings());
        let frames = self.frames(world.settings().step.dt);
        // Those that do not empty an existing file come first: if one of them fails, the other files are
        // unchanged.
        let snapshot = self.snapshot.as_deref().map(JsonOutput::open).transpose()?;
        let json = self.json.as_deref().map(JsonOutput::open_or_standard).transpose()?;
        let mut exporter = self.export.open(&world, frames, vertex_map.as_ref())?;
        let create_positions = |path| PositionFile::create(path, world.dimensions());
        let mut positions = self.positions.as_deref().map(create_positions).transpose()?;
        let mut energies = self.energy.as_deref().map(EnergyFile::create).transpose()?;

        let (mut times, mut finite, mut frames_done) = (FrameTimes::default(), true, 0);
        let mut contacts = None;
        let exported = with_progress(|progress| {
            let mut exported = Ok(());
            for frame in 0..frames {
                if let (Some(positions), Some(every)) = (&mut positions, self.every)
                    && frame % every == 0
                {
                    positions.write(&world)?;
                }
                finite = times.step(&mut world, frames)?.finite;
                frames_done += 1;
                if let Some(energies) = &mut energies {
                    energies.write(&world)?;
                }
                if !finite {
                    break;
                }
                if frames_done % CONTACTS_EVERY == 0 || frames_done == frames {
                    ContactSummary::add(&mut contacts, world.contacts());
                }
                exported = exporter.write_due_frame(&world);
                if exported.is_err() {
                    break;
                }
                progress(Progress { share: frames_done as f64 / frames as f64, doing: name });
            }
            Ok(exported.and(exporter.finish(progress)))
        })?;
        if let Some(mut positions) = positions {
            positions.write(&world)?;
            positions.close()?;
        }
        if let Some(energies) = energies {
            energies.close()?;
        }
        if let Some(snapshot) = snapshot {
            snapshot.write(&world.snapshot())?;
        }
        let summary = Summary::new(name, &world, frames_done, finite, &times, contacts)?;
        let prints_json = json.as_ref().is_some_and(JsonOutput::is_standard);
        let json_written = json.map_or(Ok(()), |json| json.write(&summary));
        let table_written = if prints_json {
            Ok(())
        } else {
            let mut lines = notes;
            lines.extend([summary.sentence(world.kernels()), format!("{}\n", summary.table())]);
            let text = lines.join("\n");
            io::stdout().write_all(text.as_bytes()).context("the table was not written")
        };
        if !finite {
            let blow_up =
                format!("{name}: blew up: after frame {frames_done} a position is not finite");
            let not_exported = exported.err().map(|error| format!("{error:#}"));
            return Err(Failure::Violations([blow_up].into_iter().chain(not_exported).collect()));
        }
        Ok(exported.and(json_written).and(table_written)?)
    }
}
