"""The rule for each form of answer, in both directions, and the labelled file itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.bench.answer_forms import FormQuestion, Side, has_form, read_forms, replies_falsely
from trisynapse_memory.types import Answer, AnswerForm, AnswerSentence

LABELS = Path(__file__).parents[2] / "corpora"


def answer(*sentences: AnswerSentence, form: AnswerForm = AnswerForm.PLAIN, lead: str = "") -> Answer:
    return Answer(query_id="q", question="?", answer="", abstain=False, sentences=sentences, form=form, lead=lead)


def said(text: str, part: str = "", items: tuple[str, ...] = ()) -> AnswerSentence:
    return AnswerSentence(text=text, citations=(1,), part=part, items=items)


COMPARED = FormQuestion(
    id="c", form="comparison", vault="passages", question="?", greater="red",
    sides=(Side(name="red", holds=("240",)), Side(name="blue", holds=("180",))),
)  # fmt: skip


def test_a_comparison_needs_each_side_in_its_part_and_the_right_value_first():
    parts = (said("It holds 240.", "red kiln"), said("It holds 180.", "blue kiln"))
    right = answer(*parts, form=AnswerForm.COMPARISON, lead="240 (red kiln) is more than 180 (blue kiln).")
    assert has_form(right, COMPARED)
    assert not has_form(structs.replace(right, lead="180 (blue kiln) is more than 240 (red kiln)."), COMPARED)
    assert not has_form(structs.replace(right, lead=""), COMPARED)
    assert not has_form(structs.replace(right, sentences=(parts[0], said("It holds 180.", "red kiln"))), COMPARED)
    assert not has_form(right, structs.replace(COMPARED, greater=None))


def test_a_side_without_evidence_must_be_named():
    wanted = structs.replace(COMPARED, greater=None, sides=(COMPARED.sides[0], Side(name="blue", holds=())))
    made = answer(said("It holds 240.", "red kiln"), form=AnswerForm.COMPARISON)
    assert not has_form(made, wanted)
    assert has_form(structs.replace(made, lead="Nothing found says this of blue kiln."), wanted)


def test_a_list_needs_every_item_in_a_bullet_and_none_that_is_wrong():
    wanted = FormQuestion(
        id="l", form="list", vault="passages", question="?", items=(("maps",), ("prints", "etchings"))
    )
    made = answer(said("It sells maps and prints.", items=("maps", "prints")), form=AnswerForm.LIST)
    assert has_form(made, wanted)
    assert not has_form(structs.replace(made, form=AnswerForm.PLAIN), wanted)
    assert not has_form(answer(said("x maps", items=("maps",)), form=AnswerForm.LIST), wanted)
    assert not has_form(made, structs.replace(wanted, absent=("prints",)))


@pytest.mark.parametrize(("reply", "right", "false"), [("yes", True, False), ("no", False, True), ("", False, False)])
def test_yes_or_no_is_right_false_or_left_open(reply: str, right: bool, false: bool):
    wanted = FormQuestion(id="y", form="yes-no", vault="passages", question="?", reply=reply, holds=("1911",))
    made = answer(said("Built in 1911."), form=AnswerForm.YES_NO, lead="Yes.")
    assert (has_form(made, wanted), replies_falsely(made, wanted)) == (right, false)


def test_a_refusal_is_never_right():
    wanted = FormQuestion(id="d", form="definition", vault="passages", question="?", first="A weir is")
    assert has_form(answer(said("A weir is a wall.")), wanted)
    assert not has_form(structs.replace(answer(), abstain=True), wanted)


@pytest.mark.parametrize("name", ["answer_forms", "answer_forms_more"])
def test_the_labelled_files_are_whole(name: str):
    forms = read_forms(LABELS)[name]
    assert len({one.id for one in forms.questions}) == len(forms.questions) >= 30
    assert {one.form for one in forms.questions} == set(forms.rules)
    texts = " ".join(" ".join(one.text.split()) for one in forms.passages)
    for one in (one for one in forms.questions if one.vault == "passages"):
        wanted = [*one.holds, *([one.first] if one.first else []), *(held for side in one.sides for held in side.holds)]
        assert all(held in texts for held in wanted), one.id
        assert all(any(wording in texts for wording in item) for item in one.items), one.id


def test_no_labels_are_none(tmp_path: Path):
    assert read_forms(tmp_path) == {}
