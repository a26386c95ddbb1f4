#!/bin/sh
# The app in, pictures of its real window out (build/screenshots): every state, light and dark, in two sizes, and once
# more with two pixels a point. Changes no vault of hers.
set -eu
cd "$(dirname "$0")/../.."
out=build/screenshots
rm -rf "$out"
mkdir -p "$out"
QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
QT_LOGGING_RULES="default.warning=false" # the offscreen platform complains about each window
export QT_QPA_PLATFORM QT_LOGGING_RULES
QT_SCALE_FACTOR=1 .venv/bin/python packaging/scripts/take_screenshots.py "$out" --sizes 1280x800 1920x1080
QT_SCALE_FACTOR=2 .venv/bin/python packaging/scripts/take_screenshots.py "$out" --sizes 1280x800 --appearances light
