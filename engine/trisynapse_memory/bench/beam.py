"""Long chats with an assistant in, one store each out: a message is a record, a batch a conversation group.

Ten abilities are probed. The source message ids of a question are its gold, whatever part they play in the answer;
questions of the ability "abstention" have none and belong to the suite of that name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from trisynapse_memory.bench.corpora import explained, files_in
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Store, Talk
from trisynapse_memory.types import Message

ABSTENTION: Final = "abstention"
_MARK: Final = re.compile(r"\s*->->[\s\d,.]*$")
"""Bookkeeping that the corpus leaves at the end of a message ("->-> 1,1")."""
_DATE: Final = "%B-%d-%Y"


def files(data: Path) -> list[Path]:
    """Return the chats and their questions."""
    return files_in(data / "beam", "*/*/*.json")


def read(data: Path) -> Iterator[Store]:
    """Read every chat with its questions, but for those that have no answer."""
    for folder in dict.fromkeys(path.parent for path in files(data)):
        yield read_chat(folder)


SUITE: Final = EvidenceSuite(name="beam", files=files, read=read)


def read_chat(folder: Path, *, unanswerable: bool = False) -> Store:
    """Read one chat.

    Args:
        folder: holds ``chat.json`` and ``probing_questions.json``.
        unanswerable: give the questions that have no answer too, without gold.
    """
    with explained(folder / "chat.json", "BEAM chat"):
        talks = tuple(_talks(f"beam-{folder.name}", _json_of(folder / "chat.json")))
        known = {str(message.id) for talk in talks for message in talk.messages}
        probes: Mapping[str, list[Mapping[str, Any]]] = _json_of(folder / "probing_questions.json")
        questions = tuple(
            _asked(ability, row, known)
            for ability, rows in probes.items()
            for row in rows
            if unanswerable or ability != ABSTENTION
        )
    return Store(corpus="beam", name=f"{folder.parent.name}/{folder.name}", talks=talks, questions=questions)


def _talks(name: str, batches: list[Mapping[str, Any]]) -> Iterator[Talk]:
    moment: str | None = None
    for number, batch in enumerate(batches, start=1):
        messages: list[Message] = []
        for row in (row for turn in batch["turns"] for row in turn):
            moment = _moment(str(row.get("time_anchor") or "")) or moment
            content = _MARK.sub("", str(row["content"])).strip()
            if content:
                messages.append(Message(id=str(row["id"]), role=str(row["role"]), content=content, observed_at=moment))
        yield Talk(group_id=f"{name}/{batch.get('batch_number', number)}", messages=tuple(messages))


def _moment(written: str) -> str | None:
    """Read "March-15-2024"; a message keeps the date of the one before it."""
    try:
        return datetime.strptime(written, _DATE).date().isoformat()
    except ValueError:
        return None


def _asked(ability: str, row: Mapping[str, Any], known: set[str]) -> Asked:
    given = [str(number) for number in dict.fromkeys(_ids(row.get("source_chat_ids")))]
    gold = {key: 1.0 for key in given if key in known}
    return Asked(text=str(row["question"]), category=ability, gold=gold, malformed=len(given) - len(gold))


def _ids(value: Any) -> Iterator[int]:
    """Yield every message id, however the ability nests them (a list, or lists by what they are for)."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        yield from _ids(list(cast("Mapping[str, Any]", value).values()))
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _ids(one)


def _json_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
