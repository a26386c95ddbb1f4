"""Passages in, texts that fit a model's window out, their passages fenced and numbered. No model is asked here.

A passage that is larger than a window is cut between its sentences. What a document says can never end its fence: the
code of a fence is a hash of the very texts inside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import Completer, TokenCounter
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.text.characters import visible
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Passage, SourceId

MOST_ROOM_TOKENS: Final = 2_000  # of passages in one prompt, however large the window: about four pages. Chosen, not
# measured: a model lists less of each page the more pages it is given at once.
LEAST_ROOM_TOKENS: Final = 200  # a paragraph; below it a window holds no passage worth a request
MOST_OUTPUT_TOKENS: Final = 2_048
OUTPUT_SHARE: Final = 4  # the reply gets a quarter of a small window
SLACK_TOKENS: Final = 32  # joining texts may cost a few tokens more than their sum
CONTEXT_SHARE: Final = 4  # the text before the first passage takes at most a quarter of the room
CODE_LENGTH: Final = 6  # hex digits; it is in none of the texts, so it need not be long, and each fence costs tokens
LONGEST_LABEL: Final = 200  # characters of a title or section in front of a passage

# The first characters of what frames a turn in the common chat templates, torn apart where a document spells them.
_CONTROL: Final = re.compile(
    r"<[|\uff5c]|[|\uff5c]>|<<(?=/?SYS>>)|<(?=/?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|think|tool_\w+)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+)\])"
)
_NOTICE: Final = "Your last reply could not be used: {fault}. Reply once more, with one JSON object as described above."
_LONGEST_FAULT: Final = 120  # characters of a fault that is told; ours are shorter


class Part(Struct, frozen=True):
    """``passage.text[start:end]``: all of a passage, or what of it fits."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words."""
        return self.passage.text[self.start : self.end]


class Window(Struct, frozen=True):
    """What one prompt shows: part ``i`` has the number ``i + 1``. No fact may rest on ``context``."""

    parts: tuple[Part, ...]
    context: str = ""

    def part(self, number: int) -> Part | None:
        """Return the part that has a number, or None where none has it."""
        return self.parts[number - 1] if 1 <= number <= len(self.parts) else None

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages shown, each once."""
        return tuple({part.passage.seq: part.passage for part in self.parts}.values())

    @property
    def source_ids(self) -> tuple[SourceId, ...]:
        """The sources whose words are shown, each once, as far as the passages name them."""
        return tuple(dict.fromkeys(part.passage.source_id for part in self.parts if part.passage.source_id))


class Room(Struct, frozen=True):
    """How many tokens of passages one prompt holds, and how many the reply may have."""

    passage_tokens: int
    output_tokens: int


def estimate_tokens(texts: Sequence[str]) -> tuple[int, ...]:
    """Return about how many tokens each text costs where a model brings no counter: rather too many than too few.

    One for three ASCII characters, one for every other character.
    """
    return tuple(1 + (len(text) + 2 * sum(not letter.isascii() for letter in text)) // 3 for text in texts)


def room_of(completer: Completer, instructions: str, count: TokenCounter) -> Room:
    """Return how much of a model's window is left for passages and for the reply.

    Raises:
        ProviderError: the window is too small to hold the instructions and one paragraph.
    """
    output = min(MOST_OUTPUT_TOKENS, completer.max_tokens // OUTPUT_SHARE)
    notice = _NOTICE.format(fault="x" * _LONGEST_FAULT)
    taken = sum(count([instructions, notice])) + SLACK_TOKENS + output
    left = completer.max_tokens - taken
    if left < LEAST_ROOM_TOKENS:
        raise ProviderError(
            f"The model '{completer.model}' has a window of {completer.max_tokens} tokens; the instructions and one "
            f"paragraph need {taken + LEAST_ROOM_TOKENS}.",
            hint="Choose a model with a larger window.",
        )
    return Room(min(left, MOST_ROOM_TOKENS), output)


def cut_windows(
    passages: Sequence[Passage], room_tokens: int, count: TokenCounter, *, shows_unseen: bool
) -> tuple[Window, ...]:
    """Cut passages into windows that fit, in their order; every character of every passage is in exactly one part.

    Args:
        passages: in log order.
        room_tokens: for the passages of one window, context and fences included, >= ``LEAST_ROOM_TOKENS``.
        count: counts the tokens of texts.
        shows_unseen: whether ``Passage.before`` may be shown where it is not the text of the passage given before; of
            such a text nobody here knows whether it is sensitive.
    """
    largest = room_tokens - room_tokens // CONTEXT_SHARE
    windows: list[Window] = []
    parts: list[Part] = []
    context, left = "", 0
    previous: Passage | None = None
    for passage in passages:
        for part in _parts_of(passage, largest, count):
            cost = _cost(part, count)
            if not parts or cost > left:
                if parts:
                    windows.append(Window(tuple(parts), context))
                before = _context(part, previous, shows_unseen=shows_unseen)
                context = _tail(before, room_tokens // CONTEXT_SHARE, count)
                parts, left = [], room_tokens - _context_cost(context, count)
            parts.append(part)
            left -= cost
        previous = passage
    return (*windows, Window(tuple(parts), context)) if parts else tuple(windows)


def _context(part: Part, previous: Passage | None, *, shows_unseen: bool) -> str:
    """The text before a part: of the same passage, or the passage before it."""
    if part.start:
        return part.passage.text[: part.start]
    before = part.passage.before
    is_known = previous is not None and previous.text == before
    return before if shows_unseen or is_known else ""


def _tail(text: str, limit: int, count: TokenCounter) -> str:
    """The end of a text within a limit of tokens, its fence included, from the start of a word on."""
    while text and _context_cost(text, count) > limit:
        half = text[(len(text) + 1) // 2 :]
        text = half.partition(" ")[2] or half
    return text.strip()


def _parts_of(passage: Passage, limit: int, count: TokenCounter) -> Iterator[Part]:
    """A passage whole where it fits, else in runs of sentences; nothing of one that is blank."""
    text = passage.text
    if not text.strip():
        return
    if _cost(Part(passage, 0, len(text)), count) <= limit:
        yield Part(passage, 0, len(text))
        return
    start = fitting = 0
    for border in (*(first for first, _ in sentence_spans(text)[1:]), len(text)):
        if _cost(Part(passage, start, border), count) <= limit:
            fitting = border
            continue
        if fitting > start:
            yield Part(passage, start, fitting)
            start = fitting
        fitting = border
        if _cost(Part(passage, start, border), count) > limit:
            yield from _pieces(Part(passage, start, border), limit, count)
            start = border
    if start < len(text):
        yield Part(passage, start, len(text))


def _pieces(part: Part, limit: int, count: TokenCounter) -> Iterator[Part]:
    """A sentence that is larger than a window, cut between words, or inside one where it has none."""
    if part.end - part.start < 2 or _cost(part, count) <= limit:
        yield part
        return
    middle = (part.start + part.end) // 2
    space = part.passage.text.find(" ", middle, part.end - 1)
    cut = space + 1 if space >= 0 else middle
    yield from _pieces(Part(part.passage, part.start, cut), limit, count)
    yield from _pieces(Part(part.passage, cut, part.end), limit, count)


# ---------------------------------------------------------------- prompts


def write_evidence(window: Window, closing: str = "", fault: str = "") -> str:
    """Return the text of a prompt: the passages, then what is asked of them.

    Args:
        window: what is shown.
        closing: what is asked; after the passages, so that a local model reuses what it has read of them.
        fault: why the last reply could not be used, if there was one.
    """
    code = _code_of(window)
    blocks = [_context_block(window.context, code)] if window.context else []
    blocks += [_block(part, number, code) for number, part in enumerate(window.parts, start=1)]
    notice = [_NOTICE.format(fault=fault[:_LONGEST_FAULT])] if fault else []
    return "\n\n".join([*blocks, *([closing] if closing else []), *notice])


def _code_of(window: Window) -> str:
    """A code that none of the texts holds; the same texts always give the same one, so a prompt can be repeated."""
    everything = "\0".join([window.context, *(_block(part, 0, "") for part in window.parts)])
    code = hashlib.sha256(everything.encode()).hexdigest()[:CODE_LENGTH]
    while code in everything:
        code = hashlib.sha256(code.encode()).hexdigest()[:CODE_LENGTH]
    return code


def _cost(part: Part, count: TokenCounter) -> int:
    return count([_block(part, 100, "0" * CODE_LENGTH)])[0]


def _context_cost(text: str, count: TokenCounter) -> int:
    return count([_context_block(text, "0" * CODE_LENGTH)])[0] if text else 0


def _block(part: Part, number: int, code: str) -> str:
    passage = part.passage
    text = _shown(part.text)
    labels = {
        "Title": passage.title,
        "Section": passage.section,
        "Speaker": passage.speaker,
        "Columns": " | ".join(passage.cells),
    }
    named = [f"{name}: {one_label(label)}" for name, label in labels.items() if label.strip()]
    return "\n".join([f"[[passage {number} {code}]]", *named, "Text:", text, f"[[end {code}]]"])


def _context_block(text: str, code: str) -> str:
    return "\n".join([f"[[context {code}]]", _shown(text), f"[[end {code}]]"])


def one_label(text: str) -> str:
    """Return a title or a name as it may stand in a prompt: one line, cut, and without control words."""
    return " ".join(_shown(text).split())[:LONGEST_LABEL]


def _shown(text: str) -> str:
    """A text as a model is shown it: what nobody sees is left out, and no word of it is a control word.

    Our own llama.cpp reads none in a document; a server at an address of hers may, for it fills its template with it.
    """
    return _CONTROL.sub(
        lambda found: f"{found.group()[0]} {found.group()[1:]}", visible(text.replace("\u00ad\n", "-\n"))
    )
