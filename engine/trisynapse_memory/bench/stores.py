"""What a corpus puts into one vault and what it asks of it; values only, no file is read and no vault is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from trisynapse_memory.types import Message


class Passage(Struct, frozen=True, kw_only=True):
    """One text that becomes a source of its own; ``key`` is what gold names, unique in its store."""

    key: str
    title: str
    text: str


class Talk(Struct, frozen=True, kw_only=True):
    """One conversation group; a message's ``id`` is what gold names, unique in its store."""

    group_id: str
    messages: tuple[Message, ...]


class Asked(Struct, frozen=True, kw_only=True):
    """A question with the keys that answer it and how much each is worth (1 where the corpus does not grade).

    ``malformed`` counts keys of the corpus that name nothing; they are left out.
    """

    text: str
    category: str
    gold: dict[str, float]
    malformed: int = 0


class Store(Struct, frozen=True, kw_only=True):
    """One vault of a corpus: passages or talks, and the questions about them, in the order of the file."""

    corpus: str
    name: str
    questions: tuple[Asked, ...]
    passages: tuple[Passage, ...] = ()
    talks: tuple[Talk, ...] = ()


class Order(Struct, frozen=True, kw_only=True):
    """How a suite of evidence is run.

    ``limit`` stops after so many questions, in file order; ``ablate`` names parts to switch off, each for a pass of its
    own; ``settle`` lets the work in the background end before the first question; ``peers`` names other programs that
    are asked the same.
    """

    limit: int | None = None
    ablate: tuple[str, ...] = ()
    settle: bool = False
    peers: tuple[str, ...] = ()


class EvidenceSuite(Struct, frozen=True, kw_only=True):
    """One suite that asks for evidence: its name, its files under the folder of the corpora, and how they are read.

    ``measures`` are the figures it reports, of those that ``metrics.judge`` knows; ``drawing`` names what is drawn,
    where nothing lies in files.
    """

    name: str
    files: Callable[[Path], list[Path]]
    read: Callable[[Path], Iterable[Store]]
    measures: tuple[str, ...] = ("recall@2", "recall@5", "recall@10", "mrr", "ndcg@10", "all@8")
    drawing: str = ""
