"""A message in, what its speaker says of himself out: prefers, dislikes, works_at, lives_in, stated.

The subject is the speaker of the passage. Chats are no prose, so the words themselves are matched, not a grammar:
small letters, left-out stops and half sentences are common. Questions, wishes, conditions and the past say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Passage, Proposal

PATTERN: Final = "conversation"


class _Form(NamedTuple):
    """One way to say something of oneself; ``group`` "object" of the pattern is the value."""

    relation: str
    pattern: re.Pattern[str]
    negated: bool = False
    is_plain: bool = True


_START: Final = (
    r"(?:^|[,;:.!—–-]\s*|\b(?:and|but|so|well|honestly|actually|personally|frankly|also|because|since|though|ok|okay|yes|yeah|"
    r"no|hi|hello|hey|fwiw|tbh|imo|as\s+you\s+know)[,\s]+)(?P<self>"
)
_ADVERBS: Final = (
    r"(?:(?:really|much|still|generally|usually|always|strongly|definitely|also|actually|personally|now|currently|"
    r"absolutely|just|honestly|normally|mostly|firmly|simply|do)\s+)*"
)
_STOP: Final = (
    r"(?=\s+(?:to|over|than|instead\s+of|rather\s+than|because|since|when|whenever|for|if|but|and|at|in|on|as|with|while|these|"
    r"though|although|so|now|unless|after|before|by|who|which|myself|anyway|any\s*more|most|too|very|a\s+lot|lately|again)\b|"
    r"\s*[,.;:!?()\n—–]|\s+-\s|$)"
)
_PLACE_STOP: Final = (
    r"(?=\s+(?:because|since|when|for|if|but|and|at|in|on|as|with|while|though|so|now|these|until|where|near|these\s+days|again|any\s?more|"
    r"too|from|currently|right)\b|\s*[.;:!?()\n—–]|,\s|\s+-\s|$)"
)
_VALUE: Final = r"(?P<object>(?:to\s+)?[^\s,.;:!?()](?:[^,;:!?()\n.]|\.(?=\w))*?)"
_NAME: Final = r"(?:the\s+)?(?P<object>[A-Z](?:[^,;:!?()\n.]|\.(?=\w))*?)"
_ANY: Final = r"(?:the\s+)?(?P<object>[^\s,.;:!?()](?:[^,;:!?()\n.]|\.(?=\w))*?)"
_ME: Final = r"(?:[Ii]|[Ww]e)"
_AM: Final = r"(?:[Ii](?:['’]m|\s+am)|[Ww]e(?:['’]re|\s+are))"


def _form(relation: str, words: str, tail: str, *, negated: bool = False, is_plain: bool = True) -> _Form:
    return _Form(relation, re.compile(f"{_START}{words})\\s+{tail}", re.IGNORECASE), negated, is_plain)


def _exact(relation: str, words: str, tail: str, *, negated: bool = False, is_plain: bool = True) -> _Form:
    """A form whose value is a name, so that capitals count."""
    return _Form(relation, re.compile(f"(?i:{_START}{words}))\\s+{tail}"), negated, is_plain)


_ROLE: Final = r"(?:an?|the|one\s+of\s+the)\s+(?:[\w/-]+\s+){1,4}?"
_FORMS: Final = (
    _form("prefers", rf"{_ME}(?:['’]d|\s+would)?\s+{_ADVERBS}(?:prefer|favou?r)", _VALUE + _STOP),
    _form(
        "prefers",
        rf"{_ME}(?:['’]d|\s+would)\s+(?:much\s+)?rather\s+(?:use|have|drink|eat|read|take|work\s+with)",
        _VALUE + _STOP,
    ),
    _form(
        "prefers",
        r"my\s+(?:own\s+)?(?:favou?rite|preferred)\s+[\w -]{2,40}?\s+(?:is|are|has\s+always\s+been|remains)",
        _VALUE + _STOP,
    ),
    _form("prefers", rf"{_AM}\s+(?:an?\s+)?(?:big|huge|great)?\s*fans?\s+of", _VALUE + _STOP, is_plain=False),
    _form("prefers", rf"{_ME}\s+{_ADVERBS}(?:like|love|enjoy|adore)", _VALUE + _STOP, is_plain=False),
    _form("dislikes", rf"{_ME}\s+{_ADVERBS}(?:dislike|hate|detest|loathe|despise)", _VALUE + _STOP),
    _form("dislikes", rf"{_ME}\s+(?:can['’]?t|cannot|could\s+never)\s+(?:stand|bear|abide)", _VALUE + _STOP),
    _form(
        "dislikes",
        rf"{_ME}\s+(?:really\s+)?(?:don['’]?t|do\s+not)\s+(?:really\s+|much\s+)?(?:like|enjoy|care\s+for)",
        _VALUE + _STOP,
    ),
    _form("dislikes", rf"{_AM}\s+(?:not|no)\s+(?:an?\s+)?(?:big\s+|huge\s+|great\s+)?fan\s+of", _VALUE + _STOP),
    _exact(
        "works_at",
        rf"(?:{_ME}\s+{_ADVERBS}work|{_AM}\s+{_ADVERBS}(?:working|employed))\s+(?:at|for|with)",
        _NAME + _PLACE_STOP,
    ),
    _Form(
        "works_at",
        re.compile(rf"\b[Ll]ive\s+in\s+[A-Z]\w+,?\s+and\s+(?P<self>work)\s+(?:at|for)\s+{_NAME}{_PLACE_STOP}"),
    ),
    _form("dislikes", rf"{_AM}\s+not\s+(?:very\s+|really\s+)?fond\s+of", _VALUE + _STOP),
    _exact("works_at", rf"{_AM}\s+{_ADVERBS}{_ROLE}(?:at|for|with)", _NAME + _PLACE_STOP),
    _exact(
        "works_at",
        rf"{_ME}(?:['’]ve)?\s+(?:just\s+|recently\s+)?(?:joined|started\s+(?:work\s+)?at)",
        _NAME + _PLACE_STOP,
        is_plain=False,
    ),
    _form("works_at", rf"{_ME}\s+{_ADVERBS}work\s+(?:at|for)", _ANY + _PLACE_STOP, is_plain=False),
    _exact(
        "lives_in",
        rf"(?:{_ME}\s+{_ADVERBS}(?:live|reside)|{_AM}\s+{_ADVERBS}(?:living|based))\s+in",
        _NAME + _PLACE_STOP,
    ),
    _exact(
        "lives_in",
        rf"{_ME}(?:['’]ve)?\s+(?:just\s+|recently\s+)?(?:moved|relocated)\s+to",
        _NAME + _PLACE_STOP,
        is_plain=False,
    ),
    _exact("lives_in", rf"{_ME}\s+(?:don['’]?t|do\s+not|no\s+longer)\s+live\s+in", _NAME + _PLACE_STOP, negated=True),
    _exact(
        "works_at",
        rf"{_ME}\s+(?:don['’]?t|do\s+not|no\s+longer)\s+work\s+(?:at|for)",
        _NAME + _PLACE_STOP,
        negated=True,
    ),
    _form(
        "stated",
        rf"{_ME}\s+(?:also\s+|just\s+|already\s+)?(?:said|agreed|decided|concluded|confirmed|noted)\s+that",
        r"(?P<object>\S.*)$",
    ),
    _form("stated", rf"{_ME}\s+(?:also\s+|just\s+)?(?:agreed|decided)\s+to", r"(?P<object>\S.*)$"),
    _form("lives_in", rf"{_ME}\s+{_ADVERBS}live\s+in", _ANY + _PLACE_STOP, is_plain=False),
    _form(
        "stated",
        rf"(?:[Ii]\s+{_ADVERBS}(?:think|believe|reckon|suspect|maintain|say|guess|expect|insist)|"
        rf"[Ii](?:['’]m|\s+am)\s+{_ADVERBS}(?:sure|certain|convinced|confident|afraid|positive))(?:\s+that)?",
        r"(?!(?:so|not|of|about|it\s+over|that['’]?s|this|that|twice|again)\b)(?P<object>\S.*)$",
    ),
    _form("stated", r"in\s+my\s+(?:opinion|view|experience),?", r"(?P<object>\S.*)$"),
    _form(
        "stated",
        r"[Ii]\s+(?:really\s+)?(?:don['’]?t|do\s+not)\s+(?:think|believe)(?:\s+that)?",
        r"(?!(?:so|it|that|this)\b)(?P<object>\S.*)$",
        negated=True,
    ),
)
_UNSAID: Final = re.compile(
    r"\?\s*[\"'”)]*$|\b(?:if|unless|whether|suppose|imagine|wish|let['’]?s\s+say|pretend|joking|jk|kidding)\b",
    re.IGNORECASE,
)
_ACTIVITY: Final = re.compile(
    r"(?:[a-z]+ing|to\s+[a-z]+)\b(?:(?!\s+(?:to|over|than|instead|rather|because|since|but|if|when|and|so)\b)[^,.;:!?()\n])*"
)
_CONDITION: Final = re.compile(r"\b(?:if|unless)\s+(?:it|they|you|he|she|we|I|that|there)\b")
_PAST: Final = re.compile(r"\bused\s+to\b[^,;.!?]*$", re.IGNORECASE)  # in the same clause
_QUOTES: Final = re.compile('["“«][^"”»]*["”»]|(?:^|\n)\\s*>[^\n]*')
_BORDER: Final = re.compile(r"\n+|(?<=[^.][a-z)][.!?])\s+(?=[a-z])(?<!e\.g\.\s)(?<!i\.e\.\s)(?<!etc\.\s)(?<!vs\.\s)")
_ADDED: Final = re.compile(
    r",?\s+but\s|\s[–—-]\s|;\s|,\s+(?:so|and\s+I|though|although|let\s+me|right)\b|\s[:;]-?[()D]"
)
_VAGUE: Final = re.compile(
    r"(?:to\s+(?:think|say|admit|interrupt|break|disappoint|be\s+that|see|tell|ask|bother)|hope|fear|it|that|this|these|those|them|him|her|you|one|both|neither|either|not|what|how|when|something|anything|nothing|"
    r"the\s+(?:former|latter|first|second|other)\s*(?:one)?|here|there|home|myself|everything|same|the\s+same)(?:\s.*)?",
    re.IGNORECASE,
)
_LONGEST_VALUE: Final = 10  # words
_LONGEST_STATEMENT: Final = 40  # words


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield what the speaker of a message says of himself; nothing for a passage without a speaker."""
    if not passage.speaker:
        return
    for start, end in _messages(passage.text):
        raw = passage.text[start:end]
        # What is quoted was said by somebody else; blanks keep the offsets.
        text = _QUOTES.sub(lambda match: " " * len(match.group()), raw)
        seen: set[tuple[str, str]] = set()
        for form in _FORMS:
            match = form.pattern.search(text)
            if match is None or _is_unsaid(text, match, form):
                continue
            end_at = match.end("object")
            if form.relation in ("prefers", "dislikes"):
                end_at = _end_of_activity(text, match.start("object"), end_at)
            value = _cut(text[match.start("object") : end_at], form)
            if (form.relation, value) not in seen and _is_worth(value, form):
                seen.add((form.relation, value))
                yield _fact(passage, form, value, start, end)


def _messages(text: str) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(text):
        position = start
        # Chats begin sentences in small letters, which prose does not.
        for border in (*_BORDER.finditer(text, start, end), None):
            stop = border.start() if border else end
            if text[position:stop].strip():
                yield position, stop
            position = border.end() if border else end


def _is_unsaid(text: str, match: re.Match[str], form: _Form) -> bool:
    """Whether the words around make it a question, a wish, a condition or the past."""
    before = text[: match.start("self")]
    if _UNSAID.search(before) or _PAST.search(before) or text.rstrip(" \"'”)").endswith("?"):
        return True
    behind = text[match.end("self") :]
    return form.relation != "stated" and _CONDITION.search(behind) is not None


def _end_of_activity(text: str, start: int, end: int) -> int:
    """Tell where a value ends: "working in the morning" keeps what says when and where, a thing does not."""
    activity = _ACTIVITY.match(text, start)
    return max(end, activity.end()) if activity else end


def _cut(value: str, form: _Form) -> str:
    """The value without what the speaker adds: "the cache is stale, but let me check"."""
    kept = _ADDED.split(value)[0] if form.relation == "stated" else value
    return kept.strip().rstrip(" .!")


def _is_worth(value: str, form: _Form) -> bool:
    longest = _LONGEST_STATEMENT if form.relation == "stated" else _LONGEST_VALUE
    if not value or len(value.split()) > longest:
        return False
    if form.relation == "stated":
        return len(value.split()) >= 3
    return _VAGUE.fullmatch(value) is None


def _fact(passage: Passage, form: _Form, value: str, start: int, end: int) -> Proposal:
    pattern = PATTERN if form.is_plain and not form.negated else f"{PATTERN}.loose"
    return Proposal(
        seq=passage.seq,
        start=start,
        end=end,
        subject=passage.speaker,
        relation=form.relation,
        object=value,
        pattern=pattern,
        confidence=confidence_of(pattern),
        negated=form.negated,
    )
