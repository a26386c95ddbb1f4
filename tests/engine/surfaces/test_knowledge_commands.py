"""The commands about what was compiled, and those that change what counts: their keys and exit codes are a promise."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.surfaces.cli import main

Run = Callable[..., Any]
LAUNCH = "When does Project Atlas launch?"
CLAIM_KEYS = {
    "claim_id", "subject", "relation", "object", "objects", "status", "confidence", "evidence", "valid_from",
    "valid_to",
}  # fmt: skip


@pytest.fixture
def run(
    in_process: None,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run a command on a vault that knows about Project Atlas and BERT; return its document."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "atlas.txt").write_text(
        "Priya Raman is the tech lead of Project Atlas. Project Atlas launches on 14 October 2026.\n"
    )
    (texts / "paper.txt").write_text("BERT was pretrained with Adam.\n")
    (texts / "code.txt").write_text("BERT was pretrained with AdamW.\n")

    def command(*arguments: object, code: int = 0) -> Any:
        ended = main(["--path", str(tmp_path / "v"), "--json", *map(str, arguments)])
        out = capsys.readouterr().out
        assert ended == code, out
        return json.loads(out)

    command("init")
    command("ingest", texts)
    return command


def test_claims_promise_their_keys(run: Run):
    claims = run("claims")["claims"]
    assert len(claims) == 3
    assert all(set(claim) >= CLAIM_KEYS for claim in claims)
    (bert,) = run("claims", "--status", "contested")["claims"]
    assert (set(bert["objects"]), len(bert["evidence"])) == ({"Adam", "AdamW"}, 2)
    assert [claim["subject"] for claim in run("claims", "--about", "project atlas")["claims"]] == ["Project Atlas"] * 2


def test_the_graph_is_nodes_and_edges_or_graphml(run: Run):
    body = run("graph", "--about", "BERT")
    assert {node["label"] for node in body["nodes"]} == {"BERT", "Adam", "AdamW"}
    assert {edge["status"] for edge in body["edges"]} == {"contested"}
    assert "<graphml" in run("graph", "--about", "BERT", "--format", "graphml")["graphml"]


def test_a_correction_is_said_and_answered(run: Run):
    record_id = run("query", LAUNCH)["citations"][0]["record_id"]
    change = run("correct", record_id, "Project Atlas launches on 2 November 2026.", "--reason", "moved")
    answer = run("query", LAUNCH)
    assert answer["sentences"][0]["text"] == "Project Atlas launches on 2 November 2026."
    assert answer["citations"][0]["record_id"] == change["record_id"]
    assert answer["struck"][0]["reason"] == "moved"
    assert run("query", LAUNCH, "--as-of", "2020-01-01")["abstain"]
    assert run("correct", "r_none", "Something else.", "--reason", "r", code=2)["error"]["code"] == "record.unknown"


def test_removing_wants_a_word(run: Run, monkeypatch: pytest.MonkeyPatch):
    record_id = run("query", LAUNCH)["citations"][0]["record_id"]
    refused = run("remove", record_id, "--reason", "private", code=2)
    assert refused["error"]["code"] == "input.invalid"
    receipt = run("remove", record_id, "--reason", "private", "--yes")["receipt"]
    assert record_id in receipt["record_ids"]

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    source_id = run("sources", "list")["sources"][0]["source_id"]
    monkeypatch.setattr("sys.stdin", Terminal("no\n"))
    run("sources", "remove", source_id, "--reason", "private", code=2)
    monkeypatch.setattr("sys.stdin", Terminal("remove\n"))
    assert "receipt" in run("sources", "remove", source_id, "--reason", "private")


def test_aliases_are_merged_listed_and_unmerged(run: Run):
    alias = run("aliases", "merge", "BERT", "Orion")["alias"]
    assert [one["alias_id"] for one in run("aliases", "list")["aliases"]] == [alias["alias_id"]]
    assert run("aliases", "unmerge", alias["alias_id"])["aliases"] == []
    assert run("aliases", "unmerge", "alias_none", code=2)["error"]["code"] == "alias.unknown"


def test_snapshots_are_made_entered_and_left(run: Run):
    snapshot = run("snapshots", "create", "first")["snapshot"]
    assert run("snapshots", "enter", snapshot["snapshot_id"])["snapshot"]["entered"]
    assert [one["label"] for one in run("snapshots", "list")["snapshots"]] == ["first"]
    assert not run("snapshots", "leave")["snapshot"]["entered"]
    assert run("snapshots", "leave")["snapshot"] is None


def test_groups_are_listed_and_summarised(run: Run):
    groups = run("groups", "list")["groups"]
    assert groups
    assert run("groups", "summarize", groups[0]["group_id"])["group"]["text"]
    assert run("groups", "summarize", "source:none", code=2)["error"]["code"] == "group.unknown"


def test_feedback_is_remembered(run: Run):
    query_id = run("query", LAUNCH)["query_id"]
    assert run("feedback", query_id, "helpful", "--note", "yes")["record_id"].startswith("r_")
    assert run("feedback", "q_none", "unhelpful", code=2)["error"]["code"] == "record.unknown"


def test_the_wiki_is_built_shown_and_written(run: Run, tmp_path: Path):
    pages = run("wiki", "build")["pages"]
    slugs = [page["slug"] for page in pages]
    assert slugs
    (page,) = run("wiki", "show", slugs[0])["pages"]
    assert set(page["sentences"][0]) >= {"text", "claim_ids", "record_ids", "stale", "reason"}
    assert run("wiki", "changes")["changes"] == []
    assert run("wiki", "export", tmp_path / "notes")["files"] > 0
    assert list((tmp_path / "notes").rglob("*.md"))


def test_lines_for_people_say_the_same(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for line, expected in (
        ("claims", "pretrained_with: "),
        ("graph --about BERT", "(contested)"),
        ("groups list", "source:"),
        ("aliases list", "No names are merged."),
        ("snapshots list", "No snapshots."),
    ):
        assert main(["--path", str(tmp_path / "v"), *line.split()]) == 0
        assert expected in capsys.readouterr().out
