#!/usr/bin/env bash
# Exports several scenes as animated glTF and runs the Khronos validator on them; fails on an error or
# a warning. Needs node and npm, which installs the validator in the target folder.
#
#   scripts/validate-gltf.sh            # makes the files first
#   scripts/validate-gltf.sh FILE.glb…  # validates only these
set -euo pipefail
[ $# = 0 ] || mapfile -t files < <(realpath -m "$@") # before the folder changes
cd "$(dirname "$0")/.."

work="${CARGO_TARGET_DIR:-target}/gltf"
mkdir -p "$work"
if [ ! -d "$work/node_modules/gltf-validator" ]; then
    npm install --silent --no-audit --no-fund --prefix "$work" gltf-validator@2.0.0-dev.3.10 > /dev/null
fi
if [ $# = 0 ]; then
    files=()
    taut="${TAUT:-cargo run --quiet --release --locked --}"
    # The scenes have, in this order: cloth and a moving ball, tears in the plane, rigid bodies, limbs, leaves, ropes,
    # drops.
    for scene in mosegaard scenes/files/wrecking-ball.toml boxes ragdolls-3d plants rope-bridge fountain; do
        file=$work/$(basename "$scene" .toml).glb
        $taut simulate "$scene" --seconds 1.5 --fps 15 --out "$file" > /dev/null
        files+=("$file")
    done
fi
NODE_PATH="$work/node_modules" node scripts/validate-gltf.cjs "${files[@]}"
