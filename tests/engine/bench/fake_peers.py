"""Names of peers in, a project folder where fake ones are installed under them out. Nothing is asked here.

The good one runs over the real loop (``packaging/peers/pipe.py``); each bad one breaks the protocol in its own way.
"""

from __future__ import annotations

import sys
from pathlib import Path

PIPE = Path(__file__).parents[3] / "packaging" / "peers" / "pipe.py"

GOOD = """
from pipe import serve

class Peer:
    method = "words in common"

    def __init__(self, folder, wire):
        self._folder, self._wire, self._records = folder, wire, []

    def add(self, records):
        print("a library that talks on standard output")
        assert all(len(one.vector) > 1 for one in records)
        self._records += records

    def finish(self):
        (self._folder / "index").write_text("x" * 1000)

    def search(self, question, vector, count):
        (more,) = self._wire.vectors_of([question + " more"])
        assert len(more) == len(vector)
        words = set(question.lower().split())
        scored = [(-len(words & set(one.text.lower().split())), int(one.id), one.id) for one in self._records]
        return [one for _, _, one in sorted(scored)[:count]]

serve("", Peer)
"""

READY = 'print(\'{"type": "ready", "version": "1", "method": "none"}\', flush=True)\n'
DONE = '{"type": "done", "cpu_ms": 1, "wall_ms": 1, "rss_mb": 1}'

BAD = {
    "hangs": "import sys\n" + READY + "sys.stdin.read()\n",
    "never reads": "import signal\n" + READY + "signal.pause()\n",
    "dies": "import sys\n" + READY + "sys.stdin.readline()\nsys.stderr.write('no disk')\nsys.exit(3)\n",
    "talks nonsense": READY + "print('<html>', flush=True)\ninput()\n",
    "answers less": READY + 'print(\'{"type": "done"}\', flush=True)\ninput()\n',
    "is ready twice": READY + READY + "input()\n",
    "closes its end": "import os, sys\n" + READY + "os.close(1)\nsys.stdin.read()\n",
    "cannot start": "raise SystemExit('no such library')\n",
    "fails": "from pipe import serve\n"
    "class Peer:\n"
    "    method = ''\n"
    "    def __init__(self, folder, wire): pass\n"
    "    def add(self, records): raise ValueError('too long')\n"
    "serve('', Peer)\n",
    "finds what is not there": "import sys\n"
    + READY
    + 'for line in sys.stdin:\n    print(\'{"type": "found", "ids": ["99"], "cpu_ms": 1, "wall_ms": 1, '
    + f"\"rss_mb\": 1}}' if 'search' in line else '{DONE}', flush=True)\n",
    "wants for ever": "import sys\n"
    + READY
    + 'for line in sys.stdin:\n    print(\'{"type": "wanted", "texts": ["a"]}\', flush=True)\n',
}


def install(root: Path, name: str, script: str) -> None:
    """Put a script and an interpreter where the benchmark looks for a peer of that name."""
    scripts, binaries = root / "packaging" / "peers", root / "build" / "peers" / name / "bin"
    scripts.mkdir(parents=True, exist_ok=True)
    binaries.mkdir(parents=True)
    (scripts / "pipe.py").write_bytes(PIPE.read_bytes())
    (scripts / f"{name}_peer.py").write_text(script, encoding="utf-8")
    (binaries / "python").symlink_to(sys.executable)
