//! Draws pictures and animations of a [`taut_export::DrawnScene`] on the CPU. 3D scenes have
//! lighting, soft shadows and antialiasing; 2D scenes are shapes and lines.
//!
//! | extension | format |
//! |---|---|
//! | `.png` | PNG of the last frame, or of each if the name has a frame number pattern (`%04d`) |
//! | `.apng` | animated PNG in full colour ("Portable Network Graphics", third edition, W3C 2025) |
//! | `.gif` | looping GIF 89a, one palette per frame ("Graphics Interchange Format", 1990) |
//!
//! Animations store only what changes from frame to frame. The camera is fixed and sees everything in
//! all frames, so frames are first recorded on disk, and drawn after the last one was recorded.
//!
//! ```
//! use taut_export::{DrawnScene, Frame, Material, Mesh, Pose, RigidShape, Sink, Timeline};
//! use taut_picture::{Options, picture_sink};
//!
//! let ball = RigidShape {
//!     name: "ball".into(),
//!     material: Material::Body,
//!     mesh: Mesh::sphere(0.5),
//!     unbounded: false,
//! };
//! let scene = DrawnScene { rigid_shapes: vec![ball], ..DrawnScene::default() };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("ball.gif");
//! let options = Options { width: 80, height: 60, ..Options::default() };
//! let mut sink = picture_sink(&path, &scene, Timeline { frames: 3, fps: 10.0 }, options)?;
//! for nth in 0..3 {
//!     let pose = Pose { position: [0.0, 0.1 * nth as f32, 0.0], ..Pose::REST };
//!     sink.frame(&scene, &Frame { poses: vec![pose], ..Frame::default() })?;
//! }
//! sink.finish(&scene, &mut |_| {})?;
//! assert!(std::fs::read(&path)?.starts_with(b"GIF89a"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod animation;
mod camera;
mod colour;
mod painter_2d;
mod painter_3d;
mod picture;

use taut_export::{DrawnScene, Frame};

use painter_2d::Painter2d;
use painter_3d::Painter3d;

pub use animation::{EXTENSIONS, check, picture_sink};
pub use camera::{Bounds, View};
pub use colour::Background;
pub use picture::Picture;

/// Options of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// The view. For a 2D scene only the zoom is used.
    pub view: View,
    /// The background.
    pub background: Background,
    /// The number of colours in a frame of a GIF, 64 to 255; a smaller number is raised to 64. Fewer
    /// colours make smaller files.
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

/// Draws frames of a scene from one fixed camera.
#[derive(Debug)]
pub struct Painter {
    options: Options,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    TwoD(Painter2d),
    ThreeD(Box<Painter3d>),
}

impl Painter {
    /// A painter whose pictures show everything within `bounds`.
    #[must_use]
    pub fn new(scene: &DrawnScene, bounds: &Bounds, options: Options) -> Self {
        let kind = if scene.flat {
            Kind::TwoD(Painter2d::new(bounds, &options))
        } else {
            Kind::ThreeD(Box::new(Painter3d::new(bounds, &options)))
        };
        Self { options, kind }
    }

    /// Draws a frame.
    #[must_use]
    pub fn paint(&self, scene: &DrawnScene, frame: &Frame) -> Picture {
        match &self.kind {
            Kind::TwoD(painter) => painter.paint(scene, frame, &self.options),
            Kind::ThreeD(painter) => painter.paint(scene, frame, &self.options),
        }
    }

    /// The pixel at which a position is drawn: x from the left, y from the top.
    #[must_use]
    pub fn pixel_of(&self, position: [f32; 3]) -> [f32; 2] {
        match &self.kind {
            Kind::TwoD(painter) => painter.pixel_of(position).into(),
            Kind::ThreeD(painter) => painter.camera().pixel_of(position.into()).into(),
        }
    }
}
