"""HTML that any browser opens: well-formed, links and footnotes that resolve, text as it was, nothing fetched."""

from __future__ import annotations

import re

from hypothesis import given, settings
from lxml import etree
from msgspec import structs

from tests.engine.wiki.wiki_cases import CLAIMS, NAMES, SOURCES, claim_lists, concept, quote, source_subject
from trisynapse_memory.registry import Registry
from trisynapse_memory.wiki.compiler import Subject, compile_collection, compile_concept, compile_source
from trisynapse_memory.wiki.references import reference


def render(pages, **more):
    exporter = Registry(guests=False).load("exporter", "html")()
    return exporter.render(pages, SOURCES, lambda one, about: reference(one, SOURCES, about), **more)


def tree(text):
    """Read strictly: what is not closed or not escaped fails. The two void elements are closed for the reader."""
    return etree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", text.removeprefix("<!DOCTYPE html>\n")))


def check(files):
    for text in files.values():
        page = tree(text)
        anchors = {f"#{one}" for one in page.xpath("//@id")}
        for target in page.xpath("//a/@href"):
            assert target in anchors or target in files
        assert not page.xpath("//script | //link | //img | //iframe")


PAGES = (
    compile_concept(concept(CLAIMS, [quote("Light <b>was</b> timed & found.", "r_19")]), NAMES),
    compile_source(source_subject("src_m"), NAMES),
)


def test_pages_are_well_formed_and_link_each_other():
    files = render(PAGES)
    assert sorted(files) == ["index.html", "speed-of-light.html", "the-mountain-and-the-tube.html"]
    check(files)
    page = tree(files["speed-of-light.html"])
    assert page.xpath("//h2/text()") == [
        "What it is", "Measurements and results", "Relations", "Timeline", "Contested", "Superseded", "Notes",
    ]  # fmt: skip
    assert page.xpath("string(//p[2])").startswith("Light <b>was</b> timed & found.")
    assert page.xpath("//s/text()") == ["Speed of light was measured as 299,944 ± 51 km/s."]
    assert [row.xpath("string(td[1])") for row in page.xpath("//tbody/tr")] == [
        "299,910 ± 50 km/s[3]",
        "299,796 ± 4 km/s (contested)[4]",
        "299,774 ± 11 km/s (contested)[5]",
    ]
    assert "/home/" not in "".join(files.values())


def test_a_page_called_index_does_not_hide_the_index():
    files = render([structs.replace(PAGES[0], slug="index")])
    assert sorted(files) == ["index.html", "wiki-index.html"]
    assert list(render(PAGES, flat=True)) == ["speed-of-light.html", "the-mountain-and-the-tube.html"]


def test_a_collection_tells_its_sources():
    subject = Subject(
        slug="light", title="Light", about="Light", contents=(quote("It shone.", "r_20"),), source_ids=("src_m",)
    )
    files = render([compile_collection(subject, NAMES), *PAGES])
    check(files)
    assert '<a href="the-mountain-and-the-tube.html">The mountain and the tube</a>: It shone.' in files["light.html"]


@settings(max_examples=30)
@given(claim_lists)
def test_whatever_the_claims_pages_are_well_formed(found):
    check(render((compile_concept(concept(found), NAMES), compile_source(source_subject("src_m", found), NAMES))))
