"""What an answer is made of: sentences, citations and the reason where there is none; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from trisynapse_memory.types.compiled import Claim
from trisynapse_memory.types.model import Usage
from trisynapse_memory.types.query import Coverage
from trisynapse_memory.types.record import Locator, RecordId, SourceId

REPLACED_FIELD = "corrects"
"""The field in which a correction carries, while a question is answered, the words it replaced."""


class CitationVerdict(StrEnum):
    """How a sentence relates to the span it cites. The first three pass; a paraphrase is marked as one."""

    VERBATIM = "verbatim"
    NORMALISED = "normalised"
    PARAPHRASE = "paraphrase"
    STITCHED = "stitched"
    WRONG_SOURCE = "wrong-source"
    NOT_FOUND = "not-found"

    @property
    def passes(self) -> bool:
        """Whether a sentence with this verdict may be shown as fact."""
        return self in (CitationVerdict.VERBATIM, CitationVerdict.NORMALISED, CitationVerdict.PARAPHRASE)


class AnswerForm(StrEnum):
    """How an answer is laid out: sentences, a part for each side, bullets, or sentences behind a Yes or No."""

    PLAIN = ""
    COMPARISON = "comparison"
    LIST = "list"
    YES_NO = "yes-no"


class Citation(Struct, frozen=True, kw_only=True):
    """One numbered reference to a record; the locator is that of the excerpt (at most 500 characters)."""

    n: int
    record_id: RecordId
    source_id: SourceId | None
    source_key: str
    title: str
    locator: Locator | None
    excerpt: str
    verdict: CitationVerdict
    observed_at: datetime | None = None


_MARKS: Final = " *-\u2013\u2022\u2023\u2219\u00b7\u25aa\u25cb\u25cf\u25e6\uf0a7\uf0b7\uf0d8"
"""What may stand before the first entry of a list, and says nothing."""


class AnswerSentence(Struct, frozen=True, kw_only=True):
    """One sentence of an answer with the numbers of the citations that carry it.

    ``status`` is ``contested`` where the sources disagree, ``correction`` where she said it herself, else empty.
    ``part`` names the side of a comparison that it is about. ``items`` are stretches of ``text``, in its order, for a
    sentence that enumerates what a list question asks for: each is a bullet.
    """

    text: str
    citations: tuple[int, ...]
    status: str = ""
    part: str = ""
    items: tuple[str, ...] = ()

    def around(self) -> tuple[str, str]:
        """Return what the sentence says before its first item and behind its last; all of it before, without items."""
        start, end = -1, 0
        for one in self.items:
            place = self.text.find(one, end)
            if place < 0:
                return self.text, ""
            start, end = place if start < 0 else start, place + len(one)
        if start < 0:
            return self.text, ""
        before, behind = self.text[:start].rstrip(_MARKS), self.text[end:].lstrip(" ,;").rstrip()
        return before.removesuffix(" 1."), behind if any(map(str.isalnum, behind)) else ""

    def lines(self, behind: str, *, listed: bool) -> list[str]:
        """Return the sentence as lines of Markdown.

        Args:
            behind: what follows it, and each of its items: its citations.
            listed: whether it belongs to a list, so that it, or each of its items, is a bullet.
        """
        if not listed:
            return [f"{self.text}{behind}"]
        if not self.items:
            return [f"- {self.text}{behind}"]
        before, rest = self.around()
        return [*filter(None, [before]), *(f"- {item}{behind}" for item in self.items), *filter(None, [rest])]


class Nearest(Struct, frozen=True, kw_only=True):
    """The closest passage to a question that could not be answered, and what it says instead."""

    record_id: RecordId
    source_id: SourceId | None
    source_key: str
    title: str
    locator: Locator | None
    excerpt: str


class StruckSentence(Struct, frozen=True, kw_only=True):
    """What the vault said before she corrected it: the old words, the record that replaced them, and her reason."""

    text: str
    record_id: RecordId
    correction_id: RecordId
    reason: str


class Answer(Struct, frozen=True, kw_only=True):
    """A grounded answer, or an abstention with its reason and the nearest evidence.

    ``level`` of an abstention is ``none`` (nothing about it in the vault) or ``nearest`` (about something close);
    of an answer it is ``answer``. ``withheld`` counts sentences that failed their verdict. ``contested`` holds the
    claims behind the answer that sources dispute, both sides with their evidence; ``struck`` the sentences that she has
    corrected, with her reason. ``as_of_seq`` is the log position read, where it was not the newest.

    ``asked_as`` is what was looked for where a follow-up question cannot be understood alone. ``model`` is
    ``service/model`` where a model wrote it, and ``usage`` what that took; ``note`` says in one sentence why a model
    that was wanted wrote nothing or not all. ``not_sent`` counts passages that were not shown to it, and ``asks`` names
    the collections of those that she could share. ``confidence`` in [0, 1] is how likely the evidence answers the
    question, as it was judged before any sentence was chosen, also for a refusal.

    ``form`` is how the sentences are laid out where no model wrote them. ``lead`` is said before them and is no
    quotation: "Yes.", how many bullets there are, which of two cited values is more, or which side of a comparison
    nothing is said of.
    """

    query_id: str
    question: str
    answer: str
    abstain: bool
    reason: str = ""
    level: str = "answer"
    sentences: tuple[AnswerSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    coverage: Coverage = Coverage()
    nearest: tuple[Nearest, ...] = ()
    withheld: int = 0
    would_answer: str = ""
    contested: tuple[Claim, ...] = ()
    struck: tuple[StruckSentence, ...] = ()
    as_of_seq: int | None = None
    asked_as: str = ""
    model: str | None = None
    usage: Usage | None = None
    note: str = ""
    not_sent: int = 0
    asks: tuple[str, ...] = ()
    confidence: float = 0.0
    form: AnswerForm = AnswerForm.PLAIN
    lead: str = ""
    timings_ms: dict[str, float] = {}


class AnswerStage(StrEnum):
    """How far an answer is: the best passages are there, a model is asked, a sentence of it stands, it is finished."""

    EVIDENCE = "evidence"
    WRITING = "writing"
    SENTENCE = "sentence"
    ANSWER = "answer"


class AnswerStep(Struct, frozen=True, kw_only=True):
    """What is told of a question while it is answered, in this order, each at once.

    ``evidence`` brings ``passages``, best first, and ``asked_as``; ``writing`` the ``model`` that is asked (not told
    where none is); ``sentence`` one ``sentence`` that passed its verdict, with the ``citations`` it is the first to
    carry; ``answer`` the finished ``answer``. What was told before is replaced by the finished answer: a sentence may
    join it, and where the model wrote nothing that stands, it is in the words of the sources.
    """

    ask_id: str
    stage: AnswerStage
    passages: tuple[Nearest, ...] = ()
    asked_as: str = ""
    model: str = ""
    sentence: AnswerSentence | None = None
    citations: tuple[Citation, ...] = ()
    answer: Answer | None = None
