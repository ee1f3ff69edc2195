//! The interface of all writers.

use crate::error::Result;
use crate::{DrawnScene, Frame};

/// Writes the frames of a scene to one or more files.
pub trait Sink {
    /// Writes a frame.
    ///
    /// # Errors
    /// If the frame does not [belong](DrawnScene::check_frame) to the scene or cannot be written.
    fn frame(&mut self, scene: &DrawnScene, frame: &Frame) -> Result<()>;

    /// Finishes the files. Calls `progress` with the fraction that is done, from 0 to 1, as often as
    /// the writer can tell: not at all if there is little to do.
    ///
    /// # Errors
    /// If no frame was written, or a file cannot be written, cannot be encoded or would be too large.
    fn finish(self: Box<Self>, scene: &DrawnScene, progress: &mut dyn FnMut(f64)) -> Result<()>;
}

/// The expected number of frames, and their rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// How many frames will be written at most. Some writers reject files that would be too large before
    /// the first frame.
    pub frames: u64,
    /// Frames per second.
    pub fps: f64,
}
