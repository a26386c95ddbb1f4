"""Nothing in, one table out: every exception to a limit of the house, with its reason. No rule is checked here.

A line here is a debt that someone can read. To add one, say why in a sentence that will still hold in a year; a rule
itself is changed by a page in docs/decisions/, not here. Paths are relative to the root; ``*`` matches inside a name
or across folders (fnmatch). A test fails when a line matches no file or excuses nothing.
"""

from __future__ import annotations

from typing import NamedTuple


class Excuse(NamedTuple):
    """One rule, where it does not hold, and why."""

    rule: str
    path: str
    reason: str


EXCUSES: tuple[Excuse, ...] = (
    Excuse("parameters", "engine/trisynapse_memory/memory_engine.py", "the front door takes each wish by its own name"),
    Excuse(
        "parameters", "engine/trisynapse_memory/preprocessing/sandbox.py", "a file, how it is read, who may stop it"
    ),
)
"""Exceptions to limits: ``rule`` is the first word of the violation (lines, function, methods, parameters, state)."""

BROAD_CATCHERS: tuple[Excuse, ...] = (
    Excuse("catch", "engine/trisynapse_memory/pipelines/jobs.py", "one job that fails must not end the others"),
    Excuse("catch", "engine/trisynapse_memory/service.py", "an answer that fails must reach the client as an error"),
    Excuse("catch", "engine/trisynapse_memory/surfaces/*", "the last stop before a person: logs it, says where"),
    Excuse("catch", "engine/trisynapse_memory/providers/onnx_reranker.py", "tokenizers raises the bare class"),
    Excuse("catch", "trisynapse_desktop/bridge*.py", "a broken engine must not take the window down"),
)
"""Where ``except Exception`` may stand: the job runner, the bridge, the surfaces and the service."""

JSON_BORDERS: tuple[Excuse, ...] = (
    Excuse("any", "engine/trisynapse_memory/surfaces/*", "what goes out is one JSON document"),
    Excuse("any", "engine/trisynapse_memory/service.py", "frames on the socket are JSON"),
    Excuse("any", "engine/trisynapse_memory/wire.py", "turns values into JSON frames and back"),
    Excuse("any", "engine/trisynapse_memory/__init__.py", "a name loaded on demand has no type until it is asked for"),
    Excuse("any", "engine/trisynapse_memory/client.py", "frames on the socket are JSON"),
    Excuse("any", "engine/trisynapse_memory/providers/*", "vendors answer in JSON; model libraries ship no types"),
    Excuse("any", "engine/trisynapse_memory/preprocessing/sites/*", "reads what sites answer; parsers ship no types"),
    Excuse("any", "engine/trisynapse_memory/preprocessing/web/attributions.py", "reads the JSON of DOI registries"),
    Excuse("any", "engine/trisynapse_memory/preprocessing/web/videos.py", "reads the JSON that yt-dlp makes of pages"),
    Excuse("any", "engine/trisynapse_memory/preprocessing/loaders/*", "files come as JSON; parsers ship no types"),
    Excuse("any", "engine/trisynapse_memory/preprocessing/pdf/*", "pymupdf hands out dictionaries without types"),
    Excuse("any", "engine/trisynapse_memory/exporters/*", "JSON Canvas and JSON lines go out"),
    Excuse("any", "engine/trisynapse_memory/bench/*", "public corpora come as JSON"),
    Excuse("any", "engine/trisynapse_memory/sqlite.py", "a row of a table holds whatever was bound"),
    Excuse(
        "any", "engine/trisynapse_memory/registry.py", "a class loaded by name has no type yet; the caller names it"
    ),
)
"""Where ``Any`` may stand: modules that read or write what is not ours, named one by one or by folder."""

SMALLER_FILES: tuple[tuple[str, int], ...] = (
    ("engine/trisynapse_memory/memory_engine.py", 300),
    ("trisynapse_desktop/window.py", 300),
)
"""By name and without exception: in every project we studied the facade or the window class grew too big."""
