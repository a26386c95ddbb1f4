"""A wiki page in, the same page in a model's connected prose out, kept as a record of the log; only when asked for.

Every sentence is one that a sentence of the page says. When one of those it was made of changes, the prose is no longer
shown, and the compiled sentences stand as they always do; a rebuild asks no model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.contracts import Completer
from trisynapse_memory.errors import InvalidInputError, ProviderError
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.pipelines.writing.model_answers import Models, Stops
from trisynapse_memory.text.prompts import WIKI, load_prompt
from trisynapse_memory.text.replies import read_reply
from trisynapse_memory.types import (
    Actor,
    Draft,
    Finish,
    Kind,
    Namespace,
    Role,
    Scope,
    SummaryDetails,
    WikiPage,
    WikiSentence,
)
from trisynapse_memory.wiki.prose import (
    LEAST_SENTENCES,
    ROWS,
    hash_of,
    material_of,
    prose_of,
    standing,
    write_brief,
)

GROUP: Final = "prose:"
"""The group of a page's prose is this and its page id."""

VERSION: Final = 1


class Prose(NamedTuple):
    """The prose of a page and the model that wrote it, as ``provider/model``; both empty where there is none."""

    sentences: tuple[WikiSentence, ...] = ()
    model: str = ""


class ModelProse:
    """Keeps the prose of pages.

    Args:
        log: where it is kept.
        models: who may write, and what they may be shown.
        stops: by which a model is stopped while it writes.
    """

    def __init__(self, log: MemoryLog, models: Models, stops: Stops) -> None:
        self._log = log
        self._models = models
        self._stops = stops
        self._prompt = load_prompt(WIKI)

    def of(self, page_id: str, page: WikiPage, scope: Scope) -> Prose:
        """Return the newest prose of a page of which every sentence it was made of still stands there."""
        kept = self._kept(page_id, scope)
        material = material_of(page) if kept else ()
        for details in reversed(kept):
            ids = {record_id for found in details.sentence_record_ids for record_id in found}
            # What came later, or was held back from the model, was no part of it.
            part = [one for one in material if ids.issuperset(one.record_ids)][: len(details.sentence_record_ids)]
            if part and details.evidence_hash == hash_of(part):
                return Prose(prose_of(details.sentences, part), f"{details.provider}/{details.model}")
        return Prose()

    def _kept(self, page_id: str, scope: Scope) -> list[SummaryDetails]:
        records = self._log.of_group(f"{GROUP}{page_id}", Kind.SUMMARY)
        visible = self._log.visible([record.seq for record in records])
        return [
            record.payload
            for record in records
            if record.seq in visible
            and scope.namespace.sees(record.namespace)
            and (scope.as_of_seq is None or record.seq <= scope.as_of_seq)
            and isinstance(record.payload, SummaryDetails)
        ]

    def draft(self, page_id: str, page: WikiPage, namespace: Namespace, ask_id: str = "") -> Draft:
        """Let the model write, and return the record that keeps what stands of it.

        Raises:
            InvalidInputError: the page says too little to be told as prose.
            ProviderError: no model is chosen or may be asked, it could not be asked, or nothing it wrote stands.
        """
        offer = self._models.writers.completer_for(Role.WIKI)
        if offer.completer is None:
            raise ProviderError(
                offer.note or "No model is chosen for wiki pages.", hint="Choose one (`models set wiki ...`)."
            )
        material = material_of(page, self._withheld(page, offer.completer))
        if len(material) < LEAST_SENTENCES:
            raise InvalidInputError(
                f"'{page.title}' says too little to be told as prose.", hint="It is readable as it is."
            )
        with self._stops.open(ask_id) as stop:
            shown, texts = self._written(page.title, material, offer.completer, stop)
        return self._record(page_id, shown, texts, namespace, offer.completer)

    def _written(
        self, title: str, material: Sequence[WikiSentence], completer: Completer, stop: threading.Event
    ) -> tuple[Sequence[WikiSentence], tuple[str, ...]]:
        prompt, count = write_brief(title, material, completer)
        shown = material[:count]
        completion = completer.complete(prompt, None, stop)
        if completion.finish is Finish.CANCELLED:
            raise ProviderError("You stopped the model; the page stays as it was.")
        told = standing(read_reply(completion.text, ROWS).rows, shown)
        if not told:
            raise ProviderError(
                "Nothing the model wrote could be checked against the page; it stays as it was.",
                hint="Try another model.",
            )
        return shown, tuple(told)

    def _record(
        self,
        page_id: str,
        shown: Sequence[WikiSentence],
        texts: tuple[str, ...],
        namespace: Namespace,
        completer: Completer,
    ) -> Draft:
        # Everything it was shown, not only what it said: a removal of any of it takes the prose along.
        ids = tuple(dict.fromkeys(record_id for one in shown for record_id in one.record_ids))
        details = SummaryDetails(
            group_id=f"{GROUP}{page_id}",
            evidence_hash=hash_of(shown),
            topic="",
            sentences=texts,
            sentence_record_ids=tuple(tuple(one.record_ids) for one in shown),
            provider=completer.provider,
            model=completer.model,
            prompt_sha256=self._prompt.sha256,
        )
        return Draft(
            kind=Kind.SUMMARY,
            text=" ".join(texts),
            namespace=namespace,
            actor=Actor(type="prose", id=f"model/{VERSION}", model=completer.model, prompt_version=self._prompt.label),
            group_id=details.group_id,
            evidence_ids=ids,
            payload=details,
        )

    def _withheld(self, page: WikiPage, completer: Completer) -> Callable[[WikiSentence], bool]:
        """Tells of a sentence whether some record it rests on may not be shown to a model."""
        ids = sorted({record_id for one in page.sentences for record_id in _resting(one)})
        with self._log.database.read() as connection:
            seqs = seqs_of_ids(connection, ids)
        held = {one.seq for one in self._models.shares.split(sorted(seqs.values()), completer).held}
        hidden = {record_id for record_id, seq in seqs.items() if seq in held}
        return lambda sentence: not hidden.isdisjoint(_resting(sentence))


def _resting(sentence: WikiSentence) -> set[str]:
    facts = {one.fact_id for one in sentence.supports if one.fact_id}
    return {*sentence.record_ids, *(one.record_id for one in sentence.supports), *facts}
