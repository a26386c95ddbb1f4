"""What systems, editors, browsers and sync programs leave beside documents is known by its name, and listed."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.exclusions import is_ignored, reason_of_name, rules_of

LEFT = "left by a system or program"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".DS_Store", LEFT), ("._paper.pdf", LEFT), ("Thumbs.db", LEFT), ("desktop.ini", LEFT), ("~$thesis.docx", LEFT),
        (".~lock.thesis.odt#", LEFT), (".thesis.tex.swp", LEFT), ("thesis.tex~", LEFT), ("#thesis.tex#", LEFT),
        (".#thesis.tex", LEFT), ("~WRL0001.tmp", LEFT), ("film.mp4.crdownload", "an unfinished download"),
        ("film.mp4.part", "an unfinished download"), ("id_rsa", "may hold a secret"), ("site.PEM", "may hold a secret"),
        (".env", "may hold a secret"), (".zshrc", "hidden"), ("paper.pdf", ""), ("~notes.txt", ""), ("part.txt", ""),
        ("C#.md", ""), ("a~b.txt", ""), ("build", ""),
    ],
)  # fmt: skip
def test_a_file_is_left_out_by_its_name(name: str, reason: str):
    assert reason_of_name(name, is_folder=False) == reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("__MACOSX", LEFT), ("$RECYCLE.BIN", LEFT), (".Trashes", LEFT), (".ipynb_checkpoints", LEFT),
        (".git", "folder '.git' is left out"), ("build", "folder 'build' is left out"), (".obsidian", "hidden"),
        ("Papers", ""),
    ],
)  # fmt: skip
def test_a_folder_is_left_out_by_its_name(name: str, reason: str):
    assert reason_of_name(name, is_folder=True) == reason


def test_the_last_ignore_file_has_the_last_word_and_only_below_its_folder():
    rules = [one for one in (rules_of("", ["*.log", "[bad"]), rules_of("a", ["!keep.log"])) if one]
    assert is_ignored(rules, "b/x.log", is_folder=False)
    assert not is_ignored(rules, "a/keep.log", is_folder=False)
    assert is_ignored(rules, "ab/keep.log", is_folder=False)
    assert rules_of("", []) is None
