"""What flows into and out of extraction: passages to read, facts proposed; values only."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from trisynapse_memory.types.record import Modality, SourceId


class Passage(Struct, frozen=True, kw_only=True):
    """One record as an extractor reads it: plain values, so that it can cross to a worker process.

    ``title`` is that of its source; ``before`` is the text of the record before it in the same group (empty at the
    start), for pronouns only: no fact may rest on it. ``cells`` names the column headers of a table row, in order.
    """

    seq: int
    text: str
    title: str = ""
    before: str = ""
    modality: Modality = Modality.DOCUMENT
    section: str = ""
    speaker: str = ""
    observed_at: datetime | None = None
    cells: tuple[str, ...] = ()
    language: str = ""
    page: int = 0
    source_id: SourceId | None = None


class Proposal(Struct, frozen=True, kw_only=True):
    """One fact an extractor proposes: ``passage.text[start:end]`` of passage ``seq`` says it, alone.

    ``subject`` and ``object`` are written as they stand there (a resolved pronoun is the one exception, and then
    ``qualifiers["anaphor"]`` holds the pronoun); ``relation`` is a name of ``scoring/relations.py`` or the lemma of a
    verb in snake_case. ``temporal_anchor`` is an ISO date or interval (``text/dates.py``), or empty. ``confidence`` is
    in (0, 1]. ``qualifiers`` make two statements comparable; their names are ``QUALIFIERS``.
    """

    seq: int
    start: int
    end: int
    subject: str
    relation: str
    object: str
    pattern: str
    confidence: float
    qualifiers: dict[str, str] = {}
    negated: bool = False
    hedged: bool = False
    temporal_anchor: str = ""


QUALIFIERS = (
    "dataset",
    "task",
    "metric",
    "method",
    "condition",
    "population",
    "unit",
    "place",
    "time",
    "version",
    "speaker",
    "part",
)
"""The names of what makes two statements comparable (engine.md 0.6); ``part`` is the row or column of a table."""
