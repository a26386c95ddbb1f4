"""Which embedder is chosen in, which one answers and which one's vectors are built out (case R35).

A choice changes nothing by itself: the background work ``vectors`` (``embedding.py`` beside this) makes it the wanted
one and builds its set beside the first; the index lets it answer once that is whole. Until then, and for as long as the
new one fails, the old one answers and also embeds what is new. A set that is whole already answers at once, so going
back is immediate. Digests and names keep the built-in model: they never leave this machine.

How it is wired: ``SemanticRoute`` gets ``Embedders.serving``; ``rooms.embedder`` stays the built-in one, with which
sentences are weighed; the chore ``vectors`` is an ``Embedding``; a change of the choices calls ``refresh`` and wakes
the jobs.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Final

from trisynapse_memory.contracts import Embedder, FloatArray
from trisynapse_memory.errors import BadEmbeddingError, ProviderError, TrisynapseError
from trisynapse_memory.indexing.vector_switch import KnownModel, VectorModels
from trisynapse_memory.pipelines.staffing.embedder_seats import BUILT_IN, Choice, Seat
from trisynapse_memory.types import SourceId

PROBE: Final = "dimension"
"""What a model is sent whose length nobody knows yet; it is no word of hers."""

MakeSeat = Callable[[Choice, int], Seat]
"""A choice and the length of its vectors (0: not known) in, its seat out; see ``SeatMaker.make``."""


class Embedders:
    """Knows the embedders of one open vault; safe under threads.

    Args:
        models: the models that have vectors here.
        make: builds a seat.
        wanted: returns what is chosen now; asked again each time.
    """

    def __init__(self, models: VectorModels, make: MakeSeat, wanted: Callable[[], Choice]) -> None:
        self._models = models
        self._make = make
        self._wanted = wanted
        self._lock = threading.RLock()
        self._seats: dict[Choice, Seat] = {}
        self._settled: Choice | None = None
        self._seat(Choice())  # others use its worker too, so it is always there to be let go
        self.serving = ServingEmbedder(self)
        with contextlib.suppress(TrisynapseError):  # told by the background work, which tries again
            self._look()

    # ------------------------------------------------------------ who answers, who is wanted

    def wanted(self) -> Choice:
        """Return what is chosen now, whether or not it can be used."""
        return self._wanted()

    def current(self) -> Embedder:
        """Return the embedder whose vectors answer now: the one a question must be embedded with.

        Raises:
            ProviderError: it is no longer here; the words answer meanwhile.
            BranchUnavailableError: a package it needs is no longer installed.
        """
        known = self._models.serving()
        embedder = self._seat_of(known).embedder
        if embedder.model_id != known.model_id:
            raise ProviderError(
                f"The vectors were made by '{known.model_id}', which is no longer here.",
                hint="Wait for the new ones; words find records meanwhile.",
            )
        return embedder

    def is_settled(self) -> bool:
        """Tell whether the vectors that are being built are those of the chosen embedder."""
        return self._settled == self._wanted()

    def settle(self) -> None:
        """Let the vectors of the chosen embedder be built from now on; only for the thread that embeds.

        A model that was never used here is asked once for the length of its vectors.

        Raises:
            TrisynapseError: it cannot be used now; everything stays as it is.
        """
        choice = self._wanted()
        seat = self._look()
        if self._settled == choice:
            return
        dimension = seat.embedder.dimension or self._models.dimension_of(seat.embedder.model_id) or _probed(seat)
        if self._models.missing_count(seat.embedder.model_id) == 0:
            _warmed(seat)  # it answers the next question
        self._models.adopt(KnownModel(seat.embedder.model_id, dimension, *choice))
        self._settled = choice
        if seat.embedder.dimension != dimension:
            with self._lock:
                self._seats.pop(choice, None)  # from now on it is built with the length that is known

    def fall_back(self) -> bool:
        """Let the embedder that answers embed what is new, while the chosen one fails; tell whether there is any.

        Only for the thread that embeds.
        """
        serving, target = self._models.serving(), self._models.target()
        if serving.model_id == target.model_id or not self._models.missing_count(serving.model_id):
            return False
        self._models.adopt(serving)
        self._settled = None
        return True

    def refresh(self) -> None:
        """Forget how embedders are reached: a service, a key or an address may have changed."""
        with self._lock:
            kept = {choice: seat for choice, seat in self._seats.items() if not seat.is_service}
            self._seats = kept

    # ------------------------------------------------------------ the background

    def embed_records(self, texts: Sequence[str], source_ids: tuple[SourceId, ...]) -> FloatArray:
        """Embed texts with the model whose vectors are being built.

        Raises:
            TrisynapseError: what the embedder raised.
        """
        return self.target_seat().embed_records(texts, source_ids)

    def target_seat(self) -> Seat:
        """Return the seat of the model whose vectors are being built.

        Raises:
            ProviderError, BranchUnavailableError: it is no longer here.
        """
        known = self._models.target()
        seat = self._seat_of(known)
        if seat.embedder.model_id != known.model_id:
            raise ProviderError(
                f"The embedder '{known.model_id}' is no longer here.", hint="Choose one in the settings, under Models."
            )
        return seat

    def try_wanted(self) -> str:
        """Embed one word with the chosen embedder, and tell how long its vectors are.

        Raises:
            TrisynapseError: it cannot be used; the words say why.
        """
        return f"{_probed(self._seat(self._wanted()))} dimensions"

    def warm(self) -> None:
        """Load what the first question would wait for, if it is in this machine.

        Raises:
            TrisynapseError: it cannot be loaded; the words still answer.
        """
        _warmed(self._seat_of(self._models.serving()))

    def warm_target(self) -> None:
        """Load the embedder that is about to answer, so that the first question after the switch does not wait.

        Raises:
            TrisynapseError: it cannot be loaded.
        """
        if self._models.serving().model_id != self._models.target().model_id:
            _warmed(self.target_seat())

    def rest(self) -> None:
        """Let the workers of the background go."""
        self._each(lambda seat: seat.rest())

    def dismiss(self) -> None:
        """End what services are being asked, so that nobody waits for the end of it; they are asked no more."""
        self._each(lambda seat: seat.close() if seat.is_service else None)

    def close(self) -> None:
        """Let all workers go."""
        self._each(lambda seat: seat.close())

    # ------------------------------------------------------------ inside

    def _look(self) -> Seat:
        """Build the seat of the choice, and note if its vectors are those that are built already."""
        choice = self._wanted()
        seat = self._seat(choice)
        target = self._models.target()
        if seat.embedder.model_id == target.model_id and _is_found_by(target, choice):
            self._settled = choice
        return seat

    def _seat_of(self, known: KnownModel) -> Seat:
        """The seat of a model that has vectors here; a file that does not say whose they are holds the built-in's."""
        return self._seat(Choice(known.service, known.name) if known.service else Choice(), known.dimension)

    def _seat(self, choice: Choice, dimension: int = 0) -> Seat:
        with self._lock:
            seat = self._seats.get(choice)
            if seat is None:
                seat = self._make(choice, dimension)
                known = 0 if seat.embedder.dimension else self._models.dimension_of(seat.embedder.model_id)
                if known:
                    seat = self._make(choice, known)
                self._seats[choice] = seat
            return seat

    def _each(self, do: Callable[[Seat], None]) -> None:
        with self._lock:
            seats = tuple(self._seats.values())
        for seat in seats:
            do(seat)


class ServingEmbedder:
    """The embedder that answers now, whoever that is at the moment; what retrieval is handed.

    Args:
        embedders: know who that is.
    """

    def __init__(self, embedders: Embedders) -> None:
        self._embedders = embedders

    @property
    def model_id(self) -> str:
        """See ``contracts.Embedder``."""
        return self._embedders.current().model_id

    @property
    def dimension(self) -> int:
        """See ``contracts.Embedder``."""
        return self._embedders.current().dimension

    @property
    def max_tokens(self) -> int:
        """See ``contracts.Embedder``."""
        return self._embedders.current().max_tokens

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """See ``contracts.Embedder``.

        Raises:
            TrisynapseError: what the embedder raised, or it is not here.
        """
        return self._embedders.current().embed(texts)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """See ``contracts.Embedder``."""
        return self._embedders.current().token_counts(texts)


def _is_found_by(known: KnownModel, choice: Choice) -> bool:
    """Whether a model that has vectors here is the one a choice leads to; of the built-in there is one only."""
    service = known.service or BUILT_IN
    return service == choice.service and (service == BUILT_IN or known.name == choice.model)


def _warmed(seat: Seat) -> None:
    """Load a model in this machine; a service is not asked for nothing."""
    if not seat.is_service:
        seat.embedder.embed(["warm"])


def _probed(seat: Seat) -> int:
    """Ask a model for the length of its vectors, once."""
    rows = seat.embed_records([PROBE], ())
    if rows.ndim != 2 or len(rows) != 1 or rows.shape[1] == 0:
        raise BadEmbeddingError(
            f"The embedder '{seat.embedder.model_id}' returned shape {rows.shape} for one text.",
            hint="Choose another model to embed with.",
        )
    return int(rows.shape[1])
