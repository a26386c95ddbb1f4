"""An open vault and a reader in, the nouns of the front door out. No verb is implemented here."""

from __future__ import annotations

from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.pipelines.activity import Activity
from trisynapse_memory.pipelines.aliases import Aliases
from trisynapse_memory.pipelines.asking.drafts import Drafts
from trisynapse_memory.pipelines.claims import Claims
from trisynapse_memory.pipelines.feeds import Feeds
from trisynapse_memory.pipelines.graphs import Graphs
from trisynapse_memory.pipelines.groups import Groups
from trisynapse_memory.pipelines.keys import Keys
from trisynapse_memory.pipelines.library import Library
from trisynapse_memory.pipelines.links import Links
from trisynapse_memory.pipelines.models import Models
from trisynapse_memory.pipelines.opening import OpenVault
from trisynapse_memory.pipelines.privacy import Privacy
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.runs import Runs
from trisynapse_memory.pipelines.tuning.door import Tuning
from trisynapse_memory.types import Namespace


class Doors:
    """The nouns of one open vault as one namespace sees them; each is a small class of its own."""

    def __init__(self, opened: OpenVault, namespace: Namespace) -> None:
        rooms = opened.rooms
        self._writer = Namespace(
            user_id=namespace.user_id,
            agent_id=namespace.agent_id,
            project_id=namespace.project_id or "default",
            session_id=namespace.session_id,
        )
        self._reading = reading = Reading(rooms, namespace)
        self.sources = Library(rooms, opened.query.places, reading, opened.settle, opened.jobs.held)
        self.runs = Runs(opened, self._writer)
        self.jobs = Activity(rooms, opened.jobs)
        self.claims = Claims(rooms, reading, self._writer)
        self.graph = Graphs(rooms, reading, opened.query)
        self.groups = Groups(rooms, reading, opened.digests)
        self.aliases = Aliases(rooms, reading, self._writer)
        self.wiki = opened.wiki(reading)
        self.snapshots = Snapshots(rooms.log)
        self.threads = Conversations(rooms.log)
        self.curation = Curation(rooms.log, rooms.shelf)
        self.models = Models(opened.staff, opened.embedders)
        self.keys = Keys(opened.staff)
        self.links = Links(opened, reading)
        self.watching = opened.watching
        self.feeds = Feeds(opened, self._writer, namespace)
        self.drafts = Drafts(opened.query, reading, rooms.config, rooms.parser)
        self.tuning = Tuning(rooms, opened.weights, opened.teacher)
        self.privacy = Privacy(rooms, opened.staff, reading)
