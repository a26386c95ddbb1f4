"""Entries of reference lists in five styles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.text.references import read_reference


@pytest.mark.parametrize(
    ("entry", "short"),
    [
        (
            "Hill, J. A., Stone, P., & Wu, T. (2017). Tidal mixing. Journal of Coasts, 14(2), 101–119.",
            "Hill et al. 2017",
        ),
        ("Hill, R., & Wu, M. (2017a). A survey. Reviews, 3, 1–44.", "Hill and Wu 2017a"),
        ("Hill, L. (2012). Bread and Empire. Oxford: Clarendon Press.", "Hill 2012"),
        ("[1] Hill L, Stone K, Lind M, et al. Early walks after stroke. Lancet. 2012;371:1612–20.", "Hill et al. 2012"),
        ("[12] A. Hill, B. Stone, and C. Wu, “Deep things,” in Proc. ICML, 2020, pp. 1631–1642.", "Hill et al. 2020"),
        ("Ann Hill, Noam Stone, and Niki Wu. 2017. Attention is needed. In NeurIPS.", "Hill et al. 2017"),
        ("[7] Jim Lei Ba and Geoffrey E Hill. Layer norms. arXiv preprint arXiv:1607.06450, 2016.", "Ba and Hill 2016"),
        ("Hill, John, and Jane Stone. The Long River. London: Faber, 1999.", "Hill and Stone 1999"),
        ("3. van der Berg H, O'Neil P. Salt. BMJ 2003; 327: 44-48.", "van der Berg and O'Neil 2003"),
        ("Hill, D. P. and Ba, J. Adam: A method. In ICLR, 2015.", "Hill and Ba 2015"),
        ("World Health Organization. (2019). Report on salt. WHO Press.", "World Health Organization 2019"),
        ("[21] D. E. Hill, The Art of Programs, vol. 1, 3rd ed. Reading, MA: Press, 1997.", "Hill 1997"),
    ],
)
def test_an_entry_has_a_short_form(entry: str, short: str) -> None:
    found = read_reference(entry)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    "text",
    [
        "The results are good. We saw 2019 things. In Paris.",
        "In 2017, Hill and Stone. (2019) went home.",
        "Dario Hill, and Paul Stone. Learning to sum. Advances in Neural Systems, 33:3008–3021, 2020.",
        "Kamar, Peter Hill, Yin Stone, and Yi Wu. 2023. Sparks of something. arXiv.",
        "",
    ],
)
def test_prose_and_the_second_half_of_an_entry_are_none(text: str) -> None:
    assert read_reference(text) is None


@given(st.text(max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    read_reference(text)
