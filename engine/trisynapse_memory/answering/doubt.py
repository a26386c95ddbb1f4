"""A doubtful question and its best passages in, what a local model is asked of them out; its reply in, log-odds out.

Nothing is decided here: what the model says is one more measure of the evidence (``abstention.decide``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.answering.drafting import LONGEST_QUESTION, best_run, passage_of
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.text.prompts import DOUBT, load_prompt
from trisynapse_memory.text.windows import Part, Window, write_evidence
from trisynapse_memory.types import Completion, Hit, Prompt, Role, SourceId

CHOICES: Final = ("yes", "no")
PASSAGES_SHOWN: Final = 3
SHOWN_CHARS: Final = 420  # of all passages; one beyond is left out. A model of 1.5 billion weights reads it in 3 s
SAID_ODDS: Final = 1.0  # log-odds of a reply in words: a model that cannot say how sure it is is not taken for sure


def write_doubt(inquiry: Inquiry, hits: Sequence[Hit]) -> Prompt:
    """Write the prompt that asks whether passages answer a question, in one word.

    Args:
        inquiry: the question.
        hits: the passages, best first, at least one; as many are shown as ``SHOWN_CHARS`` allow, the first in any case.
    """
    parts: list[Part] = []
    room = SHOWN_CHARS
    for hit in hits[:PASSAGES_SHOWN]:
        passage = passage_of(hit, best_run(hit.record.text, inquiry))
        room -= len(passage.text)
        if parts and room < 0:
            break
        parts.append(Part(passage, 0, len(passage.text)))
    window = Window(tuple(parts))
    text = write_evidence(window, f"Question: {' '.join(inquiry.question.split())[:LONGEST_QUESTION]}")
    return prompt_of(text, window.source_ids)


def prompt_of(text: str, source_ids: tuple[SourceId, ...] = ()) -> Prompt:
    """Return the prompt around a text that holds fenced passages and the question behind them."""
    return Prompt(
        instructions=load_prompt(DOUBT).text,
        text=text,
        max_output_tokens=1,
        role=Role.ANSWER,
        source_ids=source_ids,
        choices=CHOICES,
    )


def read_doubt(reply: Completion) -> float | None:
    """Return the log-odds (natural logarithm) that the passages answer, by a model; None where it said neither."""
    if len(reply.odds) == len(CHOICES):
        return reply.odds[0] - reply.odds[1]
    said = reply.text.strip().strip("\"'*.").lower()
    return {"yes": SAID_ODDS, "no": -SAID_ODDS}.get(said)
