"""The words of a mail, plain or HTML, in, blocks with quoted mails and signatures told apart out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import groupby
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.markup import read_blocks
from trisynapse_memory.preprocessing.trees import Element, parse, strip
from trisynapse_memory.preprocessing.visibility import take_hidden

QUOTE_FIELD: Final = "quoted"
_CUT: Final = "quoted"
_NO_TEXT: Final = ("script", "style", "template", "title", "head", "svg", "iframe", "button", "input")
_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n\s*")
_WORDS: Final = re.compile(r"\w+")
# A plain part that only says "see the HTML" has few of its words.
_PLAIN_SHARE: Final = 0.3

# What programs write above the mail that is answered, in the languages that they speak most.
_ATTRIBUTION: Final = re.compile(
    r"(?:On\b.{4,200}\bwrote|Am\b.{4,200}\bschrieb\b.{0,80}|Le\b.{4,200}\ba écrit|El\b.{4,200}\bescribió|"
    r"Il\b.{4,200}\bha scritto|Em\b.{4,200}\bescreveu|Op\b.{4,200}\bschreef\b.{0,80}|"
    r"\d{4}[-/.年].{4,120}(?:wrote|写道|:)|"
    r".{2,80}<[^<>\s]+@[^<>\s]+>\s*(?:wrote|schrieb|a écrit|escribió|ha scritto|writes))\s*[:\uff1a]",
    re.DOTALL,
)
_BANNER: Final = re.compile(
    r"(?:-{2,}|_{5,})\s*(?:Original Message|Original Appointment|Forwarded message|Ursprüngliche Nachricht|"
    r"Weitergeleitete Nachricht|Message d'origine|Message transféré|Mensaje original|Messaggio originale|"
    r"Oorspronkelijk bericht|Mensagem original)?\s*-*|Begin forwarded message:|Anfang der weitergeleiteten Nachricht:",
    re.IGNORECASE,
)
_HEADERS: Final = re.compile(
    r"\*?(?:From|Von|De|Da|Van)\*?\s*:\*?.{1,300}?\n\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|"
    r"To|An|À|Para)\b.{0,20}?:",
    re.IGNORECASE | re.DOTALL,
)
_SIGNATURE: Final = re.compile(r"^-- ?\n", re.MULTILINE)
_MOBILE: Final = re.compile(
    r"(?:Sent from my \w+|Get Outlook for \w+|Von meinem \w+ gesendet|Envoyé de mon \w+|Enviado desde mi \w+).{0,60}",
    re.IGNORECASE,
)


def plain_blocks(text: str, *, flowed: bool = False) -> list[Block]:
    """Read a plain text: paragraphs, with lines that begin with ``>`` as what is quoted.

    Args:
        text: as decoded.
        flowed: lines that end in a space go on in the next one (RFC 3676).
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    blocks: list[Block] = []
    for is_quoted, group in groupby(lines, key=_is_quoted):
        kept = [line[1:].lstrip(" ") if is_quoted else line for line in group]
        words = "\n".join(_joined(kept) if flowed else kept).strip("\n")
        if is_quoted and words.strip():
            blocks.append(Block(re.sub(r"^(?:> ?)+", "", words, flags=re.MULTILINE), "quote"))
        elif not is_quoted:
            blocks += _paragraphs(words)
    return _told_apart(blocks)


def html_blocks(markup: str) -> tuple[list[Block], str]:
    """Read an HTML text; also return what a reader of it cannot see."""
    root = parse(markup)
    if root is None:
        return [], ""
    hidden = take_hidden(root)
    strip(root, *_NO_TEXT)
    quotes = [block for one in _cut_quotes(root) for block in read_blocks(one)]
    marked = [Block(block.text, "quote") for block in quotes]
    return _told_apart([*read_blocks(root), *marked]), hidden


def body_blocks(plain: str, markup: str, *, flowed: bool = False) -> tuple[list[Block], str]:
    """Read the words of a mail: the plain ones, unless they are only a stub of the others."""
    if not markup.strip():
        return plain_blocks(plain, flowed=flowed), ""
    if not plain.strip():
        return html_blocks(markup)
    blocks, hidden = html_blocks(markup)
    rich = sum(len(_WORDS.findall(block.text)) for block in blocks)
    if len(_WORDS.findall(plain)) < _PLAIN_SHARE * rich:
        return blocks, hidden
    return plain_blocks(plain, flowed=flowed), ""


def _is_quoted(line: str) -> bool:
    return line.startswith(">")


def _joined(lines: Sequence[str]) -> list[str]:
    joined: list[str] = []
    goes_on = False
    for line in lines:
        line = line[1:] if line.startswith(" ") and len(line) > 1 else line  # stuffed (RFC 3676, 4.4)
        if goes_on and joined:
            joined[-1] += line
        else:
            joined.append(line)
        goes_on = line.endswith(" ") and line != "-- "
    return joined


def _paragraphs(text: str) -> Iterator[Block]:
    """Paragraphs; what follows the line of two dashes is a signature."""
    body, *signature = _SIGNATURE.split(text, maxsplit=1) if _SIGNATURE.search(text) else (text,)
    for part in _PARAGRAPHS.split(body):
        if part.strip():
            yield Block(part.strip("\n").rstrip())
    for part in signature:
        if part.strip():
            yield Block(part.strip(), "margin")


def _told_apart(blocks: Sequence[Block]) -> list[Block]:
    """Mark what stands below the head of an earlier mail as quoted, and join what is quoted together."""
    marked: list[Block] = []
    below = False
    for block in blocks:
        text = block.text.strip()
        is_head = bool(_BANNER.fullmatch(text) or _HEADERS.match(text) or _starts_banner(text))
        below = below or (is_head and block.kind != "quote")
        attributes = bool(_ATTRIBUTION.fullmatch(text))
        if below or attributes:
            block = Block(block.text, "quote")
        elif _MOBILE.fullmatch(text):
            block = Block(block.text, "margin")
        if block.kind == "quote" and marked and marked[-1].kind == "quote":
            marked[-1] = Block(f"{marked[-1].text}\n\n{block.text}", "quote", fields={QUOTE_FIELD: "yes"})
        else:
            marked.append(Block(block.text, "quote", fields={QUOTE_FIELD: "yes"}) if block.kind == "quote" else block)
    # A mail that is nothing but a forwarded one still has to be found: then nothing is set apart.
    if all(block.kind in ("quote", "margin") for block in marked):
        return [Block(block.text, fields=block.fields) for block in marked]
    return marked


def _starts_banner(text: str) -> bool:
    """Programs write the banner and the headers below it without a blank line between them."""
    first, _, rest = text.partition("\n")
    return (
        len(first) > 4 and bool(_BANNER.fullmatch(first.strip())) and bool(_HEADERS.match(rest.strip()) or ":" in rest)
    )


def _cut_quotes(root: Element) -> list[Element]:
    """Take out what mail programs mark as the mail that is answered."""
    found: list[Element] = []
    for element in list(root.iter()):
        if element is root or not _marks_quote(element) or next(element.iterancestors(_CUT), None) is not None:
            continue
        copy = deepcopy(element)
        copy.tail = None
        found.append(copy)
        element.tag = _CUT
    strip(root, _CUT)
    return found


def _marks_quote(element: Element) -> bool:
    classes = set((element.get("class") or "").split())
    is_cited = element.tag == "blockquote" and (element.get("type") == "cite" or "gmail_quote" in classes)
    return is_cited or bool(classes & {"gmail_quote", "yahoo_quoted", "protonmail_quote", "moz-cite-prefix"})
