"""Tags, highlights, corrections, links, watched folders, feeds and background work of the fake engine, from memory."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from fake_papers import NOW

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.types import (
    Change,
    Fault,
    Feed,
    FeedPlan,
    FeedStatus,
    HighlightDetails,
    IngestResult,
    IngestRun,
    Kind,
    Link,
    LinkStatus,
    Locator,
    Novelty,
    Outcome,
    Record,
    Source,
    Task,
    WatchedFolder,
)

WATCHED = (
    WatchedFolder(path="/home/ana/reading"),
    WatchedFolder(path="/media/stick/papers", collection="Optics", is_there=False),
)
FEEDS = (
    Feed(
        feed_id="feed_light",
        url="https://light.example/rss.xml",
        title="Light, weekly",
        collection="Optics",
        status=FeedStatus.FINE,
        checked_at=NOW,
        came_at=NOW,
        next_at=NOW,
        entry_count=40,
        new_count=3,
        changed_count=1,
    ),
    Feed(
        feed_id="feed_arxiv",
        url="https://export.arxiv.org/api/query?search_query=cat%3Acs.CL",
        title="arXiv: cat:cs.CL AND abs:retrieval",
        query="cat:cs.CL AND abs:retrieval",
        status=FeedStatus.FAILING,
        checked_at=NOW,
        next_at=NOW,
        failure_count=2,
        fault=Fault(
            code="source.busy", message="'export.arxiv.org' asks to come back later.", hint="Wait some minutes."
        ),
    ),
    Feed(feed_id="feed_old", url="https://old.example/feed", title="Old news", status=FeedStatus.PAUSED),
)
LINKS = [
    Link(url="https://a.example/1", host="a.example", title="A page that moved", status=LinkStatus.FAILED,
         verdict="gone", note="the server says that there is no such page (404)", source_id="s0"),
    Link(url="https://b.example/2", host="b.example", title="Members only", status=LinkStatus.FAILED,
         verdict="needs a login", note="the server asks who you are (401)", source_id="s1"),
    Link(url="https://c.example/3", host="c.example", title="A busy server", status=LinkStatus.WAITING,
         verdict="busy", note="the server asks to come back later (429)", retry_at=NOW, source_id="s2"),
    Link(url="https://d.example/4", host="d.example", title="In its turn", source_id="s3"),
]  # fmt: skip

NOVELTY = (
    Novelty(source_id="s0", median=0.62, highest=0.81, level="new", passage_count=40, claim_count=12,
            new_claim_count=9, contradicting_count=2),
    Novelty(source_id="s1", median=0.31, highest=0.55, level="mixed", passage_count=12, claim_count=5,
            new_claim_count=1),
    Novelty(source_id="s2", median=0.04, highest=0.2, level="known", passage_count=8, claim_count=1),
    Novelty(source_id="s3", median=1.0, highest=1.0, level="new", passage_count=3),
)  # fmt: skip

TROUBLES = {
    "vectors": "The model of the embedder is missing.",
    "model facts": "OpenAI has not been allowed for 'extraction'.",
}


class FakeChores:
    """The verbs of curation, of the life cycle of a record, and of jobs; the fake engine is one of these."""

    sources: dict[str, Source]
    held: set[str]
    gone: set[str]
    marks: list[Record]
    links: list[Link]
    watched: list[WatchedFolder]
    feeds: list[Feed]

    def do_feeds_list(self) -> list[Feed]:
        return self.feeds

    def do_feeds_plan(self, address: str) -> FeedPlan:
        if " " not in address and not address.startswith("http"):
            raise InvalidInputError("That is no address.", hint="A feed begins with https://.")
        query = "" if address.startswith("http") else address
        host = "export.arxiv.org" if query else address.split("/")[2]
        is_followed = any(feed.url == address for feed in self.feeds)
        return FeedPlan(url=address, host=host, query=query, is_followed=is_followed)

    def do_feeds_follow(self, address: str, collection: str = "") -> Feed:
        made = Feed(feed_id=f"feed_{len(self.feeds)}", url=address, title="A new feed", collection=collection)
        self.feeds.append(made)
        return made

    def do_feeds_refresh(self, feed_id: str = "") -> list[Feed]:
        chosen = [feed for feed in self.feeds if feed_id in ("", feed.feed_id) and feed.fault is None]
        later = NOW + timedelta(hours=1)
        asked = {
            feed.feed_id: msgspec.structs.replace(
                feed, status=FeedStatus.FINE, checked_at=later, came_at=later, entry_count=9, new_count=2
            )
            for feed in chosen
        }
        self.feeds = [asked.get(feed.feed_id, feed) for feed in self.feeds]
        return [feed for feed in self.feeds if feed_id in ("", feed.feed_id)]

    def do_feeds_pause(self, feed_id: str, status: FeedStatus = FeedStatus.PAUSED) -> Feed:
        self.feeds = [
            msgspec.structs.replace(feed, status=status) if feed.feed_id == feed_id else feed for feed in self.feeds
        ]
        return next(feed for feed in self.feeds if feed.feed_id == feed_id)

    def do_feeds_resume(self, feed_id: str) -> Feed:
        return self.do_feeds_pause(feed_id, FeedStatus.FINE)

    def do_feeds_unfollow(self, feed_id: str) -> list[Feed]:
        self.feeds = [feed for feed in self.feeds if feed.feed_id != feed_id]
        return self.feeds

    def do_sources_novelty(self, source_ids: list[str] | None = None) -> list[Novelty]:
        return [one for one in NOVELTY if source_ids is None or one.source_id in source_ids]

    def do_links_list(self, status: str | None = None, limit: int = 1000) -> list[Link]:
        return [link for link in self.links if status in (None, link.status)][:limit]

    def do_watching_list(self) -> list[WatchedFolder]:
        return self.watched

    def do_watching_add(self, path: str, collection: str = "") -> WatchedFolder:
        self.watched.append(WatchedFolder(path=path, collection=collection))
        return self.watched[-1]

    def do_watching_remove(self, path: str) -> list[WatchedFolder]:
        self.watched = [one for one in self.watched if one.path != path]
        return self.watched

    def do_watching_sync(self) -> list[IngestRun]:
        results = (IngestResult(input="/home/ana/reading/new.pdf", status=Outcome.SUCCESS),)
        return [IngestRun(run_id="w", status="completed", results=results)]

    def do_curation_highlights(self, source_id: str) -> list[Record]:
        return self.marks

    def do_curation_highlight(self, source_id: str, quote: str, locator: dict, colour: str, note: str) -> Record:
        mark = Record(
            id=f"mark-{len(self.marks)}",
            seq=len(self.marks),
            device_id="d",
            device_seq=len(self.marks),
            written_at=NOW,
            kind=Kind.HIGHLIGHT,
            content_hash="0",
            chain_hash="0",
            source_id=source_id,
            text=quote,
            locator=msgspec.convert(locator, Locator),
            payload=HighlightDetails(colour=colour, note=note),
        )
        self.marks.append(mark)
        return mark

    def do_curation_unhighlight(self, record_id: str) -> Record:
        mark = next(one for one in self.marks if one.id == record_id)
        self.marks = [one for one in self.marks if (one.text, one.locator) != (mark.text, mark.locator)]
        return mark

    def do_curation_tag(self, source_id: str, name: str) -> Record:
        return self._set_tags(source_id, (*self.sources[source_id].tags, name))

    def do_curation_untag(self, source_id: str, name: str) -> Record:
        return self._set_tags(source_id, tuple(tag for tag in self.sources[source_id].tags if tag != name))

    def _set_tags(self, source_id: str, tags: tuple[str, ...]) -> Record:
        self.sources[source_id] = msgspec.structs.replace(self.sources[source_id], tags=tags)
        return self.do_get("")

    def do_forget(self, record_id: str, reason: str) -> Change:
        self.gone.add(record_id)
        return Change(record_id=f"c-{record_id}", verb="retraction", affected_count=1)

    def do_reinstate(self, record_id: str, reason: str) -> Change:
        self.gone.discard(record_id)
        return Change(record_id=f"c-{record_id}", verb="reinstatement", affected_count=1)

    def do_correct(self, record_id: str, text: str, reason: str) -> Change:
        return Change(record_id=f"correction-{record_id}", verb="correction", affected_count=1)

    def do_jobs_list(self) -> list[Task]:
        waiting = {"vectors": 214, "facts": 12, "summaries": 3, "model facts": 9} if self.sources else {}
        made = []
        for name in ("facts", "vectors", "similarity", "summaries", "consolidation", "model facts", "pages"):
            pending = waiting.get(name, 0)
            status = "paused" if name in self.held else "running" if name == "facts" and pending else "waiting"
            trouble = TROUBLES.get(name, "") if pending else ""
            made.append(
                Task(
                    name=name,
                    status=status if pending else "idle",
                    pending=pending,
                    done=30 if pending else 0,
                    trouble="" if name in self.held else trouble,
                    retry_at=NOW if name == "vectors" and trouble and name not in self.held else None,
                )
            )
        return made

    def do_jobs_pause(self, name: str) -> list[Task]:
        self.held.add(name)
        return self.do_jobs_list()

    def do_jobs_resume(self, name: str) -> list[Task]:
        self.held.discard(name)
        return self.do_jobs_list()

    def do_jobs_cancel(self, name: str) -> list[Task]:
        return self.do_jobs_pause(name)
