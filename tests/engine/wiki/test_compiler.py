"""Pages from claims: every sentence anchored, sections where they belong, keys and order that only claims change."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import raises

from tests.engine.wiki.wiki_cases import (
    CLAIMS,
    CORRECTED,
    DEFINITION,
    DISPUTE,
    NAMES,
    REASON,
    claim,
    claim_lists,
    concept,
    quote,
    side,
    source_subject,
    support,
)
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import ClaimStatus
from trisynapse_memory.types.compiled import WikiSection
from trisynapse_memory.wiki.compiler import (
    Subject,
    compile_collection,
    compile_concept,
    compile_source,
)
from trisynapse_memory.wiki.sentences import anchored
from trisynapse_memory.wiki.wording import reading, state


def sections(page):
    return {
        section: [one for one in page.sentences if one.section == section]
        for section in dict.fromkeys(one.section for one in page.sentences)
    }


def test_a_concept_page_has_its_sections_in_order():
    page = compile_concept(concept(lead=[quote("Light was timed for 120 years.")]), NAMES)
    found = sections(page)
    assert list(found) == [
        WikiSection.LEAD,
        WikiSection.WHAT_IT_IS,
        WikiSection.RESULTS,
        WikiSection.RELATIONS,
        WikiSection.TIMELINE,
        WikiSection.CONTESTED,
        WikiSection.SUPERSEDED,
    ]
    assert page.title == "Speed of light"
    assert [one.text for one in found[WikiSection.WHAT_IT_IS]] == [
        "The speed of light in vacuum is a physical constant."
    ]
    assert [one.cells for one in found[WikiSection.RESULTS]] == [
        ("was measured as", "299,910 ± 50 km/s", "", "1879"),
        ("was measured as", "299,796 ± 4 km/s", "vacuum", "1926"),
        ("was measured as", "299,774 ± 11 km/s", "vacuum", "1935"),
    ]
    assert [one.status for one in found[WikiSection.RESULTS]] == ["active", "contested", "contested"]
    assert [one.text for one in found[WikiSection.RELATIONS]] == [
        "Speed of light is part of vacuum.",
        "Rotating mirror increases speed of light.",
    ]
    assert [(one.cells, one.text) for one in found[WikiSection.TIMELINE]] == [
        (("1983",), "Since 1983 the speed of light defines the metre.")
    ]


def test_a_dispute_shows_both_sides_as_their_sources_say_them():
    found = sections(compile_concept(concept(), NAMES))[WikiSection.CONTESTED]
    assert [(one.text, one.cells[1:], one.record_ids) for one in found] == [
        ("Michelson's value of 1926 was 299,796 ± 4 km/s.", ("299,796 ± 4 km/s", "1926"), ("r_02",)),
        ("Michelson, Pease and Pearson gave 299,774 ± 11 km/s in 1935.", ("299,774 ± 11 km/s", "1935"), ("r_03",)),
    ]


def test_her_word_on_a_dispute_stands_beside_both_sides():
    sides = (DISPUTE.sides[0], side("299,774 ± 11 km/s", *DISPUTE.sides[1].supports, valid_from="1935", preferred=True))
    more = {"resolution": "The tube had no air.", "qualifiers": {"place": "vacuum"}}
    made = claim("c_1930", "speed of light", "measured_as", *sides, **more)
    found = sections(compile_concept(concept([made]), NAMES))
    assert [one.status for one in found[WikiSection.CONTESTED]] == ["contested", "contested", "resolved"]
    assert found[WikiSection.CONTESTED][-1].text == "The tube had no air."
    assert found[WikiSection.CONTESTED][-1].record_ids == ("r_03",)
    assert [one.cells[1] for one in found[WikiSection.RESULTS]] == ["299,774 ± 11 km/s"]


def test_an_old_value_keeps_its_validity_and_the_reason():
    (old,) = sections(compile_concept(concept(), NAMES))[WikiSection.SUPERSEDED]
    assert old.cells == ("299,944 ± 51 km/s", "1880 to 1885", f"corrected: {REASON}")
    assert old.status == "superseded"
    assert old.record_ids == ("r_04",)
    (plain,) = sections(compile_concept(replace(concept(), corrections={}), NAMES))[WikiSection.SUPERSEDED]
    assert plain.cells[2] == "now 299,910 ± 50 km/s"


def test_a_replaced_claim_is_only_among_the_old():
    gone = claim("c_old", "speed of light", "uses", side("ether", support("x y z")), status=ClaimStatus.SUPERSEDED)
    found = sections(compile_concept(concept([gone]), NAMES))
    assert list(found) == [WikiSection.SUPERSEDED]


def test_the_page_of_a_value_tells_what_is_said_of_it_and_not_of_its_rivals():
    rivals = (side("c", support("The lamp emits c.", "r_81")), side("heat", support("The lamp emits heat.", "r_82")))
    made = claim("c_lamp", "lamp", "emit", *rivals, status=ClaimStatus.CONTESTED)
    assert [(one.section, one.text) for one in compile_concept(concept([made]), NAMES).sentences] == [
        ("Relations", "Lamp emits c (contested).")
    ]
    lost = (rivals[0], side("heat", *rivals[1].supports, preferred=True))
    settled = claim("c_lamp", "lamp", "emit", *lost, resolution="It is a heater.")
    assert compile_concept(concept([settled]), NAMES).sentences == ()


def test_a_value_that_she_corrected_is_struck_with_her_reason():
    now = claim("c_x", "speed of light", "uses", side("air", support("It uses air.", "r_1", fact="f_new")))
    old = side("ether", support("The speed of light uses ether.", "r_2"))
    subject = replace(concept([now]), struck={"c_x": ((old, "there is none"),)})
    (_, struck) = compile_concept(subject, NAMES).sentences
    assert (struck.section, struck.text) == ("Superseded", "Speed of light uses ether.")
    assert struck.cells == ("ether", "", "corrected: there is none")
    assert struck.status == "superseded"


def test_links_are_pages_of_what_is_said_and_where():
    page = compile_concept(concept(), NAMES)
    assert set(page.links) == {
        "vacuum",
        "rotating-mirror",
        "physical-constant",
        "table-of-values",
        "annapolis-and-washington",
        "the-mountain-and-the-tube",
    }
    assert page.slug not in page.links
    assert set(page.source_ids) == {"src_m", "src_a", "src_t"}


def test_a_sentence_that_holds_two_claims_is_said_once():
    twin = claim("c_def2", "speed of light", "defined_as", side("constant", *DEFINITION.sides[0].supports))
    page = compile_concept(concept([DEFINITION, twin]), NAMES)
    assert [one.text for one in page.sentences] == ["The speed of light in vacuum is a physical constant."]


def test_a_definition_that_opens_the_page_is_not_repeated():
    lead = [quote("The speed of light in vacuum is a physical constant.", "r_10", "src_t")]
    page = compile_concept(concept([DEFINITION], lead), NAMES)
    assert [one.section for one in page.sentences] == [WikiSection.LEAD]


def test_a_short_form_that_became_the_same_name_is_not_explained_by_itself():
    made = claim("c_lf", "speed of light", "stands_for", side("the speed of light", support("x", "r_1")))
    assert compile_concept(concept([made]), NAMES).sentences == ()
    assert compile_source(source_subject(claims=[made], lead=(), contents=()), NAMES).sentences == ()


def test_key_claims_are_findings_in_whole_sentences_in_the_order_of_the_text():
    def told(number, relation, words):
        return claim(f"c_{number:02}", f"lens {number}", relation, side("x", support(words, f"r_{number:02}")))

    means = [told(n, "uses", f"Lens {n} uses a mirror of glass.") for n in range(10)]
    finding = told(50, "outperforms", "Lens 50 outperforms the others.")
    broken = told(60, "outperforms", "and it outperforms the others")
    found = compile_source(source_subject(claims=[broken, finding, *means], lead=(), contents=()), NAMES)
    texts = [one.text for one in found.sentences]
    assert texts == [*(f"Lens {n} uses a mirror of glass." for n in range(9)), "Lens 50 outperforms the others."]


def test_a_source_page_quotes_its_own_source():
    other = support("A lens bends light, says the other book.", "r_01", "src_t")
    own = support("A lens bends light, says this one.", "r_09")
    made = claim("c_lens", "lens", "uses", side("light", other, own))
    (sentence,) = compile_source(source_subject(claims=[made], lead=(), contents=()), NAMES).sentences
    assert (sentence.text, sentence.record_ids) == ("A lens bends light, says this one.", ("r_09",))


def test_a_source_page_has_summary_key_claims_disputes_and_contents():
    page = compile_source(source_subject(), NAMES)
    found = sections(page)
    assert list(found) == ["", "Key claims", "What disagrees", "Contents"]
    assert [one.text for one in found["Contents"]] == ["Between two mountains", "In the tube"]
    assert [one.cells for one in found["Contents"]] == [("p. 2",), ("p. 2",)]
    assert set(page.links) == {"rotating-mirror", "speed-of-light"}
    assert page.source_ids == ("src_m",)


def test_a_collection_page_tells_one_sentence_a_source_and_inner_disputes():
    other = claim(
        "c_inner",
        "speed of light",
        "measured_as",
        DISPUTE.sides[0],
        side("299,771", support("Anderson found 299,771 km/s in 1937.", "r_40", "src_t")),
        status=ClaimStatus.CONTESTED,
    )
    subject = Subject(
        slug="light",
        title="Light",
        about="Light",
        claims=(DISPUTE, other),
        contents=(quote("Electric shutters gave a third opinion.", "r_20", cells=("The mountain and the tube",)),),
        source_ids=("src_m", "src_t", "src_a"),
    )
    page = compile_collection(subject, NAMES)
    assert {one.claim_ids for one in page.sentences if one.section == "What disagrees"} == {("c_inner",)}
    assert {"the-mountain-and-the-tube", "table-of-values", "annapolis-and-washington"} <= set(page.links)


def test_nothing_is_said_without_evidence():
    bare = claim("c_bare", "speed of light", "uses", side("nothing"))
    with raises(InvalidInputError, match="rests on no evidence"):
        compile_concept(concept([bare]), NAMES)
    with raises(InvalidInputError, match="rests on no evidence"):
        anchored("k", "Words without a place.", (), section="")


@settings(max_examples=50)
@given(claim_lists)
def test_every_sentence_is_verbatim_or_made_of_one_claim_and_carries_its_evidence(found):
    subject = concept(found)
    by_id = {one.claim_id: one for one in found}
    for page in (compile_concept(subject, NAMES), compile_source(subject, NAMES)):
        assert len({one.key for one in page.sentences}) == len(page.sentences)
        for sentence in page.sentences:
            assert sentence.record_ids
            assert sentence.claim_ids
            (made,) = (by_id[claim_id] for claim_id in sentence.claim_ids)
            assert set(sentence.record_ids) <= set(made.evidence)
            own = {state(made, one) for one in made.sides}
            verbatim = sentence.text == reading(sentence.supports[0].excerpt)
            assert verbatim or sentence.text in own or sentence.text == made.resolution
            if verbatim and sentence.text not in own:
                assert judge(sentence.text, sentence.supports[0].excerpt).passes


@settings(max_examples=50)
@given(claim_lists, st.randoms(use_true_random=False))
def test_a_page_does_not_depend_on_the_order_of_its_claims(found, random):
    shuffled = list(found)
    random.shuffle(shuffled)
    assert compile_concept(concept(shuffled), NAMES) == compile_concept(concept(found), NAMES)


def test_keys_are_those_of_the_claims_whatever_stands_around_them():
    alone = {one.key for one in compile_concept(concept([CORRECTED]), NAMES).sentences}
    together = {one.key for one in compile_concept(concept(CLAIMS), NAMES).sentences}
    assert alone < together
