"""Results in, text or one JSON document on standard output out; progress and messages go to standard error."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace as Options
from pathlib import Path
from typing import Any

import msgspec

from trisynapse_memory.errors import InvalidInputError, TrisynapseError
from trisynapse_memory.types import Hit, Novelty, Progress, QueryStep, SearchResult

BAR_WIDTH = 24


class Printer:
    """Writes what one command has to say, in the way its options ask for."""

    def __init__(self, options: Options) -> None:
        self._json: bool = options.json
        self._quiet: bool = options.quiet
        self._bar = sys.stderr.isatty() and not (options.quiet or options.no_progress or options.json)
        self._drawn = False

    def result(self, body: Any, lines: list[str]) -> None:
        """Print a result: the JSON document under ``--json``, else its lines."""
        self._clear()
        if self._json:
            _say(json.dumps(msgspec.to_builtins(body), ensure_ascii=False, indent=None))
        elif not self._quiet:
            _say("\n".join(lines))

    def failure(self, error: TrisynapseError) -> None:
        """Print an error: JSON on standard output under ``--json``, else a line on standard error."""
        self._clear()
        if self._json:
            body = {"error": {"code": error.code, "message": error.problem, "hint": error.hint}}
            _say(json.dumps(body, ensure_ascii=False))
        else:
            print(f"error: {error}", file=sys.stderr)

    def bug(self, log_path: Path) -> None:
        """Say that the program itself failed, and where the traceback lies."""
        self._clear()
        if self._json:
            message = "The program itself failed."
            body = {"error": {"code": "bug", "message": message, "hint": f"The traceback is in {log_path}."}}
            _say(json.dumps(body, ensure_ascii=False))
        print(f"internal error; the traceback is in {log_path}", file=sys.stderr)

    def note(self, text: str) -> None:
        """Print a remark on standard error."""
        if not self._quiet:
            self._clear()
            print(text, file=sys.stderr)

    def progress(self, progress: Progress) -> None:
        """Draw the progress line of long work, on a terminal only."""
        if not self._bar:
            return
        share = progress.done / progress.total if progress.total else 0.0
        filled = "#" * round(share * BAR_WIDTH)
        line = f"{progress.stage:8} [{filled:{BAR_WIDTH}}] {progress.done}/{progress.total or '?'} {progress.unit}"
        print(f"\r\x1b[K{line}  {progress.label[:40]}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = False


def _say(text: str) -> None:
    """Print at once; a reader that has left (``| head``) is no fault of the command, whose exit code stays its own."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # What is still buffered would raise once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def confirm(options: Options, what: str) -> None:
    """Ask, on a terminal, for a typed word before something is erased for good.

    Raises:
        InvalidInputError: the word was not typed, or there is no terminal and no ``--yes``.
    """
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInputError(f"This erases {what} for good.", hint="Add --yes to say that it is meant.")
    print(f"This erases {what} for good. Type 'remove' to go on: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "remove":
        raise InvalidInputError("Nothing was removed.", hint="Type the word 'remove', or add --yes.")


def search_body(result: SearchResult, *, explain: bool) -> dict[str, Any]:
    """Return a search as the command-line contract words it (spec/cli.md)."""
    body: dict[str, Any] = {
        "query_id": result.query_id,
        "question": result.question,
        "hits": [hit_body(hit) for hit in result.hits],
        "plan": result.plan,
        "stage": result.stage,
        "coverage": result.coverage,
        "timings_ms": result.timings_ms,
    }
    if result.descriptions:
        body["descriptions"] = [{**hit_body(hit), "mark": hit.mark} for hit in result.descriptions]
    if explain:
        body |= {"routes": result.routes, "fusion": result.fusion, "gate": result.gate, "steps": result.steps}
    return body


def step_line(step: QueryStep) -> str:
    """Return one step of a query run as a line: its name, its time, and what it tells of itself."""
    told = ", ".join(f"{name} {value}" for name, value in step.summary.items())
    return f"{step.phase}: {step.duration_ms:.1f} ms{f'  ({told})' if told else ''}"


def hit_body(hit: Hit) -> dict[str, Any]:
    """Return one hit as the command-line contract words it."""
    return {
        "record_id": hit.record.id,
        "source_id": hit.record.source_id,
        "source_key": hit.source_key,
        "title": hit.title,
        "kind": hit.kind,
        "locator": hit.locator,
        "excerpt": hit.excerpt,
        "score": hit.score,
        "parts": hit.parts,
        "observed_at": hit.record.observed_at,
        **({"copies": hit.copies} if hit.copies else {}),
    }


def place_of(body: Any) -> str:
    """Return where a citation or hit stands, as a person says it."""
    locator = body.locator
    if locator is None:
        return body.title
    if locator.page is not None and locator.kind in ("page", "region"):
        return f"{body.title}, p. {locator.page_label or locator.page}"
    if locator.kind == "slide" and locator.slide is not None:
        return f"{body.title}, slide {locator.slide}"
    if locator.kind == "row" and locator.row is not None:
        return ", ".join(filter(None, (body.title, locator.sheet, f"row {locator.row}")))
    if locator.start_s is not None:
        minutes, seconds = divmod(int(locator.start_s), 60)
        return f"{body.title}, {minutes}:{seconds:02}"
    if locator.heading:
        return f"{body.title}, {locator.heading}"
    return body.title


_NEWS = {"new": "mostly new to the vault", "mixed": "partly new to the vault", "known": "little new to the vault"}


def novelty_line(novelty: Novelty) -> str:
    """Say in one line how new a source was to the vault when it came."""
    claims = f"{novelty.new_claim_count} of {novelty.claim_count} claims new" if novelty.claim_count else "no claims"
    against = f", {novelty.contradicting_count} in dispute with other sources" if novelty.contradicting_count else ""
    spread = f"novelty {novelty.median:.2f}, highest passage {novelty.highest:.2f}"
    return f"{_NEWS[novelty.level]} ({spread}; {claims}{against})"
