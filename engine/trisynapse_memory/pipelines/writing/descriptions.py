"""Pages without text that no model has looked at in, what a model sees on them as records of the log out.

A description is a model's words about a page, not the page's own: it is found by a search, with its mark, and nothing
else is ever made of it. Without a model nothing happens, and the page keeps its verdict. The index takes the records up
like any other, so a rebuild never asks a model.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from trisynapse_memory.contracts import Completer
from trisynapse_memory.errors import SourceError, SourceTimedOutError, WorkerDiedError
from trisynapse_memory.grounding.corrections import visible_in
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.text.prompts import VISION, load_prompt
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.unsaid import holds_order
from trisynapse_memory.types import (
    Actor,
    Completion,
    DescriptionDetails,
    Draft,
    Finish,
    Hit,
    Kind,
    Locator,
    Modality,
    PageVerdict,
    Prompt,
    PromptImage,
    QueryPlan,
    Record,
    RecordId,
    Role,
    Scope,
    Source,
    SourceDetails,
)

VERSION: Final = 1
MARK: Final = "a model's description of the page"
SIDE: Final = 1_024  # pixels of the longer side; what the services read without making it smaller
OUTPUT_TOKENS: Final = 512  # chosen; six sentences take some 200
LONGEST: Final = 2_000  # characters of a description
DRAWING_TRIES: Final = 2  # a worker may die of something else than its page
TURNS: Final = 16  # pages looked at in one step while none may be shown to the model
MOST_HITS: Final = 5
LOOKED_AT: Final = 100  # descriptions whose visibility is asked in one read

_NOTHING: Final = "NOTHING"
_ASKED: Final = "Describe this page."
_SCANS_SQL: Final = (
    "SELECT source_id, verdicts FROM sources WHERE status = 'active'"
    f" AND verdicts ->> '$.\"{PageVerdict.IMAGE_ONLY}\"' > 0 ORDER BY seq DESC"
)

Draw = Callable[[Path, str, int, int], bytes]
"""Draws one page of a stored original: its path, its loader, the page, the longer side in pixels; a PNG."""


class Unseen(NamedTuple):
    """One page without text that the model has not looked at."""

    source_id: str
    page: int


class PageDescriptions:
    """Lets a model describe every page whose verdict is ``image-only``, in sources that are in use.

    Args:
        rooms: the open vault.
        completer: the model; it must read pictures.
        withheld: returns those of the given log positions that this model must not be shown.
        draw: draws a page in a worker.
        stamp: changes whenever what may be shown may have changed.
    """

    def __init__(
        self,
        rooms: Rooms,
        completer: Completer,
        withheld: Callable[[Sequence[int]], set[int]],
        draw: Draw,
        stamp: Callable[[], object] = lambda: None,
    ) -> None:
        self._rooms = rooms
        self._log = rooms.log
        self._completer = completer
        self._withheld = withheld
        self._draw = draw
        self._stamp = stamp
        self._prompt = load_prompt(VISION)
        # The pages of a source are read again only when its verdicts have changed.
        self._scans: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._passed: set[Unseen] = set()
        self._passed_at: object = None
        self._tries: Counter[Unseen] = Counter()
        self._unseen: tuple[tuple[int, object], tuple[Unseen, ...]] = ((-1, None), ())

    def pending(self) -> int:
        """Return how many pages wait that this model may be shown, as far as that is known."""
        return len(self._waiting())

    def step(self) -> int:
        """Let the model describe one page; return how many pages were settled.

        A page that cannot be drawn, and one of which the model says nothing, is noted in the log with no words, and
        this model is not asked about it again.

        Raises:
            ProviderError: the model could not be asked; the page waits.
            WorkerDiedError: the page's worker died for the first time; the page waits.
            VaultError: the log or the index could not be written.
        """
        settled = 0
        for unseen in self._waiting()[:TURNS]:
            page = self._log.page(*unseen)
            if page is None or not self._may_show(page):
                self._passed.add(unseen)
                settled += 1
                continue
            return settled + self._describe(unseen, page)
        return settled

    # ------------------------------------------------------------ what waits

    def _waiting(self) -> list[Unseen]:
        now = self._stamp()
        if now != self._passed_at:
            self._passed, self._passed_at = set(), now
        return [unseen for unseen in self._unseen_now() if unseen not in self._passed]

    def _unseen_now(self) -> tuple[Unseen, ...]:
        """The pages nobody has described, the newest source first; looked up again when the log has grown."""
        at = (self._log.head(), self._rooms.index.applied_seq("descriptions"))
        if at != self._unseen[0]:
            with self._log.database.read() as connection:
                scans = [(str(row[0]), str(row[1])) for row in connection.execute(_SCANS_SQL)]
            self._unseen = (at, tuple(one for scan in scans for one in self._unseen_of(*scan)))
        return self._unseen[1]

    def _unseen_of(self, source_id: str, verdicts: str) -> list[Unseen]:
        if self._scans.get(source_id, ("", ()))[0] != verdicts:
            notes = self._log.page_notes(source_id)
            self._scans[source_id] = (
                verdicts,
                tuple(one.page for one in notes if one.verdict is PageVerdict.IMAGE_ONLY),
            )
        done = self._rooms.descriptions.settled(source_id, self._completer.provider, self._completer.model)
        return [Unseen(source_id, page) for page in self._scans[source_id][1] if page not in done]

    def _may_show(self, page: Record) -> bool:
        """Whether a page is in use, and nothing forbids to show it to this model."""
        if self._log.visible([page.seq]) != {page.seq}:
            return False
        return not (self._completer.is_remote and self._withheld([page.seq]))

    # ------------------------------------------------------------ what the model sees and says

    def _describe(self, unseen: Unseen, page: Record) -> int:
        try:
            picture = self._picture(unseen)
        except SourceError as error:
            self._tries[unseen] += 1
            is_settled = not isinstance(error, WorkerDiedError | SourceTimedOutError)
            if not is_settled and self._tries[unseen] < DRAWING_TRIES:
                raise
            return self._append(unseen, page, "", error.problem)
        prompt = Prompt(
            instructions=self._prompt.text,
            text=_ASKED,
            images=(PromptImage(media_type="image/png", content=picture),),
            max_output_tokens=OUTPUT_TOKENS,
            role=Role.VISION,
            source_ids=() if page.source_id is None else (page.source_id,),
        )
        completion = self._completer.complete(prompt)
        text = _words_of(completion)
        return self._append(unseen, page, text, "The model refused." if completion.finish is Finish.REFUSED else "")

    def _picture(self, unseen: Unseen) -> bytes:
        (record,) = self._log.of_source(unseen.source_id, Kind.SOURCE)[:1]
        details = record.payload
        if not isinstance(details, SourceDetails) or not details.blob_hash:
            raise SourceError("The original of this page is not kept.")
        return self._draw(self._rooms.blobs.path(details.blob_hash), details.loader, unseen.page, SIDE)

    def _append(self, unseen: Unseen, page: Record, text: str, fault: str) -> int:
        """Write the record, unless the page has been hidden or removed meanwhile."""
        details = DescriptionDetails(
            page=unseen.page,
            provider=self._completer.provider,
            model=self._completer.model,
            prompt_sha256=self._prompt.sha256,
            fault=fault,
        )
        actor = Actor(
            type="descriptions", id=f"model/{VERSION}", model=details.model, prompt_version=self._prompt.label
        )
        with self._log.transaction():
            if self._log.visible([page.seq]) != {page.seq}:
                return 0
            self._log.append([_draft(page, details, text, actor)])
        self._rooms.projector.catch_up()
        return 1


class DescribedPages:
    """Finds pages by what models have said of them.

    Args:
        rooms: the open vault.
    """

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def search(self, plan: QueryPlan, scope: Scope) -> tuple[Hit, ...]:
        """Return the best few described pages for a planned question, each with its mark; no evidence among them."""
        found = self._rooms.descriptions.search(plan.terms, scope)
        hits: list[Hit] = []
        for start in range(0, len(found), LOOKED_AT):
            batch = found[start : start + LOOKED_AT]
            seen = visible_in(self._rooms.log, [one.seq for one in batch], scope.as_of_seq)
            scores = {one.seq: one.score for one in batch if one.seq in seen}
            records = self._rooms.log.by_seqs(list(scores)[: MOST_HITS - len(hits)])
            sources = self._rooms.shelf.titles([str(record.source_id) for record in records])
            hits += [_hit(record, scores[record.seq], sources.get(str(record.source_id))) for record in records]
            if len(hits) >= MOST_HITS:
                break
        return tuple(hits)


def declined(page: Record, number: int) -> Draft:
    """Return what keeps a page from being described again after its description was removed for good."""
    return _draft(page, DescriptionDetails(page=number), "", Actor(type="user"))


def _draft(page: Record, details: DescriptionDetails, text: str, actor: Actor) -> Draft:
    label = page.locator.page_label if page.locator else None
    parts = (page.id, details.provider, details.model)
    return Draft(
        kind=Kind.DESCRIPTION,
        text=text,
        namespace=page.namespace,
        actor=actor,
        source_id=page.source_id,
        locator=Locator(kind="page", page=details.page, page_label=label),
        evidence_ids=(RecordId(page.id),),
        modality=Modality.IMAGE,
        payload=details,
        external_key=f"description:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}",
    )


def _words_of(completion: Completion) -> str:
    """What a model says of a page, without what tells its reader what to write; empty where it says nothing."""
    said = " ".join("".join(one if one.isprintable() else " " for one in completion.text).split())
    if completion.finish is Finish.REFUSED or said.strip(" .*\"'").upper() == _NOTHING:
        return ""
    sentences = (said[start:end] for start, end in sentence_spans(said))
    return " ".join(one for one in sentences if not holds_order(one))[:LONGEST].strip()


def _hit(record: Record, score: float, source: Source | None) -> Hit:
    return Hit(
        record=record,
        score=score,
        title=source.title if source else "",
        excerpt=record.text,
        locator=record.locator,
        source_key=source.source_key if source else "",
        kind=source.kind if source else record.kind.value,
        mark=MARK,
    )
