"""What a sentence only asks, plans, supposes or denies supports nothing; what it states still does."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.unasserted import blank_unasserted, is_framed
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import CitationVerdict

SHOWN = {CitationVerdict.VERBATIM, CitationVerdict.NORMALISED, CitationVerdict.PARAPHRASE}


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The kiln is hot.", "Ilse asked whether the kiln is hot."),
        ("The kiln is hot.", "It is unknown\nif the kiln is hot."),
        ("The ship sank in 1910.", "Whether the ship sank in 1910 is disputed."),
        ("The ship sank.", "Rumours that the ship sank were denied."),
        ("The drug lowers pressure.", "It is a myth that the drug lowers pressure."),
        ("The drug lowers pressure.", "There is no clear evidence that the drug lowers pressure."),
        ("The trial is randomised.", "No study shows that the trial is randomised."),
        ("The mill was sold.", "Neither record proves that the mill was sold."),
        ("The drug lowers blood pressure.", "We failed to show that the drug lowers blood pressure."),
        ("The kiln was repaired.", "The kiln was to be repaired by the smith."),
        ("The bridge was opened in 1926.", "The bridge was due to be opened in 1926."),
        ("The ship was found.", "The ship is yet to be found."),
        ("The kiln was repaired.", "The kiln had to be repaired."),
        ("The mill burned down.", "The mill would have burned down without the rain."),
    ],
)
def test_a_claim_does_not_rest_on_what_is_not_stated(claim: str, source: str):
    assert judge(claim, source) is CitationVerdict.NOT_FOUND


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Ilse asked whether the kiln is hot.", "Ilse asked whether the kiln is hot. It was."),
        ("It is a myth that the drug lowers pressure.", "It is a myth that the drug lowers pressure."),
        ("The clay cracked.", "Ilse asked whether the kiln was hot, but the clay cracked."),
        ("the clay cracked", "The kiln was to be repaired; the clay cracked."),
        ("The clay cracked in 1910.", "The kiln was to be repaired. The clay cracked in 1910."),
        ("The drug was found to be safe.", "The drug was found to be safe."),
        ("the drug is safe", "No doubt that is right: the drug is safe."),
    ],
)
def test_what_is_stated_beside_it_and_the_whole_frame_still_stand(claim: str, source: str):
    assert judge(claim, source) in SHOWN


def test_only_the_unstated_stretch_is_blanked_and_nothing_moves():
    unstated = "whether it is hot"
    assert (
        blank_unasserted(f"He (who asked {unstated}) left. It is.")
        == f"He (who asked {' ' * len(unstated)}) left. It is."
    )
    assert blank_unasserted("It is hot.") == "It is hot."


def test_a_frame_is_known_by_its_opening():
    assert is_framed("It may rain, and the kiln was to be repaired.")
    assert not is_framed("The kiln was repaired, found to be hot, and no doubt sold.")
