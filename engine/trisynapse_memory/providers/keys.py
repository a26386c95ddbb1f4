"""A service in, her key for it out: kept in the keyring of the operating system or for this run; never in a file.

Case R45: a keyring may be missing, locked, refuse, hang, or be no keyring at all but a plain text file in disguise. So
only the four keyrings of operating systems are used, each call has a time limit and a thread of its own, and a key can
be kept in the memory of this process instead. It is read anew for every request: a key that she takes away is gone.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from trisynapse_memory.errors import InvalidInputError, KeyringError
from trisynapse_memory.providers.scrubbing import MARK, Scrubber
from trisynapse_memory.types import KeyringState, KeyState

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

APPLICATION: Final = "Trisynapse Desktop"
"""The name under which the keyring shows our keys; the user name beside it is the service's."""

ANSWER_S: Final = 20.0  # chosen: time to type a password into the keyring's own window; an open keyring takes 10 ms
LABELS: Final = MappingProxyType(
    {
        "keyring.backends.SecretService": "Secret Service",
        "keyring.backends.libsecret": "Secret Service",
        "keyring.backends.kwallet": "KWallet",
        "keyring.backends.macOS": "macOS Keychain",
        "keyring.backends.Windows": "Windows Credential Locker",
    }
)
"""The backends that are keyrings of an operating system; whatever else calls itself one may be a plain text file."""

KEYRING, SESSION, NOWHERE = "keyring", "session", ""
_SESSION_HINT: Final = "Or keep the key for this session only."
_WRITABLE: Final = re.compile(r"[!-~]+")

T = TypeVar("T")


class Secret:
    """A key that shows itself only when it is asked by name, and cannot be pickled."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def reveal(self) -> str:
        """Return the key itself."""
        return self._key

    def __repr__(self) -> str:
        return MARK

    __str__ = __repr__

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not written anywhere.")


class KeyStore:
    """Her keys: those in the keyring, and those of this run.

    Args:
        find_backend: finds the keyring each time it is needed; another one in tests.
        answer_s: how long the keyring may take, its question for a password included.
        scrubber: is told every key that is seen here.
    """

    def __init__(
        self,
        find_backend: Callable[[], KeyringBackend] | None = None,
        answer_s: float = ANSWER_S,
        scrubber: Scrubber | None = None,
    ) -> None:
        self._find_backend = find_backend or system_backend
        self._answer_s = answer_s
        self.scrubber = scrubber or Scrubber()
        self._session: dict[str, Secret] = {}
        self._asking: threading.Thread | None = None
        self._one_at_a_time = threading.Lock()

    def state(self) -> KeyringState:
        """Ask the keyring for a key that nobody has; what comes of it tells whether it can be used."""
        try:
            backend = self._within(self._find_backend)
            name = label_of(backend) or str(backend.name)
        except KeyringError as error:
            return KeyringState(name="", is_usable=False, problem=error.problem, hint=error.hint)
        try:
            self._within(lambda: backend.get_password(APPLICATION, "-"))
        except KeyringError as error:
            return KeyringState(name=name, is_usable=False, problem=error.problem, hint=error.hint)
        return KeyringState(name=name, is_usable=True)

    def get(self, service: str) -> Secret | None:
        """Return the key of a service: the one of this session, else the one in the keyring, else None.

        Raises:
            KeyringError: there is a keyring, but it is locked, refuses or does not answer.
        """
        return self._session.get(service) or self._kept(service).get(service)

    def find(self, service: str) -> str | None:
        """Return the key itself, for the header of one request; ``contracts.FindKey``.

        Raises:
            KeyringError: as ``get``.
        """
        secret = self.get(service)
        return None if secret is None else secret.reveal()

    def set(self, service: str, key: str, session_only: bool = False) -> KeyState:
        """Keep a key and return where it is; white space around it is taken off.

        Raises:
            InvalidInputError: it is empty or holds what no key holds; it is not repeated.
            KeyringError: the keyring cannot keep it; nothing was written.
        """
        secret = Secret(_cleaned(key))
        self.scrubber.hide(secret.reveal())
        if session_only:
            self._session[service] = secret
            return KeyState(service=service, place=SESSION)

        def keep() -> str | None:
            backend = self._find_backend()
            # keyring wraps the method in a way that hides its types.
            backend.set_password(APPLICATION, service, secret.reveal())  # pyright: ignore[reportUnknownMemberType]
            return backend.get_password(APPLICATION, service)

        if self._within(keep) != secret.reveal():
            raise KeyringError(
                "The keyring took the key and does not give it back.", hint=f"Check the keyring. {_SESSION_HINT}"
            )
        self._session.pop(service, None)
        return KeyState(service=service, place=KEYRING)

    def remove(self, service: str) -> KeyState:
        """Forget a key in both places.

        Raises:
            KeyringError: it is still in the keyring.
        """
        self._session.pop(service, None)

        def erase() -> bool:
            try:
                backend = self._find_backend()
            except KeyringError:
                return True
            # Another program may have kept a second one under the same name.
            while backend.get_password(APPLICATION, service) is not None:
                backend.delete_password(APPLICATION, service)
            return True

        self._within(erase)
        return KeyState(service=service, place=NOWHERE)

    def list(self, services: Iterable[str]) -> tuple[KeyState, ...]:
        """Return where the key of each service is; a keyring that cannot be asked holds none."""
        names = tuple(services)
        try:
            kept = self._kept(*names)
        except KeyringError:
            kept = {}
        places = {service: SESSION if service in self._session else KEYRING for service in (*kept, *self._session)}
        return tuple(KeyState(service=name, place=places.get(name, NOWHERE)) for name in names)

    def _kept(self, *services: str) -> dict[str, Secret]:
        """Return those keys that the keyring holds; where there is no keyring, none."""

        def read() -> dict[str, str | None]:
            try:
                backend = self._find_backend()
            except KeyringError:
                return {}
            return {service: backend.get_password(APPLICATION, service) for service in services}

        found = {service: key for service, key in self._within(read).items() if key}
        for key in found.values():
            self.scrubber.hide(key)
        return {service: Secret(key) for service, key in found.items()}

    def _within(self, work: Callable[[], T]) -> T:
        """Do one thing with the keyring in a thread that is left behind when it takes too long.

        Raises:
            KeyringError: it failed, took too long, or an earlier call still hangs.
        """
        done: list[T] = []
        failures: list[KeyringError] = []

        def run() -> None:
            known = _failures()
            try:
                done.append(work())
            except KeyringError as error:
                failures.append(error)
            except known as error:
                failures.append(_in_our_words(error))

        with self._one_at_a_time:
            if self._asking is not None and self._asking.is_alive():
                raise _hanging()
            self._asking = threading.Thread(target=run, name="keyring", daemon=True)
            self._asking.start()
            self._asking.join(self._answer_s)
            if self._asking.is_alive():
                raise _hanging()
        if failures:
            # Without its cause: a backend may repeat what it was given.
            raise failures[0] from None
        if not done:
            raise KeyringError("The keyring failed.", hint=f"See the log. {_SESSION_HINT}")
        return done[0]


def keep_memory_out_of_dumps() -> None:
    """Let a crash of this process write no memory to disk, and so no key; its children inherit that."""
    # Linux: what a dump holds, also where a crash reporter of the system takes it; the limit alone does not bind those.
    with contextlib.suppress(OSError):
        Path("/proc/self/coredump_filter").write_text("0", encoding="ascii")
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def system_backend() -> KeyringBackend:
    """Return the keyring of this operating system, looked for anew: it may have been started meanwhile.

    Raises:
        KeyringError: there is none, or only something that would write keys where anybody can read them.
    """
    import keyring
    from keyring.backend import KeyringBackend
    from keyring.backends.chainer import ChainerBackend
    from keyring.core import load_config, load_env

    chosen = keyring.get_keyring()
    if label_of(chosen):
        return chosen
    is_chosen_by_her = load_env() is not None or load_config() is not None
    if isinstance(chosen, ChainerBackend) or not is_chosen_by_her:
        # A chain asks all of them and writes to the first that agrees, the plain text file included.
        viable = [kind for kind in KeyringBackend.get_viable_backends() if kind.__module__ in LABELS]
        if viable:
            return max(viable, key=lambda kind: kind.priority)()
    if type(chosen).__module__ in ("keyring.backends.fail", "keyring.backends.chainer"):
        raise KeyringError(
            "There is no keyring on this computer, or it is not running.",
            hint=f"Install and unlock one (GNOME Keyring, KWallet, KeePassXC). {_SESSION_HINT}",
        )
    raise KeyringError(
        f"The keyring that is set up, '{type(chosen).__module__}', is not the one of the operating system and may write"
        " keys where they can be read.",
        hint=f"Use the one of the operating system. {_SESSION_HINT}",
    )


def label_of(backend: KeyringBackend) -> str:
    """Return the name of an operating system's keyring, empty for anything else."""
    return LABELS.get(type(backend).__module__, "")


def _cleaned(key: str) -> str:
    key = key.strip()
    if not key:
        raise InvalidInputError("The key is empty.", hint="Copy it from the provider's page.")
    if _WRITABLE.fullmatch(key) is None:
        raise InvalidInputError(
            "That is no key: it holds a space, a line break or a character that no key has.",
            hint="Copy the key alone from the provider's page.",
        )
    return key


def _failures() -> tuple[type[Exception], ...]:
    """What the backends raise, by their libraries: those that are not installed cannot have raised anything."""
    import keyring.errors

    found: list[type[Exception]] = [keyring.errors.KeyringError, OSError, RuntimeError, ValueError, ImportError]
    try:
        from jeepney import DBusErrorResponse  # pyright: ignore[reportMissingTypeStubs]
        from secretstorage.exceptions import SecretStorageException
    except ImportError:
        return tuple(found)
    return (*found, DBusErrorResponse, SecretStorageException)


def _in_our_words(error: Exception) -> KeyringError:
    import keyring.errors

    if isinstance(error, keyring.errors.NoKeyringError):
        return KeyringError("There is no keyring on this computer.", hint=_SESSION_HINT)
    if isinstance(error, keyring.errors.KeyringLocked | keyring.errors.InitError):
        return KeyringError("The keyring is locked.", hint=f"Unlock it and try again. {_SESSION_HINT}")
    return KeyringError(
        f"The keyring refused ({type(error).__name__}).", hint=f"Look into the keyring's own window. {_SESSION_HINT}"
    )


def _hanging() -> KeyringError:
    return KeyringError(
        "The keyring does not answer.", hint=f"It may be waiting for a password in a window of its own. {_SESSION_HINT}"
    )
