#!/bin/sh
# Ranges in (packaging/requirements/*.in), exact pins with sha256 hashes out (*.txt). Installs nothing into .venv but
# pip-tools. Run it after a change of the dependencies; about ten minutes for all sets, or name some: lock.sh dev build
set -eu
cd "$(dirname "$0")/../requirements"
python=../../.venv/bin/python

"$python" -m piptools --version >/dev/null 2>&1 || "$python" -m pip install --quiet pip-tools

compile() { # compile SET [pip-compile options]: SET.in -> SET.txt
    set_name=$1
    shift
    echo "lock: $set_name"
    # No private wheel folder: only hashes of the public index's files may be locked.
    env -u PIP_FIND_LINKS -u PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE=/dev/null \
        CUSTOM_COMPILE_COMMAND="sh packaging/scripts/lock.sh $set_name" \
        "$python" -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe \
        --no-emit-index-url --no-emit-find-links --no-emit-options "$@" \
        --output-file "$set_name.txt" "$set_name.in"
    if grep -nE '://|^-|/opt|^ *--(index|extra|find)' "$set_name.txt"; then
        echo "lock: $set_name.txt names a place; only pins and hashes belong there" >&2
        exit 1
    fi
}

drop_accelerators() { # what only a GPU build of torch asks for, and pip-compile's word about torch itself
    awk '/^[a-z0-9]/ { skip = /^(nvidia-|cuda-|triton)/ } /^# WARNING/ { exit } !skip' sentence-transformers.txt >filtered
    mv filtered sentence-transformers.txt
}

lock_wheels() { # lock_wheels LIST: pins on stdin, wheels with their hashes on stdout, without what they depend on
    folder=$(mktemp -d)
    while read -r pin; do
        env -u PIP_FIND_LINKS -u PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE=/dev/null "$python" -m pip download --quiet \
            --no-deps --only-binary :all: --dest "$folder/$pin" "$pin" </dev/null >&2
        printf '%s \\\n' "$pin"
        "$python" -m pip hash "$folder/$pin"/*.whl | sed -n 's/^--hash/    &/p'
        echo "    # via -r $1"
    done
    rm -r "$folder"
}

lock_test_models() { # pip-compile would lock a whole client of other services
    echo "lock: test-models"
    {
        printf '#\n# Written by: sh packaging/scripts/lock.sh test-models\n#\n'
        grep -v '^#' test-models.in | lock_wheels test-models.in
    } >test-models.txt
}

lock_peer() { # what a peer imports, and itself, where "# itself: PIN" says that what else it declares stays out
    compile "$1"
    sed -n 's/^# itself: //p' "$1.in" | lock_wheels "$1.in" >>"$1.txt"
}

all="runtime dev build bundle local-llm local-llm-build test-models sentence-transformers ocr speech"
all="$all peers-tantivy peers-lancedb peers-txtai peers-trisynapse"
for set_name in ${*:-$all}; do
    case $set_name in
        dev) compile dev --constraint runtime.txt ;;
        build | bundle | speech) compile "$set_name" --constraint dev.txt ;;
        test-models) lock_test_models ;;
        peers-*) lock_peer "$set_name" ;;
        # torch and what only torch needs stay out: their builds differ from machine to machine.
        sentence-transformers) compile sentence-transformers --unsafe-package torch && drop_accelerators ;;
        *) compile "$set_name" ;;
    esac
done
