//! Animations: sinks that record frames and then draw them into files.

mod apng;
mod gif;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use taut_export::{
    DrawnScene, ExportError, FileName, Frame, InFile, Problem, Recording, Result, Sink, Timeline,
    file_name,
};

use crate::{Bounds, Options, Painter, Picture};

/// The extensions that [`picture_sink`] writes.
pub const EXTENSIONS: &[&str] = &[".png", ".apng", ".gif"];

/// Checks whether [`picture_sink`] can write a file. Opens no file.
///
/// # Errors
/// An unknown extension; a frame number pattern that is invalid, or that is used with `.apng` or `.gif`;
/// a missing folder; an invalid drawn scene; or a GIF with more than 50 frames per second or more than
/// 65,535 pixels in a row or column.
pub fn check(
    path: &Path,
    scene: &DrawnScene,
    timeline: Timeline,
    options: &Options,
) -> Result<FileName> {
    let name = file_name(path, scene, EXTENSIONS, &[".png"])?;
    if name.extension() == "gif" {
        gif::check(options, timeline.fps).in_file(path)?;
    }
    Ok(name)
}

/// Returns the sink for a picture or animation, chosen by the extension: `.apng`, `.gif`, or
/// `.png`. PNG contains the last frame; if the name has a frame number pattern (`%04d`), each frame
/// gets a file of its own.
///
/// # Errors
/// Same as [`check`]; also a file that cannot be created.
pub fn picture_sink(
    path: &Path,
    scene: &DrawnScene,
    timeline: Timeline,
    options: Options,
) -> Result<Box<dyn Sink>> {
    let name = check(path, scene, timeline, &options)?;
    let output = match &*name.extension() {
        "png" if name.is_sequence() => Output::Sequence(name),
        "png" => Output::Still(File::create(path).in_file(path)?, None),
        "apng" => Output::Apng(File::create(path).in_file(path)?),
        _ => Output::Gif(File::create(path).in_file(path)?),
    };
    let recording = Recording::beside(path, scene).in_file(path)?;
    let path = path.to_owned();
    Ok(Box::new(PictureSink {
        path,
        output,
        options,
        fps: timeline.fps,
        recording,
        bounds: Bounds::default(),
    }))
}

/// The output file or files. The files of animations and stills are created before the simulation
/// starts, so that a wrong path fails early.
#[derive(Debug)]
enum Output {
    /// One PNG file, and the last frame so far.
    Still(File, Option<Frame>),
    /// A PNG file for each frame.
    Sequence(FileName),
    Apng(File),
    Gif(File),
}

/// See [`picture_sink`].
#[derive(Debug)]
struct PictureSink {
    path: std::path::PathBuf,
    output: Output,
    options: Options,
    fps: f64,
    recording: Recording,
    /// The bounds of all recorded frames.
    bounds: Bounds,
}

impl Sink for PictureSink {
    fn frame(&mut self, scene: &DrawnScene, frame: &Frame) -> Result<()> {
        scene.check_frame(frame, &self.path)?;
        if let Output::Still(_, last) = &mut self.output {
            last.get_or_insert_default().clone_from(frame);
            return Ok(());
        }
        self.bounds.add(scene, frame);
        self.recording.add(frame).in_file(&self.path)
    }

    fn finish(
        mut self: Box<Self>,
        scene: &DrawnScene,
        progress: &mut dyn FnMut(f64),
    ) -> Result<()> {
        let Self { path, output, options, fps, recording, bounds } = &mut *self;
        let mut frames =
            AnimationFrames { path, scene, options: *options, bounds, recording, progress };
        match output {
            Output::Still(file, Some(last)) => {
                let mut bounds = Bounds::default();
                bounds.add(scene, last);
                let picture = Painter::new(scene, &bounds, *options).paint(scene, last);
                write_png(&picture, file).map_err(|error| export_error(path, &error))
            }
            Output::Still(_, None) => Err(Problem::NoFrames.of(path)),
            _ if frames.recording.is_empty() => Err(Problem::NoFrames.of(path)),
            Output::Sequence(name) => {
                let mut nth = 0;
                frames.for_each(|picture| {
                    let path = name.of(nth);
                    nth += 1;
                    let file = File::create(&path).in_file(&path)?;
                    write_png(&picture, &file).map_err(|error| export_error(&path, &error))
                })
            }
            Output::Apng(file) => apng::write(file, &mut frames, *fps),
            Output::Gif(file) => gif::write(file, &mut frames, *fps),
        }
    }
}

/// The recorded frames of an animation, and what is needed to draw them.
struct AnimationFrames<'a> {
    path: &'a Path,
    scene: &'a DrawnScene,
    options: Options,
    bounds: &'a Bounds,
    recording: &'a mut Recording,
    progress: &'a mut dyn FnMut(f64),
}

impl AnimationFrames<'_> {
    /// Draws one frame after the other, and calls `write` with each picture.
    fn for_each(&mut self, mut write: impl FnMut(Picture) -> Result<()>) -> Result<()> {
        let painter = Painter::new(self.scene, self.bounds, self.options);
        let (frames, mut done) = (self.recording.len(), 0_u64);
        let mut recorded = self.recording.read().in_file(self.path)?;
        while let Some(frame) = recorded.read_next().in_file(self.path)? {
            write(painter.paint(self.scene, &frame))?;
            done += 1;
            (self.progress)(done as f64 / frames as f64);
        }
        Ok(())
    }
}

/// Converts an error of the PNG encoder.
fn export_error(path: &Path, error: &png::EncodingError) -> ExportError {
    match error {
        png::EncodingError::IoError(error) => {
            Problem::Io(std::io::Error::new(error.kind(), error.to_string())).of(path)
        }
        error => Problem::Encoding(error.to_string()).of(path),
    }
}

/// Writes a picture as PNG.
fn write_png(picture: &Picture, file: &File) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels.as_flattened())?;
    writer.finish()
}
