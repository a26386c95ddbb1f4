"""What went wrong, with which thing, and what to do; nothing is caught or logged here.

The tree (each class has a stable ``code``; programs read the code, people read the text):

    TrisynapseError
    ├── InvalidSettingError        setting.invalid
    ├── InvalidInputError          input.invalid
    ├── UnknownBranchError         branch.unknown
    ├── BranchUnavailableError     branch.unavailable
    ├── VaultError                 vault.error
    │   ├── VaultMissingError      vault.missing
    │   ├── VaultExistsError       vault.exists
    │   ├── VaultDamagedError      vault.damaged
    │   ├── VaultHeldError         vault.held
    │   ├── VaultFormatError       vault.format
    │   └── DiskFullError          vault.disk_full
    ├── UnknownRecordError         record.unknown
    ├── UnknownSourceError         source.unknown
    ├── UnknownClaimError          claim.unknown
    ├── UnknownGroupError          group.unknown
    ├── UnknownAliasError          alias.unknown
    ├── SourceError                source.error
    │   ├── SourceMissingError     source.missing
    │   │   └── HostUnknownError   source.host
    │   ├── SourceDeniedError      source.denied
    │   │   └── RobotsDeniedError  source.robots
    │   ├── SourceEmptyError       source.empty
    │   ├── SourceUnsupportedError source.unsupported
    │   ├── SourceDamagedError     source.damaged
    │   ├── PasswordNeededError    source.password
    │   ├── SourceTooLargeError    source.too_large
    │   ├── SourceTimedOutError    source.timed_out
    │   ├── SourceBusyError        source.busy
    │   └── WorkerDiedError        source.worker_died
    ├── ProviderError              provider.error
    │   ├── BadEmbeddingError      provider.bad_embedding
    │   ├── ModelFileError         provider.model_file
    │   │   └── ModelTooLargeError provider.model_too_large
    │   ├── ModelDiedError         provider.model_died
    │   ├── PromptTooLongError     provider.prompt_too_long
    │   ├── UnknownServiceError    provider.unknown
    │   ├── KeyNeededError         provider.no_key
    │   ├── ConsentNeededError     privacy.consent
    │   ├── NotSharedError         privacy.not_shared
    │   ├── BudgetSpentError       provider.budget
    │   ├── ProviderAddressError   provider.address
    │   ├── ProviderUnreachableError provider.unreachable
    │   ├── ProviderTimedOutError  provider.timed_out
    │   ├── ProviderCutError       provider.cut
    │   ├── ProviderTooLargeError  provider.too_large
    │   ├── ProviderStoppedError   provider.stopped
    │   ├── ProviderAuthError      provider.auth
    │   ├── ModelMissingError      provider.model_missing
    │   ├── RateLimitedError       provider.rate_limited
    │   ├── ProviderRefusedError   provider.refused
    │   ├── BadReplyError          provider.bad_reply
    │   ├── ProviderFailedError    provider.failed
    │   ├── KeyringError           keyring.error
    │   └── OfflineError           network.offline
    ├── PeerError                  bench.peer
    └── ServiceError               service.error
        ├── ServiceGoneError       service.gone
        └── UnknownVerbError       service.unknown_verb

``docs/errors.md`` is generated from this module.
"""

from __future__ import annotations

from trisynapse_memory.errors.base import TrisynapseError
from trisynapse_memory.errors.providers import (
    BadEmbeddingError,
    BadReplyError,
    BudgetSpentError,
    ConsentNeededError,
    KeyNeededError,
    KeyringError,
    ModelDiedError,
    ModelFileError,
    ModelMissingError,
    ModelTooLargeError,
    NotSharedError,
    OfflineError,
    PromptTooLongError,
    ProviderAddressError,
    ProviderAuthError,
    ProviderCutError,
    ProviderError,
    ProviderFailedError,
    ProviderRefusedError,
    ProviderStoppedError,
    ProviderTimedOutError,
    ProviderTooLargeError,
    ProviderUnreachableError,
    RateLimitedError,
    UnknownServiceError,
)

__all__ = [
    "BadEmbeddingError",
    "BadReplyError",
    "BranchUnavailableError",
    "BudgetSpentError",
    "ConsentNeededError",
    "DiskFullError",
    "HostUnknownError",
    "InvalidInputError",
    "InvalidSettingError",
    "KeyNeededError",
    "KeyringError",
    "ModelDiedError",
    "ModelFileError",
    "ModelMissingError",
    "ModelTooLargeError",
    "NotSharedError",
    "OfflineError",
    "PasswordNeededError",
    "PeerError",
    "PromptTooLongError",
    "ProviderAddressError",
    "ProviderAuthError",
    "ProviderCutError",
    "ProviderError",
    "ProviderFailedError",
    "ProviderRefusedError",
    "ProviderStoppedError",
    "ProviderTimedOutError",
    "ProviderTooLargeError",
    "ProviderUnreachableError",
    "RateLimitedError",
    "RobotsDeniedError",
    "ServiceError",
    "ServiceGoneError",
    "SourceBusyError",
    "SourceDamagedError",
    "SourceDeniedError",
    "SourceEmptyError",
    "SourceError",
    "SourceMissingError",
    "SourceTimedOutError",
    "SourceTooLargeError",
    "SourceUnsupportedError",
    "TrisynapseError",
    "UnknownAliasError",
    "UnknownBranchError",
    "UnknownClaimError",
    "UnknownGroupError",
    "UnknownRecordError",
    "UnknownServiceError",
    "UnknownSourceError",
    "UnknownVerbError",
    "VaultDamagedError",
    "VaultError",
    "VaultExistsError",
    "VaultFormatError",
    "VaultHeldError",
    "VaultMissingError",
    "WorkerDiedError",
]


class InvalidSettingError(TrisynapseError, ValueError):
    """A setting or parameter has a value it cannot have."""

    code = "setting.invalid"
    exit_code = 2


class InvalidInputError(TrisynapseError, ValueError):
    """A command or call was given something it cannot work with."""

    code = "input.invalid"
    exit_code = 2


class UnknownBranchError(TrisynapseError, KeyError):
    """No branch of that kind has that name."""

    code = "branch.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__  # KeyError would print the repr.


class BranchUnavailableError(TrisynapseError, ImportError):
    """The branch exists, but a package it needs is not installed."""

    code = "branch.unavailable"
    exit_code = 6


class VaultError(TrisynapseError):
    """The vault as a whole cannot be used."""

    code = "vault.error"
    exit_code = 5


class VaultMissingError(VaultError):
    """There is no vault in that folder."""

    code = "vault.missing"


class VaultExistsError(VaultError):
    """A vault would have to be made where something else already is."""

    code = "vault.exists"
    exit_code = 2


class VaultDamagedError(VaultError):
    """A file of the vault does not hold what it must hold."""

    code = "vault.damaged"


class VaultHeldError(VaultError):
    """Another process owns the vault and does not answer."""

    code = "vault.held"


class VaultFormatError(VaultError):
    """The vault was written by a version this program cannot read."""

    code = "vault.format"


class DiskFullError(VaultError):
    """The disk that holds the vault is full; what was being written was rolled back."""

    code = "vault.disk_full"


class UnknownRecordError(TrisynapseError, KeyError):
    """No record has that id."""

    code = "record.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class UnknownSourceError(TrisynapseError, KeyError):
    """No source has that id."""

    code = "source.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class UnknownClaimError(TrisynapseError, KeyError):
    """No claim has that id now; claims leave with the last evidence they rest on."""

    code = "claim.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class UnknownGroupError(TrisynapseError, KeyError):
    """No group of records has that id, or it has no summary."""

    code = "group.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class UnknownAliasError(TrisynapseError, KeyError):
    """No merge of names has that id."""

    code = "alias.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class SourceError(TrisynapseError):
    """One source could not be taken in; the others go on."""

    code = "source.error"
    exit_code = 4


class SourceMissingError(SourceError):
    """The file or folder is not there."""

    code = "source.missing"


class HostUnknownError(SourceMissingError):
    """No such host is known, or the network is down: a name server does not tell the two apart."""

    code = "source.host"


class SourceDeniedError(SourceError):
    """The operating system does not let us read the file or folder."""

    code = "source.denied"


class RobotsDeniedError(SourceDeniedError):
    """The site does not want programs to read this page, and nobody asked for this very page."""

    code = "source.robots"


class SourceEmptyError(SourceError):
    """The source has no content at all."""

    code = "source.empty"


class SourceUnsupportedError(SourceError):
    """No loader reads what the source holds."""

    code = "source.unsupported"


class SourceDamagedError(SourceError):
    """The source is not what its type says, or is broken beyond reading."""

    code = "source.damaged"


class PasswordNeededError(SourceError):
    """The source is encrypted, and no password, or a wrong one, was given."""

    code = "source.password"


class SourceTooLargeError(SourceError):
    """The source is larger than the configured limit."""

    code = "source.too_large"


class SourceTimedOutError(SourceError):
    """Reading the source took longer than its budget."""

    code = "source.timed_out"


class SourceBusyError(SourceError):
    """The server of a page cannot answer now; ``retry_after_s`` is the pause it asks for, None where it asks none."""

    code = "source.busy"
    retry_after_s: float | None = None


class WorkerDiedError(SourceError):
    """The worker process that read the source crashed."""

    code = "source.worker_died"


class PeerError(TrisynapseError):
    """Another program that the benchmark measures is not installed, or failed."""

    code = "bench.peer"
    exit_code = 6


class ServiceError(TrisynapseError):
    """The conversation between a client and the engine process failed."""

    code = "service.error"
    exit_code = 5


class ServiceGoneError(ServiceError):
    """The engine process ended while it was asked something."""

    code = "service.gone"


class UnknownVerbError(ServiceError):
    """The engine process does not know the verb it was asked for."""

    code = "service.unknown_verb"
