#!/bin/sh
# Opens the app where there is a screen; elsewhere it drives itself offscreen and keeps pictures: first the self-check
# (a paper dropped, a question, the cited words marked), then its own sample vault with a question asked of it.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then
    exec .venv/bin/trisynapse "$@"
fi
out=build/selfcheck
rm -rf "$out"
mkdir -p "$out"
QT_QPA_PLATFORM=offscreen
QT_LOGGING_RULES="default.warning=false" # the offscreen platform complains about each window
export QT_QPA_PLATFORM QT_LOGGING_RULES
echo "app: no display here, so the app drives itself offscreen; the pictures go to $out"
.venv/bin/python -m trisynapse_desktop --selfcheck "$out/selfcheck.vault" --screenshot "$out/selfcheck.png"
echo "app: the window with the marked page: $out/selfcheck.png"
.venv/bin/python packaging/scripts/take_screenshots.py "$out" --states 4-answer --sizes 1280x800 --appearances light
