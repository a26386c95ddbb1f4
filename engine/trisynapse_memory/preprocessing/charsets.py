"""Raw bytes in, text and the encoding it was read with out; the bytes themselves are never changed or kept here.

The order is that of case R24: byte order mark, what the server or the page declares, valid UTF-8, and only then a
guess. A guess is judged by what it reads: a wrong code page puts symbols inside words ("f³r"), capitals after small
letters or a run of accented letters no language writes.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.plausibility import oddity

SAMPLE_BYTES: Final = 65_536  # what a guess looks at; longer samples did not change a verdict, only its price
# One broken sequence in so many good ones is damage to a UTF-8 text, not another encoding.
GOOD_PER_BROKEN: Final = 10

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the UTF-16 mark
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Labels that mean more than they say: pages labelled latin-1 use the Windows superset (WHATWG Encoding, 4.2).
_LABELS: Final = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
# Python also calls "base64" and "utf-7" codecs; a page must not be able to ask for those.
_ALLOWED: Final = re.compile(
    r"(?:utf-(?:8|16|32)(?:-(?:sig|le|be))?|cp\d+|iso8859-\d+|iso2022_\w+|koi8-\w|mac-\w+|gb18030|big5\w*|euc_\w+|"
    r"shift_\w+|ptcp154|kz1048|johab|hz)"
)
# Ours before the detector's, most used first; a later one must read better to win. DOS and Macintosh pages are left
# out: they read almost anything, which is how "für" became "f³r".
_SINGLE_BYTE: Final = (
    "cp1252", "cp1251", "cp1250", "koi8-r", "cp1253", "iso8859-2", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859-5",
)  # fmt: skip
_MULTI_BYTE: Final = re.compile(r"gb|big5|euc|shift|cp9[345]|iso2022|johab|hz")
_RANK_PRICE: Final = 0.004  # oddities per letter; breaks ties between code pages that read a text equally well
_AGREEMENT: Final = 0.03  # what the detector's word for a language model is worth, in the same unit
_DOUBTFUL: Final = 0.12  # oddities per non-ASCII letter above which a reading is marked doubtful

_META: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_XML: Final = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""", re.IGNORECASE)
_HEADER: Final = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\f\x0b\x08\x1b\x1a")
_UTF16_ASCII_SHARE: Final = 0.7  # an English text has 1.0, one with quotes in CJK less, machine bytes next to none
_CONTROL_SHARE: Final = 0.02  # of the bytes; terminal recordings stay below, machine code does not


@dataclass(frozen=True, slots=True)
class Reading:
    """How bytes are to be read: ``origin`` is ``mark``, ``declared``, ``utf-8``, ``detected`` or ``last resort``.

    ``doubtful`` says that the guess reads oddly, or that some bytes have no meaning in this encoding.
    """

    encoding: str
    origin: str
    doubtful: bool = False


def decode(raw: bytes, declared: Sequence[str] = ()) -> tuple[str, Reading]:
    """Read bytes as text whatever their encoding; bytes without a meaning become U+FFFD, nothing is dropped.

    Args:
        raw: the whole text.
        declared: labels in order of trust (HTTP header before meta element); unknown ones are passed over.

    Returns:
        The text without its byte order mark and how it was read. Empty bytes give an empty text.
    """
    reading = detect(raw, declared)
    text = raw.decode(reading.encoding, "replace")
    return text.removeprefix("\ufeff"), reading


def detect(raw: bytes, declared: Sequence[str] = (), *, whole: bool = True) -> Reading:
    """Say how bytes are to be read, without decoding all of them twice.

    Args:
        raw: the text or its beginning.
        declared: labels in order of trust.
        whole: False when ``raw`` was cut somewhere, so that a torn last character is no error.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return Reading(encoding, "mark", not _reads(raw, encoding, whole))
    for label in declared:
        name = codec_name(label)
        if name and _reads(raw, name, whole):
            return Reading(name, "declared")
    if silent := _without_mark(raw, whole):
        return Reading(silent, "detected")
    if _reads(raw, "utf-8", whole):
        return Reading("utf-8", "utf-8")
    if _nearly_utf8(raw[:SAMPLE_BYTES]):
        return Reading("utf-8", "utf-8", doubtful=True)
    return _guess(raw)


def codec_name(label: str) -> str:
    """Return the codec a declared label stands for, or an empty string when no page may ask for it."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    name = _LABELS.get(name, name)
    return name if _ALLOWED.fullmatch(name) else ""


def header_charset(content_type: str) -> str:
    """Return the charset of a Content-Type header, or an empty string."""
    match = _HEADER.search(content_type)
    return match.group(1) if match else ""


def meta_charset(head: bytes) -> str:
    """Return the charset that an HTML page or an XML file declares in its first bytes, or an empty string."""
    match = _XML.search(head[:256]) or _META.search(head[:4096])
    return match.group(1).decode("ascii") if match else ""


def looks_binary(head: bytes) -> bool:
    """Tell machine bytes from text in any encoding: text has next to no control characters."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or not head:
        return False
    if b"\0" in head:
        return not _without_mark(head, whole=False)
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls > max(1, len(head) * _CONTROL_SHARE)


def _reads(raw: bytes, encoding: str, whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(raw, final=whole)
    except UnicodeError:
        return False
    return True


def _without_mark(raw: bytes, whole: bool) -> str:
    """UTF-16 without its mark: every second byte of a Western text is zero."""
    sample = raw[:4096]
    if len(sample) < 4 or b"\0" not in sample:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    for encoding, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros <= _UTF16_ASCII_SHARE * half or others or not _reads(raw, encoding, whole):
            continue
        text = sample[: half * 2].decode(encoding, "ignore")
        if sum(
            letter.isprintable() or letter in "\t\r\n" for letter in text if letter < "\x80"
        ) > _UTF16_ASCII_SHARE * len(text):
            return encoding
    return ""


def _nearly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = sum(ord(character) > 127 for character in text) - broken
    return good >= GOOD_PER_BROKEN * broken


def _guess(raw: bytes) -> Reading:
    sample = _telling(raw)
    suggested = _suggested(sample)
    best, price = "", float("inf")
    for rank, encoding in enumerate(dict.fromkeys((*_SINGLE_BYTE, *suggested))):
        try:
            # "ignore" for multi-byte pages only: the sample may tear a character.
            text = sample.decode(encoding, "strict" if encoding in _SINGLE_BYTE else "ignore")
        except UnicodeError:
            continue
        cost = oddity(text) + rank * _RANK_PRICE - (_AGREEMENT if encoding in suggested[:1] else 0)
        if cost < price:
            best, price = encoding, cost
    if not best or not _reads(raw, best, whole=False):
        # cp1252 leaves five bytes without a meaning; read as U+FFFD they are seen, and the rest is right.
        return Reading(best or "cp1252", "last resort", doubtful=True)
    return Reading(best, "detected", doubtful=price > _DOUBTFUL)


def _telling(raw: bytes) -> bytes:
    """The lines that hold a byte above 127, for ASCII says nothing about the encoding."""
    found: list[bytes] = []
    size = 0
    for line in raw[: 64 * SAMPLE_BYTES].split(b"\n"):
        if not line.isascii():
            found.append(line[:SAMPLE_BYTES])
            size += len(line)
            if size > SAMPLE_BYTES:
                break
    return b"\n".join(found)


def _suggested(sample: bytes) -> list[str]:
    """What charset-normalizer holds possible, best first, as far as a page may ask for it."""
    # 60 ms that only texts of unknown encoding pay.
    from charset_normalizer import from_bytes

    names: list[str] = []
    for match in from_bytes(sample[:SAMPLE_BYTES]):
        name = codec_name(match.encoding)
        # A code page that we do not try ourselves (Macintosh, DOS) is believed only with a language behind it.
        if name in _SINGLE_BYTE or _MULTI_BYTE.match(name) or (name and match.coherence >= 0.5):
            names.append(name)
    return names
