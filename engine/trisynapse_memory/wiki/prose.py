"""The sentences of a page in, the prompt that asks for connected prose out; a model's rows in, what of them stands out.

Prose is another order and wording of what a page says. Each of its sentences is one that a sentence of the page says,
and carries that one's evidence; it lasts as long as those sentences do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from trisynapse_memory.contracts import Completer
from trisynapse_memory.text.prompts import WIKI, load_prompt
from trisynapse_memory.text.replies import numbers_of, text_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.text.windows import Window, cut_windows, estimate_tokens, one_label, room_of, write_evidence
from trisynapse_memory.types import ClaimStatus, Passage, Prompt, Role, SourceId, WikiPage, WikiSentence
from trisynapse_memory.types.compiled import WikiSection
from trisynapse_memory.wiki.sentences import anchored, sentence_key

ROWS: Final = "sentences"
SECTION: Final = "Prose"
LEAST_SENTENCES: Final = 3  # of a page; fewer need no connecting
MOST_SENTENCES: Final = 24  # shown to the model, in the order of the page
MOST_WRITTEN: Final = 8
MOST_OUTPUT_TOKENS: Final = 768

_CLOSING: Final = "Put the statements into order."
_TOLD: Final = frozenset(
    (
        WikiSection.LEAD.value,
        WikiSection.WHAT_IT_IS.value,
        WikiSection.RELATIONS.value,
        WikiSection.TIMELINE.value,
        WikiSection.KEY_CLAIMS.value,
    )
)
"""Sections that can be told as prose: tables, disputes, old values and contents stay as they are."""


def material_of(page: WikiPage, withheld: Callable[[WikiSentence], bool] = lambda _: False) -> tuple[WikiSentence, ...]:
    """Return the sentences of a page that prose may be made of: undisputed, not stale, and not withheld."""
    found = [
        one
        for one in page.sentences
        if one.section in _TOLD
        and one.text
        and not one.stale
        and one.status == ClaimStatus.ACTIVE.value
        and not withheld(one)
    ]
    return tuple(found[:MOST_SENTENCES])


def hash_of(material: Sequence[WikiSentence]) -> str:
    """Return what tells whether prose still says what its page says: SHA-256 (hex) of the sentences and records."""
    parts = [[one.key, one.text, sorted(one.record_ids)] for one in material]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def write_brief(title: str, material: Sequence[WikiSentence], completer: Completer) -> tuple[Prompt, int]:
    """Write the prompt that asks for prose; return it with how many of the sentences it shows.

    Raises:
        ProviderError: the model's window is too small.
    """
    instructions = load_prompt(WIKI).text
    subject = one_label(title)  # of a source, it is a stranger's words as much as the statements are
    room = room_of(completer, f"{instructions}\n{subject}\n{_CLOSING}", estimate_tokens)
    passages = [Passage(seq=place, text=one.text) for place, one in enumerate(material)]
    window = cut_windows(passages, room.passage_tokens, estimate_tokens, shows_unseen=False)[0]
    shown = material[: len(window.parts)]
    prompt = Prompt(
        instructions=instructions,
        text=write_evidence(Window(window.parts, subject), _CLOSING),
        schema=prose_schema(len(shown)),
        max_output_tokens=min(MOST_OUTPUT_TOKENS, room.output_tokens),
        role=Role.WIKI,
        source_ids=tuple(
            dict.fromkeys(SourceId(each.source_id) for one in shown for each in one.supports if each.source_id)
        ),
    )
    return prompt, len(shown)


def prose_schema(count: int) -> dict[str, object]:
    """Return the JSON Schema of a reply over statements 1 to ``count``."""
    number = {"type": "integer", "enum": list(range(1, count + 1))}
    sentence = {
        "type": "object",
        "properties": {
            "passages": {"type": "array", "items": number, "minItems": 1, "maxItems": 2},
            "text": {"type": "string"},
        },
        "required": ["passages", "text"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {ROWS: {"type": "array", "items": sentence, "maxItems": MOST_WRITTEN}},
        "required": [ROWS],
        "additionalProperties": False,
    }


def standing(rows: Sequence[dict[str, object]], material: Sequence[WikiSentence]) -> dict[str, WikiSentence]:
    """Return the sentences of a reply that a sentence of the page says, each with that one, in the model's order.

    A statement is told once; the model's own number for it counts only where it is right.
    """
    told: dict[str, WikiSentence] = {}
    for row in rows:
        named = [material[number - 1] for number in numbers_of(row.get("passages")) if 1 <= number <= len(material)]
        for text in _sentences(" ".join(text_of(row.get("text")).split())):
            basis = next((one for one in (*named, *material) if judge(text, one.text).passes), None)
            if basis is not None and basis not in told.values() and len(told) < MOST_WRITTEN:
                told.setdefault(text, basis)
    return told


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in sentence_spans(text))


def prose_of(texts: Sequence[str], material: Sequence[WikiSentence]) -> tuple[WikiSentence, ...]:
    """Return kept prose as sentences with the evidence of those they say; judged anew, so that none stands alone."""
    made: list[WikiSentence] = []
    for text in texts:
        basis = next((one for one in material if judge(text, one.text).passes), None)
        if basis is not None and basis.supports:
            made.append(
                anchored(
                    sentence_key(SECTION, basis.key),
                    text,
                    basis.supports,
                    section=SECTION,
                    claim_ids=basis.claim_ids,
                )
            )
    return tuple(made)
