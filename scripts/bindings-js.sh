#!/usr/bin/env bash
# Makes bindings/js/dist, the npm package `taut`: worlds as WebAssembly with 128-bit SIMD, ES modules and
# TypeScript types. Then runs its tests and the programs in README.md and docs/javascript.md in node.
#
#   scripts/bindings-js.sh             builds and checks
#   scripts/bindings-js.sh --browser   the same, then tests the package and the three.js example in Chromium
#   scripts/bindings-js.sh --pack      builds, and makes bindings/js/taut-VERSION.tgz
#
# Needs node 20 and `rustup target add wasm32-unknown-unknown`. --browser also needs npm and Chromium
# ($CHROMIUM, or the one of the system). If a tool is missing, the script says which, and the exit code is 3.
# TAUT_PROFILE=quick builds faster, but the package is larger and slower.
set -euo pipefail
cd "$(dirname "$0")/../bindings/js"

target=wasm32-unknown-unknown
profile=${TAUT_PROFILE:-npm}
read -ra features <<< "${TAUT_FEATURES-}" # TAUT_FEATURES='--no-default-features --features toml': the scalar kernel only
missing() { printf 'skipped: no %s\n' "$1" >&2 && exit 3; }
[ -d "$(rustc --print target-libdir --target $target)" ] || missing "$target"
node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || missing 'node 20'
[ $# = 0 ] || command -v npm >/dev/null || missing npm

RUSTFLAGS="-C target-feature=+simd128 ${RUSTFLAGS-}" cargo build --profile "$profile" --locked --target $target "${features[@]}"
rm -rf dist
cargo run --quiet --profile quick --locked -p taut-js-bundle -- \
    "${CARGO_TARGET_DIR:-../target}/$target/$profile/taut_js.wasm" dist
cp src/node.js dist
printf 'taut_bg.wasm: %d kB, %d kB with gzip\n' $(($(wc -c < dist/taut_bg.wasm) / 1000)) \
    $(($(gzip -9 -c dist/taut_bg.wasm | wc -c) / 1000))

if [ "${1-}" = --pack ]; then
    exec npm pack --silent
fi
node --test --test-reporter=dot tests/*.test.js
for page in README.md docs/javascript.md; do
    ../../scripts/programs.sh js "../../$page" | sed 's#"taut"#"./node.js"#' > dist/page.mjs
    node dist/page.mjs
done
rm dist/page.mjs

if [ "${1-}" = --browser ]; then
    helpers=$PWD/../../apps/view/web-tests
    for folder in "$helpers" examples/three; do
        (cd "$folder" && npm ci --silent --no-audit --no-fund) || missing "packages for $folder: npm ci failed (is the package index reachable?)"
    done
    (cd "$helpers" && node -e 'import("./chromium.mjs").then(({ chromiumPath }) => process.exit(chromiumPath() ? 0 : 1))') ||
        missing Chromium
    node --test --test-reporter=dot --test-timeout=400000 browser-tests/*.test.*
fi
