"""Formulas are read once, in their place, as TeX or as signs."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.loaders.html import HtmlLoader


def opened(tmp_path, html, name="page.html", **more):
    path = tmp_path / name
    path.write_bytes(html.encode() if isinstance(html, str) else html)
    return HtmlLoader().open(path, **more)


def only_page(document):
    ((page, sections),) = document.pages(1)
    return page, sections


def body(inner, head=""):
    return f"<html><head><title>T</title>{head}</head><body>{inner}</body></html>"


FORMULAS = {
    "tex in a note": (
        (
            '<math><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E=mc^2</annotation>'
            "</semantics></math>"
        ),
        "$E=mc^2$",
    ),
    "alternative text": (r'<math alttext="{\displaystyle a_{1}}"><mi>a</mi></math>', "$a_{1}$"),
    "signs": (
        (
            "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
            "<mi>c</mi></mfrac></math>"
        ),
        "x^2 = (a + b)/c",
    ),
    "script": ('<script type="math/tex; mode=display">x^2</script>', "$x^2$"),
    "drawn twice": (
        (
            '<span class="katex"><span class="katex-mathml"><math><annotation encoding="TeX">y</annotation>'
            '</math></span><span class="katex-html" aria-hidden="true">yyy</span></span>'
        ),
        "$y$",
    ),
    "hidden beside its picture": (
        (
            '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">'
            r'<math alttext="{\displaystyle z}"></math></span><img class="mwe-math-fallback-image" alt="z!"></span>'
        ),
        "$z$",
    ),
}


@pytest.mark.parametrize(("html", "shown"), FORMULAS.values(), ids=FORMULAS)
def test_formulas_are_read_once_and_inside_their_sentence(tmp_path, html, shown):
    page, _ = only_page(opened(tmp_path, body(f"<p>It says {html} and no more.</p>")))
    assert page.text == f"It says {shown} and no more."
    assert page.hidden_text == ""


def test_a_formula_nested_very_deep_costs_no_more_than_its_length(tmp_path):
    deep = "<math>" + "<mrow><mi>a</mi>" * 200 + "</mrow>" * 200 + "</math>"
    page, _ = only_page(opened(tmp_path, body(f"<p>It says {deep} and no more.</p>")))
    assert "aaaa" in page.text
