//! Mesh files in the format Stanford PLY.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_mesh::read_ply;

fuzz_target!(|bytes: &[u8]| taut_fuzz::mesh::check(|options| read_ply(bytes, options)));
