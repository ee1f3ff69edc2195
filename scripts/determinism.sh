#!/usr/bin/env bash
# Checks that the bits are the same on all platforms. Runs the program `hashes` on this machine (on x86-64 also built for
# x86-64-v3), on AArch64 (under qemu) and as WebAssembly with 128-bit SIMD (in node), compares all hashes with
# `tests/golden.txt`, and writes the result to docs/determinism.md. A platform whose tools are
# missing is skipped, with a message. The exit code is 1 if hashes differ.
#
#   scripts/determinism.sh                  the hashes
#   scripts/determinism.sh --conformance    also all conformance tests on AArch64 (some minutes)
#   scripts/determinism.sh --hour SCENE...  instead compares these scenes of the library after an hour of simulated time, on
#                                           this machine and as WebAssembly (many minutes)
#
# Needs `rustup target add aarch64-unknown-linux-gnu wasm32-wasip1`, and the Debian packages qemu-user,
# gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and nodejs.
set -euo pipefail
cd "$(dirname "$0")/.."

conformance=no
hour_scenes=()
if [ "${1-}" = --hour ] && [ $# -ge 2 ]; then
    hour_scenes=("${@:2}")
elif [ "$*" = --conformance ]; then
    conformance=yes
elif [ $# != 0 ]; then
    printf 'usage: %s [--conformance | --hour SCENE...]\n' "$0" >&2
    exit 2
fi

results=$(mktemp -d)
trap 'rm -r "$results"' EXIT
skipped=()
conformance_result=

skip() {
    printf 'skipped: %s\n' "$1" >&2
    skipped+=("$1")
}

# has_tools TARGET PROGRAM...: whether the programs and the standard library of the target are
# installed. Reports what is missing.
has_tools() {
    local target=$1 program
    shift
    for program; do
        if ! command -v "$program" >/dev/null; then
            skip "$target, because the program \`$program\` is not installed."
            return 1
        fi
    done
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
        skip "$target, because its standard library is not installed (\`rustup target add $target\`)."
        return 1
    fi
}

# hashes PLATFORM [ARGUMENT...]: runs the program `hashes`, and saves its output as the result of that
# platform. The arguments are passed to cargo.
hashes() {
    local platform=$1
    shift
    printf '=== %s\n' "$platform" >&2
    cargo run --quiet --release --locked -p taut-tests --bin hashes "$@" >"$results/$platform"
}

# wasm_settings: makes cargo build WebAssembly with 128-bit SIMD and run it in node.
wasm_settings() {
    export CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/scripts/wasi.mjs"
    export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS='-C target-feature=+simd128'
}

machine=$(uname -m)
if [ ${#hour_scenes[@]} -gt 0 ]; then
    # after_an_hour PLATFORM [ARGUMENT...]: prints lines `platform scene kernel hash`. The arguments are passed to cargo. The
    # steps of the library are 1/60 s long.
    after_an_hour() {
        local platform=$1
        shift
        cargo run --quiet --release --locked -p taut-tests --bin hashes "$@" -- 216000 "${hour_scenes[@]}" |
            sed -u "s/^/$platform /" | tee "$results/$platform" >&2
    }
    after_an_hour "${machine/_/-}"
    if has_tools wasm32-wasip1 node; then
        wasm_settings
        after_an_hour wasm32 --target wasm32-wasip1
    fi
    differing=$(cat "$results"/* | awk '{ print $2, $4 }' | sort -u | awk '{ print $1 }' | uniq -d)
    if [ -n "$differing" ]; then
        printf 'the hashes after an hour differ: %s\n' "$differing" >&2
        exit 1
    fi
    printf 'the same hashes after an hour on: %s\n' "$(ls "$results" | paste -sd ' ')" >&2
    exit
fi

hashes "${machine/_/-}"

# The instruction set of `wide` is fixed at compile time: without flags SSE2, here AVX2. (Without `pulp`, whose instruction
# sets are chosen at run time.)
if [ "$machine" = x86_64 ]; then
    if grep -qw avx2 /proc/cpuinfo; then
        RUSTFLAGS='-C target-cpu=x86-64-v3' hashes x86-64-v3 --no-default-features --target-dir target/v3
    else
        skip 'x86-64-v3, because this machine has no AVX2.'
    fi
fi

target=aarch64-unknown-linux-gnu
if [ "$machine" != aarch64 ] && has_tools $target qemu-aarch64 aarch64-linux-gnu-gcc; then
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    hashes aarch64 --target $target
    if [ $conformance = yes ]; then
        printf '=== aarch64, conformance\n' >&2
        cargo test --release --locked -p taut-tests --target $target >&2
        conformance_result='All conformance tests pass on AArch64, too.'
    fi
fi

target=wasm32-wasip1
if has_tools $target node; then
    wasm_settings
    hashes wasm32 --target $target
fi

# lines PLATFORM ISA: prints the lines `kernel isa scene order formula hash` of one instruction set, as
# `scene order formula hash`, without duplicates.
lines() { awk -v isa="$2" '$2 == isa { print $3, $4, $5, $6 }' "$results/$1" | LC_ALL=C sort -u; }
# digest FORMULA: prints a digest of those lines of the input that have this formula.
digest() { grep " $1 " | sha256sum | cut -c 1-12; }
# row PLATFORM KERNELS LINES: prints a row of the table. The formula `own` stands for the scenes of the
# library, each with its own formula.
row() {
    local formula cells=
    for formula in exact newton halley quick own; do
        cells+=" \`$(digest "$formula" <<<"$3")\` |"
    done
    printf '| %s | %s |%s\n' "$1" "$2" "$cells"
}

golden=$(grep -v '^#' tests/golden.txt | tail -n +2 | LC_ALL=C sort)
table=$(row '`tests/golden.txt`' "$(grep '^version' tests/golden.txt)" "$golden")
differing=()
for platform in "$results"/*; do
    platform=${platform##*/}
    for isa in $(awk '{ print $2 }' "$results/$platform" | LC_ALL=C sort -u); do
        hashes_of_isa=$(lines "$platform" "$isa")
        kernels=$(awk -v isa="$isa" '$2 == isa { print $1 }' "$results/$platform" | LC_ALL=C sort -u)
        table+=$'\n'$(row "$platform, $isa" "$(sed 's/.*/`&`/' <<<"$kernels" | paste -sd, | sed 's/,/, /g')" "$hashes_of_isa")
        [ "$hashes_of_isa" = "$golden" ] || differing+=("$platform, $isa")
    done
done

{
    cat <<'TEXT'
# The same bits on every platform

This page shows that positions have the same bits on every platform that was tested.

    scripts/determinism.sh

generates this page. The script runs every kernel on every instruction set of the machine, of AArch64 and of
WebAssembly. The scenes are those of the golden hashes: a sheet, a disc and a sphere in the orders
`coloured`, `starred`, `banded` and `blocked`, the sheet also in the order `sheet`, and 18 copies of a small disc in the order
`coloured`, for 8 steps of 4 iterations; and the scenes of the library with their winds, obstacles and
bodies, for 24 steps with their own settings. A digest is the start of the SHA-256 of all lines
`scene order formula hash` of one formula, or of the scenes of the library. A hash is computed from the
bits of the positions (`Particles::hash`). If two kernels differed on an instruction set, its digest
would include both, so equal digests mean that all kernels agree.

| target, instruction set | kernels | exact | newton | halley | quick | scenes |
|---|---|---|---|---|---|---|
TEXT
    printf '%s\n\n' "$table"
    if [ ${#differing[@]} -gt 0 ]; then
        printf 'These **differ** from the golden hashes: %s.\n' "$(printf '%s; ' "${differing[@]}" | sed 's/; $//')"
    else
        printf 'All are bit-identical. %s\n' "$conformance_result" | sed 's/ *$//'
    fi
    if [ ${#skipped[@]} -gt 0 ]; then
        printf '\nSkipped:\n\n'
        printf -- '- %s\n' "${skipped[@]}"
    fi
    cat <<'TEXT'

## Guarantees

For the same version, particles, sticks, schedule, formula and sequence of steps and changes, every
kernel ends each step with the same bits in every position and previous position,

- on every instruction set: scalar, SSE2, AVX, AVX2, AVX-512, NEON, simd128;
- for every number of lanes and threads, and however the threads are scheduled;
- whether the instruction set was chosen at compile time or at run time;
- for each of the formulas `exact`, `newton`, `halley` and `quick`, in `f32`.

Renumbering particles keeps the bits of each particle if the schedule is kept
(`Schedule::renumbered`, or `blocked+hilbert` on the command line); a schedule built after renumbering
(`blocked/hilbert`) is a different order, which changes the result.

The guarantee rests on + - * /, square root, comparison and selection, which IEEE 754 rounds the same everywhere,
in a fixed order, and on integer operations for the seed of `quick`: no fused multiply-add, no estimates
by the hardware, no reassociation. The default schedules depend on the mesh alone.

## Not guaranteed

- The bits of another *version*, if its notes say that an order or an operation changed.
  `tests/golden.txt` has a version number, which increases when a hash changes.
- In another floating-point environment: a host that flushes denormals to zero, or does not round
  to nearest, voids the guarantee for the threads on which it does so.
- *Which* NaN a position is: hashes and comparisons treat all NaNs as equal. Whether it is NaN is
  guaranteed.
- 32-bit x86 without SSE2: the x87 unit rounds differently.
- What the caller computes between steps: the standard library's transcendental functions (`sin`,
  `exp`, ...) differ from platform to platform. The damping of a step and the scenes of
  `taut::world` use the crate `libm`.
- The baseline `textbook` of the benchmark harness (the loop of Jakobsen's article, without its misprints), whose arithmetic differs.
TEXT
} >docs/determinism.md

if [ ${#differing[@]} -gt 0 ]; then
    printf 'the hashes differ from tests/golden.txt on: %s\n' "${differing[*]}" >&2
    exit 1
fi
printf 'all hashes agree; see docs/determinism.md\n' >&2
