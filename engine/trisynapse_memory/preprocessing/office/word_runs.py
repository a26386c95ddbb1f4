"""One paragraph of a Word document in, its words as a reader sees them out; what stands elsewhere is named, not read.

Kept: inserted and moved text, results of fields, equations in one line. Left out: deleted text, field codes, prompts
of empty forms. Apart: hidden text. Named for the reader of the body: notes, comments, text boxes, charts, pictures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from trisynapse_memory.preprocessing.office.equations import equation_text
from trisynapse_memory.preprocessing.office.symbols import symbol
from trisynapse_memory.preprocessing.office.word_styles import Style, Styles, is_on, run_is_hidden
from trisynapse_memory.preprocessing.office.xml import attribute, child, children, name
from trisynapse_memory.preprocessing.trees import Element

_LEFT_OUT: Final = frozenset(
    {"del", "moveFrom", "delText", "instrText", "delInstrText", "pPr", "rPr", "sdtPr", "sdtEndPr", "rt", "Fallback",
     "fldData", "annotationRef", "footnoteRef", "endnoteRef", "lastRenderedPageBreak", "proofErr"}
)  # fmt: skip
_NOTES: Final = {"footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments"}
_SIGNS: Final = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}

# Around a formula while a line is put together: a blank only where words would grow together. XML has no such signs.
_OPENS: Final = "\x01"
_CLOSES: Final = "\x02"
_BORDER: Final = re.compile(r"\x02\x01|(?<=\w)\x01|\x02(?=\w)")


@dataclass(slots=True)
class Line:
    """What a paragraph holds: its words, the hidden ones, and what it points at, in order.

    ``notes`` are pairs of a story ("footnotes", "endnotes", "comments") and an id; ``boxes`` the text boxes;
    ``drawn`` the graphic data of charts and diagrams; ``picture_count`` the pictures among the words.
    """

    text: str = ""
    hidden: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    boxes: list[Element] = field(default_factory=list[Element])
    drawn: list[Element] = field(default_factory=list[Element])
    picture_count: int = 0
    equation_count: int = 0


class Fields:
    """Which part of a field stands where the reading is: fields may begin in one paragraph and end in another."""

    def __init__(self) -> None:
        self._open: list[bool] = []  # for each open field: has its result begun?

    def mark(self, kind: str) -> None:
        """Take note of a border of a field: begin, separate, end."""
        if kind == "begin":
            self._open.append(False)
        elif kind == "separate" and self._open:
            self._open[-1] = True
        elif kind == "end" and self._open:
            self._open.pop()

    @property
    def is_shown(self) -> bool:
        """Whether what comes now is seen by a reader: no field code is open."""
        return all(self._open)


class _Look(NamedTuple):
    """What a run looks like, as far as it changes what is read."""

    is_hidden: bool = False
    is_raised: bool = False


class Lines:
    """Reads the paragraphs of one story, in order."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._fields = Fields()

    def read(self, paragraph: Element, style: Style) -> Line:
        """Read one paragraph; ``style`` is that of the paragraph."""
        line = Line()
        shown: list[str] = []
        hidden: list[str] = []
        # A stack instead of recursion: who nests fields in controls in links a thousand deep costs only himself.
        waiting: list[tuple[Element, _Look]] = [(part, _Look()) for part in reversed(list(paragraph))]
        while waiting:
            element, look = waiting.pop()
            tag = name(element)
            if tag in _LEFT_OUT or (tag == "sdt" and _is_prompt(element)):
                continue
            if tag == "fldChar":
                self._fields.mark(attribute(element, "fldCharType"))
                continue
            words = self._words(element, tag, line)
            if words is not None:
                if words and self._fields.is_shown:
                    line_parts = hidden if look.is_hidden else shown
                    line_parts.append(raised(words, line_parts) if look.is_raised else words)
                continue
            if tag == "r":
                is_raised = attribute(child(element, "rPr", "vertAlign"), "val") == "superscript"
                look = _Look(look.is_hidden or run_is_hidden(element, style, self._styles), is_raised)
            waiting += [(part, look) for part in reversed(_chosen(element, tag))]
        line.text = tidy("".join(shown))
        line.hidden = tidy("".join(hidden))
        return line

    def _words(self, element: Element, tag: str, line: Line) -> str | None:
        """The words of an element that is read as a whole; None for one whose parts are read."""
        if tag == "t":
            return element.text or ""
        if tag in _SIGNS:
            return _SIGNS[tag]
        if tag == "br":
            return "\n"
        if tag == "sym":
            return _symbol(element)
        if tag in ("oMath", "oMathPara"):
            return _equations(element, tag, line)
        if tag in _NOTES:
            line.notes.append((_NOTES[tag], attribute(element, "id")))
            return ""
        if tag in ("drawing", "pict", "object"):
            _look_into(element, line)
            return ""
        return None


def _chosen(element: Element, tag: str) -> list[Element]:
    """The parts to read: of two ways to write the same thing, the first."""
    if tag == "AlternateContent":
        chosen = child(element, "Choice")
        return list(chosen if chosen is not None else child(element, "Fallback") or ())
    if tag == "ruby":
        return children(element, "rubyBase")
    return list(element)


def _is_prompt(control: Element) -> bool:
    """Whether a form field is still empty and shows its prompt ("Click here to enter text")."""
    return is_on(child(control, "sdtPr", "showingPlcHdr"))


def _symbol(element: Element) -> str:
    code = attribute(element, "char")
    return symbol(int(code, 16), attribute(element, "font")) if re.fullmatch(r"[0-9A-Fa-f]{1,5}", code) else ""


def _equations(element: Element, tag: str, line: Line) -> str:
    parts = children(element, "oMath") if tag == "oMathPara" else [element]
    texts = [text for part in parts if (text := equation_text(part))]
    line.equation_count += len(texts)
    return f"{_OPENS}{'; '.join(texts)}{_CLOSES}" if texts else ""


def _look_into(element: Element, line: Line) -> None:
    """Note the text boxes, charts, diagrams and pictures of a drawing; of two ways to write it, the first is read."""
    waiting = [element]
    while waiting:
        part = waiting.pop()
        tag = name(part)
        if tag == "txbxContent":
            line.boxes.append(part)
        elif tag == "graphicData" and attribute(part, "uri").endswith(("/chart", "/diagram")):
            line.drawn.append(part)
        elif tag == "AlternateContent":
            waiting += reversed(_chosen(part, tag))
        else:
            line.picture_count += tag in ("blip", "imagedata")
            waiting += reversed(list(part))


def raised(words: str, before: Sequence[str]) -> str:
    """Return raised letters as they are put behind others: 10 and a raised -4 are 10^-4, not 10-4."""
    last = before[-1][-1:] if before else ""
    return f"^{words}" if last.isdigit() and re.match(r"[-+\u2212\u2013]?\d", words) else words


def tidy(text: str) -> str:
    """Take away what no reader sees: blanks at the ends of lines, doubled blanks around formulas, soft hyphens."""
    text = _BORDER.sub(" ", text).replace(_OPENS, "").replace(_CLOSES, "")
    text = text.replace("\u00ad", "").replace("\u00a0", " ")
    lines = (re.sub(r" {2,}", " ", line).strip(" ") for line in text.split("\n"))
    return "\n".join(lines).strip()
