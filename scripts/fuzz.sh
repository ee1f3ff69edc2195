#!/usr/bin/env bash
# Builds the fuzz targets of `fuzz/`, and runs them.
#
#   scripts/fuzz.sh --replay [TARGET...]   each seed once
#   scripts/fuzz.sh SECONDS [TARGET...]    each target for that time, from its seeds and its corpus
#
# Prints one line per target: with --replay the number of seeds, otherwise executions, coverage (edges),
# executions per second and findings (0 or 1: the first finding ends the run, and its log is printed). The
# exit code is 1 if there are findings; their inputs are in `fuzz/artifacts/TARGET`. Corpora are kept in
# `fuzz/corpus/TARGET`. An input may take 5 s (60 s with --replay; FUZZ_TIMEOUT=60 for a busy
# machine), 1 GiB of resident memory and 512 MiB allocated at a time (limited by the allocator of
# `fuzz/src/lib.rs`). FUZZ_JOBS=2 runs two targets at a time; FUZZ_SANITIZER=address builds with a
# sanitizer; FUZZ_PROFILE=quick builds fast, without assertions in kernels; FUZZ_SEED=1 starts from that random seed.
#
# Needs Rust nightly, without which the script says so and the exit code is 3. It does not need cargo-fuzz:
# the flags for coverage are those of cargo-fuzz. Unlike there, no sanitizer is on by default.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { printf 'usage: %s (--replay | SECONDS) [TARGET...]\n' "$0" >&2 && exit 2; }
case "${1-}" in
    --replay) seconds=replay ;;
    '' | 0 | *[!0-9]*) usage ;;
    *) seconds=$1 ;;
esac
shift
for target; do
    [ -f "fuzz/fuzz_targets/$target.rs" ] || { printf 'no fuzz target %s\n' "$target" >&2 && usage; }
done

if ! cargo +nightly --version >/dev/null 2>&1; then
    printf 'skipped: fuzzing needs Rust nightly (rustup toolchain install nightly)\n' >&2
    exit 3
fi

host=$(rustc +nightly -vV | sed -n 's/^host: //p')
build=fuzz/target${FUZZ_SANITIZER:+/$FUZZ_SANITIZER}
profile=${FUZZ_PROFILE:-release}
only=() # the target to build if exactly one is named; empty: all
[ $# != 1 ] || only=(--bin "$1")
# Counters of branches and traces of comparisons, which guide the fuzzer.
coverage=(-level=4 -inline-8bit-counters -pc-table -trace-compares)
flags="--cfg fuzzing -Cpasses=sancov-module ${coverage[*]/#/-Cllvm-args=-sanitizer-coverage}"
flags+=" -Cllvm-args=-simplifycfg-branch-fold-threshold=0 ${FUZZ_SANITIZER:+-Zsanitizer=$FUZZ_SANITIZER}"
# Because `--target` is given, the flags apply to the fuzz targets and their dependencies, not to build scripts and macros.
(cd fuzz && RUSTFLAGS="$flags ${RUSTFLAGS-}" cargo +nightly build --quiet --locked --profile "$profile" --target "$host" \
    --target-dir "../$build" "${only[@]}" >&2)

if [ $# = 0 ]; then
    for file in fuzz/fuzz_targets/*.rs; do
        set -- "$@" "$(basename "$file" .rs)"
    done
fi
limits=(-timeout="${FUZZ_TIMEOUT:-5}" -rss_limit_mb=1024 -malloc_limit_mb=512)

# run TARGET ARGUMENT...: runs the fuzz target; an argument can replace a limit.
run() {
    local target=$1
    shift
    mkdir -p "fuzz/artifacts/$target"
    "$build/$host/$profile/$target" "${limits[@]}" "-artifact_prefix=fuzz/artifacts/$target/" "$@" 2>&1
}

# replay TARGET: runs each seed of the target once.
replay() {
    local target=$1 log
    mkdir -p "fuzz/seeds/$target"
    if [ -z "$(ls "fuzz/seeds/$target")" ] || log=$(run "$target" "-timeout=${FUZZ_TIMEOUT:-60}" fuzz/seeds/"$target"/*); then
        printf '%-16s %6d seeds\n' "$target" "$(find "fuzz/seeds/$target" -type f | wc -l)"
    else
        printf '%s\n%-16s a seed fails\n' "$log" "$target"
        return 1
    fi
}

# fuzz TARGET: runs the target for the given time.
fuzz() {
    local target=$1 log findings=0 rate
    mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target"
    log=$(run "$target" "-max_total_time=$seconds" -max_len=2048 -len_control=0 -print_final_stats=1 "-seed=${FUZZ_SEED:-0}" \
        "fuzz/corpus/$target" "fuzz/seeds/$target") || findings=1
    statistic() { sed -n "s/.*$1 *\([0-9]*\).*/\1/p" <<<"$log" | tail -n 1; }
    rate=$(statistic 'stat::average_exec_per_sec:')
    printf '%-16s %12d executions, coverage %6d, %7d per second, %d findings\n' "$target" \
        "$(statistic 'stat::number_of_executed_units:')" "$(statistic 'cov:')" "$rate" "$findings"
    [ $findings = 0 ] || { tail -n 60 <<<"$log" && return 1; }
}

failed=0 running=0
for target; do
    if [ $running = "${FUZZ_JOBS:-1}" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    if [ "$seconds" = replay ]; then replay "$target" & else fuzz "$target" & fi
    running=$((running + 1))
done
while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit $failed
