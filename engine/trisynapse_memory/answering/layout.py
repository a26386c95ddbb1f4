"""The sentences chosen for a question in, the same in the form it asks for out. No sentence is rewritten here.

A list becomes bullets, a question for yes or no is replied to where a sentence does, a definition goes first, and what
stands side by side in a source is quoted in one piece.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from trisynapse_memory.answering.features import Measured
from trisynapse_memory.answering.forms import Wanted
from trisynapse_memory.answering.gathering import count_line, gather
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.replying import reply_to
from trisynapse_memory.answering.selection import Choice, within_budget
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.types import AnswerForm

_DEFINING: Final = (
    r"^(?:(?:the|an?)\s+)?{subject}s?(?:\s+\([^)]*\))?,?\s+(?:(?:is|are|was|were)\s+(?:an?|the|any|one|how|what|when)\b"
    r"|means?\b|refers?\s+to\b|denotes?\b|stands?\s+for\b|describes?\b|(?:is|are)\s+(?:defined|known|called)\b)"
)


class Laid(NamedTuple):
    """Choices in the order in which they are shown, their form, and what is said before them."""

    choices: tuple[Choice, ...]
    form: AnswerForm = AnswerForm.PLAIN
    lead: str = ""


def lay_out(
    wanted: Wanted,
    inquiry: Inquiry,
    choices: Sequence[Choice],
    rows: Sequence[Measured],
    count_tokens: TokenCounter,
    config: Config,
) -> Laid:
    """Give chosen sentences the form that the question asks for, as far as they have it.

    Args:
        wanted: the form.
        inquiry: the question taken apart.
        choices: best first.
        rows: all measured sentences, for what else belongs in a list.
        count_tokens: how long a sentence is.
        config: its caps on characters and tokens hold.
    """
    if wanted.form is AnswerForm.LIST:
        gathered = gather(inquiry, choices, rows, config.excerpt_max_chars)
        if gathered.is_list:
            shown = within_budget(gathered.choices, inquiry, count_tokens, config)
            return Laid(shown, AnswerForm.LIST, count_line(shown))
    return Laid(_joined(_defined(wanted, choices), config))


def reply(wanted: Wanted, choices: Sequence[Choice]) -> Laid | None:
    """Say Yes or No where one of the sentences does, that one first; None where none does."""
    found = reply_to(wanted, choices)
    if found is None:
        return None
    first = choices[found.place]
    return Laid((first, *(choice for choice in choices if choice is not first)), AnswerForm.YES_NO, found.word)


def _defined(wanted: Wanted, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """With the sentence first that says what the thing is."""
    if not wanted.subject:
        return tuple(choices)
    subject = re.sub(r"^(?:an?|the)\s+", "", wanted.subject, flags=re.IGNORECASE)
    defining = re.compile(_DEFINING.format(subject=re.escape(subject)), re.IGNORECASE)
    return tuple(sorted(choices, key=lambda choice: defining.search(choice.sentence.text) is None))


def _joined(choices: Sequence[Choice], config: Config) -> tuple[Choice, ...]:
    """With sentences that follow each other in the source as one quotation, in the place of the better one."""
    joined: list[Choice] = []
    for choice in choices:
        place = next((i for i, one in enumerate(joined) if _touches(one, choice, config.excerpt_max_chars)), None)
        if place is None:
            joined.append(choice)
        else:
            one = joined[place]
            joined[place] = replace(one, end=choice.end)
    return tuple(joined)


def _touches(one: Choice, other: Choice, limit: int) -> bool:
    """Whether another sentence follows in the same running text with nothing but space between."""
    if one.sentence.hit is not other.sentence.hit or one.sentence.is_row or other.sentence.is_row:
        return False
    between = one.sentence.hit.record.text[one.end : other.start]
    near = one.end <= other.start and other.end - one.start <= limit
    return near and not between.strip() and "\n\n" not in between
