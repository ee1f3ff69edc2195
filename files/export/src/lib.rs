//! Exports simulated scenes to files. A [`Sink`] writes a [`DrawnScene`] (vertices with faces and
//! sticks, and rigid shapes) and its [`Frame`]s (positions at one time). This crate does not depend
//! on the simulation.
//!
//! | extension | format | frames | read by |
//! |---|---|---|---|
//! | [`.glb`](gltf) | animated glTF 2.0 | all in one file | Blender, browsers, engines |
//! | [`.obj`](obj) | Wavefront OBJ | one per file | everything |
//! | [`.ply`](ply) | Stanford PLY, binary, with normals | one per file | scan software, Blender |
//! | [`.pc2`](pc2) | point cache: positions | all in one file | Blender ("Mesh Cache"), 3ds Max |
//!
//! ```
//! use taut_export::{DrawnScene, Frame, Material, Part, Sink, Timeline, sink};
//!
//! let scene = DrawnScene {
//!     vertices: 3,
//!     faces: vec![[0, 1, 2]],
//!     parts: vec![Part {
//!         name: "kerchief".into(),
//!         material: Material::Cloth,
//!         vertices: 0..3,
//!         faces: 0..1,
//!         sticks: 0..0,
//!         radius: 0.0,
//!     }],
//!     ..DrawnScene::default()
//! };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("kerchief.glb");
//! let mut glb = sink(&path, &scene, Timeline { frames: 30, fps: 30.0 })?;
//! for nth in 0..30 {
//!     let y = -0.01 * nth as f32;
//!     glb.frame(
//!         &scene,
//!         &Frame {
//!             time: f64::from(nth) / 30.0,
//!             positions: vec![[0.0, y, 0.0], [1.0, y, 0.0], [0.0, y, 1.0]],
//!             normals: vec![[0.0, -1.0, 0.0]; 3],
//!             ..Frame::default()
//!         },
//!     )?;
//! }
//! glb.finish(&scene, &mut |_| {})?;
//! assert!(std::fs::read(&path)?.starts_with(b"glTF"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Loading a mesh file may weld vertices. To export the vertices of the file, which are split along
//! texture seams, use a drawn scene with the vertices and faces of the file. In each frame, a
//! vertex gets the position of its particle; `taut_mesh::Loaded::vertex_map` has the mapping, and
//! `taut_mesh::VertexMap` an example.
#![forbid(unsafe_code)]

mod by_extension;
mod error;
pub mod gltf;
mod mesh;
pub mod obj;
pub mod pc2;
pub mod ply;
mod recording;
mod scene;
mod sequence;
mod sink;

pub use by_extension::{EXTENSIONS, check, file_name, sink};
pub use error::{ExportError, FrameMismatch, InFile, Problem, Result, SceneError};
pub use mesh::Mesh;
pub use recording::{Frames, Recording};
pub use scene::{DrawnScene, Frame, Material, Part, Pose, RigidShape};
pub use sequence::FileName;
pub use sink::{Sink, Timeline};
