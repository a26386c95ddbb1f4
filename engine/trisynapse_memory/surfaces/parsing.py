"""What the parsers of all commands share: how a command is added, and what counts as a number. Nothing is run here."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from trisynapse_memory.surfaces.printing import Printer

Command = Callable[[argparse.Namespace, Printer], int]
Adder = Callable[[str, Command], argparse.ArgumentParser]


def adder(commands: Any, common: argparse.ArgumentParser) -> Adder:
    """Return a function that adds a command to a group of commands; its help is the docstring of what it runs."""

    def add(name: str, run: Command) -> argparse.ArgumentParser:
        summary = (run.__doc__ or "").strip()
        parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary, parents=[common])
        parser.set_defaults(run=run)
        return parser

    return add


def positive(text: str) -> int:
    """Read a whole number above 0."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not above 0")
    return value
