"""The families of patterns, one row each; the pattern extractor runs them in this order.

A sentence family reads one parsed sentence, a passage family one passage as it stands (tables, code, reference lists).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from trisynapse_memory.extraction.families import (
    acronyms,
    authorship,
    causes,
    citations,
    code,
    columns,
    comparison,
    composition,
    contents,
    conversation,
    dates,
    definitions,
    fields,
    laws,
    makers,
    menus,
    notes,
    numbers,
    places,
    reports,
    results,
    roles,
    rosters,
    shares,
    states,
    tables,
    usage,
    values,
)
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Passage, Proposal

SentenceFamily = Callable[[Sentence], Iterator[Proposal]]
PassageFamily = Callable[[Passage], Iterator[Proposal]]

SENTENCE_FAMILIES: Final[tuple[tuple[str, SentenceFamily], ...]] = (
    ("usage", usage.find),
    ("comparison", comparison.find),
    ("causes", causes.find),
    ("composition", composition.find),
    ("definitions", definitions.find),
    ("makers", makers.find),
    ("places", places.find),
    ("roles", roles.find),
    ("states", states.find),
    ("authorship", authorship.find),
    ("dates", dates.find),
    ("results", results.find),
    ("numbers", numbers.find),
    ("shares", shares.find),
    ("values", values.find),
    ("reports", reports.find),
)

PASSAGE_FAMILIES: Final[tuple[tuple[str, PassageFamily], ...]] = (
    ("acronyms", acronyms.find),
    ("bylines", authorship.find_bylines),
    ("citations", citations.find),
    ("laws", laws.find),
    ("notes", notes.find),
    ("tables", tables.find),
    ("columns", columns.find),
    ("fields", fields.find),
    ("rosters", rosters.find),
    ("menus", menus.find),
    ("contents", contents.find),
    ("figures", values.find_figures),
    ("code", code.find),
    ("conversation", conversation.find),
)
