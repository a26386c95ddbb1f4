"""Cases and statutes that a source cites."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.laws import find
from trisynapse_memory.types import Passage


def cited(text: str) -> list[str]:
    return [one.object for one in find(Passage(seq=1, text=text, title="Opinion"))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See Holm v. Orrin Board, 410 U.S. 113 (1973).", ["Holm v. Orrin Board, 410 U.S. 113 (1973)"]),
        (
            "FN3. Voss Marine, Inc., v.\nCity of Marlow, 1\nA.3d 305 (Del. 2010).",
            ["Voss Marine, Inc., v. City of Marlow, 1 A.3d 305 (Del. 2010)"],
        ),
        ("the Board. In re Ross, 66 B.R. 12 (Bankr. D. Me. 1986)", ["In re Ross, 66 B.R. 12 (Bankr. D. Me. 1986)"]),
        ("In Holm, the court cites 436 U.S. 658 (1978).", ["436 U.S. 658 (1978)"]),
        (
            "(Ashby v. Quill, 18 A.2d 3 (Me. 1941); Frost v. Barr, 20 A.2d 9 (Me. 1942))",
            ["Ashby v. Quill, 18 A.2d 3 (Me. 1941)", "Frost v. Barr, 20 A.2d 9 (Me. 1942)"],
        ),
        (
            "Stock v. Insurance Com\u00ad\npanies, 87 U.S. 323 (1873)",
            ["Stock v. Insurance Companies, 87 U.S. 323 (1873)"],
        ),
        ("under 42 U.S.C. § 1983 and 29 Del. C. § 5805(a)(2).", ["42 U.S.C. § 1983", "29 Del. C. § 5805(a)(2)"]),
        ("Section 7 of the Harbours Act 1964 says so.", ["Section 7 of the Harbours Act 1964"]),
        ("by Pub. L. No. 104-191.", ["Pub. L. No. 104-191"]),
    ],
)
def test_forms_of_citations(text: str, found: list[str]) -> None:
    assert cited(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Orrin v. Marlow ended in a draw.",
        "(Cite as: 2012 WL 3860732 (Del.Super.))",
        "Section 3 of the Act",
        "In 1983 the code was 29 pages long.",
        "It weighs 410 lb and is 113 cm long (1973).",
    ],
)
def test_what_cites_nothing(text: str) -> None:
    assert cited(text) == []


def test_the_span_holds_the_citation_alone() -> None:
    text = "We follow Moss v. Vogel, 300 F. Supp. 2d 118 (S.D.N.Y. 2004), here."
    (found,) = find(Passage(seq=1, text=text, title="Opinion"))
    assert text[found.start : found.end] == found.object == "Moss v. Vogel, 300 F. Supp. 2d 118 (S.D.N.Y. 2004)"
