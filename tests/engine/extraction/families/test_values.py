"""Values of quantities that an earlier sentence, the passage before or the title names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trisynapse_memory.extraction.families import values
from trisynapse_memory.extraction.runner import check_proposals
from trisynapse_memory.types import Modality, Passage, Proposal

Facts = Callable[..., list[str]]
Read = Callable[..., list[Any]]

LIGHT = "The speed of light was long in dispute."


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"{LIGHT} At last, after many trials, Essen published 299,792.5 km/s.", "299,792.5 km/s"),
        (
            f"{LIGHT} In 1928 Karolus used a Kerr cell in place of the wheel and found 299,778 ± 20 km/s.",
            "299,778 ± 20 km/s",
        ),
        (
            f"{LIGHT} A review of all earlier work appeared. In the end the committee adopted 299,776 km/s.",
            "299,776 km/s",
        ),
        (f"{LIGHT} The value that the party obtained in the second winter was 299,771 ± 12 km/s.", "299,771 ± 12 km/s"),
        ("Birge obtained 299,776 km/s for the speed of light.", "299,776 km/s"),
        ("Her measurement of the speed of light gave 299,776 km/s.", "299,776 km/s"),
    ],
)
def test_a_value_belongs_to_the_one_quantity_named_before(facts: Facts, text: str, value: str) -> None:
    assert facts(text, "values") == [f"speed of light | measured_as | {value}"]


@pytest.mark.parametrize(
    "text",
    [
        f"{LIGHT} The lamp, which Froment had made, found its place at 18 km.",
        f"{LIGHT} The difference between the two careful observers is 22 km/s.",
        f"{LIGHT} If Michelson had obtained 299,796 km/s, the matter would be closed.",
        f"{LIGHT} Essen never obtained more than three values, and he rejected 299,792 km/s.",
        f"{LIGHT} On a better day he would have obtained 299,810 km/s.",
        f"{LIGHT} Did Essen ever obtain 299,792 km/s?",
        f"{LIGHT} The speed of sound was known. Okafor obtained 331 m/s in the same hall.",
        "The bell hangs in the tower. In that cold year Castellan found 812 kg.",
        "The depth of the lake was in dispute. Rivera took 12 m of rope from the boat.",
        "The depth of the lake was in dispute. Rivera found 12 m more than the others had.",
        "The half-life of the isotope was hard to measure. Nakamura took 12 days.",
    ],
)
def test_what_is_no_value_of_it(facts: Facts, text: str) -> None:
    assert [fact for fact in facts(text, "values") if "measured_as" in fact] == []


def figures(text: str, **known: Any) -> list[Proposal]:
    return list(values.find_figures(Passage(seq=1, text=text, **known)))


@pytest.mark.parametrize(
    ("line", "value", "anaphor", "year"),
    [
        ("Michelson's value of 1926 was 299,796 ± 4 km/s.", "299,796 ± 4 km/s", "value", "1926"),
        ("1935, in an evacuated tube one mile long: 299,774 ± 11 km/s.", "299,774 ± 11 km/s", "km/s", "1935"),
        ("In 1947 they found 299,792 km/s.", "299,792 km/s", "km/s", "1947"),
        ("Essen (1950) published 299,792.5 km/s.", "299,792.5 km/s", "km/s", "1950"),
        ("Pease and Pearson gave 299,774 km/s in 1935, from 2,900 trials.", "299,774 km/s", "km/s", "1935"),
        ("Their result, 299,774 km/s, was printed in 1935.", "299,774 km/s", "result", "1935"),
    ],
)
def test_lines_of_figures_are_read_without_a_parser(line: str, value: str, anaphor: str, year: str) -> None:
    (found, *more) = figures(line, before=LIGHT)
    assert {one.object for one in more} <= {value}
    assert (found.subject, found.relation, found.object) == ("speed of light", "measured_as", value)
    assert (found.qualifiers, found.temporal_anchor) == ({"anaphor": anaphor}, year)
    assert found.pattern == "values"


def test_every_line_of_a_list_is_a_value() -> None:
    text = "Measured values of the speed of light:\n1926, Michelson: 299,796 km/s\n1935, Pease: 299,774 km/s"
    found = {(one.object, one.temporal_anchor) for one in figures(text)}
    assert found == {("299,796 km/s", "1926"), ("299,774 km/s", "1935")}


def test_the_nearest_text_that_names_a_quantity_decides() -> None:
    known = {"before": "The speed of sound was easy.", "title": "On the speed of rain"}
    (found,) = figures(f"{LIGHT} In 1947 they found 299,792 km/s.", **known)
    assert found.subject == "speed of light"
    (found,) = figures("In 1947 they found 331 m/s.", **known)
    assert found.subject == "speed of sound"


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("The speed of light and the speed of sound were measured.", "In 1947 they found 331 m/s."),
        ("The mass of the bell and its weight: the weight of its clapper.", "In 1947 they found 331 kg."),
        ("The mass of the bell was printed.", "In 1947 they found 331 m/s."),
        ("The mass of the bell was printed.", "In 1947 they found 331 kg of tin."),
        ("The mass of the bell was printed.", "The value of 331 kg was withdrawn: in 1947 they found 312 kg."),
        ("The mass of the bell was printed.", "If Rivera found 331 kg, the frame would break."),
        ("The mass of the bell was printed.", "In 1947 they found 331 to 340 kg."),
        ("The mass of the bell was printed.", "1947: more than 331 kg."),
    ],
)
def test_what_is_unclear_or_other_is_left_out(before: str, line: str) -> None:
    assert [one for one in figures(line, before=before) if one.pattern == "values"] == []


def test_where_a_name_may_go_on_the_value_is_not_shown() -> None:
    (found,) = figures("In 1947 they found 331 m/s.", before="Radar made the old speed of sound doubtful.")
    assert found.pattern == "values.loose"


def test_a_speed_of_rotation_is_no_speed() -> None:
    text = f"{LIGHT} The speed of rotation was chosen with care. In 1947 they found 299,792 km/s."
    assert {one.subject for one in figures(text)} == {"speed of light"}


def test_a_table_and_code_are_not_prose() -> None:
    line = "In 1947 they found 299,792 km/s."
    assert figures(line, before=LIGHT, modality=Modality.TABLE) == []
    assert figures(line, before=LIGHT, modality=Modality.CODE) == []
    assert figures(line, before=LIGHT, cells=("Year", "Value")) == []


def test_what_is_carried_stands_the_checks_of_every_proposal() -> None:
    passage = Passage(seq=1, text="In 1947 they found 299,792 km/s.", before=LIGHT)
    found = tuple(values.find_figures(passage))
    assert check_proposals([passage], found) == found != ()


def test_every_unit_of_the_table_is_one_and_every_noun_has_one() -> None:
    for nouns in values._UNIT_OF.values():
        assert all(values._units_of(noun) for noun in nouns)
    assert values._units_of("speed") == {"m/s"}
    assert values._units_of("concentration") == {"kg/m**3", "mol/m**3"}
