"""The page she accepted and a fresh compile in, the page as shown and the proposed changes out. Nothing is kept here.

A sentence that still says the same stays, whatever became of its records. One whose words would change, or whose claim
has left, is stale: it says why, and what would replace it. What is new is a proposal too. What she forgot or removed is
never shown again: only the reason is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.types import (
    ClaimStatus,
    EditionDetails,
    EditionSentence,
    RecordId,
    WikiChange,
    WikiPage,
    WikiSentence,
)
from trisynapse_memory.types.compiled import WikiSection
from trisynapse_memory.wiki.matching import Pairs, match_sentences

REASONS_TOLD: Final = 3  # in "last changed because"; more would be a list nobody reads
FIRST_BUILT: Final = "first built"


class Fate(StrEnum):
    """What became of a record that a sentence rests on; PENDING: its source, or a new version, is still being read."""

    HERE = "here"
    PENDING = "pending"
    REPLACED = "replaced"
    FORGOTTEN = "forgotten"
    REMOVED = "removed"


_GONE: Final = frozenset((Fate.FORGOTTEN, Fate.REMOVED))
_FATE_WORDS: Final = MappingProxyType(
    {
        Fate.REMOVED: "its evidence was removed",
        Fate.FORGOTTEN: "its evidence was forgotten",
        Fate.PENDING: "its source is still being read",
        Fate.REPLACED: "its source has a new version",
    }
)
_STATUS_WORDS: Final = MappingProxyType(
    {
        "resolved": "resolved by you",
        ClaimStatus.CONTESTED.value: "now contested",
        ClaimStatus.SUPERSEDED.value: "replaced by a newer statement",
    }
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the records behind accepted sentences: what became of them, and her corrections of them."""

    fates: Mapping[str, Fate] = field(default_factory=dict[str, Fate])
    corrections: Mapping[str, str] = field(default_factory=dict[str, str])

    def has(self, sentence: EditionSentence, *fates: Fate) -> bool:
        """Tell whether any record of a sentence met one of these fates."""
        return any(self.fates.get(record_id, Fate.HERE) in fates for record_id in sentence.record_ids)


@dataclass(frozen=True, slots=True)
class Comparison:
    """An accepted page beside a fresh one: the page to show, the changes to decide, and who is who."""

    page: WikiPage
    changes: tuple[WikiChange, ...]
    fresh: Mapping[str, WikiSentence]
    pairs: Pairs


def adopt(page: WikiPage) -> EditionDetails:
    """Return the first edition of a page: everything on it counts as accepted."""
    return EditionDetails(
        slug=page.slug,
        title=page.title,
        page_kind=page.kind,
        sentences=tuple(_accepted(sentence) for sentence in page.sentences),
        because=FIRST_BUILT,
    )


def compare(edition: EditionDetails, fresh: WikiPage, evidence: Evidence) -> Comparison:
    """Hold the page she accepted against a fresh compile.

    Args:
        edition: what she accepted last.
        fresh: the page as it would be compiled now; without sentences where its subject has left.
        evidence: what became of the records of ``edition``.

    Returns:
        The page in the order of the fresh one, a sentence that left beside its old neighbour, and one change for each
        stale sentence that she has not refused or kept.
    """
    pairs = match_sentences(edition.sentences, fresh.sentences)
    statuses = _statuses(fresh)
    shown: dict[str, WikiSentence] = {}
    changes: list[WikiChange] = []
    for old in edition.sentences:
        new = pairs.get(old.key)
        verdict = _judge(old, new, edition, _reason(old, new, evidence, statuses), evidence)
        shown[old.key] = verdict
        if verdict.stale:
            changes.append(_change(edition, verdict))
    matched = {sentence.key for sentence in pairs.values()}
    for new in fresh.sentences:
        if new.key not in matched and edition.rejected.get(new.key) != new.text:
            shown[new.key] = structs.replace(
                new, text="", stale=True, reason=_why_new(new), proposal=new.text, cells=()
            )
            changes.append(_change(edition, shown[new.key]))
    return Comparison(
        page=structs.replace(fresh, sentences=tuple(_ordered(edition, fresh, pairs, shown))),
        changes=tuple(changes),
        fresh={sentence.key: sentence for sentence in fresh.sentences},
        pairs=pairs,
    )


def accept(edition: EditionDetails, comparison: Comparison, keys: Sequence[str]) -> EditionDetails:
    """Return the edition with these proposals taken: replaced, added or gone."""
    chosen = _changes_of(comparison, keys)
    by_key = {sentence.key: sentence for sentence in edition.sentences}
    kept: list[EditionSentence] = []
    for sentence in comparison.page.sentences:
        if sentence.key not in chosen:
            old = by_key.get(sentence.key)
            kept += [] if old is None else [_renewed(old, comparison)]
            continue
        new = comparison.pairs.get(sentence.key) or comparison.fresh.get(sentence.key)
        if new is not None and sentence.proposal:
            kept.append(_accepted(new))
    rejected = {key: text for key, text in edition.rejected.items() if key not in chosen}
    return structs.replace(
        edition, sentences=tuple(kept), rejected=rejected, because=_told(change.reason for change in chosen.values())
    )


def reject(edition: EditionDetails, comparison: Comparison, keys: Sequence[str]) -> EditionDetails:
    """Return the edition with these proposals refused; one comes back only when it says something else."""
    chosen = _changes_of(comparison, keys)
    refused = {key: change.after for key, change in chosen.items()}
    return structs.replace(edition, rejected={**edition.rejected, **refused})


def keep(edition: EditionDetails, comparison: Comparison, keys: Sequence[str]) -> EditionDetails:
    """Return the edition with these sentences kept as they are, whatever their sources will say.

    Raises:
        InvalidInputError: one of them is new, or its evidence was forgotten: there is nothing to keep.
    """
    chosen = _changes_of(comparison, keys)
    for change in chosen.values():
        if not change.before:
            raise InvalidInputError(
                f"The sentence '{change.key}' has no words to keep ({change.reason}).", hint="Accept or reject it."
            )
    sentences = tuple(
        structs.replace(sentence, kept=True) if sentence.key in chosen else sentence for sentence in edition.sentences
    )
    return structs.replace(edition, sentences=sentences)


def _judge(
    old: EditionSentence, new: WikiSentence | None, edition: EditionDetails, reason: str, evidence: Evidence
) -> WikiSentence:
    """Return one accepted sentence as it is shown now."""
    if new is not None and new.text == old.text:
        return structs.replace(new, key=old.key)
    is_gone = evidence.has(old, *_GONE)
    shown = WikiSentence(
        key=old.key,
        text="" if is_gone else old.text,
        claim_ids=old.claim_ids,
        record_ids=tuple(RecordId(record_id) for record_id in old.record_ids),
        section=old.section,
        status="active" if new is None else new.status,
        reason=reason,
    )
    if old.kept and not is_gone:
        return structs.replace(shown, status="kept", reason=f"kept by you; {reason}")
    if evidence.has(old, Fate.PENDING) and not is_gone:
        return shown  # whether it still says the same is not known yet
    after = "" if new is None else new.text
    if edition.rejected.get(old.key) == after:
        return structs.replace(shown, reason=f"{reason}; you refused the change")
    return structs.replace(shown, stale=True, proposal=after, supports=() if new is None else new.supports)


def _reason(
    old: EditionSentence, new: WikiSentence | None, evidence: Evidence, statuses: Mapping[str, frozenset[str]]
) -> str:
    """Say why an accepted sentence no longer stands as it is, the strongest reason first."""
    for fate, words in _FATE_WORDS.items():
        if evidence.has(old, fate):
            return words
    for record_id in old.record_ids:
        if record_id in evidence.corrections:
            return f"corrected: {evidence.corrections[record_id]}"
    found = {status for claim_id in old.claim_ids for status in statuses.get(claim_id, ())}
    for status, words in _STATUS_WORDS.items():
        if status in found:
            return words
    return "no longer supported as it stands" if new is None else "its evidence now says it differently"


def _statuses(page: WikiPage) -> dict[str, frozenset[str]]:
    """Return how the sentences of each claim stand on a page."""
    found: dict[str, frozenset[str]] = {}
    for sentence in page.sentences:
        for claim_id in sentence.claim_ids:
            found[claim_id] = found.get(claim_id, frozenset()) | {sentence.status}
    return found


def _why_new(sentence: WikiSentence) -> str:
    if sentence.status == "resolved":
        return _STATUS_WORDS[sentence.status]
    if sentence.section == WikiSection.SUPERSEDED and sentence.cells[-1]:
        return sentence.cells[-1]
    title = sentence.supports[0].title if sentence.supports else ""
    return f"new in {title or 'your sources'}"


def _change(edition: EditionDetails, sentence: WikiSentence) -> WikiChange:
    return WikiChange(
        slug=edition.slug,
        title=edition.title,
        key=sentence.key,
        before=sentence.text,
        after=sentence.proposal,
        reason=sentence.reason,
        claim_ids=sentence.claim_ids,
    )


def _ordered(
    edition: EditionDetails, fresh: WikiPage, pairs: Pairs, shown: Mapping[str, WikiSentence]
) -> list[WikiSentence]:
    """Put sentences in the order of the fresh page; one that has left follows the sentence it followed before."""
    old_key = {new.key: key for key, new in pairs.items()}
    order = [old_key.get(sentence.key, sentence.key) for sentence in fresh.sentences]
    order = [key for key in order if key in shown]
    for index, old in enumerate(edition.sentences):
        if old.key in pairs:
            continue
        before = next((one.key for one in reversed(edition.sentences[:index]) if one.section == old.section), None)
        if before in order:
            order.insert(order.index(before) + 1, old.key)
        else:
            order.insert(_first_of([shown[key].section for key in order], old.section), old.key)
    return [shown[key] for key in order]


def _first_of(sections: Sequence[str], wanted: str) -> int:
    """Return where a section begins, or would begin, among those of a page."""
    if wanted in sections:
        return sections.index(wanted)
    ranks: list[str] = list(WikiSection)
    if wanted not in ranks:
        return len(sections)
    later = (place for place, one in enumerate(sections) if one in ranks and ranks.index(one) > ranks.index(wanted))
    return next(later, len(sections))


def _changes_of(comparison: Comparison, keys: Sequence[str]) -> dict[str, WikiChange]:
    """Return the named changes by key, all without a name.

    Raises:
        InvalidInputError: the page has no such change.
    """
    known = {change.key: change for change in comparison.changes}
    for key in keys:
        if key not in known:
            raise InvalidInputError(
                f"The page '{comparison.page.slug}' has no change '{key}'.", hint="`wiki changes` lists them."
            )
    return {key: known[key] for key in keys} if keys else known


def _renewed(old: EditionSentence, comparison: Comparison) -> EditionSentence:
    """Return an accepted sentence with its evidence of now, where it still says the same."""
    new = comparison.pairs.get(old.key)
    return old if new is None or new.text != old.text else structs.replace(_accepted(new), key=old.key, kept=old.kept)


def _accepted(sentence: WikiSentence) -> EditionSentence:
    return EditionSentence(
        key=sentence.key,
        text=sentence.text,
        claim_ids=sentence.claim_ids,
        record_ids=tuple(sentence.record_ids),
        section=sentence.section,
    )


def _told(reasons: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    rest = len(distinct) - REASONS_TOLD
    return "; ".join(distinct[:REASONS_TOLD]) + (f"; and {rest} more" if rest > 0 else "")


Decision = Callable[[EditionDetails, Comparison, Sequence[str]], EditionDetails]
"""``accept``, ``reject`` or ``keep``."""
