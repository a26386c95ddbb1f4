"""A sentence in, the same sentence in fewer turns of phrase out, still good English for a parser.

``rephrasing`` does more, with words of its own ("atmost"), which a parser has never seen.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.text.paraphrase.rephrasing import CONTRACTED, digits_for_words
from trisynapse_memory.text.spans import normalise

_TURNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"\btwice\b", "2 times"),
        (r"\b(?:a|one|1) quarter\b", "25 percent"),
        (r"\b(?:a|one|1) third\b", "1/3"),
        (r"(?<=\d)\s?%|\bper ?cent\b", " percent"),
        (r"\b(?:due to|owing to|on account of|as a result of|thanks to)\b", "because of"),
        (r"\b(?:any ?more|any longer|as well(?! as)|at the latest)\b", ""),
        (r"\bno longer\b", "not"),
        (r"\bprior to\b", "before"),
        (r"\bin order to\b", "to"),
        (r"\bamong(?:st)?\b", "of"),
        (r"\bat once\b", "immediately"),
        (r"\ba (?:little )?bit\b", "slightly"),
        (r"\b(?:provided(?: that)?(?= (?:the|a|an|it|they|he|she)\b)|on condition that\b)", "if"),
        # Comparatives of one meaning.
        (r"\btaller\b", "higher"),
        (r"\bnearer\b", "closer"),
        (r"\bsooner\b", "earlier"),
        # Verbs of several words.
        (r"\b(?:was|were|is|are) back in\b", "returned to"),
        (r"\b(?:comes?|came|coming|goes|went|go|were|was|are) back\b", "returned"),
        (r"\b(?:leaves?|left|leaving) out\b", "dropped"),
        (r"\bturn(?:s|ed)? down\b", "refused"),
        (r"\b(?:goes|go|gone|went) up\b", "rose"),
        (r"\b(?:goes|go|gone|went) down\b", "fell"),
        (r"\bfell by\b", "decreased by"),
        (r"\b(?:takes?|took|taken) place\b", "occurred"),
        (r"\bcarr(?:y|ies|ied) out\b", "performed"),
        (r"\bgrown (?=man|woman|men|women)", "adult "),
    )
)


def plain(text: str) -> str:
    """Say a sentence in its plainest turns of phrase, numbers in digits."""
    words = normalise(text).text.replace("\u2019", "'")
    for pattern, into in CONTRACTED:
        words = pattern.sub(into, words)
    words = digits_for_words(words)
    for pattern, into in _TURNS:
        words = pattern.sub(into, words)
    return " ".join(words.split())
