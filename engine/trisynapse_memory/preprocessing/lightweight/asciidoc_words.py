"""One line of AsciiDoc in, the words a reader sees out; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_REFERENCE: Final = re.compile(r"\{([\w-]{1,60})\}")
_MACRO_TEXT: Final = re.compile(r"(?:link|xref|mailto):([^\s\[\]]+)\[([^\]]*)\]")
_URL_TEXT: Final = re.compile(r"((?:https?|ftp|irc)://[^\s\[\]<>]+)\[([^\]]*)\]")
_CROSS: Final = re.compile(r"<<([^,<>]+)(?:,\s*([^<>]*))?>>")
_INLINE: Final = re.compile(r"(?:kbd|btn|menu|stem|latexmath|asciimath|pass|footnote|footnoteref):\w*\[([^\]]*)\]")
_IMAGE: Final = re.compile(r"\b(?:image|icon):[^\s\[:]+\[([^\],]*)[^\]]*\]")
_ANCHORS: Final = re.compile(r"\[\[[^\]]*\]\]|\(\(\(?[^()]*\)?\)\)|anchor:[^\s\[]+\[[^\]]*\]")
_ROLE: Final = re.compile(r"\[[.#%][^\]]*\](?=[#*_`])")
_PAIRS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"``(.+?)``", r"(?<![\w`])`(?!\s)([^`]+?)(?<!\s)`(?![\w`])", r"\*\*(.+?)\*\*", r"__(.+?)__", r"\+\+(.+?)\+\+",
        r"##(.+?)##", r"(?<![\w*])\*(?!\s)([^*]+?)(?<!\s)\*(?![\w*])", r"(?<![\w_])_(?!\s)([^_]+?)(?<!\s)_(?![\w_])",
        r"(?<![\w+])\+(?!\s)([^+]+?)(?<!\s)\+(?![\w+])", r"(?<![\w#])#(?!\s)([^#]+?)(?<!\s)#(?![\w#])",
        r"\^([^\s^]+)\^", r"~([^\s~]+)~",
    )
)  # fmt: skip
_KNOWN: Final = {
    "nbsp": " ", "zwsp": "", "empty": "", "sp": " ", "plus": "+", "vbar": "|", "startsb": "[", "endsb": "]", "lt": "<",
    "gt": ">", "amp": "&", "asterisk": "*", "backtick": "`", "apos": "'", "quot": '"',
}  # fmt: skip


def plain_words(text: str, attributes: Mapping[str, str]) -> str:
    """Take the marks out of a line.

    Args:
        text: the line as typed.
        attributes: what names in braces stand for; unknown ones stay as they are.
    """
    words = _REFERENCE.sub(lambda match: attributes.get(match[1].casefold(), _KNOWN.get(match[1], match[0])), text)
    words = _ANCHORS.sub("", words)
    words = _MACRO_TEXT.sub(lambda match: _shown(match[2]) or match[1], words)
    words = _URL_TEXT.sub(lambda match: _shown(match[2]) or match[1], words)
    words = _CROSS.sub(lambda match: (match[2] or match[1]).strip(), words)
    words = _IMAGE.sub(lambda match: match[1], words)
    words = _INLINE.sub(lambda match: f" ({match[1]})" if match[0].startswith("footnote") else match[1], words)
    words = re.sub(r"\"`(.+?)`\"", r"“\1”", re.sub(r"'`(.+?)`'", r"‘\1’", _ROLE.sub("", words)))
    for pattern in _PAIRS:
        words = pattern.sub(r"\1", words)
    words = re.sub(r"\s+\+$", "", words)
    if "&" in words:
        import html

        words = html.unescape(words)
    return " ".join(words.split())


def _shown(told: str) -> str:
    """The text of a link: what stands before its window and role."""
    words = re.split(r",\s*(?:window|role|opts)=", told)[0].strip().strip('"')
    return words.removesuffix("^").strip()
