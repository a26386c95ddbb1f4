"""Names of peers in, what starts each of them out. A new peer adds its row here and its script; nothing is started.

A peer is another program that finds records, measured in the same run over the same texts and vectors. It lives in an
environment of its own (``make bench-peers``), since some would replace our packages or need other versions of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from trisynapse_memory.errors import InvalidInputError, PeerError

SCRIPTS: Final = Path("packaging/peers")  # seen from the root of the project, as the labelled sets are
ENVIRONMENTS: Final = Path("build/peers")

LICENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tantivy": "MIT",
        "lancedb": "Apache-2.0",
        "txtai": "Apache-2.0",
        "trisynapse": "Apache-2.0",
    }
)
"""Every peer there is, and its licence; the last is ``trisynapse-memory``, which first implemented the article."""


class Peer(Struct, frozen=True, kw_only=True):
    """One peer that is installed: the interpreter of its environment, and the script that it runs."""

    name: str
    licence: str
    python: Path
    script: Path


def names_of(written: str | None) -> tuple[str, ...]:
    """Read a list of peers as the command line has it ("a,b"); each once, "all" for every one.

    Raises:
        InvalidInputError: one of them is unknown.
    """
    names = list(dict.fromkeys(name.strip() for name in (written or "").split(",") if name.strip()))
    chosen = list(LICENCES) if names == ["all"] else names
    for name in chosen:
        if name not in LICENCES:
            raise InvalidInputError(f"There is no peer '{name}'.", hint=f"Known: {', '.join(LICENCES)}.")
    return tuple(chosen)


def find_peer(name: str) -> Peer:
    """Return what starts a peer.

    Raises:
        PeerError: it is not installed.
    """
    # Absolute, for it runs in a folder of its own; not resolved, for the link is what names the environment.
    python, script = (ENVIRONMENTS / name / "bin" / "python").absolute(), (SCRIPTS / f"{name}_peer.py").absolute()
    if not python.exists() or not script.is_file():
        raise PeerError("It is not installed.", hint="Run make bench-peers, from the root of the project.")
    return Peer(name=name, licence=LICENCES.get(name, ""), python=python, script=script)
