#!/bin/sh
# Opens the app where there is a screen; elsewhere drives it once offscreen over a fresh sample vault and keeps a picture.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then
    exec .venv/bin/trisynapse "$@"
fi
out=build/selfcheck
rm -rf "$out"
mkdir -p "$out"
echo "app: no display here, so the app drives itself offscreen; the picture goes to $out/window.png"
QT_QPA_PLATFORM=offscreen exec .venv/bin/python -m trisynapse_desktop --selfcheck "$out/sample.vault" \
    --screenshot "$out/window.png"
