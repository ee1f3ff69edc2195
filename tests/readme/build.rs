//! Copies the first Rust program of the README to `readme.rs`, with a last line that prints a hash.

use std::path::Path;
use std::{env, fs};

/// The end of the program; the added line goes before it.
const END: &str = "    Ok(())\n}\n";

fn main() {
    let variable = |name: &str| env::var(name).expect("Cargo sets this variable");
    let readme = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../README.md");
    println!("cargo::rerun-if-changed={}", readme.display());
    let readme = fs::read_to_string(readme).expect("the README is readable");
    let (_, program) = readme.split_once("```rust\n").expect("the README has a Rust program");
    let (program, _) = program.split_once("```\n").expect("the program ends");
    let program = program.strip_suffix(END).expect("the program ends with `Ok(())`");
    let program = format!("{program}    println!(\"{{:016x}}\", particles.hash());\n{END}");
    let copy = Path::new(&variable("OUT_DIR")).join("readme.rs");
    fs::write(copy, program).expect("the build directory is writable");
}
