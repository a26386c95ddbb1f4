"""Sources whose vectors are there in, how new each is to the vault out, a few passages at a time. Nothing is embedded.

A source is compared with what came before it, so that the badge of a source stays what it was when she saw it first.
Not compared are the source itself, its earlier versions, and the bookmark or the entry of a feed that led to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from trisynapse_memory.contracts import ClaimReader, FloatArray, VectorReader
from trisynapse_memory.errors import UnknownSourceError
from trisynapse_memory.indexing.graph_vectors import StoredVectors
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.pipelines.known_pages import BOOKMARK_KEY
from trisynapse_memory.scoring.novelty import level_of, spread_evenly, spread_of
from trisynapse_memory.types import Claim, Novelty, Scope, Source, SourceId, SourceStatus
from trisynapse_memory.wiki.sentences import current_sides, is_disputed

STEP_PASSAGES: Final = 8  # at 100,000 vectors a search takes 15 ms
LOOKED_AT: Final = 50  # sources that wait; one whose facts take long does not hold up those behind it
NEAREST_COUNT: Final = 4  # asked for first; more where all of them belong to the source
NEAREST_LIMIT: Final = 64
CLAIM_LIMIT: Final = 500  # claims of one source that are looked at, as on its card


class Waiting(Protocol):
    """A source that waits, and its visible passages in log order."""

    @property
    def source_id(self) -> SourceId:
        """Which source."""
        ...

    @property
    def seqs(self) -> tuple[int, ...]:
        """Its visible passages, in log order."""
        ...


class _Begun(NamedTuple):
    """A source in hand: what is left to compare, the cosines so far, and the sources that do not count."""

    waiting: Waiting
    source: Source
    left: list[int]
    cosines: list[float]
    kin: frozenset[SourceId]


class NoveltyStore(Protocol):
    """The novelty index as the chore and the library use it."""

    def of(self, source_ids: Sequence[str]) -> dict[str, Novelty]:
        """Return how new these sources are, by id; one that still waits is left out."""
        ...

    def owners(self, seqs: Sequence[int]) -> dict[int, SourceId]:
        """Return the source of each of these passages."""
        ...

    def firsts(self, source_ids: Sequence[str]) -> dict[str, int]:
        """Return at which log position each of these sources began."""
        ...

    def waiting(self, limit: int) -> Sequence[Waiting]:
        """Return the first sources that wait, in the order in which they came."""
        ...

    def waiting_count(self) -> int:
        """Return how many sources wait."""
        ...

    def put(self, waiting: Waiting, novelty: Novelty | None) -> None:
        """Keep how new a source is, or that nothing can be said of it."""
        ...

    def use_model(self, model: str) -> None:
        """Say which model's vectors are compared."""
        ...


class SourceNovelty:
    """The chore; it fulfils ``jobs.Work``. What is half done when the process ends is begun anew.

    Args:
        index: says who waits, and keeps what is found.
        shelf: the sources.
        vectors: finds the nearest passages.
        stored: gives a passage's own vector.
        claims: what the sources say.
        is_read: whether the facts of a source are read.
    """

    def __init__(
        self,
        index: NoveltyStore,
        shelf: Shelf,
        vectors: VectorReader,
        stored: StoredVectors,
        claims: ClaimReader,
        is_read: Callable[[SourceId], bool],
    ) -> None:
        self._index = index
        self._shelf = shelf
        self._vectors = vectors
        self._stored = stored
        self._claims = claims
        self._is_read = is_read
        self._begun: _Begun | None = None

    def pending(self) -> int:
        """Return how many sources wait to be compared."""
        return self._index.waiting_count()

    def step(self) -> int:
        """Compare a few passages; return how many, 0 where nothing can be compared yet.

        Raises:
            VaultError: the index could not be written.
        """
        self._index.use_model(self._vectors.serving_model)
        begun = self._begun or self._next()
        self._begun = begun
        if begun is None:
            return 0
        batch, begun.left[:] = begun.left[:STEP_PASSAGES], begun.left[STEP_PASSAGES:]
        vectors = self._stored.of(batch)
        before = Scope(namespace=begun.source.namespace, as_of_seq=begun.waiting.seqs[0] - 1)
        begun.cosines.extend(self._nearest(vectors[seq], before, begun.kin) for seq in batch if seq in vectors)
        if not begun.left:
            self._begun = None
            self._index.put(begun.waiting, self._found(begun) if begun.cosines else None)
        return len(batch)

    def _next(self) -> _Begun | None:
        for waiting in self._index.waiting(LOOKED_AT):
            seqs = [waiting.seqs[place] for place in spread_evenly(len(waiting.seqs))]
            source = self._source(waiting.source_id)
            if source is None or not seqs or source.status is not SourceStatus.ACTIVE:
                self._index.put(waiting, None)  # what still arrives waits again once it is whole
            elif self._is_ready(source.source_id, seqs):
                return _Begun(waiting, source, seqs, [], self._kin(source))
        return None

    def _source(self, source_id: SourceId) -> Source | None:
        try:
            return self._shelf.get(source_id)
        except UnknownSourceError:  # removed for good meanwhile
            return None

    def _is_ready(self, source_id: SourceId, seqs: Sequence[int]) -> bool:
        vectors = self._stored.of(seqs)
        return self._is_read(source_id) and not any(self._stored.awaits(seq) for seq in seqs if seq not in vectors)

    def _kin(self, source: Source) -> frozenset[SourceId]:
        """The source itself in all its versions, and the bookmark of its address in all of its own."""
        keys = {source.source_key, f"{BOOKMARK_KEY}{source.source_key}", f"{BOOKMARK_KEY}{source.uri}"}
        arxiv = source.identifiers.get("arxiv")
        keys |= {f"{BOOKMARK_KEY}https://arxiv.org/abs/{arxiv}"} if arxiv else set()
        return frozenset(one.source_id for key in keys for one in self._shelf.versions(key, source.namespace))

    def _nearest(self, vector: FloatArray, before: Scope, kin: frozenset[SourceId]) -> float:
        """The highest cosine to a passage that counts; 0 where there is none."""
        limit = NEAREST_COUNT
        while True:
            found = self._vectors.nearest(vector, before, limit)
            owners = self._index.owners([one.seq for one in found])
            best = next((one.score for one in found if owners.get(one.seq) not in kin), None)
            if best is not None or len(found) < limit or limit >= NEAREST_LIMIT:
                return best or 0.0
            limit *= 4

    def _found(self, begun: _Begun) -> Novelty:
        source, spread = begun.source, spread_of(begun.cosines)
        scope = Scope(namespace=source.namespace)
        claims = self._claims.of_source(source.source_id, scope, shown=True, limit=CLAIM_LIMIT)
        return Novelty(
            source_id=source.source_id,
            median=round(spread.median, 4),
            highest=round(spread.highest, 4),
            level=level_of(spread.median),
            passage_count=len(begun.cosines),
            claim_count=len(claims),
            new_claim_count=self._new_count(claims, source.source_id),
            contradicting_count=sum(_contradicts(claim, source.source_id) for claim in claims),
        )

    def _new_count(self, claims: Sequence[Claim], source_id: SourceId) -> int:
        """How many of these claims no source speaks of that came before this one."""
        others = {one for claim in claims for one in _speakers(claim)}
        firsts = self._index.firsts(tuple(others))
        own = firsts.get(source_id, 0)
        older = {one for one in others if firsts.get(one, 0) < own}
        return sum(_speakers(claim).isdisjoint(older) for claim in claims)


def _speakers(claim: Claim) -> set[str]:
    """The sources that speak of it; a message of a chat has none, and counts as one."""
    return {str(one.source_id or "") for side in claim.sides for one in side.supports}


def _contradicts(claim: Claim, source_id: SourceId) -> bool:
    """Tell whether it is in open dispute, and this source and another one stand on different sides."""
    if not is_disputed(claim) or claim.resolution:
        return False
    sides = [{one.source_id for one in side.supports} for side in current_sides(claim)]
    return any(source_id in side for side in sides) and any(
        side - {source_id} for side in sides if source_id not in side
    )
