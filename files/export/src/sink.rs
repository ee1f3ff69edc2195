//! Where frames go.

use crate::error::Result;
use crate::{Frame, Stage};

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
