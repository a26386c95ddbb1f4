"""What is asked of the engine to finish the sample vault, and to take the second version of a paper in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trisynapse_desktop.operations import vault
from trisynapse_desktop.target import Target
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.types import (
    CorrectionDetails,
    Fault,
    IngestResult,
    IngestRun,
    Outcome,
    SourceInput,
    WikiChange,
)

PHRASE = "gave 299,944 ± 51 km/s in vacuum"
CHANGE = WikiChange(slug="laser", title="Laser", key="k", before="It is 3 km/s.", after="It is 1 km/s.", reason="new")

OWN = WikiChange(slug="cavity", title="C", key="o", before=vault.second_version().old, after="So.", reason="new")


class FakeEngine:
    """Answers by verb from a table, and keeps what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {"search": SimpleNamespace(hits=()), "history": (), "wiki.changes": (), **answers}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def __call__(self, verb: str, **args: Any) -> Any:
        self.asked.append((verb, args))
        return self.answers.get(verb)

    @property
    def verbs(self) -> list[str]:
        return [verb for verb, _ in self.asked]


def run_of(status: Outcome, error: Fault | None = None) -> IngestRun:
    result = IngestResult(input="05.pdf", status=status, error=error)
    return IngestRun(run_id="r", status="completed", results=(result,))


def hits(*texts: str) -> SimpleNamespace:
    return SimpleNamespace(
        hits=[SimpleNamespace(record=SimpleNamespace(id=f"r{place}", text=text)) for place, text in enumerate(texts)]
    )


def changing(pages: tuple[str, ...] = ("page",), changes: tuple[WikiChange, ...] = (CHANGE,)) -> FakeEngine:
    return FakeEngine(**{"wiki.pages": pages, "wiki.changes": changes, "ingest": run_of(Outcome.SUCCESS)})


def test_the_printed_value_is_corrected_where_it_stands_then_the_wiki_is_built() -> None:
    engine = FakeEngine(search=hits("Something else.", f"The report\n{PHRASE.replace(' ± ', ' ±' + chr(10))}."))
    asyncio.run(vault.finish_sample(engine))

    assert engine.verbs == ["search", "history", "correct", "jobs.wait", "wiki.build"]
    assert engine.asked[0][1] == {"question": f'"{PHRASE}"'}
    assert engine.asked[2][1] == {
        "record_id": "r1",
        "text": vault.printed_value().correction,
        "reason": "He reported two small errors in the reduction of the Annapolis readings.",
    }


def test_a_value_that_is_corrected_already_is_left_alone() -> None:
    corrected = SimpleNamespace(payload=CorrectionDetails(target_record_id="r0", reason="so"))
    engine = FakeEngine(search=hits(PHRASE), history=(corrected,))
    asyncio.run(vault.finish_sample(engine))
    assert engine.verbs == ["search", "history", "jobs.wait", "wiki.build"]


def test_a_sample_without_the_passage_still_gets_its_wiki() -> None:
    engine = FakeEngine(search=hits("Something else."))
    asyncio.run(vault.finish_sample(engine))
    assert engine.verbs == ["search", "jobs.wait", "wiki.build"]


@pytest.mark.parametrize(("pages", "finished"), [((), False), (("page",), True)])
def test_the_sample_is_finished_when_its_wiki_is_there(pages: tuple[str, ...], finished: bool) -> None:
    assert asyncio.run(vault.is_finished(FakeEngine(**{"wiki.pages": pages}))) is finished


def test_version_two_is_a_new_version_of_the_same_source() -> None:
    engine = changing()
    assert asyncio.run(vault.replace_paper(engine)) == (CHANGE,)

    assert engine.verbs == ["wiki.pages", "ingest", "jobs.wait", "wiki.changes"]
    (given,) = engine.asked[1][1]["inputs"]
    assert isinstance(given, SourceInput)
    assert given.source_key in {one.source_key for one in vault.sample_inputs()}
    assert Path(str(given.path)).is_file()
    assert given.path not in {one.path for one in vault.sample_inputs()}


def test_pages_are_built_first_where_there_are_none() -> None:
    engine = changing(pages=())
    asyncio.run(vault.replace_paper(engine))
    assert engine.verbs[:3] == ["wiki.pages", "wiki.build", "ingest"]


def test_a_paper_that_cannot_be_read_is_told_in_the_engines_words() -> None:
    engine = changing()
    fault = Fault(code="source_unreadable", message="'05.pdf' cannot be read.", hint="Install the program again.")
    engine.answers["ingest"] = run_of(Outcome.FAILED, fault)
    with pytest.raises(TrisynapseError, match="cannot be read") as told:
        asyncio.run(vault.replace_paper(engine))
    assert told.value.hint == "Install the program again."


@pytest.mark.parametrize(
    ("changes", "text", "opened"),
    [
        ((CHANGE,), "Version 2 of the paper is in.", [Target("wiki", text="laser")]),
        ((CHANGE, OWN), "Version 2 of the paper is in.", [Target("wiki", text="cavity")]),
        ((), "Version 2 is here already.", []),
    ],
)
def test_the_page_with_the_change_opens(changes: tuple[WikiChange, ...], text: str, opened: list[Target]) -> None:
    told: list[Any] = []
    places: list[Target] = []
    context: Any = SimpleNamespace(
        bridge=SimpleNamespace(call=changing(changes=changes)),
        announce=told.append,
        selection=SimpleNamespace(open=places.append),
    )
    asyncio.run(vault.drop_second_version(context))
    assert [one.text for one in told] == ["Version 2 is being read.", text]
    assert places == opened


def test_the_sample_is_known_by_its_folder() -> None:
    assert vault.is_sample(vault.sample_vault())
    assert vault.is_sample(Path("elsewhere") / vault.SAMPLE_NAME)
    assert not vault.is_sample(Path("My library.vault"))
    assert not vault.is_sample(None)
