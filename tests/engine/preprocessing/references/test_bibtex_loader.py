"""What BibTeX and BibLaTeX say comes in as a reader would read it, and the entry is kept as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.bibtex import BibtexLoader
from trisynapse_memory.preprocessing.references.entries import FIELD_MAX_CHARS
from trisynapse_memory.types import Listing


@pytest.fixture
def read(tmp_path: Path):
    def run(content: str | bytes) -> list[Listing]:
        path = tmp_path / "refs.bib"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return list(BibtexLoader().open(path).members())

    return run


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (
            r"G{\"o}del and {\L}ukasiewicz, Erd\H{o}s, \v{C}ech, {\AA}ngstr\"om",
            "Gödel and Łukasiewicz, Erdős, Čech, Ångström",
        ),
        (r"{BERT}: {P}re-training", "BERT: Pre-training"),
        (r"50% of A_b & 30\% # more", "50% of A_b & 30% # more"),
        (r"$\alpha$-decay of $^{12}$C -- ``so''", "α-decay of ^12C – “so”"),
        (r"A~B and \textit{in vitro}", "A B and in vitro"),
        (r"Lone } brace", "Lone brace"),
        ("日本語の論文 und Über", "日本語の論文 und Über"),
    ],
)
def test_a_title_is_shown_as_latex_would_print_it(read, latex: str, shown: str):
    (entry,) = read(
        f'@article{{a, title="{latex}"}}' if "}" in latex and "{" not in latex else f"@article{{a, title={{{latex}}}}}"
    )
    assert entry.title == shown


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ("Ada Lovelace and Charles Babbage", ("Lovelace, Ada", "Babbage, Charles")),
        ("van der Berg, Jan and Ludwig van Beethoven", ("van der Berg, Jan", "van Beethoven, Ludwig")),
        ("King, Jr., Martin Luther", ("King, Jr., Martin Luther",)),
        ("{World Health Organization} and {Barnes {and} Noble}", ("World Health Organization", "Barnes and Noble")),
        ("family=Gogh, given=Vincent, prefix=van", ("van Gogh, Vincent",)),
        ("A. Author and others", ("Author, A.",)),
        (r"P{\'a}l Erd{\H o}s", ("Erdős, Pál",)),
        ("Plato", ("Plato",)),
        ("", ()),
    ],
)
def test_names_are_read_as_bibtex_reads_them(read, names: str, shown: tuple[str, ...]):
    (entry,) = read(f"@book{{a, title={{T}}, author={{{names}}}}}")
    assert entry.authors == shown


@pytest.mark.parametrize(
    ("fields", "published"),
    [
        ("date = {2019-03-04/2019-05}", "2019-03-04"),
        ("date = {2019-03}", "2019-03"),
        ("year = 2017, month = jun", "2017-06"),
        ('year = 2017, month = "12~" # jun', "2017-06"),
        ('year = 2017, month = jun # "~12"', "2017-06-12"),
        ("year = {c. 1905}, month = {9}", "1905-09"),
        ("origdate = {1921}", "1921"),
        ("year = {in press}", ""),
        ("year = 2020, month = {Spring}", "2020"),
        ("year = 2020, month = 13, day = 45", "2020"),
    ],
)
def test_dates_become_iso_as_far_as_they_are_known(read, fields: str, published: str):
    (entry,) = read(f"@article{{a, title={{T}}, {fields}}}")
    assert entry.published == published


@pytest.mark.parametrize(
    ("field", "files"),
    [
        ("/home/me/a b.pdf", "/home/me/a b.pdf"),
        (":papers/x.pdf:PDF", "papers/x.pdf"),
        ("Full Text:C\\:\\\\Users\\\\me\\\\x.pdf:application/pdf", "C:/Users/me/x.pdf"),
        ("C:\\Users\\me\\x.pdf", "C:/Users/me/x.pdf"),
        (":C$\\backslash$:/Users/me/x.pdf:pdf", "C:/Users/me/x.pdf"),
        ("/a.pdf;/b.html", "/a.pdf\n/b.html"),
        ("Snapshot:/z/a\\;b.html:text/html;PDF:/z/c.pdf:application/pdf", "/z/a;b.html\n/z/c.pdf"),
        ("x.pdf:PDF", "x.pdf"),
    ],
)
def test_paths_of_all_programs_are_read(read, field: str, files: str):
    (entry,) = read(f"@article{{a, title={{T}}, file={{{field}}}}}")
    assert entry.fields["file"] == files


def test_identifiers_are_bare_whatever_is_written_before_them(read):
    (entry,) = read(
        "@article{key1, title={T}, doi={https://doi.org/10.1000/ABC}, isbn={0-306-40615-2},"
        " issn={0028-0836, 1476-4687}, eprint={1706.03762v5}, archiveprefix={arXiv}, pmid={123}, url={https://a.b/c\\_d%20e}}"
    )
    assert entry.identifiers == {
        "doi": "10.1000/abc",
        "isbn": "9780306406157",
        "issn": "0028-0836",
        "arxiv": "1706.03762",
        "pmid": "123",
        "citekey": "key1",
        "url": "https://a.b/c_d%20e",
    }


def test_an_arxiv_id_in_the_name_of_the_journal_is_found(read):
    (entry,) = read("@article{a, title={T}, journal={arXiv preprint arXiv:1706.03762}, year={2017}}")
    assert entry.identifiers["arxiv"] == "1706.03762"
    assert entry.url == "https://arxiv.org/abs/1706.03762"


def test_macros_are_replaced_and_kept_with_the_entry_that_uses_them(read):
    entries = read(
        '@string{cj = "Computer " # j}\n@string{j = {Journal}}\n@string{no = {x}}\n@article{a, journal = CJ, title={T}}'
    )
    assert entries[0].fields["journal"] == "Computer Journal"
    assert (
        entries[0].entry
        == '@string{j = {Journal}}\n@string{cj = "Computer " # j}\n@article{a, journal = CJ, title={T}}'
    )


def test_what_an_entry_inherits_is_added_and_rings_end(read):
    entries = read(
        "@inproceedings{a, title={Part}, crossref={B}}\n@proceedings{b, title={Whole}, year=1999, note={own}}\n"
        "@article{c, title={C}, crossref={d}}\n@article{d, title={D}, crossref={c}, journal={J}}"
    )
    assert (entries[0].fields["booktitle"], entries[0].published) == ("Whole", "1999")
    assert "own" not in entries[0].text
    assert entries[2].fields["journal"] == "J"


def test_groups_of_jabref_and_folders_of_mendeley_become_collections(read):
    (entry,) = read("@article{a, title={T}, groups={Optics, To read}, mendeley-groups={Thesis/Chapter 2}}")
    assert entry.collections == ("Optics", "To read", "Thesis > Chapter 2")


def test_a_broken_entry_is_told_with_its_line_and_the_others_go_in(read):
    first, broken, last = read("@article{a, title={A}}\n\n@article{b, title={open\n@article{c, title={C}}")
    assert broken.skipped.startswith("line 3: Unexpected block start")
    assert (first.title, last.title) == ("A", "C")


def test_repeated_keys_and_works_name_what_they_repeat(read):
    entries = read(
        "@article{a, title={A long title here}, doi={10.1000/x}}\n@article{a, title={Other}}\n"
        "@article{b, title={A Long Title Here}, doi={10.1000/X}}\n"
        "@incollection{c, title={Own chapter of it}, doi={10.1000/x}}"
    )
    assert [entry.duplicate_of for entry in entries] == ["", "a", "a", ""]


def test_an_old_file_in_latin_1_is_read(read):
    (entry,) = read("@article{a, title={Über die Höhe}, author={Müller, Jörg}}".encode("latin-1"))
    assert (entry.title, entry.authors) == ("Über die Höhe", ("Müller, Jörg",))


@pytest.mark.parametrize("content", ["@comment{nothing}", "Just words.", "@article{a,}", "@article{a, title={open"])
def test_a_file_without_one_good_entry_is_refused(read, content: str):
    with pytest.raises(SourceDamagedError, match=r"refs\.bib"):
        read(content)


@pytest.mark.parametrize(
    "content",
    [
        "@article{a, title={" + "{" * 5000 + "x" + "}" * 5000 + "}}",
        "@article{a, title={" + r"\textbf{" * 2000 + "x" + "}" * 2000 + "}}",
        "@article{a, title={" + "$x " * 20000 + "}}",
        "@article{a, author={" + "A B and " * 20000 + "C D}, title={T}}",
        '@string{s0 = "x"}'
        + "".join(f"@string{{s{n} = s{n - 1} # s{n - 1}}}\n" for n in range(1, 60))
        + "@article{a, title=s59}",
        "@article{a, title={T}, crossref={a}}",
        "@article{" + "a" * 100_000 + ", title={T}}",
        "\\" * 50_000 + "@article{a, title={T}}",
    ],
    ids=["braces", "commands", "formulas", "names", "macros", "itself", "key", "slashes"],
)
def test_a_hostile_file_costs_only_itself(read, content: str):
    for entry in read(content + "\n@article{good, title={Good}}"):
        assert len(entry.fields.get("journal", "")) <= FIELD_MAX_CHARS
        assert len(entry.text) < 2_000_000


@pytest.mark.parametrize(
    ("head", "name", "sure"),
    [
        ("@article{a,\n title={T}}", "x.txt", True),
        ("% made by hand\n\n@Book{a,\n title={T}}", "x", True),
        ("This file was made by Mendeley\n\n@article{a,\n}", "x.bib", True),
        ("# A note\n\n```\n@article{a,\n title={T}}\n```", "note.md", False),
        ("@dataclass(frozen=True)\nclass A: ...", "a.py", False),
        ("@Override\npublic void x() {", "A.java", False),
    ],
)
def test_it_knows_its_files(head: str, name: str, sure: bool):
    assert (BibtexLoader().suits(head.encode(), name) > 0) is sure
