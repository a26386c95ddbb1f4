"""Titles of sources in, the places where a text names them out; table ``graph_title_forms``. No text is kept here.

A title is found by its first words, so a lookup costs what the text that may name it is long, not what the vault holds.
Titles that name nothing by themselves ("Introduction", one common word) are not kept. Limit: scripts without spaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.text.works import written_words
from trisynapse_memory.types import TitleLink

LEAD_WORDS: Final = 2  # words a title is found by; with one, every "The ..." of a vault would be read
LONGEST_TITLE: Final = 12  # words; a longer one is a sentence, which no other text repeats whole
LEAST_LETTERS: Final = 4  # of a title of one word
SHARED_BY: Final = 9  # sources; a title that more of them bear tells none of them apart

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS graph_title_forms (
    lead TEXT NOT NULL, words TEXT NOT NULL, source_id TEXT NOT NULL, seq INTEGER NOT NULL, entity TEXT NOT NULL,
    PRIMARY KEY (lead, words, source_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_title_forms_seq ON graph_title_forms (seq);
"""

_APPENDED: Final = re.compile(r"\s*\([^()]*\)$")  # "Twins (1988 film)" is called "Twins" in a text
_EVERYDAY: Final = frozenset(
    """abstract agenda appendix article blog book bookmarks chapter chat contents conversation data document draft
    figures home inbox index introduction journal letter log mail meeting minutes news note notes overview page paper
    preface presentation protocol readme report results review slides summary table tables text thesis todo untitled
    """.split()
)


def add_forms(connection: Connection, source_id: str, seq: int, title: str) -> None:
    """Keep the ways in which texts write a title that a record gave a source."""
    forms = {tuple(written_words(form.casefold())): form for form in (title, _APPENDED.sub("", title))}
    rows = [
        (_lead_of(words), " ".join(words), source_id, seq, entity_key(form))
        for words, form in forms.items()
        if _is_telling(words, form)
    ]
    connection.executemany("INSERT OR REPLACE INTO graph_title_forms VALUES (?, ?, ?, ?, ?)", rows)


def _lead_of(words: Sequence[str]) -> str:
    return " ".join(words[:LEAD_WORDS])


def _is_telling(words: Sequence[str], form: str) -> bool:
    content = [word for word in words if word not in FUNCTION_WORDS and word not in _EVERYDAY and not word.isdigit()]
    if not content or len(words) > LONGEST_TITLE or is_generic(form):
        return False
    return len(words) > 1 or len(words[0]) >= LEAST_LETTERS


def named_titles(connection: Connection, texts: Mapping[int, str]) -> Iterator[TitleLink]:
    """Yield for each text (by log position) the sources whose title it names, in text order of neither.

    A title of one word must be written with a capital. The title a source was given last counts. ``name_count`` is how
    many records name the same entity, 1 for a title that is none.
    """
    split = {seq: written_words(text) for seq, text in texts.items()}
    rows = _rows_led_by(connection, sorted({lead for words in split.values() for lead in _leads(words)}))
    lines = {seq: f" {' '.join(words).casefold()} " for seq, words in split.items()}
    for words, held in rows.items():
        sources = {source_id for source_id, _ in held}
        if len(sources) > SHARED_BY:
            continue
        count = max(number for _, number in held)
        for seq, line in lines.items():
            if f" {words} " in line and (" " in words or words in _capitals(split[seq])):
                yield from (TitleLink(seq, words, source_id, max(count, 1)) for source_id in sorted(sources))


def _rows_led_by(connection: Connection, leads: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    found = connection.execute(
        "SELECT f.words, f.source_id, coalesce(e.mention_count, 0) FROM graph_title_forms f"
        " LEFT JOIN graph_entities e ON e.key = f.entity WHERE f.lead IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM graph_titles n WHERE n.source_id = f.source_id AND n.seq > f.seq)",
        (json.dumps(leads),),
    )
    rows: dict[str, list[tuple[str, int]]] = {}
    for words, source_id, count in found:
        rows.setdefault(words, []).append((source_id, count))
    return rows


def _leads(words: Sequence[str]) -> Iterator[str]:
    folded = [word.casefold() for word in words]
    yield from (_lead_of(folded[at : at + LEAD_WORDS]) for at in range(len(folded) - LEAD_WORDS + 1))
    yield from _capitals(words)


def _capitals(words: Sequence[str]) -> set[str]:
    return {word.casefold() for word in words if not word[0].islower()}
