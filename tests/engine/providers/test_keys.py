"""Case R45: keys in the operating system's keyring or in memory, whatever state the keyring is in."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable

import keyring.core
import keyring.errors
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null

from trisynapse_memory.contracts import FindKey
from trisynapse_memory.errors import InvalidInputError, KeyringError
from trisynapse_memory.providers import keys
from trisynapse_memory.providers.keys import KeyStore, Secret, label_of, system_backend

KEY = "sk-canary-0123456789"


class Memory(KeyringBackend):
    """A keyring in a dictionary; ``mood`` is called before each access and may raise or wait."""

    priority = 0.1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.mood: Callable[[], None] = lambda: None

    def get_password(self, service, username):
        self.mood()
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.mood()
        self.kept[service, username] = password

    def delete_password(self, service, username):
        self.mood()
        del self.kept[service, username]


@pytest.fixture
def backend() -> Memory:
    return Memory()


@pytest.fixture
def store(backend) -> KeyStore:
    return KeyStore(lambda: backend)


@pytest.fixture
def nothing() -> KeyStore:
    def find() -> KeyringBackend:
        raise KeyringError("There is no keyring.", hint="h")

    return KeyStore(find)


def angry(error: Exception) -> Callable[[], None]:
    def mood() -> None:
        raise error

    return mood


def test_a_key_is_kept_in_the_keyring_and_read_anew_each_time(store, backend):
    assert store.set("openai", KEY).place == "keyring"
    find: FindKey = store.find
    assert find("openai") == KEY
    assert find("anthropic") is None
    backend.kept[keys.APPLICATION, "openai"] = "sk-another-one-9876"
    assert find("openai") == "sk-another-one-9876"
    backend.kept.clear()
    assert find("openai") is None, "a key that is removed while the program runs is gone"


def test_another_store_finds_it_and_a_removed_key_is_in_neither_place(store, backend):
    store.set("openai", KEY)
    assert KeyStore(lambda: backend).find("openai") == KEY
    store.set("openai", "sk-session-1234567", session_only=True)
    assert store.find("openai") == "sk-session-1234567"
    assert store.remove("openai").place == ""
    assert store.find("openai") is None
    assert backend.kept == {}
    store.remove("openai")


def test_a_session_key_touches_no_keyring(store, backend):
    backend.mood = lambda: pytest.fail("the keyring was asked")
    assert store.set("openai", KEY, session_only=True).place == "session"
    assert store.find("openai") == KEY


def test_a_kept_key_takes_the_place_of_the_session_key(store):
    store.set("openai", "sk-session-1234567", session_only=True)
    store.set("openai", KEY)
    assert store.find("openai") == KEY


def test_the_list_says_where_each_key_is_and_never_the_key(store):
    store.set("openai", KEY)
    store.set("gemini", KEY, session_only=True)
    states = store.list(["openai", "anthropic", "gemini"])
    assert [(state.service, state.place) for state in states] == [
        ("openai", "keyring"),
        ("anthropic", ""),
        ("gemini", "session"),
    ]
    assert KEY not in repr(states)


def test_white_space_around_a_pasted_key_is_taken_off(store):
    store.set("openai", f"  {KEY}\r\n")
    assert store.find("openai") == KEY


@pytest.mark.parametrize("key", ["", " \n\t", "sk-two words-1", "sk-line\nbreak-1", "sk-nul\x00-1", "sk-“quoted”-1"])
@pytest.mark.parametrize("session_only", [True, False])
def test_what_is_no_key_is_refused_and_not_repeated(store, backend, key, session_only):
    with pytest.raises(InvalidInputError) as caught:
        store.set("openai", key, session_only)
    assert "sk-" not in str(caught.value)
    assert (backend.kept, store.find("openai")) == ({}, None)


def test_a_secret_shows_itself_only_when_asked_and_is_never_pickled(store):
    store.set("openai", KEY)
    secret = store.get("openai")
    assert secret is not None
    assert secret.reveal() == KEY
    for shown in (repr(secret), str(secret), f"{secret}", f"{[secret]}", "".join([f"{secret!s}"])):
        assert KEY not in shown
        assert "[key]" in shown
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert not hasattr(Secret("x"), "__dict__")


def test_every_key_that_was_seen_is_scrubbed_from_texts(store, backend):
    backend.kept[keys.APPLICATION, "openai"] = KEY
    store.find("openai")
    store.set("gemini", "sk-session-1234567", session_only=True)
    store.remove("openai")
    assert store.scrubber.scrub(f"{KEY} sk-session-1234567") == "[key] [key]"


# -- a keyring that is missing, locked, refuses, hangs or lies


def test_without_a_keyring_a_key_can_be_kept_for_the_session_only(nothing):
    with pytest.raises(KeyringError):
        nothing.set("openai", KEY)
    assert nothing.find("openai") is None
    assert nothing.set("openai", KEY, session_only=True).place == "session"
    assert nothing.find("openai") == KEY
    assert nothing.remove("openai").place == ""
    state = nothing.state()
    assert (state.is_usable, state.problem, state.hint) == (False, "There is no keyring.", "h")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (keyring.errors.KeyringLocked(f"locked {KEY}"), "locked"),
        (keyring.errors.InitError(f"dismissed {KEY}"), "locked"),
        (keyring.errors.PasswordSetError(f"denied {KEY}"), "refused"),
        (keyring.errors.NoKeyringError(f"none {KEY}"), "no keyring"),
        (OSError(f"pipe {KEY}"), "refused"),
    ],
)
def test_a_keyring_that_fails_says_so_with_a_way_out_and_without_the_key(store, backend, error, problem):
    backend.mood = angry(error)
    for act in (lambda: store.set("openai", KEY), lambda: store.get("openai"), lambda: store.remove("openai")):
        with pytest.raises(KeyringError, match=problem) as caught:
            act()
        assert "session" in caught.value.hint
        assert KEY not in str(caught.value)
        assert caught.value.__suppress_context__, "a traceback would show the words of the backend"
    state = store.state()
    assert not state.is_usable
    assert problem in state.problem
    assert [state.place for state in store.list(["openai"])] == [""]
    assert store.set("openai", KEY, session_only=True).place == "session"


def test_a_keyring_that_hangs_is_given_up_and_not_asked_again_while_it_does(backend):
    released, asked = threading.Event(), []

    def hang() -> None:
        asked.append(1)
        released.wait()

    backend.mood = hang
    store = KeyStore(lambda: backend, answer_s=0.1)
    for _ in range(3):
        with pytest.raises(KeyringError, match="does not answer"):
            store.get("openai")
    assert len(asked) == 1
    assert store.set("gemini", KEY, session_only=True).place == "session"
    released.set()
    backend.mood = lambda: None
    keyring_thread = next(thread for thread in threading.enumerate() if thread.name == "keyring")
    keyring_thread.join(10)
    assert store.get("openai") is None


def test_a_keyring_that_takes_a_key_and_forgets_it_is_found_out():
    store = KeyStore(null.Keyring)
    with pytest.raises(KeyringError, match="does not give it back"):
        store.set("openai", KEY)
    assert store.find("openai") is None


# -- which keyrings are believed


class PlaintextKeyring(Memory):
    """Stands for ``keyrings.alt.file.PlaintextKeyring``, which writes keys into a file for everybody to read."""

    __module__ = "keyrings.alt.file"
    priority = 0.5


class FakeSecretService(Memory):
    __module__ = "keyring.backends.SecretService"
    priority = 5


@pytest.fixture
def choose(monkeypatch):
    """Let the library find one keyring, or be told to use it."""

    def chosen(backend: KeyringBackend, *, by_her: bool, viable: tuple[type[KeyringBackend], ...] = ()) -> None:
        monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
        monkeypatch.setattr(keyring.core, "load_env", lambda: backend if by_her else None)
        monkeypatch.setattr(keyring.core, "load_config", lambda: None)
        monkeypatch.setattr(KeyringBackend, "get_viable_backends", classmethod(lambda cls: iter(viable)))

    return chosen


@pytest.mark.parametrize("by_her", [True, False])
@pytest.mark.parametrize("kind", [PlaintextKeyring, null.Keyring, fail.Keyring, Memory])
def test_plain_text_null_fail_and_unknown_keyrings_are_refused(choose, kind, by_her):
    choose(kind(), by_her=by_her)
    with pytest.raises(KeyringError) as caught:
        system_backend()
    assert "session" in caught.value.hint
    assert not KeyStore(system_backend).state().is_usable


def test_a_chain_is_not_used_but_the_keyring_of_the_system_in_it_is(choose):
    choose(chainer.ChainerBackend(), by_her=False, viable=(PlaintextKeyring, FakeSecretService))
    assert type(system_backend()) is FakeSecretService
    choose(chainer.ChainerBackend(), by_her=False, viable=(PlaintextKeyring,))
    with pytest.raises(KeyringError):
        system_backend()


def test_a_keyring_that_was_started_later_is_found(choose):
    choose(fail.Keyring(), by_her=False, viable=(FakeSecretService,))
    assert label_of(system_backend()) == "Secret Service"


def test_a_keyring_she_chose_is_not_replaced_by_another(choose):
    choose(fail.Keyring(), by_her=True, viable=(FakeSecretService,))
    with pytest.raises(KeyringError, match="no keyring"):
        system_backend()


def test_a_plain_text_keyring_is_named(choose):
    choose(PlaintextKeyring(), by_her=False)
    with pytest.raises(KeyringError, match=r"keyrings\.alt\.file"):
        system_backend()
