"""Labelled sentences in, what each extraction pattern is worth out; with ``--write`` also its table.

Run it from the root of the project::

    PYTHONPATH=engine python packaging/scripts/measure_extraction.py [--write] [--wrong] [--missed] [--only usage]

It reads ``tests/corpora/extraction/*.jsonl`` and judges by the rules of the README there: a proposal is right when it
equals one of a label's facts or of its ``also`` readings in relation, sides, negation, hedge, and every qualifier that
the label names; sides are compared without case, articles, white space and the stops at their edges. A file labels its
own relations only (those of its facts), so a proposal of another relation is not judged there. A label counts as found
when any proposal meets it. The interval is Wilson's, 95 %, over rows; rows of one structure stand or fall together.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from pathlib import Path
from typing import Any

from trisynapse_memory.extraction.extractors.pattern import PatternExtractor
from trisynapse_memory.extraction.runner import extract_facts
from trisynapse_memory.types import Modality, Passage, Proposal

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "tests/corpora/extraction"
TABLE = ROOT / "engine/trisynapse_memory/scoring/patterns.py"

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_EDGES = " .,;:!?\"'\u201c\u201d\u2018\u2019()"
_ROWS = re.compile(r"_ROWS: Final\[tuple\[Worth, \.\.\.\]\] = \((?:.*?)\n?\)\n", re.DOTALL)


@dataclass
class Score:
    """Counts of one run: by pattern, by relation, and what went wrong."""

    hits: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    structures: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def labels(folder: Path = LABELS, only: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each file's name and its labelled texts."""
    for path in sorted(folder.glob("*.jsonl")):
        if only in path.stem:
            lines = path.read_text(encoding="utf-8").splitlines()
            yield path.stem, [json.loads(line) for line in lines if line.strip()]


def passage_of(seq: int, label: Mapping[str, Any]) -> Passage:
    """Return the passage that a label describes."""
    observed = label.get("observed_at") or ""
    return Passage(
        seq=seq,
        text=label["text"],
        title=label.get("title", ""),
        section=label.get("section", ""),
        before=label.get("before", ""),
        modality=Modality(label.get("modality", "document")),
        speaker=label.get("speaker", ""),
        observed_at=datetime.fromisoformat(observed) if observed else None,
        cells=tuple(label.get("cells", ())),
    )


def fold(side: str) -> str:
    """Return a side as it is compared."""
    flat = " ".join(side.split()).casefold().strip(_EDGES)
    return _ARTICLE.sub("", flat)


def measure(files: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> Score:
    """Run the pattern extractor over labelled texts and compare."""
    score = Score()
    extractor = PatternExtractor()
    for name, texts in files:
        judged = {fact["relation"] for label in texts for fact in (*label["facts"], *label.get("also", ()))}
        passages = [passage_of(seq, label) for seq, label in enumerate(texts)]
        by_seq: defaultdict[int, list[Proposal]] = defaultdict(list)
        for proposal in extract_facts(passages, extractor).proposals:
            if proposal.relation in judged:
                by_seq[proposal.seq].append(proposal)
        for seq, label in enumerate(texts):
            _compare(score, name, label, by_seq[seq])
    return score


def _compare(score: Score, name: str, label: Mapping[str, Any], proposals: Sequence[Proposal]) -> None:
    facts: Sequence[Mapping[str, Any]] = label["facts"]
    met: set[int] = set()
    for proposal in proposals:
        score.hits[proposal.pattern] += 1
        score.structures[proposal.pattern].add(f"{name}/{label.get('structure', label['id'])}")
        meant = [number for number, fact in enumerate(facts) if says(proposal, fact)]
        met.update(meant)
        if meant or any(says(proposal, reading) for reading in label.get("also", ())):
            score.right[proposal.pattern] += 1
        else:
            score.wrong.append(f"{name} {label['id']} [{proposal.pattern}] {_shown(proposal)}\n      {label['text']!r}")
    for number, fact in enumerate(facts):
        score.labelled[f"{name}/{fact['relation']}"] += 1
        score.found[f"{name}/{fact['relation']}"] += number in met
        if number not in met:
            line = f"{fact['subject']} | {fact['relation']} | {fact['object']} {fact.get('qualifiers') or ''}"
            score.missed.append(f"{name} {label['id']} {line}\n      {label['text']!r}")


def says(proposal: Proposal, fact: Mapping[str, Any]) -> bool:
    """Tell whether a proposal is what a label says: sides, relation, denial, doubt, and every qualifier it names."""
    if (proposal.relation, proposal.negated) != (fact["relation"], bool(fact.get("negated"))):
        return False
    if proposal.hedged != bool(fact.get("hedged")):
        return False
    if (fold(proposal.subject), fold(proposal.object)) != (fold(fact["subject"]), fold(fact["object"])):
        return False
    named: Mapping[str, str] = fact.get("qualifiers") or {}
    return all(fold(proposal.qualifiers.get(name, "")) == fold(value) for name, value in named.items())


def _shown(proposal: Proposal) -> str:
    marks = f"{'not ' if proposal.negated else ''}{'perhaps ' if proposal.hedged else ''}"
    return f"{proposal.subject} | {marks}{proposal.relation} | {proposal.object} {proposal.qualifiers or ''}"


def interval(right: int, hits: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not hits:
        return 0.0, 1.0
    z = 1.959964
    share = right / hits
    middle = share + z * z / (2 * hits)
    half = z * sqrt(share * (1 - share) / hits + z * z / (4 * hits * hits))
    scale = 1 + z * z / hits
    return (middle - half) / scale, (middle + half) / scale


def rows_of(score: Score) -> str:
    """Return the rows of the table as source text, sorted by name."""
    rows = "".join(f'    Worth("{name}", {score.hits[name]}, {score.right[name]}),\n' for name in sorted(score.hits))
    return f"_ROWS: Final[tuple[Worth, ...]] = (\n{rows})\n" if rows else "_ROWS: Final[tuple[Worth, ...]] = ()\n"


def main() -> None:
    """Print the table; write it when asked."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--write", action="store_true", help="rewrite the rows of scoring/patterns.py")
    arguments.add_argument("--wrong", action="store_true", help="print the proposals that no label has")
    arguments.add_argument("--missed", action="store_true", help="print the labels that no proposal met")
    arguments.add_argument("--only", default="", help="read only files with this in their name")
    given = arguments.parse_args()
    score = measure(labels(only=given.only))
    for name in sorted(score.hits):
        low, high = interval(score.right[name], score.hits[name])
        share = score.right[name] / score.hits[name]
        count = len(score.structures[name])
        print(
            f"{name:32} {score.right[name]:5}/{score.hits[name]:<5} {share:6.3f}  [{low:.3f}, {high:.3f}]"
            f"  {count} structures"
        )
    for name in sorted(score.labelled):
        print(f"  {name:38} found {score.found[name]:4} of {score.labelled[name]}")
    for title, lines in (
        ("wrong", score.wrong if given.wrong else []),
        ("missed", score.missed if given.missed else []),
    ):
        print(*(f"{title}: {line}" for line in lines), sep="\n")
    if given.write:
        TABLE.write_text(_ROWS.sub(lambda _: rows_of(score), TABLE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
