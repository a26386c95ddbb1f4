"""What she typed in, the address of a feed out; a feed's bytes in, what they ask of a reader out. Nothing is fetched.

A search at arXiv is a feed of its interface: https://info.arxiv.org/help/api/user-manual.html (read December 2026).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from trisynapse_memory.errors import InvalidInputError, SourceDamagedError
from trisynapse_memory.preprocessing.charsets import decode
from trisynapse_memory.preprocessing.trees import parse
from trisynapse_memory.preprocessing.urls import WEB_SCHEMES, host_of, scheme_of

ARXIV_INTERFACE: Final = "https://export.arxiv.org/api/query"
ARXIV_HOST: Final = "export.arxiv.org"
ARXIV_DELAY_S: Final = 3.0
"""Between two requests, as its terms of use ask."""
LONGEST_PAUSE_S: Final = 7 * 86_400.0
"""A feed that asks to be left alone longer is asked once a week all the same: a typing error is likelier."""
_HEAD_BYTES: Final = 65_536  # what a feed says of itself stands before its entries
_FIELD: Final = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate):", re.IGNORECASE)
_WORDS: Final = re.compile(r'"[^"]+"|\S+')
_BARE_ADDRESS: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::\d+)?(?:[/?]\S*)?")
_TTL: Final = re.compile(rb"<ttl>\s*(\d{1,9})\s*</ttl>", re.IGNORECASE)
_PERIOD: Final = re.compile(rb"<(?:\w+:)?updatePeriod>\s*(\w+)\s*</", re.IGNORECASE)
_FREQUENCY: Final = re.compile(rb"<(?:\w+:)?updateFrequency>\s*(\d{1,6})\s*</", re.IGNORECASE)
_PERIODS_S: Final = {b"hourly": 3600.0, b"daily": 86_400.0, b"weekly": 604_800.0, b"monthly": 2_592_000.0}
_FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_ARXIV_ERROR: Final = re.compile(
    r"arxiv\.org/api/errors.*?<summary[^>]*>\s*(.*?)\s*</summary>", re.DOTALL | re.IGNORECASE
)


class FeedAddress(NamedTuple):
    """Where a feed is asked for, and the search at arXiv it stands for (empty for any other)."""

    url: str
    query: str = ""


def read_address(typed: str, arxiv_count: int) -> FeedAddress:
    """Read what she typed: an address, or a search at arXiv in its own words (``cat:cs.CL AND abs:retrieval``).

    Args:
        typed: one line. Words without a field are looked for everywhere in a paper's entry, all of them.
        arxiv_count: how many of the newest papers a search asks for.

    Raises:
        InvalidInputError: nothing was typed, or an address of another kind than the web's.
    """
    text = " ".join(typed.split())
    if not text:
        raise InvalidInputError("There is nothing to follow.", hint="Give the address of a feed or a search at arXiv.")
    scheme = scheme_of(text)
    if scheme == "feed":  # what browsers once wrote, with or without the real scheme behind it
        rest = text.partition(":")[2].lstrip("/")
        text = rest if scheme_of(rest) in WEB_SCHEMES else f"https://{rest}"
    elif "//" in text and scheme not in WEB_SCHEMES:
        raise InvalidInputError(f"'{text}' is no web address.", hint="A feed begins with https://.")
    elif scheme not in WEB_SCHEMES and _BARE_ADDRESS.fullmatch(text) and not _FIELD.match(text):
        text = f"https://{text}"
    if scheme_of(text) in WEB_SCHEMES:
        return FeedAddress(text, _query_of(text))
    return FeedAddress(arxiv_address(text, arxiv_count), text)


def arxiv_address(query: str, count: int) -> str:
    """Return where the newest papers that a search finds are asked for, at most ``count`` of them."""
    words = query if _FIELD.search(query) else " AND ".join(f"all:{word}" for word in _WORDS.findall(query))
    asked = {
        "search_query": words,
        "sortBy": "submittedDate",
        "sortOrder": "descending",
        "start": "0",
        "max_results": str(count),
    }
    return f"{ARXIV_INTERFACE}?{urlencode(asked)}"


def pause_asked(content: bytes) -> float:
    """Return for how many seconds a feed says that it need not be asked again; 0 where it does not say.

    Source:
        ``ttl`` in minutes: RSS 2.0; ``updatePeriod`` and ``updateFrequency``: RSS 1.0 Syndication module.
    """
    head = content[:_HEAD_BYTES]
    if minutes := _TTL.search(head):
        return min(int(minutes[1]) * 60.0, LONGEST_PAUSE_S)
    period, frequency = _PERIOD.search(head), _FREQUENCY.search(head)
    if period is None or (seconds := _PERIODS_S.get(period[1].lower())) is None:
        return 0.0
    return min(seconds / max(1, int(frequency[1]) if frequency else 1), LONGEST_PAUSE_S)


def refuse_no_feed(content: bytes, url: str) -> None:
    """Say of bytes that no feed loader takes what they are instead.

    Raises:
        SourceDamagedError: always; the hint names the feeds that a page offers, if it is a page.
    """
    offered = _offered(content, url)
    if offered:
        raise SourceDamagedError(
            f"'{host_of(url)}' sent a page, not a feed.", hint=f"It offers these feeds: {', '.join(offered)}."
        )
    raise SourceDamagedError(
        f"'{host_of(url)}' sent something that is no feed.", hint="Look for the address of its RSS or Atom feed."
    )


def refuse_arxiv_error(content: bytes) -> None:
    """Look for the one entry by which arXiv says that it did not understand a search.

    Raises:
        SourceDamagedError: it is there; the message repeats what arXiv says.
    """
    found = _ARXIV_ERROR.search(content[:_HEAD_BYTES].decode("utf-8", "replace"))
    if found:
        said = " ".join(found[1].split())[:200]
        raise SourceDamagedError(f"arXiv did not understand the search: {said}.", hint="See docs/user/feeds.md.")


def _query_of(url: str) -> str:
    """The search that an address of arXiv's interface stands for."""
    if host_of(url) not in (ARXIV_HOST, "arxiv.org") or not urlsplit(url).path.startswith("/api/query"):
        return ""
    return parse_qs(urlsplit(url).query).get("search_query", [""])[0]


def _offered(content: bytes, url: str) -> tuple[str, ...]:
    """The feeds that a page names in its head."""
    text, _ = decode(content[: 4 * _HEAD_BYTES])
    if "<html" not in text[:4096].lower():
        return ()
    root = parse(text)
    links = () if root is None else root.iter("link")
    found = (
        urljoin(url, link.get("href") or "")
        for link in links
        if "alternate" in (link.get("rel") or "").lower() and (link.get("type") or "").lower() in _FEED_TYPES
    )
    return tuple(dict.fromkeys(found))[:5]
