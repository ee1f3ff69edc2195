//! Shared by the fuzz targets: the limit on memory, and checks of what a target has read.
//!
//! A target asserts more than the absence of panics. A world is built from a parsed input, or there is a
//! typed error. A world that was built can be stepped, and `Outcome::finite` says whether its positions
//! are finite. What is written is read back equal.
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

/// The memory that one input may request. libFuzzer's `-rss_limit_mb` is checked once a second and
/// does not count memory that is reserved and not written; this limit does.
const MEMORY_MAX: usize = 1 << 29;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY_MAX);

/// The mesh file that scenes may name: `square.obj`, of two triangles.
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
