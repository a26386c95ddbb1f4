"""A manual's passage in, where its programs and devices keep things out (found_under): "Settings > System > Restart".

The last name of a path is found under the names before it. A path counts behind a word that leads to one ("go to",
"choose"); "A > B" alone compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "menus"

_ORDER: Final = r"(?i:go|open|tap|touch|choose|select|press|click|then)\b"
_NAME: Final = rf"[A-Z][\w&/'\u2019-]*(?:[ \n](?:&|(?!{_ORDER}|or\b|and\s[A-Z])[\w'\u2019/&-]+)){{0,3}}?"
_PATH: Final = rf"(?P<above>{_NAME}(?:\s*>\s*{_NAME})*)\s*>\s*(?P<last>[A-Z\d][\w'\u2019/-]*)"
_LEAD: Final = re.compile(
    rf"\b(?i:go\s+to|navigate\s+to|choose|select|open|click|tap|touch|press|access)\s+(?:the\s+)?{_PATH}"
)
_AT_ROOT: Final = re.compile(
    r"\b(?i:in|under|from|via|through|use|using|find)\s+(?:the\s+)?"
    r"(?=(?:Settings|System|File|Edit|View|Insert|Format|Tools|Options|Preferences|Menu|Main menu|Account|Apps|Help|"
    rf"Home|Start|Window|Setup|Library|Control Panel|Network|Devices?|Profile)\s*>){_PATH}"
)
_NEXT: Final = re.compile(rf"\s*(?:,\s*(?:and|or)?|and|or)\s+{_PATH}")
_MORE: Final = re.compile(r"[ ](?P<word>&|[\w'\u2019/&-]+)")
_STOPS: Final = frozenset(
    """to for in on at from by with within when while if until unless then or that which who is are was were you your
    it and here once after before because so as of into using via""".split()
)
_ORDERS: Final = frozenset(
    """add adjust change check choose clear click close disable drag enable enter find follow hold keep open pick press
    run scroll select set switch swipe tap then toggle touch turn type use view wait""".split()
)
_BUTTONS: Final = frozenset(("Yes", "No", "OK", "Next", "Back", "Cancel", "Done"))
"""Pressed one after the other; nothing lies under them."""
_LONGEST_NAME: Final = 4  # words


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the places of menu entries, each once; nothing from code, tables and chats."""
    if ">" not in passage.text or passage.speaker or passage.modality in (Modality.CODE, Modality.TABLE):
        return
    seen: set[tuple[str, str]] = set()
    for match in sorted((*_LEAD.finditer(passage.text), *_AT_ROOT.finditer(passage.text)), key=lambda one: one.start()):
        path: re.Match[str] | None = match
        while path is not None:
            end = _end_of_name(passage.text, path.start("last"), path.end("last"))
            above = re.sub(r"\s*>\s*", " > ", " ".join(path["above"].split()))
            last = " ".join(passage.text[path.start("last") : abs(end)].split())
            if end > 0 and above not in _BUTTONS and (above, last) not in seen and last != above:
                seen.add((above, last))
                yield _place(passage, path.start("above"), end, above, last)
            path = _NEXT.match(passage.text, abs(end))


def _end_of_name(text: str, start: int, end: int) -> int:
    """Where the last name ends; negative where that cannot be told ("Sound and vibration", a name at a line's end)."""
    count = 1
    while (more := _MORE.match(text, end)) is not None:
        word = more["word"]
        if word == "and":
            then = _MORE.match(text, more.end())
            is_order = then is not None and then["word"].lower() in _ORDERS
            return end if is_order or _NEXT.match(text, end) else -end
        if word == "as" and text[more.end() : more.end() + 2].strip().isupper():
            end, count = more.end(), count + 1  # "Export as PDF"
            continue
        if word in _STOPS or word in _ORDERS or count == _LONGEST_NAME:
            return end if word in _STOPS or word in _ORDERS else -end
        end, count = more.end(), count + 1
    behind = text[end:]
    is_torn = re.match(r"[ ]?\n\s*(?![\u2022\u25cf\u25aa*\u2013-]|\d{1,2}[.)\s])\S", behind) is not None
    return -end if is_torn or re.match(r"\s*>", behind) else end


def _place(passage: Passage, start: int, end: int, above: str, last: str) -> Proposal:
    return Proposal(
        seq=passage.seq,
        start=start,
        end=end,
        subject=last,
        relation="found_under",
        object=above,
        pattern=PATTERN,
        confidence=confidence_of(PATTERN),
    )
