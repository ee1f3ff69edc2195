#!/usr/bin/env bash
# Tests in headless Chromium what runs in a browser: the page of `taut view`, as it is served and with the
# simulation in it, the npm package and its example with three.js. By hand, not in .ci/run: it takes some
# twenty minutes from nothing.
#
# Needs npm, node 20, Chromium, `rustup target add wasm32-unknown-unknown`, and for the package what
# scripts/bindings-js.sh needs. TAUT is the path of a `taut` to test; without it, one is built.
set -euo pipefail
[ -z "${TAUT-}" ] || { TAUT=$(realpath "$TAUT") && export TAUT; } # before the folder changes
cd "$(dirname "$0")/.."

printf '=== the page with the simulation in it\n'
# Optimized a little: its tests check results.
CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 scripts/web.sh

printf '\n=== both variants of the page\n'
apps/view/web-tests/run.sh

printf '\n=== the npm package and its example\n'
scripts/bindings-js.sh --browser
