//! Stores frames on disk until the run is complete, so that a long run needs little memory.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::scene::FrameSizes;
use crate::sequence::folder_of;
use crate::{DrawnScene, Frame, Pose};

/// The frames of a run, in an unnamed temporary file in the folder of the output file. The
/// operating system removes the file, even after a crash.
///
/// ```
/// use taut_export::{DrawnScene, Frame, Recording};
///
/// let scene = DrawnScene { vertices: 1, ..DrawnScene::default() };
/// let mut recording = Recording::beside("cloth.glb".as_ref(), &scene)?;
/// for time in [0.0, 0.5] {
///     let (positions, normals) = (vec![[time as f32; 3]], vec![[0.0, 0.0, 1.0]]);
///     recording.add(&Frame { time, positions, normals, ..Frame::default() })?;
/// }
/// let mut read = recording.read()?;
/// assert_eq!(read.read_next()?.unwrap().positions, [[0.0; 3]]);
/// assert_eq!(read.read_next()?.unwrap().positions, [[0.5; 3]]);
/// assert!(read.read_next()?.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Recording {
    file: BufWriter<File>,
    sizes: FrameSizes,
    frames: u64,
}

impl Recording {
    /// Creates an empty recording in the folder of `file`.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub fn beside(file: &Path, scene: &DrawnScene) -> io::Result<Self> {
        let sizes = FrameSizes::of(scene);
        let file = BufWriter::new(tempfile::tempfile_in(folder_of(file))?);
        Ok(Self { file, sizes, frames: 0 })
    }

    /// The number of frames.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.frames
    }

    /// Whether there are no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// If it does not [belong](DrawnScene::check_frame) to the drawn scene of the recording
    /// ([`io::ErrorKind::InvalidInput`]), or cannot be written.
    pub fn add(&mut self, frame: &Frame) -> io::Result<()> {
        self.sizes
            .check(frame)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let FrameSizes { vertices, faces, sticks, .. } = self.sizes;
        let file = &mut self.file;
        file.write_all(&frame.time.to_ne_bytes())?;
        file.write_all(bytemuck::cast_slice(&frame.positions))?;
        file.write_all(bytemuck::cast_slice(&frame.normals))?;
        file.write_all(bytemuck::cast_slice(&frame.poses))?;
        let flags = [
            (&frame.hidden_vertices, vertices),
            (&frame.removed_faces, faces),
            (&frame.torn_sticks, sticks),
        ];
        for (flags, count) in flags {
            let flags: Vec<u8> = if flags.is_empty() {
                vec![0; count]
            } else {
                flags.iter().map(|&flag| u8::from(flag)).collect()
            };
            file.write_all(&flags)?;
        }
        self.frames += 1;
        Ok(())
    }

    /// Reads all frames, starting with the first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(&mut self) -> io::Result<Frames<'_>> {
        self.file.flush()?;
        let mut file = self.file.get_ref();
        file.seek(SeekFrom::Start(0))?;
        Ok(Frames { file: BufReader::new(file), sizes: self.sizes, remaining: self.frames })
    }
}

/// The frames of a [`Recording`], read one at a time.
#[derive(Debug)]
pub struct Frames<'a> {
    file: BufReader<&'a File>,
    sizes: FrameSizes,
    /// The number of frames that are not read yet.
    remaining: u64,
}

impl Frames<'_> {
    /// The next frame, if any.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_next(&mut self) -> io::Result<Option<Frame>> {
        if self.remaining == 0 {
            return Ok(None);
        }
        self.remaining -= 1;
        let FrameSizes { vertices, poses, faces, sticks } = self.sizes;
        let mut time = [0; 8];
        self.file.read_exact(&mut time)?;
        let mut frame = Frame {
            time: f64::from_ne_bytes(time),
            positions: vec![[0.0; 3]; vertices],
            normals: vec![[0.0; 3]; vertices],
            poses: vec![Pose::REST; poses],
            ..Frame::default()
        };
        self.file.read_exact(bytemuck::cast_slice_mut(&mut frame.positions))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut frame.normals))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut frame.poses))?;
        frame.hidden_vertices = self.read_flags(vertices)?;
        frame.removed_faces = self.read_flags(faces)?;
        frame.torn_sticks = self.read_flags(sticks)?;
        Ok(Some(frame))
    }

    fn read_flags(&mut self, count: usize) -> io::Result<Vec<bool>> {
        let mut flags = vec![0; count];
        self.file.read_exact(&mut flags)?;
        Ok(flags.into_iter().map(|flag| flag != 0).collect())
    }
}
