"""What was read of a page in, its one verdict and its flags out. Nothing is read here.

One verdict per page, the worst thing that limits its use; everything else that is true of it stands in the flags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final

import numpy as np

from trisynapse_memory.preprocessing.pdf.glyphs import BAD_CHARACTER
from trisynapse_memory.preprocessing.pdf.visibility import Painting
from trisynapse_memory.types import PageVerdict

GARBLED_SHARE: Final = 0.1  # of the glyphs without a readable character; chosen, not measured
GARBLED_FLAG_SHARE: Final = 0.01
SCAN_MAX_CHARS: Final = 40  # characters; a page number or a stamp on a scan does not make it a text page
OCR_MAX_CHARS: Final = 15  # characters; what text recognition finds in the grain of a picture
SCAN_MIN_SHARE: Final = 0.7  # of the page under one image
MIN_LETTERS: Final = 200  # Latin letters; fewer say nothing about their mixture
# Vowels are roughly 40 % of English letters; an alphabet shifted by three leaves roughly 14 %. No corpus measured.
VOWEL_SHARE: Final = (0.2, 0.7)

_BAD: Final = re.compile(f"[{BAD_CHARACTER}\ue000-\uf8ff\U000f0000-\U0010ffff]")  # unknown, or private to one font
_LETTERS: Final = [ord(letter) for letter in ascii_lowercase]
_VOWELS: Final = [ord(letter) for letter in "aeiouy"]
_CID: Final = re.compile(r"\(cid:\d+\)")
_ORDER: Final = (
    PageVerdict.DAMAGED,
    PageVerdict.GARBLED,
    PageVerdict.IMAGE_ONLY,
    PageVerdict.EMPTY,
    PageVerdict.ORDER_UNCERTAIN,
    PageVerdict.HIDDEN_TEXT,
)
_NOTES: Final = {
    PageVerdict.GARBLED: "The page shows text, but its fonts do not say which letters they draw.",
    PageVerdict.IMAGE_ONLY: "The page is a picture without text; text recognition could read it.",
    PageVerdict.ORDER_UNCERTAIN: "The reading order of this page is uncertain.",
    PageVerdict.HIDDEN_TEXT: "The page holds text that a reader cannot see; it is kept apart.",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one page: its text, what was hidden, how its order and its file look."""

    text: str
    hidden: str
    painting: Painting
    uncertain: bool
    broken_file: bool
    repaired: bool
    read_errors: bool
    ocr_layer: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, the other things that are true of the page, and a sentence for the person."""

    verdict: PageVerdict
    flags: tuple[str, ...]
    note: str


def judge(reading: Reading) -> Judgement:
    """Give a page its verdict. ``ok`` means: there is text, and it is what the glyphs on the page show."""
    share = _bad_share(reading.text)
    true_of_it = _faults(reading, share)
    verdict = next((fault for fault in _ORDER if fault in true_of_it), PageVerdict.OK)
    flags = [fault.value for fault in _ORDER if fault in true_of_it and fault is not verdict]
    if verdict is PageVerdict.HIDDEN_TEXT:
        # Readers of flags need not know that a verdict may stand for one.
        flags.append(PageVerdict.HIDDEN_TEXT.value)
    if verdict is not PageVerdict.GARBLED and share >= GARBLED_FLAG_SHARE:
        flags.append("unreadable-glyphs")
    if reading.repaired:
        flags.append("repaired")
    if reading.read_errors and verdict is not PageVerdict.DAMAGED:
        flags.append("read-errors")
    return Judgement(verdict, tuple(flags), _NOTES.get(verdict, ""))


def _faults(reading: Reading, bad_share: float) -> set[PageVerdict]:
    faults: set[PageVerdict] = set()
    chars = len("".join(reading.text.split()))
    if reading.hidden:
        faults.add(PageVerdict.HIDDEN_TEXT)
    if chars == 0:
        faults.update(_without_text(reading))
    elif chars <= (OCR_MAX_CHARS if reading.ocr_layer else SCAN_MAX_CHARS) and (
        reading.painting.scan_share >= SCAN_MIN_SHARE
    ):
        faults.add(PageVerdict.IMAGE_ONLY)
    if bad_share >= GARBLED_SHARE or _is_shifted(reading.text):
        faults.add(PageVerdict.GARBLED)
    if reading.uncertain:
        faults.add(PageVerdict.ORDER_UNCERTAIN)
    return faults


def _without_text(reading: Reading) -> set[PageVerdict]:
    drawn = reading.painting.survey
    if drawn.images or drawn.path_count:
        return {PageVerdict.IMAGE_ONLY}
    if reading.hidden:
        return set()
    broken = drawn.text_count == 0 and (reading.broken_file or reading.read_errors)
    return {PageVerdict.DAMAGED if broken else PageVerdict.EMPTY}


def is_garbled(text: str) -> bool:
    """Tell whether extracted text cannot be what the page shows: unknown glyphs, private codes, a shifted alphabet."""
    return _bad_share(text) >= GARBLED_SHARE or _is_shifted(text)


def _is_shifted(text: str) -> bool:
    """Whether Latin letters come in a mixture that no language has."""
    counts = np.bincount(np.frombuffer(text.casefold().encode("ascii", "ignore"), dtype=np.uint8), minlength=128)
    letters = int(counts[_LETTERS].sum())
    if letters < MIN_LETTERS or letters < 0.5 * len("".join(text.split())):
        return False
    return not VOWEL_SHARE[0] <= int(counts[_VOWELS].sum()) / letters <= VOWEL_SHARE[1]


def _bad_share(text: str) -> float:
    solid = "".join(text.split())
    if not solid:
        return 0.0
    cid = sum(len(match) for match in _CID.findall(text))
    return (cid + (0 if solid.isascii() else len(_BAD.findall(solid)))) / len(solid)
