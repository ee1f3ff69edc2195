#!/usr/bin/env bash
# The tests of the kernels with `unsafe` in Miri, which checks each memory access against the
# aliasing rules (Stacked Borrows) and finds data races. About 6 minutes; wants
#   rustup component add miri rust-src --toolchain nightly
# Miri interprets the program, so meshes are small. Instruction sets that it does not know are left
# out: the operations of all of them are compared in the ordinary tests.
set -euo pipefail
cd "$(dirname "$0")/.."
miri() { cargo +nightly miri test --locked --target-dir target/miri "$@"; }

miri -p taut-lanes --test lanes team::
miri -p taut-colour --test pool
miri -p taut-grid --test grid
miri -p taut-copies --test copies
