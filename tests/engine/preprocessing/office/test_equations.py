"""An equation as Office or MathML keeps it in, one line as a person would type it out."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.office.office_files import M
from trisynapse_memory.preprocessing.office.equations import equation_text
from trisynapse_memory.preprocessing.office.xml import read_xml


def r(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(inner):
    return f"<m:e>{inner}</m:e>"


def fraction(top, bottom):
    return f"<m:f><m:num>{top}</m:num><m:den>{bottom}</m:den></m:f>"


def nary(sign, low, high, inner):
    properties = f'<m:naryPr><m:chr m:val="{sign}"/></m:naryPr>'
    return f"<m:nary>{properties}<m:sub>{low}</m:sub><m:sup>{high}</m:sup>{e(inner)}</m:nary>"


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        (r("a=b"), "a=b"),
        (fraction(r("a"), r("b")), "a/b"),
        (fraction(r("a+b"), r("2c")), "(a+b)/(2c)"),
        (f"<m:sSup>{e(r('x'))}<m:sup>{r('2')}</m:sup></m:sSup>", "x^2"),
        (f"<m:sSub>{e(r('x'))}<m:sub>{r('i,j')}</m:sub></m:sSub>", "x_(i,j)"),
        (f"<m:sSubSup>{e(r('x'))}<m:sub>{r('i')}</m:sub><m:sup>{r('2')}</m:sup></m:sSubSup>", "x_i^2"),
        (f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>{e(r("x+1"))}</m:rad>', "√(x+1)"),
        (f"<m:rad><m:deg>{r('3')}</m:deg>{e(r('x'))}</m:rad>", "3√(x)"),
        (nary("∑", r("i=1"), r("n"), r("i")), "∑_(i=1)^n i"),
        (f"<m:d>{e(r('a'))}{e(r('b'))}</m:d>", "(a|b)"),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>{e(r("a"))}</m:d>', "[a"),
        (f"<m:func><m:fName>{r('log')}</m:fName>{e('<m:d>' + e(r('x')) + '</m:d>')}</m:func>", "log(x)"),
        (f"<m:func><m:fName>{r('sin')}</m:fName>{e(r('x'))}</m:func>", "sin x"),
        (f"<m:limLow>{e(r('lim'))}<m:lim>{r('x→0')}</m:lim></m:limLow>{r('f')}", "lim_(x→0) f"),
        (f"<m:m><m:mr>{e(r('a'))}{e(r('b'))}</m:mr><m:mr>{e(r('c'))}{e(r('d'))}</m:mr></m:m>", "[a, b; c, d]"),
        (f'<m:acc><m:accPr><m:chr m:val="\u0302"/></m:accPr>{e(r("e"))}</m:acc>', "ê"),
        (r("\U0001d465"), "x"),
        ("", ""),
    ],
)
def test_equations_of_office(markup, line):
    root, _ = read_xml(f"<m:oMath {M}>{markup}</m:oMath>".encode())
    assert equation_text(root) == line


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        ("<mfrac><mi>a</mi><mrow><mn>2</mn><mi>b</mi></mrow></mfrac>", "a/(2b)"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn>", "x^2+1"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x+1)"),
        ("<mtext>if</mtext><mi>x</mi>", "if x"),
        ("<semantics><mi>x</mi><annotation>\\x</annotation></semantics>", "x"),
    ],
)
def test_equations_of_mathml(markup, line):
    root, _ = read_xml(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{markup}</math>'.encode())
    assert equation_text(root) == line


def test_an_equation_nested_beyond_reason_keeps_its_letters():
    markup = r("x")
    for _ in range(110):
        markup = f"<m:box>{e(markup)}</m:box>"
    root, _ = read_xml(f"<m:oMath {M}>{markup}</m:oMath>".encode())
    assert equation_text(root) == "x"
