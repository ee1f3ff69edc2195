#!/usr/bin/env bash
# Runs the tests of the kernels with `unsafe` in Miri, which checks each memory access against the
# aliasing rules (Stacked Borrows) and finds data races. Takes about 6 minutes and needs
#   rustup component add miri rust-src --toolchain nightly
# Miri interprets the program, so the meshes are small. It does not support all instruction sets; the
# ordinary tests compare the operations of all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
miri() { cargo +nightly miri test --locked --target-dir target/miri "$@"; }

miri -p taut-lanes --test lanes team::
miri -p taut-colour --test pool
miri -p taut-grid --test grid
miri -p taut-copies --test copies
