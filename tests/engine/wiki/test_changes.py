"""What she accepted beside what would be compiled now: only what changed is stale, and nothing forgotten is shown."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from pytest import mark, raises

from tests.engine.wiki.wiki_cases import (
    CLAIMS,
    CORRECTED,
    DEFINITION,
    NAMES,
    USES,
    claim,
    claim_lists,
    concept,
    quote,
    side,
    support,
)
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.types import ClaimStatus
from trisynapse_memory.wiki.changes import Evidence, Fate, accept, adopt, compare, keep, reject
from trisynapse_memory.wiki.compiler import compile_concept

NOTHING = Evidence()
ADAM = claim(
    "c_opt", "BERT", "pretrained_with", side("Adam", support("BERT was pretrained with Adam.", "r_31", "src_a"))
)
ADAMW = side("AdamW", support("BERT was pretrained with AdamW.", "r_32", "src_t"))
BOTH = structs.replace(ADAM, sides=(*ADAM.sides, ADAMW), status=ClaimStatus.CONTESTED)


def page(*claims, lead=()):
    return compile_concept(concept(claims, lead, aliases=("c", "BERT")), NAMES)


def told(comparison):
    return [(one.before, one.after, one.reason) for one in comparison.changes]


def decide(decision, edition, fresh, evidence=NOTHING, keys=()):
    return decision(edition, compare(edition, fresh, evidence), keys)


def test_an_adopted_page_has_nothing_to_decide():
    fresh = page(*CLAIMS)
    comparison = compare(adopt(fresh), fresh, NOTHING)
    assert comparison.changes == ()
    assert comparison.page == fresh


def test_more_evidence_for_the_same_words_changes_nothing():
    more = structs.replace(
        USES[0], sides=(side("vacuum", *USES[0].sides[0].supports, support("c is a part of it all.", "r_77")),)
    )
    comparison = compare(adopt(page(USES[0])), page(more), NOTHING)
    assert comparison.changes == ()
    assert comparison.page.sentences[0].record_ids == ("r_11", "r_77")


def test_a_new_version_that_says_the_same_changes_nothing():
    before = page(DEFINITION, lead=[quote("Light was timed for 120 years.", "r_19")])
    moved = structs.replace(
        DEFINITION,
        sides=(side("physical constant", support(DEFINITION.sides[0].supports[0].excerpt, "r_99", "src_t")),),
    )
    after = page(moved, lead=[quote("Light was timed for 120 years.", "r_98")])
    comparison = compare(adopt(before), after, Evidence({"r_10": Fate.REPLACED, "r_19": Fate.REPLACED}))
    assert comparison.changes == ()
    assert [one.record_ids for one in comparison.page.sentences] == [("r_98",), ("r_99",)]


def test_only_the_sentence_that_a_new_version_words_differently_is_stale():
    lead = [quote("Light was timed for 120 years.", "r_19"), quote("The first value was French.", "r_18")]
    changed = [quote("Light was timed for 134 years.", "r_98"), quote("The first value was French.", "r_97")]
    evidence = Evidence({"r_19": Fate.REPLACED, "r_18": Fate.REPLACED})
    comparison = compare(adopt(page(lead=lead)), page(lead=changed), evidence)
    assert told(comparison) == [
        ("Light was timed for 120 years.", "Light was timed for 134 years.", "its source has a new version")
    ]
    shown = comparison.page.sentences
    assert [one.stale for one in shown] == [True, False]
    assert (shown[0].text, shown[0].proposal) == (lead[0].text, changed[0].text)


@mark.parametrize(
    ("fate", "reason"),
    [(Fate.FORGOTTEN, "its evidence was forgotten"), (Fate.REMOVED, "its evidence was removed")],
)
def test_what_she_forgot_is_never_shown_again(fate, reason):
    edition = adopt(page(DEFINITION, USES[0]))
    comparison = compare(edition, page(USES[0]), Evidence({"r_10": fate}))
    assert told(comparison) == [("", "", reason)]
    assert DEFINITION.sides[0].supports[0].excerpt not in str(comparison.page)
    gone = decide(accept, edition, page(USES[0]), Evidence({"r_10": fate}))
    assert [one.text for one in gone.sentences] == ["Speed of light is part of vacuum."]


def test_a_forgotten_value_hides_the_old_words_and_proposes_the_other():
    edition = adopt(page(BOTH))
    comparison = compare(edition, page(ADAM), Evidence({"r_32": Fate.FORGOTTEN}))
    assert "AdamW" not in str(comparison.page)
    assert {reason for _, _, reason in told(comparison)} >= {"its evidence was forgotten"}


def test_a_sentence_with_other_support_stays_when_one_record_is_forgotten():
    both = structs.replace(
        USES[0], sides=(side("vacuum", *USES[0].sides[0].supports, support("c is a part of it all.", "r_77")),)
    )
    comparison = compare(adopt(page(both)), page(USES[0]), Evidence({"r_77": Fate.FORGOTTEN}))
    assert comparison.changes == ()
    assert comparison.page.sentences[0].record_ids == ("r_11",)


def test_a_dispute_marks_the_sentence_and_offers_both_sides():
    comparison = compare(adopt(page(ADAM)), page(BOTH), NOTHING)
    changes = told(comparison)
    assert changes[0] == (
        "BERT was pretrained with Adam.",
        "BERT was pretrained with Adam (contested).",
        "now contested",
    )
    assert ("", "BERT was pretrained with AdamW (contested).", "new in Table of values") in changes
    assert len(changes) == 4
    new = [one for one in comparison.page.sentences if not one.text]
    assert all(one.stale and one.proposal and one.supports for one in new)


def test_a_correction_gives_its_reason():
    before = structs.replace(CORRECTED, sides=(CORRECTED.sides[1],))
    comparison = compare(adopt(page(before)), page(CORRECTED), Evidence({}, {"r_04": "two small errors"}))
    assert told(comparison)[0] == (
        "Speed of light was measured as 299,944 ± 51 km/s.",
        "Speed of light was measured as 299,910 ± 50 km/s.",
        "corrected: two small errors",
    )


def test_a_claim_that_a_newer_statement_replaced_says_so():
    old = structs.replace(USES[0], status=ClaimStatus.SUPERSEDED)
    comparison = compare(adopt(page(USES[0])), page(old), NOTHING)
    assert ("Speed of light is part of vacuum.", "", "replaced by a newer statement") in told(comparison)


def test_accepting_all_gives_the_fresh_page():
    fresh = page(*CLAIMS)
    edition = decide(accept, adopt(page(USES[0], ADAM)), fresh)
    comparison = compare(edition, fresh, NOTHING)
    assert comparison.changes == ()
    assert comparison.page == fresh
    assert edition.because.startswith("no longer supported as it stands; new in ")


def test_accepting_one_leaves_the_others():
    edition = adopt(page(ADAM))
    first, *others = compare(edition, page(BOTH), NOTHING).changes
    taken = decide(accept, edition, page(BOTH), keys=[first.key])
    assert [one.text for one in taken.sentences] == [first.after]
    left = compare(taken, page(BOTH), NOTHING).changes
    assert [one.after for one in left] == [one.after for one in others]


def test_a_refused_proposal_comes_back_only_with_other_words():
    lead, newer, newest = (
        [quote(f"Light was timed for {years} years.", record)]
        for years, record in ((120, "r_1"), (134, "r_2"), (150, "r_3"))
    )
    edition = decide(reject, adopt(page(lead=lead)), page(lead=newer))
    refused = compare(edition, page(lead=newer), NOTHING)
    assert refused.changes == ()
    (shown,) = refused.page.sentences
    assert (shown.text, shown.stale) == (lead[0].text, False)
    assert shown.reason == "its evidence now says it differently; you refused the change"
    assert [one[1] for one in told(compare(edition, page(lead=newest), NOTHING))] == [newest[0].text]


def test_a_refused_new_sentence_stays_away_until_it_says_something_else():
    edition = decide(reject, adopt(page(USES[0])), page(USES[0], DEFINITION))
    assert compare(edition, page(USES[0], DEFINITION), NOTHING).changes == ()
    other = structs.replace(
        DEFINITION, sides=(side("constant", support("The speed of light is a constant.", "r_66", "src_t")),)
    )
    assert [one[1] for one in told(compare(edition, page(USES[0], other), NOTHING))] == [
        "The speed of light is a constant."
    ]


def test_a_refused_removal_keeps_the_sentence():
    edition = decide(reject, adopt(page(USES[0], DEFINITION)), page(USES[0]))
    comparison = compare(edition, page(USES[0]), NOTHING)
    assert comparison.changes == ()
    assert [one.text for one in comparison.page.sentences if one.section == "What it is"] == [
        "The speed of light in vacuum is a physical constant."
    ]


def test_a_kept_sentence_is_hers_until_its_evidence_is_forgotten():
    edition = decide(keep, adopt(page(ADAM)), page(), keys=())
    assert compare(edition, page(), NOTHING).changes == ()
    (shown,) = compare(edition, page(), NOTHING).page.sentences
    assert (shown.status, shown.text) == ("kept", "BERT was pretrained with Adam.")
    forgotten = compare(edition, page(), Evidence({"r_31": Fate.FORGOTTEN}))
    assert told(forgotten) == [("", "", "its evidence was forgotten")]


def test_what_has_no_words_cannot_be_kept():
    edition = adopt(page(ADAM))
    with raises(InvalidInputError, match="no words to keep"):
        decide(keep, edition, page(), Evidence({"r_31": Fate.FORGOTTEN}))
    with raises(InvalidInputError, match="has no change 'nothing'"):
        decide(accept, edition, page(), keys=["nothing"])


@settings(max_examples=50)
@given(claim_lists, claim_lists, st.sets(st.sampled_from([f"r_{n:02}" for n in range(8)]), max_size=3))
def test_any_two_pages(before, after, forgotten):
    edition, fresh = adopt(page(*before)), page(*after)
    evidence = Evidence(dict.fromkeys(forgotten, Fate.FORGOTTEN))
    comparison = compare(edition, fresh, evidence)
    keys = [one.key for one in comparison.page.sentences]
    assert len(set(keys)) == len(keys)
    assert {one.key for one in comparison.changes} == {one.key for one in comparison.page.sentences if one.stale}
    fresh_texts = {one.text for one in fresh.sentences}
    for sentence in comparison.page.sentences:
        assert not (set(sentence.record_ids) & forgotten and sentence.text) or sentence.text in fresh_texts
    taken = accept(edition, comparison, ())
    again = compare(taken, fresh, evidence)
    assert again.changes == ()
    assert [one.text for one in again.page.sentences] == [one.text for one in fresh.sentences]
    refused = reject(edition, comparison, ())
    assert compare(refused, fresh, evidence).changes == ()
