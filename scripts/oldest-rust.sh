#!/usr/bin/env bash
# Checks `rust-version`: builds the workspace with that toolchain where it is installed. Elsewhere clippy's
# `incompatible_msrv`, which .ci/run denies, finds newer functions of the standard library, and this script compares the
# Rust that each dependency requires. That does not find newer syntax.
set -euo pipefail
cd "$(dirname "$0")/.."

oldest=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)
needed=$(cargo metadata --format-version 1 --locked |
    grep -oE '"rust_version":"[0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+$' | sort -V | tail -n 1)
if [ "$(printf '%s\n' "$needed" "$oldest" | sort -V | tail -n 1)" != "$oldest" ]; then
    echo "a dependency needs Rust $needed, but rust-version in Cargo.toml is $oldest"
    exit 1
fi
if rustup toolchain list 2>/dev/null | grep "^$oldest" >/dev/null; then
    cargo "+$oldest" check --workspace --all-features --locked --target-dir target/oldest-rust
else
    echo "not built: Rust $oldest is not installed; no dependency needs more than $needed"
fi
