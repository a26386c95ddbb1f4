from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_desktop.widgets.text_flow import Block, BlockStyle, TextKind, flow

NOTE = """---
title: A note
---
# The speed of light

A **bold** claim, an *aside* and `code`; see [the paper](https://example.org/a) or [[06-table]].
It goes on.

1. **[Who was first?](trisynapse://ask?q=x)**
   An answer in the words of the source.
- a point

> quoted

| Source | Shows |
|---|---|
| [[01-mirror]] | Foucault |

```
x = 1
```
"""


def runs_of(block: Block):
    return [run for cell in block.cells for run in cell] or list(block.runs)


def words(block: Block) -> str:
    return "".join(run.text for run in runs_of(block))


def test_a_note_is_read_into_its_blocks_without_its_signs():
    blocks = list(flow(NOTE, TextKind.MARKDOWN))
    assert [(block.style, words(block)) for block in blocks] == [
        (BlockStyle.META, "title: A note"),
        (BlockStyle.HEADING, "The speed of light"),
        (BlockStyle.BODY, "A bold claim, an aside and code; see the paper or 06-table. It goes on."),
        (BlockStyle.ENTRY, "Who was first?"),
        (BlockStyle.ENTRY, "An answer in the words of the source."),
        (BlockStyle.ENTRY, "a point"),
        (BlockStyle.QUOTE, "quoted"),
        (BlockStyle.TABLE, "SourceShows"),
        (BlockStyle.TABLE, "01-mirrorFoucault"),
        (BlockStyle.CODE, "x = 1"),
    ]
    assert [block.sign for block in blocks if block.style is BlockStyle.ENTRY] == ["1.", "", "•"]


def test_links_bold_and_code_are_kept_as_looks():
    looks = {run.text: run for block in flow(NOTE, TextKind.MARKDOWN) for run in runs_of(block)}
    assert looks["the paper"].href == "https://example.org/a"
    assert looks["06-table"].href == "wiki:06-table"
    assert (looks["Who was first?"].bold, looks["Who was first?"].href) == (True, "trisynapse://ask?q=x")
    assert looks["bold"].bold
    assert looks["aside"].italic
    assert looks["code"].code


def test_underscores_and_stars_inside_words_and_sums_stay():
    (block,) = flow("snake_case_name and 2 * 3 * 4", TextKind.MARKDOWN)
    assert words(block) == "snake_case_name and 2 * 3 * 4"


@pytest.mark.parametrize("kind", list(TextKind))
@given(text=st.text(alphabet="ab *_`#->|[]()\n1.:", max_size=120))
def test_every_run_remembers_where_it_stood(kind, text):
    for block in flow(text, kind, start=7):
        for run in runs_of(block):
            found = text[run.start - 7 : run.start - 7 + len(run.text)]
            assert run.text in (found, " ")
            assert found != "" or run.text == ""


def test_a_web_page_has_headings_entries_and_tables():
    text = "The metre\n\nIt was long.\n\nA bar at Sèvres\n\none\ntwo\n\nYear | Value\n1889 | bar"
    blocks = list(flow(text, TextKind.ARTICLE))
    assert [(block.style, words(block)) for block in blocks] == [
        (BlockStyle.HEADING, "The metre"),
        (BlockStyle.BODY, "It was long."),
        (BlockStyle.HEADING, "A bar at Sèvres"),
        (BlockStyle.ENTRY, "one"),
        (BlockStyle.ENTRY, "two"),
        (BlockStyle.TABLE, "YearValue"),
        (BlockStyle.TABLE, "1889bar"),
    ]
