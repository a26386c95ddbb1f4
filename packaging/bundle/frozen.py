"""The words of a command line in, what a frozen program does for them out: a child's module, or the program itself.

A bundle has no interpreter that could run ``-m module``. Its executables run themselves instead, with ``--module``.
"""

from __future__ import annotations

import multiprocessing
import runpy
import sys
from collections.abc import Callable

CHILDREN = frozenset(
    {
        "trisynapse_memory.service",
        "trisynapse_memory.preprocessing.worker",
        "trisynapse_memory.providers.llama.child",
    }
)
"""The only modules that run as processes of their own; any other name is a wrong command line."""


def start(main: Callable[[], int | None]) -> int:
    """Be a child where the command line says so, else the program."""
    multiprocessing.freeze_support()
    if sys.argv[1:2] != ["--module"]:
        return int(main() or 0)
    module = sys.argv[2] if len(sys.argv) > 2 else ""
    if module not in CHILDREN:
        print(f"There is no part of the program named '{module}'.", file=sys.stderr)
        return 2
    sys.argv = [module, *sys.argv[3:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0
