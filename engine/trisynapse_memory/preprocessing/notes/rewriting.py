"""The Markdown of a note in, the words its reader sees out, with what it links to and its tags. Pure.

Only what a program for notes adds to Markdown is rewritten: ``[[Paper|the paper]]`` reads "the paper", ``![[fig.png]]``
"[image: fig.png]", a callout begins with its kind; ids of blocks and properties that only the program reads are left
out, comments are kept apart. The text that is made here is stored, so every offset is one into it. Code stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from trisynapse_memory.preprocessing.notes.names import note_name

_FENCE: Final = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})")
_PROPERTY: Final = re.compile(r"^([ \t]*)([-*][ \t]+)?([A-Za-z][\w ./-]{0,40}?)::(?:[ \t]+(.*))?$")
# What Logseq keeps for itself beside her own properties.
_OWN_KEYS: Final = re.compile(r"id|collapsed|heading|background-color|logseq\..*|hl-.*|ls-.*|created-at|updated-at")
_CALLOUT: Final = re.compile(r"^([ \t]*(?:>[ \t]?)+)\[!([\w-]+)(?:\|[^\]]*)?\][+-]?[ \t]*(.*)$")
_BLOCK_ID: Final = re.compile(r"(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$")
_INLINE: Final = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|%%(?P<comment>.*?)%%"
    r"|(?P<embed>!)?\[\[(?P<link>[^\[\]\n]+?)\]\]"
    r"|(?<!!)\[(?P<words>[^\[\]\n]*)\]\((?P<file><[^<>\n]+\.(?:md|csv)(?:\#[^<>\n]*)?>|[^()\s:]+\.(?:md|csv)(?:\#[^()\s]*)?)\)"
    r"|(?P<reference>\(\([0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\)\))"
    r"|\{\{(?P<macro>[^{}\n]*)\}\}"
    r"|==(?P<marked>[^\s=](?:[^=\n]*[^\s=])?)=="
    r"|(?<![\w/#&;:.(\[])\#(?:\[\[(?P<long_tag>[^\[\]\n]+)\]\]|(?P<tag>[\w/-]*[^\W\d][\w/-]*))"
)
_MEDIA: Final = {
    "image": ("png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "avif", "tif", "tiff", "heic"),
    "audio": ("mp3", "m4a", "wav", "ogg", "flac", "3gp", "opus"),
    "video": ("mp4", "mov", "mkv", "webm", "ogv", "avi"),
    "file": ("pdf", "canvas", "base", "zip", "docx", "xlsx", "pptx"),
}
_KIND_OF: Final = {ending: kind for kind, endings in _MEDIA.items() for ending in endings}
_EMBEDDED: Final = re.compile(r"embed\s+\[\[([^\[\]]+)\]\]")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something a note says by a mark: a link or a tag, and at which offset of the rewritten text it stands."""

    place: int
    kind: str
    value: str


@dataclass(slots=True)
class Rewritten:
    """A note as its reader sees it.

    ``marks`` are links and tags in the order of the text; ``properties`` what stands as ``key:: value`` above or in
    it, keys in small letters; ``hidden_text`` its comments.
    """

    text: str = ""
    marks: list[Mark] = field(default_factory=list[Mark])
    properties: dict[str, str] = field(default_factory=dict[str, str])
    hidden_text: str = ""


def rewrite(text: str, start: int = 0) -> Rewritten:
    r"""Rewrite a stretch of a note.

    Args:
        text: line ends are ``\n``.
        start: offset of the first character to look at; what stands before it (front matter) stays as it is.
    """
    return _Rewriter(text[:start]).run(text[start:])


class _Rewriter:
    """Line by line, with what is open: a fence of code, a comment."""

    def __init__(self, before: str) -> None:
        self._parts = [before]
        self._length = len(before)
        self._made = Rewritten()
        self._hidden: list[str] = []
        self._fence = ""
        self._in_comment = False

    def run(self, text: str) -> Rewritten:
        for line in text.splitlines(keepends=True):
            self._line(line.rstrip("\n"), "\n" if line.endswith("\n") else "")
        self._made.text = "".join(self._parts)
        self._made.hidden_text = "\n".join(part for part in self._hidden if part)
        return self._made

    def _line(self, line: str, end: str) -> None:
        if self._is_code(line):
            self._write(line + end)
            return
        if self._in_comment or line.count("%%") % 2:
            line, kept_nothing = self._commented(line)
            if kept_nothing:
                return
        if (found := _PROPERTY.match(line)) and not line.lstrip().startswith("#"):
            self._property(found, end)
            return
        if found := _CALLOUT.match(line):
            kind, title = found[2].capitalize(), found[3].strip()
            shown = kind if not title else title if title.lower() == kind.lower() else f"{kind}: {title}"
            line = f"{found[1]}{shown}"
        elif "^" in line:
            shorter = _BLOCK_ID.sub("", line)
            if not shorter.strip():
                return
            line = shorter
        self._inline(line)
        self._write(end)

    def _is_code(self, line: str) -> bool:
        """Tell whether a line belongs to a fenced block, its fences included."""
        found = _FENCE.match(line)
        if self._fence:
            if found and found[1].startswith(self._fence) and not line[found.end() :].strip("`~ \t"):
                self._fence = ""
            return True
        if found:
            self._fence = found[1]
            return True
        return False

    def _commented(self, line: str) -> tuple[str, bool]:
        """Take what stands in an open comment out of a line; also tell whether nothing of the line is left."""
        kept: list[str] = []
        for number, part in enumerate(line.split("%%")):
            if number:
                self._in_comment = not self._in_comment
            (self._hidden if self._in_comment else kept).append(part)
        shown = "".join(kept)
        return shown, not shown.strip()

    def _property(self, found: re.Match[str], end: str) -> None:
        indent, bullet, key, value = found[1], found[2] or "", found[3].strip(), (found[4] or "").strip()
        name = key.lower()
        if _OWN_KEYS.fullmatch(name):
            if bullet:  # the block goes on in the next lines
                self._write(indent + bullet)
            return
        self._write(f"{indent}{bullet}{key}: ")
        start = self._length
        self._inline(value)
        words = self._since(start)
        if not indent:  # a property below a bullet is that bullet's, not the note's
            self._made.properties.setdefault(name, words)
        if name in ("tags", "tag"):
            for tag in words.split(","):
                self._mark("tag", tag.strip().lstrip("#"))
        self._write(end)

    def _since(self, start: int) -> str:
        """What was written since an offset."""
        taken: list[str] = []
        length = self._length
        for part in reversed(self._parts):
            if length <= start:
                break
            taken.append(part)
            length -= len(part)
        return "".join(reversed(taken))

    def _inline(self, line: str) -> None:
        """Write a line with its links, embeds and marks as they read."""
        place = 0
        for found in _INLINE.finditer(line):
            self._write(line[place : found.start()])
            self._inline_mark(found)
            place = found.end()
        self._write(line[place:])

    def _inline_mark(self, found: re.Match[str]) -> None:
        part = found.groupdict()
        if part["code"]:
            self._write(part["code"])
        elif part["comment"] is not None:
            self._hidden.append(part["comment"].strip())
        elif part["link"]:
            self._link(part["link"], is_embed=part["embed"] is not None)
        elif part["file"]:
            self._mark("link", note_name(unquote(part["file"].strip("<>").partition("#")[0])))
            self._write(part["words"])
        elif part["marked"]:
            self._inline(part["marked"])
        elif part["macro"] is not None:
            self._macro(part["macro"].strip())
        elif part["tag"] or part["long_tag"]:
            tag = (part["long_tag"] or part["tag"]).strip("/")
            self._mark("tag", tag)
            self._write(f"#{tag}")
        # A reference to a block elsewhere has no words of its own.

    def _link(self, inside: str, *, is_embed: bool) -> None:
        target, _, alias = inside.replace("\\|", "|").partition("|")
        name, _, heading = target.strip().partition("#")
        name, alias = name.strip(), alias.strip()
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        if name:
            self._mark("link", name.removesuffix(".md"))
        if is_embed and ending in _KIND_OF:
            # Behind the bar stands a size, or what the picture shows.
            words = "" if not alias or re.fullmatch(r"[\dx]+", alias) else f", {alias}"
            self._write(f"[{_KIND_OF[ending]}: {name}{words}]")
            return
        shown = [name.removesuffix(".md"), *(part for part in heading.split("#") if part and not part.startswith("^"))]
        self._write(alias if alias and not is_embed else " > ".join(part.strip() for part in shown if part.strip()))

    def _macro(self, inside: str) -> None:
        """Logseq: a page that is shown inside another one is a link, an address stays, a query has no words."""
        if found := _EMBEDDED.match(inside):
            self._link(found[1], is_embed=False)
        elif "://" in inside:
            self._write(inside.split()[-1])
        elif not inside.lower().startswith(("query", "embed", "renderer")):
            self._write(f"{{{{{inside}}}}}")

    def _mark(self, kind: str, value: str) -> None:
        if value := " ".join(value.split()):
            self._made.marks.append(Mark(self._length, kind, value))

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
