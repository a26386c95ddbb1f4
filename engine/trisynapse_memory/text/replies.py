"""The reply of a model in, the rows it meant out, or in a few words why there are none. Nothing is believed here.

Models wrap JSON in prose and fences, write lists as strings, leave commas behind, stop in the middle, or refuse. What
can be read without guessing is read; a row is never completed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Final, cast

from msgspec import Struct

from trisynapse_memory.text.characters import visible

LONGEST_REPLY: Final = 400_000  # characters looked at
MOST_TRIES: Final = 200  # places where a JSON value may begin
MOST_REPAIRS: Final = 10  # of them are looked at again without commas too many
MOST_ROWS: Final = 1_000
DEEPEST_WRAPPING: Final = 2  # objects around the one that was asked for

NO_JSON: Final = "it holds no JSON object"
CUT_OFF: Final = "its JSON is broken or cut off"

_THOUGHTS: Final = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THINKING: Final = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_NEXT_ROW: Final = re.compile(r"[\s,]*\{")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_OPENING: Final = re.compile(r"[{\[]")
_NUMBERS: Final = re.compile(
    r"[\s\[(]*(?:passages?|evidence|no\.?|#)?\s*#?\s*\d{1,4}(?:\s*(?:,|;|and)\s*\d{1,4})*[\s\])]*", re.IGNORECASE
)
# Strict JSON forbids a line end inside a string; a model that copies a passage writes it as it stands.
_DECODER: Final = json.JSONDecoder(strict=False)


class Reply(Struct, frozen=True, kw_only=True):
    """What a reply says: ``rows`` of the list that was asked for, and ``fields`` beside it.

    ``fault`` says why it is not whole; ``rows`` hold what could be read all the same.
    """

    rows: tuple[dict[str, object], ...] = ()
    fields: dict[str, object] = {}
    fault: str = ""


def read_reply(text: str, name: str) -> Reply:
    """Read a reply that should be ``{name: [row, ...], ...}``.

    Args:
        text: the reply as it came.
        name: of the list of rows. A reply that is the bare list, or holds the object inside another, is read too.

    Returns:
        A whole reply may have no rows: the model says that there is nothing. Never raises, whatever the text is.
    """
    said = _THOUGHTS.sub("", text[:LONGEST_REPLY]).lstrip("\ufeff").strip()
    has_json = False
    for value, is_first in _values(said):
        has_json = True
        found = _reply_of(value, name)
        if found is not None:
            # A list inside an object that is broken is only a part of what was said.
            return found if is_first or isinstance(value, dict) else Reply(rows=found.rows, fault=CUT_OFF)
    rows = tuple(_salvage(said, name))
    if rows:
        return Reply(rows=rows, fault=CUT_OFF)
    if has_json:
        return Reply(fault=f"it has no list named '{name}'")
    return Reply(fault=CUT_OFF if "{" in said else NO_JSON)


def read_object(text: str) -> dict[str, object] | None:
    """Read a reply that should be one JSON object; None where it holds none. Never raises, whatever the text is."""
    said = _THOUGHTS.sub("", text[:LONGEST_REPLY]).lstrip("\ufeff").strip()
    return next((cast("dict[str, object]", value) for value, _ in _values(said) if isinstance(value, dict)), None)


class RowReader:
    """Reads the rows of a reply while it is still being written, each as soon as it is complete.

    It takes strict JSON only; what needs repair is left to ``read_reply``, once the reply is whole.

    Args:
        name: of the list of rows.
    """

    def __init__(self, name: str) -> None:
        self._opening = re.compile(rf'"{re.escape(name)}"\s*:\s*\[')
        self._text = ""
        self._at = -1

    def feed(self, piece: str) -> tuple[dict[str, object], ...]:
        """Take the next piece of the reply; return the rows that it completes."""
        if len(self._text) > LONGEST_REPLY:
            return ()
        self._text += piece
        if "}" not in piece:
            return ()
        if self._at < 0 and not self._enter():
            return ()
        return tuple(self._rows())

    def _enter(self) -> bool:
        """Find the list, outside of what the model thought aloud."""
        said = _THOUGHTS.sub("", self._text)
        if _THINKING.search(said):
            return False
        opening = self._opening.search(said)
        if opening is None:
            return False
        self._text, self._at = said, opening.end()
        return True

    def _rows(self) -> Iterator[dict[str, object]]:
        while True:
            start = _NEXT_ROW.match(self._text, self._at)
            if start is None:
                return
            try:
                value, end = _DECODER.raw_decode(self._text, start.end() - 1)
            except (ValueError, RecursionError):
                return
            self._at = end
            yield cast("dict[str, object]", value)


def _values(text: str) -> Iterator[tuple[object, bool]]:
    """The JSON values of a text, in order, each with whether nothing before it was broken JSON.

    A value that is part of another is left out; a text that is one JSON string is opened.
    """
    if _STRING.fullmatch(text):
        inner = _decode(text, 0)
        if inner is not None and isinstance(inner[0], str):
            text = inner[0]
    at, broken_count = 0, 0
    for _ in range(MOST_TRIES):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        found = _decode(text, opening.start(), repairs=broken_count < MOST_REPAIRS)
        if found is None:
            at = opening.start() + 1
            broken_count += 1
        else:
            at = found[1]
            yield found[0], not broken_count


def _decode(text: str, start: int, *, repairs: bool = True) -> tuple[object, int] | None:
    """The JSON value that begins at a place and where it ends; ``repairs`` passes over commas too many."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return value, end
    except (ValueError, RecursionError):
        if not repairs:
            return None
    tail = text[start:]
    clean = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", tail)
    if clean == tail:
        return None
    try:
        value, _ = _DECODER.raw_decode(clean)
    except (ValueError, RecursionError):
        return None
    return value, len(text)  # offsets of the cleaned text are not those of the reply; one value is all we need


def _reply_of(value: object, name: str, depth: int = 0) -> Reply | None:
    if isinstance(value, list):
        entries = cast("list[object]", value)
        return Reply(rows=_rows(entries)) if entries and all(isinstance(one, dict) for one in entries) else None
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    if name not in fields:
        if depth >= DEEPEST_WRAPPING:
            return None
        inner = [_reply_of(one, name, depth + 1) for one in fields.values() if not isinstance(one, list)]
        return next((one for one in inner if one is not None), None)
    rows = _as_list(fields[name])
    if rows is None:
        return None
    return Reply(rows=_rows(rows), fields={key: one for key, one in fields.items() if key != name})


def _as_list(value: object) -> list[object] | None:
    """A list, a single row, or a list written as a string."""
    if isinstance(value, str):
        found = _decode(value.strip(), 0)
        value = found[0] if found else None
    if isinstance(value, dict):
        return [cast("object", value)]
    return cast("list[object]", value) if isinstance(value, list) else None


def _rows(values: list[object]) -> tuple[dict[str, object], ...]:
    """The rows of a list; one that is written as a string is opened, one that is neither is an empty row."""
    return tuple(_row(value) for value in values[:MOST_ROWS])


def _row(value: object) -> dict[str, object]:
    if isinstance(value, str):
        found = _decode(value.strip(), 0)
        value = found[0] if found else None
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _salvage(text: str, name: str) -> Iterator[dict[str, object]]:
    """The complete rows of a list that is not whole."""
    opening = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text) or re.search(r"\[(?=\s*\{)", text)
    at = opening.end() if opening else len(text)
    for _ in range(MOST_TRIES):
        start = text.find("{", at)
        if start < 0:
            return
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if isinstance(value, dict):
            yield cast("dict[str, object]", value)


# ---------------------------------------------------------------- cells of a row


def text_of(value: object) -> str:
    """Return a cell as text without white space at its ends; a number as written, everything else as empty.

    What nobody would see of it is dropped: a model could hide in it what it was shown elsewhere.
    """
    if isinstance(value, str):
        return visible(value).strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def texts_of(value: object) -> tuple[str, ...]:
    """Return a cell that should be a list of texts; a single text is one of them, empty ones are left out."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return (value.strip(),) if value.strip() else ()
    entries = _as_list(value) or []
    return tuple(text for text in map(text_of, entries) if text)


def numbers_of(value: object) -> tuple[int, ...]:
    """Return the passage numbers a cell names: ``1``, ``"1"``, ``[1, 2]``, ``"[1, 2]"``, ``"passage 1"``.

    An identifier that holds digits names no passage: it was made up.
    """
    if isinstance(value, bool):
        return ()
    if isinstance(value, int):
        return (value,)
    if isinstance(value, float):
        return (int(value),) if value.is_integer() else ()
    if isinstance(value, str):
        return tuple(map(int, re.findall(r"\d+", value))) if _NUMBERS.fullmatch(value) else ()
    if isinstance(value, list):
        entries = cast("list[object]", value)
        flat = [one for one in entries[:MOST_ROWS] if not isinstance(one, list)]
        return tuple(dict.fromkeys(number for one in flat for number in numbers_of(one)))
    return ()


def share_of(value: object, default: float) -> float:
    """Return a cell as a share in [0, 1]; 85 and "85%" are 0.85, what is no number is ``default``."""
    try:
        number = float(text_of(value).rstrip("% ") or "nan")
    except ValueError:
        return default
    if not math.isfinite(number):
        return default
    if 1.0 < number <= 100.0:
        number /= 100.0
    return min(1.0, max(0.0, number))


def is_true(value: object) -> bool:
    """Tell whether a cell says yes."""
    if isinstance(value, str):
        return value.strip().casefold() in ("true", "yes", "1")
    return isinstance(value, int) and value == 1


def mapping_of(value: object) -> dict[str, str]:
    """Return a cell that should be an object of texts; what has no text is left out."""
    return {key.strip(): text for key, one in _row(value).items() if (text := text_of(one))}
