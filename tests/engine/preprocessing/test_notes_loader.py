"""Notes as their reader sees them: links are words, tags and properties searchable, journals dated, ids left out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_memory.preprocessing.loaders.notes import NotesLoader
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.registry import Registry

NOTION_ID = "0123456789abcdef0123456789abcdef"

OBSIDIAN = """---
aliases: [RSG, "Random synapses"]
tags:
  - memory
  - graph/theory
status: reading
publish: true
date: 2024-03-01
---
# Random Synapse Graphs

See [[Papers/Hebb 1949|Hebb]] and [[Forgetting#Decay]], also [[#Results]]. #to-read ^intro

![[fig 1.png|300]]
![[plot.svg|a rising curve]]
![[Forgetting]]

> [!warning]- Not published
> The ==numbers are== preliminary.

## Results

%% her comment %%
A [note](Other%20note.md#part) and [a page](https://a.example/x.md), `[[code]]`, a == b, C#, a#b, #42, #nested/tag.

```python
x = "[[not a link]]"  # no tag
```

| A | B |
|---|---|
| [[Hebb 1949\\|Hebb]] | 2 |
"""

LOGSEQ = """title:: Reading list
tags:: [[memory]], evidence
id:: 64f0c0de-0000-4000-8000-000000000001

- # Papers
- [[Hebb 1949]] is the first.
  collapsed:: true
  rating:: 5
\t- A child with ((64f0c0de-0000-4000-8000-000000000002)) and #[[long tag]].
\t  {{embed [[Forgetting]]}}
- {{query (todo now)}}
- TODO read {{video https://v.example/1}}
"""

NOTION = """# Reading list

Created: January 5, 2024 10:30 AM
Tags: memory, evidence
Status: In progress

First words, and a [Sub page](Reading%20list%200123/Sub%20page%20fedcba9876543210fedcba9876543210.md).
"""


@pytest.fixture
def opened(tmp_path):
    documents = []

    def run(text, name="A note.md"):
        path = tmp_path / "blob"
        path.write_text(text)
        documents.append(NotesLoader().open(path, filename=name))
        return documents[-1]

    yield run
    for document in documents:
        document.close()


@pytest.fixture
def read(opened):
    def run(text, name="A note.md"):
        document = opened(text, name)
        ((page, sections),) = document.pages(1)
        return document.heading, page, {page.text[one.start : one.end]: one for one in sections}

    return run


def section(sections, words):
    (found,) = (one for text, one in sections.items() if words in text)
    return found


def test_a_link_reads_as_its_words_and_its_target_is_a_field(read):
    _, page, sections = read(OBSIDIAN)
    assert "See Hebb and Forgetting > Decay, also Results. #to-read\n" in page.text
    first = section(sections, "See Hebb")
    assert first.fields["links"] == "Papers/Hebb 1949, Forgetting, fig 1.png, plot.svg"
    assert first.fields["tags"] == "memory, graph/theory, to-read"
    assert first.fields["aliases"] == "RSG, Random synapses"


def test_paragraphs_under_one_heading_say_the_same_so_that_they_are_packed_together(read):
    _, _, sections = read("# Top\n\nOne [[A]].\n\nTwo [[B]] #x.\n\n## Next\n\nThree [[C]].\n")
    assert [one.fields for one in sections.values()] == [{"links": "A, B", "tags": "x"}] * 3 + [{"links": "C"}] * 2


def test_every_section_lies_where_its_words_stand_in_the_stored_text(read):
    _, page, sections = read(OBSIDIAN)
    cursor = 0
    for text, one in sections.items():
        assert (page.text[one.start : one.end], one.start >= cursor) == (text, True)
        cursor = one.end
    assert section(sections, "preliminary").path == ("Random Synapse Graphs",)
    assert section(sections, "A note and").path == ("Random Synapse Graphs", "Results")


def test_embeds_callouts_and_highlights_read_as_words(read):
    _, page, _ = read(OBSIDIAN)
    assert "[image: fig 1.png]\n[image: plot.svg, a rising curve]\nForgetting\n" in page.text
    assert "> Warning: Not published\n> The numbers are preliminary." in page.text


def test_ids_and_comments_are_no_text_and_comments_are_kept_apart(read):
    _, page, _ = read(OBSIDIAN)
    assert "^intro" not in page.text
    assert "her comment" not in page.text
    assert (page.hidden_text, page.flags) == ("her comment", ("hidden-text",))


def test_code_tables_web_links_and_signs_that_are_no_tags_stay(read):
    _, page, sections = read(OBSIDIAN)
    assert "A note and [a page](https://a.example/x.md), `[[code]]`, a == b, C#, a#b, #42, #nested/tag." in page.text
    assert 'x = "[[not a link]]"  # no tag' in page.text
    assert "| Hebb | 2 |" in page.text
    assert section(sections, "A note and").fields["tags"] == "memory, graph/theory, nested/tag"
    assert section(sections, "A note and").fields["links"] == "Other note, Hebb 1949"
    assert section(sections, "| Hebb |").fields["headers"] == "A | B"


def test_title_tags_day_and_properties_come_from_front_matter(read):
    heading, _, sections = read(OBSIDIAN, "Random Synapse Graphs.md")
    assert (heading.title, heading.published) == ("Random Synapse Graphs", "2024-03-01")
    assert heading.tags == ("memory", "graph/theory", "to-read", "nested/tag")
    first = next(iter(sections.values()))
    assert first.fields["status"] == "reading"
    assert "publish" not in first.fields
    assert first.observed_at == datetime(2024, 3, 1, tzinfo=UTC)


def test_an_outline_of_logseq_is_a_section_a_bullet_under_its_heading_bullets(read):
    heading, page, sections = read(LOGSEQ, "Reading___List.md")
    assert (heading.title, heading.tags) == ("Reading list", ("memory", "evidence", "long tag"))
    assert page.text == (
        "title: Reading list\ntags: memory, evidence\n\n- # Papers\n- Hebb 1949 is the first.\n  rating: 5\n"
        "\t- A child with  and #long tag.\n\t  Forgetting\n- \n- TODO read https://v.example/1\n"
    )
    child = section(sections, "A child")
    assert (child.path, child.fields["links"], child.fields["tags"]) == (
        ("Papers",),
        "Hebb 1949, Forgetting",
        "memory, evidence, long tag",
    )


@pytest.mark.parametrize("name", ["2024_01_05.md", "2024-01-05.md"])
def test_a_journal_page_is_dated_by_its_name(read, name):
    heading, _, sections = read("- Met Hebb today.\n- Read on.\n", name)
    assert (heading.title, heading.published) == ("2024-01-05", "2024-01-05")
    assert {one.observed_at for one in sections.values()} == {datetime(2024, 1, 5, tzinfo=UTC)}
    assert len(sections) == 2


def test_a_page_of_notion_loses_its_id_and_keeps_its_properties(read):
    heading, page, sections = read(NOTION, f"Reading list {NOTION_ID}.md")
    assert (heading.title, heading.tags) == ("Reading list", ("memory", "evidence"))
    assert "First words, and a Sub page." in page.text
    words = section(sections, "First words")
    assert (words.fields["links"], words.observed_at) == ("Sub page", datetime(2024, 1, 5, 10, 30, tzinfo=UTC))
    assert next(iter(sections.values())).fields["status"] == "In progress"


@pytest.mark.parametrize(
    ("name", "text", "loader"),
    [
        ("a.md", "# A\n\nSee [[B]].\n", "notes"),
        ("a.md", "# A\n\n> [!note] B\n> c\n", "notes"),
        ("a.md", "status:: open\n\nwords\n", "notes"),
        ("2024_01_05.md", "- words\n", "notes"),
        (f"Page {NOTION_ID}.md", "# Page\n\nwords\n", "notes"),
        ("a.md", "# A\n\nWords only.\n", "text"),
        ("a.md", "# A\n\n```sh\nif [[ -f x ]]; then\n```\n", "text"),
        ("a.md", "# A\n\nuse std::vector<int> here\n", "text"),
    ],
)
def test_markdown_with_the_marks_of_a_note_is_a_note(name, text, loader):
    assert choose_loader(text.encode(), name, Registry(guests=False)) == loader


@pytest.mark.parametrize(
    "text",
    [
        "[[" * 5000,
        "==" * 5000 + "[[a",
        "`" * 3000 + "[[a]]" + "`" * 2999,
        "%% never closed\n[[a]]\nwords\n",
        "![[]] [[|]] [[#]] #\n",
        "> [!] x\n^\n:: \n{{}} (( ))\n",
        "- " * 4000 + "\n",
        "---\ntags: [a\n---\n[[b]]\n",
    ],
)
def test_marks_that_are_broken_cost_nothing_but_themselves(opened, text):
    document = opened(text)
    assert [page.number for page, _ in document.pages(1)] == list(range(1, document.heading.page_count + 1))


def test_a_comment_over_several_lines_is_hidden(read):
    _, page, _ = read("One. %% two\n\nthree\n%% four [[x]]\n")
    assert page.text == "One. \n four x\n"
    assert page.hidden_text == " two\nthree"


def test_long_notes_keep_their_headings_over_the_pages(opened):
    text = "# Top\n\n" + "".join(f"Paragraph {number} about [[Memory]].\n\n" for number in range(3000))
    document = opened(text)
    pages = list(document.pages(1))
    assert len(pages) > 1
    assert all(one.path == ("Top",) for _, sections in pages for one in sections)
    assert [page for page, _ in document.pages(2)] == [page for page, _ in pages[1:]]
