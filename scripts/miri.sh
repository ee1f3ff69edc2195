#!/usr/bin/env bash
# Runs tests of the crates with `unsafe` code in Miri, which checks each memory access against the aliasing
# rules (Stacked Borrows) and finds data races. This takes about 6 minutes and needs
#   rustup component add miri rust-src --toolchain nightly
# Miri interprets the program, so the meshes are small. Miri does not support all instruction sets; the
# ordinary tests (kernels/lanes/tests/lanes/operations.rs) compare the operations of those that the machine has.
set -euo pipefail
cd "$(dirname "$0")/.."
miri() { cargo +nightly miri test --locked --target-dir target/miri "$@"; }

miri -p taut-lanes --test lanes team::
miri -p taut-colour --test pool
miri -p taut-grid --test grid
miri -p taut-copies --test copies
