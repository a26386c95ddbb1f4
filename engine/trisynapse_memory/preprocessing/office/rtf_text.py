"""The pieces of a rich text file in, its blocks and metadata out; how blocks are put together is not known here.

Kept: the result of fields, inserted text. Left out: deleted text, field codes, pictures. Apart: hidden text. Headings
are known by the outline level that a paragraph or its style states.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.office.rtf_stories import Stories, Story, whole
from trisynapse_memory.preprocessing.office.rtf_tokens import (
    DEFAULT_CODE_PAGE,
    SYMBOL_CHARSET,
    Token,
    code_page,
    known_page,
)
from trisynapse_memory.preprocessing.office.symbols import symbol
from trisynapse_memory.preprocessing.office.word_runs import raised

GROUPS_MAX: Final = 10_000  # open at once; more is no document
_SKIP: Final = frozenset(
    """fldinst pict nonshppict colortbl filetbl listtable listoverridetable listtables revtbl rsidtbl generator
    themedata colorschememapping latentstyles datastore xmlnstbl wgrffmtfilter mmathPr bkmkstart bkmkend atnid atnauthor
    atndate atnref atntime atnparent atrfstart atrfend sp shprslt objdata objclass objname template xe tc txe rxe
    ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pntxta pntxtb pn pgdsctbl docvar userprops background fname
    formfield datafield ffname panose falt keycode upr blipuid picprop nesttableprops ctrlPr
    mctrlPr ebcstart ebcend passwordhash factoidname hlinkbase operator category keywords comment doccomm subject
    company manager buptim printim""".split()
)
_STORIES: Final = {
    b"footnote": "note", b"annotation": "comment", b"shptxt": "box", b"header": "margin", b"headerl": "margin",
    b"headerr": "margin", b"headerf": "margin", b"footer": "margin", b"footerl": "margin", b"footerr": "margin",
    b"footerf": "margin",
}  # fmt: skip
_SIGNS: Final = {
    b"tab": "\t", b"line": "\n", b"lbr": "\n", b"emdash": "\u2014", b"endash": "\u2013", b"emspace": " ",
    b"enspace": " ", b"qmspace": " ", b"bullet": "\u2022", b"lquote": "\u2018", b"rquote": "\u2019",
    b"ldblquote": "\u201c", b"rdblquote": "\u201d", b"zwj": "\u200d", b"zwnj": "\u200c",
}  # fmt: skip
_ESCAPED: Final = {b"~": " ", b"_": "\u2011", b"-": "", b"{": "{", b"}": "}", b"\\": "\\"}
_ENTERED: Final = frozenset({b"shpinst", b"moMath", b"moMathPara", b"ud", b"shppict", b"cs", b"listtext", b"hlfr"})
_PLACES: Final = {
    b"fonttbl": "fonts", b"stylesheet": "styles", b"listtext": "mark", b"pntext": "mark", b"info": "info:",
}  # fmt: skip
_INFO: Final = frozenset({b"title", b"author", b"creatim", b"revtim"})
_HEADING: Final = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik)\s*([1-9])", re.IGNORECASE)


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it; ``story`` is set on the group that opens one."""

    place: str = "text"  # text, skip, fonts, styles, mark, or info: with a key
    font: int | None = None
    skip_count: int = 1  # letters behind a Unicode character that say the same for old readers
    is_hidden: bool = False
    is_deleted: bool = False
    is_raised: bool = False
    story: Story | None = None


@dataclass(frozen=True, slots=True)
class RtfText:
    """What was read; ``stated`` is what the file says about itself: title, author, creatim year, ..."""

    blocks: tuple[Block, ...]
    stated: dict[str, str]
    titled: str
    picture_count: int


@dataclass(slots=True)
class _Fonts:
    """The encoding of each font, those that hold symbols, and the font of text that names none."""

    pages: dict[int, str] = field(default_factory=dict[int, str])
    symbols: set[int] = field(default_factory=set[int])
    default: int | None = None


class RtfReader:
    """Reads one file, piece by piece."""

    def __init__(self) -> None:
        self._stories = Stories()
        self._state = _State()
        self._groups: list[_State] = []
        self._page = DEFAULT_CODE_PAGE
        self._fonts = _Fonts()
        self._style: list[int | None] = [None, None]  # number and level of the style that is being defined
        self._stated: dict[str, str] = {}
        self._pending: list[bytes] = []
        self._skipping = 0
        self._starred = False
        self._picture_count = 0

    def feed(self, token: Token) -> None:
        """Take one piece."""
        kind = token.kind
        if kind in ("byte", "text"):
            if self._state.place == "skip":  # most of a file may be the digits of its pictures
                return
            skipped = min(self._skipping, len(token.value))
            self._skipping -= skipped
            # A letter of two bytes may come as two pieces.
            if skipped < len(token.value):
                self._pending.append(token.value[skipped:])
            return
        self._flush()
        if kind == "open":
            self._open()
        elif kind == "close":
            self._close()
        elif kind == "sign":
            self._sign(token.value)
        else:
            self._word(token.value, token.number)

    def finish(self) -> RtfText:
        """Return what was read; groups that were never closed are closed."""
        self._flush()
        while self._groups:
            self._close()
        blocks = tuple(self._stories.finish())
        stated = {key: whole([words]) for key, words in self._stated.items()}
        return RtfText(blocks, stated, self._stories.titled, self._picture_count)

    def _flush(self) -> None:
        if not self._pending:
            return
        content = b"".join(self._pending)
        self._pending.clear()
        font = self._state.font if self._state.font is not None else self._fonts.default
        if font in self._fonts.symbols and self._state.place == "text":
            self._put("".join(symbol(byte, "symbol") for byte in content))
        else:
            encoding = self._fonts.pages.get(font, "") if font is not None else ""
            self._put(content.decode(encoding or self._page, "replace"))

    def _put(self, words: str) -> None:
        state, place = self._state, self._state.place
        if place == "text":
            if not state.is_deleted:
                paragraph = self._stories.current.paragraph
                parts = paragraph.hidden if state.is_hidden else paragraph.shown
                parts.append(raised(words, parts) if state.is_raised else words)
        elif place == "mark":
            self._stories.current.paragraph.mark.append(words)
        elif place == "styles":
            self._define_style(words)
        elif place.startswith("info:"):
            key = place.removeprefix("info:")
            self._stated[key] = self._stated.get(key, "") + words

    def _define_style(self, words: str) -> None:
        label = words.rstrip("; ").strip()
        number, level = self._style
        if label:
            named = _HEADING.fullmatch(label)
            stated = level + 1 if level is not None and 0 <= level < 9 else 0
            self._stories.styles[number or 0] = (label.lower(), stated or (int(named.group(1)) if named else 0))
            self._style = [None, None]

    def _open(self) -> None:
        self._starred, self._skipping = False, 0
        if len(self._groups) < GROUPS_MAX:
            self._groups.append(self._state)
            self._state = replace(self._state, story=None)

    def _close(self) -> None:
        self._starred, self._skipping = False, 0
        if not self._groups:
            return
        if self._state.story is not None:
            self._stories.end(self._state.story)
        self._state = self._groups.pop()

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
        elif sign in (b"\n", b"\r"):
            self._word(b"par", None)
        elif sign in _ESCAPED:
            if self._skipping:
                self._skipping -= 1
            else:
                self._put(_ESCAPED[sign])

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        self._skipping = 0
        if word == b"u":
            code = (number or 0) & 0xFFFF
            # One outside the first plane comes in two halves, which are joined when the paragraph ends.
            self._put(symbol(code, "symbol") if 0xF000 <= code < 0xF100 else chr(code))
            self._skipping = self._state.skip_count
        elif not self._destination(word, starred):
            self._format(word, number)

    def _format(self, word: bytes, number: int | None) -> None:
        rule = _RULES.get(word)
        if rule is not None:
            rule(self, number)
        elif self._state.place in ("text", "mark"):
            if word in _SIGNS:
                self._put(_SIGNS[word])
            elif self._state.place == "text" and word in _ENDS:
                _ENDS[word](self._stories)

    def _destination(self, word: bytes, starred: bool) -> bool:
        """Begin what a group is for; True when the word was that, or nothing of its group is read."""
        state = self._state
        name = word.decode("ascii")
        if word == b"ud":  # what stood before it says the same in an old code page
            state.place = next((one.place for one in reversed(self._groups) if one.place != "skip"), "text")
        elif state.place == "skip":
            return True
        elif word in _STORIES:
            state.place = "text"
            state.story = self._stories.begin(_STORIES[word])
        elif name in _SKIP or (starred and word not in _ENTERED):
            self._picture_count += word == b"pict"
            state.place = "skip"
        elif word in _PLACES:
            state.place = _PLACES[word]
        elif word in _INFO and state.place.startswith("info:"):
            state.place = f"info:{name}"
        else:
            return False
        return True

    # What single control words do; each takes the number behind the word.

    def _set_charset(self, number: int | None) -> None:
        font = self._state.font
        if self._state.place == "fonts" and font is not None:
            self._fonts.pages[font] = code_page(number or 0)
            if number == SYMBOL_CHARSET:
                self._fonts.symbols.add(font)

    def _set_plain(self, number: int | None) -> None:
        self._state.is_hidden = self._state.is_deleted = self._state.is_raised = False
        self._state.font = self._fonts.default

    def _start_paragraph(self, number: int | None) -> None:
        paragraph = self._stories.current.paragraph
        paragraph.style = paragraph.level = None
        paragraph.list_level, paragraph.in_table = 0, False

    def _set_style(self, number: int | None) -> None:
        if self._state.place == "styles":
            self._style[0] = number
        else:
            self._stories.current.paragraph.style = number

    def _set_level(self, number: int | None) -> None:
        if self._state.place == "styles":
            self._style[1] = number
        else:
            self._stories.current.paragraph.level = number

    def apply(self, word: str, number: int | None) -> None:
        """Do what a control word says that sets one thing."""
        state, story = self._state, self._stories.current
        if word == "ansicpg":
            self._page = known_page(number or 0)
        elif word == "f":
            state.font = number
        elif word == "deff":
            self._fonts.default = number
        elif word == "uc":
            state.skip_count = min(max(0, number if number is not None else 1), 64)
        elif word == "v":
            state.is_hidden = number != 0
        elif word == "deleted":
            state.is_deleted = number != 0
        elif word in ("super", "nosupersub"):
            state.is_raised = word == "super" and number != 0
        elif word == "ilvl":
            story.paragraph.list_level = min(max(0, number or 0), 8)
        elif word == "intbl":
            story.paragraph.in_table = True
        elif word == "trhdr":
            story.row_is_header = True
        elif state.place in ("info:creatim", "info:revtim"):
            self._stated[f"{state.place[5:]} {word}"] = str(number or 0)

    def rule(self, word: str, number: int | None) -> None:
        """Do what a control word says that needs more than one step."""
        {
            "fcharset": self._set_charset,
            "plain": self._set_plain,
            "pard": self._start_paragraph,
            "s": self._set_style,
            "outlinelevel": self._set_level,
        }[word](number)


_Rule = Callable[[RtfReader, int | None], None]


def _applied(word: str) -> _Rule:
    return lambda reader, number: reader.apply(word, number)


def _ruled(word: str) -> _Rule:
    return lambda reader, number: reader.rule(word, number)


_RULES: Final[dict[bytes, _Rule]] = {
    **{
        word.encode(): _applied(word)
        for word in (
            "ansicpg",
            "f",
            "deff",
            "uc",
            "v",
            "deleted",
            "super",
            "nosupersub",
            "ilvl",
            "intbl",
            "trhdr",
            "yr",
            "mo",
            "dy",
        )
    },
    **{word.encode(): _ruled(word) for word in ("fcharset", "plain", "pard", "s", "outlinelevel")},
}
_ENDS: Final[dict[bytes, Callable[[Stories], None]]] = {
    **dict.fromkeys((b"par", b"sect", b"page"), Stories.end_paragraph),
    b"cell": Stories.end_cell,
    b"nestcell": Stories.end_line,
    b"row": Stories.end_row,
}
