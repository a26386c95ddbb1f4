"""An AsciiDoc text in, its blocks out, line by line; nothing is included, and no passthrough is passed.

Covers what authors write: sections, lists, tables, listings, admonitions, quotes, captions, attributes. Conditions
(``ifdef``) are taken to hold, so that nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.lightweight.asciidoc_tables import table_from
from trisynapse_memory.preprocessing.lightweight.asciidoc_words import plain_words

_HEADING: Final = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ATTRIBUTE: Final = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_BLOCK_LINE: Final = re.compile(r"\[(?!\[)([^\]]*)\][ \t]*$")
_ANCHOR: Final = re.compile(r"\[\[[^\]]*\]\][ \t]*$")
_CAPTION: Final = re.compile(r"\.(?![. \t])(\S.*)$")
_MACRO: Final = re.compile(r"(image|video|audio|include|toc|ifdef|ifndef|ifeval|endif)::([^\[]*)\[(.*)\][ \t]*$")
_LIST: Final = re.compile(r"[ \t]*(\*{1,6}|-|\u2022|\.{1,6}|\d{1,4}\.|[a-zA-Z]\.)[ \t]+(?:\[[ x*]\][ \t]+)?(\S.*)$")
_TERM: Final = re.compile(r"[ \t]*(\S.*?)(?:::{1,3}|;;)(?:[ \t]+(.*))?$")
_ADMONITION: Final = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
_FENCES: Final = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|`{3,}\w*|[|,:!]={3,})[ \t]*$")
_AUTHOR: Final = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,3}(?: <[^>]+>)?(?:; .*)?$")
_UNDERLINE: Final = re.compile(r"([-=~^+])\1{2,}")
_LABELS: Final = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
_CALLOUT: Final = re.compile(r"[ \t]*(?://|#|;;|--)?[ \t]*<(?:\d+|\.)>[ \t]*$", re.MULTILINE)
_REVISION: Final = re.compile(r"(?:v?[\d.]+,?[ \t]*)?(\d{4}-\d\d-\d\d)?.*$")


@dataclass(slots=True)
class AsciiDocText:
    """What a document says: its blocks, what it says of itself, what it would include, and what nobody sees."""

    blocks: list[Block] = field(default_factory=list[Block])
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    includes: list[str] = field(default_factory=list[str])
    hidden: list[str] = field(default_factory=list[str])


def read_asciidoc(text: str) -> AsciiDocText:
    """Read a document; every text is one."""
    reader = _Reader(text.split("\n"))
    reader.read()
    return reader.found


class _Reader:
    """Reads lines, one block at a time."""

    def __init__(self, lines: list[str]) -> None:
        self.found = AsciiDocText()
        self._lines = lines
        self._at = 0
        self._attributes: dict[str, str] = {}
        self._style = ""
        self._caption = ""
        self._run: list[str] = []
        self._counts: dict[int, int] = {}

    def read(self) -> None:
        """Read all lines."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            self._line(line)
        self._flush()

    def _line(self, line: str) -> None:
        if not line.strip() or line == "+":
            self._flush()
        elif self._is_underline(line):
            return
        elif fence := _FENCES.match(line):
            self._flush()
            self._fenced(fence[1])
        elif line.startswith("//"):
            self.found.hidden.append(line[2:].strip())
        elif not self._run and self._structure(line):
            return
        elif (match := _LIST.match(line)) or (match := _TERM.match(line) if not self._run else None):
            self._flush()
            self._entry(match, line)
        else:
            self._run.append(line)

    def _structure(self, line: str) -> bool:
        """Take a line that is no paragraph: a heading, an attribute, the style or the caption of what follows."""
        if match := _HEADING.match(line):
            self._heading(len(match[1]), match[2])
        elif match := _MACRO.match(line):
            self._macro(match[1], match[2], match[3])
        elif match := _ATTRIBUTE.match(line):
            self._attributes[match[1].strip("!").casefold()] = match[2] or ""
        elif match := _BLOCK_LINE.match(line):
            self._style = match[1]
        elif match := _CAPTION.match(line):
            self._caption = match[1]
        else:
            return bool(_ANCHOR.match(line)) or line.strip() in ("'''", "---", "***", "<<<")
        return True

    def _heading(self, level: int, words: str) -> None:
        told = self._words(words)
        self._forget()
        if level == 1 and not self.found.title and not self.found.blocks:
            self.found.title = told
            self._byline()
        self.found.title = self.found.title or told
        self.found.blocks.append(Block(told, "heading", level=level))

    def _byline(self) -> None:
        """Authors and revision stand right below the title."""
        if self._at < len(self._lines) and _AUTHOR.fullmatch(self._lines[self._at].strip()):
            line = self._lines[self._at]
            people = [re.sub(r"\s*<[^>]*>", "", one).strip() for one in line.split(";")]
            if "<" in line or ";" in line or self._is_revision(self._at + 1):
                self.found.authors = tuple(filter(None, people))
                self._at += 1
                if self._is_revision(self._at) and (match := _REVISION.match(self._lines[self._at])):
                    self.found.published = match[1] or ""
                    self._at += 1

    def _is_revision(self, at: int) -> bool:
        return at < len(self._lines) and re.match(r"v?\d+[.\d]*,|\d{4}-\d\d-\d\d", self._lines[at]) is not None

    def _macro(self, name: str, target: str, attributes: str) -> None:
        if name == "include":
            self.found.includes.append(target)
        elif name in ("image", "video", "audio"):
            alt = attributes.split(",")[0].strip("\"' ")
            self._add_caption()
            if alt and "=" not in alt:
                self.found.blocks.append(Block(f"[{name}: {self._words(alt)}]"))
        elif name in ("ifdef", "ifndef") and attributes:
            self._line(attributes)
        self._style = ""

    def _fenced(self, fence: str) -> None:
        begun = self._at
        end = next(
            (at for at in range(begun, len(self._lines)) if self._closes(self._lines[at], fence)), len(self._lines)
        )
        inner = [line.rstrip() for line in self._lines[begun:end]]
        if fence.endswith("===") and fence[0] in "|,:!":
            self._at = end + 1
            self._table(fence[0], inner)
            return
        if fence.startswith("////"):
            self._at = end + 1
            self.found.hidden.append("\n".join(inner).strip())
        elif fence[0] in "-.`" and fence != "--" and self._style.split(",")[0] not in ("NOTE", "TIP", "quote", "verse"):
            self._at = end + 1
            self._listing(fence, inner)
        elif fence.startswith("++++"):
            self._at = end + 1  # raw markup for one output format
            self.found.hidden.append("\n".join(inner).strip())
        else:
            self._around()

    def _around(self) -> None:
        """An example, a quote, a sidebar: its lines are read as any others, its borders say nothing more."""
        self._add_caption()
        style, _, attribution = self._style.partition(",")
        if style in _LABELS and self._at < len(self._lines):
            self._lines[self._at] = f"{style}: {self._lines[self._at].lstrip()}"
        elif style in ("quote", "verse") and attribution.strip():
            self.found.blocks.append(Block(f"{self._words(attribution)}:"))
        self._style = ""

    def _closes(self, line: str, fence: str) -> bool:
        return line.rstrip() == (re.sub(r"\w+$", "", fence) if fence.startswith("`") else fence)

    def _listing(self, fence: str, lines: list[str]) -> None:
        self._add_caption()
        parts = [part.strip() for part in self._style.split(",")]
        told = len(parts) > 1 and parts[0] in ("source", "") and "=" not in parts[1]
        language = parts[1] if told else fence.lstrip("`-.")
        words = _CALLOUT.sub("", "\n".join(lines).strip("\n"))
        if words.strip():
            self.found.blocks.append(Block(words, code=True, fields={"language": language} if language else {}))
        self._style = ""

    def _table(self, mark: str, lines: list[str]) -> None:
        self._add_caption()
        block = table_from(lines, mark, self._style, self._words)
        self.found.blocks += [block] if block is not None else []
        self._style = ""

    def _entry(self, match: re.Match[str], line: str) -> None:
        """One entry of a list, with the lines that go on below it."""
        if match.re is _TERM:
            rest = [match[2]] if match[2] else []
            told = self._words(" ".join([*rest, *self._going_on()]))
            words = f"{self._words(match[1])}: {told}" if told else self._words(match[1])
        else:
            mark = self._mark(match[1])
            told = " ".join([match[2].removesuffix(" +"), *self._going_on()])
            words = f"{mark} {self._words(told)}"
        self._add_caption()
        self.found.blocks.append(Block(words, entry=True))

    def _mark(self, typed: str) -> str:
        """What a reader sees before an entry: dots stand for numbers."""
        if typed[0] != ".":
            return typed if typed[0].isalnum() else "-"
        level = len(typed)
        self._counts = {one: count for one, count in self._counts.items() if one <= level}
        self._counts[level] = self._counts.get(level, 0) + 1
        return f"{self._counts[level]}."

    def _going_on(self) -> list[str]:
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            if not line or line == "+" or _LIST.match(line) or _FENCES.match(line) or _TERM.match(line):
                break
            if _BLOCK_LINE.match(line) or _MACRO.match(line) or line.startswith("//"):
                break
            taken.append(line.removesuffix(" +"))
            self._at += 1
        return taken

    def _flush(self) -> None:
        if not self._run:
            return
        lines, self._run = self._run, []
        self._counts = {}
        self._add_caption()
        style = self._style.split(",")[0].strip()
        self._style = ""
        if style in ("source", "listing", "literal") or all(line.startswith((" ", "\t")) for line in lines):
            self.found.blocks.append(Block("\n".join(lines), code=True))
            return
        if len(lines) > 1 and all(line.startswith("|") for line in lines):  # a table whose borders were forgotten
            block = table_from(lines, "|", style, self._words)
            self.found.blocks += [block] if block is not None else []
            return
        words = ("\n" if style == "verse" else " ").join(self._words(line) for line in lines)
        if match := _ADMONITION.match(words):
            words = f"{match[1].capitalize()}: {words[match.end() :]}"
        elif style in _LABELS:
            words = f"{style.capitalize()}: {words}"
        if words.strip():
            self.found.blocks.append(Block(words))

    def _add_caption(self) -> None:
        words, self._caption = self._words(self._caption), ""
        if words:
            self.found.blocks.append(Block(words, "caption"))

    def _forget(self) -> None:
        self._style = self._caption = ""
        self._counts = {}

    def _is_underline(self, line: str) -> bool:
        """Old documents underline their headings: the line above has the same length."""
        if len(self._run) != 1 or not _UNDERLINE.fullmatch(line) or abs(len(self._run[0]) - len(line)) > 1:
            return False
        self._heading("=-~^+".index(line[0]) + 1, self._run.pop())
        return True

    def _words(self, text: str) -> str:
        return plain_words(text, self._attributes)
