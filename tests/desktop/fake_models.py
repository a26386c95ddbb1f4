"""Models, keys and privacy of the fake engine process, answered from memory; nothing is asked and nothing is kept."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from fake_papers import NOW

from trisynapse_memory.types import (
    WRITING_ROLES,
    ConsentSheet,
    EgressRow,
    KeyringState,
    KeyState,
    LocalModel,
    ModelCard,
    ModelService,
    ModelTest,
    Role,
    RoleChoice,
    ServiceState,
    Sharing,
    SharingRule,
    Spending,
    Usage,
)

SERVICES = (
    ModelService(
        name="openai",
        label="OpenAI",
        wire="openai_compatible",
        base_url="https://api.openai.example/v1",
        roles=tuple(Role),
        needs_key=True,
        default_model="small-1",
    ),
    ModelService(
        name="anthropic",
        label="Anthropic",
        wire="anthropic",
        base_url="https://api.anthropic.example",
        roles=WRITING_ROLES,
        needs_key=True,
    ),
    ModelService(
        name="ollama",
        label="Ollama",
        wire="openai_compatible",
        base_url="http://127.0.0.1:11434/v1",
        roles=tuple(Role),
        is_remote=False,
    ),
)
LOCAL = (
    LocalModel(
        name="smollm2-135m",
        label="SmolLM2 135M Instruct",
        file_name="smollm2.gguf",
        size_bytes=98_000_000,
        licence="Apache-2.0",
        url="https://models.example/smollm2.gguf",
        memory_bytes=260_000_000,
        speed=48,
        state="ready",
        path="/models/smollm2.gguf",
    ),
    LocalModel(
        name="qwen3-4b",
        label="Qwen3 4B Instruct",
        file_name="qwen3-4b.gguf",
        size_bytes=2_500_000_000,
        licence="Apache-2.0",
        url="https://models.example/qwen3-4b.gguf",
        memory_bytes=3_400_000_000,
        fit="tight",
        speed=6,
    ),
    LocalModel(
        name="mistral-24b",
        label="Mistral Small 24B Instruct",
        file_name="mistral-24b.gguf",
        size_bytes=14_300_000_000,
        licence="Apache-2.0",
        url="https://models.example/mistral-24b.gguf",
        memory_bytes=17_000_000_000,
        fit="too-large",
        speed=1,
    ),
)


class FakeModels:
    """The verbs of ``models``, ``keys`` and ``privacy``; the fake engine is one of these."""

    def start_models(self) -> None:
        self.services = {one.name: ServiceState(service=one) for one in SERVICES}
        self.local = {one.name: one for one in LOCAL}
        self.choices = {role: RoleChoice(role=role) for role in Role}
        self.choices[Role.EMBEDDING] = RoleChoice(role=Role.EMBEDDING, service="built-in")
        self.sharing = {"": Sharing.ALLOW, "Interviews": Sharing.NEVER, "Optics": Sharing.ALLOW}
        self.budget: float | None = None
        self.is_offline = self.is_held = False
        self.keyring = KeyringState(name="GNOME Keyring", is_usable=True)
        self.ledger: list[EgressRow] = []

    def do_models_services(self) -> list[ServiceState]:
        return list(self.services.values())

    def do_models_add_service(self, label: str, base_url: str) -> ServiceState:
        name = label.lower()
        service = ModelService(
            name=name,
            label=label,
            wire="openai_compatible",
            base_url=base_url,
            roles=tuple(Role),
            is_remote="127.0.0.1" not in base_url,
        )
        self.services[name] = ServiceState(service=service, is_own=True)
        return self.services[name]

    def do_models_remove_service(self, name: str) -> None:
        del self.services[name]

    def do_models_roles(self) -> list[RoleChoice]:
        return [self._judged(choice) for choice in self.choices.values()]

    def _judged(self, choice: RoleChoice) -> RoleChoice:
        state = self.services.get(choice.service)
        if not choice.service:
            return choice
        if state is not None and state.service.is_remote and not state.is_allowed:
            return msgspec.structs.replace(
                choice, state="not-allowed", note=f"{state.service.label} is not allowed yet."
            )
        return msgspec.structs.replace(choice, state="ready")

    def do_models_choose(self, role: str, service: str, model: str = "") -> RoleChoice:
        roles = WRITING_ROLES if role == "completion" else (Role(role),)
        for one in roles:
            self.choices[one] = RoleChoice(role=one, service=service, model=model)
        return self._judged(self.choices[roles[0]])

    def do_models_clear(self, role: str) -> RoleChoice:
        for one in WRITING_ROLES if role == "completion" else (Role(role),):
            self.choices[one] = RoleChoice(role=one)
        return RoleChoice(role=Role.ANSWER)

    def do_models_test(self, role: str) -> ModelTest:
        usage = Usage(input_tokens=20, output_tokens=11, first_token_ms=400, total_ms=900)
        return ModelTest(role=Role(role), passed=True, reply="Ready.", usage=usage)

    def do_models_cards(self, service: str, refresh: bool = False) -> list[ModelCard]:
        host = self.services[service].service.base_url.partition("://")[2].partition("/")[0]
        self.ledger.insert(0, EgressRow(at=NOW, host=host, purpose="model list", status=200, sent_bytes=210))
        return [ModelCard(service=service, name=name) for name in ("small-1", "large-2")]

    def do_models_local(self) -> list[LocalModel]:
        return list(self.local.values())

    def do_models_download(self, name: str) -> LocalModel:
        self.local[name] = msgspec.structs.replace(self.local[name], state="ready", path=f"/models/{name}.gguf")
        return self.local[name]

    def do_models_cancel_download(self, name: str) -> None:
        self.local[name] = msgspec.structs.replace(self.local[name], state="offered", done_bytes=1_000_000)

    def do_models_add_file(self, path: str) -> LocalModel:
        made = LocalModel(
            name=path, label=path.rpartition("/")[2], file_name=path, size_bytes=5, state="ready", path=path
        )
        self.local[path] = made
        return made

    def do_models_remove_file(self, name: str) -> None:
        self.local[name] = msgspec.structs.replace(self.local[name], state="offered", path="")

    def do_keys_state(self) -> KeyringState:
        return self.keyring

    def do_keys_list(self) -> list[KeyState]:
        return [KeyState(service=name, place="keyring" if one.has_key else "") for name, one in self.services.items()]

    def do_keys_set(self, service: str, key: str, session_only: bool = False) -> KeyState:
        self.services[service] = msgspec.structs.replace(
            self.services[service], has_key=True, is_session_key=session_only
        )
        return KeyState(service=service, place="session" if session_only else "keyring")

    def do_keys_remove(self, service: str) -> KeyState:
        self.services[service] = msgspec.structs.replace(self.services[service], has_key=False, is_session_key=False)
        return KeyState(service=service)

    def do_privacy_sheet(self, service: str) -> ConsentSheet:
        one = self.services[service].service
        return ConsentSheet(
            service=service,
            label=one.label,
            host=one.base_url.partition("://")[2].partition("/")[0],
            roles=one.roles,
            sent=(
                "Your questions, and the passages found for them.",
                "Passages of your sources, while facts and summaries are written.",
            ),
            kept_here=(
                "Your files themselves, and everything that is not a passage shown to the model.",
                "Your keys for other services.",
            ),
            sensitive_count=2,
            never_collections=("Interviews",),
        )

    def do_privacy_allow(self, service: str) -> ServiceState:
        return self._set_allowed(service, True)

    def do_privacy_disallow(self, service: str) -> ServiceState:
        return self._set_allowed(service, False)

    def _set_allowed(self, service: str, allowed: bool) -> ServiceState:
        self.services[service] = msgspec.structs.replace(self.services[service], is_allowed=allowed)
        return self.services[service]

    def do_privacy_rules(self) -> list[SharingRule]:
        return [SharingRule(collection=name, sharing=rule) for name, rule in self.sharing.items()]

    def do_privacy_set_rule(self, collection: str, sharing: str) -> list[SharingRule]:
        self.sharing[collection] = Sharing(sharing)
        return self.do_privacy_rules()

    def do_request_count(self) -> int:
        return sum(not one.refused for one in self.ledger)

    def do_privacy_requests(self, limit: int = 200, before: str | None = None) -> list[EgressRow]:
        return self.ledger[:limit]

    def do_privacy_offline(self) -> bool:
        return self.is_offline

    def do_privacy_set_offline(self, on: bool | str) -> bool:
        """``held`` stands for a process that was started with ``--offline``."""
        self.is_held = self.is_held or on == "held"
        self.is_offline = self.is_held or bool(on)
        return self.is_offline

    def do_privacy_spending(self) -> Spending:
        return Spending(spent_usd=0.42, budget_usd=self.budget, input_tokens=182_340, output_tokens=9_120)

    def do_privacy_set_budget(self, usd: float | None) -> Spending:
        self.budget = usd
        return self.do_privacy_spending()


def full_ledger() -> list[EgressRow]:
    """Requests as a day of work leaves them."""
    return [
        EgressRow(
            at=NOW - timedelta(minutes=7 * place),
            host="api.openai.example" if place % 3 else "models.example",
            purpose="answer" if place % 3 else "model download",
            status=0 if place == 4 else 200,
            sent_bytes=0 if place == 4 else 5_120 + 311 * place,
            received_bytes=0 if place == 4 else 880 + 17 * place,
            source_ids=("s0", "s1", "s2")[: place % 4] if place % 3 else (),
            refused="network.offline" if place == 4 else "",
        )
        for place in range(24)
    ]
