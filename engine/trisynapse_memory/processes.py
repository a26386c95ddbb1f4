"""A module's name in, the command line that runs it as a process of its own out; nothing is started here."""

from __future__ import annotations

import sys
from typing import Final

MODULE_FLAG: Final = "--module"
"""First argument of a frozen executable that is to be one of our modules: it has no interpreter for ``-m``."""


def module_command(module: str) -> list[str]:
    """Return what starts a module, from a source tree, an installation or a frozen bundle; arguments follow it."""
    if getattr(sys, "frozen", False):
        return [sys.executable, MODULE_FLAG, module]
    # -P: a module in the folder the program happens to run in must not shadow ours.
    return [sys.executable, "-P", "-m", module]
