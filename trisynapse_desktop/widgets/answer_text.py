"""An answer in, its HTML and the small lines below it out; pure text, no widget is made here."""

from __future__ import annotations

import re
from html import escape

from trisynapse_desktop.theme import Tones
from trisynapse_desktop.widgets.answer_quotes import chips, quotes_html
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_desktop.widgets.markdown import to_html
from trisynapse_memory.types import Answer, AnswerSentence

LOCAL = "local"  # the service that stands for models in this computer
PART_WORDS = {"semantic": "search by meaning", "lexical": "search by words", "reranker": "the model that ranks again"}
STEP_WORDS = {
    "plan": "reading the question",
    "routes": "finding passages",
    "fusion": "ranking",
    "rerank": "ranking again",
    "reranker": "letting a model rank",
    "grounding": "fetching their text",
    "doubt": "asking the model whether they answer",
    "answer": "writing",
    "total": "in all",
}
# Private-use characters stand for the chips while Markdown is rendered: no text of a source contains them by right.
_SLOT = re.compile("\ue000([0-9,]*)\ue001")
_FORGED = re.compile("[\ue000\ue001]")


def answer_html(answer: Answer, names: SourceNames, tones: Tones) -> str:
    """Return the body of an answer: quotations with a bar where no model wrote, running text where one did.

    Below it stand the sentences she has corrected, struck.
    """
    return _body_html(answer, names, tones) + struck_html(answer, tones)


def _body_html(answer: Answer, names: SourceNames, tones: Tones) -> str:
    by_number = {citation.n: citation for citation in answer.citations}
    sentences = answer.sentences or (AnswerSentence(text=answer.answer, citations=()),)
    if answer.model is None:
        return quotes_html(answer, sentences, names, tones)
    text = " ".join(f"{_FORGED.sub('', one.text)}\ue000{','.join(map(str, one.citations))}\ue001" for one in sentences)

    def put_chips(found: re.Match[str]) -> str:
        numbers = [int(number) for number in found[1].split(",") if number]
        return chips(numbers, by_number, names, tones)

    prose = to_html(text).replace("<p>", "<p style='line-height: 150%;'>")
    return _SLOT.sub(put_chips, prose)


def struck_html(answer: Answer, tones: Tones) -> str:
    """Return what she corrected, struck, with her reason; empty where she corrected nothing."""
    return "".join(
        f"<p style='margin: 8px 0 4px 0; color: {tones.muted};'><s>{escape(one.text)}</s><br>"
        f"Corrected: {escape(one.reason)}</p>"
        for one in answer.struck
    )


def coverage_line(answer: Answer) -> str:
    """Say what an answer rests on, e.g. ``3 of 18 sources used · 124 records not embedded yet``."""
    coverage = answer.coverage
    used = len({citation.source_id for citation in answer.citations})
    parts: list[str] = []
    if coverage.sources_in_scope:
        plural = "" if coverage.sources_in_scope == 1 else "s"
        done = "used" if not answer.abstain else "searched"
        first = f"{used:,} of " if not answer.abstain else ""
        parts.append(f"{first}{coverage.sources_in_scope:,} source{plural} {done}")
    if coverage.not_embedded:
        parts.append(f"{coverage.not_embedded:,} record{'' if coverage.not_embedded == 1 else 's'} not embedded yet")
    if coverage.unreadable_sources:
        parts.append(f"{coverage.unreadable_sources:,} unreadable")
    parts.extend(f"without {PART_WORDS.get(name, name)}" for name in coverage.parts_off)
    return " · ".join(parts)


def timings_line(answer: Answer) -> str:
    """Say how long each step took."""
    return " · ".join(
        f"{STEP_WORDS.get(name, name)} {duration:,.0f} ms" for name, duration in answer.timings_ms.items()
    )


def writer_name(model: str | None) -> str:
    """Name the model of an answer as she knows it: without the service where it is this computer."""
    service, _, name = (model or "").partition("/")
    return name if service == LOCAL else f"{name} ({service})" if name else service


def writer_line(answer: Answer) -> str:
    """Say who wrote an answer and what it cost; empty where the words are those of the sources alone."""
    if not answer.model:
        return ""
    parts = [f"Written by {writer_name(answer.model)}, each sentence checked against its passage"]
    usage = answer.usage
    if usage is not None and usage.cost_usd:
        parts.append(f"{usage.cost_usd:.4f} US dollars")
    return " · ".join(parts)


def asked_line(question: str) -> str:
    """Say what was looked up for a question that cannot be understood alone."""
    return f"Asked as: {question}"


def asks_line(answer: Answer) -> str:
    """Say which passages a remote model was not shown, for she decides each time."""
    named = ", ".join(f"“{name}”" if name else "no collection" for name in answer.asks)
    passages = "1 passage" if answer.not_sent == 1 else f"{answer.not_sent:,} passages"
    return f"{passages} of {named} were not sent to the model. Send them, and ask again?"


def withheld_line(count: int) -> str:
    """Say how many sentences are not shown."""
    return f"{count:,} sentence{'' if count == 1 else 's'} withheld"
