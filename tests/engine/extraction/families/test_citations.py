"""Works that a passage cites."""

from __future__ import annotations

from trisynapse_memory.extraction.families.citations import find
from trisynapse_memory.types import Modality, Passage


def cited(text: str, **fields: object) -> list[tuple[str, str]]:
    passage = Passage(seq=1, text=text, title="Notes", **fields)  # type: ignore[arg-type]
    return [(one.object, text[one.start : one.end]) for one in find(passage)]


def test_marks_in_running_text() -> None:
    text = "Hill et al. (2020) disagree with Stone and Wu (2019) and earlier work (Lee, 2018; see Kim & Cho, 2017a)."
    assert cited(text) == [
        ("Hill et al. 2020", "Hill et al. (2020)"),
        ("Stone and Wu 2019", "Stone and Wu (2019)"),
        ("Lee 2018", "Lee, 2018"),
        ("Kim and Cho 2017a", "see Kim & Cho, 2017a"),
    ]


def test_places_months_and_tables_are_no_authors() -> None:
    assert cited("In May (2020) and Table (2019), as of December (December, 2019), born in Ulm (1879), he left.") == []
    assert cited("Aster Robotics (Kyoto, 2003) sold the building.") == []
    assert cited("As shown in [12, 13].") == []


def test_entries_of_a_reference_list() -> None:
    text = (
        "References\n[1] Jim Hill and Geoffrey Stone. Layer norms. arXiv\npreprint, 2016.\n"
        "[2] A. Wu, B. Lee. Foo bar. ICML, 2020.\n"
    )
    assert cited(text, section="References") == [
        ("Hill and Stone 2016", "[1] Jim Hill and Geoffrey Stone. Layer norms. arXiv\npreprint, 2016."),
        ("Wu and Lee 2020", "[2] A. Wu, B. Lee. Foo bar. ICML, 2020."),
    ]


def test_the_rest_of_an_entry_that_began_before_is_left_out() -> None:
    rest = "Yejin Hill. 2019. Stories and their ends. In Proceedings of the Conference."
    assert cited(rest, before="[3] Ann Stone, Bo Wu, and") == []
    assert cited(rest, before="[3] Ann Stone, Bo Wu, and\n12") == []


def test_sources_without_a_title_and_code_cite_nothing() -> None:
    assert list(find(Passage(seq=1, text="Hill et al. (2020) agree."))) == []
    assert cited("Hill et al. (2020) agree.", modality=Modality.CODE) == []
