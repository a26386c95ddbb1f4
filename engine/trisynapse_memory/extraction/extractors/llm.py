"""Passages in, facts that a language model read out of them out, each with the words it rests on.

The model sees a window of passages at a time, never a whole document. One bad reply is asked for once more; a window
that fails twice costs that window. No date is worked out by the model, and nothing it writes is believed unread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import Completer, TokenCounter
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.extraction.model_facts import ModelReading, Provenance, facts_schema, propose
from trisynapse_memory.extraction.runner import sort_proposals
from trisynapse_memory.text.prompts import FACTS, load_prompt
from trisynapse_memory.text.replies import Reply, read_reply
from trisynapse_memory.text.windows import Window, cut_windows, estimate_tokens, room_of, write_evidence
from trisynapse_memory.types import Passage, Prompt, Proposal, Role

_ROWS: Final = "facts"
_EMPTY_ROWS: Final = "no entry of 'facts' has a subject, a relation and an object"


class _WindowReading(Struct, frozen=True):
    """What one window gave: facts that stand, others by reason, why it is not whole, and how often it was asked."""

    proposals: tuple[Proposal, ...]
    dropped: dict[str, int]
    fault: str
    call_count: int


class ModelExtractor:
    """Reads passages with a language model.

    Args:
        completer: the model.
        count_tokens: counts tokens as the model does; without one they are estimated from above.
        withheld: names passages that no remote model may see, because they are marked sensitive. The pipeline leaves
            them out already; this is the second lock.
    """

    name = "llm"
    version = 1

    def __init__(
        self,
        completer: Completer,
        count_tokens: TokenCounter = estimate_tokens,
        withheld: Callable[[Passage], bool] = lambda passage: False,
    ) -> None:
        self._completer = completer
        self._count = count_tokens
        self._withheld = withheld
        self._prompt = load_prompt(FACTS)
        self._provenance = Provenance(
            provider=completer.provider,
            model=completer.model,
            prompt=self._prompt.label,
            prompt_sha256=self._prompt.sha256,
        )

    @property
    def provenance(self) -> Provenance:
        """Who writes what this extractor proposes."""
        return self._provenance

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        """Return the facts that these passages say, in their order.

        Raises:
            ProviderError: the model stopped answering; ``read`` keeps what it said before.
        """
        reading = self.read(passages)
        if reading.unread:
            raise ProviderError(reading.trouble)
        return reading.proposals

    def read(self, passages: Sequence[Passage]) -> ModelReading:
        """Return the facts that these passages say, and what became of the rest.

        Raises:
            ProviderError: the model did not answer at all, or its window is too small.
        """
        shown = tuple(one for one in passages if not (self._completer.is_remote and self._withheld(one)))
        kept = {one.seq for one in shown}
        withheld = tuple(one.seq for one in passages if one.seq not in kept)
        room = room_of(self._completer, self._prompt.text, self._count)
        windows = cut_windows(shown, room.passage_tokens, self._count, shows_unseen=not self._completer.is_remote)
        done: list[tuple[Window, _WindowReading]] = []
        trouble = ""
        for window in windows:
            try:
                done.append((window, self._read_window(window, room.output_tokens)))
            except ProviderError as error:
                if not done:
                    raise
                trouble = str(error)
                break
        unread = tuple(dict.fromkeys(one.seq for window in windows[len(done) :] for one in window.passages))
        return self._reading(done, unread, withheld, trouble)

    def _read_window(self, window: Window, output_tokens: int) -> _WindowReading:
        """Ask once, and once more with the fault told; of two bad replies the one that says more is kept."""
        best, call_count = Reply(), 0
        fault = ""
        for _ in range(2):
            prompt = Prompt(
                instructions=self._prompt.text,
                text=write_evidence(window, fault=fault),
                schema=facts_schema(),
                max_output_tokens=output_tokens,
                role=Role.EXTRACTION,
                source_ids=window.source_ids,
            )
            reply = read_reply(self._completer.complete(prompt).text, _ROWS)
            call_count += 1
            fault = reply.fault or _fault_of(reply)
            if not fault or len(reply.rows) > len(best.rows):
                best = reply
            if not fault:
                break
        proposals, dropped = _facts_of(best, window)
        return _WindowReading(proposals, dropped, fault, call_count)

    def _reading(
        self,
        done: Sequence[tuple[Window, _WindowReading]],
        unread: tuple[int, ...],
        withheld: tuple[int, ...],
        trouble: str,
    ) -> ModelReading:
        waiting = set(unread)
        dropped: Counter[str] = Counter()
        for _, reading in done:
            dropped.update(reading.dropped)
        return ModelReading(
            # A passage that was cut is read when all of it is.
            proposals=tuple(one for _, reading in done for one in reading.proposals if one.seq not in waiting),
            provenance=self._provenance,
            faults={
                one.seq: f"The reply of '{self._completer.model}' could not be used: {reading.fault}."
                for window, reading in done
                if reading.fault
                for one in window.passages
                if one.seq not in waiting
            },
            dropped=dict(dropped),
            withheld=withheld,
            unread=unread,
            trouble=trouble,
            call_count=sum(reading.call_count for _, reading in done),
        )


def _fault_of(reply: Reply) -> str:
    """Rows, but none that states anything: the model did not follow the form."""
    named = ("subject", "relation", "object")
    return _EMPTY_ROWS if reply.rows and not any(all(row.get(one) for one in named) for row in reply.rows) else ""


def _facts_of(reply: Reply, window: Window) -> tuple[tuple[Proposal, ...], dict[str, int]]:
    dropped: Counter[str] = Counter()
    proposals: list[Proposal] = []
    for row in reply.rows:
        found = propose(row, window)
        if isinstance(found, str):
            dropped[found] += 1
        else:
            proposals.append(found)
    sorted_out = sort_proposals(window.passages, proposals)
    dropped.update(sorted_out.dropped)
    order = {one.seq: place for place, one in enumerate(window.passages)}
    kept = sorted(sorted_out.proposals, key=lambda one: (order[one.seq], one.start))
    return tuple(kept), dict(dropped)
