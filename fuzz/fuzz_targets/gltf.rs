//! Mesh files in the formats glTF and GLB, without the files that they may name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_mesh::read_gltf;

fuzz_target!(|bytes: &[u8]| taut_fuzz::mesh::check(|options| read_gltf(bytes, None, options)));
