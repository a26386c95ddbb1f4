"""Whatever lies in a folder: the bad ones are named with a reason, the good ones are in, the codes as promised."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

pytestmark = [pytest.mark.journey, pytest.mark.timeout(200)]

SENTENCE = "Foucault measured the speed of light with a rotating mirror in the year 1862."
QUESTION = "Who measured the speed of light with a rotating mirror?"
RUN_KEYS = {"run_id", "status", "results", "counts", "backlog"}
RESULT_KEYS = {
    "input", "source_id", "source_key", "kind", "title", "status", "version", "record_count", "verdicts", "pages",
    "reason", "error",
}  # fmt: skip
VERDICTS = {
    "ok", "ocr", "empty", "image-only", "garbled", "order-uncertain", "hidden-text", "needs-password", "timed-out",
    "damaged", "unsupported", "skipped", "transcribed", "audio-only",
}  # fmt: skip


def by_name(body: Any) -> dict[str, Any]:
    return {Path(result["input"]).name: result for result in body["results"]}


def check_shape(body: Any) -> None:
    """The keys of the contract, one verdict for each page, and totals that agree."""
    assert set(body) >= RUN_KEYS
    assert set(body["backlog"]) >= {"vectors", "facts", "claims"}
    for result in body["results"]:
        assert set(result) >= RESULT_KEYS
        assert set(result["verdicts"]) <= VERDICTS
        assert Counter(page["verdict"] for page in result["pages"]) == result["verdicts"]
        assert [page["page"] for page in result["pages"]] == list(range(1, len(result["pages"]) + 1))
        assert set(result["error"] or ()) in (set(), {"code", "message", "hint"})
        assert (result["status"] == "failed") == (result["error"] is not None)
    counts = Counter(result["status"] for result in body["results"])
    assert {name: body["counts"][name] for name in counts} == counts


@pytest.fixture
def folder(tmp_path: Path, write_pdf: Callable[..., Path]) -> Path:
    """One of everything that goes wrong, and two good ones at the ends."""
    made = tmp_path / "mixed"
    made.mkdir()
    write_pdf(made / "a good.pdf", SENTENCE, "", "A third page with a whole sentence on it.")
    (made / "empty.pdf").touch()
    whole = write_pdf(tmp_path / "whole.pdf", *(f"Page {n} of the long paper speaks of lamps." for n in range(9)))
    (made / "half.pdf").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    write_pdf(made / "locked.pdf", SENTENCE, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="Sesam-1", owner_pw="o")
    write_pdf(made / "owner.pdf", "An owner's password locks nothing for a reader.", encryption=3, owner_pw="o")
    (made / "text.pdf").write_text("This was never a PDF, but plain text.\n")
    shutil.copy(made / "a good.pdf", made / "paper.txt")
    (made / "noise.bin").write_bytes(bytes(range(256)) * 16)
    (made / "z good.md").write_text("# Lamps\n\nThe lamp of device KX-00120 burns 4711 hours.\n")
    return made


def test_a_mixed_folder_gives_each_file_its_verdict_and_goes_on(program, folder: Path):
    done = program.run("ingest", folder)
    assert done.code == 3
    body = done.body
    check_shape(body)
    assert body["status"] == "partial"
    found = by_name(body)
    assert {name: result["status"] for name, result in found.items()} == {
        "a good.pdf": "success",
        "empty.pdf": "failed",
        "half.pdf": "failed",
        "locked.pdf": "failed",
        "noise.bin": "failed",
        "owner.pdf": "success",
        "paper.txt": "skipped",
        "text.pdf": "failed",
        "z good.md": "success",
    }
    codes = {name: result["error"]["code"] for name, result in found.items() if result["error"]}
    assert codes == {
        "empty.pdf": "source.empty",
        "half.pdf": "source.damaged",
        "locked.pdf": "source.password",
        "noise.bin": "source.unsupported",
        "text.pdf": "source.unsupported",
    }
    for name in codes:
        assert name in found[name]["error"]["message"]
        assert found[name]["error"]["hint"]
    assert found["a good.pdf"]["verdicts"] == {"ok": 2, "empty": 1}
    assert "duplicate" in found["paper.txt"]["reason"], "a renamed PDF is the same bytes"
    assert program.ask("query", QUESTION)["abstain"] is False
    assert "KX-00120" in program.ask("search", "KX-00120")["hits"][0]["excerpt"]
    program.prove()


def test_the_right_password_on_standard_input_opens_the_file_and_is_kept_nowhere(program, folder: Path):
    done = program.run("ingest", folder / "locked.pdf", "--password-stdin", given="wrong\n")
    assert (done.code, done.body["results"][0]["error"]["code"]) == (4, "source.password")
    done = program.run("ingest", folder / "locked.pdf", "--password-stdin", given="Sesam-1\n")
    assert (done.code, done.body["results"][0]["status"]) == (0, "success")
    assert "Sesam-1" not in done.out + done.err
    assert program.ask("query", QUESTION)["abstain"] is False
    kept = [path for path in program.vault.rglob("*") if path.is_file() and b"Sesam-1" in path.read_bytes()]
    assert kept == []


def test_when_everything_fails_the_code_says_so(program, folder: Path, tmp_path: Path):
    done = program.run("ingest", folder / "empty.pdf", folder / "text.pdf", tmp_path / "not there.pdf")
    assert done.code == 4
    check_shape(done.body)
    assert done.body["status"] == "failed"
    missing = by_name(done.body)["not there.pdf"]["error"]
    assert missing["code"] == "source.missing"
    assert "not there.pdf" in missing["message"]
    program.prove()


def test_a_folder_and_a_file_without_permission_are_named(program, tmp_path: Path):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, to make files that the command may not read")
    folder = tmp_path / "in"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed" / "x.txt").write_text("Nobody reads this.")
    (folder / "secret.txt").write_text("Nor this.")
    (folder / "open.txt").write_text(SENTENCE)
    for path, mode in ((folder / "closed", 0o700), (folder / "secret.txt", 0o600)):
        path.chmod(mode)
        os.chown(path, 65534, 65534)
    # Root without the right to pass over permissions; another user could not even start this interpreter.
    rights = "-dac_override,-dac_read_search"
    humble = ("setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}")
    done = program.run("ingest", folder, prefix=humble)
    assert done.code == 3, done.out + done.err
    check_shape(done.body)
    errors = {Path(result["input"]).name: result["error"] for result in done.body["results"] if result["error"]}
    assert {name: error["code"] for name, error in errors.items()} == {
        "closed": "source.denied",
        "secret.txt": "source.denied",
    }
    assert all(name in error["message"] for name, error in errors.items())
    assert by_name(done.body)["open.txt"]["status"] == "success"
    alone = program.run("ingest", folder / "closed", prefix=humble)
    assert (alone.code, alone.body["results"][0]["error"]["code"]) == (4, "source.denied")


@pytest.mark.parametrize("name", ["50%20 #1? é", "Releve\u0301"])
def test_a_vault_may_lie_anywhere(program_at, tmp_path: Path, name: str, write_pdf: Callable[..., Path]):
    program = program_at(tmp_path / name)
    assert program.ask("init")["vault"] == str(tmp_path / name)
    program.ask("ingest", write_pdf(tmp_path / "50%20.pdf", SENTENCE))
    answer = program.ask("query", QUESTION)
    assert answer["citations"][0]["source_key"] == str(tmp_path / "50%20.pdf")
    assert answer["citations"][0]["locator"]["quads"]


def test_names_are_kept_as_they_are_and_no_two_spellings_make_two_sources(
    program, tmp_path: Path, write_pdf: Callable[..., Path]
):
    folder = tmp_path / "names"
    folder.mkdir()
    names = ["50%20.pdf", "a#b?c.pdf", "über 'x'.pdf", f"{'n' * 251}.pdf", unicodedata.normalize("NFD", "Relevé.pdf")]
    for number, name in enumerate(names):
        write_pdf(folder / name, f"Mirror number {number} turned {number + 100} times in a second.")
    raw = os.fsencode(folder) + b"/bad\xff.txt"
    os.close(os.open(raw, os.O_CREAT | os.O_WRONLY))
    done = program.run("ingest", folder)
    assert done.code == 3, done.err
    check_shape(done.body)
    found = by_name(done.body)
    assert {name for name, result in found.items() if result["status"] == "success"} == set(names)
    (bad,) = (result for result in done.body["results"] if result["status"] == "failed")
    assert "UTF-8" in bad["error"]["message"]
    listed = program.ask("sources", "list")["sources"]
    assert {source["filename"] for source in listed} == set(names)
    composed = folder / unicodedata.normalize("NFC", "Relevé.pdf")
    (folder / unicodedata.normalize("NFD", "Relevé.pdf")).rename(composed)
    again = by_name(program.ask("ingest", composed))
    assert {result["reason"] for result in again.values()} == {"unchanged"}


def test_a_vault_that_is_not_there_and_one_that_is_damaged_end_with_five(program, program_at, tmp_path: Path):
    done = program_at(tmp_path / "nowhere").run("sources", "list")
    assert (done.code, done.body["error"]["code"]) == (5, "vault.missing")
    assert "nowhere" in done.body["error"]["message"]
    (program.vault / "log.db").write_bytes(b"no database" * 1000)
    done = program.run("sources", "list")
    assert (done.code, done.body["error"]["code"]) == (5, "vault.damaged")
    (program.vault / "vault.toml").write_text("format_version = 99\nvault_id = 'x'\n")
    done = program.run("sources", "list")
    assert (done.code, done.body["error"]["code"]) == (5, "vault.format")


def test_a_damaged_index_is_rebuilt_and_answers_as_before(program, tmp_path: Path, write_pdf: Callable[..., Path]):
    program.ask("ingest", write_pdf(tmp_path / "a.pdf", SENTENCE))
    before = program.ask("query", QUESTION)["answer"]
    for name in ("index.db", "vectors.db"):
        (program.vault / name).write_bytes(b"no database at all" * 1000)
    assert program.ask("query", QUESTION)["answer"] == before
    program.prove()
    for name in ("index.db", "vectors.db", "runs.db"):
        (program.vault / name).unlink()
    assert program.ask("query", QUESTION)["answer"] == before
    program.prove()


def test_wrong_use_and_unknown_ids_end_with_two(program, tmp_path: Path):
    assert program.run("fly").code == 2
    assert program.run("ingest").code == 2
    for arguments in (("get", "r_x"), ("sources", "show", "src_x"), ("query", " "), ("list", "--kind", "moon")):
        done = program.run(*arguments)
        assert (done.code, set(done.body["error"])) == (2, {"code", "message", "hint"})
    (tmp_path / "chat.json").write_text("{}")
    done = program.run("ingest", "--messages", tmp_path / "chat.json")
    assert (done.code, done.body["error"]["code"]) == (2, "input.invalid")


def test_a_conversation_file_alone_gives_one_document(program, tmp_path: Path):
    messages = [{"role": "user", "content": SENTENCE, "id": "1"}]
    (tmp_path / "chat.json").write_text(json.dumps({"group_id": "g", "messages": messages}))
    body = program.ask("ingest", "--messages", tmp_path / "chat.json")
    assert set(body) >= RUN_KEYS
    assert len(body["record_ids"]) == 1
    assert body["backlog"]["vectors"] == 0
    assert program.ask("query", QUESTION)["abstain"] is False
