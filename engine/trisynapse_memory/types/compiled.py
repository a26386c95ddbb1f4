"""What is compiled from records: claims, the concept graph, summaries, cards, wiki pages. Values only.

Each of them names the records it rests on and cannot be built without (house.md 4).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from trisynapse_memory.types.record import Locator, RecordId, SourceId


class ClaimStatus(StrEnum):
    """Where a claim stands: agreed so far, disputed between sources, or replaced by a newer statement."""

    ACTIVE = "active"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"


class Support(Struct, frozen=True, kw_only=True):
    """One fact behind a claim: the fact record, the evidence it rests on, and the words themselves.

    ``start`` and ``end`` are offsets into the text of the evidence record; ``excerpt`` is that span.
    """

    fact_id: RecordId
    record_id: RecordId
    source_id: SourceId | None
    title: str
    excerpt: str
    start: int
    end: int
    locator: Locator | None = None
    observed_at: datetime | None = None
    pattern: str = ""


class ClaimSide(Struct, frozen=True, kw_only=True):
    """One value that sources give for a claim, as they write it, with everything that says so."""

    value: str
    normalised: str
    supports: tuple[Support, ...]
    valid_from: str = ""
    valid_to: str = ""
    preferred: bool = False


class ConfidencePart(Struct, frozen=True):
    """One factor of a claim's confidence: its name, its value, its weight, and in words where it comes from."""

    name: str
    value: float
    weight: float
    because: str


class Claim(Struct, frozen=True, kw_only=True):
    """What the sources say about one subject and relation under the same qualifiers.

    ``confidence`` is in [0, 1] and computed when read (engine.md A8.5); ``confidence_parts`` explain it. ``sides``
    holds one entry per distinct value, the current one first; more than one makes a single-valued claim CONTESTED
    unless a later state or a correction replaced the others. ``valid_from``/``valid_to`` are ISO dates or empty.
    ``shown`` tells whether it may appear in the graph and the wiki (engine.md 0.6). ``resolution`` is her own word on a
    dispute. ``subject_entity`` and ``object_entity`` are keys of entities, the same for all merged names; empty for
    what is no entity.
    """

    claim_id: str
    subject: str
    relation: str
    object: str
    text: str
    status: ClaimStatus
    sides: tuple[ClaimSide, ...]
    qualifiers: dict[str, str] = {}
    negated: bool = False
    confidence: float = 0.0
    confidence_parts: tuple[ConfidencePart, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    shown: bool = False
    resolution: str = ""
    subject_entity: str = ""
    object_entity: str = ""

    @property
    def objects(self) -> tuple[str, ...]:
        """The distinct values, as written, the current one first."""
        return tuple(side.value for side in self.sides)

    @property
    def evidence(self) -> tuple[RecordId, ...]:
        """The evidence records of every side, each once."""
        return tuple(dict.fromkeys(one.record_id for side in self.sides for one in side.supports))


class Node(Struct, frozen=True, kw_only=True):
    """One vertex of a graph: ``kind`` is entity, source, record or claim.

    ``weight`` in [0, 1] is its PageRank scaled to the largest one shown; ``record_ids`` is evidence that names it;
    ``x`` and ``y`` in [0, 1] are its place in the picture, origin top left.
    """

    node_id: str
    kind: str
    label: str
    weight: float = 0.0
    aliases: tuple[str, ...] = ()
    record_ids: tuple[RecordId, ...] = ()
    source_id: SourceId | None = None
    x: float = 0.5
    y: float = 0.5


class Edge(Struct, frozen=True, kw_only=True):
    """One directed edge; ``kind`` is claim, followed_by, about_same_entity, similar_to, mention, evidence or citation.

    A claim edge carries ``claim_id``; ``status`` is active, contested or superseded; ``weight`` is in (0, 1].
    """

    source: str
    target: str
    kind: str
    label: str = ""
    weight: float = 1.0
    status: str = "active"
    claim_id: str = ""
    record_ids: tuple[RecordId, ...] = ()


class Graph(Struct, frozen=True, kw_only=True):
    """A neighbourhood: at most as many nodes as asked for, ``left_out`` counts those beyond."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    about: str = ""
    left_out: int = 0


class SummarySentence(Struct, frozen=True, kw_only=True):
    """One sentence of a summary with the evidence it was taken from, verbatim unless a model wrote it."""

    text: str
    record_ids: tuple[RecordId, ...]
    start: int = 0
    end: int = 0


class Summary(Struct, frozen=True, kw_only=True):
    """The summary of one group (engine.md A8.6).

    ``group_id`` is ``source:<id>``, ``collection:<name>``, ``chat:<id>`` or ``concept:<entity key>``; ``evidence_hash``
    is the SHA-256 of the ids it was made from; ``stale`` means that these have changed since. ``model`` is empty for a
    summary made without one.
    """

    group_id: str
    title: str
    topic: str
    sentences: tuple[SummarySentence, ...]
    alt_phrasings: tuple[str, ...] = ()
    evidence_hash: str = ""
    record_count: int = 0
    stale: bool = False
    model: str = ""

    @property
    def text(self) -> str:
        """The sentences as one text."""
        return " ".join(sentence.text for sentence in self.sentences)


class SourceCard(Struct, frozen=True, kw_only=True):
    """What a new source brings: summary, key claims, what disagrees with the vault, and questions it answers."""

    source_id: SourceId
    title: str
    summary: Summary | None
    key_claims: tuple[Claim, ...] = ()
    disagreements: tuple[Claim, ...] = ()
    new_concepts: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    ready: bool = True


class WikiSection(StrEnum):
    """The sections of compiled pages, in their order: those of a concept, then those of a source or collection."""

    LEAD = ""
    WHAT_IT_IS = "What it is"
    RESULTS = "Measurements and results"
    RELATIONS = "Relations"
    TIMELINE = "Timeline"
    CONTESTED = "Contested"
    SUPERSEDED = "Superseded"
    KEY_CLAIMS = "Key claims"
    SOURCES = "Sources"
    DISAGREEMENTS = "What disagrees"
    CONTENTS = "Contents"


class WikiSentence(Struct, frozen=True, kw_only=True):
    """One sentence of a wiki page with everything it rests on; ``key`` stays the same while its claim does.

    ``stale`` with its ``reason`` means that its evidence has changed; ``proposal`` is what would replace it (empty: it
    would go). ``status`` is that of its claim, ``resolved`` for her word on a dispute, ``kept`` for a sentence she
    keeps as it is. A stale sentence whose evidence she forgot has no text, only its reason. ``supports`` are the
    passages a reader can open; the first is where a verbatim text stands.
    ``cells`` are its parts for a table or a box, each as the claim says it: a value row (phrase, value, conditions,
    date), a relation (phrase, other end), a dated line (date), a side of a dispute (what is disputed, value, date), an
    old value (value, until when, why), a heading (page), the sentence of a source (its title).
    """

    key: str
    text: str
    claim_ids: tuple[str, ...]
    record_ids: tuple[RecordId, ...]
    section: str = ""
    status: str = "active"
    stale: bool = False
    reason: str = ""
    proposal: str = ""
    supports: tuple[Support, ...] = ()
    cells: tuple[str, ...] = ()


class WikiPage(Struct, frozen=True, kw_only=True):
    """One compiled page; ``kind`` is concept, source or collection. ``links`` and ``backlinks`` are slugs.

    ``about`` is the entity key, source id or collection name; ``source_ids`` are the sources it rests on;
    ``last_changed`` says why it last changed and ``updated_at`` (ISO 8601) when; both are empty before the first build.
    ``prose`` is what ``prose_model`` (``provider/model``) made of its sentences, for a single page only; empty where
    none was asked for, or one of those sentences has changed since.
    """

    slug: str
    title: str
    kind: str
    sentences: tuple[WikiSentence, ...]
    links: tuple[str, ...] = ()
    backlinks: tuple[str, ...] = ()
    source_ids: tuple[SourceId, ...] = ()
    last_changed: str = ""
    about: str = ""
    aliases: tuple[str, ...] = ()
    updated_at: str = ""
    prose: tuple[WikiSentence, ...] = ()
    prose_model: str = ""


class WikiExport(Struct, frozen=True, kw_only=True):
    """What an export wrote: how many pages and files; files that were there and not ours stay (``untouched``).

    ``left_out`` counts the sources that were left out because they are marked sensitive.
    """

    folder: str
    pages: int
    files: int
    untouched: tuple[str, ...] = ()
    left_out: int = 0


class WikiChange(Struct, frozen=True, kw_only=True):
    """One proposed change of one sentence: before, after, and why; empty ``before`` is new, empty ``after`` is gone."""

    slug: str
    title: str
    key: str
    before: str
    after: str
    reason: str
    claim_ids: tuple[str, ...] = ()


class Snapshot(Struct, frozen=True, kw_only=True):
    """A named moment of the log; while ``entered``, every read sees the vault as it was then."""

    snapshot_id: RecordId
    label: str
    cutoff_seq: int
    created_at: datetime
    entered: bool = False


class Alias(Struct, frozen=True, kw_only=True):
    """Names of one thing: found with evidence in the sources (``origin`` evidence) or said by her (``user``)."""

    alias_id: str
    canonical: str
    names: tuple[str, ...]
    origin: str
    record_ids: tuple[RecordId, ...] = ()


class Receipt(Struct, frozen=True, kw_only=True):
    """What a physical removal did.

    ``blanked`` counts records by kind; ``originals`` are hashes of deleted originals; ``other_copies`` are records that
    still say the same (other sources), ``outside`` the exports and backups known to hold it.
    """

    removal_id: RecordId
    reason: str
    record_ids: tuple[RecordId, ...]
    blanked: dict[str, int]
    originals: tuple[str, ...] = ()
    purged: dict[str, int] = {}
    other_copies: tuple[RecordId, ...] = ()
    outside: tuple[str, ...] = ()


class Task(Struct, frozen=True, kw_only=True):
    """One kind of background work as the activity pane shows it.

    ``name`` is vectors, facts, similarity, summaries, consolidation or pages; ``status`` is idle, running, paused or
    waiting (``trouble`` says for what, with the moment of the next try).
    """

    name: str
    status: str
    pending: int = 0
    done: int = 0
    trouble: str = ""
    retry_at: datetime | None = None
