"""Models, keys and permissions as she chooses them, through the doors of an open vault; nobody is asked anything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from trisynapse_memory.contracts import FloatArray, OnText
from trisynapse_memory.errors import (
    ConsentNeededError,
    InvalidInputError,
    KeyNeededError,
    KeyringError,
    ModelFileError,
    OfflineError,
    UnknownServiceError,
)
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import (
    WRITING_ROLES,
    Completion,
    EgressRow,
    Prompt,
    Role,
    RoleChoice,
    Sharing,
    SharingRule,
    SourceInput,
    Usage,
)

KEY = "sk-0123456789abcdef"


class Model:
    """A model that its caller brings along."""

    provider, model, max_tokens = "own", "m1", 8192

    def __init__(self, *, is_remote: bool = False) -> None:
        self.is_remote = is_remote

    def complete(
        self, prompt: Prompt, on_text: OnText | None = None, stop: threading.Event | None = None
    ) -> Completion:
        return Completion(text="ready", usage=Usage(input_tokens=1, output_tokens=1, cost_usd=2.0))


@pytest.fixture
def online(tmp_path: Path, in_process: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MemoryEngine]]:
    monkeypatch.setenv("TRISYNAPSE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    opened: list[MemoryEngine] = []

    def make(**wishes: object) -> MemoryEngine:
        for one in opened:
            one.close()
        opened.append(MemoryEngine.open(tmp_path / "one.vault", **wishes))  # type: ignore[arg-type]
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def choice(engine: MemoryEngine, role: Role) -> RoleChoice:
    return next(one for one in engine.models.roles() if one.role is role)


# ---------------------------------------------------------------- roles


def test_nothing_is_chosen_at_first_and_the_built_in_embedder_works(online: Callable[..., MemoryEngine]):
    roles = online().models.roles()
    assert [one.role for one in roles] == list(Role)
    found_by_itself = (Role.EMBEDDING, Role.TRANSCRIPTION)  # the model of a package that may be here
    assert {one.state for one in roles if one.role not in found_by_itself} == {"off"}
    (embedding,) = (one for one in roles if one.role is Role.EMBEDDING)
    assert (embedding.service, embedding.state) == ("built-in", "ready")


def test_one_model_fills_all_roles_of_writing_and_each_can_be_emptied(online: Callable[..., MemoryEngine]):
    engine = online()
    assert engine.models.choose("completion", "ollama", "llama3").role is Role.ANSWER
    assert {one.role for one in engine.models.roles() if one.service == "ollama"} == set(WRITING_ROLES)
    assert choice(online(), Role.WIKI) == RoleChoice(
        role=Role.WIKI, service="ollama", model="llama3", base_url="http://127.0.0.1:11434/v1", state="ready"
    )
    engine = online()
    engine.models.clear("wiki")
    assert choice(engine, Role.WIKI).state == "off"
    assert engine.models.clear("completion").state == "off"


@pytest.mark.parametrize(
    ("role", "service", "model", "error"),
    [
        ("answer", "nobody", "m", UnknownServiceError),
        ("singing", "openai", "m", InvalidInputError),
        ("embedding", "anthropic", "m", InvalidInputError),
        ("vision", "local", "m", InvalidInputError),
        ("answer", "openrouter", "", InvalidInputError),
        ("answer", "local", "no-such-file", UnknownServiceError),
        ("answer", "local", "/no/such/file.gguf", InvalidInputError),
    ],
)
def test_a_choice_that_cannot_be_is_refused_and_changes_nothing(
    online: Callable[..., MemoryEngine], role: str, service: str, model: str, error: type[Exception]
):
    engine = online()
    with pytest.raises(error):
        engine.models.choose(role, service, model)
    assert {one.state for one in engine.models.roles()} == {"off", "ready"}


def test_a_remote_service_wants_permission_a_key_and_money_in_this_order(online: Callable[..., MemoryEngine]):
    engine = online()
    assert engine.models.choose("answer", "openai").state == "not-allowed"
    engine.privacy.allow("openai")
    assert choice(engine, Role.ANSWER).state == "no-key"
    engine.keys.set("openai", KEY, session_only=True)
    assert choice(engine, Role.ANSWER).state == "ready"
    engine.privacy.set_budget(0)
    assert choice(engine, Role.ANSWER).state == "budget"
    engine.privacy.set_offline(True)
    assert choice(engine, Role.ANSWER).state == "offline"


def test_a_server_in_this_machine_wants_no_permission_but_is_off_when_offline(online: Callable[..., MemoryEngine]):
    engine = online()
    engine.models.choose("answer", "ollama", "llama3")
    assert choice(engine, Role.ANSWER).state == "ready"
    engine.privacy.set_offline(True)
    assert choice(engine, Role.ANSWER).state == "offline"


def test_a_folder_of_an_embedder_that_is_not_there_is_missing(online: Callable[..., MemoryEngine], tmp_path: Path):
    engine = online()
    assert engine.models.choose("embedding", "sentence-transformers", str(tmp_path / "none")).state == "missing"
    assert engine.models.choose("embedding", "built-in").state == "ready"


def test_a_model_of_the_caller_fills_every_role_of_writing_and_its_cost_counts(online: Callable[..., MemoryEngine]):
    engine = online(completer=Model(is_remote=True))
    assert choice(engine, Role.ANSWER).state == "ready"
    assert choice(engine, Role.VISION).state == "off"
    assert engine.models.test("answer").reply == "ready"
    assert engine.privacy.spending().spent_usd == 2.0
    engine.privacy.set_budget(1)
    assert choice(engine, Role.ANSWER).state == "budget"


def test_a_vault_opened_offline_stays_so(online: Callable[..., MemoryEngine]):
    engine = online(completer=Model(is_remote=True), offline=True)
    assert engine.privacy.set_offline(False)
    assert choice(engine, Role.ANSWER).state == "offline"


def test_testing_a_role_tells_what_is_missing_and_raises_nothing(online: Callable[..., MemoryEngine]):
    engine = online()
    assert engine.models.test("answer").problem == "No model is chosen."
    engine.models.choose("answer", "openai")
    assert "not been allowed" in engine.models.test("answer").problem
    assert engine.models.test("embedding").passed
    with pytest.raises(InvalidInputError):
        engine.models.test("singing")


# ---------------------------------------------------------------- services and files


def test_a_server_of_hers_is_kept_and_one_in_the_network_wants_permission(online: Callable[..., MemoryEngine]):
    engine = online()
    near = engine.models.add_service("My Ollama", "127.0.0.1:11434")
    far = engine.models.add_service("Lab", "http://10.0.0.7:8000/v1")
    assert (near.service.name, near.service.is_remote, near.is_allowed) == ("my-ollama", False, True)
    assert (far.service.is_remote, far.is_allowed) == (True, False)
    engine.models.choose("answer", "lab", "m")
    engine.privacy.allow("lab")
    engine = online()
    assert choice(engine, Role.ANSWER).state == "ready"
    with pytest.raises(InvalidInputError):
        engine.models.add_service("lab", "http://10.0.0.8:8000/v1")
    engine.models.remove_service("lab")
    assert choice(engine, Role.ANSWER).state == "off"
    assert "lab" not in {one.service.name for one in engine.models.services()}
    with pytest.raises(InvalidInputError):
        engine.models.remove_service("openai")


@pytest.mark.parametrize("url", ["", "ftp://a", "http://u:p@a/v1", "http://a/v1?key=1"])
def test_an_address_that_is_none_or_holds_a_secret_is_refused(online: Callable[..., MemoryEngine], url: str):
    engine = online()
    with pytest.raises(InvalidInputError):
        engine.models.add_service("Lab", url)


def test_asking_what_a_service_offers_wants_the_same_permission(online: Callable[..., MemoryEngine]):
    engine = online()
    with pytest.raises(ConsentNeededError):
        engine.models.cards("openai")
    engine.privacy.allow("openai")
    with pytest.raises(KeyNeededError):
        engine.models.cards("openai")
    engine.privacy.set_offline(True)
    with pytest.raises(OfflineError):
        engine.models.cards("ollama")


def test_a_file_that_is_no_model_is_not_taken(online: Callable[..., MemoryEngine], tmp_path: Path):
    engine = online()
    (tmp_path / "a.gguf").write_bytes(b"no model")
    with pytest.raises(ModelFileError):
        engine.models.add_file(str(tmp_path / "a.gguf"))
    assert all(one.state == "offered" for one in engine.models.local())


# ---------------------------------------------------------------- keys


def test_a_key_of_this_run_is_known_and_gone_with_it(online: Callable[..., MemoryEngine]):
    engine = online()
    assert engine.keys.set("openai", f" {KEY}\n", session_only=True).place == "session"
    assert {one.service: one.place for one in engine.keys.list()}["openai"] == "session"
    state = next(one for one in engine.models.services() if one.service.name == "openai")
    assert (state.has_key, state.is_session_key) == (True, True)
    assert {one.place for one in online().keys.list()} == {""}


def test_without_a_keyring_a_key_is_written_nowhere(online: Callable[..., MemoryEngine], tmp_path: Path):
    engine = online()
    assert not engine.keys.state().is_usable
    with pytest.raises(KeyringError) as raised:
        engine.keys.set("openai", KEY)
    assert (raised.value.exit_code, KEY in str(raised.value)) == (6, False)
    engine.close()
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_key_for_a_server_of_hers_is_not_found_by_another_of_the_same_name(online: Callable[..., MemoryEngine]):
    engine = online()
    engine.models.add_service("Lab", "http://10.0.0.7/v1")
    engine.keys.set("lab", KEY, session_only=True)
    engine.models.remove_service("lab")
    assert not engine.models.add_service("Lab", "http://10.0.0.8/v1").has_key
    engine.models.remove_service("lab")
    assert engine.models.add_service("Lab", "http://10.0.0.7/v1").has_key


# ---------------------------------------------------------------- privacy


def test_the_sheet_names_what_the_roles_need_and_what_stays(online: Callable[..., MemoryEngine]):
    engine = online()
    engine.ingest(SourceInput(text="One.", title="a"), SourceInput(text="Two.", title="b", collections=("Diary",)))
    first = engine.sources.list()[0]
    engine.sources.mark_sensitive(str(first.source_id))
    engine.privacy.set_rule("Diary", Sharing.NEVER)
    engine.models.choose("embedding", "openai", "text-embedding-3-small")
    sheet = engine.privacy.sheet("openai")
    assert (sheet.host, sheet.roles) == ("api.openai.com", (Role.EMBEDDING,))
    assert sheet.sent == ("Every passage of your sources, and every question, to compare their meaning.",)
    assert (sheet.sensitive_count, sheet.never_collections) == (1, ("Diary",))
    assert engine.privacy.sheet("ollama").sent == ()
    with pytest.raises(UnknownServiceError):
        engine.privacy.sheet("nobody")


def test_a_role_that_is_chosen_later_wants_her_leave_anew(online: Callable[..., MemoryEngine]):
    engine = online()
    engine.keys.set("openai", KEY, session_only=True)
    engine.models.choose("answer", "openai")
    assert engine.privacy.allow("openai").is_allowed
    assert choice(engine, Role.ANSWER).state == "ready"
    assert engine.models.choose("embedding", "openai", "text-embedding-3-small").state == "not-allowed"
    state = next(one for one in engine.models.services() if one.service.name == "openai")
    assert not state.is_allowed
    assert choice(engine, Role.ANSWER).state == "ready"
    assert engine.privacy.allow("openai").is_allowed
    assert choice(engine, Role.EMBEDDING).state == "ready"


def test_every_collection_has_a_rule_and_the_rest_has_one(online: Callable[..., MemoryEngine]):
    engine = online()
    engine.ingest(SourceInput(text="One.", title="a", collections=("B",)))
    engine.privacy.set_rule("", Sharing.ASK)
    assert engine.privacy.set_rule("A", Sharing.NEVER) == (
        SharingRule(collection="", sharing=Sharing.ASK),
        SharingRule(collection="A", sharing=Sharing.NEVER),
        SharingRule(collection="B", sharing=Sharing.ASK),
    )


@pytest.mark.parametrize("usd", [-1.0, float("nan"), float("inf")])
def test_a_budget_is_an_amount(online: Callable[..., MemoryEngine], usd: float):
    engine = online()
    with pytest.raises(InvalidInputError):
        engine.privacy.set_budget(usd)
    assert engine.privacy.set_budget(3.0).budget_usd == 3.0
    assert online().privacy.spending().budget_usd == 3.0
    assert online().privacy.set_budget(None).budget_usd is None


def test_whoever_listens_hears_of_each_request_as_it_ends(online: Callable[..., MemoryEngine]):
    engine = online(offline=True)
    heard: list[EgressRow] = []
    engine.privacy.follow_requests(heard.append)
    engine.models.add_service("Near", "127.0.0.1:9")
    with pytest.raises(OfflineError):
        engine.models.download("smollm2-135m")
    assert [(row.host, row.refused) for row in heard] == [("huggingface.co", "network.offline")]
    assert engine.privacy.requests() == tuple(heard)


def test_a_guard_follows_the_switch(online: Callable[..., MemoryEngine]):
    engine = online()
    heard: list[bool] = []
    engine.privacy.follow_offline(heard.append)
    engine.privacy.set_offline(True)
    engine.privacy.set_offline(False)
    assert heard == [False, True, False]


def test_settings_that_were_spoilt_are_told_and_nothing_leaves(online: Callable[..., MemoryEngine], tmp_path: Path):
    online().privacy.allow("openai")
    engine = online()
    engine.close()
    (tmp_path / "one.vault" / "settings.toml").write_text("allowed = 3")
    engine = online()
    assert engine.privacy.offline()
    assert "set aside" in engine.models.roles()[0].note
    assert not next(one for one in engine.models.services() if one.service.name == "openai").is_allowed


# ---------------------------------------------------------------- an embedder of the caller


class Letters:
    """Tells texts apart by how often they have the first letters."""

    model_id, dimension, max_tokens = "letters/1", 4, 512

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.texts += texts
        counts = np.array([[1 + text.lower().count(letter) for letter in "abcd"] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True) if len(texts) else np.zeros((0, 4), np.float32)

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(len(text.split()) for text in texts)


def test_an_embedder_of_the_caller_embeds_records_and_questions(online: Callable[..., MemoryEngine]):
    letters = Letters()
    engine = online(embedder=letters)
    assert (choice(engine, Role.EMBEDDING).service, choice(engine, Role.EMBEDDING).state) == ("given", "ready")
    engine.ingest(SourceInput(text="Bread and butter.", title="a"))
    assert any("Bread" in text for text in letters.texts)
    assert engine.search("toast").coverage.parts_off == ()
    assert "toast" in letters.texts
    again = online()
    assert choice(again, Role.EMBEDDING).service == "built-in"
    again.jobs.wait(20)
    assert again.search("toast").coverage.parts_off == ()
