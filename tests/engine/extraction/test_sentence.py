"""Reading a parsed sentence, without a parser: words are plain values."""

from __future__ import annotations

from trisynapse_memory.extraction.phrases import conjuncts, is_vague, noun_phrase
from trisynapse_memory.extraction.sentence import Sentence, Word
from trisynapse_memory.types import Passage

TEXT = "The encoder uses\nattention and a pool."
ROWS = [
    ("The", "the", "DET", "DT", "det", 1),
    ("encoder", "encoder", "NOUN", "NN", "nsubj", 2),
    ("uses", "use", "VERB", "VBZ", "ROOT", 2),
    ("attention", "attention", "NOUN", "NN", "dobj", 2),
    ("and", "and", "CCONJ", "CC", "cc", 3),
    ("a", "a", "DET", "DT", "det", 6),
    ("pool", "pool", "NOUN", "NN", "conj", 3),
    (".", ".", "PUNCT", ".", "punct", 2),
]


def sentence() -> Sentence:
    words: list[Word] = []
    at = 0
    for text, lemma, pos, tag, dep, head in ROWS:
        at = TEXT.index(text, at)
        words.append(Word(text, lemma, pos, tag, dep, head, at, at + len(text)))
        at += len(text)
    return Sentence(passage=Passage(seq=1, text=TEXT), start=0, end=len(TEXT), words=tuple(words))


def test_the_tree_is_walked_down_and_up() -> None:
    read = sentence()
    assert read.children(2) == [1, 3, 7]
    assert read.child(2, "dobj") == 3
    assert read.child(2, "iobj") is None
    assert read.subtree(3) == [3, 4, 5, 6]
    assert list(read.ancestors(6)) == [3, 2]
    assert list(read.ancestors(2)) == []
    assert read.word_at(TEXT.index("pool") + 2) == 6
    assert read.word_at(16) is None


def test_phrases_are_on_one_line_without_article() -> None:
    read = sentence()
    assert read.text == "The encoder uses attention and a pool."
    assert read.phrase(1, 3).text == "encoder uses attention"
    found = [noun_phrase(read, head) for head in (1, *conjuncts(read, 3))]
    assert [one and one.text for one in found] == ["encoder", "attention", "pool"]


def test_what_names_nothing_is_vague() -> None:
    assert all(map(is_vague, ["it", "results", "the proposed method", "Table 2", "12", "these tablets", "x", ""]))
    assert not any(map(is_vague, ["WHO", "LoRA", "error rate", "number of layers in BERT", "X", "Leipzig"]))
