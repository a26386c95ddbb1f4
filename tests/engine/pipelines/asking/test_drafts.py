"""Each sentence of a draft gets what the vault says of it: the labelled drafts, through a real vault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import DraftVerdict, SourceInput

CORPUS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "corpora" / "drafts.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(tmp_path_factory.mktemp("drafts") / "vault") as opened:
        for passage in CORPUS["passages"]:
            opened.ingest(SourceInput(text=passage["text"], source_key=passage["id"], title=passage["id"]))
        opened.jobs.wait()
        yield opened


def _rows() -> list[tuple[str, str, str]]:
    return [(one["id"], row["text"], row["verdict"]) for one in CORPUS["passages"] for row in one["sentences"]]


def test_the_labelled_sentences_get_their_verdict(engine: MemoryEngine):
    wrong: list[str] = []
    for passage, text, verdict in _rows():
        (found,) = engine.drafts.check(text).sentences
        if found.verdict != verdict:
            wrong.append(f"{passage}: {text} {found.verdict} for {verdict}; {found.differs}")
    assert len(wrong) <= 3, "\n".join(wrong)  # "212 m" for "212 metres", and "the orchids" for "them" twice
    # A sentence that is called wrong though nothing contradicts it costs more trust than one that is not found.
    assert not [row for row in wrong if " contradicted for " in row], wrong


def test_a_draft_keeps_its_order_and_shares_its_citations(engine: MemoryEngine):
    draft = (
        "# The bridge\n\nThe Harlow Bridge was opened on 14 June 1926. Who built it?\n"
        "- The Harlow Bridge was opened on 14 June 1931.\n- Its bolts are Swedish and were counted twice.\n"
    )
    found = engine.drafts.check(draft)
    assert [one.verdict for one in found.sentences] == [
        DraftVerdict.NO_CLAIM,
        DraftVerdict.SUPPORTED,
        DraftVerdict.NO_CLAIM,
        DraftVerdict.CONTRADICTED,
        DraftVerdict.UNKNOWN,
    ]
    assert [draft[one.start : one.end].strip("- \n") for one in found.sentences][3].endswith("1931.")
    said, otherwise = found.sentences[1], found.sentences[3]
    assert said.citations == otherwise.against == (1,)
    assert otherwise.differs == "1931 here, 1926 in the source"
    (citation,) = found.citations
    assert citation.excerpt == "The Harlow Bridge was opened on 14 June 1926."
    assert citation.title == "bridge"
    assert found.coverage.used == 1
    assert found.coverage.sources_in_scope == len(CORPUS["passages"])


@pytest.mark.parametrize(
    ("draft", "differs"),
    [
        ("CobaltNet has 12 layers and 110 million parameters.", "12 here, 24 in the source"),
        ("Comet Ferrand was last seen in May 1987.", "May here, March in the source"),
        ("The alloy contains nickel.", "said here, denied in the source"),
        ("The motion to sell the warehouse was not rejected.", "denied here, said in the source"),
        (
            "RidgeNet outperforms CobaltNet on the Alder benchmark.",
            "RidgeNet and CobaltNet stand the other way round in the source",
        ),
    ],
)
def test_each_kind_of_contradiction_says_what_differs(engine: MemoryEngine, draft: str, differs: str):
    (found,) = engine.drafts.check(draft).sentences
    assert (found.verdict, found.differs) == (DraftVerdict.CONTRADICTED, differs)
    assert len(found.against) == 1


def test_only_the_chosen_sources_are_asked(engine: MemoryEngine):
    comet = next(one for one in engine.sources.list() if one.source_key == "comet")
    (found,) = engine.drafts.check("The deposit is 1,800 euros.", source_ids=[str(comet.source_id)]).sentences
    assert found.verdict is DraftVerdict.UNKNOWN


def test_nothing_is_written_by_a_check(engine: MemoryEngine):
    before = engine.list_records(limit=1000), engine.runs.queries()
    engine.drafts.check("The deposit is 1,800 euros.")
    assert (engine.list_records(limit=1000), engine.runs.queries()) == before


@pytest.mark.parametrize("draft", ["", " \n\t", "x" * 200_001])
def test_an_empty_and_an_endless_draft_are_refused(engine: MemoryEngine, draft: str):
    with pytest.raises(InvalidInputError):
        engine.drafts.check(draft)
