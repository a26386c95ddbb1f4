"""Pages in, the same pages without what is marked sensitive out; done once here, so that no format has to think of it.

A sentence leaves with the source whose words it shows, or when every source it rests on is sensitive. What stays rests
on the others alone, and neither text, footnote nor link names a sensitive source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from trisynapse_memory.types import RecordId, Support, WikiPage, WikiSentence
from trisynapse_memory.wiki.wording import reading

Sensitive = Callable[[str, str], bool]
"""Whether a source, or one record of it, is marked: (source id, record id); an empty record id asks for the source."""


def disclose(pages: Sequence[WikiPage], sensitive: Sensitive) -> tuple[WikiPage, ...]:
    """Return the pages that may leave the vault, each with the sentences, sources and links that may.

    Sentences without a text (proposals, and what was forgotten) and stale ones stay behind: no evidence stands behind
    them now. A page without any sentence stays behind too.
    """
    kept = [disclosed for page in pages if (disclosed := _page(page, sensitive)) is not None]
    slugs = {page.slug for page in kept}
    return tuple(
        structs.replace(
            page,
            links=tuple(slug for slug in page.links if slug in slugs),
            backlinks=tuple(slug for slug in page.backlinks if slug in slugs),
        )
        for page in kept
    )


def _page(page: WikiPage, sensitive: Sensitive) -> WikiPage | None:
    if page.kind == "source" and any(sensitive(source_id, "") for source_id in page.source_ids):
        return None
    sentences = [said for one in page.sentences if (said := _sentence(one, sensitive)) is not None]
    if not sentences:
        return None
    sources = tuple(source_id for source_id in page.source_ids if not sensitive(source_id, ""))
    return structs.replace(page, sentences=tuple(sentences), source_ids=sources)


def _sentence(sentence: WikiSentence, sensitive: Sensitive) -> WikiSentence | None:
    if sentence.stale or not sentence.text or not sentence.supports:
        return None
    open_ones = tuple(one for one in sentence.supports if not _is_marked(one, sensitive))
    first = sentence.supports[0]
    is_verbatim = sentence.text == reading(first.excerpt)
    if not open_ones or (is_verbatim and open_ones[0] is not first):
        return None
    records = tuple(dict.fromkeys(RecordId(one.record_id) for one in open_ones))
    return structs.replace(sentence, supports=open_ones, record_ids=records)


def _is_marked(support: Support, sensitive: Sensitive) -> bool:
    return sensitive(support.source_id or "", support.record_id)
