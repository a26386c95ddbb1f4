"""The commands about models, keys and what leaves: ``models``, ``keys``, ``egress``, ``privacy``."""

from __future__ import annotations

import getpass
import sys
from argparse import Namespace as Options
from pathlib import Path

import msgspec

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.machine import reach
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import (
    ConsentSheet,
    EgressRow,
    KeyringState,
    KeyState,
    LocalModel,
    ModelCard,
    ModelTest,
    RoleChoice,
    ServiceState,
    Sharing,
    SharingRule,
    Spending,
)

TEST_FAILED = 6
GIB = 1024**3
_TODO = {"not-allowed": "See `privacy sheet {0}`, then `privacy allow {0}`.", "no-key": "Set one: `keys set {0}`."}

# ---------------------------------------------------------------- models


def models_list(options: Options, printer: Printer) -> int:
    """Print which model fills each role, and whether it can."""
    with Session(options) as session:
        found: tuple[RoleChoice, ...] = session.call("models.roles")
    printer.result({"roles": found}, [_role_line(one) for one in found])
    return 0


def models_set(options: Options, printer: Printer) -> int:
    """Let a model fill a role, or all that write (``completion``); a remote service has to be allowed besides."""
    model = options.model or ""
    if model and Path(model).expanduser().exists():  # an owner has another working folder
        model = str(Path(model).expanduser().absolute())
    with Session(options) as session:
        choice: RoleChoice = session.call("models.choose", role=options.role, service=options.service, model=model)
    printer.result({"role": choice}, [_role_line(choice)])
    return 0


def models_clear(options: Options, printer: Printer) -> int:
    """Do without a model in a role."""
    with Session(options) as session:
        choice: RoleChoice = session.call("models.clear", role=options.role)
    printer.result({"role": choice}, [_role_line(choice)])
    return 0


def models_test(options: Options, printer: Printer) -> int:
    """Ask the model of a role for one short reply."""
    with Session(options) as session:
        test: ModelTest = session.call("models.test", role=options.role)
    said = f"{test.service}/{test.model}: {test.reply} ({test.usage.total_ms / 1000:.1f} s)"
    lines = [said if test.passed else f"It does not work: {test.problem}"]
    printer.result({"test": test}, lines)
    return 0 if test.passed else TEST_FAILED


def models_services(options: Options, printer: Printer) -> int:
    """Print every place where models can be asked."""
    with Session(options) as session:
        found: tuple[ServiceState, ...] = session.call("models.services")
    printer.result({"services": found}, [_service_line(one) for one in found])
    return 0


def models_cards(options: Options, printer: Printer) -> int:
    """Ask a service which models it offers."""
    with Session(options) as session:
        found: tuple[ModelCard, ...] = session.call("models.cards", service=options.service, refresh=options.refresh)
    lines = [f"{card.name}{f'  {card.context_tokens} tokens' if card.context_tokens else ''}" for card in found]
    printer.result({"models": found}, lines or ["It names none."])
    return 0


def models_add_service(options: Options, printer: Printer) -> int:
    """Keep the address of a model server of yours (Ollama, LM Studio, vLLM, llama.cpp, ...)."""
    with Session(options) as session:
        state: ServiceState = session.call("models.add_service", label=options.label, base_url=options.url)
    printer.result({"service": state}, [_service_line(state)])
    return 0


def models_remove_service(options: Options, printer: Printer) -> int:
    """Forget a model server of yours."""
    with Session(options) as session:
        session.call("models.remove_service", name=options.service)
    printer.result({"removed": options.service}, [f"Forgot {options.service}."])
    return 0


def models_local(options: Options, printer: Printer) -> int:
    """Print the model files for this machine: offered, and here."""
    with reach(options) as session:
        found: tuple[LocalModel, ...] = session.call("models.local")
    printer.result({"models": found}, [_local_line(one) for one in found])
    return 0


def models_download(options: Options, printer: Printer) -> int:
    """Fetch a model file of the list."""
    with reach(options) as session:
        model: LocalModel = session.call("models.download", name=options.name, progress=printer.progress)
    printer.result({"model": model}, [_local_line(model)])
    return 0


def models_add_file(options: Options, printer: Printer) -> int:
    """Use a model file (GGUF) of yours; it stays where it is."""
    path = Path(options.file).expanduser().absolute()  # an owner has another working folder
    with reach(options) as session:
        model: LocalModel = session.call("models.add_file", path=str(path))
    printer.result({"model": model}, [_local_line(model)])
    return 0


def models_remove_file(options: Options, printer: Printer) -> int:
    """Delete a model file that was fetched, or forget one of yours."""
    with reach(options) as session:
        session.call("models.remove_file", name=options.name)
    printer.result({"removed": options.name}, [f"Removed {options.name}."])
    return 0


# ---------------------------------------------------------------- keys


def keys_set(options: Options, printer: Printer) -> int:
    """Keep a key in the keyring of the system; it is read from a prompt or standard input, never from an argument."""
    key = getpass.getpass("Key (it is not shown): ") if sys.stdin.isatty() else sys.stdin.readline()
    with reach(options) as session:
        state: KeyState = session.call(
            "keys.set", service=options.service, key=key.strip(), session_only=options.session_only
        )
    printer.result({"key": state}, [f"The key of {state.service} is kept: {state.place}."])
    return 0


def keys_remove(options: Options, printer: Printer) -> int:
    """Take a key out of the keyring."""
    with reach(options) as session:
        state: KeyState = session.call("keys.remove", service=options.service)
    printer.result({"key": state}, [f"The key of {state.service} is gone."])
    return 0


def keys_list(options: Options, printer: Printer) -> int:
    """Print for which services there is a key, and where it is kept; never a key."""
    with reach(options) as session:
        keyring: KeyringState = session.call("keys.state")
        found: tuple[KeyState, ...] = session.call("keys.list")
    if options.service:
        found = tuple(one for one in found if one.service == options.service)
    lines = [f"keyring: {keyring.name}" if keyring.is_usable else f"keyring: {keyring.problem} {keyring.hint}"]
    lines += [f"{one.service:14} {one.place or '-'}" for one in found]
    printer.result({"keyring": keyring, "keys": found}, lines)
    return 0


# ---------------------------------------------------------------- what leaves


def egress(options: Options, printer: Printer) -> int:
    """Print every request that left this machine or was refused at the door, newest first."""
    with reach(options) as session:
        rows: tuple[EgressRow, ...] = session.call("privacy.requests", limit=options.limit)
    printer.result({"requests": rows}, [_request_line(row) for row in rows] or ["Nothing has left this machine."])
    return 0


def privacy_sheet(options: Options, printer: Printer) -> int:
    """Print what would be sent to a service, and what never is."""
    with Session(options) as session:
        sheet: ConsentSheet = session.call("privacy.sheet", service=options.service)
    printer.result({"sheet": sheet}, _sheet_lines(sheet))
    return 0


def privacy_allow(options: Options, printer: Printer) -> int:
    """Let a service be sent what its roles need, after showing what that is."""
    with Session(options) as session:
        sheet: ConsentSheet = session.call("privacy.sheet", service=options.service)
        if not options.yes:
            _ask_leave(sheet, printer)
        state: ServiceState = session.call("privacy.allow", service=options.service)
    printer.result({"service": state, "sheet": sheet}, [_service_line(state)])
    return 0


def privacy_disallow(options: Options, printer: Printer) -> int:
    """Let nothing be sent to a service any more."""
    with Session(options) as session:
        state: ServiceState = session.call("privacy.disallow", service=options.service)
    printer.result({"service": state}, [_service_line(state)])
    return 0


def privacy_rules(options: Options, printer: Printer) -> int:
    """Print what may be sent of each collection."""
    with Session(options) as session:
        found: tuple[SharingRule, ...] = session.call("privacy.rules")
    return _print_rules(found, printer)


def privacy_rule(options: Options, printer: Printer) -> int:
    """Say whether the words of a collection may go to a remote model; an empty name means the rest."""
    with Session(options) as session:
        found: tuple[SharingRule, ...] = session.call(
            "privacy.set_rule", collection=options.collection_name, sharing=Sharing(options.sharing)
        )
    return _print_rules(found, printer)


def privacy_budget(options: Options, printer: Printer) -> int:
    """Print what remote models have cost this month; with an amount (or ``none``), set the most they may cost."""
    with Session(options) as session:
        if options.usd is None:
            spending: Spending = session.call("privacy.spending")
        else:
            spending = session.call("privacy.set_budget", usd=_amount(options.usd))
    limit = "no limit" if spending.budget_usd is None else f"of {spending.budget_usd:.2f}"
    lines = [f"{spending.spent_usd:.2f} US dollars this month, {limit}"]
    lines += [f"{spending.unpriced_count} replies of models without a known price"] if spending.unpriced_count else []
    printer.result({"spending": spending}, lines)
    return 0


def privacy_offline(options: Options, printer: Printer) -> int:
    """Print whether offline is on; with ``on`` or ``off``, set it for this vault."""
    with Session(options) as session:
        if options.switch is None:
            is_on: bool = session.call("privacy.offline")
        else:
            is_on = session.call("privacy.set_offline", on=options.switch == "on")
    printer.result({"offline": is_on}, [f"Offline is {'on' if is_on else 'off'}."])
    return 0


# ---------------------------------------------------------------- lines


def _ask_leave(sheet: ConsentSheet, printer: Printer) -> None:
    """Show, on a terminal, what would be sent, and wait for a typed word."""
    if not sys.stdin.isatty():
        raise InvalidInputError(
            f"{sheet.label} has to be allowed by somebody who has read what would be sent.",
            hint=f"`privacy sheet {sheet.service}` shows it; add --yes to say that it is meant.",
        )
    printer.note("\n".join(_sheet_lines(sheet)))
    print("Type 'allow' to go on: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "allow":
        raise InvalidInputError("Nothing was allowed.", hint="Type the word 'allow', or add --yes.")


def _sheet_lines(sheet: ConsentSheet) -> list[str]:
    where = f" ({sheet.host})" if sheet.host else ""
    return [
        f"{sheet.label}{where}",
        *(["Sent:", *(f"  {line}" for line in sheet.sent)] if sheet.sent else ["Nothing leaves this machine."]),
        "Never sent:",
        *(f"  {line}" for line in sheet.kept_here),
        f"  Marked sensitive: {sheet.sensitive_count} sources.",
        *([f"  Never shared: {', '.join(sheet.never_collections)}."] if sheet.never_collections else []),
    ]


def _role_line(choice: RoleChoice) -> str:
    model = f"{choice.service}/{choice.model}" if choice.service else "-"
    todo = _TODO.get(choice.state, "").format(choice.service)
    return f"{choice.role.value:13} {choice.state:12} {model}  {choice.note} {todo}".rstrip()


def _service_line(state: ServiceState) -> str:
    service = state.service
    if not service.is_remote:
        return f"{service.name:14} in this machine  {service.label}"
    key = "session key" if state.is_session_key else "key" if state.has_key else "no key"
    allowed = "allowed" if state.is_allowed else "not allowed"
    wants_key = service.needs_key or state.has_key
    return f"{service.name:14} {allowed}, {key if wants_key else 'needs no key'}  {service.label}"


def _local_line(model: LocalModel) -> str:
    speed = f", about {model.speed:.0f} tokens/s here" if model.speed else ""
    size = f"{model.size_bytes / GIB:.2f} GiB, {model.fit}{speed}"
    return f"{model.name:28} {model.state:11} {size}  {model.label}{f'  {model.note}' if model.note else ''}"


def _request_line(row: EgressRow) -> str:
    outcome = row.refused or row.failed or str(row.status)
    sources = f"  words of {len(row.source_ids)} sources" if row.source_ids else ""
    amount = f"{row.sent_bytes} sent, {row.received_bytes} received"
    return f"{row.at:%Y-%m-%d %H:%M:%S}  {row.host}  {row.purpose}  {outcome}  {amount}{sources}"


def _print_rules(found: tuple[SharingRule, ...], printer: Printer) -> int:
    lines = [f"{one.sharing.value:6} {one.collection or '(sources in no collection with a rule)'}" for one in found]
    printer.result({"rules": found}, lines)
    return 0


def _amount(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return msgspec.convert(text, float, strict=False)
    except msgspec.ValidationError:
        raise InvalidInputError(f"'{text}' is no amount of US dollars.", hint="For example 5, or none.") from None
