"""Probes and an empty vault in, the engine's answers out, each with what it was shown. No answer is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trisynapse_memory.bench.ablations import settings_without
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.papers import take_pdfs
from trisynapse_memory.bench.probes import Probe, ProbeStore
from trisynapse_memory.bench.shelves import shelve
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.asking.refining import ROUNDS
from trisynapse_memory.types import Answer, AnswerStage, AnswerStep, QueryRun

NOTE_EVERY = 50  # answers between two notes of progress


class Reply(NamedTuple):
    """One answer.

    ``evidence_tokens`` is the size of the passages it rests on as they are shown before it, in wordpieces;
    ``answer_tokens`` that of its sentences. ``sources`` maps source ids to the keys of the corpus. ``look_count`` is
    how often the question was looked up again. ``without`` names the part of the engine that was off.
    """

    probe: Probe
    answer: Answer
    evidence_tokens: int
    answer_tokens: int
    sources: Mapping[str, str]
    place: Workplace
    look_count: int = 0
    without: str = ""


def ask_all(store: ProbeStore, watch: Stopwatch, note: Note, ablate: Sequence[str] = ()) -> Iterator[Reply]:
    """Take a store in by the real engine and ask every probe; the vault is open while the replies are read.

    Args:
        store: what goes in, and what is asked.
        watch: times each answer.
        note: told how far it is.
        ablate: parts of the engine; everything is asked once more with each of them off, untimed.
    """
    with workplace(note) as place:
        ids = _take_in(place, store, note)
        yield from _ask_each(place, store, ids, watch, note)
        for name in ablate:
            note(f"without: {name}")
            with place.under(settings_without(name)) as other:
                for reply in _ask_each(other, store, ids, Stopwatch(), note):
                    yield reply._replace(without=name)


def _ask_each(
    place: Workplace, store: ProbeStore, ids: Mapping[str, str], watch: Stopwatch, note: Note
) -> Iterator[Reply]:
    for number, probe in enumerate(store.probes):
        if number % NOTE_EVERY == 0:
            note(f"{store.store.corpus} {store.store.name}: question {number} of {len(store.probes)}")
        scope = _scope(probe, ids)
        if scope is not None and not scope:
            continue  # its PDF could not be read; the intake's own suites report that
        yield _ask(place, probe, scope, ids, watch)


def _take_in(place: Workplace, store: ProbeStore, note: Note) -> dict[str, str]:
    """Return the source id of each key; turns of a chat have none of their own."""
    if store.pdfs:
        sources, _ = take_pdfs(place, store.pdfs, Stopwatch(), note)
        place.embed_all(place.records())
        return sources
    shelf = shelve(place, store.store, Stopwatch())
    if shelf.lost:
        raise InvalidInputError(f"{len(shelf.lost)} texts were not taken in.", hint=f"The first: {shelf.lost[0]}.")
    if not store.store.passages:
        return {}
    return {key: str(record.source_id) for record, key in zip(shelf.records, shelf.keys, strict=True)}


def _scope(probe: Probe, ids: Mapping[str, str]) -> list[str] | None:
    if probe.within is not None:
        return [ids[key] for key in probe.within if key in ids]
    if probe.without:
        return [source_id for key, source_id in ids.items() if key != probe.without]
    return None


def _ask(place: Workplace, probe: Probe, scope: list[str] | None, ids: Mapping[str, str], watch: Stopwatch) -> Reply:
    shown: list[str] = []

    def hear(step: AnswerStep) -> None:
        if step.stage is AnswerStage.EVIDENCE:
            shown.extend(passage.excerpt for passage in step.passages)

    with watch.lap():
        answer = place.engine.query(probe.text, source_ids=scope, model="none", progress=hear)
    count = place.opened.rooms.embedder.token_counts
    return Reply(
        probe=probe,
        answer=answer,
        evidence_tokens=sum(count(shown)) if shown else 0,
        answer_tokens=sum(count([answer.answer])) if answer.answer else 0,
        sources={source_id: key for key, source_id in ids.items()},
        place=place,
        look_count=_look_count(place, answer),
    )


def _look_count(place: Workplace, answer: Answer) -> int:
    run = place.engine.runs.show(answer.query_id)
    return sum(step.phase in ROUNDS for step in run.steps) if isinstance(run, QueryRun) else 0
