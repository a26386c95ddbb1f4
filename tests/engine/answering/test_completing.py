"""What a model left out of an answer is put first, once; what may no longer be seen is taken out."""

from __future__ import annotations

from trisynapse_memory.answering.citations import Place
from trisynapse_memory.answering.completing import complete_draft, without_places
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.types import AnswerSentence, Citation, CitationVerdict, RecordId

MIRROR = "Foucault measured the speed of light with a rotating mirror in 1862."
WHEEL = "Fizeau used a toothed wheel in 1849."
TEA = "The tea was served at five."


def composed(*rows: tuple[str, int, str]) -> Composition:
    """Sentences with one citation each, of the record with that number."""
    return Composition(
        sentences=tuple(
            AnswerSentence(text=text, citations=(n,), status=status)
            for n, (text, _, status) in enumerate(rows, start=1)
        ),
        citations=tuple(
            Citation(
                n=n,
                record_id=RecordId(f"r{seq}"),
                source_id=None,
                source_key="",
                title="",
                locator=None,
                excerpt=text,
                verdict=CitationVerdict.VERBATIM,
            )
            for n, (text, seq, _) in enumerate(rows, start=1)
        ),
        places=tuple(Place(seq, 0, len(text)) for text, seq, _ in rows),
    )


def read(composition: Composition) -> list[tuple[str, list[str]]]:
    cited = {citation.n: citation.record_id for citation in composition.citations}
    assert list(cited) == list(range(1, len(cited) + 1))
    assert [f"r{place.seq}" for place in composition.places] == list(cited.values())
    return [(one.text, [cited[n] for n in one.citations]) for one in composition.sentences]


def test_the_first_quoted_sentence_is_put_first_where_the_model_left_it_out():
    whole = complete_draft(composed((WHEEL, 7, "")), composed((TEA, 2, ""), (MIRROR, 3, "")))
    assert read(whole) == [(TEA, ["r2"]), (WHEEL, ["r7"])]


def test_it_is_not_repeated_where_the_model_cites_its_place_or_says_the_same():
    quoted = composed((MIRROR, 3, ""))
    same_place = composed(("Foucault measured the speed of light.", 3, ""))
    same_words = composed((MIRROR, 8, ""))
    assert complete_draft(same_place, quoted) is same_place
    assert complete_draft(same_words, quoted) is same_words


def test_her_corrections_always_count():
    quoted = composed((MIRROR, 3, ""), (TEA, 4, "correction"), (WHEEL, 5, ""))
    whole = complete_draft(composed((MIRROR, 3, "")), quoted)
    assert read(whole) == [(TEA, ["r4"]), (MIRROR, ["r3"])]
    assert whole.sentences[0].status == "correction"


def test_what_rests_on_hidden_records_alone_is_taken_out_and_the_rest_numbered_anew():
    draft = composed((MIRROR, 3, ""), (TEA, 4, ""), (WHEEL, 5, ""))
    assert read(without_places(draft, {3})) == [(TEA, ["r4"]), (WHEEL, ["r5"])]
    assert without_places(draft, set()) is draft
    assert without_places(draft, {3, 4, 5}).sentences == ()
