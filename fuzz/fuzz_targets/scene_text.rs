//! Scene files of arbitrary text. (`scene_structured` makes scene files from a grammar.)
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut::world::AnyScene;
use taut_fuzz::{counts, mesh_file, world};

fuzz_target!(|text: &str| {
    if !counts::has_allowed_counts(text) {
        return;
    }
    match AnyScene::from_toml_with(text, &mesh_file) {
        Ok(scene) => world::check_any_scene(scene),
        Err(error) => {
            assert!((1..=1 + text.lines().count()).contains(&error.line), "{error}");
            assert!(!error.message.is_empty() && !error.message.contains('\n'), "{error:?}");
        }
    }
});
