#!/bin/sh
# The app in, pictures of its real window out (build/screenshots), at single and double pixel density. Changes no vault of hers.
set -eu
cd "$(dirname "$0")/../.."
out=build/screenshots
rm -rf "$out"
mkdir -p "$out"
for scale in 1 2; do
    QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen} QT_SCALE_FACTOR=$scale .venv/bin/python -m trisynapse_desktop \
        --selfcheck "$out/sample-$scale.vault" --screenshot "$out/window-$scale.png"
    echo "screenshots: $out/window-$scale.png"
done
