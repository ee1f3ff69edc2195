//! Notes which compiler, with which flags, and which commit made this build, for the reports.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    note("TAUT_RUSTC", first_line(&compiler, &["--version"]).as_deref());
    note(
        "TAUT_COMMIT",
        first_line("git", &["describe", "--always", "--dirty", "--abbrev=12"]).as_deref(),
    );
    note("TAUT_TARGET", env::var("TARGET").ok().as_deref());
    note("TAUT_FLAGS", Some(&flags()));
    // Runs again after a commit or a switch of branch; not after an edit without either, so `-dirty` may be
    // out of date.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = first_line("git", &["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// What sets this build apart: the profile and the flags of the compiler.
fn flags() -> String {
    let profile = env::var("PROFILE").unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    // Cargo separates the flags by U+001F.
    match flags.replace('\u{1f}', " ").trim() {
        "" => format!("{profile}, no flags"),
        flags => format!("{profile}, {flags}"),
    }
}

fn note(name: &str, value: Option<&str>) {
    println!("cargo::rustc-env={name}={}", value.unwrap_or("unknown"));
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}
