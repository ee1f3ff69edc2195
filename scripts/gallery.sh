#!/usr/bin/env bash
# Makes the animations of docs/gallery.md, in docs/images: one for each scene of the library and one for a
# scene file. This takes a few minutes and needs only Rust.
#
#   scripts/gallery.sh            # all
#   scripts/gallery.sh curtain …  # only these animations
set -euo pipefail
cd "$(dirname "$0")/.."

taut="${TAUT:-${CARGO_TARGET_DIR:-target}/release/taut}"
if [ -z "${TAUT:-}" ]; then cargo build --quiet --release --locked -p taut-cli; fi

# Each line: scene, start (s), duration (s), camera azimuth,elevation (degrees).
scenes='
curtain          3.0 4.0 0,0
scenes/files/wrecking-ball.toml 1.0 4.0 0,0
mosegaard        0.0 3.5 35,12
flag             1.0 2.3 12,10
tablecloth       0.0 3.0 30,24
hammock          0.0 6.0 32,16
hex-sheet        0.5 2.4 24,10
drape            0.0 4.0 24,10
layers           0.0 3.0 30,18
folded           0.0 3.5 35,16
twist            0.0 7.0 20,8
knot             0.0 7.0 20,20
trampoline       0.0 4.0 30,18
doll-in-hammock  0.0 4.0 30,18
laundry          0.0 4.0 25,14
rope-bridge      0.0 6.0 38,16
plants           0.0 3.0 14,12
boxes            0.0 4.0 25,22
tetra-cube-world 0.0 3.0 30,24
ragdolls         0.0 3.0 0,0
ragdolls-3d      0.0 3.5 35,16
fountain         0.5 3.0 30,14
springs          0.0 2.4 24,10
'

# draw SCENE START DURATION CAMERA: makes one animation, and prints its size in bytes.
draw() {
    local end image
    image=docs/images/$(basename "$1" .toml).gif
    end=$(awk "BEGIN { print $2 + $3 }")
    $taut simulate "$1" --seconds "$end" --from "$2" --fps 12.5 --colours 64 --width 288 --height 216 \
        --camera "$4" --gif "$image" > /dev/null
    printf '%8d  %s\n' "$(stat -c %s "$image")" "$image"
}

mkdir -p docs/images
while read -r name from seconds camera; do
    [ -n "$name" ] || continue
    if [ $# -eq 0 ] || [[ " $* " = *" $name "* ]]; then draw "$name" "$from" "$seconds" "$camera"; fi
done <<< "$scenes"
