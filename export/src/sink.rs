//! Where frames go.

use std::path::Path;

use crate::error::{InFile, Problem, Result};
use crate::gltf::Glb;
use crate::obj::Obj;
use crate::pc2::PointCache;
use crate::ply::Ply;
use crate::{FileName, Frame, Stage};

/// Takes the frames of a stage, one after the other, and makes a file of them, or some.
pub trait Sink {
    /// Takes a frame.
    ///
    /// # Errors
    /// If it cannot be written.
    fn frame(&mut self, stage: &Stage, frame: &Frame) -> Result<()>;

    /// Ends the file; `progress` is told how much of that is done, from 0 to 1.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self: Box<Self>, stage: &Stage, progress: &mut dyn FnMut(f64)) -> Result<()>;
}

/// What is going to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// How many frames at most.
    pub frames: u64,
    /// How many a second.
    pub fps: f64,
}

/// The endings that [`sink`] knows.
pub const ENDINGS: &[&str] = &[".glb", ".obj", ".ply", ".pc2"];

/// The sink for a file, by its ending: `.glb`, `.obj`, `.ply`, `.pc2`; in capitals or not. OBJ and
/// PLY hold the last frame, or each in a file of its own if there is a place for its number in the
/// name (`%04d`).
///
/// # Errors
/// An unknown ending, a folder that is not there, a stage whose numbers make no sense, or a file that
/// would be too large: before the work.
pub fn sink(path: &Path, stage: &Stage, schedule: Schedule) -> Result<Box<dyn Sink>> {
    let name = FileName::parse(path)?;
    let ending = name.ending();
    if !ENDINGS.iter().any(|known| known[1..] == ending) {
        return Err(Problem::UnknownEnding { known: ENDINGS }.of(path));
    }
    stage.check().map_err(Problem::Unfit).in_file(path)?;
    let name = name.in_a_folder()?;
    if name.is_sequence() && (ending == "glb" || ending == "pc2") {
        return Err(Problem::Unfit("holds all frames in one file, and takes no %d").of(path));
    }
    Ok(match &*ending {
        "glb" => Box::new(Glb::new(path, stage, schedule)?),
        "obj" => Box::new(Obj::new(name)),
        "ply" => Box::new(Ply::new(name)),
        _ => Box::new(PointCache::create(path, stage, schedule)?),
    })
}

/// What formats of one frame a file have in common: each frame is written as it comes, or only the
/// last is.
#[derive(Debug)]
pub(crate) struct Stills {
    name: FileName,
    frames: u64,
    last: Option<Frame>,
}

impl Stills {
    pub(crate) fn new(name: FileName) -> Self {
        Self { name, frames: 0, last: None }
    }

    pub(crate) fn frame(
        &mut self,
        frame: &Frame,
        write: impl FnOnce(&Path, &Frame) -> Result<()>,
    ) -> Result<()> {
        if self.name.is_sequence() {
            write(&self.name.of(self.frames), frame)?;
        } else {
            self.last.get_or_insert_default().clone_from(frame);
        }
        self.frames += 1;
        Ok(())
    }

    pub(crate) fn finish(self, write: impl FnOnce(&Path, &Frame) -> Result<()>) -> Result<()> {
        match self.last {
            Some(last) => write(self.name.written(), &last),
            None if self.frames == 0 => Err(Problem::NoFrames.of(self.name.written())),
            None => Ok(()),
        }
    }
}
