"""What stands beside a record, and which sources a text names by their titles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_cases import Ledger, raw, retitle, source
from trisynapse_memory.config import Config
from trisynapse_memory.indexing.indexes.graph import GraphIndex
from trisynapse_memory.types import Namespace, Record, Scope, SourceId

ANYONE = Scope()
ADA = Namespace(user_id="ada")
DICE, SMITH = SourceId("dice"), SourceId("smith")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[GraphIndex]:
    opened = GraphIndex(tmp_path / "index.db", Config())
    yield opened
    opened.close()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def feed(index: GraphIndex, ledger: Ledger, *records: Record) -> None:
    for record in records:
        ledger.add(record)
    ledger.tell(index)


def library(index: GraphIndex, ledger: Ledger, title: str = "Lester Smith") -> None:
    feed(
        index,
        ledger,
        source(1, "dice", "Demon Dice"),
        raw(2, "A game by Lester Smith.", source_id=DICE),
        source(3, "smith", title),
        raw(4, "He designs games.", source_id=SMITH),
        raw(5, "He also writes poems.", source_id=SMITH),
    )


def named(index: GraphIndex, text: str, seq: int = 2, scope: Scope = ANYONE) -> list[str]:
    return [link.source_id for link in index.named_titles({seq: text}, scope)]


def test_a_turn_stands_between_its_neighbours_in_its_conversation(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, *(raw(seq, str(seq), group_id="chat" if seq != 2 else "other") for seq in (1, 2, 3, 4)))
    found = index.beside([1, 2, 3, 4, 99], ANYONE)
    assert {seq: tuple(pair) for seq, pair in found.items()} == {1: (None, 3), 3: (1, 4), 4: (3, None)}


def test_what_is_hidden_or_out_of_scope_stands_beside_nothing(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, *(raw(seq, str(seq), group_id="chat") for seq in (1, 2, 3, 4)))
    ledger.hidden.add(2)
    ledger.tell(index, [2])
    assert tuple(index.beside([3], ANYONE)[3]) == (1, 4)
    assert tuple(index.beside([3], Scope(as_of_seq=3))[3]) == (1, None)
    assert index.beside([3], Scope(namespace=Namespace(user_id="bob"))) == {}


def test_a_text_names_the_source_whose_title_it_holds(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    assert named(index, "A game by Lester Smith, who also made others.") == ["smith"]
    assert named(index, "A game by LESTER-SMITH.") == ["smith"]
    assert named(index, "A game by Lester Smithson.") == []


def test_a_source_does_not_name_itself(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    assert named(index, "Lester Smith designs games.", seq=4) == []


def test_what_is_appended_in_brackets_is_not_said_in_texts(index: GraphIndex, ledger: Ledger):
    library(index, ledger, title="Lester Smith (designer)")
    assert named(index, "A game by Lester Smith.") == ["smith"]


@pytest.mark.parametrize("title", ["Introduction", "Games", "The", "2024", "Notes and tables", "Bat"])
def test_everyday_titles_link_nothing(index: GraphIndex, ledger: Ledger, title: str):
    library(index, ledger, title=title)
    assert named(index, f"They play games. See {title.lower()} for more.") == []


def test_a_title_of_one_word_is_named_with_a_capital_only(index: GraphIndex, ledger: Ledger):
    library(index, ledger, title="Metallica")
    assert named(index, "He heard Metallica live.") == ["smith"]
    assert named(index, "He heard metallica live.") == []


def test_a_title_that_many_sources_bear_tells_none_apart(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, raw(1, "x", source_id=DICE))
    for seq in range(2, 20, 2):
        feed(
            index,
            ledger,
            source(seq, f"s{seq}", "Annual Report Alpha"),
            raw(seq + 1, "y", source_id=SourceId(f"s{seq}")),
        )
    assert len(named(index, "see the annual report alpha", seq=1)) == 9
    feed(index, ledger, source(20, "s20", "Annual Report Alpha"), raw(21, "y", source_id=SourceId("s20")))
    assert named(index, "see the annual report alpha", seq=1) == []


def test_the_title_given_last_counts(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    feed(index, ledger, retitle(6, "smith", "John Tynes"))
    assert named(index, "A game by Lester Smith.") == []
    assert named(index, "A game by John Tynes.") == ["smith"]


def test_a_forgotten_or_foreign_source_is_not_named(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    assert named(index, "by Lester Smith", scope=Scope(source_ids=(DICE,))) == []
    assert named(index, "by Lester Smith", scope=Scope(namespace=ADA)) == []
    assert named(index, "by Lester Smith", scope=Scope(as_of_seq=3)) == []
    ledger.hidden.update({4, 5})
    ledger.tell(index, [4, 5])
    assert named(index, "by Lester Smith") == []


def test_removal_and_rebuild_leave_no_title_behind(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    index.drop([3])
    assert named(index, "by Lester Smith") == []
    index.wipe()
    ledger.tell(index)
    assert named(index, "by Lester Smith") == ["smith"]


def test_a_source_is_entered_by_its_first_record_and_by_those_that_were_found(index: GraphIndex, ledger: Ledger):
    library(index, ledger)
    assert index.entrances(["smith", "dice", "none"], ANYONE, [5, 2]) == {"smith": (4, 5), "dice": (2,)}
    assert index.entrances(["smith"], Scope(source_ids=(DICE,)), [5]) == {}
