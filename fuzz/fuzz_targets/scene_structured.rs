//! Scene files that are made from their grammar.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut::world::AnyScene;
use taut_fuzz::grammar::SceneText;
use taut_fuzz::{mesh_file, world};

fuzz_target!(|text: SceneText| {
    match AnyScene::from_toml_with(&text.0, &mesh_file) {
        Ok(scene) => world::check_any_scene(scene),
        Err(error) => assert!(!error.message.is_empty(), "{}", text.0),
    }
});
