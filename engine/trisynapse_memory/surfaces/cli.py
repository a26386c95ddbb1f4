"""Arguments in, an exit code out: the command line ``trisynapse-memory``. Every command is a function in ``commands``.

Exit codes: 0 done; 1 a bug; 2 wrong usage; 3 some inputs failed; 4 all inputs failed; 5 vault missing, damaged or held;
6 provider or network refused. Names, options and JSON keys are a promise (docs/cli.md).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trisynapse_memory import __version__
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.providers.keys import keep_memory_out_of_dumps
from trisynapse_memory.providers.offline import forbid_network
from trisynapse_memory.surfaces.commands import (
    ask,
    bench,
    drafts,
    exports,
    feeds,
    intake,
    links,
    records,
    vault,
    watching,
)
from trisynapse_memory.surfaces.knowledge_options import add_knowledge_commands
from trisynapse_memory.surfaces.model_options import add_model_commands
from trisynapse_memory.surfaces.parsing import Adder, adder, positive
from trisynapse_memory.surfaces.printing import Printer
from trisynapse_memory.surfaces.tuning_options import add_tuning_commands

BUG, USAGE, STOPPED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    printer = Printer(options)
    if options.run is None:
        parser.print_help()
        return 0
    keep_memory_out_of_dumps()
    if options.offline:
        forbid_network()
    try:
        return int(options.run(options, printer))
    except TrisynapseError as error:
        printer.failure(error)
        return error.exit_code
    except KeyboardInterrupt:
        printer.note("Stopped; what was finished is kept.")
        return STOPPED
    except Exception:  # a bug: the traceback goes into a file, its path to the user
        printer.bug(_write_traceback())
        return BUG


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; docs/cli.md is generated from it."""
    common = _global_options(argparse.SUPPRESS)
    parser = argparse.ArgumentParser(
        prog="trisynapse-memory",
        description="An append-only memory of your sources that answers with citations, offline.",
        parents=[_global_options(None)],
    )
    parser.add_argument("--version", action="version", version=f"trisynapse-memory {__version__}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    add = adder(commands, common)
    _add_vault_commands(add)
    _add_intake_commands(add)
    _add_ask_commands(add)
    _add_record_commands(add)
    _add_source_commands(commands, common)
    _add_run_commands(commands, common)
    _add_link_commands(commands, common)
    _add_watch_commands(commands, common)
    _add_feed_commands(commands, common)
    add_knowledge_commands(commands, common)
    add_model_commands(commands, common)
    add_tuning_commands(commands, common)
    _add_bench(add)
    return parser


def _global_options(default: Any) -> argparse.ArgumentParser:
    """The options every command takes, before or after its name (``default`` SUPPRESS keeps what stood before)."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("global options")
    flag_default = False if default is None else default
    group.add_argument("--path", metavar="DIR", default=default, help="the vault (default: $TRISYNAPSE_VAULT)")
    for name in ("--user-id", "--agent-id", "--project-id", "--session-id"):
        group.add_argument(name, metavar="ID", default=default, help="namespace")
    for name, text in (
        ("--json", "print one JSON document on standard output"),
        ("--quiet", "print nothing that is not asked for"),
        ("--no-progress", "draw no progress line"),
        ("--no-color", "no colours (there are none yet)"),
        ("--yes", "answer every question with yes"),
        ("--offline", "forbid the network in every process"),
    ):
        group.add_argument(name, action="store_true", default=flag_default, help=text)
    return parser


def _add_vault_commands(add: Adder) -> None:
    add("init", vault.init)
    add("validate", vault.validate).add_argument("--repair", action="store_true", help="rebuild what is disposable")
    add("reindex", vault.reindex).add_argument("index", nargs="*", help="by name; all by default")
    parser = add("check", drafts.check)
    parser.add_argument("file", nargs="?", metavar="FILE", help="a draft to hold against the vault; - for stdin")
    parser.add_argument("--source", action="append", metavar="ID", help="only against this source; may be repeated")
    parser.add_argument("--collection", metavar="C", help="only against this collection")


def _add_intake_commands(add: Adder) -> None:
    parser = add("ingest", intake.ingest)
    parser.add_argument("source", nargs="*", metavar="SOURCE", help="file, folder or URL")
    parser.add_argument(
        "--dry-run", action="store_true", help="say new, duplicate, changed or unsupported; write nothing"
    )
    parser.add_argument("--collection", metavar="NAME", help="put the sources into this collection")
    parser.add_argument("--jobs", type=positive, metavar="N", help="reading processes at most (one is used for now)")
    parser.add_argument("--password-stdin", action="store_true", help="read the password of encrypted files")
    parser.add_argument(
        "--fetch", action="store_true", help="fetch the pages of bookmarks found inside files, after naming the hosts"
    )
    parser.add_argument("--no-wait", action="store_true", help="return as soon as the words are searchable")
    parser.add_argument("--messages", metavar="FILE", help="a conversation as JSON")


def _add_ask_commands(add: Adder) -> None:
    for name, run, argument in (("search", ask.search, "query"), ("query", ask.query, "question")):
        parser = add(name, run)
        parser.add_argument(argument, metavar=argument.upper())
        parser.add_argument("--top-k", type=positive, metavar="N", help="how many hits")
        parser.add_argument("--source", action="append", metavar="ID", help="only this source; may be repeated")
        parser.add_argument("--collection", metavar="C", help="only this collection")
        if name == "search":
            parser.add_argument("--explain", action="store_true", help="add routes, fusion, gate and steps")
        else:
            parser.add_argument("--model", metavar="SERVICE/MODEL", help="let this model write, this once")
            parser.add_argument("--no-llm", action="store_true", help="in the words of the sources only")
            parser.add_argument("--share", action="append", metavar="C", help="show a model this collection, this once")
            parser.add_argument("--as-of", metavar="DATE", help="answer as the vault stood at the end of that day")


def _add_record_commands(add: Adder) -> None:
    add("get", records.get).add_argument("id", metavar="ID")
    add("history", records.history).add_argument("id", metavar="ID")
    parser = add("list", records.list_records)
    parser.add_argument("--kind", metavar="KIND")
    parser.add_argument("--cursor", type=int, default=0, metavar="SEQ")
    parser.add_argument("--limit", type=positive, default=100, metavar="N")
    parser.add_argument("--include-retracted", action="store_true")
    parser = add("correct", records.correct)
    parser.add_argument("id", metavar="ID")
    parser.add_argument("text", metavar="TEXT", help="what is right, as a whole sentence")
    parser.add_argument("--reason", required=True, metavar="R")
    for name, run in (("forget", records.forget), ("reinstate", records.reinstate)):
        parser = add(name, run)
        parser.add_argument("id", metavar="ID")
        parser.add_argument("--reason", required=True, metavar="R")
    parser = add("remove", records.remove)
    parser.add_argument("id", nargs="+", metavar="ID")
    parser.add_argument("--reason", required=True, metavar="R")
    parser = add("feedback", records.feedback)
    parser.add_argument("id", metavar="QUERY_ID")
    parser.add_argument("verdict", choices=("helpful", "unhelpful"))
    parser.add_argument("--note", default="", metavar="TEXT")


def _add_source_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("sources", help="The library.", parents=[common])
    add = adder(group.add_subparsers(title="sources", metavar="COMMAND", required=True), common)
    parser = add("list", records.sources_list)
    parser.add_argument("--limit", type=positive, metavar="N")
    parser.add_argument("--all", action="store_true", help="superseded and forgotten ones too")
    add("show", records.sources_show).add_argument("id", metavar="ID")
    add("copies", records.sources_copies).add_argument("id", metavar="ID")
    parser = add("text", records.sources_text)
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--page", type=positive, metavar="N")
    parser = add("approve-hidden", records.sources_approve_hidden)
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--page", type=positive, required=True, metavar="N")
    add("read-again", intake.sources_read_again).add_argument("id", metavar="ID")
    parser = add("export", exports.sources_export)
    parser.add_argument("file", metavar="FILE", help="where to; its ending tells the format")
    parser.add_argument("--format", choices=exports.FORMATS, help="instead of the one that its ending tells")
    parser.add_argument("--only", action="append", metavar="ID", help="a source or a collection; may be repeated")
    for name, run in (
        ("forget", records.sources_forget),
        ("reinstate", records.sources_reinstate),
        ("remove", records.sources_remove),
    ):
        parser = add(name, run)
        parser.add_argument("id", metavar="ID")
        parser.add_argument("--reason", required=True, metavar="R")


def _add_run_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("runs", help="What was taken in and asked.", parents=[common])
    add = adder(group.add_subparsers(title="runs", metavar="COMMAND", required=True), common)
    add("list", intake.runs_list).add_argument("--limit", type=positive, default=50, metavar="N")
    add("show", intake.runs_show).add_argument("id", metavar="ID")
    add("retry", intake.runs_retry).add_argument("id", metavar="ID")
    parser = add("replay", ask.replay)
    parser.add_argument("id", metavar="QUERY_ID")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting to change for this once; repeatable"
    )


def _add_link_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("links", help="Pages of bookmarks.", parents=[common])
    add = adder(group.add_subparsers(title="links", metavar="COMMAND", required=True), common)
    for name, run in (("plan", links.links_plan), ("fetch", links.links_fetch), ("refresh", links.links_refresh)):
        parser = add(name, run)
        parser.add_argument("id", nargs="*", metavar="ID", help="of sources; all by default")
        if name != "refresh":
            parser.add_argument("--collection", metavar="C", help="only this collection")
        if name != "plan":
            parser.add_argument("--no-wait", action="store_true", help="let it go on in the background")
    parser = add("list", links.links_list)
    parser.add_argument("--status", choices=("waiting", "fetched", "failed", "cancelled"))
    parser.add_argument("--limit", type=positive, default=1000, metavar="N")
    add("cancel", links.links_cancel)


def _add_watch_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("watch", help="Folders whose changes are taken in.", parents=[common])
    add = adder(group.add_subparsers(title="watch", metavar="COMMAND", required=True), common)
    parser = add("add", watching.watch_add)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--collection", metavar="C", help="put its files into this collection")
    add("remove", watching.watch_remove).add_argument("folder", metavar="DIR")
    add("list", watching.watch_list)
    add("sync", watching.watch_sync)
    add("run", watching.watch_run)


def _add_feed_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    group = commands.add_parser("feeds", help="Feeds and searches at arXiv that are followed.", parents=[common])
    add = adder(group.add_subparsers(title="feeds", metavar="COMMAND", required=True), common)
    parser = add("follow", feeds.feeds_follow)
    parser.add_argument(
        "address", metavar="ADDRESS", help="of a feed, or a search at arXiv: 'cat:cs.CL AND abs:memory'"
    )
    parser.add_argument("--collection", metavar="C", help="put its entries into this collection")
    add("list", feeds.feeds_list)
    parser = add("refresh", feeds.feeds_refresh)
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="of a feed; all by default")
    for name, run in (
        ("pause", feeds.feeds_pause),
        ("resume", feeds.feeds_resume),
        ("unfollow", feeds.feeds_unfollow),
    ):
        add(name, run).add_argument("id", metavar="ID")


def _add_bench(add: Adder) -> None:
    parser = add("bench", bench.bench)
    parser.add_argument("suite", metavar="SUITE", help="what is measured; an unknown name lists them")
    parser.add_argument("--data", default="../shared/data", metavar="DIR", help="where the corpora lie")
    parser.add_argument("--limit", type=positive, metavar="N", help="stop after so many questions or pages")
    parser.add_argument("--labels", default="tests/corpora", metavar="DIR", help="where our own labelled sets lie")
    parser.add_argument("--settle", action="store_true", help="let facts, claims, graph and summaries be made first")
    parser.add_argument("--ablate", metavar="NAME[,NAME]", help="also with these parts of the engine off; all for each")
    parser.add_argument(
        "--peers", metavar="NAME[,NAME]", help="also ask these programs (make bench-peers); all for each"
    )


def _write_traceback() -> Path:
    with tempfile.NamedTemporaryFile(
        "w", prefix="trisynapse-error-", suffix=".log", delete=False, encoding="utf-8"
    ) as stream:
        traceback.print_exc(file=stream)
        return Path(stream.name)


if __name__ == "__main__":
    sys.exit(main())
