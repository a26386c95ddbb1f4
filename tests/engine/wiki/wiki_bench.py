"""A log in, a wiki over two sources out, and everything a test turns; shared by the tests of the wiki's doors.

Claims and summaries are values that follow what the log shows, so that no extraction is needed.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from msgspec import structs

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.pipelines.subjects import Subjects
from trisynapse_memory.pipelines.wiki import Wiki
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import (
    Claim,
    ClaimSide,
    ClaimStatus,
    Draft,
    EditionDetails,
    Kind,
    Locator,
    Namespace,
    Node,
    Scope,
    SourceDetails,
    SourceId,
    Summary,
    SummarySentence,
    Support,
)

MIRROR = "Foucault measured light with a rotating mirror. The rotating mirror is a spinning reflector."
WHEEL = "Fizeau used a toothed wheel. The rotating mirror was dearer than the wheel."


class Shelves:
    """A log with sources of one chunk each."""

    def __init__(self, log):
        self.log, self.shelf = log, Shelf(log)

    def add(self, key, text, title="", collections=()):
        digest = hashlib.sha256(text.encode()).hexdigest()
        source_id = SourceId(f"src_{hashlib.sha256(f'{key}{digest}'.encode()).hexdigest()[:20]}")
        current = self.shelf.active(key, Namespace())
        details = SourceDetails(
            source_key=key,
            kind="text",
            title=title or key.title(),
            version=1,
            content_hash=digest,
            replaces=None if current is None else current.source_id,
            authors=("Ada Writer",),
            published="1936",
            collections=collections,
        )
        place = Locator(kind="page", page=1, path=("The experiment",), heading="The experiment")
        drafts = [
            Draft(kind=Kind.SOURCE, text=details.title, source_id=source_id, payload=details),
            Draft(kind=Kind.RAW_SOURCE, text=text, source_id=source_id, locator=place),
            Draft(kind=Kind.RAW_SOURCE, text=f"{text} Again.", source_id=source_id, locator=place),
        ]
        records = self.log.append(drafts)
        lifecycle.complete(self.log, self.shelf, source_id, {"ok": 1})
        return source_id, records[1]


class Claims:
    """Claims as values, less what the log hides."""

    def __init__(self, log):
        self._log = log
        self.all = []

    def list(self, scope, *, status="", about="", shown=None, limit=100):
        return tuple(found for one in self.all if (found := self._seen(one)) is not None)

    def entities(self, scope, prefix="", limit=100):
        names = dict.fromkeys(name for one in self.list(scope) for name in (one.subject, one.object))
        return tuple(Node(node_id=f"entity:{name}", kind="entity", label=name) for name in names)

    def _seen(self, made):
        sides = []
        for side in made.sides:
            supports = tuple(one for one in side.supports if self._log.visible([self._log.get(one.record_id).seq]))
            if supports:
                sides.append(structs.replace(side, supports=supports))
        if not sides:
            return None
        contested = made.status is ClaimStatus.CONTESTED and len(sides) > 1
        status = ClaimStatus.CONTESTED if contested else ClaimStatus.ACTIVE
        return structs.replace(made, sides=tuple(sides), status=status, object=sides[0].value)


class Summaries:
    """Summaries as values."""

    def __init__(self):
        self.all = {}

    def get(self, group_id):
        return self.all.get(group_id)


class Bench:
    """A wiki over a log, and everything a test turns."""

    def __init__(self, log, folder):
        self.log, self.folder = log, folder
        self.shelves, self.claims, self.summaries = Shelves(log), Claims(log), Summaries()
        self.scope = Scope(namespace=Namespace(project_id=None))
        self.settled = 0
        self.pending = False
        subjects = Subjects(log, self.shelves.shelf, self.claims, self.summaries, lambda _: self.pending)
        registry = Registry(guests=False)
        self.wiki = Wiki(log, subjects, registry, folder, lambda: self.scope, self._settle)

    def _settle(self):
        self.settled += 1

    def say(self, claim_id, relation, *values, subject="rotating mirror"):
        """Claim something of records: each value is (value, record, its words)."""
        sides = tuple(
            ClaimSide(value=value, normalised=value, supports=(self.support(record, words),))
            for value, record, words in values
        )
        status = ClaimStatus.CONTESTED if len(sides) > 1 else ClaimStatus.ACTIVE
        made = Claim(
            claim_id=claim_id,
            subject=subject,
            relation=relation,
            object=values[0][0],
            text=values[0][2],
            status=status,
            sides=sides,
            shown=True,
        )
        self.claims.all = [one for one in self.claims.all if one.claim_id != claim_id] + [made]

    def support(self, record, words):
        start = record.text.index(words)
        title = self.shelves.shelf.get(record.source_id).title
        return Support(
            fact_id=record.id,
            record_id=record.id,
            source_id=record.source_id,
            title=title,
            excerpt=words,
            start=start,
            end=start + len(words),
            locator=record.locator,
            observed_at=datetime(1936, 1, 1, tzinfo=UTC),
        )

    def summarise(self, source_id, record, words, **more):
        start = record.text.index(words)
        sentence = SummarySentence(text=words, record_ids=(record.id,), start=start, end=start + len(words))
        group = f"source:{source_id}"
        self.summaries.all[group] = Summary(group_id=group, title="", topic="", sentences=(sentence,), **more)

    def texts(self, slug):
        return [one.text for one in self.wiki.show(slug).sentences]


def furnish(log, folder):
    """Return a wiki of two sources about one instrument."""
    made = Bench(log, folder)
    made.mirror_id, made.mirror = made.shelves.add("mirror", MIRROR, "The turning mirror", ("Light",))
    made.wheel_id, made.wheel = made.shelves.add("wheel", WHEEL, "The toothed wheel")
    made.say("c_is", "is_a", ("spinning reflector", made.mirror, "The rotating mirror is a spinning reflector."))
    made.say("c_cost", "compared_with", ("wheel", made.wheel, "The rotating mirror was dearer than the wheel."))
    made.summarise(made.mirror_id, made.mirror, "Foucault measured light with a rotating mirror.")
    return made


def editions(log):
    return [one.payload for one in log.of_kind(Kind.EDITION) if isinstance(one.payload, EditionDetails)]
