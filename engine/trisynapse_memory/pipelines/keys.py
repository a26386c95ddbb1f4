"""Her keys as she handles them: keep one, take it away, see where it lies. No key is ever returned or shown."""

from __future__ import annotations

from trisynapse_memory.pipelines.staffing.catalogue import key_name
from trisynapse_memory.pipelines.staffing.staff import Staff
from trisynapse_memory.types import KeyringState, KeyState


class Keys:
    """The noun door ``engine.keys``."""

    def __init__(self, staff: Staff) -> None:
        self._staff = staff

    def state(self) -> KeyringState:
        """Return whether the keyring of the operating system can keep keys, and if not, why and what to do."""
        return self._staff.means.keys.state()

    def list(self) -> tuple[KeyState, ...]:
        """Return for every service that takes a key where hers is kept: the keyring, this run only, or nowhere."""
        return tuple(self._staff.key_state(service) for service in self._staff.services() if service.base_url)

    def set(self, service: str, key: str, session_only: bool = False) -> KeyState:
        """Keep a key in the keyring, or in the memory of the engine process until that ends.

        Raises:
            UnknownServiceError: no service has that name.
            InvalidInputError: it is no key.
            KeyringError: the keyring cannot keep it; nothing was written anywhere.
        """
        found = self._staff.service(service)
        self._staff.means.keys.set(key_name(found), key, session_only)
        self._staff.refresh()
        return self._staff.key_state(found)

    def remove(self, service: str) -> KeyState:
        """Take a key out of the keyring and out of the engine; a request that needs it fails from now on.

        Raises:
            UnknownServiceError: no service has that name.
            KeyringError: the keyring does not let it go.
        """
        found = self._staff.service(service)
        self._staff.means.keys.remove(key_name(found))
        self._staff.refresh()
        return self._staff.key_state(found)
