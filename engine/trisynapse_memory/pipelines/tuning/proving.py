"""Learned weights in, what they really do to her questions and to the guard set out. Nothing is learned here."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.pipelines.asking.finding import Ranked
from trisynapse_memory.pipelines.asking.looking import Asking
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.examples import Example
from trisynapse_memory.pipelines.tuning.guards import Probe, probes_of, spread
from trisynapse_memory.pipelines.tuning.replaying import Replayer, place_of
from trisynapse_memory.types import ExampleMove, GuardCheck, Scope, Trial, TrialStatus

OPENED_DEPTH: Final = 10  # of her own questions: the hits that a search shows at once
ANSWERED: Final = 30  # past answers that are composed anew; 60 x 40 ms
LOST_NAMED: Final = 5
KINDS: Final = {
    "identifier": "exact identifiers",
    "title": "titles",
    "sentence": "sentences as they stand",
    "opened": "questions of yours",
    "answered": "answers",
}
"""What each kind of probe is called to her."""

Step = tuple[int, int]
Pair = tuple[str, bool, bool]
"""The name of a probe, and whether it is found before and after."""


class Standing(NamedTuple):
    """A question of hers as it stands now: its gain in nDCG, and (rank, log position) of its best right record."""

    example: Example
    gain: float
    place: tuple[int, int] | None


class Prover:
    """Ranks questions and probes of one vault under settings to be tried; nothing is kept.

    Args:
        rooms: the open vault.
        query: its read corridor.
    """

    def __init__(self, rooms: Rooms, query: Query) -> None:
        self._rooms = rooms
        self._query = query
        self._replayer = Replayer(rooms, query.finder)

    def rank(self, example: Example, config: Config) -> Ranked:
        """Rank the records for a question of hers, as of the day it was asked."""
        return self._replayer.rank(example.question, example.scope, config, example.today)

    def replay(
        self, standings: Sequence[Standing], config: Config, done: int, total: int
    ) -> Generator[Step, None, tuple[ExampleMove, ...]]:
        """Rank every question with the learned weights, and say where its best right record stands then."""
        moves: list[ExampleMove] = []
        for number, one in enumerate(standings, start=1):
            after = place_of(self.rank(one.example, config), one.example.wanted)
            shown = (after or one.place or (0, min(one.example.wanted)))[1]
            moves.append(
                ExampleMove(
                    query_id=one.example.query_id,
                    record_id=str(self._rooms.log.ids([shown]).get(shown, "")),
                    before=one.place[0] if one.place is not None else None,
                    after=after[0] if after is not None else None,
                )
            )
            yield done + number, total
        return tuple(moves)

    def guard(
        self, standings: Sequence[Standing], moves: Sequence[ExampleMove], default: Config, config: Config
    ) -> Generator[Step, None, tuple[GuardCheck, ...]]:
        """Look for every probe with the default weights and with the learned ones."""
        probes = probes_of(self._rooms)
        answered = spread([one.example for one in standings if one.example.answered], ANSWERED)
        total = len(probes) + len(answered)
        found: dict[str, list[Pair]] = {}
        for number, probe in enumerate(probes, start=1):
            pair = (probe.name, self._finds(probe, default), self._finds(probe, config))
            found.setdefault(probe.kind, []).append(pair)
            yield number, total
        for number, example in enumerate(answered, start=1):
            pair = (example.query_id, self._answers(example, default), self._answers(example, config))
            found.setdefault("answered", []).append(pair)
            yield len(probes) + number, total
        found["opened"] = [(one.query_id, _is_shown(one.before), _is_shown(one.after)) for one in moves]
        return tuple(_check(kind, found[kind]) for kind in KINDS if found.get(kind))

    def _finds(self, probe: Probe, config: Config) -> bool:
        ranked = self._replayer.rank(probe.question, Scope(), config)
        return any(one.seq in probe.wanted for one in ranked.fused[: probe.depth])

    def _answers(self, example: Example, config: Config) -> bool:
        asking = Asking(shown=False, config=config, today=example.today)
        return self._query.is_answered(example.question, example.scope, asking)


def guarded(trial: Trial) -> Trial:
    """Return a proposal as it is, or refused where the guard set loses by it."""
    worse = [one for one in trial.guards if one.after < one.before]
    if not worse:
        return trial
    said = "; ".join(f"{KINDS[one.kind]}: {one.after} found instead of {one.before} of {one.count}" for one in worse)
    return structs.replace(trial, status=TrialStatus.GUARDED, reason=f"It would lose what has to be found ({said}).")


def height(rank: int | None) -> float:
    """Return how high a rank stands, in (0, 1]; 0 below all candidates."""
    return 0.0 if rank is None else 1.0 / rank


def _is_shown(rank: int | None) -> bool:
    return rank is not None and rank <= OPENED_DEPTH


def _check(kind: str, pairs: Sequence[Pair]) -> GuardCheck:
    lost = [name for name, before, after in pairs if before and not after]
    return GuardCheck(
        kind=kind,
        count=len(pairs),
        before=sum(before for _, before, _ in pairs),
        after=sum(after for _, _, after in pairs),
        lost=tuple(lost[:LOST_NAMED]),
    )
