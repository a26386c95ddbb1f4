"""The parsers of ``tuning``; the commands themselves are in ``commands/tuning.py``."""

from __future__ import annotations

import argparse
from typing import Any

from trisynapse_memory.surfaces.commands import tuning
from trisynapse_memory.surfaces.parsing import adder


def add_tuning_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add ``tuning``."""
    group = commands.add_parser("tuning", help="Weights of the ranking, learned from what is opened.", parents=[common])
    add = adder(group.add_subparsers(title="tuning", metavar="COMMAND", required=True), common)
    for name, run in (
        ("show", tuning.tuning_show),
        ("on", tuning.tuning_on),
        ("off", tuning.tuning_off),
        ("learn", tuning.tuning_learn),
        ("apply", tuning.tuning_apply),
        ("revert", tuning.tuning_revert),
        ("clear", tuning.tuning_clear),
    ):
        add(name, run)
    parser = add("note", tuning.tuning_note)
    parser.add_argument("query_id", metavar="QUERY_ID", help="of a search or an answer")
    parser.add_argument("record_id", metavar="RECORD_ID", help="what was right for it")
