#!/usr/bin/env bash
# Makes apps/view/dist: the page of `taut view` with the simulation in it, as WebAssembly with 128-bit
# SIMD. The files are static: any web server can serve them, from any folder.
#
#   rustup target add wasm32-unknown-unknown     # once
#   scripts/web.sh                               # further arguments are passed to cargo
#   python3 -m http.server -d apps/view/dist     # serves the page
#
# A compiler without rustup can build the standard library of the target:
#
#   scripts/web.sh -Z build-std=std,panic_abort
#
# The variables CARGO, RUSTC and RUSTFLAGS are respected. If the standard library of the target is not
# installed and there are no arguments, the exit code is 3.
#
# The module is optimized for size and speed, which takes minutes. A build for a quick test:
# CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 scripts/web.sh
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
if [ $# = 0 ] && [ ! -d "$("${RUSTC:-rustc}" --print target-libdir --target $target)" ]; then
    printf 'the standard library for %s is not installed: rustup target add %s\n' $target $target >&2
    exit 3
fi

# No debug information: the file is sent over the network.
export RUSTFLAGS="-C target-feature=+simd128 ${RUSTFLAGS-}"
export CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=true
export CARGO_PROFILE_RELEASE_LTO=${CARGO_PROFILE_RELEASE_LTO:-true}
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=${CARGO_PROFILE_RELEASE_CODEGEN_UNITS:-1}
export CARGO_PROFILE_RELEASE_PANIC=abort
"${CARGO:-cargo}" build --release --locked -p taut-view-wasm --target $target --target-dir target/web "$@"

dist=apps/view/dist
rm -rf $dist
mkdir -p $dist
(cd apps/view/web && find . -type f) | while read -r file; do
    mkdir -p "$dist/$(dirname "$file")"
    cp "apps/view/web/$file" "$dist/$file"
done
cp target/web/$target/release/taut_view_wasm.wasm $dist/taut.wasm
# This makes the page use its own worker instead of a server.
if [ -f $dist/index.html ]; then
    sed -i.bak 's/data-host="socket"/data-host="worker"/' $dist/index.html
    rm $dist/index.html.bak
fi
du -sh $dist
