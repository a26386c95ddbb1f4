"""The parsers of the commands about models, keys and what leaves; the commands are in ``commands/models.py``."""

from __future__ import annotations

import argparse
from typing import Any

from trisynapse_memory.surfaces.commands import models
from trisynapse_memory.surfaces.parsing import adder, positive
from trisynapse_memory.types import Role


def add_model_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add ``models``, ``keys``, ``egress`` and ``privacy``."""
    _add_models(commands, common)
    _add_keys(commands, common)
    parser = adder(commands, common)("egress", models.egress)
    parser.add_argument("--limit", type=positive, default=200, metavar="N", help="requests at most")
    _add_privacy(commands, common)


def _add_models(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("models", help="Which models there are, and what they are for.", parents=[common])
    add = adder(group.add_subparsers(title="models", metavar="COMMAND", required=True), common)
    add("list", models.models_list)
    parser = add("set", models.models_set)
    parser.add_argument(
        "role", metavar="ROLE", help=f"{', '.join(role.value for role in Role)}; or completion, for all that write"
    )
    parser.add_argument("service", metavar="SERVICE", help="local, openai, ...: `models services`")
    parser.add_argument("model", nargs="?", metavar="MODEL", help="as the service calls it")
    add("clear", models.models_clear).add_argument("role", metavar="ROLE")
    add("test", models.models_test).add_argument("role", metavar="ROLE")
    add("services", models.models_services)
    parser = add("cards", models.models_cards)
    parser.add_argument("service", metavar="SERVICE")
    parser.add_argument("--refresh", action="store_true", help="ask again, whatever it said within 15 minutes")
    parser = add("add-service", models.models_add_service)
    parser.add_argument("label", metavar="NAME", help="what you call it")
    parser.add_argument("url", metavar="URL", help="such as http://127.0.0.1:11434/v1")
    add("remove-service", models.models_remove_service).add_argument("service", metavar="SERVICE")
    add("local", models.models_local)
    add("download", models.models_download).add_argument("name", metavar="NAME", help="of the list: `models local`")
    add("add-file", models.models_add_file).add_argument("file", metavar="FILE", help="a GGUF file")
    add("remove-file", models.models_remove_file).add_argument("name", metavar="NAME")


def _add_keys(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("keys", help="Keys of services, kept in the keyring of the system.", parents=[common])
    add = adder(group.add_subparsers(title="keys", metavar="COMMAND", required=True), common)
    parser = add("set", models.keys_set)
    parser.add_argument("service", metavar="SERVICE")
    parser.add_argument("--session-only", action="store_true", help="keep it until the engine that has the vault ends")
    add("remove", models.keys_remove).add_argument("service", metavar="SERVICE")
    add("list", models.keys_list).add_argument("service", nargs="?", metavar="SERVICE")


def _add_privacy(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("privacy", help="What may leave this machine.", parents=[common])
    add = adder(group.add_subparsers(title="privacy", metavar="COMMAND", required=True), common)
    for name, run in (
        ("sheet", models.privacy_sheet),
        ("allow", models.privacy_allow),
        ("disallow", models.privacy_disallow),
    ):
        add(name, run).add_argument("service", metavar="SERVICE")
    add("rules", models.privacy_rules)
    parser = add("rule", models.privacy_rule)
    parser.add_argument("collection_name", metavar="COLLECTION")
    parser.add_argument("sharing", choices=("never", "ask", "allow"))
    add("budget", models.privacy_budget).add_argument("usd", nargs="?", metavar="USD", help="a month, or none")
    add("offline", models.privacy_offline).add_argument("switch", nargs="?", choices=("on", "off"))
