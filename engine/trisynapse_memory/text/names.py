"""A text in, the names written in it out: people, places, methods, acronyms, code. Nothing is looked up or resolved.

One pass of one expression, because the graph index reads every record with it. A name shows by its capitals, by
capitals inside a word, or by digits and underscores inside it; so names of scripts without case are not found.

Limits: a single capitalised word that opens a sentence is taken for a name only when nothing speaks against it; a
heading in title case counts as one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.text.words import FUNCTION_WORDS

_UPPER: Final = (
    "A-Z\u00c0-\u00d6\u00d8-\u00de"
    "\u0106\u010c\u0110\u0118\u011e\u0130\u0141\u0143\u015a\u0158\u015e\u0160\u0179\u017b\u017d\u0391-\u03a9\u0410-\u042f"
)
_LONGEST_ACRONYM: Final = 10  # letters; longer words in capitals are headings
_LONGEST_NAME: Final = 80  # characters; longer runs of capitalised words are title lines of a form or a table

_CAPITALISED: Final = rf"[{_UPPER}]\w*(?:[-/&\u2019'][{_UPPER}\d]\w*|-[a-z]\w*)*(?:\+\+|\#)?"
_INITIAL: Final = rf"[{_UPPER}]\.(?:[ -]?[{_UPPER}]\.)*"
_NAME: Final = re.compile(
    rf"""(?<![\w@/\\.-])(?:
      (?P<run>(?:{_INITIAL}[ ])?{_CAPITALISED}(?!\.[{_UPPER}]\.)
        (?:[ ]?\n?[ ]?\b(?:(?:of|de|van|von|der|den|la|du|di|del)[ ])?(?:the[ ])?
           (?:(?<=\s)(?:{_INITIAL}[ ])?{_CAPITALISED}(?!\.[{_UPPER}]\.)|(?<=[a-z]\s)\d{{1,4}}(?![\w.,%]\w|[%])))*)
      |(?P<dotted>(?:[{_UPPER}]\.){{2,}})
      |(?P<code>[a-z]++(?:[A-Z]\w*|\d*_\w+|-?\d\w*(?:-\w+)*))
    )(?![\w@])""",
    re.VERBOSE,
)
_SENTENCE_END: Final = frozenset(".!?:;\u2022")
_VARIABLE: Final = re.compile(r"[a-z]-?\d")
_ALL_CAPITALS: Final = re.compile(rf"[{_UPPER}][{_UPPER}\d&/-]*[{_UPPER}\d]s?")
_WORD: Final = re.compile(r"\S+")

_OPENERS: Final = frozenset(
    """accordingly additionally again alternatively although another apart based besides clearly compared concerning
    consequently consider contrary conversely currently despite did do due early eventually every evidently except few
    figure final finally first following fourth further furthermore generally given good hence here however imagine
    importantly indeed initially instead interestingly its just last lastly lately later let like likewise many maybe
    meanwhile moreover most much namely nevertheless next none nonetheless note notably nothing now obviously often
    one originally otherwise overall part particularly perhaps please possibly previous previously prior put recall
    recent recently regarding second secondly section see several similarly since so sometimes soon specifically still
    subsequently surprisingly table ten thanks therefore third thirdly three thus today together traditionally two
    typically ultimately unfortunately unless unlike upon using usually via yes yet yesterday
    abstract acknowledgements acknowledgments algorithm appendix author authors background chapter chapters conclusion
    conclusions contents dear discussion equation eq equations experiments fig figures introduction keywords lemma
    methodology method methods model models none notation page pages paper preliminaries proof proposition references
    results related sections setup source summary tab tables theorem vol volume
    dr mr mrs ms prof sir""".split()
)
"""Words that open sentences, headings and captions; none of them starts or is a name."""

_CALENDAR: Final = frozenset(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday""".split()
)
_UNNAMED_ENDING: Final = re.compile(r"(?:ly|ing|ed)\b|-[a-z]+$")


class Name(NamedTuple):
    """One name as it is written, on one line, and where it stands in the text."""

    text: str
    start: int
    end: int


def names_of(text: str) -> tuple[Name, ...]:
    """Find the names in a text, so that records that mention the same thing can be linked.

    Returns:
        Names in reading order, one per mention: capitalised names of one or more words ("Priya Raman", "University of
        Oxford"), acronyms without their plural s ("RNN"), words with capitals inside ("LoRA"), and code ids
        ("get_user_id", "GPT-4", "KX-00120"). Numbers, months, and words that only open a sentence are left out.
    """
    found: list[Name] = []
    for match in _NAME.finditer(text):
        if match.lastgroup != "run":
            if not _VARIABLE.fullmatch(match[0]):
                found.append(Name(match[0], match.start(), match.end()))
        else:
            found.extend(_names_in_run(text, match.start(), match.end()))
    return tuple(found)


def _names_in_run(text: str, start: int, end: int) -> Iterator[Name]:
    """The run of capitalised words without what opens the sentence, without dates, and without a heading's shout."""
    while first := _WORD.match(text, start, end):
        word = first[0].lower()
        if word not in FUNCTION_WORDS and word not in _OPENERS and word not in _CALENDAR:
            break
        start = first.end()
        while start < end and text[start].isspace():
            start += 1
    if start >= end:
        return
    name = text[start:end]
    if not any(letter.isalpha() for letter in name) or len(name) > _LONGEST_NAME:
        return
    if " " not in name and "\n" not in name:
        if _is_opener(text, name, start):
            return
        if name.endswith("s") and len(name) > 2 and name[-2].isupper() and _ALL_CAPITALS.fullmatch(name):
            name, end = name[:-1], end - 1
    elif "\n" in name or "  " in name:
        name = " ".join(name.split())
    yield Name(name, start, end)


def _is_opener(text: str, name: str, start: int) -> bool:
    """Whether a single word has its capital from its place, or shouts, rather than being a name."""
    if len(name) == 1:
        return True
    if name.isupper():
        return len(name) > _LONGEST_ACRONYM and name.isalpha()
    if not _opens_sentence(text, start) or not name[1:].islower():
        return False
    return _UNNAMED_ENDING.search(name) is not None or name.lower() in text


def _opens_sentence(text: str, start: int) -> bool:
    before = start - 1
    while before >= 0 and text[before] in " \t\"'\u201c\u2018([":
        before -= 1
    return before < 0 or text[before] == "\n" or text[before] in _SENTENCE_END
