"""The relations of the planted corpus: how subjects are named, values drawn and rewritten, and what sentences say it.

Tables and small pure functions; which subject gets which story is decided in ``planted.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple


class Theme(NamedTuple):
    """One relation: how subjects are named, how values are drawn and rewritten, and the sentences that say it."""

    relation: str
    subject: str
    forms: tuple[str, ...]
    draw: Callable[[Random], str]
    rewrite: Callable[[str], str]
    qualifiers: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def apart(self, one: str, other: str) -> bool:
        """Whether two drawn values differ by more than any tolerance: measured ones by a tenth, the others at all."""
        if self.draw not in (_kilometres, _millions, _share):
            return one != other
        left, right = (float(value.split()[0].rstrip("%")) for value in (one, other))
        return abs(left - right) > 0.1 * max(left, right)


_MONTHS: Final = tuple("January February March April May June July August September October November December".split())
HEADS: Final = tuple("Bel Cor Dra Fen Gal Hes Jun Kel Lor Mar Nim Orv Pel Quo Ros Sel Tar Ull Vel Wes Yar Zan".split())
TAILS: Final = tuple("adon bryn essa ford gate hollin ickle isk mond mora nara ossen rith sted tova undra vik".split())
FIRST: Final = tuple("Ada Bruno Clara Edmund Flora Gustav Hanna Ivar Judith Karel Lydia Magnus".split())


def _date(random: Random) -> str:
    return f"{random.randint(1, 28)} {random.choice(_MONTHS)} {random.randint(1720, 1899)}"


def _launch(random: Random) -> str:
    return f"{random.randint(1, 28)} {random.choice(_MONTHS)} {random.randint(2026, 2029)}"


def _iso(value: str) -> str:
    day, month, year = value.split()
    return f"{year}-{_MONTHS.index(month) + 1:02d}-{int(day):02d}"


def _american(value: str) -> str:
    day, month, year = value.split()
    return f"{month} {day}, {year}"


def _kilometres(random: Random) -> str:
    return f"{random.randint(11, 98) / 10} km"


def _metres(value: str) -> str:
    return f"{round(float(value.split()[0]) * 1000):,} m"


def _millions(random: Random) -> str:
    return f"{random.randint(11, 99) / 10} million"


def _digits(value: str) -> str:
    return f"{round(float(value.split()[0]) * 1_000_000):,}"


def _share(random: Random) -> str:
    return f"{random.randint(400, 990) / 10}%"


def _percent(value: str) -> str:
    return f"{value.removesuffix('%')} percent"


def _person(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(HEADS)}{random.choice(TAILS)}"


def _one_of(*values: str) -> Callable[[Random], str]:
    return lambda random: random.choice(values)


def _version(random: Random) -> str:
    return f"{random.randint(1, 9)}.{random.randint(0, 9)}.{random.randint(0, 9)}"


def _year(random: Random) -> str:
    return str(random.randint(1720, 1960))


_OPTIMISERS: Final = _one_of("Adam", "AdamW", "LAMB", "Lion", "Adafactor")
_TOWNS: Final = _one_of("Trondheim", "Lisbon", "Nairobi", "Ghent", "Hobart", "Cork", "Leipzig", "Kyoto")
_TOOLS: Final = _one_of("SQLite", "Redis", "Kafka", "Lucene", "OpenSSL", "Protobuf")
_OWNERS: Final = _one_of("Harlow & Pike", "Vantage Rail", "Tern Software", "Aster Robotics", "Kestrel Labs")
_DATASETS: Final = ("MNLI", "SQuAD", "ImageNet", "PubMedQA")

FINDINGS: Final = (
    Theme(
        "measured_as",
        "length of the {name} canal",
        (
            "The {s} was measured as {o}.",
            "The engineers measured the {s} as {o}.",
            "After the flood the {s} was measured as {o} by a second party.",
        ),
        _kilometres,
        _metres,
    ),
    Theme(
        "has_value",
        "population of {name}",
        ("The {s} was {o} in {time}.", "In {time} the {s} was {o}.", "In {time}, the {s} was {o}."),
        _millions,
        _digits,
        (("time", ("1911", "1951", "1991", "2001")),),
    ),
    Theme(
        "has_result",
        "{name}-2",
        (
            "{s} achieves {o} {metric} on {dataset}.",
            "On {dataset}, {s} achieves {o} {metric}.",
            "{s} reaches {o} {metric} on {dataset}.",
        ),
        _share,
        _percent,
        (("metric", ("accuracy",)), ("dataset", _DATASETS)),
    ),
    Theme(
        "born_on",
        "{first} {name}",
        ("{s} was born on {o}.", "Born on {o}, {s} went to sea at twelve.", "{s} was born on {o} in a mill."),
        _date,
        _iso,
    ),
    Theme(
        "pretrained_with",
        "{name}Net",
        ("{s} was pretrained with {o}.", "We pretrained {s} with {o}.", "{s}, as we know, was pretrained with {o}."),
        _OPTIMISERS,
        str,
    ),
    Theme(
        "founded_in",
        "{name} Institute",
        (
            "The {s} was founded in {o}.",
            "Founded in {o}, the {s} has three offices.",
            "The {s} was established in {o} by merchants.",
        ),
        _year,
        str,
    ),
)
STATES: Final = (
    Theme(
        "launch_date",
        "Project {name}",
        ("{s} launches on {o}.", "The launch of {s} is scheduled for {o}.", "The launch date of {s} is {o}."),
        _launch,
        _american,
    ),
    Theme(
        "role_held_by",
        "{name} Programme",
        ("{o} is the {part} of the {s}.", "The {part} of the {s} is {o}.", "The {s}’s {part} is {o}."),
        _person,
        lambda value: f"Dr. {value}",
        (("part", ("tech lead",)),),
    ),
    Theme(
        "located_in",
        "{name} Museum",
        ("The {s} is located in {o}.", "The {s} is based in {o}.", "The {s}, located in {o}, is open on Sundays."),
        _TOWNS,
        str,
    ),
    Theme(
        "has_version",
        "{name}Tool",
        ("The current version of {s} is {o}.", "The latest version of {s} is {o}.", "{s} is at version {o}."),
        _version,
        str,
    ),
    Theme(
        "owned_by",
        "{name} Ferry",
        ("The {s} is owned by {o}.", "{o} owns the {s}.", "The {s}, owned by {o}, runs daily."),
        _OWNERS,
        str,
    ),
)
USES: Final = Theme(
    "uses",
    "{name}Kit",
    ("{s} uses {o}.", "{s}, like its predecessor, uses {o}.", "{s} makes use of {o}."),
    _TOOLS,
    str,
)
DENIAL: Final = "{s} does not use {o}."
REWRITABLE: Final = tuple(theme for theme in (*FINDINGS[:4], *STATES[:2]))
QUALIFIED: Final = FINDINGS[1:3]
