"""A record and better words in, one correction out: which stretches of the evidence it strikes is chosen here.

A fact gives up the stretches it was read from. A raw record gives up the sentences that say the same subject and
relation as the correction (as the facts on them tell), else the one sentence whose words are closest; the rest of it
stays evidence. Where neighbouring records repeat a struck stretch, they give it up too, or the old words would be found
beside the new ones.

Source: engine.md 0.1 row 5; cli.md, ``correct``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.copies import neighbours_of, stretch_in
from trisynapse_memory.log.lifecycle import Amendment
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Stretch, evidence_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.tokens import query_terms
from trisynapse_memory.types import Change, FactDetails, Kind, Proposal, Record


class _Said(NamedTuple):
    """What the correction says, or the statement that it replaces said."""

    subject: str = ""
    relation: str = ""
    object: str = ""
    qualifiers: dict[str, str] | None = None


def correct(log: MemoryLog, record_id: str, text: str, reason: str, readings: Sequence[Proposal] = ()) -> Change:
    """Correct a record in one append.

    Args:
        log: the log; projections have to catch up afterwards.
        record_id: a raw record, a fact or an earlier correction.
        text: what is right, in words that stand alone.
        reason: why; history and answers show it.
        readings: what an extractor reads out of ``text``; they tell the subject, relation and new value.

    Raises:
        UnknownRecordError: no record has that id.
        InvalidInputError: text or reason is empty, the target is no evidence, or no sentence of the target has a word
            of the correction, so that nothing tells what it corrects.
    """
    target = log.get(record_id)
    return lifecycle.correct(log, record_id, text, reason, amendment_of(log, target, text, readings))


def amendment_of(log: MemoryLog, target: Record, text: str, readings: Sequence[Proposal] = ()) -> Amendment:
    """Return what correcting ``target`` with ``text`` strikes, and what it then says of whom."""
    replaced, direct = _replaced(log, target, text, readings)
    strikes = [one for stretch in direct for one in _with_copies(log, stretch)]
    said = _said(replaced, text, readings)
    return Amendment(
        strikes=tuple(dict.fromkeys(strikes)),
        subject=said.subject,
        relation=said.relation,
        object=said.object,
        qualifiers=said.qualifiers,
    )


def _replaced(
    log: MemoryLog, target: Record, text: str, readings: Sequence[Proposal]
) -> tuple[Record, tuple[Stretch, ...]]:
    """Return the statement that is replaced (a fact where one is known) and the stretches that say it."""
    if target.kind is Kind.FACT:
        return target, tuple(_narrowed(log, stretch, text) for stretch in evidence_of(log, target))
    for fact in _facts_on(log, target):
        if any(_is_same_statement(fact, reading) for reading in readings):
            same = [one for one in _facts_on(log, target) if _is_same_statement(one, fact)]
            return fact, _sentences_of(log, target, same)
    closest = closest_sentence(target, text)
    if closest is None:
        raise InvalidInputError(
            "No sentence of the record has a word of the correction, so it is not clear what it corrects.",
            hint="Write the correction as a whole sentence, with the words of the one it replaces.",
        )
    inside = [
        fact
        for fact in _facts_on(log, target)
        for stretch in evidence_of(log, fact)
        if stretch.record_id == target.id and closest.start <= stretch.start and stretch.end <= closest.end
    ]
    return (inside[0] if len(inside) == 1 else target), (closest,)


def closest_sentence(record: Record, text: str) -> Stretch | None:
    """Return the sentence of a record that shares most words with ``text``, the first one of equals; None if none does.

    Words are compared as a question's are: by form and by stem, without function words; a shared form weighs more.
    A record of one sentence has no choice to make.
    """
    spans = sentence_spans(record.text) or [(0, len(record.text))]
    if len(spans) == 1:
        return Stretch(record.id, *spans[0])
    wanted = {term.key: term.weight for term in query_terms(text)}
    scores = [_nearness(wanted, record.text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda index: (scores[index], -index))
    return None if scores[best] == (0.0, 0.0) else Stretch(record.id, *spans[best])


def _nearness(wanted: dict[str, float], sentence: str) -> tuple[float, float]:
    """Return the weight of the words shared, then their share of the sentence, which breaks ties."""
    terms = query_terms(sentence)
    shared = sum(wanted[term.key] for term in terms if term.key in wanted)
    return shared, shared / len(terms) if terms else 0.0


def _narrowed(log: MemoryLog, stretch: Stretch, text: str) -> Stretch:
    """Return a stretch of evidence as it is, or its closest sentence where it is a whole record of several."""
    base = log.get(stretch.record_id)
    if base.kind is Kind.RAW_SOURCE and (stretch.start, stretch.end) == (0, len(base.text)):
        return closest_sentence(base, text) or stretch
    return stretch


def _facts_on(log: MemoryLog, record: Record) -> tuple[Record, ...]:
    """Return the visible facts that were read out of one record, in log order."""
    with log.database.read() as connection:
        rows = connection.execute("SELECT DISTINCT seq FROM evidence WHERE base_seq = ? ORDER BY seq", (record.seq,))
        seqs = [int(row[0]) for row in rows]
    seen = log.visible(seqs)
    facts = log.by_seqs([seq for seq in seqs if seq in seen])
    return tuple(fact for fact in facts if isinstance(fact.payload, FactDetails))


def _is_same_statement(fact: Record, other: Record | Proposal) -> bool:
    if not fact.subject or not other.subject:
        return False
    return fact.relation == other.relation and fact.subject.casefold() == other.subject.casefold()


def _sentences_of(log: MemoryLog, target: Record, facts: Sequence[Record]) -> tuple[Stretch, ...]:
    """Return the whole sentences of a raw record in which these facts stand, in text order."""
    held = [one for fact in facts for one in evidence_of(log, fact) if one.record_id == target.id]
    return tuple(
        Stretch(target.id, start, end)
        for start, end in sentence_spans(target.text)
        if any(one.start < end and start < one.end for one in held)
    )


def _with_copies(log: MemoryLog, stretch: Stretch) -> Iterator[Stretch]:
    yield stretch
    base = log.get(stretch.record_id)
    for copy in neighbours_of(log, base):
        there = stretch_in(copy, stretch.start, stretch.end)
        if there is not None:
            yield Stretch(copy.record.id, *there)


def _said(replaced: Record, text: str, readings: Sequence[Proposal]) -> _Said:
    """Return what the correction says: as the readings tell, else the replaced statement with its new value."""
    for reading in readings:
        if not replaced.subject or _is_same_statement(replaced, reading):
            return _Said(reading.subject, reading.relation, reading.object, dict(reading.qualifiers))
    value = _value_in_place(replaced, text)
    kept = getattr(replaced.payload, "qualifiers", None)
    return _Said(replaced.subject or "", replaced.relation or "", value, None if kept is None else dict(kept))


def _value_in_place(replaced: Record, text: str) -> str:
    """Return what stands in ``text`` where the old value stood between the same words; empty where that cannot be told.

    "Atlas launches on 1 May." with the value "1 May" and "Atlas launches on 9 May." give "9 May".
    """
    old = replaced.object or ""
    start = replaced.text.find(old) if old else -1
    if start < 0:
        return ""
    before, after = replaced.text[:start], replaced.text[start + len(old) :]
    if len(before) + len(after) >= len(text) or not (text.startswith(before) and text.endswith(after)):
        return ""
    return text[len(before) : len(text) - len(after)].strip()
