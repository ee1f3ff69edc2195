//! Exports the frames of a world to files and pictures.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{ArgGroup, Args};

use taut::AnyWorld;
use taut_bench::Progress;
use taut_export::{FileName, Sink, Timeline, sink};
use taut_mesh::VertexMap;
use taut_picture::{Background, Options, View, picture_sink};

use super::exported_world::ExportedWorld;
use crate::parsers::{decimal_within, parse, within};

/// The tolerance of comparisons of times, in exported frames: `dt` is rounded to `f32`, so sums of steps are not exact.
const TIME_TOLERANCE: f64 = 1e-4;

/// Options for exported files and pictures.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Files and pictures",
    group(ArgGroup::new("pictures").args(["png", "apng", "gif"]).multiple(true)),
    group(ArgGroup::new("exports").args(["out", "png", "apng", "gif"]).multiple(true)),
)]
pub(crate) struct ExportOptions {
    /// Export the motion. The extension determines the format: .glb (animated glTF), .pc2 (point
    /// cache), .obj and .ply (the last exported frame, or every one with a name such as out/%04d.obj). May
    /// be given several times.
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Draw the last exported frame as PNG, or every one with a name such as out/%04d.png.
    #[arg(long, value_name = "FILE.png")]
    png: Option<PathBuf>,
    /// Draw an animation as animated PNG: all colours, large files.
    #[arg(long, value_name = "FILE.apng")]
    apng: Option<PathBuf>,
    /// Draw an animation as GIF: at most 255 colours per frame, small files.
    #[arg(long, value_name = "FILE.gif")]
    gif: Option<PathBuf>,
    /// Exported frames per second of simulated time; at most the steps per second of the scene.
    #[arg(long, value_name = "N", default_value_t = 30.0, requires = "exports",
          value_parser = decimal_within(0.01..=1000.0))]
    fps: f64,
    /// Simulated time before the first exported frame, from the start of this run, s.
    #[arg(long, value_name = "S", default_value_t = 0.0, requires = "exports",
          value_parser = decimal_within(0.0..=1e6))]
    from: f64,
    /// Width of pictures, pixels.
    #[arg(long, value_name = "N", default_value_t = 640, requires = "pictures",
          value_parser = within::<u32>(1..=8192))]
    width: u32,
    /// Height of pictures, pixels.
    #[arg(long, value_name = "N", default_value_t = 480, requires = "pictures",
          value_parser = within::<u32>(1..=8192))]
    height: u32,
    /// View of pictures: azimuth (0: from the front, 90: from the right) and elevation, degrees,
    /// and zoom factor (1: everything in all drawn frames just fits). Pictures of 2D scenes use only
    /// the zoom factor. [default: 28,16,1]
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true,
          requires = "pictures", value_parser = parse::<View>)]
    camera: Option<View>,
    /// Background of pictures: light or dark.
    #[arg(long, value_name = "TONE", default_value = "light", requires = "pictures",
          value_parser = parse::<Background>)]
    background: Background,
    /// Number of colours per GIF frame; fewer colours make smaller files.
    #[arg(long, value_name = "N", default_value_t = 255, requires = "gif",
          value_parser = within::<u8>(64..=255))]
    colours: u8,
}

/// The open files of [`ExportOptions`].
pub(super) struct Exporter {
    /// `None` if nothing is exported.
    exported_world: Option<ExportedWorld>,
    /// Each file that is written, with its path.
    sinks: Vec<(PathBuf, Box<dyn Sink>)>,
    /// Exported frames per second of simulated time.
    fps: f64,
    /// The time of the world at the first exported frame, s.
    start_time: f64,
    /// Number of exported frames so far.
    frames_written: u64,
}

impl ExportOptions {
    /// The paths of all files to write.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.out.iter().chain(&self.png).chain(&self.apng).chain(&self.gif)
    }

    /// Checks all files, then opens them, and writes the first frame if it is due. `steps` is
    /// the number of steps that the simulation will run. `vertex_map` is given for a mesh file.
    ///
    /// # Errors
    /// If a name or a time is invalid, or a file cannot be written.
    pub(super) fn open(
        &self,
        world: &AnyWorld,
        steps: u64,
        vertex_map: Option<&VertexMap>,
    ) -> anyhow::Result<Exporter> {
        let (fps, from) = (self.fps, self.from);
        let mut exporter = Exporter {
            exported_world: None,
            sinks: Vec::new(),
            fps,
            start_time: world.time() + from,
            frames_written: 0,
        };
        let pictures = [
            (&self.png, ".png", "--png"),
            (&self.apng, ".apng", "--apng"),
            (&self.gif, ".gif", "--gif"),
        ];
        if self.out.is_empty() && pictures.iter().all(|(path, ..)| path.is_none()) {
            return Ok(exporter);
        }
        let dt = f64::from(world.settings().step.dt);
        anyhow::ensure!(
            fps * dt < 1.0 + TIME_TOLERANCE,
            "--fps {fps}: expected at most the scene's {:.0} steps per second",
            1.0 / dt
        );
        let exported_world = ExportedWorld::new(world, vertex_map)?;
        let scene = &exported_world.scene;
        #[allow(clippy::cast_sign_loss, reason = "`max` makes it at least 0")]
        let frames = 1 + ((steps as f64 * dt - from) * fps + TIME_TOLERANCE).max(0.0) as u64;
        anyhow::ensure!(
            steps as f64 * dt >= from,
            "--from {from}: the simulation is shorter than that"
        );
        let timeline = Timeline { frames, fps };
        let options = Options {
            width: self.width,
            height: self.height,
            view: self.camera.unwrap_or_default(),
            background: self.background,
            colours: self.colours,
        };
        for path in &self.out {
            taut_export::check(path, scene, timeline)?;
        }
        for (path, extension, option) in pictures {
            let Some(path) = path else { continue };
            let name = taut_picture::check(path, scene, timeline, &options)?;
            let has_extension = name.extension() == extension[1..];
            anyhow::ensure!(
                has_extension,
                "{option} {}: does not end with {extension}",
                path.display()
            );
        }
        for path in &self.out {
            exporter.sinks.push((path.clone(), sink(path, scene, timeline)?));
            let is_glb = FileName::parse(path)?.extension() == "glb";
            if is_glb && io::stderr().is_terminal() {
                let size = taut_export::gltf::size(scene, timeline) as f64 / 1e6;
                let path = path.display();
                writeln!(io::stderr(), "{path}: {frames} key frames, about {size:.1} MB")?;
            }
        }
        for path in pictures.iter().filter_map(|(path, ..)| path.as_ref()) {
            exporter.sinks.push((path.clone(), picture_sink(path, scene, timeline, options)?));
        }
        exporter.exported_world = Some(exported_world);
        exporter.write_due_frame(world)?;
        Ok(exporter)
    }
}

impl Exporter {
    /// Writes a frame of the world if the time of the next exported frame has come.
    pub(super) fn write_due_frame(&mut self, world: &AnyWorld) -> anyhow::Result<()> {
        let Some(exported_world) = &mut self.exported_world else { return Ok(()) };
        let due_time = self.start_time + self.frames_written as f64 / self.fps;
        if world.time() + TIME_TOLERANCE / self.fps < due_time {
            return Ok(());
        }
        self.frames_written += 1;
        exported_world.update(world)?;
        for (_, sink) in &mut self.sinks {
            sink.frame(&exported_world.scene, &exported_world.frame)?;
        }
        Ok(())
    }

    /// Completes all files. If one of them fails, completes the others, too.
    pub(super) fn finish(self, progress: &mut dyn FnMut(Progress<'_>)) -> anyhow::Result<()> {
        let Some(ExportedWorld { scene, .. }) = self.exported_world else { return Ok(()) };
        let mut finished = Ok(());
        for (path, sink) in self.sinks {
            let doing = path.display().to_string();
            let result =
                sink.finish(&scene, &mut |share| progress(Progress { share, doing: &doing }));
            finished = finished.and(result);
        }
        finished.context("not all files were written")
    }
}
