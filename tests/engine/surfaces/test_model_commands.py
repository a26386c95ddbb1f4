"""The commands about models, keys and what leaves: their JSON and exit codes are a promise; no key is an argument."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.surfaces.cli import main

sys.path.append(str(Path(__file__).resolve().parents[2]))
from model_servers import ModelServer

Run = Callable[..., Any]
LIGHT = "Foucault measured the speed of light with a rotating mirror in 1862."
WHO = "Who measured the speed of light with a rotating mirror?"
KEY = "sk-0123456789abcdef"


@pytest.fixture
def bare(
    in_process: None,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run a command where there is no vault yet; return its document."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TRISYNAPSE_MODELS", str(tmp_path / "models"))
    # The wall below all libraries cannot be taken down again in this process; the door refuses all the same.
    monkeypatch.setattr("trisynapse_memory.surfaces.cli.forbid_network", lambda: None)

    def command(*arguments: object, code: int = 0, typed: str = "") -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        ended = main(["--path", str(tmp_path / "v"), "--json", *map(str, arguments)])
        out = capsys.readouterr().out
        assert ended == code, out
        return json.loads(out)

    return command


@pytest.fixture
def run(bare: Run, tmp_path: Path) -> Run:
    """Run a command on a vault that knows who measured light."""
    (tmp_path / "light.txt").write_text(LIGHT)
    bare("init")
    bare("ingest", tmp_path / "light.txt")
    return bare


@pytest.fixture
def server() -> Iterator[ModelServer]:
    sentences = [{"text": LIGHT, "passages": [1]}]
    with ModelServer(lambda body: json.dumps({"sentences": sentences}) if "passage 1" in str(body) else "ready") as one:
        yield one


def test_a_server_in_this_machine_is_chosen_tested_asked_and_seen_in_the_ledger(run: Run, server: ModelServer):
    assert run("egress") == {"requests": []}
    run("models", "add-service", "Mine", server.url)
    assert run("models", "set", "answer", "mine", "m1")["role"]["state"] == "ready"
    assert run("models", "test", "answer")["test"]["reply"] == "ready"
    answer = run("query", WHO)
    assert (answer["answer"], answer["model"], answer["usage"]["input_tokens"]) == (LIGHT, "mine/m1", 11)
    assert run("query", WHO, "--no-llm")["model"] is None
    (last, _) = run("egress")["requests"]
    assert last.keys() >= {"at", "host", "purpose", "sent_bytes", "received_bytes", "source_ids"}
    assert (last["host"], last["purpose"], len(last["source_ids"])) == ("127.0.0.1", "answer", 1)
    assert len(run("egress", "--limit", 1)["requests"]) == 1


def test_a_model_can_be_asked_for_once_and_offline_is_a_wall(run: Run, server: ModelServer):
    run("models", "add-service", "Mine", server.url)
    assert run("query", WHO, "--model", "mine/m2")["model"] == "mine/m2"
    assert run("models", "list")["roles"][0]["state"] == "off"
    run("models", "set", "answer", "mine", "m1")
    count = len(server.requests)
    refused = run("--offline", "query", WHO)
    assert (refused["answer"], refused["model"], len(server.requests)) == (LIGHT, None, count)
    assert "offline" in refused["note"]
    assert run("privacy", "offline", "on") == {"offline": True}
    assert run("models", "test", "answer", code=6)["test"]["passed"] is False
    assert run("privacy", "offline") == {"offline": True}
    assert run("privacy", "offline", "off") == {"offline": False}
    assert run("query", WHO)["model"] == "mine/m1"


def test_a_remote_service_is_allowed_by_somebody_who_meant_it(run: Run):
    run("models", "set", "completion", "openai")
    assert run("models", "list")["roles"][0]["state"] == "not-allowed"
    assert run("privacy", "sheet", "openai")["sheet"]["host"] == "api.openai.com"
    assert run("privacy", "allow", "openai", code=2)["error"]["code"] == "input.invalid"
    assert run("privacy", "allow", "openai", "--yes")["service"]["is_allowed"]
    assert run("models", "list")["roles"][0]["state"] == "no-key"
    assert not run("privacy", "disallow", "openai")["service"]["is_allowed"]
    assert run("models", "clear", "completion")["role"]["state"] == "off"


def test_without_a_keyring_a_key_is_refused_with_6_and_written_nowhere(bare: Run, tmp_path: Path):
    for _ in range(2):  # without a vault, then with one
        error = bare("keys", "set", "openai", code=6, typed=f"{KEY}\n")["error"]
        assert error["code"] == "keyring.error"
        assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        body = bare("keys", "list")
        assert (body["keyring"]["is_usable"], {one["place"] for one in body["keys"]}) == (False, {""})
        assert [one["service"] for one in bare("keys", "list", "openai")["keys"]] == ["openai"]
        if not (tmp_path / "v").exists():
            bare("init")


def test_a_key_is_never_an_argument(bare: Run):
    with pytest.raises(SystemExit) as stopped:
        main(["keys", "set", "openai", KEY])
    assert stopped.value.code == 2


def test_rules_and_a_budget_are_set_and_shown(run: Run):
    rules = run("privacy", "rule", "Diary", "never")["rules"]
    assert rules == [{"collection": "", "sharing": "allow"}, {"collection": "Diary", "sharing": "never"}]
    assert run("privacy", "rules")["rules"] == rules
    assert run("privacy", "budget", "2.5")["spending"]["budget_usd"] == 2.5
    assert run("privacy", "budget")["spending"] == {
        "spent_usd": 0.0, "budget_usd": 2.5, "input_tokens": 0, "output_tokens": 0, "unpriced_count": 0,
    }  # fmt: skip
    assert run("privacy", "budget", "none")["spending"]["budget_usd"] is None
    assert run("privacy", "budget", "much", code=2)["error"]["code"] == "input.invalid"


def test_model_files_need_no_vault(bare: Run, tmp_path: Path):
    assert {one["state"] for one in bare("models", "local")["models"]} == {"offered"}
    (tmp_path / "a.gguf").write_bytes(b"no model")
    assert bare("models", "add-file", tmp_path / "a.gguf", code=6)["error"]["code"] == "provider.model_file"
    name = bare("models", "local")["models"][0]["name"]
    assert bare("--offline", "models", "download", name, code=6)["error"]["code"] == "network.offline"
    (refused,) = bare("egress")["requests"]
    assert (refused["refused"], refused["sent_bytes"]) == ("network.offline", 0)
    assert not (tmp_path / "v").exists()


def test_services_are_listed_and_hers_can_be_removed(run: Run):
    run("models", "add-service", "Lab", "http://10.0.0.7:8000/v1")
    services = {one["service"]["name"]: one for one in run("models", "services")["services"]}
    assert services.keys() >= {"local", "openai", "anthropic", "gemini", "ollama", "lab"}
    assert services["lab"]["is_allowed"] is False
    run("models", "remove-service", "lab")
    assert run("models", "remove-service", "lab", code=2)["error"]["code"] == "provider.unknown"
    assert run("models", "cards", "openai", code=6)["error"]["code"] == "privacy.consent"


def test_check_tells_of_keyring_models_and_what_is_optional(bare: Run):
    body = bare("check")
    assert body["keyring_usable"] is False
    assert body["models"]["files"] == []
    assert body["ok"] is True
