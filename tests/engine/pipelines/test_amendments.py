"""A correction strikes the sentences it replaces, their copies included, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import struck_spans
from trisynapse_memory.pipelines.amendments import correct
from trisynapse_memory.types import (
    CorrectionDetails,
    Draft,
    FactDetails,
    Kind,
    Locator,
    PageDetails,
    PageVerdict,
    Proposal,
    Record,
    SourceDetails,
    SourceId,
)

PAGE = "Atlas is a telescope. Priya Raman leads Atlas. Atlas launches on 1 May. It was built in Chile."
LEAD, LAUNCH = "Priya Raman leads Atlas.", "Atlas launches on 1 May."
SOURCE = SourceId("src_1")


def chunk(log: MemoryLog, number: int, first: str, last: str) -> Record:
    start, end = PAGE.index(first), PAGE.index(last) + len(last)
    draft = Draft(
        kind=Kind.RAW_SOURCE,
        text=PAGE[start:end],
        source_id=SOURCE,
        locator=Locator(kind="page", page=1, start=start, end=end),
        external_key=f"source:{SOURCE}:chunk:1:{number}",
    )
    (record,) = log.append([draft])
    return record


@pytest.fixture
def chunks(log: MemoryLog) -> tuple[Record, Record]:
    """A page in two records that share the sentence on who leads."""
    head = SourceDetails(source_key="k", kind="text", title="Atlas", version=1, content_hash="h")
    page = Draft(
        kind=Kind.PAGE,
        text=PAGE,
        source_id=SOURCE,
        locator=Locator(kind="page", page=1),
        payload=PageDetails(verdict=PageVerdict.OK),
    )
    log.append([Draft(kind=Kind.SOURCE, source_id=SOURCE, payload=head), page])
    return chunk(log, 0, "Atlas is", LEAD), chunk(log, 1, LEAD, "in Chile.")


@pytest.fixture
def read(log: MemoryLog) -> Callable[..., Record]:
    def build(base: Record, words: str, subject: str, relation: str, value: str) -> Record:
        start = base.text.index(words)
        details = FactDetails(
            pattern="p", extractor="pattern", extractor_version=1, spans=((start, start + len(words)),)
        )
        draft = Draft(
            kind=Kind.FACT,
            text=words,
            source_id=SOURCE,
            evidence_ids=(base.id,),
            payload=details,
            subject=subject,
            relation=relation,
            object=value,
        )
        (record,) = log.append([draft])
        return record

    return build


def struck(log: MemoryLog, *records: Record) -> list[list[str]]:
    spans = struck_spans(log, [record.seq for record in records])
    return [[record.text[one.start : one.end] for one in spans.get(record.seq, ())] for record in records]


def test_the_closest_sentence_is_struck_with_its_copy_next_door(log: MemoryLog, chunks: tuple[Record, Record]):
    first, second = chunks
    change = correct(log, first.id, "Ann Lee leads Atlas.", "she took over")
    assert struck(log, first, second) == [[LEAD], [LEAD]]
    assert log.visible([first.seq, second.seq]) == {first.seq, second.seq}
    payload = log.get(change.record_id).payload
    assert isinstance(payload, CorrectionDetails)
    assert payload.struck_record_ids == (first.id, second.id)


def test_a_fact_is_struck_where_it_was_read_and_in_the_copy(
    log: MemoryLog, chunks: tuple[Record, Record], read: Callable[..., Record]
):
    first, second = chunks
    facts = [read(one, LEAD, "Atlas", "role_held_by", "Priya Raman") for one in chunks]
    kept = read(second, LAUNCH, "Atlas", "launch_date", "1 May")
    correction = log.get(correct(log, facts[1].id, "Ann Lee leads Atlas.", "she took over").record_id)
    assert struck(log, first, second) == [[LEAD], [LEAD]]
    assert log.visible([fact.seq for fact in (*facts, kept)]) == {kept.seq}
    assert (correction.subject, correction.relation, correction.object) == ("Atlas", "role_held_by", "Ann Lee")


def test_readings_of_the_correction_find_the_sentence_that_says_the_same(
    log: MemoryLog, chunks: tuple[Record, Record], read: Callable[..., Record]
):
    second = chunks[1]
    read(second, LEAD, "Atlas", "role_held_by", "Priya Raman")
    launch = read(second, "launches on 1 May", "Atlas", "launch_date", "1 May")
    text = "Priya Raman says that the launch is on 9 May."  # closer in its words to the other sentence
    reading = Proposal(
        seq=0,
        start=0,
        end=len(text),
        subject="atlas",
        relation="launch_date",
        object="9 May",
        pattern="p",
        confidence=0.9,
    )
    correction = log.get(correct(log, second.id, text, "it was moved", [reading]).record_id)
    assert struck(log, second) == [[LAUNCH]]
    assert log.visible([launch.seq]) == set()
    assert (correction.subject, correction.relation, correction.object) == ("atlas", "launch_date", "9 May")


@pytest.mark.parametrize(
    ("text", "value"),
    [("Atlas launches on 9 May.", "9 May"), ("Atlas launches on 12 June 2027.", "12 June 2027"), ("Not in May.", None)],
)
def test_the_new_value_is_what_stands_in_the_old_one_s_place(
    log: MemoryLog, chunks: tuple[Record, Record], read: Callable[..., Record], text: str, value: str | None
):
    fact = read(chunks[1], LAUNCH, "Atlas", "launch_date", "1 May")
    correction = log.get(correct(log, fact.id, text, "moved").record_id)
    assert (correction.subject, correction.relation, correction.object) == ("Atlas", "launch_date", value)


def test_a_correction_of_a_correction_is_the_last_word(log: MemoryLog, chunks: tuple[Record, Record]):
    first = log.get(correct(log, chunks[0].id, "Ann Lee leads Atlas.", "she took over").record_id)
    second = log.get(correct(log, first.id, "Bo Chen leads Atlas.", "she left").record_id)
    assert log.visible([first.seq, second.seq]) == {second.seq}
    assert struck(log, *chunks) == [[LEAD, LEAD], [LEAD, LEAD]], "both corrections strike it, each for its reason"


def test_a_correction_that_shares_no_word_corrects_nothing(log: MemoryLog, chunks: tuple[Record, Record]):
    head = log.head()
    with pytest.raises(InvalidInputError, match="No sentence"):
        correct(log, chunks[0].id, "Zebras sleep.", "why not")
    assert log.head() == head


def test_a_record_of_one_sentence_has_no_choice_to_make(log: MemoryLog):
    (only,) = log.append([Draft(kind=Kind.RAW_SOURCE, text="The seat is Zurich.")])
    correct(log, only.id, "Bern.", "wrong town")
    assert struck(log, only) == [["The seat is Zurich."]]


def test_a_fact_without_a_span_gives_up_the_closest_sentence_or_else_the_whole_record(
    log: MemoryLog, chunks: tuple[Record, Record]
):
    details = FactDetails(pattern="p", extractor="model", extractor_version=1)
    ids = (chunks[1].id,)
    loose, other = log.append([Draft(kind=Kind.FACT, text="f", evidence_ids=ids, payload=details) for _ in range(2)])
    correct(log, loose.id, "It launches on 9 May.", "moved")
    assert struck(log, chunks[1]) == [[LAUNCH]]
    assert log.visible([loose.seq, other.seq]) == set(), "nobody knows which sentence the other one is from"
    correct(log, other.id, "Zebras sleep.", "why not")
    assert struck(log, chunks[1])[0][0] == chunks[1].text
