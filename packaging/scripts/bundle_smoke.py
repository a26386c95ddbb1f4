"""A bundle's folder and a model file in, an exit status out: what breaks late in a frozen program is tried here.

    python packaging/scripts/bundle_smoke.py dist/trisynapse [--model FILE.gguf]

Nothing of the source tree is used: the bundle takes its sample in with its own workers, answers, loads the model in a
child of its own, and opens its window offscreen.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

QUESTION = "Who used a rotating mirror first?"
TIMEOUT_S = 300.0
GOLDEN = Path(__file__).parents[2] / "tests" / "golden"


class Bundle:
    """The two executables of one bundle, run in an environment that knows nothing of this checkout."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder = folder
        self.vault = scratch / "smoke.vault"
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "XDG_RUNTIME_DIR") if name in os.environ}
        self._environment = {
            **kept,
            "HOME": str(scratch),
            "QT_QPA_PLATFORM": "offscreen",
            "TRISYNAPSE_CONFIG_DIR": str(scratch / "config"),
            "TRISYNAPSE_MODELS": str(scratch / "models"),
            "OMP_NUM_THREADS": "1",
        }

    def run(self, program: str, *words: str) -> str:
        """Run one executable to its end and return what it printed; say what went wrong otherwise."""
        command = [str(self.folder / program), *words]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        if done.returncode:
            sys.exit(
                f"bundle: '{' '.join(words)}' ended with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"
            )
        return done.stdout

    def ask(self, *words: str) -> Any:
        """Run a command of the command line and return its JSON."""
        return json.loads(self.run("trisynapse-memory", "--path", str(self.vault), "--json", "--no-progress", *words))


def check(holds: bool, words: str) -> None:
    """Say that a step went well, or end the program."""
    print(f"bundle: {'ok  ' if holds else 'FAIL'} {words}", flush=True)
    if not holds:
        sys.exit(1)


def try_memory(bundle: Bundle) -> None:
    """Take the sample in and get a cited answer."""
    sample = next(bundle.folder.rglob("trisynapse_desktop/resources/sample"))
    bundle.ask("init")
    run = bundle.ask("ingest", str(sample))
    check(run["status"] == "completed", f"took in {len(run['results'])} files with its own workers")
    answer = bundle.ask("query", QUESTION, "--no-llm")
    check(not answer["abstain"] and bool(answer["citations"]), f"answered: {answer['answer'][:60]}…")


def try_formats(bundle: Bundle) -> None:
    """Take in one small file of every loader: what loads its libraries by name breaks late otherwise."""
    cases = {json.loads(told.read_text())["loader"]: told.parent for told in sorted(GOLDEN.glob("*/expected.json"))}
    run = bundle.ask("ingest", *(str(next(case.glob("input.*"))) for case in cases.values()), "--no-wait")
    failed = [f"{one['input']}: {one['reason']}" for one in run["results"] if one["status"] == "failed"]
    check(not failed, f"read a file with each of {len(cases)} loaders {'; '.join(failed)}".rstrip())


def try_model(bundle: Bundle, model: Path) -> None:
    """Let a real model of this computer write, in a child process of the bundle."""
    added = bundle.ask("models", "add-file", str(model))["model"]
    bundle.ask("models", "set", "completion", "local", added["name"])
    test = bundle.ask("models", "test", "answer")["test"]
    check(test["passed"], f"the model replied after {test['usage']['first_token_ms']:.0f} ms")
    answer = bundle.ask("query", QUESTION)
    written = answer["model"] or answer.get("note", "")
    check(not answer["abstain"] and bool(written), f"with the model: {written}")


def try_window(bundle: Bundle, scratch: Path) -> None:
    """Open the window, drop a paper, ask, and see the passage marked."""
    started = time.perf_counter()
    picture = scratch / "window.png"
    report = json.loads(
        bundle.run("trisynapse", "--selfcheck", str(scratch / "check.vault"), "--screenshot", str(picture), "--json")
    )
    check(report["ok"] and picture.stat().st_size > 0, f"the window answered in {time.perf_counter() - started:.0f} s")


def main() -> int:
    """Try everything, and say what it weighs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", type=Path, help="a GGUF file; without one the model is not tried")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        bundle = Bundle(options.folder.resolve(), Path(name))
        started = time.perf_counter()
        bundle.run("trisynapse-memory", "--version")
        check(True, f"started in {time.perf_counter() - started:.1f} s")
        try_memory(bundle)
        try_formats(bundle)
        if options.model is not None:
            try_model(bundle, options.model.resolve())
        try_window(bundle, Path(name))
    size = sum(one.stat().st_size for one in options.folder.rglob("*") if one.is_file() and not one.is_symlink())
    print(f"bundle: {size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
