//! Chooses the writer by the file extension.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::{InFile, Problem, Result};
use crate::gltf::Glb;
use crate::pc2::PointCache;
use crate::sequence::folder_of;
use crate::sink::{Sink, Timeline};
use crate::{DrawnScene, FileName, Frame, obj, ply};

/// The extensions that [`sink`] writes.
pub const EXTENSIONS: &[&str] = &[".glb", ".obj", ".ply", ".pc2"];

/// Checks whether [`sink`] can write a file. Opens no file.
///
/// # Errors
/// An unknown extension; a frame number pattern that is invalid, or that is used with a format that
/// contains all frames; a missing folder; or an invalid drawn scene. For `.glb` a file that would be too
/// large, or an empty drawn scene; for `.pc2` more points or frames than the format allows.
pub fn check(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<FileName> {
    let name = name_of(path, scene)?;
    match &*name.extension() {
        "glb" => Glb::check(path, scene, timeline)?,
        "pc2" => PointCache::check(path, scene, timeline).map(|_| ())?,
        _ => {}
    }
    Ok(name)
}

fn name_of(path: &Path, scene: &DrawnScene) -> Result<FileName> {
    file_name(path, scene, EXTENSIONS, &[".obj", ".ply"])
}

/// Returns the sink for a file, chosen by its extension in upper or lower case: `.glb`, `.obj`,
/// `.ply` or `.pc2`. OBJ and PLY contain the last frame. If their name has a frame number pattern
/// (`%04d`), each frame gets a file of its own.
///
/// # Errors
/// Same as [`check`]. Also a file that cannot be created.
pub fn sink(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<Box<dyn Sink>> {
    let name = name_of(path, scene)?;
    Ok(match &*name.extension() {
        "glb" => Box::new(Glb::new(path, scene, timeline)?),
        "obj" => {
            Box::new(SingleFrames::new(name, |to, scene, frame| obj::write(to, scene, frame))?)
        }
        "ply" => {
            Box::new(SingleFrames::new(name, |to, scene, frame| ply::write(to, scene, frame))?)
        }
        _ => Box::new(PointCache::create(path, scene, timeline)?),
    })
}

/// Checks the name of a file for a drawn scene, and returns it. The extension must be one of
/// `extensions`. The name may have a frame number pattern only if the extension is one of
/// `single_frame`, the formats that contain one frame.
///
/// # Errors
/// An unknown extension; a frame number pattern that is invalid, or that is used with another format; a
/// missing folder; or an invalid drawn scene.
pub fn file_name(
    path: &Path,
    scene: &DrawnScene,
    extensions: &'static [&'static str],
    single_frame: &[&str],
) -> Result<FileName> {
    let name = FileName::parse(path)?;
    let extension = name.extension();
    // Known extensions start with a dot; `extension` has none.
    let is_one_of = |extensions: &[&str]| extensions.iter().any(|known| known[1..] == extension);
    if !is_one_of(extensions) {
        return Err(Problem::UnknownExtension { known: extensions }.of(path));
    }
    scene.check().in_file(path)?;
    let folder = folder_of(&name.of(0));
    if !folder.is_dir() {
        return Err(Problem::NoFolder { folder }.of(path));
    }
    if name.is_sequence() && !is_one_of(single_frame) {
        let problem = "contains all frames: expected a name without a frame number pattern";
        return Err(Problem::Unsupported(problem).of(path));
    }
    Ok(name)
}

/// Writes one frame to a file.
type WriteFrame = fn(&File, &DrawnScene, &Frame) -> io::Result<()>;

/// The sink of formats that contain one frame: writes each frame to its own file, or only the last.
#[derive(Debug)]
struct SingleFrames {
    name: FileName,
    write: WriteFrame,
    /// The number of frames so far.
    frames: u64,
    /// The file for the last frame, and that frame so far; `None` if each frame has a file. The file
    /// is created before the run, so that a wrong path fails early.
    last: Option<(File, Frame)>,
}

impl SingleFrames {
    fn new(name: FileName, write: WriteFrame) -> Result<Self> {
        let create = |path: &Path| Ok((File::create(path).in_file(path)?, Frame::default()));
        let last = (!name.is_sequence()).then(|| create(name.as_given())).transpose()?;
        Ok(Self { name, write, frames: 0, last })
    }
}

impl Sink for SingleFrames {
    fn frame(&mut self, scene: &DrawnScene, frame: &Frame) -> Result<()> {
        scene.check_frame(frame, self.name.as_given())?;
        if let Some((_, last)) = &mut self.last {
            last.clone_from(frame);
        } else {
            let path = self.name.of(self.frames);
            let file = File::create(&path).in_file(&path)?;
            (self.write)(&file, scene, frame).in_file(&path)?;
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>, scene: &DrawnScene, _: &mut dyn FnMut(f64)) -> Result<()> {
        let path = self.name.as_given();
        if self.frames == 0 {
            return Err(Problem::NoFrames.of(path));
        }
        match &self.last {
            Some((file, last)) => (self.write)(file, scene, last).in_file(path),
            None => Ok(()),
        }
    }
}
