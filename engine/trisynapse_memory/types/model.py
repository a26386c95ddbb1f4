"""What is asked of a model and what it answers, which models there are, and what left this machine; values only."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from trisynapse_memory.types.record import SourceId


class Role(StrEnum):
    """What a model is wanted for. Each has its own choice of provider and model, its own prompt, and a way without."""

    ANSWER = "answer"
    EXTRACTION = "extraction"
    SUMMARY = "summary"
    WIKI = "wiki"
    REWRITING = "rewriting"
    VISION = "vision"
    EMBEDDING = "embedding"
    TRANSCRIPTION = "transcription"
    RERANKING = "reranking"


WRITING_ROLES = (Role.ANSWER, Role.EXTRACTION, Role.SUMMARY, Role.WIKI, Role.REWRITING)
"""The roles that one text model can fill; ``completion`` on the command line means all of them."""


class Finish(StrEnum):
    """Why a reply ended: by itself, at the length limit, because the caller stopped it, or because it was refused."""

    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"
    REFUSED = "refused"


class PromptImage(Struct, frozen=True, kw_only=True):
    """A picture shown to a vision model: its media type (``image/png``) and its bytes."""

    media_type: str
    content: bytes


class Prompt(Struct, frozen=True, kw_only=True):
    """One question to a model.

    ``instructions`` are ours and the same for every request of a kind; ``text`` holds the evidence, then what is asked
    (that order lets a local model reuse what it has read). ``schema`` is the JSON Schema of the reply, None for prose.
    ``source_ids`` are the sources whose words it holds: they stand in the ledger if it leaves this machine. ``choices``
    are the only replies that are wanted, where a few words are; no two may begin alike. A model in this machine then
    says how likely each is (``Completion.odds``), others reply in words.
    """

    text: str
    instructions: str = ""
    schema: dict[str, object] | None = None
    max_output_tokens: int = 1024
    role: Role = Role.ANSWER
    source_ids: tuple[SourceId, ...] = ()
    images: tuple[PromptImage, ...] = ()
    choices: tuple[str, ...] = ()


class Usage(Struct, frozen=True, kw_only=True):
    """What one reply took: tokens, US dollars (None where no price is known), milliseconds. 0 ms: not measured."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    first_token_ms: float = 0.0
    total_ms: float = 0.0


class Completion(Struct, frozen=True, kw_only=True):
    """What a model replied, as it came. ``model`` is the name the provider gave, where it says one.

    ``odds`` are natural logarithms of how likely each of ``Prompt.choices`` was, their sum 1; empty where not told.
    """

    text: str
    finish: Finish = Finish.STOP
    usage: Usage = Usage()
    model: str = ""
    odds: tuple[float, ...] = ()


class ModelService(Struct, frozen=True, kw_only=True):
    """One place where models can be asked: a provider with her key, a server of hers, or this machine.

    ``wire`` names the provider branch that speaks its language; ``base_url`` is empty for a model in this machine.
    ``key_url`` is where she gets a key. ``is_remote`` says that prompts leave this machine.
    """

    name: str
    label: str
    wire: str
    base_url: str = ""
    roles: tuple[Role, ...] = ()
    needs_key: bool = False
    key_url: str = ""
    is_remote: bool = True
    default_model: str = ""


class ServiceState(Struct, frozen=True, kw_only=True):
    """A service as she has set it up: whether there is a key, and whether she has allowed it to be sent anything.

    ``is_own`` says that she added its address herself, so that she can take it away again.
    """

    service: ModelService
    has_key: bool = False
    is_session_key: bool = False
    is_allowed: bool = False
    is_own: bool = False


class ModelCard(Struct, frozen=True, kw_only=True):
    """One model a service offers. Prices are US dollars per million tokens; None and 0 tokens mean not known."""

    service: str
    name: str
    label: str = ""
    context_tokens: int = 0
    roles: tuple[Role, ...] = ()
    input_price_usd: float | None = None
    output_price_usd: float | None = None


class LocalModel(Struct, frozen=True, kw_only=True):
    """One model file for this machine, on the curated list or in her folder.

    ``state`` is offered, downloading, ready or broken; ``fit`` is good, tight or too-large for this machine's memory.
    ``speed`` is an estimate in tokens per second here, 0 where none can be made; ``note`` says what is wrong,
    ``description`` what it is good for.
    """

    name: str
    label: str
    file_name: str
    size_bytes: int
    licence: str = ""
    url: str = ""
    sha256: str = ""
    context_tokens: int = 0
    memory_bytes: int = 0
    fit: str = "good"
    speed: float = 0.0
    state: str = "offered"
    done_bytes: int = 0
    path: str = ""
    note: str = ""
    description: str = ""


class RoleChoice(Struct, frozen=True, kw_only=True):
    """Which model fills a role, and whether it can: ``state`` is off, ready, or why not.

    States: ``off`` (nothing chosen), ``ready``, ``no-key``, ``not-allowed``, ``offline``, ``missing`` (a file or a
    package), ``budget`` (what she allowed to spend is spent). ``note`` says it in a sentence.
    """

    role: Role
    service: str = ""
    model: str = ""
    base_url: str = ""
    state: str = "off"
    note: str = ""


class ModelTest(Struct, frozen=True, kw_only=True):
    """What came of asking a role's model for one short reply. Of an embedder, ``reply`` tells its dimension."""

    role: Role
    passed: bool
    service: str = ""
    model: str = ""
    reply: str = ""
    problem: str = ""
    usage: Usage = Usage()


class KeyState(Struct, frozen=True, kw_only=True):
    """Where the key of a service is kept: ``keyring``, ``session`` (this run only) or nowhere. Never the key."""

    service: str
    place: str = ""


class KeyringState(Struct, frozen=True, kw_only=True):
    """The operating system's keyring: its name, whether keys can be kept in it, and if not, why and what to do."""

    name: str
    is_usable: bool
    problem: str = ""
    hint: str = ""


class Sharing(StrEnum):
    """Whether the words of a collection may be sent to a remote model: never, only when she says so, or yes."""

    NEVER = "never"
    ASK = "ask"
    ALLOW = "allow"


class SharingRule(Struct, frozen=True, kw_only=True):
    """The rule of one collection; the empty name is what holds for sources in none."""

    collection: str
    sharing: Sharing


class ConsentSheet(Struct, frozen=True, kw_only=True):
    """What she is told before a remote service is used for the first time: to whom, what is sent, and what is not."""

    service: str
    label: str
    host: str
    roles: tuple[Role, ...]
    sent: tuple[str, ...]
    kept_here: tuple[str, ...]
    sensitive_count: int = 0
    never_collections: tuple[str, ...] = ()


class Spending(Struct, frozen=True, kw_only=True):
    """What remote models have cost this calendar month, and the most she allows (None: no limit)."""

    spent_usd: float
    budget_usd: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    unpriced_count: int = 0


class EgressRow(Struct, frozen=True, kw_only=True):
    """One request that left this machine or was refused at the door: never a path, a query, a header or a body.

    ``sent_bytes`` and ``received_bytes`` are what passed the connection, headers included, before encryption.
    ``source_ids`` are the sources whose words it carried; ``refused`` is the error code where nothing of it went out,
    ``failed`` where it did and no whole answer came back (``unfinished`` while it is under way, or was when the process
    died).
    """

    at: datetime
    host: str
    purpose: str
    service: str = ""
    status: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    source_ids: tuple[SourceId, ...] = ()
    refused: str = ""
    failed: str = ""
