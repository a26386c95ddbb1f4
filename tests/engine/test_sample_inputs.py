"""The committed inputs of the sample vault in, proof that they say what the start page promises. Builds no vault."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qs, unquote, urlsplit

import pymupdf
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
EXPECTED = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
QUESTIONS = {question["id"]: question for question in EXPECTED["questions"]}
PAPERS = [
    "01-the-turning-mirror.pdf",
    "02-the-toothed-wheel.pdf",
    "03-michelson-and-newcomb.pdf",
    "04-the-mountain-and-the-tube.pdf",
    "05-from-the-cavity-to-the-laser.pdf",
    "06-table-of-values.pdf",
]
WHITE = 0xFFFFFF
MAX_BYTES = 60_000


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The script that makes the PDFs, loaded from its file: packaging/ is no package."""
    spec = importlib.util.spec_from_file_location("make_sample", ROOT / "packaging" / "scripts" / "make_sample.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks its own module up by name while the module is still loading.
    sys.modules["make_sample"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["make_sample"]


def squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def page_text(file: str, page: int) -> str:
    with pymupdf.open(SAMPLE / file) as document:
        return squeeze(document[page - 1].get_text())


def whole_text(file: str) -> str:
    with pymupdf.open(SAMPLE / file) as document:
        return squeeze(" ".join(page.get_text() for page in document))


def visible_text(file: str) -> str:
    words = []
    with pymupdf.open(SAMPLE / file) as document:
        for page in document:
            for block in page.get_text("dict")["blocks"]:
                for line in block.get("lines", []):
                    words += [span["text"] for span in line["spans"] if span["color"] != WHITE]
    return squeeze(" ".join(words))


def evidence() -> list[tuple[str, dict[str, object]]]:
    return [(question["id"], place) for question in EXPECTED["questions"] for place in question["evidence"]]


# --- the papers ---------------------------------------------------------------------------------------------------


def test_the_sample_has_exactly_the_six_papers_of_the_start_page():
    assert sorted(path.name for path in SAMPLE.glob("*.pdf")) == PAPERS
    assert sorted(path.stem for path in (SAMPLE / "text").glob("*.txt")) == [Path(name).stem for name in PAPERS]


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_is_small_short_and_says_what_it_is(name: str):
    assert (SAMPLE / name).stat().st_size < MAX_BYTES
    header = tomllib.loads((SAMPLE / "text" / name).with_suffix(".txt").read_text("utf-8").split("+++\n")[1])
    with pymupdf.open(SAMPLE / name) as document:
        assert 1 <= len(document) <= 3
        assert document.metadata["title"] == header["title"]
        assert document.metadata["author"] == "Trisynapse"
        assert document.metadata["creationDate"] == document.metadata["modDate"] == "D:20251020120000Z"


@pytest.mark.parametrize("name", PAPERS)
def test_every_font_of_a_paper_is_embedded(name: str):
    with pymupdf.open(SAMPLE / name) as document:
        fonts = {font[0] for page in document for font in page.get_fonts()}
        assert fonts
        assert all(document.extract_font(xref)[3] for xref in fonts)


def test_making_the_papers_again_gives_the_committed_bytes(maker: ModuleType):
    made = maker.outputs()
    assert {path.relative_to(SAMPLE).as_posix() for path in made} == {*PAPERS, EXPECTED["version_2"]["file"]}
    with pymupdf.open(SAMPLE / PAPERS[0]) as document:
        same_release = document.metadata["producer"] == f"PyMuPDF {pymupdf.VersionBind}"
    for path, content in made.items():
        if same_release:
            assert content == path.read_bytes(), f"{path.name} is stale; run packaging/scripts/make_sample.py"
        else:  # another release may write other bytes, but never another text
            with pymupdf.open(stream=content) as fresh, pymupdf.open(path) as committed:
                assert [page.get_text() for page in fresh] == [page.get_text() for page in committed]


def test_making_a_paper_twice_gives_the_same_bytes(maker: ModuleType):
    text = SAMPLE / "text" / "04-the-mountain-and-the-tube.txt"
    assert maker.render(text) == maker.render(text)


def test_a_text_without_a_header_is_refused_by_name(maker: ModuleType, tmp_path: Path):
    bare = tmp_path / "bare.txt"
    bare.write_text("# Only a heading\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bare\.txt"):
        maker.render(bare)


def test_an_unknown_block_is_refused_by_name(maker: ModuleType, tmp_path: Path):
    odd = tmp_path / "odd.txt"
    odd.write_text('+++\ntitle = "T"\nsubtitle = "S"\nkeywords = "k"\n+++\n!fgure\n', encoding="utf-8")
    with pytest.raises(ValueError, match="fgure"):
        maker.render(odd)


# --- what each paper is there for ---------------------------------------------------------------------------------


def test_the_toothed_wheel_is_set_in_two_columns():
    with pymupdf.open(SAMPLE / "02-the-toothed-wheel.pdf") as document:
        middle = document[0].rect.width / 2
        lines = [line["bbox"] for block in document[0].get_text("dict")["blocks"] for line in block["lines"]]
    left = [box for box in lines if box[2] < middle]
    right = [box for box in lines if box[0] > middle]
    assert len(left) > 25
    assert len(right) > 25
    assert any(abs(one[1] - other[1]) < 2 for one in left for other in right)


@pytest.mark.parametrize(
    "name", ["05-from-the-cavity-to-the-laser.pdf", "version-2/05-from-the-cavity-to-the-laser.pdf"]
)
def test_the_laser_paper_lies_on_its_side_and_reads_upright(name: str):
    with pymupdf.open(SAMPLE / name) as document:
        for page in document:
            assert page.rotation == 90
            assert page.mediabox.width > page.mediabox.height
            assert page.rect.width < page.rect.height
        shown = document[0].search_for("From the cavity to the laser")[0] * document[0].rotation_matrix
    assert shown.y1 < 120
    assert shown.width > shown.height


def test_the_mountain_paper_counts_its_front_matter_in_roman_numerals():
    with pymupdf.open(SAMPLE / "04-the-mountain-and-the-tube.pdf") as document:
        assert [page.get_label() for page in document] == ["i", "1", "2"]
        assert [squeeze(page.get_text()).rsplit(" ", 1)[-1] for page in document] == ["i", "1", "2"]


def test_the_table_of_values_is_ruled_and_complete():
    with pymupdf.open(SAMPLE / "06-table-of-values.pdf") as document:
        (table,) = document[0].find_tables(strategy="lines_strict").tables
        rows = table.extract()
    assert rows[0] == ["Year", "Observer", "Method", "Value (km/s)", "Stated error"]
    assert len(rows) == 18
    assert ["1926", "Michelson", "rotating mirror", "299,796", "4"] in rows
    assert ["1935", "Michelson, Pease, Pearson", "rotating mirror, tube", "299,774", "11"] in rows


def test_the_figure_is_drawn_with_a_caption_below_it():
    with pymupdf.open(SAMPLE / "01-the-turning-mirror.pdf") as document:
        page = document[1]
        (caption,) = page.search_for("Figure 1. ")
        above = [drawing for drawing in page.get_drawings() if drawing["rect"].y1 < caption.y0]
        assert len(above) >= 10
        assert not page.get_images()


def test_the_hidden_line_is_in_the_text_layer_but_white():
    hidden = EXPECTED["hidden_line"]
    assert hidden["phrase"] in page_text(hidden["file"], hidden["page"])
    assert hidden["phrase"] not in visible_text(hidden["file"])
    assert "310,000" not in "".join(visible_text(name) for name in PAPERS)


def test_only_the_hidden_line_is_white():
    for name in PAPERS:
        hidden = name == EXPECTED["hidden_line"]["file"]
        assert (squeeze(whole_text(name)) == visible_text(name)) is not hidden, name


def test_version_two_changes_one_sentence_and_nothing_else():
    version = EXPECTED["version_2"]
    first, second = whole_text(version["replaces"]), whole_text(version["file"])
    assert first.count(version["old"]) == 1
    assert version["old"] not in second
    assert first.replace(version["old"], version["new"]) == second


# --- the five questions -------------------------------------------------------------------------------------------


def test_there_are_the_five_questions_with_their_five_outcomes():
    assert [question["expect"] for question in EXPECTED["questions"]] == [
        "answer", "contested", "corrected", "exact", "abstain"]  # fmt: skip


@pytest.mark.parametrize(("question_id", "place"), evidence())
def test_the_promised_words_stand_on_the_promised_page(question_id: str, place: dict[str, object]):
    assert place["phrase"] in page_text(place["file"], place["page"])
    with pymupdf.open(SAMPLE / place["file"]) as document:
        page = document[place["page"] - 1]
        assert (page.get_label() or str(place["page"])) == place["page_label"]
        assert page.search_for(place["phrase"]), "the reader could not highlight it"


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_what_an_answer_must_contain_is_in_its_evidence(question: dict[str, object]):
    said = " ".join(place["phrase"] for place in question["evidence"])
    assert all(part in said for part in question["answer_contains"])


def test_the_struck_value_and_its_reason_are_in_the_source():
    struck = QUESTIONS["michelson-1879"]["struck"]
    text = page_text(struck["file"], struck["page"])
    assert struck["phrase"] in text
    assert struck["value"] in struck["phrase"]
    assert struck["reason"] in text


def test_the_correction_gives_the_right_value_and_stands_alone():
    struck = QUESTIONS["michelson-1879"]["struck"]
    assert all(part in struck["correction"] for part in QUESTIONS["michelson-1879"]["answer_contains"])
    assert struck["value"] not in struck["correction"]
    assert "Michelson" in struck["correction"]


def test_no_visible_source_says_what_the_apparatus_cost():
    sources = [visible_text(name) for name in PAPERS]
    sources.append((SAMPLE / "history-of-the-metre.html").read_text(encoding="utf-8"))
    assert not re.search(
        r"\b(costs?|prices?|francs?|paid|expens\w+|dollars?|budget)\b", " ".join(sources), re.IGNORECASE
    )
    nearest = QUESTIONS["foucault-cost"]["nearest"]
    assert nearest["phrase"] in page_text(nearest["file"], nearest["page"])


def test_the_serial_number_occurs_in_one_paper_only_and_is_called_invented():
    number = QUESTIONS["serial-number"]["question"]
    assert [name for name in PAPERS if number in whole_text(name)] == ["06-table-of-values.pdf"]
    assert "This register is invented for the sample vault" in page_text("06-table-of-values.pdf", 2)


def test_every_value_of_the_table_is_told_the_same_way_in_the_papers():
    with pymupdf.open(SAMPLE / "06-table-of-values.pdf") as document:
        rows = document[0].find_tables(strategy="lines_strict").tables[0].extract()[1:]
    told = " ".join(visible_text(name) for name in PAPERS[:5])
    for year, observer, _, value, error in rows:
        surname = re.split(r"[ ,]", observer)[0] if observer[0].isalpha() else "17th"
        assert surname in told, observer
        assert year in told, observer
        if f"{value} ± " in told:  # where a paper gives an error with the value, the table's is among them
            assert f"{value} ± {error}" in told, observer
        else:
            assert f"{value} km/s" in told, observer


# --- the page, the bookmarks, the note ----------------------------------------------------------------------------


class Anchors(HTMLParser):
    """Collects attributes of links and the depth of bookmark folders."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[dict[str, str | None]] = []
        self.meta: dict[str, str | None] = {}
        self.tags: list[str] = []
        self.depth = self.deepest = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        if tag == "a":
            self.links.append(values)
        elif tag == "meta":
            self.meta[values.get("name") or values.get("property") or "charset"] = values.get("content")
        elif tag == "dl":
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "dl"


def parsed(name: str) -> Anchors:
    parser = Anchors()
    parser.feed((SAMPLE / name).read_text(encoding="utf-8"))
    return parser


def test_the_web_page_has_metadata_an_article_and_boilerplate_around_it():
    page = parsed("history-of-the-metre.html")
    assert page.meta["author"] == "Trisynapse"
    assert page.meta["article:published_time"] == "2025-10-20T12:00:00Z"
    assert page.meta["og:title"] == "How light became a ruler: a short history of the metre"
    assert {"nav", "article", "footer"} <= set(page.tags)
    text = squeeze((SAMPLE / "history-of-the-metre.html").read_text(encoding="utf-8"))
    assert "299,792,458 metres per second" in text
    assert "1/299,792,458 of a second" in text


def test_the_bookmarks_have_nested_folders_a_duplicate_and_a_script_to_skip():
    page = parsed("bookmarks.html")
    links = [link["href"] for link in page.links]
    assert len(links) == 12
    assert page.depth == 0
    assert page.deepest == 3
    assert "dd" in page.tags
    assert all(link["add_date"].isdigit() for link in page.links)
    assert [link for link in links if link.startswith("javascript:")] == ["javascript:document.title='saved'"]
    clean = [link.split("?utm_")[0] for link in links]
    assert len(set(links)) == 12
    assert len(set(clean)) == 11


def test_the_start_page_asks_the_five_questions_as_links():
    note = (SAMPLE / "start-here.md").read_text(encoding="utf-8")
    links = re.findall(r"\*\*\[([^]]+)\]\((trisynapse://[^)]+)\)\*\*", note)
    asked = [parse_qs(urlsplit(target).query)["q"][0] for _, target in links]
    assert asked == [question["question"] for question in EXPECTED["questions"]]
    assert [text for text, _ in links] == [unquote(question) for question in asked]


def test_every_source_the_start_page_links_to_exists():
    note = (SAMPLE / "start-here.md").read_text(encoding="utf-8")
    stems = {path.stem for path in SAMPLE.iterdir() if path.is_file()}
    linked = set(re.findall(r"\[\[([^]]+)\]\]", note))
    assert len(linked) == 8
    assert linked <= stems
