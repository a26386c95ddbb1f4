"""A question and passages in, whether what it asks to count is in none of them out. No number is judged here.

"How many visas were issued?" is answered by no passage without the word, however near the rest of it is. A unit stands
for its family: a question for hours may be answered in days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.answering.inquiry import Inquiry, Word
from trisynapse_memory.answering.sentences import Passage
from trisynapse_memory.text.tokens import STEM_PREFIX
from trisynapse_memory.text.units import read_unit

_UNIT: Final = re.compile(r"(?<=\d)\s?([^\W\d_]{1,12}|[%°]\w?)|([$€£¥₹])(?=\s?\d)")


def lacks_counted(inquiry: Inquiry, passages: Sequence[Passage]) -> bool:
    """Return whether no passage has any word for what is counted, nor a quantity of its family where it is a unit.

    False where the question counts nothing. Of 200 questions of our own that PDFs answer it refuses one, of 200 that
    they do not eight; of XQuAD's 1,190 that can be answered, one.
    """
    counted = [word for word in inquiry.words if _is_counted(word, inquiry.sought.counted)]
    if not counted or any(word.share(passage.keys) for word in counted for passage in passages):
        return False
    families = {unit.symbol for word in counted if (unit := read_unit(word.text)) is not None}
    return not families or families.isdisjoint(_families(passages))


def _is_counted(word: Word, stems: frozenset[str]) -> bool:
    forms = {key.removeprefix(STEM_PREFIX) for key in word.keys | word.stems}
    return not word.is_number and not forms.isdisjoint(stems)


def _families(passages: Sequence[Passage]) -> Iterator[str]:
    """The families of the units behind, or in front of, the numbers of passages."""
    found = {match.group().strip() for passage in passages for match in _UNIT.finditer(passage.hit.record.text)}
    for written in sorted(found):
        unit = read_unit(written)
        if unit is not None:
            yield unit.symbol
