//! Pictures and films of a [`taut_export::Stage`], drawn on the processor alone: with lighting,
//! soft shadows and antialiasing in space, and as shapes and lines in the plane.
//!
//! | ending | format |
//! |---|---|
//! | `.png` | PNG: the last frame, or each in its own file if the name has a placeholder (`%04d`) |
//! | `.apng` | animated PNG, all colours ("Portable Network Graphics, Third Edition", W3C 2025) |
//! | `.gif` | GIF that repeats, with a palette for each frame ("Graphics Interchange Format", version 89a, 1990) |
//!
//! Films store only what changes from frame to frame. The camera is placed to see everything in all
//! frames, so frames are first recorded on disk, and drawn when all are known.
//!
//! ```
//! use taut_export::{Frame, Look, Mesh, Pose, Schedule, Sink, Solid, Stage};
//! use taut_picture::{Options, film};
//!
//! let ball = Solid {
//!     name: "ball".into(),
//!     look: Look::Body,
//!     mesh: Mesh::sphere(0.5),
//!     endless: false,
//! };
//! let stage = Stage { solids: vec![ball], ..Stage::default() };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("ball.gif");
//! let options = Options { width: 80, height: 60, ..Options::default() };
//! let mut film = film(&path, &stage, Schedule { frames: 3, fps: 10.0 }, options)?;
//! for nth in 0..3 {
//!     let pose = Pose { position: [0.0, 0.1 * nth as f32, 0.0], ..Pose::REST };
//!     film.frame(&stage, &Frame { poses: vec![pose], ..Frame::default() })?;
//! }
//! film.finish(&stage, &mut |_| {})?;
//! assert!(std::fs::read(&path)?.starts_with(b"GIF89a"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod camera;
mod colour;
mod film;
mod flat;
mod picture;
mod solid;

use taut_export::{Frame, Stage};

pub use camera::{Bounds, View};
pub use colour::Background;
pub use film::{ENDINGS, check, film};
pub use picture::Picture;

/// Options of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Pixels, at least 1.
    pub width: u32,
    /// Pixels, at least 1.
    pub height: u32,
    /// The view; in the plane only its zoom counts.
    pub view: View,
    /// The background.
    pub background: Background,
    /// Colours of a frame of a GIF, 64 to 255: fewer make smaller files.
    pub colours: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 640,
            height: 480,
            view: View::default(),
            background: Background::default(),
            colours: u8::MAX,
        }
    }
}

/// Draws frames of a stage from one fixed camera.
#[derive(Debug)]
pub struct Painter {
    options: Options,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Flat(flat::Sheet),
    Solid(Box<solid::Studio>),
}

impl Painter {
    /// A painter whose pictures show everything within `bounds`.
    #[must_use]
    pub fn new(stage: &Stage, bounds: &Bounds, options: Options) -> Self {
        let kind = if stage.flat {
            Kind::Flat(flat::Sheet::new(bounds, &options))
        } else {
            Kind::Solid(Box::new(solid::Studio::new(bounds, &options)))
        };
        Self { options, kind }
    }

    /// Draws a frame.
    #[must_use]
    pub fn paint(&self, stage: &Stage, frame: &Frame) -> Picture {
        match &self.kind {
            Kind::Flat(sheet) => sheet.paint(stage, frame, &self.options),
            Kind::Solid(studio) => studio.paint(stage, frame, &self.options),
        }
    }

    /// The pixel of a place: x from the left, y from the top.
    #[must_use]
    pub fn pixel_of(&self, place: [f32; 3]) -> [f32; 2] {
        match &self.kind {
            Kind::Flat(sheet) => sheet.pixel_of(place),
            Kind::Solid(studio) => studio.camera().pixel_of(place.into()).into(),
        }
    }
}
