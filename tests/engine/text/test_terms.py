"""Index terms are the tokens of a text, counted without building the tokens."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from trisynapse_memory.text.shapes import scan_words, spelled_words
from trisynapse_memory.text.terms import terms_of
from trisynapse_memory.text.tokens import count_terms, index_key, tokenize
from trisynapse_memory.types import Terms

PIECES = st.sampled_from(
    [
        *"abZ9-_.,'/@#+ \n\t",
        "state-of-the-art",
        "getUserId",
        "C++17",
        "1,024.5",
        "3.14",
        "https://arxiv.org/abs/2303.05039v2?x=1",
        "doi 10.1000/xyz-12 ",
        "a.person@example.org",
        "repro-\nducibility",
        "\u00ad\n",
        "r\u00e9sum\u00e9",
        "e\ufb03cient",
        "\u65e5\u672c\u8a9eGPT\u4e2d\u6587",
        "\u05e9\u05dc\u05d5\u05dd",
        "O'Brien\u2019s",
        "running runs RUNNING ",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=60))


def terms_by_tokens(text: str) -> Terms:
    """The slow way: every token built, then counted."""
    positions: dict[str, list[int]] = {}
    length = 0
    for token in tokenize(text):
        length = max(length, token.position + 1)
        seen = positions.setdefault(index_key(token), [])
        if not seen or seen[-1] != token.position:
            seen.append(token.position)
    keys = tuple(sorted(positions))
    return Terms(keys=keys, positions=tuple(tuple(positions[key]) for key in keys), length=length)


@given(TEXTS)
@example("see https://a.b/c-d, e-mail x@y.org; C# and 1,024 e-mails: the e-mail again")
def test_terms_are_the_tokens_of_the_text_counted(text: str):
    assert terms_of(text, {}) == terms_by_tokens(text)


@given(TEXTS)
def test_counted_words_are_the_scanned_words_in_the_same_order(text: str):
    scanned = [(word.shape, text[word.start : word.end]) for word in scan_words(text)]
    assert [(shape, word) for shape, words in spelled_words(text) for word in words] == scanned


@given(TEXTS)
def test_every_key_counted_for_bm25_is_a_term_with_a_position(text: str):
    assert set(count_terms(text).frequencies) == set(terms_of(text, {}).keys)


def test_fields_are_terms_too_and_their_positions_follow_the_text():
    terms = terms_of("alpha beta", {"title": "gamma"})
    places = dict(zip(terms.keys, terms.positions, strict=True))
    assert places["alpha"] == (0,)
    assert places["beta"] == (1,)
    assert places["title"] < places["gamma"]
    assert terms.length == 4


def test_a_word_that_returns_keeps_all_of_its_positions_once_each():
    terms = terms_of("data about data-data", {})
    places = dict(zip(terms.keys, terms.positions, strict=True))
    assert places["data"] == (0, 2, 3)


def test_a_text_without_words_has_no_terms():
    assert terms_of(" ... \n", {}) == Terms(keys=(), positions=(), length=0)
