"""The front door: opens a vault, builds its rooms, and hands every verb to its corridor. No work is done here.

>>> from trisynapse_memory import MemoryEngine, MemoryNamespace, SourceInput
>>> with MemoryEngine.open("my.vault", create=True) as engine:  # doctest: +SKIP
...     engine.ingest("papers/")
...     answer = engine.query("Who measured the speed of light with a rotating mirror?")
...     print(answer.answer, answer.citations[0].locator)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Completer, Embedder
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines import integrity
from trisynapse_memory.pipelines.admission import as_input
from trisynapse_memory.pipelines.amendments import correct
from trisynapse_memory.pipelines.doors import Doors
from trisynapse_memory.pipelines.furnishing import Conditions
from trisynapse_memory.pipelines.ingest import Options
from trisynapse_memory.pipelines.messages import message_of, take_messages
from trisynapse_memory.pipelines.opening import OpenVault, open_rooms
from trisynapse_memory.pipelines.removal import remove
from trisynapse_memory.pipelines.runs import give_feedback
from trisynapse_memory.pipelines.writing.model_answers import Wishes
from trisynapse_memory.types import (
    Answer,
    AnswerStep,
    Change,
    IngestRun,
    Kind,
    Message,
    Namespace,
    Progress,
    Receipt,
    Record,
    RecordId,
    SearchResult,
    SourceInput,
    Validation,
)
from trisynapse_memory.vault import Owner

Notify = Callable[[Progress], None]


class MemoryEngine(Doors):
    """One open vault. Use ``MemoryEngine.open``; close it, or use it in a ``with`` block. Safe under threads.

    The verbs are here; the nouns have doors of their own: ``sources``, ``runs``, ``jobs``, ``claims``, ``graph``,
    ``groups``, ``aliases``, ``wiki``, ``snapshots``, ``threads``, ``curation``, ``models``, ``keys``, ``privacy``,
    ``links``, ``watching``, ``drafts``, ``tuning``.
    """

    def __init__(self, opened: OpenVault, namespace: Namespace) -> None:
        super().__init__(opened, namespace)
        self._opened = opened
        self._rooms = opened.rooms
        self._namespace = namespace

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        namespace: Namespace | None = None,
        create: bool = True,
        offline: bool = False,
        config: Config | None = None,
        warm: bool = False,
        completer: Completer | None = None,
        embedder: Embedder | None = None,
    ) -> MemoryEngine:
        """Open a vault, and own it until ``close``.

        Args:
            path: the vault's folder.
            namespace: whose memory is read and written; unset keys read everything and write to project "default".
            create: make the vault when there is none; otherwise a missing vault is an error.
            offline: let nothing of this engine reach the network.
            config: other numbers than the defaults.
            warm: load the models in the background now, so that the first question does not wait for them.
            completer: a language model of yours for every role of writing; unasked if it is remote and ``offline``.
            embedder: an embedder of yours in place of the built-in one.

        Raises:
            VaultMissingError, VaultDamagedError, VaultFormatError, VaultHeldError: see ``errors``.
        """
        conditions = Conditions(offline=offline, completer=completer, embedder=embedder)
        opened = open_rooms(Path(path), config, conditions, create=create, warm=warm)
        return cls(opened, namespace or Namespace(project_id=None))

    def close(self) -> None:
        """Stop the background work, close all files and give the vault up; safe to call twice."""
        self._opened.close()

    def view(self, namespace: Namespace) -> MemoryEngine:
        """Return the same open vault as another namespace sees it; close only the engine that was opened."""
        return MemoryEngine(self._opened, namespace)

    def __enter__(self) -> MemoryEngine:
        """Return the engine itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the engine."""
        self.close()

    @property
    def vault_id(self) -> str:
        """The id of the open vault."""
        return self._opened.vault.vault_id

    def publish(self, owner: Owner) -> None:
        """Write into the vault how this owner can be reached by a second opener."""
        self._opened.vault.publish(owner)

    def ingest(
        self,
        *inputs: SourceInput | str | Path,
        wait: bool = True,
        dry_run: bool = False,
        fetch: bool = False,
        collection: str | None = None,
        progress: Notify | None = None,
    ) -> IngestRun:
        """Take files, folders, URLs and texts in; what is unchanged is skipped, what changed becomes a new version.

        Args:
            inputs: paths, http(s) URLs, or full inputs.
            wait: return when every projection has caught up; otherwise as soon as the words are searchable.
            dry_run: say what would happen, and write nothing.
            fetch: fetch the pages of bookmarks found inside files as well, in the background, politely; ``links.plan``
                says first which hosts that means.
            collection: put the sources into this collection.
            progress: told how far the run is, from this thread.

        Returns:
            One result per file or link, in order; a bad one fails alone.
        """
        if not inputs:
            raise InvalidInputError("There is nothing to take in.", hint="Give a file, a folder or a URL.")
        chosen = tuple(self._placed(as_input(value)) for value in inputs)
        options = Options(dry_run=dry_run, fetch=fetch, collection=collection)
        return self._opened.ingest(chosen, options, progress or _silent, wait=wait and not dry_run)

    def ingest_messages(
        self, messages: Sequence[Message | Mapping[str, str] | str], *, group_id: str, title: str = ""
    ) -> tuple[RecordId, ...]:
        """Remember the messages of one conversation, once each; return their record ids in order."""
        read = [message if isinstance(message, Message) else message_of(message) for message in messages]
        ids = take_messages(self._rooms, self._writer, group_id, title, read)
        self._opened.jobs.wake()
        return ids

    def search(
        self,
        question: str,
        *,
        top_k: int | None = None,
        source_ids: Sequence[str] | None = None,
        collection: str | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """Return ranked evidence for a question or some words, without an answer."""
        scope = self._reading.scope(source_ids=source_ids, collection=collection)
        return self._opened.query.search(question, scope, top_k=top_k, explain=explain)

    def query(
        self,
        question: str,
        *,
        top_k: int | None = None,
        source_ids: Sequence[str] | None = None,
        collection: str | None = None,
        as_of: str | None = None,
        model: str | None = None,
        share: Sequence[str] = (),
        ask_id: str = "",
        thread_id: str | None = None,
        progress: Callable[[AnswerStep], None] | None = None,
    ) -> Answer:
        """Answer a question with citations, or abstain and say why.

        Args:
            question: in her own words.
            top_k: how many hits may answer; by default as many as the settings say.
            source_ids: only these sources.
            collection: only the sources of this collection.
            as_of: an ISO date or moment; the answer is that of the vault as it stood then.
            model: who writes it: ``service/model`` for this one time, ``none`` for the words of the sources alone.
            share: collections whose rule is ``ask`` that a remote model may be shown this once.
            ask_id: ``runs.cancel`` stops the model by it; what it has written by then stays.
            thread_id: the chat that a follow-up question belongs to.
            progress: told the best passages first, then each sentence as soon as it stands, then the answer.
        """
        scope = self._reading.scope(source_ids=source_ids, collection=collection, as_of=as_of)
        wishes = Wishes(model=model, share=tuple(share), ask_id=ask_id, thread_id=thread_id)
        return self._opened.query.answer(question, scope, top_k=top_k, wishes=wishes, told=progress)

    def get(self, record_id: str) -> Record:
        """Return one record, hidden or not."""
        return self._rooms.log.get(record_id)

    def history(self, record_id: str) -> tuple[Record, ...]:
        """Return a record and everything that names it, in log order."""
        record = self._rooms.log.get(record_id)
        named = self._rooms.log.pointing_at(record_id)
        return tuple(sorted((record, *named), key=lambda one: one.seq))

    def list_records(
        self, *, kind: str | None = None, cursor: int = 0, limit: int = 100, include_retracted: bool = False
    ) -> tuple[Record, ...]:
        """Return up to ``limit`` records after the log position ``cursor``, in log order."""
        chosen = None if kind is None else _kind_of(kind)
        return self._rooms.log.listing(self._namespace, chosen, cursor, limit, include_retracted)

    def correct(self, record_id: str, text: str, reason: str) -> Change:
        """Say what is right instead of what a record says; answers use it from now on, history shows both.

        The sentences of the record with the same subject and relation (else the closest one) no longer count; the rest
        of it stays evidence.

        Raises:
            UnknownRecordError: no record has that id.
            InvalidInputError: the text or the reason is empty, or nothing tells what it corrects.
        """
        return self._settled(correct(self._rooms.log, record_id, text, reason, self._opened.read(text)))

    def forget(self, record_id: str, reason: str) -> Change:
        """Hide one record, and what rests on it alone, from every answer; the log keeps it."""
        return self._settled(lifecycle.forget_record(self._rooms.log, record_id, reason))

    def reinstate(self, record_id: str, reason: str) -> Change:
        """Bring one hidden record back, with all that was made of it."""
        return self._settled(lifecycle.reinstate_record(self._rooms.log, record_id, reason))

    def remove(self, record_ids: Sequence[str], reason: str) -> Receipt:
        """Erase records for good: no byte of their words stays anywhere in the vault; return what was done."""
        with self._opened.jobs.held():
            receipt = remove(self._rooms, record_ids=record_ids, reason=reason)
        self._opened.settle()
        return receipt

    def feedback(self, query_id: str, helpful: bool, note: str = "") -> RecordId:
        """Remember whether an answer helped, and her remark."""
        return give_feedback(self._rooms, self._writer, query_id, helpful, note)

    def request_count(self) -> int:
        """Return how many requests have left this machine since the vault was opened."""
        return sum(not row.refused for row in self._rooms.egress.ledger())

    def validate(self, *, repair: bool = False) -> Validation:
        """Prove the vault: log, originals, verdict totals, indexes; with ``repair``, rebuild what is disposable."""
        if repair:
            self.reindex()
        return integrity.validate(self._rooms, self._opened.vault.conflicts())

    def reindex(self, names: Sequence[str] = ()) -> dict[str, int]:
        """Rebuild the derived tables and the named indexes (all by default) from the log."""
        self._rooms.log.refold()
        counts = self._rooms.projector.rebuild(names)
        self._opened.jobs.wake()
        return counts

    def _placed(self, given: SourceInput) -> SourceInput:
        """Give an input the namespace of this engine, unless it brought its own."""
        if given.namespace != Namespace():
            return given
        return structs.replace(given, namespace=self._writer)

    def _settled(self, change: Change) -> Change:
        self._opened.settle()
        return change


def _kind_of(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError as error:
        raise InvalidInputError(
            f"There is no record kind '{name}'.", hint=f"Known: {', '.join(kind.value for kind in Kind)}."
        ) from error


def _silent(_: Progress) -> None:
    return None
