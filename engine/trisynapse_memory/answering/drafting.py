"""A question and its hits in, what a model is asked out; its rows in, checked sentences with citations out.

Nothing a model writes is shown unless a passage it was given says it (``support.py``), it is about the question, and it
can be read where it stands. The model is asked elsewhere; whether to answer at all was decided before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, structs

from trisynapse_memory.answering.citations import Locate, Place, is_correction
from trisynapse_memory.answering.inquiry import Inquiry, TextKeys
from trisynapse_memory.answering.sentences import (
    ends_sentence,
    is_conversation,
    is_quotable,
    leans,
    one_line,
    speaker_of,
)
from trisynapse_memory.answering.support import Backing, find_backings
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.contracts import Completer, SentenceParser, TokenCounter
from trisynapse_memory.text.prompts import ANSWER, load_prompt
from trisynapse_memory.text.replies import numbers_of, text_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.windows import Window, cut_windows, estimate_tokens, room_of, write_evidence
from trisynapse_memory.types import (
    REPLACED_FIELD,
    AnswerSentence,
    Citation,
    CitationVerdict,
    Hit,
    Passage,
    Prompt,
    Role,
)

ROWS: Final = "sentences"
MOST_SENTENCES: Final = 6  # shown of a reply; what a model adds beyond is repetition
MOST_JUDGED: Final = 24  # sentences of a reply; one that nothing says takes 70 ms over ten passages
MOST_PASSAGES: Final = 10
LOCAL_PASSAGES: Final = 3  # a model of 1.5 billion weights reads 20 tokens a second on one core, and she waits
LOCAL_SENTENCES: Final = 3
LONGEST_SENTENCE: Final = 300  # characters; a small model that has begun to repeat itself ends there
LOCAL_OUTPUT_TOKENS: Final = 1_024  # more than three such sentences can take, so that the reply is always whole
LOCAL_CHARS: Final = 360  # of each of them: the sentences about the question
LONGEST_QUESTION: Final = 2_000  # characters
ABOUT_SHARE: Final = 0.34  # of the coverage of the best passage, for a sentence to be about the question

_CORRECTION: Final = "The reader corrected her sources with this."
_MARKS: Final = re.compile(r"\*\*|__|`|\s*\[(?:\d{1,2}(?:, ?)?)+\](?=[.,;!?]|$)")  # emphasis, and citations in the text
_GAP: Final = re.compile(r"[^\S\n]{3,}")


class Said(NamedTuple):
    """One sentence that stands, and the citations that it is the first to carry."""

    sentence: AnswerSentence
    citations: tuple[Citation, ...]


class Brief(Struct, frozen=True, kw_only=True):
    """What a model is asked, and the hits it is shown: passage ``n`` is ``hits[n - 1]``, or the part that fits."""

    prompt: Prompt
    window: Window
    hits: tuple[Hit, ...]
    closing: str

    def again(self, fault: str) -> Prompt:
        """Return the same prompt, saying why the last reply could not be used."""
        return structs.replace(self.prompt, text=write_evidence(self.window, self.closing, fault))


def write_brief(
    inquiry: Inquiry, hits: Sequence[Hit], completer: Completer, count_tokens: TokenCounter = estimate_tokens
) -> Brief:
    """Write the prompt that asks a model to answer from hits.

    Args:
        inquiry: what is to be answered.
        hits: what it may be shown, the most useful first; as many as fit its window, and little where it is slow.
        completer: whose window it is.
        count_tokens: counts as the model does; without one, tokens are estimated from above.

    Raises:
        ProviderError: its window is too small.
    """
    instructions = load_prompt(ANSWER).text
    closing = f"Question: {' '.join(inquiry.question.split())[:LONGEST_QUESTION]}"
    room = room_of(completer, f"{instructions}\n{closing}", count_tokens)
    if completer.is_remote:
        passages = [passage_of(hit, hit.record.text) for hit in hits[:MOST_PASSAGES]]
    else:
        passages = [passage_of(hit, best_run(hit.record.text, inquiry)) for hit in hits[:LOCAL_PASSAGES]]
    window = cut_windows(passages, room.passage_tokens, count_tokens, shows_unseen=False)[0]
    by_seq = {hit.record.seq: hit for hit in hits}
    prompt = Prompt(
        instructions=instructions,
        text=write_evidence(window, closing),
        schema=answer_schema(len(window.parts), is_remote=completer.is_remote),
        # A remote model may think aloud first, which counts too.
        max_output_tokens=room.output_tokens if completer.is_remote else min(LOCAL_OUTPUT_TOKENS, room.output_tokens),
        role=Role.ANSWER,
        source_ids=window.source_ids,
    )
    return Brief(
        prompt=prompt,
        window=window,
        hits=tuple(by_seq[part.passage.seq] for part in window.parts),
        closing=closing,
    )


def answer_schema(passage_count: int, *, is_remote: bool = True) -> dict[str, object]:
    """Return the JSON Schema of a reply over passages 1 to ``passage_count``: no other number can be cited.

    A model in this machine is held to a few short sentences; services differ in which limits their schemas may name.
    """
    number = {"type": "integer", "enum": list(range(1, passage_count + 1))}
    sentence = {
        "type": "object",
        "properties": {
            "passages": {"type": "array", "items": number, "minItems": 1, "maxItems": 3},
            "text": {"type": "string"} if is_remote else {"type": "string", "maxLength": LONGEST_SENTENCE},
        },
        "required": ["passages", "text"],
        "additionalProperties": False,
    }
    most = MOST_SENTENCES if is_remote else LOCAL_SENTENCES
    return {
        "type": "object",
        "properties": {ROWS: {"type": "array", "items": sentence, "maxItems": most}},
        "required": [ROWS],
        "additionalProperties": False,
    }


def best_run(text: str, inquiry: Inquiry) -> str:
    """Return the sentences of a text about a question, as far as ``LOCAL_CHARS`` go: the best, and those around it."""
    spans = sentence_spans(text)
    if len(text) <= LOCAL_CHARS or not spans:
        return text
    worth = [inquiry.coverage(TextKeys.of(text[start:end])) for start, end in spans]
    first = last = max(range(len(spans)), key=lambda index: (worth[index], -index))
    while True:
        sides = [(first - 1, last), (first, last + 1)]
        fits = [
            (left, right)
            for left, right in sides
            if left >= 0 and right < len(spans) and spans[right][1] - spans[left][0] <= LOCAL_CHARS
        ]
        if not fits:
            return text[spans[first][0] : spans[last][1]]
        # What comes before tells what a sentence is about; of two that fit, the one with more of the question.
        first, last = max(fits, key=lambda side: worth[side[0]] if side[0] < first else worth[side[1]])


def passage_of(hit: Hit, text: str) -> Passage:
    """Return a hit as a model is shown it, with the part of its text that fits; what was struck out is an ellipsis."""
    record = hit.record
    return Passage(
        seq=record.seq,
        text=_GAP.sub(" … ", text).strip(),
        title=hit.title,
        section=_CORRECTION if is_correction(hit) else "",
        speaker=speaker_of(hit),
        source_id=record.source_id,
    )


class Drafting:
    """Takes the rows of a reply one by one, and keeps what stands.

    Args:
        inquiry: the question, taken apart.
        hits: what the model was shown.
        locate: the way from offsets to a place.
        excerpt_max_chars: longest excerpt of a citation.
        parser: reads the grammar of what the word rules leave open; None for the rules alone.
    """

    def __init__(
        self,
        inquiry: Inquiry,
        hits: Sequence[Hit],
        locate: Locate,
        excerpt_max_chars: int,
        parser: SentenceParser | None = None,
    ) -> None:
        self._inquiry = inquiry
        self._hits = tuple(hits)
        self._locate = locate
        self._limit = excerpt_max_chars
        self._parser = parser
        keys = [TextKeys.of(hit.record.text) for hit in hits]
        self._least = ABOUT_SHARE * max((inquiry.coverage(one) for one in keys), default=0.0)
        self._talk = is_conversation(hits)
        self._sentences: list[AnswerSentence] = []
        self._citations: dict[tuple[Place, str], Citation] = {}
        self._seen: set[str] = set()
        self.withheld = 0

    def take(self, row: dict[str, object]) -> tuple[Said, ...]:
        """Judge one row of the reply; return what of it stands, to be shown at once."""
        said = one_line(text_of(row.get("text")))
        named = numbers_of(row.get("passages"))
        pieces = [piece for text in _cut(said) for piece in self._pieces(text, named)]
        return tuple(found for piece in pieces if (found := self._judged(piece, named)) is not None)

    def _pieces(self, text: str, named: Sequence[int]) -> Sequence[str]:
        """A sentence as it is where something backs it; else what a model joined with semicolons, each by itself."""
        if ";" not in text or self._is_full or self._backings(text, named):
            return (text,)
        return [part.strip() for part in text.split(";") if part.strip()]

    def _judged(self, text: str, named: Sequence[int]) -> Said | None:
        if text.casefold() in self._seen or self._is_full:
            return None
        self._seen.add(text.casefold())
        text, backings = self._backed(text, named)
        if not backings or self._hangs(text, backings):
            self.withheld += 1
            return None
        if all(self._is_shown(one) for one in backings):
            return None
        fresh = [self._cite(backing) for backing in backings]
        status = "correction" if any(is_correction(one.hit) for one in backings) else ""
        sentence = AnswerSentence(text=text, citations=tuple(one.n for one, _ in fresh), status=status)
        self._sentences.append(sentence)
        return Said(sentence, tuple(one for one, is_new in fresh if is_new))

    @property
    def _is_full(self) -> bool:
        return len(self._sentences) >= MOST_SENTENCES or len(self._seen) >= MOST_JUDGED

    def _backed(self, text: str, named: Sequence[int]) -> tuple[str, tuple[Backing, ...]]:
        """A sentence with what backs it, without the marks a model put into it unless the source has them too."""
        backings = self._backings(text, named)
        bare = _MARKS.sub("", text).strip()
        if bare == text or any(one.verdict is CitationVerdict.VERBATIM for one in backings):
            return text, backings
        return (bare, found) if (found := self._backings(bare, named)) else (text, backings)

    def _backings(self, text: str, named: Sequence[int]) -> tuple[Backing, ...]:
        if not is_quotable(text, self._talk):
            return ()
        found = [one for one in find_backings(text, self._hits, named, self._parser) if self._is_about(text, one)]
        return tuple(one for one in found if self._talk or not (_is_title(one) or _is_fragment(text, one)))

    def _is_about(self, text: str, backing: Backing) -> bool:
        """Whether a sentence, with the one it rests on and its title, has enough of the question."""
        hit = backing.hit
        texts = (
            text,
            hit.record.text[backing.start : backing.end],
            hit.title,
            hit.record.fields.get(REPLACED_FIELD, ""),
        )
        return self._inquiry.coverage(*map(TextKeys.of, filter(None, texts))) >= self._least

    def _hangs(self, text: str, backings: Sequence[Backing]) -> bool:
        """Whether it leans on a sentence that was not shown right before it."""
        if not leans(text):
            return False
        last = self._sentences[-1].citations if self._sentences else ()
        before = {place.seq for (place, _), citation in self._citations.items() if citation.n in last}
        return not any(one.hit.record.seq in before for one in backings)

    def _is_shown(self, backing: Backing) -> bool:
        return any(place == _place(backing) for place, _ in self._citations)

    def _cite(self, backing: Backing) -> tuple[Citation, bool]:
        """The citation of a place, and whether it is a new one; a place has one for each kind of verdict."""
        key = (_place(backing), backing.verdict.value)
        if key in self._citations:
            return self._citations[key], False
        hit = backing.hit
        self._citations[key] = Citation(
            n=len(self._citations) + 1,
            record_id=hit.record.id,
            source_id=hit.record.source_id,
            source_key=hit.source_key,
            title=hit.title,
            locator=self._locate(hit, backing.start, backing.end),
            excerpt=one_line(hit.record.text[backing.start : backing.end])[: self._limit],
            verdict=backing.verdict,
            observed_at=hit.record.observed_at,
        )
        return self._citations[key], True

    def composition(self, gate: dict[str, float]) -> Composition:
        """Return everything that stands so far."""
        return Composition(
            sentences=tuple(self._sentences),
            citations=tuple(self._citations.values()),
            places=tuple(place for place, _ in self._citations),
            withheld=self.withheld,
            gate=gate,
        )


def _is_title(backing: Backing) -> bool:
    """Whether a model took a title for a sentence: the words have no stop in the source, and no number."""
    words = one_line(backing.hit.record.text[backing.start : backing.end])
    return not ends_sentence(words) and not any(map(str.isdigit, words))


def _is_fragment(text: str, backing: Backing) -> bool:
    """Whether a model broke off: no stop at the end, and less than half the words of what it rests on."""
    words = one_line(backing.hit.record.text[backing.start : backing.end])
    return not ends_sentence(text) and 2 * len(text.split()) < len(words.split())


def _place(backing: Backing) -> Place:
    return Place(backing.hit.record.seq, backing.start, backing.end)


def _cut(text: str) -> Iterator[str]:
    """The sentences of a text: each is judged by itself, however many a model puts into one."""
    return (text[start:end] for start, end in sentence_spans(text))
