#!/usr/bin/env bash
# Checks the distribution of work among threads (`Team`) and the lending of closures to threads (`Gate`, `Pool`) in
# the model checker loom: in all interleavings of two and three threads, up to a number of preemptions
# that each test states.
set -euo pipefail
cd "$(dirname "$0")/.."
export RUSTFLAGS='--cfg loom'
# `pulp` and `wide` do not run in these tests.
loom() {
    cargo test --quiet --locked --release --target-dir target/loom --test loom \
        --config 'profile.release.package.pulp.opt-level=0' --config 'profile.release.package.wide.opt-level=0' "$@"
}

loom -p taut-lanes
loom -p taut-colour
