"""The map between a text and its normalised form, and finding quotes through it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.spans import find_quote, normalise

MESSY = st.text(
    alphabet=st.sampled_from(list("abcZ 9.-_'\"\n\t\r\u00ad\u0301\u200b\u202b“”–ﬁﬃßİ中ｶﾞ한\u00a0\u00a8")), max_size=60
)
WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "efﬁcient",
            "repro-\nducibility",
            "well-\nknown",
            "re\u00adsult",
            "re\u00ad\nsult",
            "cafe\u0301",
            "“so”",
            "—",
            "x\u200by",
            "KX-9",
        ]
    ),
    min_size=1,
    max_size=12,
)


def found(text: str, quote: str, **options: bool) -> list[str]:
    return [text[start:end] for start, end in find_quote(text, quote, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e\ufb03cient \ufb01t \ufb06op", "efficient fit stop"),
        ("a  b\n\n c\u00a0d", "a b c d"),
        ("re\u00adsult re\u00ad\n  sult", "result result"),
        ("“a” ‘b’ «c» – — −1", '"a" \'b\' "c" - - -1'),
        ("x\u200by\u202ez\ufeff", "xyz"),
        ("cafe\u0301", "café"),
        ("a\u200b\u0301", "á"),
        ("ｶﾞｽ", "ガス"),
        ("\u1112\u1161\u11ab", "한"),
        ("\ufee3\ufea4\ufee4\ufeaa", "محمد"),
        ("a …", "a ..."),
        ("", ""),
    ],
)
def test_a_text_reads_as_typed(text, expected):
    assert normalise(text).text == expected


def test_r1_a_typed_word_is_found_in_ligatures_and_the_original_is_shown():
    assert found("an e\ufb03cient way", "efficient") == ["e\ufb03cient"]
    assert found("an e\ufb03cient way", "an efficient way") == ["an e\ufb03cient way"]


def test_r2_a_broken_word_is_found_joined_and_its_span_holds_both_lines():
    text = "The repro-\nducibility of a well-\nknown result"
    assert found(text, "reproducibility") == ["repro-\nducibility"]
    assert found(text, "well-known result") == ["well-\nknown result"]


def test_either_reading_of_a_line_end_is_forgiven_and_no_other_hyphen():
    assert found("a well-\nknown fact", "wellknown") == ["well-\nknown"]
    assert found("the colour-\nblind way", "colour-blind way") == ["colour-\nblind way"]
    assert found("a well-known fact", "well-\nknown") == ["well-known"]
    assert found("to re-sign a repro-\nducible", "resign") == []
    assert found("to resign a repro-\nducible", "re-sign") == []


def test_a_quote_cut_inside_a_broken_word_is_found():
    text = "full repro-\nducibility here"
    assert found(text, "full repro-") == ["full repro"]
    assert found(text, "-\nducibility here") == ["ducibility here"]


def test_r13_hebrew_and_arabic_are_found_through_direction_controls():
    assert found("\u202bשלום עולם\u202c 12", "שלום עולם 12") == ["שלום עולם\u202c 12"]
    assert found("قال \ufee3\ufea4\ufee4\ufeaa نعم", "محمد") == ["\ufee3\ufea4\ufee4\ufeaa"]


def test_r18_decomposed_text_finds_composed_quotes_and_the_other_way():
    composed, decomposed = "Relevé 2024", unicodedata.normalize("NFD", "Relevé 2024")
    assert found(decomposed, composed) == [decomposed]
    assert found(composed, decomposed) == [composed]


def test_quotes_dashes_and_spaces_may_be_typed_plainly():
    assert found("He said “yes” –\nonce", 'said "yes" - once') == ["said “yes” –\nonce"]


def test_case_counts_unless_told():
    assert found("Straße STRASSE", "strasse") == []
    assert found("Straße STRASSE", "strasse", ignore_case=True) == ["Straße", "STRASSE"]


def test_whole_words_leave_out_the_inside_of_others():
    assert found("art party art.", "art", whole_words=True) == ["art", "art"]
    assert len(found("art party art.", "art")) == 3


def test_every_occurrence_is_found_once():
    assert find_quote("aaaa", "aa") == [(0, 2), (2, 4)]
    assert find_quote("aa-\naaaa", "aa") == [(0, 2), (4, 6), (6, 8)]


def test_an_invisible_quote_is_nowhere():
    assert find_quote("some text", " \u200b\n") == []


def test_spans_outside_the_text_are_refused():
    with pytest.raises(InvalidInputError):
        normalise("abc").original_span(2, 5)
    with pytest.raises(InvalidInputError):
        normalise("abc").normalised_span(-1, 2)


@pytest.mark.parametrize("hostile", ["\u00ad", "\u200b ", "-\n", "a\u00ad\n"])
def test_a_long_run_of_odd_characters_takes_linear_time(hostile):
    # Quadratic, this would run into the time limit of the suite.
    assert len(normalise(hostile * 150_000).text) <= 300_000


@given(MESSY)
def test_the_map_is_monotone_and_stays_inside(text):
    normalised = normalise(text)
    assert len(normalised.text) == len(normalised.starts) == len(normalised.ends)
    assert list(normalised.starts) == sorted(normalised.starts)
    assert list(normalised.ends) == sorted(normalised.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(normalised.starts, normalised.ends, strict=True))


@given(MESSY, st.data(), st.booleans())
def test_a_span_survives_the_way_to_the_original_and_back(text, data, casefold):
    normalised = normalise(text, casefold=casefold)
    start = data.draw(st.integers(0, len(normalised.text)))
    end = data.draw(st.integers(start, len(normalised.text)))
    original = normalised.original_span(start, end)
    back = normalised.normalised_span(*original)
    if start < end:
        assert back[0] <= start < end <= back[1]
        assert normalised.original_span(*back) == original
    else:
        assert back[0] == back[1]


@given(MESSY, st.data())
def test_any_span_of_the_original_maps_into_the_normalised_text(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = normalise(text).normalised_span(start, end)
    assert 0 <= first <= last <= len(normalise(text).text)


@given(MESSY)
@example("Z\uff9e\u0301")  # a half-width voicing mark belongs to the letter before it, as any mark does
def test_normalising_twice_changes_nothing_more(text):
    assume("-\n" not in text and "-\r" not in text and "–" not in text)
    once = normalise(text).text
    assert normalise(once).text == once


@given(WORDS, st.data())
def test_any_own_words_are_found_where_they_stand(words, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    text = " ".join(words)
    quote = " ".join(words[first:last])
    start = len(" ".join(words[:first])) + (first > 0)
    spans = find_quote(text, quote)
    assert spans
    # An earlier equal stretch may overlap ours and win; else ours is there exactly.
    assert (start, start + len(quote)) in spans or any(
        begin < start + len(quote) and start < end for begin, end in spans
    )


@given(WORDS, st.data())
def test_what_is_found_reads_like_the_quote(words, data):
    text = " ".join(words)
    normalised = normalise(text)
    start = data.draw(st.integers(0, len(normalised.text) - 1))
    end = data.draw(st.integers(start + 1, len(normalised.text)))
    quote = normalised.text[start:end].strip()
    assume(quote)
    for begin, finish in normalised.find(quote):
        a, b = normalised.normalised_span(begin, finish)
        assert quote.replace("-", "") in normalised.text[a:b].replace("-", "")
