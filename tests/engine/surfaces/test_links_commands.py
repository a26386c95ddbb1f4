"""``links`` and ``ingest --fetch``: hosts are named before anybody is asked, and silence is no consent."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web_site import ARTICLE, Page, WebSite
from trisynapse_memory.pipelines import furnishing
from trisynapse_memory.surfaces import cli
from trisynapse_memory.surfaces.cli import main
from trisynapse_memory.surfaces.commands.links import plan_lines, question
from trisynapse_memory.types import LinkPlan

Run = Callable[..., Any]
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><A HREF="https://one.example/a" ADD_DATE="1700000000">A mirror</A>
<DT><A HREF="https://two.example/gone" ADD_DATE="1700000000">What was</A>
</DL><p>
"""


class Terminal(io.StringIO):
    """Standard input with somebody in front of it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def site() -> Iterator[WebSite]:
    with WebSite() as opened:
        opened.pages["https://one.example/a"] = Page(ARTICLE, {"Content-Type": "text/html"})
        yield opened


@pytest.fixture
def run(
    in_process: None,
    site: WebSite,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run a command on a vault with two bookmarks at hand; return its document and what it said beside it."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.setattr(furnishing, "Egress", lambda **given: site.door(**given))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr(cli, "forbid_network", lambda: None)  # it would hold for the whole process, tests included
    (tmp_path / "b.html").write_text(BOOKMARKS)

    def command(*arguments: object, code: int = 0) -> tuple[Any, str]:
        ended = main(["--path", str(tmp_path / "v"), "--json", *map(str, arguments)])
        said = capsys.readouterr()
        assert ended == code, said.out
        return json.loads(said.out), said.err

    command("init")
    return command


def test_without_a_word_of_hers_nothing_is_fetched(run: Run, site: WebSite, tmp_path: Path):
    body, said = run("ingest", tmp_path / "b.html", "--fetch")
    assert [one["kind"] for one in body["results"]] == ["bookmark", "bookmark"]
    assert "2 pages would be fetched from 2 hosts (one.example, two.example). They were not" in said
    error, _ = run("links", "fetch", code=2)
    assert "--yes" in error["error"]["hint"]
    assert site.asked == []


def test_a_plan_is_shown_and_asks_nobody(run: Run, site: WebSite, tmp_path: Path):
    run("ingest", tmp_path / "b.html")
    body, _ = run("links", "plan")
    assert body["plan"]["hosts"] == {"one.example": 1, "two.example": 1}
    assert site.asked == []


def test_yes_beforehand_fetches_and_the_run_holds_the_pages(run: Run, site: WebSite, tmp_path: Path):
    body, _ = run("ingest", tmp_path / "b.html", "--fetch", "--yes")
    assert [(one["kind"], one["title"]) for one in body["results"]] == [
        ("bookmark", "A mirror"),
        ("bookmark", "What was"),
        ("html", "How the mirror turned"),
    ]
    listed, _ = run("links", "list")
    assert {one["url"]: (one["status"], one["verdict"]) for one in listed["links"]} == {
        "https://one.example/a": ("fetched", ""),
        "https://two.example/gone": ("failed", "gone"),
    }
    refreshed, _ = run("links", "refresh")
    assert [one["note"] for one in refreshed["links"]] == ["unchanged"]


@pytest.mark.parametrize(("word", "count"), [("yes\n", 2), ("no\n", 0), ("\n", 0)])
def test_somebody_at_a_terminal_is_asked(run: Run, site: WebSite, tmp_path: Path, monkeypatch, word, count):
    run("ingest", tmp_path / "b.html")
    monkeypatch.setattr("sys.stdin", Terminal(word))
    _, said = run("links", "fetch", code=0 if count else 2)
    assert "1  one.example" in said
    assert len([url for url in site.asked if not url.endswith("robots.txt")]) == count


def test_waiting_links_can_be_cancelled(run: Run, site: WebSite, tmp_path: Path):
    run("--offline", "ingest", tmp_path / "b.html", "--fetch", "--yes")
    listed, _ = run("--offline", "links", "list", "--status", "waiting")
    assert len(listed["links"]) == 2
    cancelled, _ = run("--offline", "links", "cancel")
    assert cancelled == {"cancelled": 2}
    assert site.asked == []


def test_many_hosts_are_summed_up():
    plan = LinkPlan(hosts={f"h{number}.example": 2 for number in range(25)}, total=50, fetched=3, waiting=1)
    lines = plan_lines(plan)
    assert lines[-2].split() == ["10", "on", "5", "other", "hosts"]
    assert lines[-1].endswith("50  pages of 25 hosts in all; 3 are in the vault already, 1 wait already.")
    assert question(plan) == "50 pages would be fetched from 25 hosts (h0.example, h1.example, h2.example and 22 more)."
