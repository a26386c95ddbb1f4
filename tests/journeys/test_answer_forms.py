"""Our own questions for comparisons, lists, yes or no and definitions, asked of whole vaults: floors that may not fall.

The first file was written before the code, and its rules were then made while all of it was read; the second was
scored blind once (comparison 5 of 9, list 4 of 7, yes or no 11 of 12, definition 2 of 2), then read. The floors guard
what works and say nothing of other questions.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trisynapse_desktop.operations import vault as operations
from trisynapse_memory import MemoryEngine
from trisynapse_memory.bench.answer_forms import FormSet, as_input, has_form, read_forms, replies_falsely
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import Answer

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.timeout(300)]

# One less than measured of each, of 23, 20, 22 and 6 questions; and of the second file's 9, 7, 12 and 2.
FLOORS = {
    "answer_forms": {"comparison": 17, "list": 12, "yes-no": 20, "definition": 6},
    "answer_forms_more": {"comparison": 6, "list": 5, "yes-no": 10, "definition": 2},
}


@pytest.fixture(scope="module")
def forms() -> dict[str, FormSet]:
    return read_forms(Path(__file__).parents[1] / "corpora")


@pytest.fixture(scope="module")
def answers(forms: dict[str, FormSet], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The answer to every question, by its id."""
    folder = tmp_path_factory.mktemp("forms")
    told: dict[str, Answer] = {}
    for name, found in forms.items():
        for vault in sorted({one.vault for one in found.questions}):
            with MemoryEngine.open(folder / f"{name}-{vault}.vault", offline=True) as engine:
                if vault == "sample":
                    engine.ingest(*operations.sample_inputs())
                    asyncio.run(operations.finish_sample(_asked(engine)))
                else:
                    engine.ingest(*map(as_input, found.passages))
                engine.jobs.wait()
                for one in (one for one in found.questions if one.vault == vault):
                    told[one.id] = engine.query(one.question, model="none")
    return told


def _asked(engine: MemoryEngine) -> Any:
    async def call(verb: str, **args: Any) -> Any:
        found: Any = engine
        for name in verb.split("."):
            found = getattr(found, name)
        return found(*args.pop("inputs", ()), **args)

    return call


@pytest.mark.parametrize("name", list(FLOORS))
def test_most_answers_have_the_form_that_is_asked_for(
    name: str, forms: dict[str, FormSet], answers: dict[str, Answer]
) -> None:
    right = Counter(one.form for one in forms[name].questions if has_form(answers[one.id], one))
    assert {form: right[form] for form, floor in FLOORS[name].items() if right[form] < floor} == {}


def test_no_question_is_replied_to_falsely(forms: dict[str, FormSet], answers: dict[str, Answer]) -> None:
    asked = [one for found in forms.values() for one in found.questions]
    assert [one.id for one in asked if replies_falsely(answers[one.id], one)] == []


def test_every_sentence_and_every_item_stands_in_what_it_cites(answers: dict[str, Answer]) -> None:
    for answer in answers.values():
        by_number = {one.n: one for one in answer.citations}
        for sentence in answer.sentences:
            (citation,) = (by_number[n] for n in sentence.citations)
            assert citation.verdict.passes
            whole = citation.excerpt if citation.verdict.value == "verbatim" else sentence.text
            assert judge(sentence.text, whole).passes, sentence.text
            assert all(item in sentence.text for item in sentence.items)
