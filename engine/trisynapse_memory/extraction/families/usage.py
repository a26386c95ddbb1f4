"""A sentence in, what it says about use out: uses, based_on, trained_on, pretrained_on, pretrained_with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.frames import Frame, Shape, by_lemma, find_framed
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.types import Proposal

PATTERN: Final = "usage"

_LEARNT: Final = frozenset(("trained_on", "pretrained_on", "pretrained_with"))
_NO_MATTER: Final = re.compile(
    r"^(?:\d+|two|three|four|six|eight|ten|twelve|sixteen)\s(?!\w*\s?(?:million|billion|languages|hours))"
    r"|\b(?:GPUs?|TPUs?|cards?|nodes|cores|machines|care|ease|success|effort|difficulty|batch|batches|epochs?|steps|rate|budget)\b"
    r"|^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b"
)

_FRAMES: Final = by_lemma(
    *(Frame(lemma, Shape.DIRECT, "uses") for lemma in ("use", "utilize", "utilise", "employ", "leverage")),
    Frame("base", Shape.BEHIND, "based_on", "on|upon"),
    Frame("build", Shape.BEHIND, "based_on", "on top of"),
    *(Frame(lemma, Shape.BEHIND, "based_on", "on|upon", weak=True) for lemma in ("build", "rest")),  # also of houses
    Frame("rely", Shape.BEHIND, "uses", "on|upon"),
    Frame("use", Shape.QUALITY, "uses", "of"),
    Frame("derive", Shape.BEHIND, "based_on", "from"),
    *(Frame(lemma, Shape.GIVEN, "trained_on", "on|upon") for lemma in ("train", "retrain", "finetune")),
    Frame("pretrain", Shape.GIVEN, "pretrained_on", "on|upon"),
    Frame("pretrain", Shape.GIVEN, "pretrained_with", "with|using"),
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield what the sentence says is used, built on or trained on what.

    "Trained on eight cards", "on Monday" and "pretrained with great care" name no data and no method.
    """
    for proposal in find_framed(sentence, _FRAMES, PATTERN):
        if not (proposal.relation in _LEARNT and _NO_MATTER.search(proposal.object)):
            yield proposal
