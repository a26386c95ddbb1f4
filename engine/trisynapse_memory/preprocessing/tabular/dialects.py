"""The beginning of a delimited text in, how it separates and quotes its cells out; nothing is read further here.

Every candidate reads the sample, and the one under which the most rows have the same number of cells wins. The header
row decides between a comma that separates and one that stands in numbers or names.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

SAMPLE_ROWS: Final = 400
DELIMITERS: Final = (",", "\t", ";", "|")
_BY_SUFFIX: Final = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_NAMED_BONUS: Final = 0.25  # what the file's ending is worth beside its rows
_HEADER_BONUS: Final = 0.15
_QUOTE_PRICE: Final = 0.02  # a character that quotes nothing is no quote
_QUOTED_BONUS: Final = 0.35  # for single quotes, tried only where they stand around cells in most lines
_SEP_LINE: Final = "sep="  # the first line by which Excel is told


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are separated and quoted; ``width`` is the usual number of cells, ``agreement`` the share of such rows.

    ``quote`` is empty where quotes are letters like others; ``escape`` is the character before a quote that is meant.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    width: int = 1
    agreement: float = 0.0

    def cells(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """Read rows; a row may take several lines.

        Raises:
            csv.Error: a cell is longer than the library allows.
        """
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            escapechar=self.escape or None,
            skipinitialspace=self.delimiter != "\t",
        )


def find_dialect(lines: Sequence[str], suffix: str = "") -> Dialect:
    """Find out how a delimited text is written.

    Args:
        lines: its first lines, ends included; a torn last one does no harm.
        suffix: the ending of its name, lower case, with the dot.

    Returns:
        The dialect; a text of one column has the width 1.
    """
    if lines and lines[0].casefold().startswith(_SEP_LINE) and len(lines[0].strip()) == len(_SEP_LINE) + 1:
        told = lines[0].strip()[-1]
        return _measured(lines[1:], Dialect(told))
    told = _BY_SUFFIX.get(suffix, "")
    found = [_measured(lines, Dialect(one)) for one in DELIMITERS]
    if any('\\"' in line for line in lines):
        found += [_measured(lines, Dialect(one, '"', "\\")) for one in DELIMITERS]
    found += [_measured(lines, Dialect(one, "'")) for one in DELIMITERS if _is_quoted(lines, "'", one)]
    found += [_measured(lines, Dialect(one, "")) for one in DELIMITERS]
    best = max(found, key=lambda one: _worth(one, lines, told))
    return best if best.width > 1 else Dialect(told or ",", width=1, agreement=best.agreement)


def _measured(lines: Sequence[str], dialect: Dialect) -> Dialect:
    widths = Counter(len(row) for row in _sample(lines, dialect) if any(row))
    if not widths:
        return dialect
    width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]))
    return Dialect(dialect.delimiter, dialect.quote, dialect.escape, width, count / widths.total())


def _sample(lines: Sequence[str], dialect: Dialect) -> Iterator[list[str]]:
    rows = dialect.cells(iter(lines))
    for _ in range(SAMPLE_ROWS):
        try:
            row = next(rows, None)
        except csv.Error:
            return
        if row is None:
            return
        yield row


def _worth(dialect: Dialect, lines: Sequence[str], told: str) -> float:
    if dialect.width < 2:
        return 0.0
    first = next((row for row in _sample(lines, dialect) if any(row)), list[str]())
    worth = dialect.agreement**3 * (1 - 1 / dialect.width)
    worth += _HEADER_BONUS * (len(first) == dialect.width)
    worth += _NAMED_BONUS * (dialect.delimiter == told)
    worth += _QUOTED_BONUS * (dialect.quote == "'")
    worth -= _QUOTE_PRICE * (dialect.quote != '"' or dialect.escape != "")
    return worth - _QUOTE_PRICE * DELIMITERS.index(dialect.delimiter) / 8


def _is_quoted(lines: Sequence[str], quote: str, delimiter: str) -> bool:
    """Whether cells begin and end with a quote in most lines, which an apostrophe inside a word does not."""
    return 2 * sum(quote + delimiter + quote in line for line in lines) >= len(lines) > 0
