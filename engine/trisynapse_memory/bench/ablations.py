"""The name of a part in, the settings that switch it off out. A new part adds its row here; nothing is measured."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.errors import InvalidInputError

Changes = Mapping[str, float | int | str]

_SECOND_STAGE: Final[Changes] = MappingProxyType(
    {
        "feedback_weight": 0.0,
        "document_neighbour_weight": 0.0,
        "turn_neighbour_weight": 0.0,
        "mention_weight": 0.0,
        "coverage_weight": 0.0,
        "exchange_weight": 0.0,
        "speaker_weight": 0.0,
        "assistant_weight": 0.0,
        "time_weight": 0.0,
        "asking_weight": 0.0,
        "turn_context_weight": 0.0,
        "session_weight": 0.0,
        "place_weight": 0.0,
        "diversity_weight": 0.0,
    }
)
"""All that is added to the fused scores of words and vectors."""

ABLATIONS: Final[Mapping[str, Changes]] = MappingProxyType(
    {
        "lexical-only": {**_SECOND_STAGE, "semantic_weight": 0.0},
        "dense-only": {**_SECOND_STAGE, "lexical_weight": 0.0, "rare_term_bonus": 0.0},
        "rrf-fusion": {"fusion": "rrf"},
        "exact-terms": {"rare_term_bonus": 0.0},
        "rerank": {name: value for name, value in _SECOND_STAGE.items() if name != "feedback_weight"},
        "second-stage": _SECOND_STAGE,
        "feedback": {"feedback_weight": 0.0},
        "neighbours": {"document_neighbour_weight": 0.0, "turn_neighbour_weight": 0.0},
        "mentions": {"mention_weight": 0.0},
        "coverage": {"coverage_weight": 0.0, "exchange_weight": 0.0},
        "speakers": {"speaker_weight": 0.0, "assistant_weight": 0.0},
        "times": {"time_weight": 0.0},
        "asking-turns": {"asking_weight": 0.0},
        "turn-context": {"turn_context_weight": 0.0},
        "sessions": {"session_weight": 0.0},
        "places": {"place_weight": 0.0},
        "diversity": {"diversity_weight": 0.0},
        "grounding": {"answer_beside_records": 0},  # of answers: no sentence is completed from the record beside it
        "refinement": {"max_refinement_rounds": 0},  # of answers: a search is never looked up again
        "with-graph": {"graph_weight": 0.05},
        "with-activation": {"activation_weight": 0.5},
        "with-claims": {"claims_weight": 0.2},
        "with-summaries": {"summaries_weight": 0.05},
        "with-temporal": {"temporal_weight": 0.3},
        "with-modality": {"modality_weight": 0.12},
    }
)
"""What is left, or which part is off; a silenced route still proposes its candidates, with a score of 0. ``with-``: a
route that is off by default, switched on with the weight that did best or, where none did, with the article's."""


def settings_without(name: str) -> Config:
    """Return the settings with one part switched off.

    Raises:
        InvalidInputError: no part has that name.
    """
    changes = changes_of(name)
    return structs.replace(Config(), **changes)


def changes_of(name: str) -> Changes:
    """Return what is set otherwise than by default; see ``settings_without``."""
    changes = ABLATIONS.get(name)
    if changes is None:
        raise InvalidInputError(f"There is no part '{name}' to switch off.", hint=f"Known: {', '.join(ABLATIONS)}.")
    return changes


def names_of(written: str | None) -> tuple[str, ...]:
    """Read a list of names as the command line has it ("a,b"); each once, "all" for every one.

    Raises:
        InvalidInputError: one of them is unknown.
    """
    names = list(dict.fromkeys(name.strip() for name in (written or "").split(",") if name.strip()))
    chosen = list(ABLATIONS) if names == ["all"] else names
    for name in chosen:
        changes_of(name)
    return tuple(chosen)
