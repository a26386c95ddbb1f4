"""Groups that a model has not summarised yet in, its summaries as records of the log out, one group at a time.

A sentence is kept where one of the passages it names says it (``text/verdicts.py``); nothing else a model writes is
shown. The indexes take the record up like any other, so a rebuild never asks a model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import Completer, TokenCounter
from trisynapse_memory.indexing.projector import Projector
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.indexing.summary_sentences import stands_alone
from trisynapse_memory.indexing.summary_upkeep import Basis, SummaryUpkeep, Turn
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.text.prompts import SUMMARY, load_prompt
from trisynapse_memory.text.replies import Reply, numbers_of, read_reply, text_of, texts_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.synonyms import NEGATORS
from trisynapse_memory.text.unsaid import holds_order
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.text.windows import Part, Window, cut_windows, estimate_tokens, room_of, write_evidence
from trisynapse_memory.text.words import FUNCTION_WORDS, stem
from trisynapse_memory.types import Actor, Draft, Kind, Passage, Prompt, Record, RecordId, Role, SummaryDetails

VERSION: Final = 1
MOST_SENTENCES: Final = 4  # engine.md A8.6
MOST_PHRASINGS: Final = 3
MOST_TOPIC_WORDS: Final = 10  # the prompt asks for eight
LONGEST_TOPIC: Final = 120  # characters
LONGEST_PHRASING: Final = 200  # characters
TURNS: Final = 16  # groups looked at in one step while none can be shown to the model

_ROWS: Final = "sentences"
_EMPTY_ROWS: Final = "no entry of 'sentences' has a text"
_ADDRESS: Final = re.compile(r"://|www\.|\]\(|<|@")
_WORD: Final = re.compile(r"[^\W_]+(?:['.,][^\W_]+)*")

_UNWRITTEN: Final = """
    FROM summaries_groups g WHERE g.body IS NOT NULL AND g.touched <= g.built
    AND g.no NOT IN (SELECT value FROM json_each(:passed))
    AND NOT EXISTS (SELECT 1 FROM summaries_written w WHERE w.no = g.no AND w.hash = g.hash
        AND json_extract(CAST(w.details AS TEXT), '$.model') = :model
        AND json_extract(CAST(w.details AS TEXT), '$.provider') = :provider)
"""


class Evidence(Struct, frozen=True, kw_only=True):
    """One passage the model is shown: its words without what a correction struck out, and what is cited for them."""

    passage: Passage
    record_ids: tuple[RecordId, ...]


class ModelSummaries:
    """Lets a model summarise every group whose present evidence it has not summarised.

    A group keeps the summary made without a model until then.

    Args:
        log: holds the evidence, and takes the summaries.
        projector: brings the indexes up to date after each.
        database: ``index.db`` with the tables of the group summaries.
        completer: the model.
        withheld: returns those of the given log positions that are marked sensitive; a remote model never sees them.
        count_tokens: counts tokens as the model does; without one they are estimated from above.
        stamp: changes whenever what may be shown may have changed without a record of the log, such as a rule.
    """

    def __init__(
        self,
        log: MemoryLog,
        projector: Projector,
        database: IndexDatabase,
        completer: Completer,
        withheld: Callable[[Sequence[int]], set[int]],
        count_tokens: TokenCounter = estimate_tokens,
        stamp: Callable[[], object] = lambda: None,
    ) -> None:
        self._log = log
        self._projector = projector
        self._database = database
        self._index = SummaryUpkeep(database)
        self._completer = completer
        self._withheld = withheld
        self._count = count_tokens
        self._prompt = load_prompt(SUMMARY)
        # Groups that this model cannot be shown; looked at again when the log has grown, since marks can be taken away.
        self._stamp = stamp
        self._passed: set[int] = set()
        self._passed_at: object = None
        # Evidence this model failed on where no record can say so: it would hide another model's summary.
        self._failed: set[tuple[int, str]] = set()

    def pending(self) -> int:
        """Return how many groups have a summary, but none by this model of what they hold now."""
        with self._database.read() as connection:
            return int(connection.execute(f"SELECT count(*) {_UNWRITTEN}", self._bindings()).get)

    def step(self) -> int:
        """Let the model summarise one group; return how many groups were settled.

        A reply that cannot be used is asked for once more. Evidence that failed twice, or of whose summary no sentence
        stands, is noted in the log as summarised with no sentence, and is not asked about again.

        Raises:
            ProviderError: the model could not be asked; the group waits.
            VaultError: the log or the index could not be written.
        """
        settled = 0
        for turn in self._turns():
            basis = self._index.basis(turn)
            evidence = [] if basis is None else self._evidence(turn, basis)
            if basis is None or not self._may_ask(turn, basis, evidence):
                self._passed.add(turn.no)
                settled += 1
                continue
            return settled + self._summarise(turn, basis, evidence)
        return settled

    def _may_ask(self, turn: Turn, basis: Basis, evidence: Sequence[Evidence]) -> bool:
        """Whether there is something to show, all of it still visible, and the model has not failed on it."""
        seqs = {one.passage.seq for one in evidence}
        return bool(seqs) and (turn.no, basis.evidence_hash) not in self._failed and self._log.visible([*seqs]) == seqs

    def _turns(self) -> list[Turn]:
        sql = f"SELECT g.no, g.group_id, g.touched {_UNWRITTEN} ORDER BY g.group_id LIKE 'collection:%', g.no DESC"
        with self._database.read() as connection:
            rows = connection.execute(f"{sql} LIMIT {TURNS}", self._bindings()).fetchall()
        return [Turn(*row) for row in rows]

    def _bindings(self) -> dict[str, str]:
        now = (self._log.head(), self._stamp())
        if now != self._passed_at:
            self._passed, self._passed_at = set(), now
        completer = self._completer
        return {"passed": json.dumps(sorted(self._passed)), "model": completer.model, "provider": completer.provider}

    # ------------------------------------------------------------ what the model is shown

    def _evidence(self, turn: Turn, basis: Basis) -> list[Evidence]:
        """The records a group rests on, of a concept the sentences its facts stand in; nothing sensitive for others."""
        seqs = basis.facts if turn.kind == "concept" else basis.seqs
        hidden = self._withheld(seqs) if self._completer.is_remote else set[int]()
        records = self._log.by_seqs([seq for seq in seqs if seq not in hidden])
        title = basis.title if turn.kind == "source" else ""
        found: dict[str, Evidence] = {}
        for record in records:
            text = _without(record.text, basis.struck.get(record.seq, ()))
            ids = record.evidence_ids if turn.kind == "concept" else ()
            passage = Passage(
                seq=record.seq, text=text, title=title, speaker=_speaker(record), source_id=record.source_id
            )
            if text.strip():
                found.setdefault(text, Evidence(passage=passage, record_ids=ids or (record.id,)))
        return list(found.values())

    # ------------------------------------------------------------ what it says

    def _summarise(self, turn: Turn, basis: Basis, evidence: Sequence[Evidence]) -> int:
        room = room_of(self._completer, self._prompt.text, self._count)
        passages = [one.passage for one in evidence]
        window = cut_windows(passages, room.passage_tokens, self._count, shows_unseen=False)[0]
        reply = self._ask(window, room.output_tokens)
        by_seq = {one.passage.seq: one for one in evidence}
        shown = [by_seq[passage.seq] for passage in window.passages]
        details = self._details(turn, basis, _sentences(reply, window, by_seq), (reply, shown))
        if not details.sentences and basis.written is not None and basis.written.sentences:
            self._failed.add((turn.no, basis.evidence_hash))
            return 1
        return self._append(turn, details, shown)

    def _ask(self, window: Window, output_tokens: int) -> Reply:
        """Ask once, and once more with the fault told; a reply that is cut off twice is used as far as it goes."""
        best, fault = Reply(), ""
        for _ in range(2):
            prompt = Prompt(
                instructions=self._prompt.text,
                text=write_evidence(window, fault=fault),
                schema=summary_schema(),
                max_output_tokens=output_tokens,
                role=Role.SUMMARY,
                source_ids=window.source_ids,
            )
            reply = read_reply(self._completer.complete(prompt).text, _ROWS)
            fault = reply.fault or ("" if any(text_of(row.get("text")) for row in reply.rows) else _EMPTY_ROWS)
            if not fault or len(reply.rows) > len(best.rows):
                best = reply
            if not fault:
                break
        return best

    def _details(
        self,
        turn: Turn,
        basis: Basis,
        sentences: dict[str, tuple[RecordId, ...]],
        said: tuple[Reply, Sequence[Evidence]],
    ) -> SummaryDetails:
        reply, shown = said
        words = _stems(text for one in shown for text in (one.passage.text, one.passage.title))
        topic = " ".join(text_of(reply.fields.get("topic")).split())
        phrasings = [" ".join(one.split()) for one in texts_of(reply.fields.get("alt_phrasings"))]
        kept = [one for one in phrasings if _is_question(one) and _stems(_names(one)) <= words]
        return SummaryDetails(
            group_id=turn.group_id,
            evidence_hash=basis.evidence_hash,
            topic=topic if sentences and _is_name(topic, words) else "",
            sentences=tuple(sentences),
            sentence_record_ids=tuple(sentences.values()),
            alt_phrasings=tuple(kept[:MOST_PHRASINGS]) if sentences else (),
            provider=self._completer.provider,
            model=self._completer.model,
            prompt_sha256=self._prompt.sha256,
        )

    def _append(self, turn: Turn, details: SummaryDetails, shown: Sequence[Evidence]) -> int:
        """Write the record, unless some of what the model was shown has been hidden or removed meanwhile."""
        seqs = [one.passage.seq for one in shown]
        with self._log.transaction():
            if self._log.visible(seqs) != set(seqs):
                return 0
            first = self._log.by_seqs(seqs[:1])[0]
            # Everything it was shown, not only what it cites: a removal of any of it takes the summary along.
            ids = dict.fromkeys([*self._log.ids(seqs).values(), *(key for one in shown for key in one.record_ids)])
            draft = Draft(
                kind=Kind.SUMMARY,
                text=" ".join(details.sentences),
                namespace=first.namespace,
                actor=Actor(
                    type="summaries",
                    id=f"model/{VERSION}",
                    model=details.model,
                    prompt_version=self._prompt.label,
                ),
                source_id=first.source_id if turn.kind == "source" else None,
                evidence_ids=tuple(ids),
                payload=details,
                external_key=_key(details, first),
            )
            head = self._log.head()
            (record,) = self._log.append([draft])
            if record.seq <= head:  # the log knows it, the index does not: asking again would change nothing
                self._failed.add((turn.no, details.evidence_hash))
        self._projector.catch_up()
        return 1


def summary_schema() -> dict[str, object]:
    """Return the JSON Schema of a reply."""
    text: dict[str, object] = {"type": "string"}
    sentence = {
        "type": "object",
        "properties": {"text": text, "evidence": {"type": "array", "items": {"type": "integer", "minimum": 1}}},
        "required": ["text", "evidence"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "topic": text,
            "sentences": {"type": "array", "items": sentence, "maxItems": MOST_SENTENCES},
            "alt_phrasings": {"type": "array", "items": text, "maxItems": MOST_PHRASINGS},
        },
        "required": ["topic", "sentences", "alt_phrasings"],
        "additionalProperties": False,
    }


def _sentences(reply: Reply, window: Window, evidence: dict[int, Evidence]) -> dict[str, tuple[RecordId, ...]]:
    """The sentences that stand alone and that a passage they name says, each with the records of those passages."""
    kept: dict[str, tuple[RecordId, ...]] = {}
    for row in reply.rows:
        parts = [part for number in numbers_of(row.get("evidence")) if (part := window.part(number)) is not None]
        said = " ".join(text_of(row.get("text")).split())
        for text in (said[start:end] for start, end in sentence_spans(said)):
            ids = _resting(text, parts, evidence)
            if ids and len(kept) < MOST_SENTENCES:
                kept.setdefault(text, ids)
    return kept


def _resting(text: str, parts: Sequence[Part], evidence: dict[int, Evidence]) -> tuple[RecordId, ...]:
    """The records of the passages that say a sentence; none where it cannot stand alone, or tells what to write."""
    if holds_order(text) or not stands_alone(text):
        return ()
    holders = [evidence[part.passage.seq] for part in parts if judge(text, part.text).passes]
    return tuple(dict.fromkeys(record_id for one in holders for record_id in one.record_ids))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without some spans."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start].rstrip()} {text[end:].lstrip()}"
    return text


def _speaker(record: Record) -> str:
    return (record.locator.speaker if record.locator else "") or record.fields.get("speaker", "")


def _is_name(topic: str, words: set[str]) -> bool:
    """Whether a topic is a few words of the passages; a "not" that none of them has would turn it round."""
    said = _WORD.findall(topic)
    known = _stems([topic]) <= words and not NEGATORS.intersection(word.lower() for word in said)
    return known and len(said) <= MOST_TOPIC_WORDS and len(topic) <= LONGEST_TOPIC and not _ADDRESS.search(topic)


def _is_question(text: str) -> bool:
    return text.endswith("?") and len(text) <= LONGEST_PHRASING and not _ADDRESS.search(text) and not holds_order(text)


def _names(text: str) -> list[str]:
    """The words of a question that name something: those with a digit, and capitalised ones but the first."""
    words = _WORD.findall(text)
    return [word for place, word in enumerate(words) if any(map(str.isdigit, word)) or (place and word[0].isupper())]


def _stems(texts: Iterable[str]) -> set[str]:
    words = {word.lower() for text in texts for word in _WORD.findall(text)} - FUNCTION_WORDS
    return {stem(word) if word.isascii() and word.isalpha() else word for word in words}


def _key(details: SummaryDetails, first: Record) -> str:
    """Two namespaces may have a group of one name; what a group holds is in the hash, so its first record tells."""
    parts = (details.group_id, details.evidence_hash, details.provider, details.model, first.id)
    return f"summary:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"
