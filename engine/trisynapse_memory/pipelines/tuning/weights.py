"""The defaults and what she agreed to in, the settings the ranking works with out. Nothing is learned here.

Off by default: without her word the weights are those of ``config``, to the last bit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from msgspec import structs

from trisynapse_memory.config import SETTINGS, Config
from trisynapse_memory.errors import InvalidSettingError
from trisynapse_memory.pipelines.staffing.choices import ChoiceFile, Tuned, with_tuning
from trisynapse_memory.scoring.weighting import Weighting

LOGGER = logging.getLogger(__name__)

LEXICAL, SEMANTIC = "lexical_weight", "semantic_weight"
STRETCHED: Final[Mapping[str, tuple[str, ...]]] = {
    "neighbour": ("document_neighbour_weight", "turn_neighbour_weight"),
    "coverage": ("coverage_weight",),
    "exchange": ("exchange_weight",),
    "mention": ("mention_weight",),
    "speaker": ("speaker_weight",),
    "assistant": ("assistant_weight",),
    "time": ("time_weight",),
    "asking": ("asking_weight",),
}
"""Part of a score (``retrieval/measures.py``) -> the settings that it is multiplied by. One factor for each part:
thirty questions can tell eight things apart, not twenty. Routes that are off stay off: they cost time."""
LEARNED: Final = frozenset({LEXICAL, SEMANTIC, *(name for names in STRETCHED.values() for name in names)})
SHARE_MOVES: Final = (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.5)  # tried around the default share of 0.3
DIGITS: Final = 4  # of a weight


class Weights:
    """The weights of one vault: the defaults, and what she agreed to; kept in ``settings.toml``.

    Args:
        config: the engine's settings; their weights are the defaults.
        choices: where her word is kept.
    """

    def __init__(self, config: Config, choices: ChoiceFile) -> None:
        self.default = config
        self._choices = choices
        self._made: tuple[dict[str, float], Config] | None = None
        self.trouble = ""  # why the kept weights are not used

    @property
    def is_on(self) -> bool:
        """Whether she lets the vault learn from what she opens."""
        return self._choices.choices.tuning.is_on

    @property
    def changed(self) -> dict[str, float]:
        """The weights that differ from the defaults now."""
        return learned_in(self.in_force(), self.default)

    def in_force(self) -> Config:
        """Return the settings a question is ranked with now; the same value as long as nothing changes."""
        wanted = self._choices.choices.tuning.weights
        if self._made is None or self._made[0] != wanted:
            self._made = (wanted, self._usable(wanted))
        return self._made[1]

    def switch(self, on: bool) -> None:
        """Let the vault learn, or let it stop; once off, the defaults hold again.

        Raises:
            VaultError: her word cannot be written.
        """
        weights = self._choices.choices.tuning.weights if on else {}
        self._choices.change(lambda choices: with_tuning(choices, Tuned(on, weights)))

    def use(self, weights: Mapping[str, float]) -> None:
        """Rank with these weights from now on; with none of them, with the defaults.

        Raises:
            InvalidSettingError: a weight is not there to be learned, or out of its range; nothing is changed.
        """
        with_weights(self.default, weights)
        self._choices.change(lambda choices: with_tuning(choices, Tuned(choices.tuning.is_on, dict(weights))))

    def _usable(self, wanted: Mapping[str, float]) -> Config:
        try:
            made = with_weights(self.default, wanted)
        except InvalidSettingError as error:  # written by hand, or by a version that knew other weights
            self.trouble = f"The learned weights are not used: {error.problem}"
            LOGGER.warning("%s", self.trouble)
            return self.default
        self.trouble = ""
        return made


def with_weights(config: Config, weights: Mapping[str, float]) -> Config:
    """Return the settings with other weights; with none, the same value.

    Raises:
        InvalidSettingError: a name is no weight that is learned, or a value is out of its range.
    """
    unknown = weights.keys() - LEARNED
    if unknown:
        raise InvalidSettingError(f"'{min(unknown)}' is no weight that is learned.", hint="`tuning revert` drops it.")
    return structs.replace(config, **dict(weights)) if weights else config


def learned_in(config: Config, default: Config) -> dict[str, float]:
    """Return the learned weights in which some settings differ from the defaults; none for the defaults themselves."""
    if config is default:
        return {}
    return {
        name: float(getattr(config, name))
        for name in sorted(LEARNED)
        if getattr(config, name) != getattr(default, name)
    }


def default_share(config: Config) -> float:
    """Return the share of the lexical route in fusion, in [0, 1]."""
    return config.lexical_weight / ((config.lexical_weight + config.semantic_weight) or 1.0)


def shares_around(config: Config) -> tuple[float, ...]:
    """Return the shares that are tried, the default among them."""
    middle = default_share(config)
    moved = (round(middle + move, DIGITS) for move in SHARE_MOVES if move)
    return (middle, *(share for share in moved if 0.0 <= share <= 1.0))


def unstretched(config: Config, share: float) -> Config:
    """Return the settings with another share of the lexical route, and all else as it is."""
    return with_weights(config, weights_of(config, Weighting(share, (1.0,) * len(STRETCHED))))


def weights_of(config: Config, weighting: Weighting) -> dict[str, float]:
    """Return the settings that a weighting stands for, where they differ from the defaults; each inside its range."""
    limits = {setting.name: (setting.low, setting.high) for setting in SETTINGS}
    found: dict[str, float] = {}
    if weighting.share != default_share(config):
        both = config.lexical_weight + config.semantic_weight
        found = {LEXICAL: weighting.share * both, SEMANTIC: (1.0 - weighting.share) * both}
    for names, factor in zip(STRETCHED.values(), weighting.factors, strict=True):
        found |= {name: getattr(config, name) * factor for name in names if factor != 1.0}
    clipped = {name: round(min(max(value, limits[name][0]), limits[name][1]), DIGITS) for name, value in found.items()}
    return {name: value for name, value in sorted(clipped.items()) if value != getattr(config, name)}
