"""The text of a RIS or PubMed (nbib) file in, its records out, each as it stands. The loader knows the tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_RIS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])  ?-(?: |$)")
_NBIB_LINE: Final = re.compile(r"([A-Z][A-Z0-9 ]{3})- ")
LINES_MAX: Final = 20_000  # of one record; a collaboration with all its addresses has five thousand


@dataclass(frozen=True, slots=True)
class TaggedRecord:
    """One record: its text as it stands, from which line on (1-based), and what is wrong with it."""

    raw: str
    line: int
    broken: str = ""


def ris_records(text: str) -> Iterator[TaggedRecord]:
    """Part a RIS file: a record runs from ``TY`` to ``ER``; one that does not end is told as broken."""
    held: list[str] = []
    first = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        match = _RIS_LINE.match(line.lstrip("\ufeff").rstrip("\r\n"))
        tag = match[1] if match else ""
        if tag == "TY":
            if held:
                yield TaggedRecord(
                    "".join(held), first, f"line {first}: the record has no end (ER) before line {number}"
                )
            held, first = [line.lstrip("\ufeff")], number
        elif held:
            held.append(line)
            if tag == "ER":
                yield _checked(held, first)
                held = []
        elif tag:
            yield TaggedRecord(line, number, f"line {number}: '{tag}' stands outside of any record")
    if any(line.strip() for line in held):
        yield TaggedRecord("".join(held), first, f"line {first}: the record has no end (ER)")


def nbib_records(text: str) -> Iterator[TaggedRecord]:
    """Part a PubMed file: a record begins with ``PMID`` and runs to the next one."""
    held: list[str] = []
    first = 0
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(keepends=True), start=1):
        if line.startswith("PMID-"):
            if held:
                yield _checked(held, first)
            held, first = [line], number
        elif held:
            held.append(line)
        elif line.strip():
            yield TaggedRecord(line, number, f"line {number}: stands before the first PMID")
    if held:
        yield _checked(held, first)


def nbib_values(raw: str) -> dict[str, list[str]]:
    """Return the values of each tag of a PubMed record, lines that go on joined."""
    values: dict[str, list[str]] = {}
    latest: list[str] = []
    for line in raw.splitlines():
        match = _NBIB_LINE.match(line)
        if match:
            latest = values.setdefault(match[1].strip(), [])
            latest.append(line[match.end() :].strip())
        elif latest and line.startswith(" "):
            latest[-1] = f"{latest[-1]} {line.strip()}"
    return values


def _checked(lines: list[str], first: int) -> TaggedRecord:
    raw = "".join(lines).rstrip()
    if len(lines) > LINES_MAX:
        return TaggedRecord(raw[:200], first, f"line {first}: the record has more than {LINES_MAX} lines")
    return TaggedRecord(raw, first)
