"""The commands about the vault itself: ``init``, ``validate``, ``reindex``, ``check``."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
from argparse import Namespace as Options
from pathlib import Path
from typing import Any

from trisynapse_memory import __version__
from trisynapse_memory.branches import BRANCHES
from trisynapse_memory.registry import Registry
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.session import Session, vault_path
from trisynapse_memory.types import Validation
from trisynapse_memory.vault import FORMAT_VERSION, Vault, owner_of

VAULT_DAMAGED = 5


def init(options: Options, printer: Printer) -> int:
    """Make a vault."""
    vault = Vault.create(vault_path(options))
    vault.close()
    with Session(options):
        pass  # opening once lays the database files out, so that the folder is complete from the start
    body = {"vault": str(vault.root), "vault_id": vault.vault_id, "format_version": FORMAT_VERSION}
    printer.result(body, [f"Made a vault in {vault.root}"])
    return 0


def validate(options: Options, printer: Printer) -> int:
    """Prove the vault."""
    with Session(options) as session:
        result: Validation = session.call("validate", repair=options.repair)
    looked = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in result.checked.items())
    lines = [f"{'Whole' if result.ok else 'Damaged'}: {looked}"]
    lines += [f"  {f.code} {f.where}: {f.message}" + (f" -> {f.fix}" if f.fix else "") for f in result.findings]
    printer.result({"ok": result.ok, "findings": result.findings, "checked": result.checked}, lines)
    return 0 if result.ok else VAULT_DAMAGED


def reindex(options: Options, printer: Printer) -> int:
    """Rebuild projections from the log."""
    known = [row.name for row in BRANCHES if row.kind == "index"]
    with Session(options) as session:
        for name in options.index:
            Registry().load("index", name)
        counts: dict[str, int] = session.call("reindex", names=tuple(options.index))
        session.call("jobs.wait", progress=printer.progress)
    printer.result({"indexes": counts}, [f"Rebuilt {', '.join(counts or known)}"])
    return 0


def check(options: Options, printer: Printer) -> int:
    """Report what this installation is made of and what is missing."""
    path = vault_path(options)
    registry = Registry()
    missing = {f"{row.kind}:{row.name}": list(registry.missing(row)) for row in BRANCHES if registry.missing(row)}
    optional = {f"{row.kind}:{row.name}" for row in BRANCHES if row.extra}
    lacks = missing.keys() - optional
    # Only this command asks the keyring by itself; every other one starts without it.
    from trisynapse_memory.providers.keys import KeyStore

    keyring = KeyStore().state()
    owner = owner_of(path) if path.is_dir() else None
    body = {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "missing": {name: packages for name, packages in missing.items() if name in lacks},
        "not_installed": {name: packages for name, packages in missing.items() if name in optional},
        "keyring": keyring.name,
        "keyring_usable": keyring.is_usable,
        "keyring_problem": keyring.problem,
        "models": _models(),
        "ocr": _ocr(registry),
        "transcriber": _transcriber(registry),
        "vault": str(path),
        "vault_exists": (path / "vault.toml").exists(),
        "owner_pid": owner.pid if owner else None,
        "disk_free_bytes": shutil.disk_usage(_existing(path)).free,
        "ok": not lacks,
    }
    lines = [f"{name}: {value}" for name, value in body.items()]
    printer.result(body, lines)
    return 0 if not lacks else 1


_PACKAGES = (
    *("PySide6", "apsw", "sqlite-vec", "onnxruntime", "tokenizers", "pymupdf", "trafilatura", "msgspec", "numpy"),
    *("keyring", "httpx", "llama-cpp-python", "sentence-transformers"),
)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _models() -> dict[str, Any]:
    """Which model files are here, and where; nobody is asked."""
    from trisynapse_memory.providers.egress import Egress
    from trisynapse_memory.providers.files.model_files import ModelFiles

    files = ModelFiles(Egress(offline=True))
    here = [model for model in files.local() if model.path]
    rows = [{"name": one.name, "state": one.state, "note": one.note} for one in here]
    return {"folder": str(files.folder), "files": rows}


def _ocr(registry: Registry) -> str:
    """Who reads scans here, or what to install so that somebody does."""
    from trisynapse_memory.pipelines.recognition import choose_recogniser

    name, obstacle = choose_recogniser(registry)
    return name or f"none: {obstacle}"


def _transcriber(registry: Registry) -> str:
    """Which model writes down speech where a vault chose none, or what to do so that one does."""
    from trisynapse_memory.pipelines.staffing.transcribers import Transcribers
    from trisynapse_memory.providers.files.model_files import models_folder

    found = Transcribers(registry, lambda: "", models_folder()).choice()
    return found.model or f"none: {found.note}"


def _existing(path: Path) -> str:
    """Return the nearest folder that is there, to ask how full its disk is."""
    found = path.absolute()
    while not found.exists():
        found = found.parent
    return str(found)
