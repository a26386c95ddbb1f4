"""What a cell of a notebook gave in, the words of it out; pictures become placeholders, colours nothing."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

OUTPUT_MAX_CHARS: Final = 20_000  # of one result; a longer one is a log, told by its beginning and its end
_WIDGET: Final = "application/vnd.jupyter.widget-view+json"
# ECMA-48: colours and cursor movements, and titles of terminal windows.
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_OVERWRITTEN: Final = re.compile(r"[^\n]*\r(?!\n)")  # a progress bar: what stood on the line before
_BREAK: Final = re.compile(r"</(?:tr|p|div|li|h[1-6]|pre)>|<br\s*/?>", re.IGNORECASE)
_CELL: Final = re.compile(r"</t[dh]>\s*(?=<t[dh])", re.IGNORECASE)
_UNSHOWN: Final = re.compile(r"<(script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^<>]*>")
_DATA_IMAGE: Final = re.compile(r"data:image/([a-z0-9.+-]{1,20})[^,\s)\"']{0,40},[A-Za-z0-9+/=%\s]*")
_TEXT_KINDS: Final = ("text/plain", "text/markdown", "text/latex")


def words_of(outputs: Sequence[object]) -> Iterator[str]:
    """Yield the results of one cell in order, as text; the parts of one stream are one."""
    stream = ""
    for output in outputs:
        if not isinstance(output, Mapping):
            continue
        told = cast("Mapping[str, object]", output)
        if told.get("output_type") == "stream":
            stream += joined(told.get("text"))
            continue
        if words := _clean(stream):
            yield words
        stream = ""
        if words := _clean(_result(told)):
            yield words
    if words := _clean(stream):
        yield words


def joined(text: object) -> str:
    """Return a text that the format may keep as a list of lines."""
    if isinstance(text, list):
        return "".join(part for part in cast("list[object]", text) if isinstance(part, str))
    return text if isinstance(text, str) else ""


def without_images(text: str) -> str:
    """Put a placeholder for each picture that is spelled out inside a text."""
    return _DATA_IMAGE.sub(lambda match: f"[image: {match[1]}]", text) if "data:image/" in text else text


def _result(output: Mapping[str, object]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        lines = joined_lines(output.get("traceback"))
        return lines or f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
    data = output.get("data")
    bundle = cast("Mapping[str, object]", data) if isinstance(data, Mapping) else _old_bundle(output)
    if _WIDGET in bundle:
        return ""
    images = [kind for kind in bundle if kind.startswith("image/")]
    words = next((joined(bundle[kind]) for kind in _TEXT_KINDS if kind in bundle), "")
    if images:
        # "<Figure size 640x480 with 1 Axes>" says no more than the placeholder.
        told = "" if words.startswith("<") and words.rstrip().endswith(">") else words
        return "\n".join(filter(None, (told, *(f"[image: {kind.partition('/')[2].split('+')[0]}]" for kind in images))))
    if any("plotly" in kind or "vega" in kind for kind in bundle):
        return "[image: chart]"
    return words or _plain(joined(bundle.get("text/html")))


def joined_lines(lines: object) -> str:
    """Return the lines of a traceback as one text."""
    if isinstance(lines, list):
        return "\n".join(part for part in cast("list[object]", lines) if isinstance(part, str))
    return ""


def _old_bundle(output: Mapping[str, object]) -> dict[str, object]:
    """Version 3 keeps each form of a result under a short name of its own."""
    names = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "markdown": "text/markdown",
             "png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}  # fmt: skip
    return {kind: output[name] for name, kind in names.items() if name in output}


def _plain(markup: str) -> str:
    text = _BREAK.sub("\n", _CELL.sub(" | ", _UNSHOWN.sub("", without_images(markup))))
    return html.unescape(_TAG.sub("", text))


def _clean(words: str) -> str:
    text = _ANSI.sub("", words.replace("\r\n", "\n"))
    text = _OVERWRITTEN.sub("", text) if "\r" in text else text
    text = without_images(text).replace("\0", "\ufffd").replace("\b", "")
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    if len(text) <= OUTPUT_MAX_CHARS:
        return text
    half = OUTPUT_MAX_CHARS // 2
    return f"{text[:half]}\n[\u2026 {len(text) - OUTPUT_MAX_CHARS} characters of output left out]\n{text[-half:]}"
