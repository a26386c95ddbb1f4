"""Our own questions for comparisons, lists, yes or no and definitions in, whether an answer has that form right out.

The files are ``answer_forms*.json`` of ``tests/corpora``; what right means for each form stands in their ``rules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.workplace import workplace
from trisynapse_memory.types import Answer, AnswerForm, SourceInput

FILES: Final = ("answer_forms.json", "answer_forms_more.json")
PASSAGES: Final = "passages"  # the questions that are asked of the file's own texts
_MORE: Final = " is more than "


class Text(Struct, frozen=True, kw_only=True):
    """One text to be taken in as a file."""

    key: str
    title: str
    text: str


class Side(Struct, frozen=True, kw_only=True):
    """What the part of one side must hold; nothing, where the answer must say that it knows nothing of it."""

    name: str
    holds: tuple[str, ...]


class FormQuestion(Struct, frozen=True, kw_only=True):
    """One question with what its answer must show; which fields count depends on ``form``."""

    id: str
    form: str
    vault: str
    question: str
    sides: tuple[Side, ...] = ()
    greater: str | None = None
    items: tuple[tuple[str, ...], ...] = ()
    absent: tuple[str, ...] = ()
    reply: str = ""
    holds: tuple[str, ...] = ()
    first: str = ""


class FormSet(Struct, frozen=True, kw_only=True):
    """The file."""

    about: str
    rules: Mapping[str, str]
    passages: tuple[Text, ...]
    questions: tuple[FormQuestion, ...]


def read_forms(labels: Path) -> dict[str, FormSet]:
    """Read the files of a folder of labels by their names, without those that are not there."""
    found = [labels / name for name in FILES if (labels / name).is_file()]
    return {path.stem: msgspec.json.decode(path.read_bytes(), type=FormSet) for path in found}


def ask_forms(
    labels: Path, limit: int | None, watch: Stopwatch, note: Note
) -> Iterator[tuple[str, FormQuestion, Answer]]:
    """Take in each file's own texts and ask what is asked of them; ``limit`` questions of each."""
    for name, forms in read_forms(labels).items():
        with workplace(note) as place:
            place.engine.ingest(*map(as_input, forms.passages))
            place.embed_all(place.records())
            for question in [one for one in forms.questions if one.vault == PASSAGES][:limit]:
                with watch.lap():
                    answer = place.engine.query(question.question, model="none")
                yield name, question, answer


def as_input(text: Text) -> SourceInput:
    """Give a text to the engine as the file it stands for."""
    return SourceInput(content=text.text.encode(), filename=text.key, source_key=text.key)


def has_form(answer: Answer, wanted: FormQuestion) -> bool:
    """Say whether an answer shows what a question of the set wants, by the rule of its form."""
    if answer.abstain:
        return False
    if wanted.form == "comparison":
        return _compares(answer, wanted)
    if wanted.form == "list":
        return _lists(answer, wanted)
    if wanted.form == "yes-no":
        return reply_of(answer) == wanted.reply and _all_in(wanted.holds, [one.text for one in answer.sentences])
    return answer.sentences[0].text.find(wanted.first) >= 0


def reply_of(answer: Answer) -> str:
    """Return "yes" or "no" where an answer says so, else an empty string."""
    return answer.lead.rstrip(".").lower() if answer.form is AnswerForm.YES_NO else ""


def replies_falsely(answer: Answer, wanted: FormQuestion) -> bool:
    """Say whether an answer says Yes where No is right, or the reverse, which is worse than saying neither."""
    return bool(reply_of(answer) and wanted.reply) and reply_of(answer) != wanted.reply


def _compares(answer: Answer, wanted: FormQuestion) -> bool:
    more = answer.lead.split(_MORE)[0] if _MORE in answer.lead else ""
    if answer.form is not AnswerForm.COMPARISON or (wanted.greater or "").casefold() not in more.casefold():
        return False
    return bool(more) == bool(wanted.greater) and all(_tells(answer, side) for side in wanted.sides)


def _tells(answer: Answer, side: Side) -> bool:
    name = side.name.casefold()
    if not side.holds:
        return name in answer.lead.casefold()
    return _all_in(side.holds, [one.text for one in answer.sentences if name in one.part.casefold()])


def _lists(answer: Answer, wanted: FormQuestion) -> bool:
    bullets = [item for one in answer.sentences for item in (one.items or (one.text,))]
    if answer.form is not AnswerForm.LIST or any(gone in bullet for gone in wanted.absent for bullet in bullets):
        return False
    return all(any(wording in bullet for wording in item for bullet in bullets) for item in wanted.items)


def _all_in(wanted: tuple[str, ...], texts: list[str]) -> bool:
    whole = " ".join(texts)
    return bool(texts) and all(one in whole for one in wanted)
