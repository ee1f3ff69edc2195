//! The first Rust program of the README ends with the same bits on every kernel that
//! `taut::default_kernel()` can return. `cargo test --workspace` runs this with all features on,
//! `.ci/run` with each kernel alone.

use std::process::Command;

#[test]
fn the_program_of_the_readme_has_one_hash() {
    let ran = Command::new(env!("CARGO_BIN_EXE_taut-readme")).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    // The hash since golden version 7.
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "ae1294d088bd952d");
}
