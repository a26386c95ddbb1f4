"""Names, options, exit codes and JSON keys of the command line are a promise."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory import __version__
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.surfaces import cli
from trisynapse_memory.surfaces.cli import build_parser, main

Run = Callable[..., tuple[int, Any]]
QUESTION = "Who measured the speed of light with a rotating mirror?"
LOCATOR_KEYS = {"kind", "page", "start", "end"}


@pytest.fixture
def run(
    in_process: None,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run a command on a vault; return its exit code and its document."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))

    def command(*arguments: object, code: int | None = 0) -> tuple[int, Any]:
        ended = main(["--path", str(tmp_path / "v"), "--json", *map(str, arguments)])
        out = capsys.readouterr().out
        assert code is None or ended == code, out
        return ended, json.loads(out)

    command("init")
    return command


@pytest.fixture
def full(run: Run, papers: Path) -> Run:
    run("ingest", papers)
    return run


def test_init_says_where_and_which(in_process: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["init", "--path", str(tmp_path / "v"), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert set(body) == {"vault", "vault_id", "format_version"}
    assert main(["init", "--path", str(tmp_path / "v"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "vault.exists"


@pytest.mark.parametrize("order", ["before", "after"])
def test_global_options_stand_before_or_after_the_command(order: str):
    options = ["--path", "p", "--json", "--offline", "--user-id", "u"]
    command = ["search", "x"]
    parsed = build_parser().parse_args([*options, *command] if order == "before" else [*command, *options])
    assert (parsed.path, parsed.json, parsed.offline, parsed.user_id, parsed.quiet) == ("p", True, True, "u", False)


def test_every_promised_command_and_option_is_understood():
    for line in (
        "init",
        "ingest a b --dry-run --collection c --password-stdin --fetch --no-wait --messages f",
        "ingest a --jobs 2",
        "sources list --limit 3",
        "sources show i",
        "sources text i --page 2",
        "sources forget i --reason r",
        "sources reinstate i --reason r",
        "sources export f.html --format bookmarks --only c --only i",
        "runs list",
        "runs show i",
        "runs retry i",
        "search q --top-k 3 --source a --source b --collection c --explain",
        "query q --top-k 3 --source a --collection c --no-llm",
        "get i",
        "history i",
        "list --kind fact --cursor 3 --limit 4 --include-retracted",
        "query q --as-of 2026-01-02",
        "correct i text --reason r",
        "forget i --reason r",
        "reinstate i --reason r",
        "remove i j --reason r",
        "sources remove i --reason r",
        "feedback q helpful --note n",
        "feedback q unhelpful",
        "claims --status contested --about e --all --limit 3",
        "graph --about e --hops 2 --limit 5 --format graphml",
        "groups list",
        "groups summarize g",
        "aliases list",
        "aliases merge a b",
        "aliases unmerge i",
        "snapshots create l",
        "snapshots list",
        "snapshots enter i",
        "snapshots leave",
        "wiki build",
        "wiki show p",
        "wiki changes",
        "wiki accept p --key k",
        "wiki reject p",
        "wiki export d --format html",
        "validate --repair",
        "reindex lexical",
        "check",
        "bench papers --data d --limit 3 --labels l --ablate rrf-fusion,mentions --settle --peers all",
    ):
        assert callable(build_parser().parse_args(line.split()).run), line


@pytest.mark.parametrize(
    "line",
    [
        "fly",
        "search",
        "search x --top-k 0",
        "sources",
        "forget i",
        "list --limit -1",
        "sources text i --page 0",
        "correct i text",
        "remove --reason r",
        "graph --hops 5",
        "claims --status new",
        "feedback q maybe",
    ],
)
def test_wrong_use_ends_with_two(line: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_without_a_command_there_is_help_and_the_version_is_told(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert "ingest" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_a_bug_ends_with_one_and_its_traceback_is_kept(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def broken(*_: object, **__: object):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(MemoryEngine, "get", broken)
    monkeypatch.setattr(cli.tempfile, "tempdir", str(tmp_path))
    _, body = run("get", "x", code=1)
    assert body["error"]["code"] == "bug"
    (kept,) = tmp_path.glob("trisynapse-error-*.log")
    assert "ZeroDivisionError: oh" in kept.read_text()


def test_ingest_promises_its_keys(run: Run, papers: Path):
    _, body = run("ingest", papers)
    assert set(body) >= {"run_id", "status", "results", "counts", "backlog"}
    assert body["backlog"] == {"vectors": 0, "facts": 0, "claims": 0}
    assert set(body["results"][0]) >= {
        "input", "source_id", "source_key", "kind", "title", "status", "version", "record_count", "verdicts", "pages",
        "reason", "error",
    }  # fmt: skip
    assert [result["status"] for result in body["results"]] == ["success", "success"]
    assert set(body["results"][0]["pages"][0]) >= {"page", "verdict", "note"}


def test_ingest_ends_with_three_four_or_nothing(run: Run, papers: Path):
    (papers / "empty.txt").touch()
    assert run("ingest", papers, code=3)[1]["status"] == "partial"
    assert run("ingest", papers / "empty.txt", code=4)[1]["status"] == "failed"
    assert run("ingest", papers / "light.txt")[1]["results"][0]["status"] == "skipped"
    assert run("ingest", code=2)[1]["error"]["code"] == "input.invalid"


def test_a_dry_run_writes_nothing(run: Run, papers: Path, tmp_path: Path):
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "x"}]')
    _, body = run("ingest", papers, "--dry-run", "--messages", tmp_path / "chat.json")
    assert {result["reason"] for result in body["results"]} == {"new"}
    assert run("sources", "list")[1]["sources"] == []


def test_query_promises_its_keys(full: Run):
    _, body = full("query", QUESTION)
    assert set(body) >= {
        "query_id", "question", "answer", "abstain", "reason", "sentences", "citations", "coverage", "nearest", "model",
        "timings_ms",
    }  # fmt: skip
    assert set(body["sentences"][0]) >= {"text", "citations"}
    assert set(body["citations"][0]) >= {
        "n", "record_id", "source_id", "source_key", "title", "locator", "excerpt", "verdict",
    }  # fmt: skip
    assert set(body["coverage"]) >= {"sources_in_scope", "records_in_scope", "examined", "used"}
    assert set(body["citations"][0]["locator"]) >= LOCATOR_KEYS
    assert len(body["citations"][0]["excerpt"]) <= 500


def test_a_refusal_is_no_failure(full: Run):
    code, body = full("query", "Which fungus lives in the roots of Antarctic orchids?")
    assert (code, body["abstain"], body["answer"]) == (0, True, "")
    assert body["reason"]
    assert body["level"] in ("none", "nearest")


def test_search_promises_its_keys(full: Run):
    _, plain = full("search", "mirror")
    assert set(plain) >= {"query_id", "hits", "plan", "stage", "coverage"}
    assert "routes" not in plain
    assert set(plain["hits"][0]) >= {"record_id", "source_id", "title", "locator", "excerpt", "score", "parts"}
    _, explained = full("search", "mirror", "--explain", "--top-k", 1)
    assert set(explained) >= {"routes", "fusion", "gate", "steps"}
    assert "gate" in [step["phase"] for step in explained["steps"]]
    assert set(explained["routes"]["lexical"][0]) == {"record_id", "rank", "score"}
    assert len(explained["hits"]) == 1


def test_sources_and_their_pages(full: Run):
    _, body = full("sources", "list")
    source = body["sources"][0]
    assert set(source) >= {
        "source_id", "source_key", "title", "kind", "version", "status", "record_count", "verdicts", "added_at",
        "collections", "tags",
    }  # fmt: skip
    assert len(full("sources", "list", "--limit", 1)[1]["sources"]) == 1
    shown = full("sources", "show", source["source_id"])[1]
    assert (shown["source"]["source_id"], shown["pages"][0]["verdict"]) == (source["source_id"], "ok")
    (page,) = full("sources", "text", source["source_id"], "--page", 1)[1]["pages"]
    assert set(page) >= {"page", "text", "verdict"}
    assert full("sources", "text", source["source_id"], "--page", 9, code=2)[1]["error"]["code"] == "source.unknown"


def test_sources_go_out_into_a_file_of_another_program(run: Run, tmp_path: Path):
    file = tmp_path / "b.html"
    file.write_text('<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.example/">A</A></DL>')
    run("ingest", file)
    _, body = run("sources", "export", tmp_path / "out.html")
    assert body == {"path": str(tmp_path / "out.html"), "format": "bookmarks", "sources": 1, "left_out": 0}
    assert 'HREF="https://a.example/"' in (tmp_path / "out.html").read_text()
    _, body = run("sources", "export", tmp_path, code=2)
    assert "is a folder" in body["error"]["message"]


def test_records_are_listed_forgotten_and_brought_back(full: Run):
    _, listed = full("list", "--kind", "raw_source", "--limit", 1)
    (record,) = listed["records"]
    assert listed["next_cursor"] == record["seq"]
    rest = full("list", "--kind", "raw_source", "--cursor", listed["next_cursor"])[1]
    assert (len(rest["records"]), rest["next_cursor"]) == (1, None)
    assert full("get", record["id"])[1]["record"]["text"] == record["text"]
    assert "record_id" in full("forget", record["id"], "--reason", "no")[1]
    assert len(full("list", "--kind", "raw_source")[1]["records"]) == 1
    assert "record_id" in full("reinstate", record["id"], "--reason", "yes")[1]
    kinds = [one["kind"] for one in full("history", record["id"])[1]["records"]]
    assert kinds == ["raw_source", "retraction", "reinstatement"]


def test_a_repository_that_is_no_web_address_is_refused_as_it_was_typed(full: Run):
    (row,) = full("ingest", "git@example.org:ann/light.git", code=4)[1]["results"]
    assert (row["input"], row["error"]["code"]) == ("git@example.org:ann/light.git", "source.unsupported")
    assert "https" in row["error"]["hint"]


def test_the_copies_of_a_source_are_listed(full: Run):
    source, *_ = full("sources", "list")[1]["sources"]
    assert full("sources", "copies", source["source_id"])[1]["copies"] == []
    assert full("sources", "copies", "src_none", code=2)[1]["error"]["code"] == "source.unknown"


def test_runs_can_be_looked_at_and_tried_again(full: Run):
    run_id = full("runs", "list")[1]["runs"][0]["run_id"]
    assert full("runs", "show", run_id)[1]["run"]["status"] == "completed"
    query_id = full("query", QUESTION)[1]["query_id"]
    assert full("runs", "show", query_id)[1]["run"]["question"] == QUESTION
    assert full("runs", "retry", run_id)[1]["status"] == "completed"
    assert full("runs", "show", "run_x", code=2)[1]["error"]["code"] == "record.unknown"


def test_the_proof_and_the_rebuild(full: Run, tmp_path: Path):
    _, body = full("validate")
    assert (body["ok"], body["findings"]) == (True, [])
    assert set(full("reindex")[1]["indexes"]) == {
        "lexical",
        "facts",
        "claims",
        "graph",
        "summaries",
        "descriptions",
        "novelty",
        "vector",
    }
    assert full("reindex", "moon", code=2)[1]["error"]["code"] == "branch.unknown"
    (tmp_path / "v" / "log.sync-conflict-1.db").touch()
    (finding,) = full("validate", code=5)[1]["findings"]
    assert set(finding) == {"code", "where", "message", "fix"}


def test_a_namespace_sees_its_own(run: Run, papers: Path):
    run("ingest", papers, "--user-id", "me")
    assert len(run("sources", "list", "--user-id", "me")[1]["sources"]) == 2
    assert run("sources", "list", "--user-id", "her")[1]["sources"] == []


def test_the_vault_may_come_from_the_environment(
    full: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TRISYNAPSE_VAULT", str(tmp_path / "v"))
    assert main(["sources", "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["sources"]) == 2


def test_people_get_lines(full: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--path", str(tmp_path / "v"), "query", QUESTION]) == 0
    out = capsys.readouterr().out
    assert "Foucault" in out
    assert "[1] light" in out
    assert main(["--path", str(tmp_path / "v"), "get", "r_x"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("error: There is no record 'r_x'.")) == ("", True)
