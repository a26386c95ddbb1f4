"""A vault folder in, the engine's wire out, with canned answers: the app's tests run against this process.

Run as a script. It serves the same frames, the same ``.lock`` and the same first line as the real service. Searching
or asking for ``!die``, ``!refuse`` or ``!silence`` makes it do so; each call is noted in ``calls.jsonl`` in the vault.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
import threading
from datetime import timedelta
from multiprocessing.connection import Connection, Listener
from pathlib import Path

import msgspec
from fake_answers import FakeAnswers
from fake_chores import FEEDS, LINKS, WATCHED, FakeChores
from fake_knowledge import FakeKnowledge, make_pages
from fake_models import FakeModels, full_ledger
from fake_papers import NOW, PAPERS, PASSAGES, make_hit, make_source
from fake_tuning import FakeTuning

from trisynapse_memory.types import (
    Backlog,
    Change,
    Coverage,
    Fault,
    IngestResult,
    IngestRun,
    Intent,
    Kind,
    LinkPlan,
    Locator,
    Notice,
    Outcome,
    PageDetails,
    PageNote,
    PageVerdict,
    Progress,
    QueryPlan,
    Record,
    SearchResult,
    Source,
    SourceExport,
    SourceStatus,
    Thread,
    Turn,
    Validation,
    WikiPage,
)
from trisynapse_memory.vault import Owner, Vault

CHOOSING = {
    "models.choose": "models",
    "models.clear": "models",
    "models.add_service": "models",
    "models.remove_service": "models",
    "keys.set": "models",
    "keys.remove": "models",
    "privacy.allow": "privacy",
    "privacy.disallow": "privacy",
    "privacy.set_offline": "privacy",
}
"""What changes who may be asked, and the topic of the notice that the engine sends."""


class FakeEngine(FakeAnswers, FakeKnowledge, FakeChores, FakeModels, FakeTuning):
    """Answers verbs from memory. Not thread-safe: one client at a time asks."""

    def __init__(self, empty: bool, diary: Path) -> None:
        self.diary = diary
        papers = () if empty else PAPERS
        self.sources = {f"s{n}": make_source(n, *paper) for n, paper in enumerate(papers)}
        self.runs: list[IngestRun] = []
        self.threads: dict[str, tuple[Thread, list[Turn]]] = {}
        self.resolution = ""
        self.held: set[str] = set()
        self.gone: set[str] = set()
        self.marks: list[Record] = []
        self.pages: dict[str, WikiPage] = {} if empty else make_pages()
        self.links = [] if empty else list(LINKS)
        self.watched = [] if empty else list(WATCHED)
        self.feeds = [] if empty else list(FEEDS)
        self.start_answers()
        self.start_models()
        self.start_tuning()
        if not empty:
            self.ledger = full_ledger()
        if not empty:
            self.runs.append(self.first_run())

    def first_run(self) -> IngestRun:
        results = [
            IngestResult(
                input=source.source_key,
                status=Outcome.PARTIAL if "garbled" in source.verdicts else Outcome.SUCCESS,
                source_id=source.source_id,
                title=source.title,
                verdicts=source.verdicts,
                reason="One page has no readable text layer." if "garbled" in source.verdicts else "",
            )
            for source in list(self.sources.values())[:5]
        ]
        fault = Fault(
            code="source.password", message="“budget.pdf” is encrypted.", hint="Open it once with its password."
        )
        results.append(IngestResult(input="/papers/budget.pdf", status=Outcome.FAILED, error=fault))
        return IngestRun(
            run_id="r0",
            status="partial",
            results=tuple(results),
            created_at=NOW,
            completed_at=NOW + timedelta(seconds=2.4),
        )

    def answer(self, verb: str, args: dict, report) -> object:
        with self.diary.open("a") as diary:
            diary.write(json.dumps([verb, args]) + "\n")
        method = getattr(self, "do_" + verb.replace(".", "_"), None)
        if method is None:
            raise LookupError(verb)
        return method(report=report, **args) if verb in ("ingest", "runs.retry", "query") else method(**args)

    def do_sources_list(self, include_all: bool = False, limit: int | None = None) -> list[Source]:
        every = list(self.sources.values())
        return every if include_all else [one for one in every if one.status is SourceStatus.ACTIVE]

    def do_sources_show(self, source_id: str) -> Source:
        return self.sources[source_id]

    def do_sources_pages(self, source_id: str) -> list[PageNote]:
        notes, page = [], 0
        for verdict, count in self.sources[source_id].verdicts.items():
            for _ in range(count):
                page += 1
                note = "read from the picture by tesseract, 91% sure" if verdict == "ocr" else ""
                method = "ocr:tesseract" if verdict == "ocr" else "text"
                notes.append(PageNote(page=page, verdict=PageVerdict(verdict), note=note, method=method))
        return notes

    def do_sources_original(self, source_id: str) -> str:
        papers = sorted((Path(__file__).parents[2] / "resources" / "sample").glob("*.pdf"))
        return str(papers[int(source_id[1:]) % len(papers)]) if self.sources[source_id].kind == "pdf" else ""

    def do_sources_text(self, source_id: str, page: int | None = None) -> list[Record]:
        return [
            Record(
                id=f"{source_id}-p{note.page}",
                seq=note.page,
                device_id="d",
                device_seq=note.page,
                written_at=NOW,
                kind=Kind.PAGE,
                content_hash="0",
                chain_hash="0",
                source_id=source_id,
                text=f"Page {note.page} of {self.sources[source_id].title}. The velocity of light was measured again.",
                locator=Locator(kind="page", page=note.page, page_label=str(note.page)),
                payload=PageDetails(verdict=note.verdict, width=595.0, height=842.0),
            )
            for note in self.do_sources_pages(source_id)
            if page in (None, note.page)
        ]

    def do_sources_quads(self, source_id: str, page: int, start: int, end: int) -> list[tuple[float, ...]]:
        return [(72.0, 100.0, 300.0, 100.0, 300.0, 114.0, 72.0, 114.0)]

    def do_sources_forget(self, source_id: str, reason: str) -> Change:
        return self._set_status(source_id, SourceStatus.FORGOTTEN, "forget")

    def do_sources_reinstate(self, source_id: str, reason: str) -> Change:
        return self._set_status(source_id, SourceStatus.ACTIVE, "reinstate")

    def _set_status(self, source_id: str, status: SourceStatus, verb: str) -> Change:
        self.sources[source_id] = msgspec.structs.replace(self.sources[source_id], status=status)
        return Change(record_id=f"c-{source_id}", verb=verb, affected_count=1)

    def do_jobs_backlog(self) -> Backlog:
        return Backlog(vectors=0 if not self.sources else 214)

    def do_jobs_wait(self, timeout_s: float | None = None) -> Backlog:
        return Backlog(vectors=0)

    def do_validate(self, repair: bool = False) -> Validation:
        return Validation(ok=True, checked={"records": 812})

    def do_runs_list(self, limit: int = 50) -> list[IngestRun]:
        return self.runs[:limit]

    def do_runs_retry(self, run_id: str, report) -> IngestRun:
        return self.runs[0]

    def do_runs_cancel(self, run_id: str) -> None:
        self.stopped.set()
        self.runs = [
            msgspec.structs.replace(run, status="cancelled") if run.run_id == run_id else run for run in self.runs
        ]

    def do_ingest(self, inputs: list[dict], report, fetch: bool = False, **_rest: object) -> IngestRun:
        run_id = f"r{len(self.runs)}"
        results = []
        if inputs and (inputs[0].get("path") or "").startswith("/many/"):
            return self._take_many(run_id, int(Path(inputs[0]["path"]).stem), report)
        for place, entry in enumerate(inputs):
            name = entry.get("path") or entry.get("url") or entry.get("title") or "text"
            number = len(self.sources)
            title = Path(name).stem or name
            kind = "bookmark" if name.endswith(".html") else "pdf"
            self.sources[f"s{number}"] = make_source(number, title, (), "2026", kind, {"ok": 3})
            result = IngestResult(
                input=name, status=Outcome.SUCCESS, source_id=f"s{number}", title=title, verdicts={"ok": 3}, kind=kind
            )
            results.append(result)
            report(
                Progress(
                    run_id=run_id,
                    stage="words",
                    label=title,
                    done=place + 1,
                    total=len(inputs),
                    unit="files",
                    result=result,
                )
            )
        run = IngestRun(run_id=run_id, status="completed", results=tuple(results), created_at=NOW, completed_at=NOW)
        self.runs.insert(0, run)
        return run

    def _take_many(self, run_id: str, count: int, report) -> IngestRun:
        """A bookmark file or an archive: a result for each member, one in fifty of them in trouble."""
        results = []
        for number in range(count):
            status = Outcome.FAILED if number % 50 == 9 else Outcome.SUCCESS
            result = IngestResult(
                input=f"https://host-{number % 97}.example/articles/{number}",
                source_key=f"bookmark:{number}",
                status=status,
                source_id=None if status is Outcome.FAILED else f"m{number}",
                kind="bookmark",
                title=f"Article {number} on the velocity of light",
                verdicts={"damaged" if status is Outcome.FAILED else "ok": 1},
                pages=(PageNote(page=1, verdict=PageVerdict.OK),),
                error=Fault(code="x", message="It is broken.", hint="Look.") if status is Outcome.FAILED else None,
            )
            results.append(result)
            report(Progress(run_id=run_id, stage=status.value, label=result.title, result=result))
        run = IngestRun(run_id=run_id, status="partial", results=tuple(results), created_at=NOW, completed_at=NOW)
        self.runs.insert(0, run)
        return run

    def do_links_plan(self, source_ids: list[str] | None = None) -> LinkPlan:
        bookmarks = tuple(one.source_id for one in self.sources.values() if one.kind == "bookmark")
        return LinkPlan(
            hosts={"a.example": len(bookmarks)} if bookmarks else {}, total=len(bookmarks), source_ids=bookmarks
        )

    def do_links_fetch(self, source_ids: list[str]) -> LinkPlan:
        return LinkPlan(hosts={"a.example": len(source_ids)}, total=len(source_ids), source_ids=tuple(source_ids))

    def do_sources_export(self, path: str) -> SourceExport:
        return SourceExport(path=path, format="bibtex", sources=3, left_out=1)

    def do_search(self, question: str, top_k: int | None = None, **_rest: object) -> SearchResult:
        self.obey(question)
        asked = PASSAGES[: top_k or 10] if "zzz" not in question else ()
        hits = [
            make_hit(rank, self.sources[source_id].title, source_id, page, text)
            for rank, (source_id, page, text) in enumerate(asked)
            if source_id in self.sources
        ]
        hits = [hit for hit in hits if hit.record.id not in self.gone]
        plan = QueryPlan(question=question, intent=Intent.FACT, terms=())
        return SearchResult(
            query_id="q1", question=question, hits=tuple(hits), plan=plan, coverage=Coverage(not_embedded=214)
        )

    def do_threads_list(self) -> list[Thread]:
        return [thread for thread, _turns in self.threads.values()]

    def do_threads_create(self, title: str, scope_source_ids: list[str] = ()) -> Thread:
        thread = Thread(thread_id=f"t{len(self.threads)}", title=title, scope_source_ids=tuple(scope_source_ids))
        self.threads[thread.thread_id] = (thread, [])
        return thread

    def do_threads_choose_model(self, thread_id: str, model: str) -> Thread:
        thread, turns = self.threads[thread_id]
        self.threads[thread_id] = (msgspec.structs.replace(thread, model=model), turns)
        return self.threads[thread_id][0]

    def do_threads_turns(self, thread_id: str) -> list[Turn]:
        return self.threads[thread_id][1]

    def do_threads_append(
        self, thread_id: str, role: str, text: str, query_id: str | None = None, answer: str = ""
    ) -> Turn:
        turns = self.threads[thread_id][1]
        turn = Turn(
            record_id=f"{thread_id}-{len(turns)}",
            thread_id=thread_id,
            role=role,
            text=text,
            query_id=query_id,
            answer=answer,
        )
        turns.append(turn)
        return turn

    def do_get(self, record_id: str) -> Record:
        return self.do_sources_text("s0", 1)[0]


def serve(connection: Connection, engine: FakeEngine) -> None:
    sending = threading.Lock()

    def send(call_id: int, kind: str, body: object) -> None:
        with sending:
            connection.send_bytes(msgspec.json.encode({"id": call_id, "kind": kind, "body": body}))

    while True:
        try:
            call = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        if call["args"].get("question") == "!stream":
            threading.Thread(target=answer, args=(call, engine, send), daemon=True).start()  # it can be stopped
        else:
            answer(call, engine, send)


def answer(call: dict, engine: FakeEngine, send) -> None:
    try:
        result = engine.answer(
            call["verb"], call["args"], lambda step, call_id=call["id"]: send(call_id, "progress", step)
        )
    except TimeoutError:
        return
    except PermissionError:
        send(call["id"], "error", Fault(code="source.denied", message="No.", hint="Ask nicely."))
    except LookupError as error:
        send(call["id"], "error", Fault(code="service.unknown_verb", message=f"There is no verb {error}."))
    else:
        send(call["id"], "result", result)
        if call["verb"] in ("ingest", "sources.forget", "sources.reinstate"):
            send(0, "notice", Notice(topic="sources"))
            send(0, "notice", Notice(topic="runs"))
        elif call["verb"].startswith("curation.") and call["verb"] != "curation.highlights":
            send(0, "notice", Notice(topic="sources", subject=call["verb"]))
        elif call["verb"] in ("forget", "reinstate", "correct"):
            send(0, "notice", Notice(topic="records", subject=call["verb"]))
        elif call["verb"] in CHOOSING:
            send(0, "notice", Notice(topic=CHOOSING[call["verb"]], subject=call["verb"]))


def main() -> None:
    vault = Path(sys.argv[1])
    if "--refuse" in sys.argv:
        print(
            'FAILED {"code": "vault.damaged", "message": "The log is damaged.", "hint": "Restore a backup."}',
            flush=True,
        )
        sys.exit(5)
    opened = Vault.open(vault) if (vault / "vault.toml").exists() else Vault.create(vault)
    token = secrets.token_hex(16)
    address = str(Path(tempfile.mkdtemp(), "s"))
    listener = Listener(address, "AF_UNIX", authkey=token.encode())
    opened.publish(Owner(os.getpid(), address, token))
    engine = FakeEngine("--empty" in sys.argv, vault / "calls.jsonl")

    def end_with_window() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=end_with_window, daemon=True).start()
    print(f"READY {os.getpid()}", flush=True)
    while True:
        connection = listener.accept()
        threading.Thread(target=serve, args=(connection, engine), daemon=True).start()


if __name__ == "__main__":
    main()
