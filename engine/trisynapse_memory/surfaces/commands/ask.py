"""The commands that ask: ``search``, ``query``."""

from __future__ import annotations

from argparse import Namespace as Options

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.surfaces.printing import Printer, place_of, search_body, step_line
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import Answer, AnswerForm, AnswerSentence, Hit, Replay, SearchResult


def search(options: Options, printer: Printer) -> int:
    """Print ranked evidence, no answer."""
    with Session(options) as session:
        result: SearchResult = session.call(
            "search",
            question=options.query,
            top_k=options.top_k,
            source_ids=options.source or None,
            collection=options.collection,
            explain=options.explain,
        )
    lines = [f"{hit.score:.3f}  {place_of(hit)}\n       {_flat(hit.excerpt)}{_also_in(hit)}" for hit in result.hits]
    lines += [f"({hit.mark})  {place_of(hit)}\n       {_flat(hit.excerpt)}" for hit in result.descriptions]
    lines = lines or ["Nothing found."]
    lines += [f"off: {', '.join(result.coverage.parts_off)}"] if result.coverage.parts_off else []
    lines += [step_line(step) for step in result.steps]
    printer.result(search_body(result, explain=options.explain), lines)
    return 0


def _also_in(hit: Hit) -> str:
    return "\n       the same text: " + "; ".join(copy.title for copy in hit.copies) if hit.copies else ""


def query(options: Options, printer: Printer) -> int:
    """Print a cited answer, or why there is none."""
    with Session(options) as session:
        answer: Answer = session.call(
            "query",
            question=options.question,
            top_k=options.top_k,
            source_ids=options.source or None,
            collection=options.collection,
            as_of=options.as_of,
            model="none" if options.no_llm else options.model,
            share=tuple(options.share or ()),
        )
    printer.result(answer, _answer_lines(answer))
    return 0


def _answer_lines(answer: Answer) -> list[str]:
    if answer.abstain:
        lines = [f"{'Not confirmed' if answer.level == 'nearest' else 'No answer'}: {answer.reason}"]
        lines += [f"  nearest: {place_of(one)}: {_flat(one.excerpt)}" for one in answer.nearest]
        return [*lines, *([f"  {answer.would_answer}"] if answer.would_answer else [])]
    lines = [answer.lead] if answer.lead else []
    for index, sentence in enumerate(answer.sentences):
        if sentence.part and (index == 0 or sentence.part != answer.sentences[index - 1].part):
            lines.append(f"{sentence.part}:")
        lines += _sentence_lines(sentence, listed=answer.form is AnswerForm.LIST)
    lines += [f"  [{c.n}] {place_of(c)} ({c.verdict.value}): {_flat(c.excerpt)}" for c in answer.citations]
    lines += [f'  corrected: "{one.text}" ({one.reason})' for one in answer.struck]
    if answer.model:
        lines.append(f"  written by {answer.model}")
    lines += [f"  {line}" for line in (answer.note, _not_sent(answer)) if line]
    if answer.coverage.parts_off:
        lines.append(f"  off: {', '.join(answer.coverage.parts_off)}")
    return lines


def _not_sent(answer: Answer) -> str:
    if not answer.not_sent:
        return ""
    ask = f" To share them this once: {' '.join(f'--share {name!r}' for name in answer.asks)}." if answer.asks else ""
    return f"{answer.not_sent} passages were not sent to the model.{ask}"


def _sentence_lines(sentence: AnswerSentence, *, listed: bool) -> list[str]:
    marks = " ".join(f"[{n}]" for n in sentence.citations)
    behind = f" {marks}{f' ({sentence.status})' if sentence.status else ''}"
    indent = "  " if sentence.part else ""
    return [f"{indent}{line}" for line in sentence.lines(behind, listed=listed)]


def _flat(text: str, limit: int = 220) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def replay(options: Options, printer: Printer) -> int:
    """Ask a question of the history again, perhaps with other settings, and print what moved."""
    with Session(options) as session:
        found: Replay = session.call("runs.replay", query_id=options.id, settings=dict(map(_setting, options.set)))
    moved = [move for move in found.moves if move.before != move.after]
    lines = [f"{_place(move.before)} -> {_place(move.after)}  {move.title} ({move.record_id})" for move in moved]
    standing = f"{len(found.moves) - len(moved)} of {len(found.moves)} stand where they stood"
    grown = "; records were added since, and are hidden" if found.vault_grew else ""
    printer.result(found, [f"{found.question}", *lines, f"{standing}{grown}."])
    return 0


def _place(rank: int | None) -> str:
    return "out" if rank is None else f"{rank:3d}"


def _setting(written: str) -> tuple[str, float | str]:
    name, mark, value = written.partition("=")
    if not mark or not value:
        raise InvalidInputError(f"'{written}' sets nothing.", hint="Write NAME=VALUE, as in `--set mention_weight=0`.")
    try:
        return name, float(value)
    except ValueError:
        return name, value
