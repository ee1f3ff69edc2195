#!/usr/bin/env bash
# Checks that `rust-version` in Cargo.toml is enough: no dependency may require a newer Rust, and `cargo check` with the
# toolchain of that version must succeed. Where the toolchain is not installed, `cargo check` is left out. Then only
# clippy's `incompatible_msrv`, which .ci/run denies, finds newer functions of the standard library, and nothing finds
# newer syntax.
set -euo pipefail
cd "$(dirname "$0")/.."

oldest=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)
needed=$(cargo metadata --format-version 1 --locked |
    grep -oE '"rust_version":"[0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+$' | sort -V | tail -n 1)
if [ "$(printf '%s\n' "$needed" "$oldest" | sort -V | tail -n 1)" != "$oldest" ]; then
    echo "a dependency needs Rust $needed, but rust-version in Cargo.toml is $oldest"
    exit 1
fi
# Its name may have a patch version: 1.89.0-x86_64-unknown-linux-gnu.
toolchain=$(rustup toolchain list 2>/dev/null | grep -oE "^${oldest//./\\.}(\.[0-9]+)?-[^ ]+" | head -n 1) || true
if [ -n "$toolchain" ]; then
    cargo "+$toolchain" check --workspace --all-features --locked --target-dir target/oldest-rust
else
    echo "not built: Rust $oldest is not installed; no dependency needs more than $needed"
fi
