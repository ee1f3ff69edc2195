//! glTF and GLB, without other files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_mesh::read_gltf;

fuzz_target!(|bytes: &[u8]| taut_fuzz::mesh::check(|options| read_gltf(bytes, None, options)));
