"""A passage in, the stretches a parser may read out; its tokens in, sentences out. No parser is loaded here.

What breaks a grammar is left out of what the parser sees and keeps its place: citation marks, acronyms and pointers in
parentheses, line ends. Headings, reference entries, table rows and very long sentences are not for prose families.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.anaphora import antecedent_of
from trisynapse_memory.extraction.joining import Line, joined
from trisynapse_memory.extraction.masks import KNOWN_NAME, MASKS, VERB_LEMMAS, mask
from trisynapse_memory.extraction.sentence import Sentence, Word
from trisynapse_memory.text.hyphenation import Vocabulary
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Modality, Passage

LONGEST_SENTENCE: Final = 80  # words; beyond, a small parser is wrong about what belongs to what
SHORTEST_SENTENCE: Final = 3  # words
_FEWEST_LOWER_WORDS: Final = 2  # a heading or a table row has fewer words in lower case

_LONG: Final = 12  # words; below it a sentence may be names for the most part
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE: Final = re.compile(rf"\(?\b\d{{1,2}}\s+{_MONTH}\s+\d{{4}}\)?|{_MONTH}\s+\d{{1,2}},\s+\d{{4}}\)?")
"""The figures of a date do not make a sentence a table."""
_LOWER_SHARE: Final = 0.45  # of the words of a longer sentence; titles, tables and lists of names have less

_ASIDE: Final = re.compile(
    r"""\[\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\]                               # [12], [3, 4]
    |\((?:(?:see|cf\.?|e\.g\.,?|i\.e\.,?)\s+[^()]{0,120}                        # (see Table 2)
      |(?:[Ff]ig(?:ure|s)?|[Tt]ab(?:le)?|[Ss]ec(?:tion|t)?|[Ee]q(?:uation)?|[Aa]ppendix|[Cc]h(?:apter)?)s?\.?
       \s*[\w.()-]{1,9}
      |[^()]{0,160}?\b(?:1[6-9]|20)\d\d[a-z]?(?:,\s*pp?\.\s*[\d\u2013-]+)?\s*     # (Lee & Park, 2019; Wu 2020)
      |[A-Z][\w&/-]{1,11}|[a-z][\w-]*[A-Z][\w-]{0,9}                            # (LoRA), (RNNs)
      |[Pp]\s*[<=>\u2264]\s*0?\.\d+)\)
    |[\u00b9\u00b2\u00b3\u2070-\u2079\u2020\u2021\u00a7*](?=[\s.,;:]|$)          # footnote marks
    |(?<=[a-z][.,;])\d{1,2}(?=\s|$)""",
    re.VERBOSE,
)
_REFERENCE_ENTRY: Final = re.compile(
    r"""^\s*(?:\[\d{1,3}\]|\d{1,3}\.)\s+[^.]{2,90}\.\s.*\b(?:19|20)\d\d\b
    |\bdoi:\s*10\.|\barXiv:\d{4}\.|\barXiv\spreprint|\bProceedings\sof\b.*\b(?:19|20)\d\d\b|\bpp?\.\s*\d+\s*[\u2013-]\s*\d+
    |\bet\sal\.,?\s.*\bvol\.|^\s*(?:[A-Z][\w'-]+,\s+[A-Z]\.(?:\s*[A-Z]\.)*,?\s*(?:and\s+|&\s+)?){2,}""",
    re.VERBOSE,
)
_MARK: Final = re.compile(
    r"\s*(?:(?:[\u2022\u2023\u25aa\u25e6\u25cf\u25cb\u25a0\u2043\uf0b7*+\u2013\u2014-]"
    r"|\(?(?:\d{1,3}|[ivx]{1,5}|[a-z])[.)]|#{1,6})\s+)?"
)
"""The mark of a list entry, which is no word of its sentence."""

_REFERENCE_SECTION: Final = re.compile(
    r"(?:^|>|\d)\s*(?:references|bibliography|works cited|literature cited)\s*$", re.IGNORECASE
)
_REFERENCE_SIGN: Final = re.compile(
    r"\bIn Proc|\barXiv\b|\bpp?\.\s?\d|\bpages \d|\bdoi\b|\bURL\b|, (?:19|20)\d\d[a-z]?\."
    r"|\((?:19|20)\d\d[a-z]?\)\.|\bet al\.\s[A-Z]"
)
_ENTRY_MARK: Final = re.compile(r"\s*\[\d{1,3}\]\s+[A-Z]")
_FEWEST_SIGNS: Final = 3
_LETTERS_A_SIGN: Final = 160  # an entry is about as long and shows one or two of them


_NOUN_PLACES: Final = frozenset(("pobj", "dobj", "conj", "nsubj", "nsubjpass", "appos"))
_MISTAKEN: Final = frozenset(("ADV", "ADJ", "X", "INTJ"))


class Stretch(NamedTuple):
    """One sentence for the parser: ``text`` on one line, and the offset in the passage of each of its characters.

    ``place`` counts the sentences of the passage from 0; ``line`` holds the letters of the sentence as they are read,
    asides included, with their offsets.
    """

    passage: Passage
    start: int
    end: int
    place: int
    text: str
    offsets: tuple[int, ...]
    line: tuple[tuple[str, int], ...]


class Token(NamedTuple):
    """What a parser says of one token of a stretch; ``start`` and ``end`` count in the stretch's text."""

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    entity: str


def stretches(passage: Passage, vocabulary: Vocabulary) -> Iterator[Stretch]:
    """Yield the sentences of a passage that are prose of a length a parser can read.

    ``vocabulary`` is what the document writes unbroken, for words that a line end broke.
    """
    if passage.modality in {Modality.CODE, Modality.TABLE} or passage.cells or is_reference_list(passage):
        return
    for index, (start, end) in enumerate(sentence_spans(passage.text)):
        start += _mark_length(passage.text, start, end)
        raw = passage.text[start:end]
        if _REFERENCE_ENTRY.search(" ".join(raw.split())) or raw.startswith("|") or raw.count("|") > 1:
            continue
        line = joined(passage.text, start, end, vocabulary)
        text, offsets = _plain(line)
        words = "".join(letter for letter, _ in line).split()
        if SHORTEST_SENTENCE <= len(words) <= LONGEST_SENTENCE and _is_prose(words):
            yield Stretch(passage, start, end, index, text, offsets, tuple(line))


def _mark_length(text: str, start: int, end: int) -> int:
    mark = _MARK.match(text, start, end)
    return mark.end() - start if mark else 0


def is_reference_list(passage: Passage) -> bool:
    """Tell whether a passage lists works rather than says something, by its heading or by its look."""
    if _REFERENCE_SECTION.search(passage.section) or _ENTRY_MARK.match(passage.text):
        return True
    return len(_REFERENCE_SIGN.findall(passage.text)) >= max(_FEWEST_SIGNS, len(passage.text) / _LETTERS_A_SIGN)


def _is_prose(words: list[str]) -> bool:
    lower_count = sum(word[0].islower() for word in words)
    undated = _DATE.sub(" date ", " ".join(words)).split()
    if len(words) >= _LONG and sum(word[0].islower() for word in undated) < _LOWER_SHARE * len(undated):
        return False
    marked_count = sum(not any(letter.isalpha() for letter in word) for word in undated)
    wanted = 1 if words[-1].endswith(".") else _FEWEST_LOWER_WORDS
    return lower_count >= min(wanted, len(words) - 1) and marked_count <= len(undated) / 3


def _plain(line: Line) -> tuple[str, tuple[int, ...]]:
    """The line without asides, and where each character stands in the passage."""
    text = "".join(letter for letter, _ in line)
    kept: Line = []
    position = 0
    for match in _ASIDE.finditer(text):
        kept.extend(line[position : match.start()])
        position = match.end()
    kept.extend(line[position:])
    plain: Line = []
    for letter, at in kept:
        if letter in " ,.;:" and plain and plain[-1][0] == " ":
            plain.pop()
        plain.append((letter, at))
    return mask(plain)


def sentence_from(stretch: Stretch, tokens: list[Token], before: Sentence | None) -> Sentence:
    """Build the sentence that families read from what the parser said of a stretch.

    Args:
        stretch: what was parsed.
        tokens: its tokens in order; tokens of white space only are dropped.
        before: the sentence right before in the same passage, if that was parsed too.
    """
    places: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.text.strip():
            places[index] = len(places)
    words = tuple(
        _word(stretch, token, places.get(token.head, places[index]))
        for index, token in enumerate(tokens)
        if index in places
    )
    near = before if before is not None and before.index == stretch.place - 1 else None
    return Sentence(
        passage=stretch.passage,
        start=stretch.start,
        end=stretch.end,
        words=words,
        line=stretch.line,
        index=stretch.place,
        previous=near.text if near else "",
        antecedent=antecedent_of(near, words),
    )


def _word(stretch: Stretch, token: Token, head: int) -> Word:
    """The word as it stands in the passage, also where the parser saw another one for it."""
    start, end = stretch.offsets[token.start], stretch.offsets[token.end - 1] + 1
    text, lemma, pos, tag = _read(stretch, start, end), token.lemma, token.pos, token.tag
    if text != token.text and token.text in MASKS:
        if token.text != KNOWN_NAME:
            return Word(text, VERB_LEMMAS[text[:4].lower()], pos, tag, token.dep, head, start, end)
        return Word(text, text, "PROPN", "NNP", token.dep, head, start, end)
    if text[0].isupper() and token.dep in _NOUN_PLACES and pos in _MISTAKEN and token.start:
        pos, tag, lemma = "PROPN", "NNP", text
    return Word(text, lemma, pos, tag, token.dep, head, start, end, token.entity)


def _read(stretch: Stretch, start: int, end: int) -> str:
    return "".join(letter for letter, at in stretch.line if start <= at < end)
