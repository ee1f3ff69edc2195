//! Exports a world to files and pictures.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{ArgGroup, Args};
use taut::Kernel;
use taut::world::World;
use taut_bench::Progress;
use taut_export::{FileName, Schedule, Sink, sink};
use taut_mesh::Origin;
use taut_picture::{Background, Options, View, film};

use super::show::Show;
use crate::parsers::{measure, parse, within};

/// Options for exported files and pictures.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Files and pictures",
    group(ArgGroup::new("pictures").args(["png", "apng", "gif"]).multiple(true)),
    group(ArgGroup::new("shown").args(["out", "png", "apng", "gif"]).multiple(true)),
)]
pub(crate) struct Files {
    /// Export the motion. The format follows from the extension: .glb (animated glTF), .pc2 (point
    /// cache), .obj and .ply (the last frame, or each with a name such as out/%04d.obj). May be
    /// given several times.
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Draw the last frame as PNG, or every frame with a name such as out/%04d.png.
    #[arg(long, value_name = "FILE.png")]
    png: Option<PathBuf>,
    /// Draw a film as animated PNG: all colours, large.
    #[arg(long, value_name = "FILE.apng")]
    apng: Option<PathBuf>,
    /// Draw a film as GIF: 256 colours, small.
    #[arg(long, value_name = "FILE.gif")]
    gif: Option<PathBuf>,
    /// Frames per second of files and films; at most the steps per second of the scene.
    #[arg(long, value_name = "N", default_value_t = 30.0, requires = "shown",
          value_parser = measure(0.01..=1000.0))]
    fps: f64,
    /// Start time of files and films, s.
    #[arg(long, value_name = "S", default_value_t = 0.0, requires = "shown",
          value_parser = measure(0.0..=1e6))]
    from: f64,
    /// Width of pictures, pixels.
    #[arg(long, value_name = "N", default_value_t = 640, requires = "pictures",
          value_parser = within::<u32>(1..=8192))]
    width: u32,
    /// Height of pictures, pixels.
    #[arg(long, value_name = "N", default_value_t = 480, requires = "pictures",
          value_parser = within::<u32>(1..=8192))]
    height: u32,
    /// View of pictures: degrees from the front to the right, degrees up, and a zoom factor; at 1
    /// the whole motion just fits. [default: 28,16,1]
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true,
          requires = "pictures", value_parser = parse::<View>)]
    camera: Option<View>,
    /// Background of pictures: light or dark.
    #[arg(long, value_name = "TONE", default_value = "light", requires = "pictures",
          value_parser = parse::<Background>)]
    background: Background,
    /// Colours of a GIF frame; fewer make smaller files.
    #[arg(long, value_name = "N", default_value_t = 255, requires = "gif",
          value_parser = within::<u8>(64..=255))]
    colours: u8,
}

/// The open files of [`Files`].
pub(super) struct Films {
    show: Option<Show>,
    sinks: Vec<(PathBuf, Box<dyn Sink>)>,
    fps: f64,
    from: f64,
    /// Number of frames written.
    shown: u64,
}

impl Files {
    /// The paths of all files.
    pub(super) fn named(&self) -> impl Iterator<Item = &PathBuf> {
        self.out.iter().chain(&self.png).chain(&self.apng).chain(&self.gif)
    }

    /// Checks all names, then opens all files and writes the first frame.
    pub(super) fn open<K: Kernel<D>, const D: usize>(
        &self,
        world: &World<K, D>,
        steps: u64,
        origin: Option<&Origin>,
    ) -> anyhow::Result<Films> {
        let (fps, from) = (self.fps, self.from);
        let mut films =
            Films { show: None, sinks: Vec::new(), fps, from: world.time() + from, shown: 0 };
        let pictures = [
            (&self.png, ".png", "--png"),
            (&self.apng, ".apng", "--apng"),
            (&self.gif, ".gif", "--gif"),
        ];
        if self.out.is_empty() && pictures.iter().all(|(path, ..)| path.is_none()) {
            return Ok(films);
        }
        let dt = f64::from(world.settings().step.dt);
        anyhow::ensure!(
            fps * dt < 1.0 + 1e-4,
            "--fps {fps} is more than the scene has: {:.0} steps a second",
            1.0 / dt
        );
        let show = Show::new(world, origin);
        #[allow(clippy::cast_sign_loss, reason = "a count")]
        let frames = 1 + ((steps as f64 * dt - from) * fps + 1e-4).max(0.0) as u64;
        anyhow::ensure!(steps as f64 * dt >= from, "--from {from}: the simulation ends before");
        let schedule = Schedule { frames, fps };
        for path in &self.out {
            taut_export::check(path, &show.stage)?;
        }
        for (path, ending, option) in pictures {
            let Some(path) = path else { continue };
            let ends = taut_picture::check(path, &show.stage)?.ending() == ending[1..];
            anyhow::ensure!(ends, "{option} {}: does not end with {ending}", path.display());
        }
        for path in &self.out {
            films.sinks.push((path.clone(), sink(path, &show.stage, schedule)?));
            let is_glb = FileName::parse(path)?.ending() == "glb";
            if is_glb && io::stderr().is_terminal() {
                let size = taut_export::gltf::size(&show.stage, schedule) as f64 / 1e6;
                let path = path.display();
                writeln!(io::stderr(), "{path}: {frames} key frames, about {size:.1} MB")?;
            }
        }
        let options = Options {
            width: self.width,
            height: self.height,
            view: self.camera.unwrap_or_default(),
            background: self.background,
            colours: self.colours,
        };
        for path in pictures.iter().filter_map(|(path, ..)| path.as_ref()) {
            films.sinks.push((path.clone(), film(path, &show.stage, schedule, options)?));
        }
        films.show = Some(show);
        films.show(world)?;
        Ok(films)
    }
}

impl Films {
    /// Writes a frame of the world if one is due.
    pub(super) fn show<K: Kernel<D>, const D: usize>(
        &mut self,
        world: &World<K, D>,
    ) -> anyhow::Result<()> {
        let Some(show) = &mut self.show else { return Ok(()) };
        let due = self.from + self.shown as f64 / self.fps;
        if world.time() + 1e-4 / self.fps < due {
            return Ok(());
        }
        self.shown += 1;
        show.update(world);
        for (_, sink) in &mut self.sinks {
            sink.frame(&show.stage, &show.frame)?;
        }
        Ok(())
    }

    /// Finishes all files.
    pub(super) fn finish(self, progress: &mut dyn FnMut(Progress<'_>)) -> anyhow::Result<()> {
        let Some(show) = self.show else { return Ok(()) };
        for (path, sink) in self.sinks {
            let doing = path.display().to_string();
            let finished =
                sink.finish(&show.stage, &mut |share| progress(Progress { share, doing: &doing }));
            finished.context("not all files were written")?;
        }
        Ok(())
    }
}
