//! Shared by the fuzz targets: the limit on memory, and checks of what a target has read.
//!
//! A target asserts more than the absence of panics. Either a world is made of an input that was
//! parsed, or there is a typed error. A world can be stepped, and `Outcome::finite` says whether its
//! positions are finite. A mesh, snapshot or tuning that is written is read back equal.
#![forbid(unsafe_code)]

pub mod counts;
pub mod edit;
pub mod grammar;
pub mod graph;
pub mod mesh;
pub mod numbers;
pub mod scenes;
pub mod world;

use std::alloc::System;
use std::error::Error;

use cap::Cap;
use taut::world::Triangles;

/// The memory that may be allocated at a time, bytes. libFuzzer checks its `-rss_limit_mb` once a
/// second, and does not count memory that is allocated but not written. This limit counts such
/// memory, at each allocation.
const MEMORY_MAX: usize = 1 << 29;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY_MAX);

/// The positions and triangles of the mesh file that scenes may name: `square.obj`, of two triangles.
///
/// # Errors
/// If the file has another name.
pub fn mesh_file(name: &str) -> Result<Triangles, Box<dyn Error>> {
    if name != "square.obj" {
        return Err(format!("there is no file {name}").into());
    }
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]];
    Ok((positions, vec![[0, 1, 2], [0, 2, 3]]))
}
