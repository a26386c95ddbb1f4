"""The command ``check`` with a file: a draft against the vault, sentence by sentence."""

from __future__ import annotations

import sys
from argparse import Namespace as Options
from collections import Counter
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.commands import vault
from trisynapse_memory.surfaces.printing import Printer, place_of
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import DraftCheck, DraftSentence, DraftVerdict

STANDARD_INPUT: Final = "-"
_MARKS: Final = {
    DraftVerdict.SUPPORTED: "+",
    DraftVerdict.CONTRADICTED: "!",
    DraftVerdict.UNKNOWN: "?",
    DraftVerdict.NO_CLAIM: " ",
}


def check(options: Options, printer: Printer) -> int:
    """Hold a draft against the vault; without a file: report what this installation is made of and what is missing."""
    if options.file is None:
        return vault.check(options, printer)
    text = _text_of(options.file)
    with Session(options) as session:
        found: DraftCheck = session.call(
            "drafts.check", text=text, source_ids=options.source or None, collection=options.collection
        )
    printer.result(found, _lines(found))
    return 0


def _text_of(name: str) -> str:
    if name == STANDARD_INPUT:
        return sys.stdin.read()
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The draft '{name}' cannot be read ({getattr(error, 'strerror', None) or 'it is no text in UTF-8'}).",
            hint="Give a text or Markdown file, or `-` for standard input.",
        ) from error


def _lines(found: DraftCheck) -> list[str]:
    counts = Counter(sentence.verdict for sentence in found.sentences)
    said = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in DraftVerdict if counts[verdict])
    lines = [_line(sentence) for sentence in found.sentences]
    lines += [f"  [{one.n}] {place_of(one)}: {' '.join(one.excerpt.split())}" for one in found.citations]
    return [*lines, f"{said}."]


def _line(sentence: DraftSentence) -> str:
    marks = "".join(f" [{n}]" for n in sentence.citations)
    against = "".join(f" [{n}]" for n in sentence.against)
    otherwise = f"\n    otherwise in{against}: {sentence.differs}" if against else ""
    return f"{_MARKS[sentence.verdict]} {sentence.text}{marks}{otherwise}"
