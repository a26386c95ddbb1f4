"""A character of the fonts Symbol and Wingdings in, the sign a reader sees out.

Word keeps such a character as a place in its font (U+F061 for an alpha), which no search would find.
"""

from __future__ import annotations

from typing import Final

_GREEK: Final = dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)) | dict(
    zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)
)
_SYMBOL: Final = _GREEK | {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0x5E: "⊥", 0x7E: "∼",
    0xA2: "′", 0xA3: "≤", 0xA4: "⁄", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓",
    0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠",
    0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC5: "⊕", 0xC4: "⊗", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xC9: "⊃", 0xCA: "⊇",
    0xCC: "⊂", 0xCD: "⊆", 0xCE: "∈", 0xCF: "∉", 0xD0: "∠", 0xD1: "∇", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬",
    0xD9: "∧", 0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS: Final = {
    0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xE0: "→", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x76: "❖",
}  # fmt: skip
_HALVES, _ENDS = 0xD800, 0xE000  # halves of characters, which are none
_PRIVATE: Final = 0xF000  # where Office puts the places of a symbol font


def symbol(code: int, font: str) -> str:
    """Return the sign of a place in a symbol font; a bullet for a sign of a font that is not known.

    Args:
        code: the character's number, with or without the private-use offset 0xF000.
        font: the font's name.
    """
    place = code - _PRIVATE if code >= _PRIVATE else code
    family = font.lower()
    if family.startswith("symbol"):
        return _SYMBOL.get(place, chr(place) if 0x20 <= place < 0x7F else "•")
    if family.startswith(("wingdings", "webdings")):
        return _WINGDINGS.get(place, "•")
    return chr(code) if 0x20 <= code < _HALVES or _ENDS <= code < _PRIVATE else "•"
