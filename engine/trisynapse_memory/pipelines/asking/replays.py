"""A query run in, the same question asked again out, with what moved. Nothing is written.

The question sees what the log held then. With nothing changed and nothing added since, the ranks are the same, to the
last place: every step of the read corridor is deterministic. With a setting changed the difference is what it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.asking.looking import Asking
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.asking.refining import ALL_PARTS, parts_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.weights import with_weights
from trisynapse_memory.types import Hit, QueryRun, RankMove, RecordId, Replay, RouteRow

Value = float | int | str


def replay(rooms: Rooms, query: Query, run: QueryRun, changed: Mapping[str, Value]) -> Replay:
    """Look the question of a run up again; see ``Runs.replay``."""
    if run.scope is None:
        raise InvalidInputError(
            f"The query '{run.query_id}' was kept by an older version and cannot be replayed.", hint="Ask it again."
        )
    grew = rooms.log.head() != run.head_seq
    as_of = run.scope.as_of_seq if run.scope.as_of_seq is not None or not grew else run.head_seq
    found = query.again(
        run.looked_up or run.question,
        structs.replace(run.scope, as_of_seq=as_of),
        Asking(
            top_k=run.top_k,
            shown=run.mode == "search",
            config=_config_with(with_weights(rooms.config, run.weights), changed),
            today=run.created_at.astimezone().date(),
            parts=_parts(run, changed) if run.mode == "query" else None,
        ),
    )
    moves = _moves(rooms, run.ranks, found.hits)
    return Replay(
        query_id=run.query_id,
        question=run.question,
        changed=dict(changed),
        moves=moves,
        same=all(move.before == move.after for move in moves),
        vault_grew=grew,
        hits=found.hits,
        coverage=found.coverage,
    )


def _parts(run: QueryRun, changed: Mapping[str, Value]) -> frozenset[str]:
    """The further looks that were taken then; with other settings all there are, for other ones may be wanted."""
    return ALL_PARTS if changed else parts_of(run.steps)


def _config_with(config: Config, changed: Mapping[str, Value]) -> Config:
    unknown = changed.keys() - set(Config.__struct_fields__)
    if unknown:
        name = min(unknown)
        raise InvalidInputError(f"There is no setting '{name}'.", hint="docs/settings.md lists them.")
    typed = {name: type(getattr(config, name))(value) for name, value in changed.items()}
    return structs.replace(config, **typed)


def _moves(rooms: Rooms, before: Sequence[RouteRow], hits: Sequence[Hit]) -> tuple[RankMove, ...]:
    """Every record of either ranking, in the order of the replay, then what fell out of it."""
    old = {row.record_id: row.rank for row in before}
    new = {str(hit.record.id): rank for rank, hit in enumerate(hits, start=1)}
    titles = {str(hit.record.id): hit.title for hit in hits}
    gone = [record_id for record_id in old if record_id not in new]
    moves = [RankMove(record_id=one, title=titles[one], before=old.get(one), after=rank) for one, rank in new.items()]
    return (
        *moves,
        *(RankMove(record_id=one, title=_title(rooms, one), before=old[one], after=None) for one in gone),
    )


def _title(rooms: Rooms, record_id: str) -> str:
    source_id = rooms.log.get(RecordId(record_id)).source_id
    source = rooms.shelf.titles([str(source_id)]).get(str(source_id)) if source_id else None
    return source.title if source else ""
