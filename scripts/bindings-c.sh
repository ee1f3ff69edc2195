#!/usr/bin/env bash
# Builds the C library (bindings/c), and checks it: the header is what cbindgen makes, the exported
# symbols are those of the header, its tests pass, and the examples in C and C++ print the hashes of
# bindings/hashes.txt, also under AddressSanitizer.
#
#   scripts/bindings-c.sh                     builds and checks
#   scripts/bindings-c.sh --header            makes bindings/c/include/taut.h
#   scripts/bindings-c.sh --install FOLDER    builds, and fills FOLDER/{include,lib}
#
# Needs a C and a C++ compiler. The check of the header needs `cargo install --locked cbindgen --version
# 0.29.4`; the build of the examples with CMake needs cmake.
set -euo pipefail
[ $# -lt 2 ] || set -- "$1" "$(realpath -m "$2")" # before the folder changes
cd "$(dirname "$0")/../bindings/c"

target=$(realpath -m "${CARGO_TARGET_DIR:-../target}")
profile=${TAUT_PROFILE:-release} # TAUT_PROFILE=quick: builds faster, for a quick check
built=$target/$profile
private_libraries='-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc' # rustc --print native-static-libs
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)

step() { printf '=== %s\n' "$1"; }
header() { cbindgen --quiet --config cbindgen.toml --crate taut-c --lockfile ../Cargo.lock --output include/taut.h "$@"; }
read -ra features <<< "${TAUT_FEATURES-}" # TAUT_FEATURES=--no-default-features: the scalar kernel only, for a quick check
read -ra packages <<< "${TAUT_PACKAGES:--p taut-c}" # TAUT_PACKAGES='-p taut-c -p taut-python': shares the build of the library with Python
build() { cargo build --profile "$profile" --locked "${packages[@]}" "${features[@]}"; }

install_to() {
    mkdir -p "$1"/include "$1"/lib/pkgconfig "$1"/lib/cmake/taut
    cp include/taut.h include/taut.hpp "$1"/include
    cp "$built"/libtaut.a "$built"/libtaut.so "$1"/lib
    cp cmake/taut-config.cmake "$1"/lib/cmake/taut
    sed -e "s|@version@|$version|" -e "s|@private_libraries@|$private_libraries|" pkgconfig/taut.pc.in \
        > "$1"/lib/pkgconfig/taut.pc
}

case "${1-}" in
    '') ;;
    --header)
        header
        exit
        ;;
    --install)
        build
        install_to "${2:?--install needs a folder}"
        exit
        ;;
    *) printf 'usage: %s [--header | --install FOLDER]\n' "$0" >&2 && exit 2 ;;
esac

step 'the header is up to date'
if command -v cbindgen >/dev/null; then
    header --verify || { echo 'taut.h is stale: run scripts/bindings-c.sh --header'; exit 1; }
else
    echo 'skipped: no cbindgen'
fi

step 'build'
build

step 'the exported symbols are those that the header declares'
exported=$(nm -D --defined-only "$built"/libtaut.so | awk '{ print $3 }' | LC_ALL=C sort)
declared=$(grep -oE '\btaut_[a-z_]+\(' include/taut.h | tr -d '(' | LC_ALL=C sort -u)
diff <(echo "$declared") <(echo "$exported")

step 'tests of the interface'
cargo test --quiet --profile "$profile" --locked "${packages[@]}" "${features[@]}"

if ! command -v cc >/dev/null || ! command -v c++ >/dev/null; then
    echo 'skipped: the examples: no C or C++ compiler'
    exit
fi
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
install_to "$prefix"
export LD_LIBRARY_PATH=$prefix/lib
strict=(-O1 -Wall -Wextra -Wpedantic -Werror)

# check NAME PROGRAM: checks that the program prints the hash that bindings/hashes.txt has for this example.
check() {
    local expected printed
    expected=$(awk -v name="$1" '$1 == "example" && $2 == name { print $3 }' ../hashes.txt)
    printed=$("$2" 2>"$prefix/notes") || { cat "$prefix/notes"; return 1; }
    if [ "$printed" != "$expected" ]; then
        printf '%s: the hash is %s, expected %s\n' "$2" "$printed" "$expected"
        return 1
    fi
    printf '%s: %s\n' "$(basename "$2")" "$printed"
}

step 'the examples, with the shared library'
if command -v pkg-config >/dev/null; then
    read -ra flags < <(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs taut)
else
    echo 'skipped: no pkg-config'
    flags=("-I$prefix/include" "-L$prefix/lib" -ltaut)
fi
cc -std=c99 "${strict[@]}" examples/falling_sheet.c "${flags[@]}" -o "$prefix/falling_sheet"
c++ -std=c++17 "${strict[@]}" examples/torn_flag.cpp "${flags[@]}" -o "$prefix/torn_flag"
check falling-sheet "$prefix/falling_sheet"
check torn-flag "$prefix/torn_flag"

step 'the examples, with the static library and AddressSanitizer'
read -ra static <<< "$prefix/lib/libtaut.a $private_libraries"
if echo 'int main(void) { return 0; }' | cc -fsanitize=address -xc - -o "$prefix/empty" 2>/dev/null; then
    sanitize=(-g -fsanitize=address,undefined)
else
    echo 'skipped: no AddressSanitizer'
    sanitize=()
fi
cc -std=c11 "${strict[@]}" "${sanitize[@]}" -I"$prefix/include" examples/falling_sheet.c "${static[@]}" -o "$prefix/falling_sheet_static"
c++ -std=c++17 "${strict[@]}" "${sanitize[@]}" -I"$prefix/include" examples/torn_flag.cpp "${static[@]}" -o "$prefix/torn_flag_static"
check falling-sheet "$prefix/falling_sheet_static"
check torn-flag "$prefix/torn_flag_static"

step 'the programs in README.md and docs/bindings.md'
../../scripts/programs.sh c ../../README.md | cc -std=c99 "${strict[@]}" -xc - "${flags[@]}" -o "$prefix/readme_c"
../../scripts/programs.sh c ../../docs/bindings.md | cc -std=c99 "${strict[@]}" -xc - "${flags[@]}" -o "$prefix/page_c"
../../scripts/programs.sh cpp ../../docs/bindings.md | c++ -std=c++17 "${strict[@]}" -xc++ - "${flags[@]}" -o "$prefix/page_cpp"
"$prefix/readme_c"
"$prefix/page_c"
"$prefix/page_cpp"

step 'the examples, with CMake'
if command -v cmake >/dev/null; then
    cmake -S examples -B "$prefix/cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$prefix/notes" 2>&1 || { cat "$prefix/notes"; exit 1; }
    cmake --build "$prefix/cmake" >"$prefix/notes" 2>&1 || { cat "$prefix/notes"; exit 1; }
    check falling-sheet "$prefix/cmake/falling_sheet"
    check torn-flag "$prefix/cmake/torn_flag"
else
    echo 'skipped: no cmake'
fi
