#!/usr/bin/env bash
# Makes everything that a release publishes, in target/package, and publishes nothing:
# the crates (each is unpacked and built on its own), the Python wheel and the npm package.
#
#   scripts/package.sh                  makes all of it; some minutes
#   scripts/package.sh --crates         makes the crates only
#   scripts/package.sh --version 0.2.0  writes that version into every manifest
#
# Needs Python 3, which lists the crates. Without Python 3.10 the wheel is skipped, and without the tools of
# scripts/bindings-js.sh the npm package, each with a message.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
current=$(sed -n '/^\[workspace.package\]/,/^version/ s/^version = "\(.*\)"/\1/p' Cargo.toml)

case "${1-}" in
    '' | --crates) ;;
    --version)
        version=${2:?--version needs a version, such as 0.2.0}
        [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || { echo "not a version: $version" >&2 && exit 2; }
        # `version = "..."` of the packages, and of the crates that they take from this workspace.
        sed -i "s/version = \"${current//./\\.}\"/version = \"$version\"/" Cargo.toml
        sed -i "0,/^version = .*/s//version = \"$version\"/" bindings/*/Cargo.toml bindings/js/bundle/Cargo.toml
        sed -i "s/^  \"version\": .*/  \"version\": \"$version\",/" bindings/js/package.json
        # Updates the lock files, which have the versions, too.
        for manifest in Cargo.toml bindings/Cargo.toml bindings/bevy/Cargo.toml bindings/bevy/examples/Cargo.toml fuzz/Cargo.toml; do
            cargo metadata --format-version 1 --offline --manifest-path "$manifest" >/dev/null
        done
        echo "$current is now $version; next: CHANGELOG.md, and docs/releasing.md for the rest"
        exit
        ;;
    *) printf 'usage: %s [--crates | --version VERSION]\n' "$0" >&2 && exit 2 ;;
esac

# The libraries are the packages without `publish = false`.
mapfile -t libraries < <(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] is None]')
printf '=== crates: %s\n' "${libraries[*]}"
cargo package --locked "${libraries[@]/#/-p}"

if [ "${1-}" != --crates ]; then
    echo '=== the Python wheel'
    if python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        (cd bindings/python && python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$target/package" .)
    else
        echo 'skipped: no Python 3.10'
    fi
    echo '=== the npm package'
    if scripts/bindings-js.sh --pack; then mv bindings/js/taut-"$current".tgz "$target/package"; else [ $? = 3 ]; fi
fi
shopt -s nullglob # there may be no wheel and no npm package
ls -l "$target"/package/*"$current"*.{crate,whl,tgz} | awk '{ print $5, $NF }'
