//! Point caches (`.pc2`): the points of a mesh in every frame, for the modifier "Mesh Cache" of
//! Blender, for 3ds Max and others.
//!
//! The file is little-endian: 12 bytes `POINTCACHE2\0`, the version 1 (`i32`), the number of points
//! (`i32`), the first frame and the frames per sample (`f32` each), the number of samples (`i32`);
//! then for each sample three `f32` for each point (see Blender's `MOD_meshcache_pc2.cc` and its
//! exporter). The file does not store the frame rate.
//!
//! Points are in the order of the [OBJ file](crate::obj) of any frame, in metres, y up. In Blender,
//! import such an OBJ file, add the modifier to it, choose the `.pc2` file, and set the frame rate
//! of the Blender scene to that of the cache.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{InFile, Problem, Result};
use crate::sink::{Sink, Timeline};
use crate::{DrawnScene, Frame};

/// The sink for point caches; see the [module](self).
#[derive(Debug)]
pub struct PointCache {
    path: PathBuf,
    file: BufWriter<File>,
    /// The number of frames so far.
    samples: u32,
}

/// Byte offset of the number of samples.
const SAMPLES_OFFSET: u64 = 28;

impl PointCache {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// If it cannot be written, or there are more points or frames than the format allows.
    pub fn create(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<Self> {
        let points = Self::check(path, scene, timeline)?;
        let write_header = || -> io::Result<_> {
            let mut file = BufWriter::new(File::create(path)?);
            file.write_all(b"POINTCACHE2\0")?;
            file.write_all(&1_i32.to_le_bytes())?;
            file.write_all(&points.to_le_bytes())?;
            file.write_all(&0.0_f32.to_le_bytes())?;
            file.write_all(&1.0_f32.to_le_bytes())?;
            file.write_all(&0_i32.to_le_bytes())?;
            Ok(file)
        };
        Ok(Self { path: path.to_owned(), file: write_header().in_file(path)?, samples: 0 })
    }

    /// Checks the numbers of points and frames. Returns that of points.
    pub(crate) fn check(path: &Path, scene: &DrawnScene, timeline: Timeline) -> Result<i32> {
        let points = i32::try_from(scene.point_count());
        let (Ok(points), Ok(_)) = (points, i32::try_from(timeline.frames)) else {
            let problem = "a point cache has at most 2^31 - 1 points and frames";
            return Err(Problem::Unsupported(problem).of(path));
        };
        Ok(points)
    }
}

impl Sink for PointCache {
    fn frame(&mut self, scene: &DrawnScene, frame: &Frame) -> Result<()> {
        scene.check_frame(frame, &self.path)?;
        for point in scene.points(frame) {
            for x in point {
                self.file.write_all(&x.to_le_bytes()).in_file(&self.path)?;
            }
        }
        self.samples += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: &DrawnScene, _: &mut dyn FnMut(f64)) -> Result<()> {
        if self.samples == 0 {
            return Err(Problem::NoFrames.of(&self.path));
        }
        let mut write_count = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start(SAMPLES_OFFSET))?;
            self.file.write_all(&self.samples.to_le_bytes())?;
            self.file.flush()
        };
        write_count().in_file(&self.path)
    }
}
