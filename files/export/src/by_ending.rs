//! Chooses the writer by file extension.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::{InFile, Problem, Result};
use crate::gltf::Glb;
use crate::pc2::PointCache;
use crate::sequence::folder_of;
use crate::sink::{Schedule, Sink};
use crate::{FileName, Frame, Stage, obj, ply};

/// The extensions that [`sink`] supports.
pub const ENDINGS: &[&str] = &[".glb", ".obj", ".ply", ".pc2"];

/// Whether [`sink`] can write a file of this name, before any is opened.
///
/// # Errors
/// An unknown extension, a missing folder, or a stage with invalid indices.
pub fn check(path: &Path, stage: &Stage) -> Result<FileName> {
    file_name(path, stage, ENDINGS, &[".obj", ".ply"])
}

/// The sink for a file, by its ending: `.glb`, `.obj`, `.ply`, `.pc2`; in capitals or not. OBJ and
/// PLY hold the last frame, or each in a file of its own if there is a place for its number in the
/// name (`%04d`).
///
/// # Errors
/// As [`check`], or a file that would be too large or cannot be written: before the work.
pub fn sink(path: &Path, stage: &Stage, schedule: Schedule) -> Result<Box<dyn Sink>> {
    let name = check(path, stage)?;
    Ok(match &*name.ending() {
        "glb" => Box::new(Glb::new(path, stage, schedule)?),
        "obj" => Box::new(Stills::new(name, obj::write)),
        "ply" => Box::new(Stills::new(name, ply::write)),
        _ => Box::new(PointCache::create(path, stage, schedule)?),
    })
}

/// The name of a file that is going to be made of a stage. Its ending has to be one of `endings`; only
/// for those of `stills` may there be a file for each frame.
///
/// # Errors
/// As [`sink`] says.
pub fn file_name(
    path: &Path,
    stage: &Stage,
    endings: &'static [&'static str],
    stills: &[&str],
) -> Result<FileName> {
    let name = FileName::parse(path)?;
    let ending = name.ending();
    let is_one_of = |endings: &[&str]| endings.iter().any(|known| known[1..] == ending);
    if !is_one_of(endings) {
        return Err(Problem::UnknownEnding { known: endings }.of(path));
    }
    stage.check().map_err(Problem::Unfit).in_file(path)?;
    let folder = folder_of(&name.of(0));
    if !folder.is_dir() {
        return Err(Problem::NoFolder { folder }.of(path));
    }
    if name.is_sequence() && !is_one_of(stills) {
        return Err(Problem::Unfit("holds all frames in one file, and takes no %d").of(path));
    }
    Ok(name)
}

type WriteStill = fn(File, &Stage, &Frame) -> io::Result<()>;

/// What formats of one frame a file have in common: each frame is written as it comes, or only the
/// last is.
#[derive(Debug)]
struct Stills {
    name: FileName,
    write: WriteStill,
    frames: u64,
    last: Option<Frame>,
}

impl Stills {
    fn new(name: FileName, write: WriteStill) -> Self {
        Self { name, write, frames: 0, last: None }
    }

    fn write(&self, path: &Path, stage: &Stage, frame: &Frame) -> Result<()> {
        File::create(path).and_then(|file| (self.write)(file, stage, frame)).in_file(path)
    }
}

impl Sink for Stills {
    fn frame(&mut self, stage: &Stage, frame: &Frame) -> Result<()> {
        if self.name.is_sequence() {
            self.write(&self.name.of(self.frames), stage, frame)?;
        } else {
            self.last.get_or_insert_default().clone_from(frame);
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>, stage: &Stage, _: &mut dyn FnMut(f64)) -> Result<()> {
        match &self.last {
            Some(last) => self.write(self.name.written(), stage, last),
            None if self.frames == 0 => Err(Problem::NoFrames.of(self.name.written())),
            None => Ok(()),
        }
    }
}
