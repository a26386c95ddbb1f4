"""Files of the development corpora in, conversations and paper questions out. No question is asked here.

The files are read where they lie and nothing of them is kept. JSON is ``Any`` here and nowhere behind.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

from trisynapse_memory.errors import InvalidInputError

LOCOMO_CATEGORIES: Final[Mapping[int, str]] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
ADVERSARIAL: Final = 5
"""Not answerable as asked (the speaker is swapped): no evidence by construction, so it belongs to abstention."""

DATA_HINT: Final = "Name the folder of the corpora with --data DIR."
NOT_ANSWERABLE: Final = "Not answerable"
_LOCOMO_DATE: Final = "%I:%M %p on %d %B, %Y"


class Turn(Struct, frozen=True, kw_only=True):
    """One turn of a conversation, worded as its readers saw it: the picture it came with is told by its caption."""

    turn_id: str
    speaker: str
    text: str


class Session(Struct, frozen=True, kw_only=True):
    """The turns of one meeting; ``date`` is as the corpus writes it, ``moment`` as ISO 8601."""

    name: str
    date: str
    moment: str
    turns: tuple[Turn, ...]


class TurnQuestion(Struct, frozen=True, kw_only=True):
    """A question about a conversation, with the turns that answer it; ``malformed`` counts evidence ids left out."""

    text: str
    category: str
    gold: tuple[str, ...]
    malformed: int = 0


class Dialogue(Struct, frozen=True, kw_only=True):
    """A long conversation with its questions; the ``adversarial`` ones have no answer."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[TurnQuestion, ...]
    adversarial: tuple[str, ...] = ()


class PageQuestion(Struct, frozen=True, kw_only=True):
    """A question about one PDF; ``pages`` count from 1, ``sources`` say what holds the answer (text, table, ...).

    ``answer`` is as the corpus writes it; ``form`` is ``Str``, ``Int``, ``Float``, ``List`` or ``None``.
    """

    text: str
    document: str
    pages: tuple[int, ...]
    sources: tuple[str, ...]
    answerable: bool
    answer: str = ""
    form: str = "Str"


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a corpus, sorted.

    Raises:
        InvalidInputError: the folder is missing, or holds no such file.
    """
    if not folder.is_dir():
        raise InvalidInputError(f"There is no folder '{folder}'.", hint=DATA_HINT)
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    if not found:
        raise InvalidInputError(f"'{folder}' holds no file '{pattern}'.", hint=DATA_HINT)
    return found


def read_dialogues(path: Path) -> tuple[Dialogue, ...]:
    """Read one LoCoMo file.

    An evidence id that names no turn (the corpus has a few, such as "D9:1 D4:4") is left out and counted.

    Raises:
        InvalidInputError: the file is not a LoCoMo file.
    """
    with explained(path, "LoCoMo file"):
        return tuple(_dialogue_of(entry) for entry in _json_of(path))


def read_page_questions(path: Path) -> tuple[PageQuestion, ...]:
    """Read an MMLongBench-Doc question file, whose lists are written as Python text.

    Raises:
        InvalidInputError: the file is not one.
    """
    with explained(path, "MMLongBench-Doc question file"):
        return tuple(
            PageQuestion(
                text=str(row["question"]),
                document=str(row["doc_id"]),
                pages=tuple(int(page) for page in _list_of(row["evidence_pages"])),
                sources=tuple(str(name) for name in _list_of(row["evidence_sources"])),
                answerable=str(row["answer"]).strip() != NOT_ANSWERABLE,
                answer=str(row["answer"]).strip(),
                form=str(row.get("answer_format", "Str")),
            )
            for row in _json_of(path)
        )


class explained:  # noqa: N801 - reads as a verb where it is used
    """Turns the errors of a file of another form into ours."""

    def __init__(self, path: Path, form: str) -> None:
        self._path = path
        self._form = form

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyError | TypeError | ValueError | AttributeError | SyntaxError):
            raise InvalidInputError(
                f"'{self._path.name}' is not a {self._form} ({type(error).__name__}).",
                hint="See the README of the corpora for their form.",
            ) from error


def _json_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _list_of(written: str) -> list[Any]:
    found: Any = ast.literal_eval(written)
    if not isinstance(found, list):
        raise TypeError(written)
    return cast("list[Any]", found)


def _dialogue_of(entry: Mapping[str, Any]) -> Dialogue:
    sessions = tuple(_sessions_of(entry["conversation"]))
    known = {turn.turn_id for session in sessions for turn in session.turns}
    questions = [_question_of(row, known) for row in entry["qa"] if row["category"] in LOCOMO_CATEGORIES]
    adversarial = tuple(str(row["question"]) for row in entry["qa"] if row["category"] == ADVERSARIAL)
    return Dialogue(
        name=str(entry["sample_id"]), sessions=sessions, questions=tuple(questions), adversarial=adversarial
    )


def _sessions_of(conversation: Mapping[str, Any]) -> Iterator[Session]:
    for name, turns in conversation.items():
        if isinstance(turns, list):
            date = str(conversation[f"{name}_date_time"])
            moment = datetime.strptime(date.replace("am", "AM").replace("pm", "PM"), _LOCOMO_DATE)
            rows = cast("list[Mapping[str, Any]]", turns)
            yield Session(name=name, date=date, moment=moment.isoformat(), turns=tuple(map(_turn_of, rows)))


def _turn_of(row: Mapping[str, Any]) -> Turn:
    caption = f" [shares {row['blip_caption']}]" if row.get("blip_caption") else ""
    return Turn(turn_id=str(row["dia_id"]), speaker=str(row["speaker"]), text=f"{row['text']}{caption}".strip())


def _question_of(row: Mapping[str, Any], known: set[str]) -> TurnQuestion:
    given = dict.fromkeys(str(one) for one in row["evidence"])
    gold = tuple(one for one in given if one in known)
    return TurnQuestion(
        text=str(row["question"]),
        category=LOCOMO_CATEGORIES[row["category"]],
        gold=gold,
        malformed=len(given) - len(gold),
    )
