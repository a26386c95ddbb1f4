"""Passages and an extractor in, proposals that can be stood behind out, and a count of the others by reason.

An extractor may be a stranger's or a model's; what it proposes is checked here against the passage it names. Nothing is
repaired: a proposal passes as it is or is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import Extractor
from trisynapse_memory.extraction.phrases import is_vague
from trisynapse_memory.scoring.patterns import LEFT_OUT
from trisynapse_memory.scoring.relations import RELATIONS
from trisynapse_memory.types import Modality, Passage, Proposal

LONGEST_SIDE: Final = 300  # characters of a subject or an object; a longer one is a paragraph, not a value

_VERB: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")
_ASIDE: Final = re.compile(r"\s*(?:\[[^\[\]]{0,40}\]|\([^()]{0,160}\)|[\u00b9\u00b2\u00b3\u2070-\u2079\u2020\u2021])")
_WORD: Final = re.compile(r"[^\W_]+")
_GAPS: Final = re.compile(r"[\s\u00ad\u2010\u2011-]+")
_FROM_OUTSIDE: Final = frozenset(("about", "authored_by", "cites", "published_on", "published_in", "has_section"))
"""Relations whose subject is the source itself; its title stands in no sentence."""
_LITERAL: Final = frozenset(("has_cell", "measured_as", "has_value", "has_result", "costs"))
_SHORT_VALUES: Final = (
    frozenset(
        """born_on capital_of defined_as died_on due_date end_date found_under founded_in has_address has_role
        has_section has_status has_version introduced_in is_a launch_date occurred_on published_on serial_number
        start_date stated""".split()
    )
    | _LITERAL
)
"""Relations whose object may be a bare number, a date or one common word."""


class Extraction(Struct, frozen=True, kw_only=True):
    """What came of reading passages: the proposals that passed, and how many did not, by reason."""

    proposals: tuple[Proposal, ...]
    dropped: Mapping[str, int]


def extract_facts(passages: Sequence[Passage], extractor: Extractor) -> Extraction:
    """Read passages with an extractor and keep what stands the checks of ``fault_of``."""
    return sort_proposals(passages, extractor.extract(passages))


def check_proposals(passages: Sequence[Passage], proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Return the proposals worth keeping: those that stand the checks of ``fault_of``, in their order, each once.

    Those of patterns that are too often wrong (``LEFT_OUT``) are not among them.
    """
    kept = sort_proposals(passages, proposals).proposals
    return tuple(proposal for proposal in kept if proposal.pattern not in LEFT_OUT)


def sort_proposals(passages: Sequence[Passage], proposals: Iterable[Proposal]) -> Extraction:
    """Sort proposals into those that stand and those that do not; the same one twice counts as "repeated"."""
    by_seq = {passage.seq: passage for passage in passages}
    kept: dict[tuple[object, ...], Proposal] = {}
    dropped: Counter[str] = Counter()
    for proposal in proposals:
        fault = fault_of(proposal, by_seq.get(proposal.seq))
        key = _key(proposal)
        if not fault and key in kept:
            fault = "repeated"
        if fault:
            dropped[fault] += 1
        else:
            kept[key] = proposal
    return Extraction(proposals=tuple(kept.values()), dropped=dict(dropped))


def fault_of(proposal: Proposal, passage: Passage | None) -> str:
    """Say why a proposal cannot be kept, in one or two words; empty when it can.

    Its passage must be among those read, its span inside the text, its confidence in (0, 1], its relation a known one
    or a verb, and its sides neither empty, too long, equal nor vague; both must stand in the span, but for a resolved
    pronoun, the title of a source that is the subject, a speaker, and the header of a table cell.
    """
    if passage is None:
        return "unknown passage"
    if not 0 <= proposal.start < proposal.end <= len(passage.text):
        return "span outside"
    if not 0.0 < proposal.confidence <= 1.0:
        return "confidence"
    if proposal.relation not in RELATIONS and not _VERB.fullmatch(proposal.relation):
        return "relation"
    return _fault_of_sides(proposal, passage)


def _fault_of_sides(proposal: Proposal, passage: Passage) -> str:
    sides = (proposal.subject, proposal.object)
    if not all(side.strip() for side in sides):
        return "empty side"
    if max(map(len, sides)) > LONGEST_SIDE:
        return "long side"
    if proposal.subject.casefold() == proposal.object.casefold():
        return "equal sides"
    if passage.modality is Modality.CODE or proposal.relation == "has_cell":
        return "" if _stands_in(proposal.object, _span(proposal, passage)) else "object not in span"
    if _is_vague_subject(proposal, passage) or (proposal.relation not in _SHORT_VALUES and is_vague(proposal.object)):
        return "vague side"
    span = _span(proposal, passage)
    if not (_names_entry(proposal.object, span) if proposal.relation == "cites" else _stands_in(proposal.object, span)):
        return "object not in span"
    return "" if _has_subject(proposal, passage, span) else "subject not in span"


def _is_vague_subject(proposal: Proposal, passage: Passage) -> bool:
    if proposal.relation == "found_under" or proposal.subject in {passage.speaker, passage.title}:
        return False
    return is_vague(proposal.subject)


def _has_subject(proposal: Proposal, passage: Passage, span: str) -> bool:
    if _stands_in(proposal.subject, span):
        return True
    if passage.speaker and proposal.subject == passage.speaker:
        return True
    if proposal.relation in _FROM_OUTSIDE and proposal.subject == passage.title:
        return True
    anaphor = proposal.qualifiers.get("anaphor", "")
    earlier = "\n".join((passage.title, passage.section, passage.before, passage.text[: proposal.end]))
    return bool(anaphor) and _stands_in(anaphor, span) and _stands_in(proposal.subject, earlier)


def _span(proposal: Proposal, passage: Passage) -> str:
    return passage.text[proposal.start : proposal.end]


def _stands_in(side: str, text: str) -> bool:
    """Whether the words are there; line ends, hyphens and asides (citations, parentheses) do not count."""
    if _flat(side) in _flat(text):
        return True
    wanted, there = _ASIDE.sub("", side), _ASIDE.sub("", text)
    return _squeezed(side) in _squeezed(text) or (bool(wanted.strip()) and _squeezed(wanted) in _squeezed(there))


def _names_entry(short: str, span: str) -> bool:
    """Whether the surnames and the year of "Lee et al. 2020" stand in what cites; an entry writes them apart."""
    words = [word for word in _WORD.findall(short) if word not in {"et", "al", "and"}]
    return bool(words) and all(_squeezed(word) in _squeezed(span) for word in words)


def _squeezed(text: str) -> str:
    return _GAPS.sub("", text).casefold()


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _key(proposal: Proposal) -> tuple[object, ...]:
    return (
        proposal.seq,
        proposal.start,
        proposal.end,
        proposal.subject.casefold(),
        proposal.relation,
        proposal.object.casefold(),
        proposal.negated,
        tuple(sorted(proposal.qualifiers.items())),
    )
