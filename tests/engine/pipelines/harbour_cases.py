"""A harbour in texts: what a question asks for stands in a long log book, and short notices sound more like it.

By its words (the one rare name) a question leads to the log book; by its meaning, as the stub embedder knows it, to the
notices. A reader who opens log books teaches to trust words, one who opens notices to trust meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trisynapse_memory.config import Config
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Hit, SourceInput

NAMES = tuple(
    f"{first}{last}"
    for first in ("bar", "cor", "del", "fen", "gor")
    for last in ("vanta", "mindo", "stero", "quilla", "bressa")
)
READ, UNREAD = NAMES[:21], NAMES[21:]
"""What a reader asks about, and what nobody asks about until something was learned."""
PLACES = (
    "in the quiet northern harbour under the old lighthouse",
    "on the steep western slipway behind the rope store",
    "at the broken eastern jetty beside the customs shed",
    "by the flooded southern dock below the signal tower",
)
WEATHER = "Rain fell on deck all morning and the crew mended nets. "
TRADE = (
    "The cook baked bread and counted barrels of salted fish. "
    "A merchant asked for tin and copper, and paid in silver coins from three provinces. "
)
NOTICES = 5
CONFIG = Config(tuning_min_questions=20)  # a smaller harbour is searched sooner


def place_of(name: str) -> str:
    """Return where a thing is kept."""
    return PLACES[NAMES.index(name) % len(PLACES)]


def question_of(name: str) -> str:
    """Return the question about one thing."""
    return f"Is the {name} kept {place_of(name)}?"


def take_in(path: Path, filler: str = WEATHER + TRADE) -> MemoryEngine:
    """Open a vault with one log book for each thing, and notices about each place; the filler makes log books long."""
    engine = MemoryEngine.open(path, create=True, offline=True, config=CONFIG)
    books = [
        SourceInput(text=f"{filler}The {name} is kept {place_of(name)} over winter.", title=f"Log book of {name}")
        for name in NAMES
    ]
    notices = [
        SourceInput(text=f"Kept {place}: notice {number}, is kept.", title=f"Notice {place} {number}")
        for place in PLACES
        for number in range(NOTICES)
    ]
    engine.ingest(*books, *notices)
    engine.jobs.wait()
    return engine


def read(engine: MemoryEngine, chosen: Callable[[str, Hit], bool], names: tuple[str, ...] = READ) -> None:
    """Ask about each thing and open the first hit that the reader chooses."""
    for name in names:
        found = engine.search(question_of(name), top_k=40)
        hit = next((one for one in found.hits if chosen(name, one)), None)
        if hit is not None:
            assert engine.tuning.note(found.query_id, str(hit.record.id))


def book_rank(engine: MemoryEngine, name: str) -> int:
    """Return where the log book of a thing stands."""
    hits = engine.search(question_of(name), top_k=40).hits
    return next(rank for rank, hit in enumerate(hits, start=1) if is_book(name, hit))


def is_book(name: str, hit: Hit) -> bool:
    """Whether a hit is the log book of a thing."""
    return hit.title == f"Log book of {name}"


def is_notice(name: str, hit: Hit) -> bool:
    """Whether a hit is a notice about the place of a thing."""
    return hit.title.startswith(f"Notice {place_of(name)}")
