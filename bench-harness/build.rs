//! Records the compiler, its flags and the commit of this build, for the reports.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    export("TAUT_RUSTC", first_line(&compiler, &["--version"]).as_deref());
    export(
        "TAUT_COMMIT",
        first_line("git", &["describe", "--always", "--dirty", "--abbrev=12"]).as_deref(),
    );
    export("TAUT_TARGET", env::var("TARGET").ok().as_deref());
    export("TAUT_FLAGS", Some(&flags()));
    // Cargo reruns this script after a commit or a change of branch, but not after an edit, so
    // `-dirty` may be out of date.
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = first_line("git", &["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}

/// The profile and the compiler flags of this build.
fn flags() -> String {
    let profile = env::var("PROFILE").unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    // Cargo separates the flags by U+001F.
    match flags.replace('\u{1f}', " ").trim() {
        "" => format!("{profile}, no flags"),
        flags => format!("{profile}, {flags}"),
    }
}

/// Sets a variable that the crate reads with `env!`.
fn export(name: &str, value: Option<&str>) {
    println!("cargo::rustc-env={name}={}", value.unwrap_or("unknown"));
}

/// The first line that a program prints; `None` if it fails.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}
