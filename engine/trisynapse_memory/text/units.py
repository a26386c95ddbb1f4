"""A written unit in, what it is in base units out. Only units on the list below are units: "12 chains" counts chains.

The arithmetic is pint's, whose table of units takes half a second to load and is loaded by the first unit that needs
it; the commonest ones stand here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, cast

PERCENT: Final = "%"
POINTS: Final = "percentage points"

_PREFIXED: Final = "m g s A K mol cd Hz N Pa J W C V F Ω T Wb H eV cal L l B b bit byte bps M"
_PREFIXES: Final = "Y Z E P T G M k h d c m µ μ u n p f a".split()
_SYMBOLS: Final = (
    "min h hr hrs d day days wk week weeks month months year years yr yrs in ft yd mi nmi lb lbs oz kg ha acre acres "
    "mph kph psi atm bar mbar mmHg inHg Nm fathom fathoms Torr rpm ppm ppb dB rad deg sr Å AU ly pc kpc Mpc amu "
    "Da kDa ℃ °C °F ° kWh MWh GWh "
    "TWh Wh Bq Sv mSv Gy Ci lm lx fps KB KiB MiB GiB TiB Mbps Gbps kbps"
)
_WORDS: Final = (
    "meter metre kilometer kilometre centimeter centimetre millimeter millimetre micrometer micrometre nanometer "
    "nanometre micron gram kilogram milligram microgram tonne ton pound ounce second millisecond microsecond "
    "nanosecond minute hour day week month year decade century ampere kelvin mole hertz kilohertz megahertz gigahertz "
    "newton pascal kilopascal joule kilojoule watt kilowatt megawatt gigawatt volt millivolt ohm tesla electronvolt "
    "calorie kilocalorie liter litre milliliter millilitre byte kilobyte megabyte gigabyte terabyte petabyte bit inch "
    "foot feet inches yard mile acre hectare parsec angstrom atmosphere degree radian knot gallon"
)
_RENAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "B": "byte", "b": "bit", "l": "liter", "M": "molar", "Ω": "ohm", "C": "coulomb", "F": "farad", "H": "henry",
        "h": "hour", "hr": "hour", "hrs": "hour", "d": "day", "wk": "week", "yr": "year", "yrs": "year", "lbs": "lb",
        "in": "inch", "ft": "foot", "feet": "foot", "inches": "inch", "yd": "yard", "mi": "mile",
        "AU": "astronomical_unit", "ly": "light_year", "pc": "parsec", "kpc": "kiloparsec", "Mpc": "megaparsec",
        "Da": "dalton", "kDa": "kilodalton",
        "℃": "degC", "°C": "degC", "°F": "degF", "°": "degree", "mmHg": "mmHg", "Nm": "newton*meter",
        "fathoms": "fathom", "Torr": "torr", "Å": "angstrom",
        "KB": "kilobyte", "bps": "bit/second", "kbps": "kilobit/second", "Mbps": "megabit/second",
        "Gbps": "gigabit/second", "mph": "mile/hour", "kph": "kilometer/hour", "fps": "1/second", "μ": "micro",
        "ha": "hectare", "cal": "calorie", "nmi": "nautical_mile", "tonne": "metric_ton", "Wh": "watt*hour",
        "kWh": "kilowatt*hour", "MWh": "megawatt*hour", "GWh": "gigawatt*hour", "TWh": "terawatt*hour",
    }
)  # fmt: skip


def _known() -> Mapping[str, str]:
    table = {symbol: symbol for symbol in _SYMBOLS.split()}
    for symbol in _PREFIXED.split():
        table[symbol] = symbol
        for prefix in _PREFIXES:
            table[prefix + symbol] = prefix.replace("μ", "µ") + _RENAMED.get(symbol, symbol)
    # "mM" is millimolar; a bare "M" behind a number is a million or a molar, and is read by the caller.
    for word in _WORDS.split():
        table[word] = table[f"{word}s"] = _RENAMED.get(word, word)
    return MappingProxyType({key: _RENAMED.get(value, value) for key, value in table.items()})


_KNOWN: Final = _known()
_WORD_SET: Final = frozenset(_WORDS.split())
CURRENCIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "u.s. dollars": "USD",
        "a$": "AUD", "aud": "AUD", "c$": "CAD", "cad": "CAD", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
        "£": "GBP", "gbp": "GBP", "pounds sterling": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "cny": "CNY",
        "yuan": "CNY", "renminbi": "CNY", "₹": "INR", "inr": "INR", "rupees": "INR", "chf": "CHF", "francs": "FRF",
        "swiss francs": "CHF", "₩": "KRW", "won": "KRW", "₽": "RUB", "sek": "SEK", "nok": "NOK", "dkk": "DKK",
    }
)  # fmt: skip
"""Signs, codes and names of currencies in small letters, and their ISO 4217 codes; "$" alone is read as US dollars."""
_PERCENTS: Final = frozenset("% percent pct ％".split()) | {"per cent"}
_POINT_NAMES: Final = frozenset(
    ("percentage points", "percentage point", "pp", "ppt", "pct points", "% points", "%-points")
)


class Unit(NamedTuple):
    """``symbol`` of the base unit, and the line that leads there: base = factor * value + offset."""

    symbol: str
    factor: float = 1.0
    offset: float = 0.0


# What researchers write most, so that a plain "5 km" loads no table of units. Base symbols as pint's "~" format.
_COMMON: Final[Mapping[str, Unit]] = MappingProxyType(
    {
        "m": Unit("m"), "km": Unit("m", 1e3), "cm": Unit("m", 1e-2), "mm": Unit("m", 1e-3),
        "s": Unit("s"), "ms": Unit("s", 1e-3), "minute": Unit("s", 60.0), "hour": Unit("s", 3600.0),
        "day": Unit("s", 86400.0), "week": Unit("s", 604800.0),
        "kg": Unit("kg"), "g": Unit("kg", 1e-3), "mg": Unit("kg", 1e-6), "kelvin": Unit("K"),
    }
)  # fmt: skip
_POWER: Final = re.compile(r"^(?P<name>.*?[^\d^*⁻-])(?:(?:\^|\*\*)?(?P<plain>-?\d)|(?P<raised>⁻?[¹²³⁴]))?$")
_SUPERSCRIPTS: Final = str.maketrans("¹²³⁴⁻−", "1234--")


@lru_cache(maxsize=4096)
def read_unit(text: str) -> Unit | None:
    """Return a unit in base units, or None for what is no unit on the list ("participants").

    "km/s", "kilometres per second", "km s-1", "m/s²", "square miles" and "°C" are read. A percentage and percentage
    points are families of their own; currencies are their ISO 4217 codes.
    """
    plain = re.sub(r"^(?:mm|millimet(?:er|re)s?)\s+(?:of\s+mercury|Hg)$", "mmHg", " ".join(text.split()))
    plain = re.sub(r"^(?:in|inch(?:es)?)\s+(?:of\s+mercury|Hg)$", "inHg", plain)
    lower = plain.lower().rstrip(".")
    if lower in _PERCENTS:
        return Unit(PERCENT)
    if lower in _POINT_NAMES:
        return Unit(POINTS)
    if lower in CURRENCIES:
        return Unit(CURRENCIES[lower])
    expression = _expression(plain)
    if not expression:
        return None
    return _COMMON.get(expression) or _in_base(expression)


def _pairs(rows: str) -> dict[str, str]:
    return {short: name for short, _, name in (row.partition(":") for row in rows.split())}


def _names() -> Mapping[str, str]:
    symbols = _pairs(
        "m:metre g:gram s:second l:litre L:litre W:watt V:volt N:newton J:joule K:kelvin t:tonne B:byte Hz:hertz "
        "Pa:pascal Wh:watthour mol:mole Ω:ohm eV:electronvolt cal:calorie"
    )
    prefixes = _pairs("k:kilo M:mega G:giga T:tera m:milli µ:micro μ:micro n:nano c:centi")
    table = _pairs("min:minute h:hour hr:hour hrs:hour ha:hectare lb:pound oz:ounce")
    for symbol, name in symbols.items():
        table[symbol] = name
        table |= {short + symbol: long + name for short, long in prefixes.items()}
    return MappingProxyType(table)


_NAMES: Final = _names()


def unit_name(written: str) -> str:
    """One name for the spellings of a unit behind a number ("m", "meters": "metre"); an unknown one stays as it is.

    Case counts: "mg" and "Mg" are two units.
    """
    if written in _NAMES:
        return _NAMES[written]
    lower = written.lower()
    plain = lower.removesuffix("s") if lower.removesuffix("s") in _WORD_SET else lower
    return re.sub(r"(met|lit)er$", r"\1re", plain)


def _expression(text: str) -> str:
    """Turn a written unit into one of pint's, or into nothing."""
    worded = re.sub(r"/\s?\(([^()]*)\)", lambda match: "/" + re.sub(r"[\s·⋅*]+", "/", match[1].strip()), text)
    worded = re.sub(r"\s+per\s+", "/", worded, flags=re.IGNORECASE)
    worded = re.sub(r"\b(square|sq\.?)\s+(\w+)", r"\2^2", worded, flags=re.IGNORECASE)
    worded = re.sub(r"\b(cubic|cu\.?)\s+(\w+)", r"\2^3", worded, flags=re.IGNORECASE)
    pieces = re.split(r"\s*([/·⋅*])\s*|\s+", worded.strip().replace("−", "-"))
    if len(pieces) > 9:  # Five names with what joins them; no unit is longer.
        return ""
    parts: list[str] = []
    for piece in pieces:
        if piece is None or piece in ("·", "⋅", "*"):
            continue
        if piece == "/":
            parts.append("/")
            continue
        name = _name(piece)
        if not name:
            return ""
        parts.append(name if not parts or parts[-1] == "/" else f"*{name}")
    return "".join(parts)


def _name(piece: str) -> str:
    match = _POWER.match(piece)
    if match is None:
        return ""
    written = match["name"]
    name = _KNOWN.get(written) or _KNOWN.get(written.lower() if len(written) > 3 else written)
    if name is None:
        return ""
    if match["plain"] in ("0", "1"):
        return ""  # "F1" is a score.
    power = match["plain"] or (match["raised"] or "").translate(_SUPERSCRIPTS)
    bare = f"({name})" if "/" in name or "*" in name else name
    return f"{bare}**{power}" if power else bare


class _Quantity(Protocol):
    """What is used of pint's quantities."""

    magnitude: float
    units: object

    def to_base_units(self) -> _Quantity: ...


class _Registry(Protocol):
    """What is used of pint's registry."""

    @property
    def Quantity(self) -> Callable[[float, str], _Quantity]: ...  # noqa: N802


@lru_cache(maxsize=1)
def _quantity() -> Callable[[float, str], _Quantity]:
    import pint

    registry = cast("_Registry", pint.UnitRegistry(cache_folder=None, autoconvert_offset_to_baseunit=True))
    return registry.Quantity


def _in_base(expression: str) -> Unit | None:
    """Ask pint for the line to base units; two points give it, since temperatures have an offset."""
    import pint

    try:
        zero = _quantity()(0.0, expression).to_base_units()
        one = _quantity()(1.0, expression).to_base_units()
    except (pint.errors.PintError, AttributeError, ValueError, ArithmeticError):
        return None
    offset = float(f"{zero.magnitude:.12g}")
    return Unit(f"{one.units:~C}" or "1", float(f"{one.magnitude - zero.magnitude:.12g}"), offset)
