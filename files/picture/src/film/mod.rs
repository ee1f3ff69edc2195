//! Films: sinks that draw recorded frames into files.

mod apng;
mod gif;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use taut_export::{
    ExportError, FileName, Frame, InFile, Problem, Recording, Result, Schedule, Sink, Stage,
    file_name,
};

use crate::{Bounds, Options, Painter, Picture};

/// The endings that [`film`] knows.
pub const ENDINGS: &[&str] = &[".png", ".apng", ".gif"];

/// Whether [`film`] can write a file of this name, before any is opened.
///
/// # Errors
/// An unknown ending, a folder that does not exist, or an inconsistent stage.
pub fn check(path: &Path, stage: &Stage) -> Result<FileName> {
    file_name(path, stage, ENDINGS, &[".png"])
}

/// The sink for a picture or film, by its ending: `.png` (the last frame, or each one if the name has a
/// placeholder such as `%04d`), `.apng`, `.gif`.
///
/// # Errors
/// As [`check`], or a file that cannot be created.
pub fn film(
    path: &Path,
    stage: &Stage,
    schedule: Schedule,
    options: Options,
) -> Result<Box<dyn Sink>> {
    let name = check(path, stage)?;
    let kind = match &*name.ending() {
        "png" if name.is_sequence() => Kind::Sequence(name),
        "png" => Kind::Still(File::create(path).in_file(path)?, None),
        "apng" => Kind::Apng(File::create(path).in_file(path)?),
        _ => Kind::Gif(File::create(path).in_file(path)?),
    };
    let recording = Recording::beside(path, stage).in_file(path)?;
    let path = path.to_owned();
    Ok(Box::new(Film {
        path,
        kind,
        options,
        fps: schedule.fps,
        recording,
        bounds: Bounds::default(),
    }))
}

/// The output. Files are created before the simulation starts, so that a wrong path fails early.
#[derive(Debug)]
enum Kind {
    /// The last frame.
    Still(File, Option<Frame>),
    Sequence(FileName),
    Apng(File),
    Gif(File),
}

/// See [`film`].
#[derive(Debug)]
struct Film {
    path: std::path::PathBuf,
    kind: Kind,
    options: Options,
    fps: f64,
    recording: Recording,
    bounds: Bounds,
}

impl Sink for Film {
    fn frame(&mut self, stage: &Stage, frame: &Frame) -> Result<()> {
        if let Kind::Still(_, last) = &mut self.kind {
            last.get_or_insert_default().clone_from(frame);
            return Ok(());
        }
        self.bounds.add(stage, frame);
        self.recording.add(frame).in_file(&self.path)
    }

    fn finish(mut self: Box<Self>, stage: &Stage, progress: &mut dyn FnMut(f64)) -> Result<()> {
        let Self { path, kind, options, fps, recording, bounds } = &mut *self;
        let mut all = Drawn { path, stage, options: *options, bounds, recording, progress };
        match kind {
            Kind::Still(file, Some(last)) => {
                let mut bounds = Bounds::default();
                bounds.add(stage, last);
                let picture = Painter::new(stage, &bounds, *options).paint(stage, last);
                png(&picture, file).map_err(|error| export_error(path, &error))
            }
            Kind::Still(_, None) => Err(Problem::NoFrames.of(path)),
            _ if all.recording.is_empty() => Err(Problem::NoFrames.of(path)),
            Kind::Sequence(name) => {
                let mut nth = 0;
                all.each(|picture| {
                    let path = name.of(nth);
                    nth += 1;
                    let file = File::create(&path).in_file(&path)?;
                    png(&picture, &file).map_err(|error| export_error(&path, &error))
                })
            }
            Kind::Apng(file) => apng::write(file, &mut all, *fps),
            Kind::Gif(file) => gif::write(file, &mut all, *fps),
        }
    }
}

/// The frames of a film, drawn one at a time.
struct Drawn<'a> {
    path: &'a Path,
    stage: &'a Stage,
    options: Options,
    bounds: &'a Bounds,
    recording: &'a mut Recording,
    progress: &'a mut dyn FnMut(f64),
}

impl Drawn<'_> {
    /// Draws each frame.
    fn each(&mut self, mut take: impl FnMut(Picture) -> Result<()>) -> Result<()> {
        let painter = Painter::new(self.stage, self.bounds, self.options);
        let (frames, mut done) = (self.recording.len(), 0_u64);
        let mut read = self.recording.read().in_file(self.path)?;
        while let Some(frame) = read.read_next().in_file(self.path)? {
            take(painter.paint(self.stage, &frame))?;
            done += 1;
            (self.progress)(done as f64 / frames as f64);
        }
        Ok(())
    }
}

/// Converts an error of the system or the encoder.
fn export_error(path: &Path, error: &png::EncodingError) -> ExportError {
    match error {
        png::EncodingError::IoError(error) => {
            Problem::Io(std::io::Error::new(error.kind(), error.to_string())).of(path)
        }
        error => Problem::Encoding(error.to_string()).of(path),
    }
}

/// Writes a picture as PNG.
fn png(picture: &Picture, file: &File) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels.as_flattened())?;
    writer.finish()
}
