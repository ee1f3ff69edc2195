#!/usr/bin/env bash
# Runs the conformance tests and the seeds of the fuzz targets under AddressSanitizer, and the tests of
# threads under ThreadSanitizer. docs/reliability.md has the last result, and what these runs cannot detect.
#
#   scripts/sanitizers.sh              both sanitizers
#   scripts/sanitizers.sh address      only AddressSanitizer
#   scripts/sanitizers.sh thread       only ThreadSanitizer
#
# Needs Rust nightly with the source of the standard library (`rustup component add rust-src --toolchain
# nightly`), which is built with the sanitizer, too, except for the fuzz targets.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1-}" in
    '') sanitizers=(address thread) ;;
    address | thread) sanitizers=("$1") ;;
    *) printf 'usage: %s [address|thread]\n' "$0" >&2 && exit 2 ;;
esac

host=$(rustc +nightly -vV | sed -n 's/^host: //p')
export CARGO_INCREMENTAL=0

# sanitized SANITIZER ARGUMENT...: cargo test with the sanitizer.
sanitized() {
    local sanitizer=$1
    shift
    RUSTFLAGS="-Zsanitizer=$sanitizer" \
        cargo +nightly test -Zbuild-std --quiet --locked --target "$host" --target-dir "target/$sanitizer" \
        --config 'profile.dev.package.taut-any.debug-assertions=true' "$@"
}

for sanitizer in "${sanitizers[@]}"; do
    printf '=== %s\n' "$sanitizer"
    if [ "$sanitizer" = address ]; then
        sanitized address -p taut-tests --test conformance
        FUZZ_SANITIZER=address scripts/fuzz.sh --replay
    else
        sanitized thread -p taut-colour --test pool
        sanitized thread -p taut-lanes --test lanes team::
        sanitized thread -p taut-tests --test conformance threads::
    fi
done
