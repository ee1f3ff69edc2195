#!/usr/bin/env bash
# Checks the Bevy plugin (bindings/bevy): formatting, clippy and rustdoc with warnings denied, its tests and
# doctests.
#
#   scripts/bindings-bevy.sh              checks the plugin
#   scripts/bindings-bevy.sh --examples   also checks its windowed examples, which need a build of all of Bevy
#   scripts/bindings-bevy.sh --pictures DIR
#                                         runs the examples for 30 s each, and saves a picture of each window;
#                                         needs Xvfb, xwd, ImageMagick and a Vulkan driver, such as lavapipe
#
# Needs the crates of Bevy 0.20, and Rust of at least the `rust-version` of the plugin. If they or a tool are
# missing, the script says so, and the exit code is 3. The examples use the crate `bevy` 0.20.1, which declares
# a newer Rust than its sub-crates, but compiles without it: hence --ignore-rust-version.
set -euo pipefail
[ $# -lt 2 ] || set -- "$1" "$(realpath -m "$2")" # before the folder changes
cd "$(dirname "$0")/../bindings/bevy"

skip() { printf 'skipped: %s\n' "$1" >&2 && exit 3; }
needed=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)
version=$(rustc --version | cut -d ' ' -f 2)
[ "$(printf '%s\n' "$needed" "${version%%-*}" | sort -V | head -n 1)" = "$needed" ] || skip "no Rust $needed"
cargo fetch --quiet --locked || skip 'the crates of Bevy cannot be fetched'

target=$(realpath -m "${CARGO_TARGET_DIR:-examples/target}")/examples
if [ "${1-}" = --pictures ]; then
    pictures=$(realpath "${2:?--pictures needs a folder}")
    for tool in Xvfb xwd convert; do
        command -v "$tool" >/dev/null || skip "no $tool"
    done
    cd examples
    CARGO_TARGET_DIR=$target cargo build --quiet --locked --ignore-rust-version --bins
    export DISPLAY=:97
    Xvfb "$DISPLAY" -screen 0 1280x720x24 >/dev/null 2>&1 &
    trap 'kill %1' EXIT
    for example in src/bin/*.rs; do
        name=$(basename "$example" .rs)
        "$target/debug/$name" >/dev/null 2>&1 &
        sleep 30
        kill -0 $! || { printf '%s has ended\n' "$name" >&2 && exit 1; }
        xwd -root -silent | convert xwd:- "$pictures/$name.png"
        kill $!
    done
    exit
fi

cargo fmt --check
(cd examples && cargo fmt --check)
cargo clippy --quiet --locked --all-targets --all-features -- -D warnings
cargo clippy --quiet --locked --no-default-features -- -D warnings
RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --all-features --no-deps
cargo test --quiet --locked --all-features

if [ "${1-}" = --examples ]; then
    cd examples
    # The programs of README.md and docs/bevy.md must be the examples src/bin/readme.rs and first.rs.
    diff <(../../../scripts/programs.sh rust,ignore ../../../README.md | tail -n +2) <(tail -n +3 src/bin/readme.rs)
    diff <(../../../scripts/programs.sh rust,ignore ../../../docs/bevy.md) <(tail -n +3 src/bin/first.rs)
    cargo fetch --quiet --locked || skip 'the crates of Bevy cannot be fetched'
    CARGO_TARGET_DIR=$target \
        cargo clippy --quiet --locked --ignore-rust-version -- -D warnings
fi
