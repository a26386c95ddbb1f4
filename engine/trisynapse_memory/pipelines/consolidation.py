"""What idle time is good for in, small steps out: importance of entities, names that may be one, new contradictions.

Every step takes less than 200 ms. Nothing is merged and nothing is resolved here: proposals and disputes are listed for
her. What is half done when the process ends is begun anew; what is done lies in the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from trisynapse_memory.contracts import ClaimReader, FloatArray
from trisynapse_memory.indexing.graph_ranks import Twins
from trisynapse_memory.indexing.graph_upkeep import GraphUpkeep
from trisynapse_memory.scoring.importance import ROUND_LIMIT, TOLERANCE, Floats, Integers, prepare_walk
from trisynapse_memory.types import Claim, ClaimStatus, Namespace, Scope

DUPLICATE_LEAST: Final = 0.92  # cosine of two names; tau_dup of engine.md B1
READ_POSITIONS: Final = 5_000  # log positions read in one step
ROUNDS_PER_STEP: Final = 8  # of the walk; 500,000 mentions take 10 ms a round
WRITE_ENTITIES: Final = 5_000
EMBED_COUNT: Final = 8  # names embedded in one step; short ones, about 4 ms each on a slow core
DISPUTE_LIMIT: Final = 1_000

_EVERYTHING: Final = Scope(namespace=Namespace(project_id=None))
_NO_PAIRS: Final = np.zeros((0, 2), np.int64)
_DIGITS: Final = re.compile(r"\d+")

Embed = Callable[[Sequence[str]], FloatArray]


class Consolidation:
    """Keeps what is worked out over the whole graph fresh while nobody waits.

    Args:
        graph: the record graph's tables.
        claims: read for contradictions; None while there are none.
        embed: turns names into ``(n, d) float32`` unit rows; None looks for no duplicates.
        model: the name of the model behind ``embed``.
        dimension: its number of dimensions.
    """

    def __init__(
        self,
        graph: GraphUpkeep,
        claims: ClaimReader | None = None,
        embed: Embed | None = None,
        *,
        model: str = "",
        dimension: int = 0,
    ) -> None:
        self._graph = graph
        self._claims = claims
        self._embed = embed
        self._model = model
        self._dimension = dimension
        self._ranking: Iterator[int] | None = None
        self._compared_at = (-1, -1)  # the state of the graph in which no name was left to compare

    def pending(self) -> int:
        """Return how many kinds of work wait: importance out of date, names without a vector."""
        changed, ranked = self._graph.revision()
        return int(changed != ranked) + int(self._compared_at != (changed, ranked) and bool(self._unnamed(1)))

    def step(self) -> int:
        """Do one piece of work; return 1, or 0 when nothing waits.

        Raises:
            WorkerDiedError, ProviderError: the embedder failed; everything else goes on.
            VaultError: the index could not be written.
        """
        changed, ranked = self._graph.revision()
        if changed != ranked:
            self._ranking = self._ranking or self._rank(changed)
            if next(self._ranking, None) is None:
                self._ranking = None
            return 1
        done = self._compare_names()
        if not done:
            self._compared_at = (changed, ranked)
        return done

    # ------------------------------------------------------------ what is found

    def duplicates(self, limit: int = 100) -> tuple[Twins, ...]:
        """Return pairs of entities that may be one and that nobody has merged yet, the most alike first."""
        found = self._graph.duplicates(limit)
        if self._claims is None or not found:
            return found
        merged = [frozenset(map(str.casefold, one.names)) for one in self._claims.aliases(_EVERYTHING)]
        return tuple(one for one in found if not any({one.first, one.second} <= names for names in merged))

    def contradictions(self) -> tuple[Claim, ...]:
        """Return the contested claims found since ``acknowledge`` was last called, the best supported first."""
        known = self._graph.known_disputes()
        return tuple(claim for claim in self._contested() if claim.claim_id not in known)

    def acknowledge(self) -> int:
        """Note the present contested claims as told; return how many there are."""
        claims = self._contested()
        self._graph.note_disputes([claim.claim_id for claim in claims])
        return len(claims)

    def _contested(self) -> tuple[Claim, ...]:
        if self._claims is None:
            return ()
        return self._claims.list(_EVERYTHING, status=ClaimStatus.CONTESTED.value, shown=True, limit=DISPUTE_LIMIT)

    # ------------------------------------------------------------ ranks of entities

    def _rank(self, revision: int) -> Iterator[int]:
        """Work out the importance of all entities, handing back after each small piece."""
        pieces: list[Integers] = []
        last = self._graph.last_seq()
        for start in range(0, last, READ_POSITIONS):
            found = self._graph.mentions_between(start, start + READ_POSITIONS)
            pieces.append(np.array(found, np.int64).reshape(-1, 2))
            yield 1
        keys = self._graph.entity_keys()
        yield 1
        numbers, places, records = _numbered(np.concatenate([_NO_PAIRS, *pieces]), keys)
        yield 1
        order = np.lexsort((places, records))  # the same graph gives the same ranks to the last bit
        walk = prepare_walk(places[order], records[order])
        yield 1
        ranks, change = walk.start(), 1.0
        for round_count in range(1, ROUND_LIMIT + 1):
            ranks, change = walk.advance(ranks)
            if change < TOLERANCE:
                break
            if round_count % ROUNDS_PER_STEP == 0:
                yield 1
        yield from self._save(numbers, ranks, revision)

    def _save(self, numbers: Sequence[int], ranks: Floats, revision: int) -> Iterator[int]:
        values = dict(zip(numbers, ranks.tolist(), strict=True))
        for start in range(0, len(numbers), WRITE_ENTITIES):
            self._graph.save_importance({number: values[number] for number in numbers[start : start + WRITE_ENTITIES]})
            yield 1
        self._graph.save_importance({}, ranked=revision)

    # ------------------------------------------------------------ duplicate names

    def _unnamed(self, limit: int) -> list[tuple[int, str]]:
        return [] if self._embed is None else self._graph.unembedded(self._model, limit)

    def _compare_names(self) -> int:
        fresh = self._unnamed(EMBED_COUNT)
        if self._embed is None or not fresh:
            return 0
        vectors = np.asarray(self._embed([key for _, key in fresh]), np.float32)
        known, matrix = self._graph.embedded(self._model, self._dimension)
        everyone = [*known, *fresh]
        rows = np.concatenate((matrix.reshape(len(known), self._dimension), vectors))
        pairs = _alike(fresh, vectors, everyone, rows)
        self._graph.save_names(
            self._model, {number: row for (number, _), row in zip(fresh, vectors, strict=True)}, pairs
        )
        return 1


def _numbered(pairs: Integers, keys: Mapping[int, str]) -> tuple[list[int], Integers, Integers]:
    """Number entities by their keys and records by their positions.

    Args:
        pairs: (m, 2) entity and position, in the order of positions.
        keys: of the entities; one that is gone by now is left out.

    Returns:
        The entities in the order of their keys, and per mention the place of its entity and of its record.
    """
    numbers = sorted((int(one) for one in np.unique(pairs[:, 0]) if int(one) in keys), key=lambda one: keys[one])
    place_of = np.full(int(pairs[:, 0].max(initial=0)) + 1, -1, np.int64)
    place_of[numbers] = np.arange(len(numbers))
    kept = pairs[place_of[pairs[:, 0]] >= 0]
    steps = np.diff(kept[:, 1], prepend=kept[:1, 1]) > 0
    return numbers, place_of[kept[:, 0]], np.cumsum(steps).astype(np.int64)


def _alike(
    fresh: Sequence[tuple[int, str]],
    vectors: FloatArray,
    everyone: Sequence[tuple[int, str]],
    rows: FloatArray,
) -> dict[tuple[int, int], float]:
    """Pairs of a new name and any other with a cosine of at least 0.92, the smaller key first."""
    cosines = vectors @ rows.T
    found: dict[tuple[int, int], float] = {}
    for row, column in zip(*np.nonzero(cosines >= DUPLICATE_LEAST), strict=True):
        one, other = sorted((fresh[int(row)], everyone[int(column)]), key=lambda entity: entity[1])
        if one[0] != other[0] and _may_be_one(one[1], other[1]):
            found[one[0], other[0]] = round(min(float(cosines[row, column]), 1.0), 4)
    return found


def _may_be_one(one: str, other: str) -> bool:
    """Whether nothing speaks against it: GPT-3 is not GPT-4, and J. Zhang is only one of those called Zhang."""
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return False
    short, long = sorted((one.split(), other.split()), key=len)
    return len(short) > 1 or not all(len(word) == 1 for word in long if word not in short) or short == long
