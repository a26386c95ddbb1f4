"""What can go wrong with models, keys and the network; nothing is caught or logged here."""

from __future__ import annotations

from trisynapse_memory.errors.base import TrisynapseError


class ProviderError(TrisynapseError):
    """A model provider could not do its work."""

    code = "provider.error"
    exit_code = 6


class BadEmbeddingError(ProviderError):
    """An embedder returned nothing, vectors of a wrong length, or numbers that are not finite."""

    code = "provider.bad_embedding"


class ModelFileError(ProviderError):
    """A file is no model that can be used: cut short, of another kind, or of a sort the library does not know."""

    code = "provider.model_file"


class ModelTooLargeError(ModelFileError):
    """A model needs more memory than this machine has to give."""

    code = "provider.model_too_large"


class ModelDiedError(ProviderError):
    """The process that held a local model crashed, was killed or hung; the engine goes on without it."""

    code = "provider.model_died"


class PromptTooLongError(ProviderError):
    """A prompt leaves a model no room for a reply."""

    code = "provider.prompt_too_long"


class UnknownServiceError(ProviderError, KeyError):
    """No model service, or no model file, has that name."""

    code = "provider.unknown"
    exit_code = 2

    __str__ = TrisynapseError.__str__


class KeyNeededError(ProviderError):
    """The service wants a key, and there is none in the keyring nor for this run."""

    code = "provider.no_key"


class ConsentNeededError(ProviderError):
    """She has not allowed this service to be sent anything."""

    code = "privacy.consent"


class NotSharedError(ProviderError):
    """What would have been sent is marked sensitive, or lies in a collection that is never shared."""

    code = "privacy.not_shared"


class BudgetSpentError(ProviderError):
    """What she allows remote models to cost this month is spent."""

    code = "provider.budget"


class ProviderAddressError(ProviderError):
    """An address of a model service that nothing is sent to: no web address, in clear, or not where it may be."""

    code = "provider.address"


class ProviderUnreachableError(ProviderError):
    """No connection to the model service could be made."""

    code = "provider.unreachable"


class ProviderTimedOutError(ProviderError):
    """The model service said nothing for too long."""

    code = "provider.timed_out"


class ProviderCutError(ProviderError):
    """The connection to the model service broke before the answer was whole."""

    code = "provider.cut"


class ProviderTooLargeError(ProviderError):
    """The model service sent more than is taken."""

    code = "provider.too_large"


class ProviderAuthError(ProviderError):
    """The model service does not accept her key, or the key may not do this."""

    code = "provider.auth"


class ModelMissingError(ProviderError):
    """The model service has no model of that name."""

    code = "provider.model_missing"


class RateLimitedError(ProviderError):
    """The model service takes no more requests for now, or her account there has no credit left."""

    code = "provider.rate_limited"


class ProviderRefusedError(ProviderError):
    """The model service would not take the request for what it says."""

    code = "provider.refused"


class BadReplyError(ProviderError):
    """What the model service sent is not what its kind of service sends."""

    code = "provider.bad_reply"


class ProviderFailedError(ProviderError):
    """The model service failed on its own side."""

    code = "provider.failed"


class ProviderStoppedError(ProviderError):
    """Whoever asked no longer wants the answer."""

    code = "provider.stopped"


class KeyringError(ProviderError):
    """The keyring of the operating system is missing, locked, refuses, does not answer, or is none to trust."""

    code = "keyring.error"


class OfflineError(ProviderError):
    """Something asked for the network while offline is on."""

    code = "network.offline"
