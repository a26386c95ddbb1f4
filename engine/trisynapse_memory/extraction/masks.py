"""A line of text in, the line a small parser reads well out: known words stand in for invented ones. Nothing is parsed.

A small model has never seen "AdaFold", "Meridian Institute" or "outperforms" and guesses their part of speech from
their letters. One known proper noun for every coined or many-worded name, and known verbs for a few rare ones, keep the
grammar; the words of the passage take their places again in what families read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from trisynapse_memory.extraction.joining import Line
from trisynapse_memory.text.names import names_of

_UNKNOWN_WORD: Final = re.compile(
    r"""(?<![\w-])(?:
      (?P<verb>[Pp]re-?train|[Ff]ine-?tun)(?P<suffix>ed|ing|es|e|s|)(?![\w-])
      |(?P<contain>[Oo]utperform|[Ss]urpass|[Ii]mprove(?=s)|[Rr]educe(?=s)|[Ee]nhance(?=s)|[Pp]revent(?=s)
          |[Dd]enote(?=s)|[Cc]ontradict(?=s))(?P<ending>ed|es|s|)(?![\w-])
      |(?P<opening>(?<![^\n])(?!(?:It|He|She|This|That|There|They|What|Which|Who|All|Each|One|Here|Today|Everything|Nothing
          |Something|Someone|Everyone|Nobody|Another|Both|Neither|Either|None|Such|Where|How|When|Why)\b)
          [A-Z][a-z]{2,}(?=[ ](?:is|was|has|had|does|consists|contains|comprises|includes|causes|uses|supports
          |increases|leads|results)[ ]))
      |(?P<joined>[A-Z][\w'\u2019-]+(?:[ ]&[ ][A-Z][\w'\u2019-]+|[ ]et[ ]al\.?(?=[ ,'\u2019])))
      |(?P<name>(?=[\w.-]*[A-Z\d])(?:
          [A-Za-z]+\d[\w.]*\w(?:-[A-Z\d][\w.]*\w|-\d+)*               # word2vec, GPT3, p53
          |[A-Z][\w]*-(?:[A-Z][\w]*-)*(?:[A-Z][\w-]*|\d(?:[\w.]*\w)?)     # RetroNet-2, TREC-Bio, GPT-4
          |[A-Za-z]*[a-z][A-Z]\w*(?:-[A-Z\d]\w*)*                         # AdaFold, mOrion-XL
          |[A-Z][A-Z\d]*[A-RT-Z\d](?:-[A-Z\d]\w*)*))(?![\w-])             # BERT, AIDS; not RNNs
    )""",
    re.VERBOSE,
)
KNOWN_NAME: Final = "Python"
"""What the parser reads for an invented name: one that it always takes for a singular proper noun."""
_SUFFIXES: Final = MappingProxyType({"ed": "ed", "ing": "ing", "es": "s", "e": "", "s": "s", "": ""})
VERB_LEMMAS: Final = MappingProxyType(
    {
        "pret": "pretrain",
        "pre-": "pretrain",
        "fine": "finetune",
        "outp": "outperform",
        "surp": "surpass",
        "impr": "improve",
        "redu": "reduce",
        "enha": "enhance",
        "prev": "prevent",
        "deno": "denote",
        "cont": "contradict",
    }
)
MASKS: Final = frozenset(
    (KNOWN_NAME, *(f"{verb}{ending}" for verb in ("train", "contain") for ending in ("", "s", "ed", "ing")))
)
"""Every word that may stand in for another."""


def mask(line: Line) -> tuple[str, tuple[int, ...]]:
    """Return the line as the parser is to read it, and the offset in the passage of each of its characters.

    A word that stands in for a longer or shorter one begins and ends where that one does.
    """
    text = "".join(letter for letter, _ in line)
    letters: list[str] = []
    offsets: list[int] = []
    position = 0
    for start, end, mask in _masks(text):
        letters.append(text[position:start])
        offsets.extend(at for _, at in line[position:start])
        letters.append(mask)
        offsets.extend([line[start][1]] * (len(mask) - 1))
        offsets.append(line[end - 1][1])
        position = end
    letters.append(text[position:])
    offsets.extend(at for _, at in line[position:])
    return "".join(letters), tuple(offsets)


def _masks(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a mask goes and which, in order, not overlapping; the longest of those that begin together."""
    found = [(match.start(), match.end(), _mask_of(match)) for match in _UNKNOWN_WORD.finditer(text)]
    found += [(name.start, name.end, KNOWN_NAME) for name in names_of(text) if " " in name.text]
    position = 0
    for start, end, mask in sorted(found, key=lambda one: (one[0], -one[1])):
        if start >= position:
            yield start, end, mask
            position = end


def _mask_of(match: re.Match[str]) -> str:
    if match["verb"]:
        return "train" + _SUFFIXES[match["suffix"]]
    if match["contain"]:
        return "contain" + _SUFFIXES[match["ending"]]
    return KNOWN_NAME
