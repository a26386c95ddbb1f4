"""A follow-up question and what was said before in, a question that stands alone out; only the search uses it.

With a model: its wording, where it keeps her words and brings in none that was not said. Without: the pronoun gives way
to the one name of the question before, or the words of that question are put behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from msgspec import Struct

from trisynapse_memory.text.prompts import REWRITING, load_prompt
from trisynapse_memory.text.replies import text_of
from trisynapse_memory.text.windows import Part, Window, write_evidence
from trisynapse_memory.text.words import FUNCTION_WORDS, stem
from trisynapse_memory.types import Passage, Prompt, Role, SourceId

TURNS_SHOWN: Final = 3  # of the thread, the newest ones
LONGEST_REWRITING: Final = 400  # characters
LONGEST_MESSAGE: Final = 600  # characters of an earlier message
MOST_OUTPUT_TOKENS: Final = 96
FEW_WORDS: Final = 3  # content words of a question that begins like a follow-up, at most
MOST_CARRIED: Final = 8  # words of the last question

_LEADS: Final = re.compile(
    r"^(?:and|but|or|so|then|also|what about|how about|what else|who else|where else|why not)\b[ ,]*", re.IGNORECASE
)
_BARE_LEAD: Final = re.compile(r"^(?:and|but|or|so|then|also)\b[ ,]*", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those"
    r"|that(?=(?:\s+\w+)?\s*[?.!]?$|\s+(?:is|was|are|were|did|does|do|has|have|had|can|could|will|would)\b)"
    r"|that (?=paper|method|model|study|book|article|person|value|result|work|experiment|one)\w+)\b",
    re.IGNORECASE,
)
_POSSESSIVE: Final = frozenset("its their his her theirs hers".split())
_DETERMINERS: Final = frozenset("this these those that".split())
_INNER: Final = re.compile(r",|\b(?:and|or|but|that|which|who|when|where|if|because)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:[-'.,/+][^\W_]+)*")
_NAME: Final = re.compile(
    r"[^\W\d_]*[A-Z0-9][\w+]*(?:[-'][\w+]+)*(?: (?:(?:of|de|van|von|the) )?[A-Z][\w+]*(?:[-'][\w+]+)*)*"
)
_QUOTED: Final = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{2,80})[\"\u201d]")
# Words that steer a question and name nothing.
_FRAME: Final = FUNCTION_WORDS | frozenset(
    "many much long far old often kind type sort please tell explain say give show mean more else happened".split()
)


class Exchange(Struct, frozen=True):
    """One earlier question of a thread, as it was asked or understood, and what was answered (may be empty)."""

    question: str
    answer: str = ""
    source_ids: tuple[SourceId, ...] = ()


def follows_up(question: str) -> bool:
    """Tell whether a question cannot be understood without what was said before it.

    It is a follow-up where a pronoun has nothing in the question to stand for, where it begins like one ("what about
    ..."), or where it names next to nothing ("Why?").
    """
    asked = question.strip()
    content = _content(asked)
    lead = _LEADS.match(asked)
    if lead is not None and len(content) <= FEW_WORDS:
        return True
    if not content:
        return bool(asked)
    return any(not _is_inside(asked, match) for match in _PRONOUN.finditer(asked))


def _is_inside(question: str, pronoun: re.Match[str]) -> bool:
    """Whether what a pronoun stands for is likely in the question itself, before it."""
    before = question[: pronoun.start()]
    words = _content(before)
    return len(words) > 1 or bool(_names(before)) or (bool(words) and _INNER.search(before) is not None)


def carry_over(question: str, exchanges: Sequence[Exchange]) -> str:
    """Return a follow-up with what it leaves out, from the last exchange, without a model.

    The one name of the last question takes the place of the pronoun; else the words that say what it was about are put
    behind. Where the last question names nothing, the names of its answer count.
    """
    last = exchanges[-1]
    asked = question.strip()
    bare = _BARE_LEAD.sub("", asked, count=1)
    bare = bare[:1].upper() + bare[1:]
    names = [name for name in _names(last.question) or _names(last.answer) if name.lower() not in asked.lower()]
    pronoun = next((match for match in _PRONOUN.finditer(bare) if not _is_inside(bare, match)), None)
    if pronoun is not None and len(names) == 1:
        return f"{bare[: pronoun.start()]}{_in_place(names[0], pronoun)}{bare[pronoun.end() :]}"
    own = set(map(_stem, _content(asked)))
    carried = names if pronoun is not None and names else _replaced(last.question, bare)
    carried = [word for word in dict.fromkeys(carried) if _stem(word) not in own][:MOST_CARRIED]
    return f"{bare} ({', '.join(carried)})" if carried else bare


def _in_place(name: str, pronoun: re.Match[str]) -> str:
    return f"{name}'s" if pronoun.group().lower() in _POSSESSIVE else name


def _replaced(before: str, asked: str) -> list[str]:
    """The content words of a question; without its names where the next one brings a name in their place."""
    gone = {word for name in _names(before) for word in _WORD.findall(name)} if _names(asked) else set[str]()
    return [word for word in _content(before) if word not in gone]


def write_brief(question: str, exchanges: Sequence[Exchange]) -> Prompt:
    """Write the prompt that asks a model to make a follow-up stand alone."""
    said = [text for one in exchanges[-TURNS_SHOWN:] for text in (f"Question: {one.question}", one.answer) if text]
    parts = [Passage(seq=place, text=text[:LONGEST_MESSAGE]) for place, text in enumerate(said)]
    window = Window(tuple(Part(passage, 0, len(passage.text)) for passage in parts))
    text: dict[str, object] = {"type": "string"}
    return Prompt(
        instructions=load_prompt(REWRITING).text,
        text=write_evidence(window, f"Last question: {' '.join(question.split())}"),
        schema={
            "type": "object",
            "properties": {"question": text},
            "required": ["question"],
            "additionalProperties": False,
        },
        max_output_tokens=MOST_OUTPUT_TOKENS,
        role=Role.REWRITING,
        source_ids=tuple(dict.fromkeys(key for one in exchanges[-TURNS_SHOWN:] for key in one.source_ids)),
    )


def accept(value: object, question: str, exchanges: Sequence[Exchange]) -> str:
    """Return a model's wording where it may be used, else an empty text.

    It must keep every content word of her question, bring in none that was not said in the thread, and stand alone.

    Args:
        value: the reply as JSON was read from it.
        question: hers.
        exchanges: what the model was shown.
    """
    if not isinstance(value, dict):
        return ""
    wording = " ".join(text_of(cast("dict[str, object]", value).get("question")).split())
    if not 0 < len(wording) <= LONGEST_REWRITING:
        return ""
    mine = set(map(_stem, _content(_PRONOUN.sub(" ", question))))
    said = {_stem(word) for one in exchanges[-TURNS_SHOWN:] for word in _content(f"{one.question} {one.answer}")}
    got = set(map(_stem, _content(wording)))
    return wording if mine <= got <= mine | said and not follows_up(wording) else ""


def _names(text: str) -> list[str]:
    """What a text names: quoted words, and runs of words with capitals or digits; not the word that opens it."""
    quoted = [match.group(1) for match in _QUOTED.finditer(text)]
    found = [match.group().removesuffix("'s") for match in _NAME.finditer(_QUOTED.sub(" ", text))]
    return list(dict.fromkeys([*quoted, *(name for name in map(_without_frame, found) if name)]))


def _without_frame(name: str) -> str:
    """A name without the question word it was taken along with: "Did Foucault" -> "Foucault"."""
    words = name.split()
    while words and (words[0].lower() in _FRAME or _PRONOUN.fullmatch(words[0])):
        words.pop(0)
    return " ".join(words)


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in _FRAME and not _PRONOUN.fullmatch(word)]


def _stem(word: str) -> str:
    word = word.lower().removesuffix("'s")
    return stem(word) if word.isascii() and word.isalpha() else word
