//! Mesh files in the format Wavefront OBJ.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_mesh::read_obj;

fuzz_target!(|bytes: &[u8]| taut_fuzz::mesh::check(|options| read_obj(bytes, options)));
