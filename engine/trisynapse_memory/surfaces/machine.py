"""Verbs about what belongs to the machine and not to a vault in, their results out: model files, keys, the ledger.

They go through the vault where there is one. Without one they work all the same, and what they ask of the network is
written into the ledger of the machine.
"""

from __future__ import annotations

import argparse
from typing import Any

from trisynapse_memory.config import Config
from trisynapse_memory.surfaces.session import Session, vault_path


class MachineSession:
    """The few verbs that need no vault, for the length of one command; use it in a ``with`` block."""

    def __init__(self, options: argparse.Namespace) -> None:
        # A command that goes through a vault needs none of these.
        from trisynapse_memory.pipelines.staffing.machinery import Machinery

        self._machinery = Machinery(Config(), offline=options.offline)

    def call(self, verb: str, **args: Any) -> Any:
        """Run one of the verbs; see the doors of the same names."""
        return self._machinery.verbs[verb](**args)

    def __enter__(self) -> MachineSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the ledger."""
        self._machinery.close()


def reach(options: argparse.Namespace) -> Session | MachineSession:
    """Return the vault that the options name, or, where there is none, the machine alone."""
    return Session(options) if (vault_path(options) / "vault.toml").exists() else MachineSession(options)
