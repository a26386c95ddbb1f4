"""The wiki of a vault as she uses it: read pages, build them, decide about changes, export. Reads never write.

A page is adopted once, as an edition record; from then on only what she accepts changes it. The compiled files under
``wiki/`` follow; a file that she edited there is set aside as ``<slug>.edited.md`` and never lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from msgspec import structs

from trisynapse_memory.contracts import Refer
from trisynapse_memory.errors import InvalidInputError, ProviderError
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.pipelines.editions import GROUP, Standing, Standings, empty_page, linked_pages
from trisynapse_memory.pipelines.subjects import Subjects
from trisynapse_memory.pipelines.writing.model_prose import ModelProse
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import (
    Actor,
    Draft,
    EditionDetails,
    Kind,
    Namespace,
    Scope,
    Source,
    WikiChange,
    WikiPage,
)
from trisynapse_memory.types.compiled import WikiExport
from trisynapse_memory.wiki import changes as deciding
from trisynapse_memory.wiki.changes import Decision
from trisynapse_memory.wiki.disclosure import disclose
from trisynapse_memory.wiki.folder import PageFolder
from trisynapse_memory.wiki.references import reference

VAULT_FORMAT: Final = "markdown"


@runtime_checkable
class PageExporter(Protocol):
    """Writes pages in one format; text only, nothing is read or written."""

    name: str

    def render(
        self,
        pages: Sequence[WikiPage],
        sources: Mapping[str, Source],
        refer: Refer,
        *,
        flat: bool = False,
    ) -> dict[str, str]:
        """Return the files of a folder: path inside it -> text."""
        ...


class Wiki:
    """The noun door ``engine.wiki``.

    Args:
        log: where editions are kept, and the sources.
        subjects: reads what pages are about.
        registry: knows the formats.
        folder: ``wiki/`` of the vault.
        scope: whose memory is read, and as of when; asked anew at each call.
        settle: called after each append, so that the indexes follow.
        prose: lets a model tell pages as prose; None where there is none.
    """

    def __init__(
        self,
        log: MemoryLog,
        subjects: Subjects,
        registry: Registry,
        folder: Path,
        scope: Callable[[], Scope],
        settle: Callable[[], None],
        prose: ModelProse | None = None,
    ) -> None:
        self._log = log
        self._shelf = Shelf(log)
        self._standings = Standings(log, self._shelf, subjects, scope)
        self._prose = prose
        self._registry = registry
        self._folder = PageFolder(folder, keep_edits=True)
        self._scope = scope
        self._settle = settle
        self._deciding = threading.Lock()  # a decision reads an edition and writes the next one

    def pages(self) -> tuple[WikiPage, ...]:
        """Return every page as it is shown: accepted sentences, stale ones marked, new ones as proposals."""
        return linked_pages(self._standings.all())

    def show(self, slug: str) -> WikiPage:
        """Return one page as it is shown.

        Raises:
            InvalidInputError: no page has that slug.
        """
        standings = self._standings.all()
        found = _find(standings, slug)
        return self._with_prose(found.page_id, linked_pages(standings)[standings.index(found)])

    def write(self, slug: str, ask_id: str = "") -> WikiPage:
        """Let the model that fills the role tell a page as connected prose, and return the page with it.

        Args:
            slug: of the page.
            ask_id: ``runs.cancel`` stops the model by it; the page then stays as it was.

        Raises:
            InvalidInputError: there is no such page, it says too little, or the vault is shown as it was.
            ProviderError: no model is chosen or may be asked, it could not be asked, or nothing it wrote stands.
        """
        self._refuse_past()
        standings = self._standings.all()
        found = _find(standings, slug)
        if self._prose is None:
            raise ProviderError("No model can be chosen here.", hint="Open the vault with one.")
        namespace = _writer(self._scope().namespace)
        self._append([self._prose.draft(found.page_id, found.comparison.page, namespace, ask_id)])
        return self.show(slug)

    def _with_prose(self, page_id: str, page: WikiPage) -> WikiPage:
        if self._prose is None:
            return page
        prose = self._prose.of(page_id, page, self._scope())
        return structs.replace(page, prose=prose.sentences, prose_model=prose.model) if prose.sentences else page

    def changes(self) -> tuple[WikiChange, ...]:
        """Return all changes that wait for her, in the order of the pages."""
        return tuple(change for one in self._standings.all() for change in one.comparison.changes)

    def build(self) -> tuple[WikiPage, ...]:
        """Adopt pages that are new, write the files of all, and return the pages; accepted ones stay as they are."""
        with self._deciding:
            standings = self._standings.all()
            drafts = [
                self._draft(one.page_id, deciding.adopt(one.comparison.page), "compile")
                for one in standings
                if one.edition is None
            ]
            if drafts:
                self._append(drafts)
                standings = self._standings.all()
            return self._publish(standings)

    def accept(self, slug: str, key: str | None = None) -> WikiPage:
        """Take one proposed change of a page, or all of them, and return the page.

        Raises:
            InvalidInputError: there is no such page or change.
        """
        return self._decide(deciding.accept, slug, key)

    def reject(self, slug: str, key: str | None = None) -> WikiPage:
        """Refuse one proposed change of a page, or all; one comes back only when it says something else.

        Raises:
            InvalidInputError: there is no such page or change.
        """
        return self._decide(deciding.reject, slug, key)

    def keep(self, slug: str, key: str) -> WikiPage:
        """Keep a stale sentence as her own word: nothing is proposed for it any more.

        Raises:
            InvalidInputError: there is no such page or change, or the sentence has no words left to keep.
        """
        return self._decide(deciding.keep, slug, key)

    def export(
        self, folder: str, format: str = "markdown", slugs: Sequence[str] = (), include: Sequence[str] = ()
    ) -> WikiExport:
        """Write pages into a folder, as files that others can open.

        Args:
            folder: where to; made when it is not there. A file in it that is not ours, or that somebody edited since,
                stays as it is and is named in the result.
            format: a format of the registry, such as markdown or html.
            slugs: only these pages; all by default.
            include: sources that are marked sensitive and are to go out all the same.

        Raises:
            InvalidInputError: no page has one of the slugs, or the format writes no pages.
            UnknownBranchError: there is no such format.
            VaultError: the folder cannot be written.
        """
        exporter = self._exporter(format)
        standings = self._standings.all()
        chosen = {_find(standings, slug).comparison.page.slug for slug in slugs}
        pages = [page for page in linked_pages(standings) if not chosen or page.slug in chosen]
        marked = self._marked(pages, frozenset(include))
        disclosed = disclose(pages, lambda source_id, record_id: source_id in marked or record_id in marked)
        written = PageFolder(Path(folder).expanduser()).write(self._render(exporter, disclosed, flat=False))
        return WikiExport(
            folder=folder,
            pages=len(disclosed),
            files=len(written.ours),
            untouched=written.untouched,
            left_out=sum(one.startswith("src_") for one in marked),
        )

    def refresh(self) -> None:
        """Write the files of the vault anew, so that they hold what the pages show now and nothing else."""
        with self._deciding:
            self._publish(self._standings.all())

    # -- deciding

    def _decide(self, decision: Decision, slug: str, key: str | None) -> WikiPage:
        with self._deciding:
            standing = _find(self._standings.all(), slug)
            if standing.edition is None:
                raise InvalidInputError(
                    f"The page '{slug}' has not been built yet.", hint="Build the wiki first (`wiki build`)."
                )
            keys = () if key is None else (key,)
            edition = decision(standing.edition.details, standing.comparison, keys)
            if edition != standing.edition.details:
                self._append([self._draft(standing.page_id, edition, "user")])
            return self._publish_one(standing.page_id) or empty_page(edition)

    def _draft(self, page_id: str, edition: EditionDetails, actor: str) -> Draft:
        return Draft(
            kind=Kind.EDITION,
            text=edition.title,
            namespace=_writer(self._scope().namespace),
            actor=Actor(type=actor),
            group_id=f"{GROUP}{page_id}",
            payload=edition,
        )

    def _append(self, drafts: Sequence[Draft]) -> None:
        self._refuse_past()
        self._log.append(drafts)
        self._settle()

    def _refuse_past(self) -> None:
        if self._scope().as_of_seq is not None:
            raise InvalidInputError(
                "The vault is shown as it was; pages cannot be changed there.", hint="Leave the snapshot first."
            )

    # -- writing

    def _publish(self, standings: Sequence[Standing]) -> tuple[WikiPage, ...]:
        """Write the vault's own files, and return the pages."""
        pages = linked_pages(standings)
        if self._scope().as_of_seq is None:
            built = [page for page, one in zip(pages, standings, strict=True) if one.edition is not None]
            disclosed = disclose(built, lambda source_id, record_id: False)
            self._folder.write(self._render(self._exporter(VAULT_FORMAT), disclosed, flat=True), prune=True)
        return pages

    def _publish_one(self, page_id: str) -> WikiPage | None:
        """Write the file of one page, and return the page; where nothing is left of it, tidy up all files instead."""
        standings = self._standings.all()
        pages = linked_pages(standings)
        place = next((place for place, one in enumerate(standings) if one.page_id == page_id), None)
        if place is None:
            self._publish(standings)
            return None
        page = pages[place]
        around = [page, *(other for other in pages if other.slug in page.links)]
        disclosed = disclose(around, lambda source_id, record_id: False)
        files = self._render(self._exporter(VAULT_FORMAT), disclosed, flat=True)
        self._folder.write({name: text for name, text in files.items() if Path(name).stem == page.slug})
        return page

    def _render(self, exporter: PageExporter, pages: Sequence[WikiPage], *, flat: bool) -> dict[str, str]:
        named = {one.source_id or "" for page in pages for said in page.sentences for one in said.supports}
        sources = self._shelf.titles(sorted({*named, *(source_id for page in pages for source_id in page.source_ids)}))
        return exporter.render(pages, sources, lambda support, about: reference(support, sources, about), flat=flat)

    def _exporter(self, format_name: str) -> PageExporter:
        exporter = self._registry.load("exporter", format_name)()
        if not isinstance(exporter, PageExporter):
            raise InvalidInputError(f"'{format_name}' writes no wiki pages.", hint="Use markdown or html.")
        return exporter

    def _marked(self, pages: Sequence[WikiPage], named: frozenset[str]) -> frozenset[str]:
        """Return the ids of the sources and records among these pages that are marked sensitive and not named."""
        supports = [one for page in pages for said in page.sentences for one in said.supports]
        sources = {one.source_id or "" for one in supports} | {s for page in pages for s in page.source_ids}
        marks = Sensitivity(self._log)
        marked = {source_id for source_id in sources - named - {""} if marks.is_sensitive(source_id)}
        loose = {name for one in supports if one.source_id not in named for name in (one.record_id, one.fact_id)}
        with self._log.database.read() as connection:
            seqs = seqs_of_ids(connection, sorted(loose))
        hidden = marks.sensitive_seqs(tuple(seqs.values()))
        return frozenset(marked | {record_id for record_id, seq in seqs.items() if seq in hidden})


def _find(standings: Sequence[Standing], slug: str) -> Standing:
    wanted = slug.casefold()
    for standing in standings:
        if standing.comparison.page.slug == wanted:
            return standing
    raise InvalidInputError(f"There is no wiki page '{slug}'.", hint="`wiki build` lists all pages with their slugs.")


def _writer(namespace: Namespace) -> Namespace:
    return namespace if namespace.project_id is not None else structs.replace(namespace, project_id="default")
