from __future__ import annotations

import re
from html import unescape

import msgspec
import pytest
from fake_knowledge import make_pages, make_sentence

from trisynapse_desktop.theme import LIGHT
from trisynapse_desktop.widgets.citation import SourceNames
from trisynapse_desktop.widgets.wiki_page import contents_of, page_html
from trisynapse_desktop.widgets.wiki_sections import CHIP_LIMIT, Ink, chips_html, section_html
from trisynapse_memory.types import WikiPage

PAGE = make_pages()["speed-of-light"]
INK = Ink(SourceNames(), LIGHT)


def html_of(page: WikiPage, **titles: str) -> str:
    return page_html(page, {slug.replace("_", "-"): title for slug, title in titles.items()}, SourceNames(), LIGHT)


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def links_in(html: str) -> list[str]:
    return re.findall(r"href='([^']+)'", html)


def test_a_page_says_its_other_names_and_why_it_last_changed():
    words = text_of(html_of(PAGE))
    assert words.startswith("Speed of light Also called velocity of light, c Last changed 2026-10-14: a source has")


def test_a_long_page_has_contents_that_lead_to_its_sections_and_a_short_one_none():
    html = html_of(PAGE)
    places = [link for link in links_in(html) if link.startswith("#")]
    assert places == [f"#section-{number}" for number in range(len(contents_of(PAGE)))]
    assert all(f"name='{place[1:]}'" in html for place in places)
    assert not any(link.startswith("#") for link in links_in(html_of(make_pages()["the-turning-mirror"])))


def test_links_go_only_to_pages_that_there_are():
    assert "page:the-turning-mirror" not in links_in(html_of(PAGE))
    assert "page:the-turning-mirror" in links_in(html_of(PAGE, the_turning_mirror="The turning mirror"))
    back = html_of(make_pages()["the-turning-mirror"], speed_of_light="Speed of light")
    assert "Linked from Speed of light" in text_of(back)


def test_values_are_a_table_without_columns_that_are_empty():
    rows = [
        make_sentence("a", "x", "Measurements and results", cells=("measured as", "1 km/s", "", "1862")),
        make_sentence("b", "y", "Measurements and results", cells=("measured as", "2 km/s", "", "")),
    ]
    words = text_of(section_html("Measurements and results", rows, INK))
    assert words == "Value Date Source 1 km/s 1862 The turning mirror, p. 2 2 km/s The turning mirror, p. 2"
    rows.append(make_sentence("c", "z", "Measurements and results", cells=("found as", "3 km/s", "in air", "")))
    assert text_of(section_html("Measurements and results", rows, INK)).startswith("What Value Conditions Date Source")


def test_a_dispute_is_one_box_with_every_side_her_word_and_a_way_to_its_claim():
    sides = [one for one in PAGE.sentences if one.section == "Contested"]
    html = section_html("Contested", sides, INK)
    assert html.count("<table") == 1
    assert links_in(html)[-1] == "claim:claim-0"
    assert text_of(html).startswith("Sources disagree: speed of light: measured as 299,796 ± 4 km/s (1926) Michelson's")
    word = make_sentence("w", "the tube leaked", "Contested", status="resolved", claim_ids=("claim-0",))
    decided = msgspec.structs.replace(word, cells=("speed of light", "299,796 ± 4 km/s", ""))
    words = text_of(section_html("Contested", [*sides, decided], INK))
    assert words.startswith("Sources disagreed:")
    assert "Your decision: 299,796 ± 4 km/s , because the tube leaked" in words


def test_a_dated_line_has_its_date_first_and_an_old_value_says_why_it_left():
    dated = [one for one in PAGE.sentences if one.section == "Timeline"]
    assert text_of(section_html("Timeline", dated[:1], INK)).startswith("1849 Fizeau timed it first on Earth.")
    old = [one for one in PAGE.sentences if one.section == "Superseded"]
    html = section_html("Superseded", old, INK)
    assert "<s style" in html
    assert text_of(html).endswith("(until 1882; replaced by a newer statement)")


@pytest.mark.parametrize(
    ("text", "proposal", "verbs"),
    [
        ("old", "new", ["accept", "reject", "keep"]),
        ("old", "", ["accept", "reject", "keep"]),
        ("", "new", ["accept", "reject"]),
        ("", "", ["accept"]),
    ],
)
def test_a_stale_sentence_offers_what_can_be_done_with_it(text, proposal, verbs):
    sentence = make_sentence("k", text, "", stale=True, reason="Its evidence was forgotten.", proposal=proposal)
    html = section_html("", [sentence], INK)
    assert [link.partition(":")[0] for link in links_in(html) if link.endswith(":k")] == verbs
    assert "Its evidence was forgotten." in text_of(html)


def test_a_sentence_of_forgotten_evidence_shows_no_words_but_its_reason():
    sentence = make_sentence("k", "", "", stale=True, reason="You forgot its source.")
    words = text_of(section_html("", [sentence], INK))
    assert words == "You forgot its source. Take the remark away"


def test_words_of_sources_never_become_markup():
    sentence = make_sentence("k", "<img src=x> & <b>", "", cells=())
    html = section_html("", [sentence], INK)
    assert "<img" not in html
    assert "&lt;img src=x&gt; &amp; &lt;b&gt;" in html


def test_chips_name_each_place_once_and_count_the_rest():
    one = make_sentence("k", "x", "")
    many = [
        msgspec.structs.replace(one.supports[0], locator=None, title=f"Paper {n}", source_id=f"p{n}") for n in range(5)
    ]
    sentence = msgspec.structs.replace(one, supports=(many[0], many[0], *many[1:]))
    html = chips_html(sentence, INK)
    assert links_in(html) == ["cite:k:0", "cite:k:2", "cite:k:3"]
    assert text_of(html).endswith(f"+{5 - CHIP_LIMIT}")
