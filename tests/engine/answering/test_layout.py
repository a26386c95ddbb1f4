"""Whole answers in the form that was asked for: parts, bullets, Yes and No, and a definition first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec import structs

from trisynapse_memory.answering.synthesizer import Composition, compose
from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.intents import RuleIntents
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import AnswerForm, Hit, Modality, QueryPlan

KILNS = (
    "The red kiln was built in 1911 and holds 240 pots. A firing of the red kiln takes 38 hours.",
    "The blue kiln was built in 1934 and holds 180 pots. A firing of the blue kiln takes 540 minutes.",
    "The mill stands by the river. Its wheel is made of oak.",
)
DRIP = (
    "Drip watering has three gains:\n\n- It needs no pump.\n- It loses little water to the wind.\n- It runs at night.",
    "The growers tried it twice. Another gain of drip watering is that weeds stay dry.",
    "The mill stands by the river. Its wheel is made of oak.",
)
Ask = Callable[..., Composition]


@pytest.fixture
def ask(tools, statistics_of) -> Ask:
    def run(question: str, hits: Sequence[Hit]) -> Composition:
        plan = QueryPlan(question=question, intent=RuleIntents().read(question), terms=())
        return compose(question, plan, hits, tools=tools, statistics=statistics_of(hits), config=Config())

    return run


def parts(made: Composition) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for sentence in made.sentences:
        found.setdefault(sentence.part, []).append(sentence.text)
    return found


def table(hit: Hit, rows: str, headers: str) -> Hit:
    fields = {"headers": headers}
    record = structs.replace(hit.record, text=rows, modality=Modality.TABLE, fields=fields)
    return structs.replace(hit, record=record, parts={"semantic": 0.7})


# -- comparisons


def test_each_side_has_its_part_and_its_own_citation(make_hits, ask: Ask) -> None:
    made = ask("Compare the red kiln and the blue kiln by year of building.", make_hits(*KILNS))
    assert made.form is AnswerForm.COMPARISON
    told = parts(made)
    assert list(told) == ["red kiln", "blue kiln"]
    assert "1911" in told["red kiln"][0]
    assert "1934" in told["blue kiln"][0]
    numbers = [sentence.citations for sentence in made.sentences]
    assert numbers == [(1,), (2,)]
    assert [citation.record_id for citation in made.citations] == ["r0", "r1"]


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("Which firing takes longer, that of the red kiln or that of the blue kiln?",
         "38 hours (red kiln) is more than 540 minutes (blue kiln)."),
        ("Does the red kiln hold more pots than the blue kiln?",
         "240 pots (red kiln) is more than 180 pots (blue kiln)."),
        ("Compare the red kiln and the blue kiln by year of building.", ""),
    ],
)  # fmt: skip
def test_values_are_compared_where_they_are_asked_for_and_stand_there(make_hits, ask: Ask, question: str, lead: str):
    assert ask(question, make_hits(*KILNS)).lead == lead


@pytest.mark.parametrize(
    ("one", "two", "lead"),
    [
        ("The tower is 40 metres high.", "The mast is 0.05 km high.", "0.05 km (mast) is more than 40 metres (tower)."),
        ("The tower is 40 metres high.", "The mast weighs 50 tons.", ""),
        ("The tower is 40 metres high.", "The mast is 30 metres high, and was 45 metres high before.", ""),
        ("The tower is 40 metres high.", "Unlike the tower, the mast is 50 metres high.", ""),
        ("The tower is 40 ± 3 metres high.", "The mast is 41 ± 3 metres high.",
         "40 ± 3 metres (tower) and 41 ± 3 metres (mast) agree within what is written."),
    ],
)  # fmt: skip
def test_values_are_compared_only_in_one_unit_and_where_none_can_be_mistaken(
    make_hits, ask: Ask, one: str, two: str, lead: str
):
    made = ask("Is the tower higher than the mast?", make_hits(one, two))
    assert made.lead == lead


def test_a_side_that_nothing_is_said_of_is_named(make_hits, ask: Ask) -> None:
    made = ask("Compare the red kiln and the green kiln by pots.", make_hits(*KILNS))
    assert made.form is AnswerForm.COMPARISON
    assert made.lead == "Nothing found says this of green kiln."
    assert list(parts(made)) == ["red kiln"]


def test_rows_of_a_table_are_compared_with_the_unit_of_their_header(make_hits, ask: Ask) -> None:
    hits = make_hits("a", "b")
    headers = "Station | Height (m)"
    rows = [table(hits[0], "Brenn | 1240", headers), table(hits[1], "Skar | 1788", headers)]
    made = ask("Is Brenn higher than Skar?", rows)
    assert made.lead == "1788 m (Skar) is more than 1240 m (Brenn)."
    assert parts(made) == {"Brenn": ["Brenn – Height (m): 1240"], "Skar": ["Skar – Height (m): 1788"]}


def test_a_comparison_that_a_source_states_is_said_yes_or_no_to(make_hits, ask: Ask) -> None:
    hits = make_hits("Melin is slower than Tavro. Both read text.", KILNS[2])
    assert ask("Is Melin slower than Tavro?", hits).lead == "Yes."
    assert ask("Is Tavro slower than Melin?", hits).lead == "No."


def test_where_neither_side_is_there_it_is_refused(make_hits, ask: Ask) -> None:
    assert ask("Compare the fees of Harbeck and Solde.", make_hits(*KILNS)).abstain


# -- lists


def test_entries_of_a_list_are_items_and_what_another_source_adds_is_a_bullet(make_hits, ask: Ask) -> None:
    made = ask("What are the gains of drip watering?", make_hits(*DRIP))
    assert made.form is AnswerForm.LIST
    assert made.lead == "4 found, in 2 sources."
    first, second = made.sentences
    assert first.items == ("It needs no pump.", "It loses little water to the wind.", "It runs at night.")
    assert first.around() == ("Drip watering has three gains:", "")
    assert second.text == "Another gain of drip watering is that weeds stay dry."
    assert second.citations != first.citations


def test_an_enumeration_keeps_its_whole_sentence_and_its_verdict(make_hits, ask: Ask) -> None:
    text = "Tavro was trained on the News, the Dialogues and the Statutes, all in English."
    made = ask("What was Tavro trained on?", make_hits(f"It is small. {text}", KILNS[2]))
    (sentence,) = made.sentences
    assert sentence.text == text
    assert sentence.items == ("the News", "the Dialogues", "the Statutes")
    assert sentence.around() == ("Tavro was trained on", "all in English.")
    assert judge(sentence.text, made.citations[0].excerpt).passes


def test_all_rows_that_fit_are_listed_and_no_other(make_hits, ask: Ask) -> None:
    (hit,) = make_hits("x")
    rows = table(hit, "Brenn | Aune\nKolvik | Dahl\nSkar | Aune", "Station | Observer")
    made = ask("Which stations did Aune observe?", [rows])
    assert [one.text for one in made.sentences] == ["Brenn – Observer: Aune", "Skar – Observer: Aune"]
    assert made.lead == "2 found, in 1 source."


def test_all_rows_of_a_table_are_listed_where_its_column_is_asked_for(make_hits, ask: Ask) -> None:
    (hit,) = make_hits("x")
    rows = table(hit, "Brenn | 1240\nKolvik | 385\nSkar | 1788", "Station | Height (m)")
    made = ask("List the heights of all stations.", [rows])
    assert len(made.sentences) == 3


def test_a_long_list_is_quoted_in_pieces_that_fit(make_hits, ask: Ask) -> None:
    entries = "\n".join(f"- Step number {n} is to {'turn the handle slowly ' * 4}once." for n in range(1, 9))
    made = ask(
        "List the steps before the season.", make_hits(f"The steps before the season are:\n\n{entries}", KILNS[2])
    )
    assert made.form is AnswerForm.LIST
    assert max(len(one.excerpt) for one in made.citations) <= Config().excerpt_max_chars
    told = [item for one in made.sentences for item in one.items]
    assert len(told) == len(set(told)) >= 6
    assert told[0].startswith("Step number 1")


def test_one_sentence_that_lists_nothing_is_quoted_plainly(make_hits, ask: Ask) -> None:
    made = ask("What are the wheels made of?", make_hits("The wheels are made of oak.", KILNS[0]))
    assert (made.form, made.lead) == (AnswerForm.PLAIN, "")


# -- yes or no


@pytest.mark.parametrize(
    ("question", "text", "lead"),
    [
        ("Was the red kiln built in 1911?", "The red kiln was built in 1911.", "Yes."),
        ("Did Karin Solde design the museum?", "The museum was designed by Karin Solde.", "Yes."),
        ("Is the museum open on Mondays?", "The museum is not open on Mondays.", "No."),
        ("Does Tavro need a graphics card?", "Tavro does not need a graphics card.", "No."),
        ("Did Fizeau claim limits of error?", "Fizeau claimed no limits of error.", "No."),
        ("Did the boat carry 40 men?", "The boat carried 50 men.", "No."),
        ("Did Ilse repair the kiln?", "Bera claimed that Ilse repaired the kiln.", ""),
        ("Does Melin need a graphics card?", "Melin may need a graphics card.", ""),
        ("Is the kiln hot?", "Ilse asked whether the kiln is hot.", ""),
        ("Was the kiln repaired?", "The kiln was to be repaired by the smith.", ""),
    ],
)
def test_yes_and_no_are_said_only_where_a_sentence_says_so(make_hits, ask: Ask, question: str, text: str, lead: str):
    made = ask(question, make_hits(text, KILNS[2]))
    assert made.lead == lead
    assert (made.form is AnswerForm.YES_NO) == bool(lead)


def test_no_is_not_said_for_another_value_where_the_asked_one_is_said_too(make_hits, ask: Ask) -> None:
    hits = make_hits("Anderson found 299,771 in 1937. Later Anderson found 299,776 at Harvard.", KILNS[2])
    assert ask("Did Anderson find 299,776?", hits).lead != "No."


# -- definitions, joining


def test_the_sentence_that_defines_stands_first(make_hits, ask: Ask) -> None:
    made = ask("What is a weir?", make_hits("The weir at Toft is old. A weir is a low wall across a river.", KILNS[2]))
    assert made.sentences[0].text.startswith("A weir is a low wall")


def test_sentences_that_follow_each_other_are_one_quotation(make_hits, ask: Ask) -> None:
    text = "The turning wheel of the mill has 720 teeth. The wheel of the mill met light at 12.6 turns."
    made = ask("What did the wheel of the mill do?", make_hits(text, "The kiln holds pots."))
    assert [one.text for one in made.sentences] == [text]
    assert len(made.citations) == 1


def test_an_enumeration_of_as_many_as_are_asked_for_goes_first(make_hits, ask: Ask) -> None:
    text = (
        "The system has a long history of main parts. The system is made up of the server, the archive and the gate. "
        "Its keepers speak of hardware, software, people and money."
    )
    made = ask("What three main parts has the system?", make_hits(text, KILNS[2]))
    assert made.sentences[0].items == ("the server", "the archive", "the gate")


def test_sentences_of_several_sources_are_bullets_and_those_of_one_are_not(make_hits, ask: Ask) -> None:
    one, two = "Ospreys were seen at Lake Oster.", "Two grebes were seen at Lake Oster."
    question = "Which birds were seen at Lake Oster?"
    assert ask(question, make_hits(one, two, KILNS[2])).form is AnswerForm.LIST
    assert ask(question, make_hits(f"{one} {two}", KILNS[2])).form is AnswerForm.PLAIN


def test_each_speaker_of_a_talk_is_a_side(make_hits, ask: Ask) -> None:
    hits = make_hits(
        "I like black tea, Bera.", "I like green tea, Ilse.", "The wheel is oak.", speakers=["Ilse", "Bera", "Ilse"]
    )
    told = parts(ask("Compare Ilse and Bera by the tea they like.", hits))
    assert told == {"Ilse": ["I like black tea, Bera."], "Bera": ["I like green tea, Ilse."]}
