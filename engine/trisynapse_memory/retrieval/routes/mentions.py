"""What was found in, the sources that its words name by title out: one hop, without a model. Nothing is stored here.

A source whose title stands in one of the best seeds gets that seed's score, one whose title stands in the question
itself ``IN_QUESTION``; less where many records name the same thing. It comes in by its best record among the seeds,
else by its first (engine.md 0.8, 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import LinkReader, RecordReader
from trisynapse_memory.text.works import written_words
from trisynapse_memory.types import Candidate, QueryPlan, Scope, TitleLink

# Of ln(records that name it): MuSiQue-100 recall@5 .639 without, .671 with, HotpotQA-100 .945 with both.
DAMPING: Final = 0.3
# Score of a source that the question names: HotpotQA-100 recall@5 .935 without, .950 with, the same for 0.4 to 0.9.
IN_QUESTION: Final = 0.6
_QUESTION: Final = 0  # where the question stands in the log: nowhere, and no record is at 0
_WHY: Final = "named"


class MentionRoute:
    """Proposes the sources that the best candidates name.

    Args:
        links: finds titles in texts.
        records: reads the seeds.
        config: ``mention_seed_count`` is how many of the best candidates are read.
    """

    name = "mentions"

    def __init__(self, links: LinkReader, records: RecordReader, config: Config) -> None:
        self._links = links
        self._records = records
        self._seed_count = config.mention_seed_count

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return one record of each named source, scored by the best seed that names it, in (0, 1]."""
        scores = {seed.seq: seed.score for seed in seeds}
        read = self._records.by_seqs([seed.seq for seed in seeds[: self._seed_count]])
        texts = {_QUESTION: plan.question} | {record.seq: record.text for record in read}
        own = {record.seq: " ".join(written_words(record.fields.get("title", "").casefold())) for record in read}
        # A passage that names its own title says nothing of the other passages that bear it.
        links = [link for link in self._links.named_titles(texts, scope) if link.title != own.get(link.seq)]
        entrances = self._links.entrances(sorted({link.source_id for link in links}), scope, list(scores))
        found: dict[int, float] = {}
        for sources, strength in _named(links, scores):
            for target in _targets(sources, entrances, scores):
                found[target] = max(strength, found.get(target, 0.0))
        best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(Candidate(seq, score, _WHY) for seq, score in best if score > 0)


def _named(links: Sequence[TitleLink], scores: Mapping[int, float]) -> list[tuple[list[str], float]]:
    """Return for each seed and title the sources that bear it, and how strongly the seed leads there."""
    groups: dict[tuple[int, str], list[TitleLink]] = {}
    for link in links:
        groups.setdefault((link.seq, link.title), []).append(link)
    return [
        ([link.source_id for link in group], scores.get(seq, IN_QUESTION) / (1.0 + DAMPING * log(group[0].name_count)))
        for (seq, _), group in groups.items()
    ]


def _targets(sources: Sequence[str], entrances: Mapping[str, Sequence[int]], scores: Mapping[int, float]) -> list[int]:
    """The best record of each source that bears the title and was found; where none was, the first of one of them.

    All of them: which of several passages under one title is meant, a title cannot tell.
    """
    best = [min(seqs, key=lambda seq: (-scores.get(seq, 0.0), seq)) for one in sources if (seqs := entrances.get(one))]
    return [seq for seq in best if scores.get(seq, 0.0) > 0] or best[:1]
