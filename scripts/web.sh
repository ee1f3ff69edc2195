#!/usr/bin/env bash
# Makes apps/view/dist: the page of `taut view` with the simulation inside of it, as WebAssembly with
# 128-bit SIMD. Plain files: any static host serves them, from any folder.
#
#   rustup target add wasm32-unknown-unknown     once
#   scripts/web.sh                               further arguments go to cargo
#   python3 -m http.server -d apps/view/dist      and look
#
# A compiler without rustup's library for that target builds it: scripts/web.sh -Z build-std=std,panic_abort
# (CARGO, RUSTC and RUSTFLAGS are respected.) Without either, the exit code is 3.
#
# It is built to be small and fast, which takes minutes. To look whether it works, build it quickly:
# CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 scripts/web.sh
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
if [ $# = 0 ] && [ ! -d "$("${RUSTC:-rustc}" --print target-libdir --target $target)" ]; then
    printf 'there is no standard library for %s here: rustup target add %s\n' $target $target >&2
    exit 3
fi

# No lines of source, and smaller: it is sent over the network.
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
# The page asks its own worker then, and no server.
if [ -f $dist/index.html ]; then
    sed -i.bak 's/data-host="socket"/data-host="worker"/' $dist/index.html
    rm $dist/index.html.bak
fi
du -sh $dist
