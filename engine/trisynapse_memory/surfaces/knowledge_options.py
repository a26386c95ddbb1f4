"""The parsers of the commands about what was compiled; the commands themselves are in ``commands/knowledge.py``."""

from __future__ import annotations

import argparse
from typing import Any

from trisynapse_memory.surfaces.commands import knowledge
from trisynapse_memory.surfaces.parsing import adder, positive


def add_knowledge_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add ``claims``, ``graph``, ``groups``, ``aliases``, ``snapshots`` and ``wiki``."""
    add = adder(commands, common)
    parser = add("claims", knowledge.claims)
    parser.add_argument("--status", choices=("active", "contested", "superseded"))
    parser.add_argument("--about", metavar="ENTITY", help="only claims about this, by any of its names")
    parser.add_argument("--all", action="store_true", help="also those too uncertain to be shown")
    parser.add_argument("--limit", type=positive, default=100, metavar="N")
    parser = add("graph", knowledge.graph)
    parser.add_argument("--about", metavar="ENTITY")
    parser.add_argument("--hops", type=int, choices=range(5), default=1, metavar="N", help="0 to 4")
    parser.add_argument("--limit", type=positive, default=40, metavar="N", help="nodes at most")
    parser.add_argument("--format", choices=("json", "graphml"), default="json")
    _add_groups(commands, common)
    _add_aliases(commands, common)
    _add_snapshots(commands, common)
    _add_wiki(commands, common)


def _add_groups(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser(
        "groups", help="Summaries of sources, collections, chats and concepts.", parents=[common]
    )
    add = adder(group.add_subparsers(title="groups", metavar="COMMAND", required=True), common)
    add("list", knowledge.groups_list).add_argument("--limit", type=positive, default=100, metavar="N")
    add("summarize", knowledge.groups_summarize).add_argument("id", metavar="ID")


def _add_aliases(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("aliases", help="Names that mean one thing.", parents=[common])
    add = adder(group.add_subparsers(title="aliases", metavar="COMMAND", required=True), common)
    add("list", knowledge.aliases_list)
    parser = add("merge", knowledge.aliases_merge)
    parser.add_argument("name", metavar="A", help="what it is called")
    parser.add_argument("other", metavar="B", help="its other name")
    add("unmerge", knowledge.aliases_unmerge).add_argument("id", metavar="ID")


def _add_snapshots(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("snapshots", help="Named moments of the vault.", parents=[common])
    add = adder(group.add_subparsers(title="snapshots", metavar="COMMAND", required=True), common)
    add("list", knowledge.snapshots_list)
    add("create", knowledge.snapshots_create).add_argument("label", metavar="LABEL")
    add("enter", knowledge.snapshots_enter).add_argument("id", metavar="ID")
    add("leave", knowledge.snapshots_leave)


def _add_wiki(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("wiki", help="Pages compiled from claims and summaries.", parents=[common])
    add = adder(group.add_subparsers(title="wiki", metavar="COMMAND", required=True), common)
    add("build", knowledge.wiki_build)
    add("show", knowledge.wiki_show).add_argument("page", metavar="PAGE", help="its slug")
    add("write", knowledge.wiki_write).add_argument("page", metavar="PAGE", help="its slug")
    add("changes", knowledge.wiki_changes)
    for name, run in (("accept", knowledge.wiki_accept), ("reject", knowledge.wiki_reject)):
        parser = add(name, run)
        parser.add_argument("page", metavar="PAGE", help="its slug")
        parser.add_argument("--key", metavar="KEY", help="one sentence; all of the page without it")
    parser = add("keep", knowledge.wiki_keep)
    parser.add_argument("page", metavar="PAGE", help="its slug")
    parser.add_argument("--key", metavar="KEY", required=True, help="the sentence to keep as it is")
    parser = add("export", knowledge.wiki_export)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--format", choices=("markdown", "html"), default="markdown")
