"""A disputed answer shows every side once, in its own words, and an undisputed one is left alone."""

from __future__ import annotations

from msgspec import structs

from trisynapse_memory.answering.citations import Place
from trisynapse_memory.answering.disputes import show_disputes
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.types import (
    AnswerSentence,
    Citation,
    CitationVerdict,
    Claim,
    ClaimSide,
    ClaimStatus,
    RecordId,
    Support,
)

TEXTS = {
    "r_one": "BERT was pretrained with Adam. It is large.",
    "r_two": "BERT was pretrained with AdamW.",
    "r_three": "BERT was pretrained with SGD.",
}


def support(record_id: str) -> Support:
    end = TEXTS[record_id].index(".") + 1
    return Support(
        fact_id=RecordId(f"f_{record_id}"),
        record_id=RecordId(record_id),
        source_id=None,
        title=record_id,
        excerpt=TEXTS[record_id][:end],
        start=0,
        end=end,
    )


def side(*record_ids: str) -> ClaimSide:
    value = TEXTS[record_ids[0]].split(".")[0].split()[-1]
    return ClaimSide(value=value, normalised=value.lower(), supports=tuple(map(support, record_ids)))


def claim(*sides: ClaimSide) -> Claim:
    return Claim(
        claim_id="claim_1",
        subject="BERT",
        relation="pretrained_with",
        object=sides[0].value,
        text="",
        status=ClaimStatus.CONTESTED,
        sides=sides,
        shown=True,
    )


def cite(found: Support, n: int) -> tuple[Citation, Place] | None:
    citation = Citation(
        n=n,
        record_id=found.record_id,
        source_id=None,
        source_key="",
        title=found.title,
        locator=None,
        excerpt=found.excerpt,
        verdict=CitationVerdict.VERBATIM,
    )
    return citation, Place(0, found.start, found.end)


def answer(*record_ids: str, start: int = 0, status: str = "") -> Composition:
    made = [cite(support(record_id), n) for n, record_id in enumerate(record_ids, start=1)]
    cited = [one for one in made if one is not None]
    return Composition(
        sentences=tuple(
            AnswerSentence(text=one.excerpt, citations=(one.n,), status=status if one.n == 1 else "")
            for one, _ in cited
        ),
        citations=tuple(one for one, _ in cited),
        places=tuple(place._replace(start=start, end=start + place.end) for _, place in cited),
    )


def shown(composition: Composition) -> list[tuple[str, tuple[int, ...], str]]:
    return [(one.text, one.citations, one.status) for one in composition.sentences]


def test_the_other_sides_follow_the_sentence_they_dispute():
    found, disputed = show_disputes(answer("r_one"), [claim(side("r_one"), side("r_two"), side("r_three"))], cite)
    assert set(shown(found)) == {
        ("BERT was pretrained with Adam.", (1,), "contested"),
        ("BERT was pretrained with AdamW.", (2,), "contested"),
        ("BERT was pretrained with SGD.", (3,), "contested"),
    }
    assert found.sentences[0].text == "BERT was pretrained with Adam."
    assert [one.n for one in found.citations] == [1, 2, 3]
    assert len(found.places) == 3
    assert len(disputed) == 1


def test_a_side_that_is_there_already_is_marked_and_not_said_twice():
    found, _ = show_disputes(answer("r_one", "r_two"), [claim(side("r_one"), side("r_two"))], cite)
    assert shown(found) == [
        ("BERT was pretrained with Adam.", (1,), "contested"),
        ("BERT was pretrained with AdamW.", (2,), "contested"),
    ]


def test_another_sentence_of_the_same_record_is_not_disputed():
    composition = answer("r_one", start=31)
    assert show_disputes(composition, [claim(side("r_one"), side("r_two"))], cite) == (composition, ())


def test_her_own_correction_stays_hers_and_the_dispute_is_shown():
    found, _ = show_disputes(answer("r_one", status="correction"), [claim(side("r_one"), side("r_two"))], cite)
    assert [one.status for one in found.sentences] == ["correction", "contested"]


def test_a_side_that_cannot_be_shown_falls_back_to_its_next_support():
    def hidden(found: Support, n: int) -> tuple[Citation, Place] | None:
        return None if found.record_id == "r_two" else cite(found, n)

    found, _ = show_disputes(answer("r_one"), [claim(side("r_one"), side("r_two", "r_three"))], hidden)
    assert [one.record_id for one in found.citations] == ["r_one", "r_three"]
    alone, disputed = show_disputes(answer("r_one"), [claim(side("r_one"), side("r_two"))], hidden)
    assert (len(alone.sentences), len(disputed)) == (1, 1)


def test_an_answer_without_a_dispute_is_left_as_it_is():
    composition = answer("r_one")
    assert show_disputes(composition, [], cite) == (composition, ())
    nothing = Composition(abstain=True, reason="nothing")
    assert show_disputes(nothing, [claim(side("r_one"), side("r_two"))], cite) == (nothing, ())


def dated(record_id: str, excerpt: str) -> ClaimSide:
    found = structs.replace(support(record_id), excerpt=excerpt)
    return ClaimSide(value=excerpt, normalised=excerpt, supports=(found,))


def test_where_the_question_names_a_year_sides_of_other_times_are_left_to_the_claim():
    near, far = dated("r_two", "In 1935 it was 299,774 km/s."), dated("r_three", "In 1862 it was 298,000 km/s.")
    disputed = claim(side("r_one"), far, near)

    found, claims = show_disputes(answer("r_one"), [disputed], cite, "What was it around 1930?")
    assert [one.text for one in found.sentences][1:] == ["In 1935 it was 299,774 km/s."]
    assert claims == (disputed,)

    every, _ = show_disputes(answer("r_one"), [disputed], cite, "What was it?")
    assert len(every.sentences) == 3


def test_the_nearest_side_is_shown_however_far_it_is():
    far, undated = dated("r_two", "In 1862 it was 298,000 km/s."), dated("r_three", "It was 299,910 ± 50 km/s.")
    found, _ = show_disputes(answer("r_one"), [claim(side("r_one"), undated, far)], cite, "What was it in 1930?")
    assert [one.text for one in found.sentences][1:] == ["In 1862 it was 298,000 km/s."]
