"""HotpotQA and MuSiQue samples in, one store each out: a passage is a source with its title.

A question needs all of its gold passages, so all of them within the first eight counts beside recall. Passages of
MuSiQue share titles, so a passage is known by its title and its words.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from trisynapse_memory.bench.corpora import explained, files_in
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Passage, Store

_CORPUS: Final = "_corpus.json"


def files(data: Path) -> list[Path]:
    """Return the questions and the passages."""
    return files_in(data / "multihop", "*.json")


def read(data: Path) -> Iterator[Store]:
    """Read each sample: ``NAME.json`` with the questions, ``NAME_corpus.json`` with the passages."""
    known = {path.name: path for path in files(data)}
    for name, path in known.items():
        corpus = known.get(f"{path.stem}{_CORPUS}")
        if corpus is None:
            continue
        with explained(path, "file of multi-hop questions"):
            passages = _passages(json.loads(corpus.read_text(encoding="utf-8")))
            questions = _questions(json.loads(path.read_text(encoding="utf-8")), {one.key for one in passages})
        yield Store(corpus=path.stem.split("_")[0], name=name, passages=passages, questions=questions)


SUITE: Final = EvidenceSuite(name="multihop", files=files, read=read)


def _passages(corpus: Any) -> tuple[Passage, ...]:
    """HotpotQA keeps title -> sentences, MuSiQue a list of titles and texts."""
    if isinstance(corpus, dict):
        pages = cast("dict[str, list[str]]", corpus)
        pairs = [(title, "".join(sentences)) for title, sentences in pages.items()]
    else:
        pairs = [(str(row["title"]), str(row["text"])) for row in corpus]
    return tuple(Passage(key=_key(title, text), title=title, text=text) for title, text in dict.fromkeys(pairs))


def _questions(rows: Sequence[Mapping[str, Any]], known: set[str]) -> tuple[Asked, ...]:
    found: list[Asked] = []
    for row in rows:
        gold = _gold(row)
        kept = {key: 1.0 for key in gold if key in known}
        found.append(Asked(text=str(row["question"]), category=_hops(row), gold=kept, malformed=len(gold) - len(kept)))
    return tuple(found)


def _gold(row: Mapping[str, Any]) -> list[str]:
    if "supporting_facts" in row:
        wanted = {str(title) for title, _ in row["supporting_facts"]}
        return [_key(title, "".join(sentences)) for title, sentences in row["context"] if title in wanted]
    return [_key(one["title"], one["paragraph_text"]) for one in row["paragraphs"] if one["is_supporting"]]


def _hops(row: Mapping[str, Any]) -> str:
    """MuSiQue's ids begin with the number of hops ("2hop__..."), HotpotQA names a type."""
    return str(row.get("type") or str(row.get("id", "")).split("_")[0][:4] or "multi-hop")


def _key(title: str, text: str) -> str:
    return f"{title}#{hashlib.sha256(text.encode()).hexdigest()[:12]}"
