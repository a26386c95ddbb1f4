"""Tokens, query terms and phrases; the recipes of R1, R2, R13, R18 and R41."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.tokens import (
    FORM_WEIGHTS,
    Form,
    count_terms,
    index_key,
    phrase_terms,
    query_terms,
    tokenize,
)


def keys(text: str) -> set[str]:
    return {index_key(token) for token in tokenize(text)}


def asked(text: str) -> dict[str, float]:
    return {term.key: term.weight for term in query_terms(text)}


def weight_of_match(question: str, document: str) -> float:
    found = keys(document)
    return sum(weight for key, weight in asked(question).items() if key in found)


def contains_phrase(document: str, phrase: str) -> bool:
    at: dict[int, set[str]] = {}
    for token in tokenize(document):
        at.setdefault(token.position, set()).add(index_key(token))
    wanted = phrase_terms(phrase)
    return any(all(term.key in at.get(start + term.offset, ()) for term in wanted) for start in at)


def test_r1_a_word_with_a_ligature_is_found_as_typed():
    assert "efficient" in keys("an e\ufb03cient method")


@pytest.mark.parametrize(
    "broken", ["repro-\nducibility", "repro\u00adducibility", "repro\u00ad\nducibility", "repro-\r\n  ducibility"]
)
def test_r2_a_broken_word_is_found_joined(broken):
    assert "reproducibility" in keys(f"the {broken} of it")
    assert weight_of_match("reproducible", broken) > 0


def test_r2_a_compound_broken_at_its_hyphen_is_found_as_compound_and_in_parts():
    assert {"well-known", "well", "known"} <= keys("a well-\nknown result")


def test_r13_presentation_forms_vowel_signs_and_direction_marks_do_not_hide_a_word():
    assert keys("\ufee3\ufea4\ufee4\ufeaa") == keys("مُحَمَّد") == keys("\u200fمحمد\u200e") == {"محمد", "~محمد"}


def test_r18_decomposed_and_composed_text_have_equal_keys():
    for text in ("Relevé d'été", "한국어 검색", "がぎぐ", "Ångström"):
        assert keys(unicodedata.normalize("NFD", text)) == keys(unicodedata.normalize("NFC", text))


def test_unaccented_typing_finds_accents_and_exact_accents_win():
    assert weight_of_match("releve", "Relevé") > 0
    assert weight_of_match("αλφα", "άλφα") > 0
    assert weight_of_match("résumé", "a résumé") > weight_of_match("résumé", "a resume") > 0


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("数据", "这是一个数据库系统"),
        ("カナ", "検索カタカナ表示"),
        ("한국", "나는 한국어를 배운다"),
        ("の", "私の本"),
        ("ｶﾞｽ", "ガス"),
    ],
)
def test_r41_short_words_inside_unspaced_text_are_found(question, document):
    assert set(asked(question)) <= keys(document)


def test_a_pair_of_cjk_characters_outweighs_its_characters_apart():
    assert weight_of_match("数据", "数据库") > 2 * weight_of_match("数据", "据说有数")


def test_cjk_is_cut_from_latin_in_one_run():
    assert {"kx", "漢字", "漢", "字"} <= keys("kx漢字")


def test_cpp_csharp_and_c_are_three_words():
    assert weight_of_match("c++", "written in C++") > weight_of_match("c++", "written in C#")
    assert weight_of_match("c#", "written in C#") > weight_of_match("c#", "written in C++")
    assert weight_of_match("c#", "written in c") > 0


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("use v1.2.3 now", "v1.2.3", "v1"),
        ("doi:10.1000/xyz.123.", "10.1000/xyz.123", "xyz"),
        ("https://doi.org/10.1000/xyz.123", "10.1000/xyz.123", "doi.org"),
        ("arXiv:2312.04350v3", "2312.04350v3", "2312.04350"),
        ("https://arxiv.org/abs/2312.04350v3", "2312.04350v3", "2312.04350"),
        ("device KX-00120?", "kx-00120", "00120"),
        ("mail ada@uni.edu", "ada@uni.edu", "ada"),
        ("1,024 units", "1,024", "1024"),
    ],
)
def test_identifiers_stand_whole_and_in_parts(text, whole, part):
    assert {whole, part} <= keys(text)


def test_an_address_is_found_with_and_without_its_scheme():
    assert weight_of_match("example.com/a/b", "see https://www.example.com/a/b/.") > 0


def test_inflections_meet_and_the_exact_word_weighs_more():
    assert 0 < weight_of_match("measured", "it measures") < weight_of_match("measured", "it measured")


def test_every_key_that_matches_an_inflection_also_matches_the_exact_word():
    question = set(asked("running"))
    assert question & keys("he runs") < question & keys("he is running")


@pytest.mark.parametrize(
    "document", ["a state-of-the-art method", "the state of the art method", "state-of-\nthe-art method"]
)
@pytest.mark.parametrize("phrase", ["state of the art", "state-of-the-art", "state-of-the-art method", "art method"])
def test_phrases_match_with_and_without_hyphens(document, phrase):
    assert contains_phrase(document, phrase)


def test_phrases_need_their_order_and_neighbourhood():
    assert not contains_phrase("the art of state", "state of the art")
    assert not contains_phrase("well or known", "well known")


def test_phrases_reach_over_camel_case_in_lower_case_and_through_cjk():
    assert contains_phrase("we use PyTorch models", "pytorch models")
    assert contains_phrase("これは検索エンジンです", "検索エンジン")
    assert not contains_phrase("これは索検です", "検索")


def test_function_words_are_asked_only_when_nothing_else_is():
    assert "the" not in asked("the calibration of it")
    assert set(asked("to be or not to be")) == {"to", "be", "or", "not"}
    assert "who" in asked("What does WHO advise?")


def test_query_terms_are_unique_and_keep_their_best_weight():
    terms = query_terms("code code-base code")
    assert len({term.key for term in terms}) == len(terms)
    assert asked("code-base code")["code"] == FORM_WEIGHTS[Form.EXACT]


def test_no_words_give_nothing():
    for text in ("", "  \n", "!?! — …", "\u200b\u00ad", "👍🏽"):
        assert tokenize(text) == []
        assert query_terms(text) == ()
        assert phrase_terms(text) == ()
        assert count_terms(text).length == 0


MIXED = st.text(alphabet=st.sampled_from(list("aBéß0 9.-_'’\n\u00ad\u0301\u200b#+@/:,v中かｶﾞ한ا\u064bﬁ(")), max_size=50)


@given(MIXED)
def test_offsets_lie_inside_the_text_and_positions_never_go_back(text):
    position = 0
    for token in tokenize(text):
        assert token.term
        assert 0 <= token.start < token.end <= len(text)
        assert token.position >= position
        position = token.position


@given(MIXED)
def test_counting_agrees_with_tokenizing(text):
    tokens = tokenize(text)
    counts = count_terms(text)
    assert sum(counts.frequencies.values()) == len(tokens)
    assert set(counts.frequencies) == {index_key(token) for token in tokens}
    assert counts.length >= len({token.position for token in tokens})


@given(MIXED)
def test_a_document_holds_every_key_its_own_words_ask_for(text):
    assert set(asked(text)) <= keys(text)


def test_arabic_words_meet_in_their_stem_without_article_and_conjunction():
    keys = {term.key for term in query_terms("متى افتتح الجسر القديم في المدينة؟")}
    assert {"~جسر", "~قديم", "الجسر"} <= keys
    assert not {"متى", "في"} & keys, "grammar is no content in any language"
    assert "~جسر" in count_terms("جسر قديم").frequencies
    assert "~جسر" in count_terms("الجِسْر").frequencies  # vowel signs are optional
