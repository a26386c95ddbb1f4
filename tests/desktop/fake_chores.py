"""Tags, highlights, corrections, links, watched folders and background work of the fake engine, from memory."""

from __future__ import annotations

import msgspec
from fake_papers import NOW

from trisynapse_memory.types import (
    Change,
    HighlightDetails,
    IngestResult,
    IngestRun,
    Kind,
    Link,
    LinkStatus,
    Locator,
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
LINKS = [
    Link(url="https://a.example/1", host="a.example", title="A page that moved", status=LinkStatus.FAILED,
         verdict="gone", note="the server says that there is no such page (404)", source_id="s0"),
    Link(url="https://b.example/2", host="b.example", title="Members only", status=LinkStatus.FAILED,
         verdict="needs a login", note="the server asks who you are (401)", source_id="s1"),
    Link(url="https://c.example/3", host="c.example", title="A busy server", status=LinkStatus.WAITING,
         verdict="busy", note="the server asks to come back later (429)", retry_at=NOW, source_id="s2"),
    Link(url="https://d.example/4", host="d.example", title="In its turn", source_id="s3"),
]  # fmt: skip

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
