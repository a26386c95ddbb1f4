"""An answer in the words of its sources in, its HTML out: quotations with a bar, bullets, or a part for each side.

Pure text; no widget is made here. Each quotation and each bullet is followed by the chips of its citations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from trisynapse_desktop.theme import Tones
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_memory.types import Answer, AnswerForm, AnswerSentence, Citation, CitationVerdict

CITE = "cite:"
STATUS_WORDS = {"contested": "Sources disagree", "correction": "Your correction"}
_GAP = "<tr><td height='14'></td><td></td></tr>"
_NARROW_GAP = "<tr><td height='6'></td><td></td></tr>"
_BULLET = "\u2022"


def quotes_html(answer: Answer, sentences: Sequence[AnswerSentence], names: SourceNames, tones: Tones) -> str:
    """Return the sentences in the form that the answer has, below what is said before them."""
    page = _Page({citation.n: citation for citation in answer.citations}, names, tones)
    if answer.form is AnswerForm.LIST:
        return _lead(answer, tones) + _table(_NARROW_GAP.join(row for one in sentences for row in page.bullets(one)))
    parts = groupby(sentences, key=lambda one: one.part)
    return _lead(answer, tones) + _table(_GAP).join(page.part(name, list(group)) for name, group in parts)


def chips(numbers: Sequence[int], by_number: Mapping[int, Citation], names: SourceNames, tones: Tones) -> str:
    """Return the chips of some citations, each with a space before it."""
    seen: dict[str, str] = {}
    for number in numbers:
        citation = by_number.get(number)
        if citation is not None:
            # Two passages of one page read the same on a chip; the first opens.
            seen.setdefault(names.chip(citation), _chip(number, names.chip(citation), tones))
    return "".join(f" {chip}" for chip in seen.values())


def _chip(number: int, words: str, tones: Tones) -> str:
    text = escape(words).replace(" ", "&nbsp;")
    style = f"background-color: {tones.chosen}; color: {tones.accent}; text-decoration: none; font-size: 90%;"
    return f"<a href='{CITE}{number}' style='{style}'>&nbsp;{text}&nbsp;</a>"


def _lead(answer: Answer, tones: Tones) -> str:
    """What is said before the sentences; how many bullets there are is a small line, all else is the answer."""
    if not answer.lead:
        return ""
    small = answer.form is AnswerForm.LIST
    style = f"color: {tones.muted}; font-size: 90%;" if small else "font-weight: 600; line-height: 140%;"
    return _headed(answer.lead, style, _GAP)


def _headed(words: str, style: str, gap: str) -> str:
    """A line above a table, in a table of its own: one row over both columns would widen the bar."""
    return _table(f"<tr><td><p style='margin: 0; {style}'>{escape(words)}</p></td></tr>{gap}")


def _table(rows: str) -> str:
    return f"<table width='100%' cellspacing='0' cellpadding='0'>{rows}</table>"


class _Page:
    """Draws the sentences of one answer."""

    def __init__(self, by_number: Mapping[int, Citation], names: SourceNames, tones: Tones) -> None:
        self._by_number, self._names, self._tones = by_number, names, tones

    def part(self, name: str, sentences: Sequence[AnswerSentence]) -> str:
        """Quotations, one below the other, below the name of the side that they are about."""
        style = f"font-weight: 600; color: {self._tones.muted};"
        head = _headed(name, style, _NARROW_GAP) if name else ""
        return head + _table(_GAP.join(self._quote(one) for one in sentences))

    def bullets(self, sentence: AnswerSentence) -> Iterator[str]:
        """One row for each item, with the words that stand around them; a sentence without items is one itself."""
        links = self._chips(sentence)
        note = self._note(sentence)
        if not sentence.items:
            yield self._row(_BULLET, f"{note}{self._quoted(sentence, sentence.text)}{links}")
            return
        before, behind = sentence.around()
        if before or note:
            yield self._row("", f"{note}{self._quoted(sentence, before) if before else ''}")
        for item in sentence.items:
            yield self._row(_BULLET, f"{self._quoted(sentence, item)}{links}")
        if behind:
            yield self._row("", self._quoted(sentence, behind))

    def _row(self, mark: str, words: str) -> str:
        return (
            f"<tr><td width='16' valign='top'><p style='margin: 0; line-height: 140%;'>{mark}</p></td>"
            f"<td><p style='margin: 0; line-height: 150%;'>{words}</p></td></tr>"
        )

    def _quote(self, sentence: AnswerSentence) -> str:
        bar = self._bar(sentence)
        words = self._quoted(sentence, sentence.text)
        return (
            f"<tr><td width='3' bgcolor='{bar}'></td><td style='padding: 0 0 0 12px;'>{self._note(sentence)}"
            f"<p style='margin: 0 0 4px 0; line-height: 140%;'>{words}</p>"
            f"<p style='margin: 0; line-height: 150%;'>{self._chips(sentence)}</p></td></tr>"
        )

    def _note(self, sentence: AnswerSentence) -> str:
        note = STATUS_WORDS.get(sentence.status, "")
        style = f"margin: 0 0 2px 0; color: {self._bar(sentence)}; font-size: 90%;"
        return f"<p style='{style}'>{note}</p>" if note else ""

    def _bar(self, sentence: AnswerSentence) -> str:
        tones = self._tones
        return {"contested": tones.warning, "correction": tones.good}.get(sentence.status, tones.accent)

    def _quoted(self, sentence: AnswerSentence, words: str) -> str:
        """Words of a sentence, in quotation marks where the source says it in these."""
        cited = [self._by_number[number] for number in sentence.citations if number in self._by_number]
        literal = bool(cited) and all(one.verdict is not CitationVerdict.PARAPHRASE for one in cited)
        return f"\u201c{escape(words)}\u201d" if literal else escape(words)

    def _chips(self, sentence: AnswerSentence) -> str:
        return chips(sentence.citations, self._by_number, self._names, self._tones)
