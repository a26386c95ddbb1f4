"""Sentences of one wiki section in, their HTML out: prose, value table, timeline, disputes, old values, contents.

Pure text for Qt's rich text, which knows tables but no borders on one side; no widget is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from trisynapse_desktop.theme import Tones
from trisynapse_desktop.widgets.citation import SourceNames, with_place
from trisynapse_memory.types import Support, WikiSentence
from trisynapse_memory.types.compiled import WikiSection

CITE, PAGE, ACCEPT, REJECT, KEEP, CLAIM = "cite:", "page:", "accept:", "reject:", "keep:", "claim:"
CHIP_LIMIT = 3  # passages shown behind a sentence; the others are counted
TABLE_HEADS = ("What", "Value", "Conditions", "Date")
WIDTHS = {3: " width='72'"}  # a year is never broken
BOXES = frozenset({WikiSection.CONTESTED, WikiSection.DISAGREEMENTS})


@dataclass(frozen=True, slots=True)
class Ink:
    """What is needed to write a section: how sources are called on chips, and the colours of now."""

    names: SourceNames
    tones: Tones

    @property
    def link(self) -> str:
        """The style of a link."""
        return f"color: {self.tones.accent}; text-decoration: none;"

    def muted(self, text: str) -> str:
        """Return a remark."""
        return f"<span style='color: {self.tones.muted};'>{escape(text)}</span>"


def section_html(section: str, sentences: Sequence[WikiSentence], ink: Ink) -> str:
    """Return one section without its heading; stale sentences stand below what holds, each as a diff."""
    fresh = [one for one in sentences if not one.stale]
    if section == WikiSection.RESULTS and all(len(one.cells) == len(TABLE_HEADS) for one in fresh):
        body = _table(fresh, ink)
    elif section in BOXES:
        body = "".join(_dispute(list(group), ink) for _, group in groupby(fresh, key=lambda one: one.claim_ids))
    else:
        body = "".join(_line(section, one, ink) for one in fresh)
    return body + "".join(_stale(one, ink) for one in sentences if one.stale)


def chips_html(sentence: WikiSentence, ink: Ink) -> str:
    """Return the places a sentence rests on, as links ``cite:<key>:<number>``; the same place once."""
    tones = ink.tones
    style = f"background-color: {tones.chosen}; color: {tones.accent}; text-decoration: none; font-size: 88%;"
    shown: dict[str, str] = {}
    for number, support in enumerate(sentence.supports):
        words = chip_text(support, ink.names)
        text = escape(words).replace(" ", "&nbsp;")
        address = f"{CITE}{escape(sentence.key)}:{number}"
        shown.setdefault(words, f" <a href='{address}' style='{style}'>&nbsp;{text}&nbsp;</a>")
    rest = len(shown) - CHIP_LIMIT
    return "".join(list(shown.values())[:CHIP_LIMIT]) + (f" {ink.muted(f'+{rest}')}" if rest > 0 else "")


def chip_text(support: Support, names: SourceNames) -> str:
    """Return what the chip of a passage reads, e.g. ``Lewis 2020, p. 4``."""
    return with_place(names.name(support.source_id, support.title), support.locator)


def _said(sentence: WikiSentence, ink: Ink) -> str:
    kept = f" {ink.muted('kept by you')}" if sentence.status == "kept" else ""
    return escape(sentence.text) + chips_html(sentence, ink) + kept


def _line(section: str, sentence: WikiSentence, ink: Ink) -> str:
    """One sentence on its own line, with what its section says beside it."""
    words, cells = _said(sentence, ink), sentence.cells
    if section == WikiSection.TIMELINE and cells:
        return _dated(cells[0], words, ink)
    if section == WikiSection.SUPERSEDED or sentence.status == "superseded":
        why = "; ".join(part for part in cells[1:] if part)
        old = f"<s style='color: {ink.tones.muted};'>{escape(sentence.text)}</s>{chips_html(sentence, ink)}"
        words = f"{old} {ink.muted(f'({why})')}" if why else old
    elif section == WikiSection.CONTENTS and cells and cells[0]:
        words += f" {ink.muted(cells[0])}"
    elif section == WikiSection.SOURCES and cells:
        words = f"{ink.muted(cells[0])}<br>{words}"
    if sentence.status == "contested":
        words += f" {_disputed(sentence, ink)}"
    return f"<p style='margin: 0 0 8px 0; line-height: 145%;'>{words}</p>"


def _dated(date: str, words: str, ink: Ink) -> str:
    return (
        "<table width='100%' cellspacing='0' cellpadding='0' style='margin: 4px 0 6px 0;'><tr>"
        f"<td width='128' style='color: {ink.tones.muted};'>{escape(date)}</td><td>{words}</td></tr></table>"
    )


def _table(sentences: Sequence[WikiSentence], ink: Ink) -> str:
    """The values as rows; a column that is empty in every row is left out."""
    if not sentences:
        return ""
    used = [place for place in range(len(TABLE_HEADS)) if any(one.cells[place] for one in sentences)]
    if len(used) > 1 and len({one.cells[0] for one in sentences}) == 1 and 1 in used:
        used = [place for place in used if place]
    line = f"border-bottom: 1px solid {ink.tones.line}; padding: 6px 12px 6px 0;"
    head = "".join(f"<td style='{line} color: {ink.tones.muted};'>{TABLE_HEADS[place]}</td>" for place in used)
    head += f"<td style='{line} color: {ink.tones.muted};'>Source</td>"
    rows: list[str] = []
    for one in sentences:
        cells = [f"<td{WIDTHS.get(place, '')} style='{line}'>{_cell(one, place, ink)}</td>" for place in used]
        rows.append(f"<tr>{''.join(cells)}<td style='{line}'>{chips_html(one, ink)}</td></tr>")
    return (
        "<table width='100%' cellspacing='0' cellpadding='0' style='margin: 0 0 12px 0; border-collapse: collapse;'>"
        f"<tr>{head}</tr>{''.join(rows)}</table>"
    )


def _cell(sentence: WikiSentence, place: int, ink: Ink) -> str:
    text = escape(sentence.cells[place])
    if place != 1:
        return text
    mark = f" {_disputed(sentence, ink)}" if sentence.status == "contested" else ""
    return f"<b>{text.replace(' ', '&nbsp;')}</b>{mark}"


def _disputed(sentence: WikiSentence, ink: Ink) -> str:
    """The mark of a dispute, a link to its claim where there is one."""
    style = f"color: {ink.tones.warning}; text-decoration: none;"
    words = "contested"
    if not sentence.claim_ids:
        return f"<span style='{style}'>{words}</span>"
    return f"<a href='{CLAIM}{escape(sentence.claim_ids[0])}' style='{style}'>{words}</a>"


def _dispute(sides: Sequence[WikiSentence], ink: Ink) -> str:
    """One dispute: what about, each side with its passage, her word, and the way to the claim."""
    tones = ink.tones
    is_open = all(one.status != "resolved" for one in sides)
    about = next((one.cells[0] for one in sides if one.cells), "")
    tone = tones.warning if is_open else tones.muted
    head = f"Sources {'disagree' if is_open else 'disagreed'}{': ' if about else ''}{escape(about)}"
    rows = [f"<p style='margin: 0 0 6px 0; color: {tone};'><b>{head}</b></p>"]
    rows += [f"<p style='margin: 0 0 6px 0; line-height: 140%;'>{_side(one, ink)}</p>" for one in sides]
    if claim_id := next((one.claim_ids[0] for one in sides if one.claim_ids), ""):
        words = "Decide which side you take" if is_open else "Look at both sides"
        rows.append(f"<p style='margin: 0;'><a href='{CLAIM}{escape(claim_id)}' style='{ink.link}'>{words}</a></p>")
    return boxed("".join(rows), tones.warning_ground if is_open else tones.hover, tone)


def _side(sentence: WikiSentence, ink: Ink) -> str:
    if sentence.status == "resolved":
        value = f"<b>{escape(sentence.cells[1])}</b>, because " if len(sentence.cells) > 1 else ""
        return f"Your decision: {value}{escape(sentence.text)}"
    if len(sentence.cells) < 2:
        return _said(sentence, ink)
    date = f" {ink.muted(f'({sentence.cells[2]})')}" if sentence.cells[2:] and sentence.cells[2] else ""
    return f"<b>{escape(sentence.cells[1])}</b>{date}<br>{_said(sentence, ink)}"


def _stale(sentence: WikiSentence, ink: Ink) -> str:
    """The old words struck, the new ones below, why, and what she can do about it."""
    tones = ink.tones
    rows = [f"<p style='margin: 0 0 6px 0; color: {tones.muted};'>{escape(sentence.reason)}</p>"]
    if sentence.text:
        rows.append(f"<p style='margin: 0 0 4px 0;'><s style='color: {tones.bad};'>{escape(sentence.text)}</s></p>")
    if sentence.proposal:
        words = f"<span style='color: {tones.good};'>{escape(sentence.proposal)}</span>"
        rows.append(f"<p style='margin: 0 0 4px 0;'>{words}{chips_html(sentence, ink)}</p>")
    offers = [
        f"<a href='{verb}{escape(sentence.key)}' style='{ink.link}'>{words}</a>" for verb, words in _offers(sentence)
    ]
    rows.append(f"<p style='margin: 6px 0 0 0;'>{' &nbsp;·&nbsp; '.join(offers)}</p>")
    return boxed("".join(rows), tones.hover, tones.accent)


def _offers(sentence: WikiSentence) -> tuple[tuple[str, str], ...]:
    """What she can do with a stale sentence: link and words."""
    if not sentence.text:
        if sentence.proposal:
            return (ACCEPT, "Take it"), (REJECT, "Not on this page")
        return ((ACCEPT, "Take the remark away"),)
    if not sentence.proposal:
        return (ACCEPT, "Take it off the page"), (REJECT, "Not now"), (KEEP, "Keep it as mine")
    return (ACCEPT, "Take the new sentence"), (REJECT, "Refuse it"), (KEEP, "Keep mine for good")


def boxed(body: str, ground: str, bar: str) -> str:
    """Return a box with a coloured bar at its left."""
    return (
        "<table width='100%' cellspacing='0' cellpadding='0' style='margin: 4px 0 10px 0;'><tr>"
        f"<td width='3' bgcolor='{bar}'></td>"
        f"<td bgcolor='{ground}' style='padding: 10px 12px 10px 12px;'>{body}</td></tr></table>"
    )
