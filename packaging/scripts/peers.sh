#!/bin/sh
# Names of peers in, a virtual environment for each in build/peers out, which bench --peers asks. Nothing is measured here.
# Quick when nothing changed: a stamp in each holds the hash of its lock. All of them: two minutes, 1.2 GB of disk.
set -eu
cd "$(dirname "$0")/../.."
folder=build/peers
python=.venv/bin/python

say() { printf 'peers: %s\n' "$*"; }
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

install() { # install NAME LOCK: the locks are whole, so nothing that a package declares beyond them is fetched
    "$python" -m venv --clear "$folder/$1" &&
        "$folder/$1/bin/python" -m pip install --disable-pip-version-check --no-input --quiet --progress-bar off \
            --require-hashes --no-deps --only-binary :all: -r "$2"
}

status=0
mkdir -p "$folder"
for name in ${*:-tantivy lancedb txtai trisynapse}; do
    lock=packaging/requirements/peers-$name.txt
    [ -f "$lock" ] || { say "there is no peer '$name'" >&2 && status=1 && continue; }
    wanted=$(sha256 <"$lock")
    [ "$(cat "$folder/$name/stamp" 2>/dev/null)" != "$wanted" ] || { say "$name: ready" && continue; }
    start=$(date +%s)
    say "$name ..."
    if install "$name" "$lock"; then
        echo "$wanted" >"$folder/$name/stamp"
        say "$name: $(($(date +%s) - start)) s, $(du -sh "$folder/$name" | cut -f 1)"
    else
        rm -rf "${folder:?}/$name"
        say "$name: not installed (see above); bench leaves it out" >&2
        status=1
    fi
done
say "now: .venv/bin/trisynapse-memory bench locomo --data ../shared/data --peers all"
exit $status
