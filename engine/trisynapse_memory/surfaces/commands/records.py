"""The commands about records and sources: ``get history list correct forget ...`` and ``sources ...``."""

from __future__ import annotations

from argparse import Namespace as Options
from typing import Any

from trisynapse_memory.surfaces.printing import Printer, confirm, novelty_line
from trisynapse_memory.surfaces.session import Session
from trisynapse_memory.types import Change, Novelty, PageDetails, Receipt, Record, RecordId, SameText, Source


def get(options: Options, printer: Printer) -> int:
    """Print one record."""
    with Session(options) as session:
        record: Record = session.call("get", record_id=options.id)
    printer.result({"record": record}, [f"{record.id} {record.kind.value}", record.text])
    return 0


def history(options: Options, printer: Printer) -> int:
    """Print a record and everything that names it."""
    with Session(options) as session:
        records: tuple[Record, ...] = session.call("history", record_id=options.id)
    printer.result({"records": records, "next_cursor": None}, [_line(record) for record in records])
    return 0


def list_records(options: Options, printer: Printer) -> int:
    """Print records in log order."""
    with Session(options) as session:
        records: tuple[Record, ...] = session.call(
            "list_records",
            kind=options.kind,
            cursor=options.cursor,
            limit=options.limit,
            include_retracted=options.include_retracted,
        )
    following = records[-1].seq if len(records) == options.limit else None
    printer.result({"records": records, "next_cursor": following}, [_line(record) for record in records])
    return 0


def correct(options: Options, printer: Printer) -> int:
    """Say what is right instead of what a record says."""
    return _change("correct", options, printer, record_id=options.id, text=options.text)


def remove(options: Options, printer: Printer) -> int:
    """Erase records for good; nothing of their words stays in the vault."""
    confirm(options, f"{len(options.id)} records and everything made of them")
    with Session(options) as session:
        receipt: Receipt = session.call("remove", record_ids=tuple(options.id), reason=options.reason)
    return _print_receipt(receipt, printer)


def feedback(options: Options, printer: Printer) -> int:
    """Remember whether an answer helped."""
    with Session(options) as session:
        record_id: str = session.call(
            "feedback", query_id=options.id, helpful=options.verdict == "helpful", note=options.note
        )
    printer.result({"record_id": record_id}, [f"Remembered: {options.verdict}."])
    return 0


def forget(options: Options, printer: Printer) -> int:
    """Hide a record from every answer."""
    return _change("forget", options, printer, record_id=options.id)


def reinstate(options: Options, printer: Printer) -> int:
    """Bring a record back."""
    return _change("reinstate", options, printer, record_id=options.id)


def sources_list(options: Options, printer: Printer) -> int:
    """Print the library."""
    with Session(options) as session:
        found: tuple[Source, ...] = session.call("sources.list", include_all=options.all, limit=options.limit)
    lines = [
        f"{s.source_id}  {s.status.value:10} {s.record_count:5} records  {s.title}"
        + (f"  (same text as {s.same_text_as})" if s.same_text_as else "")
        for s in found
    ]
    printer.result({"sources": found}, lines or ["The vault is empty."])
    return 0


def sources_show(options: Options, printer: Printer) -> int:
    """Print one source with the verdict of every page."""
    with Session(options) as session:
        source: Source = session.call("sources.show", source_id=options.id)
        pages = session.call("sources.pages", source_id=options.id)
        novelty: tuple[Novelty, ...] = session.call("sources.novelty", source_ids=[options.id])
    lines = [f"{source.title} ({source.kind}, version {source.version}, {source.status.value})"]
    lines += [f"  by {'; '.join(source.authors)}"] if source.authors else []
    lines += [f"  {name} {value}" for name, value in sorted(source.identifiers.items())]
    lines += [f"  described by {source.reference}"] if source.reference else []
    lines += [f"  describes {file_id}" for file_id in source.files]
    lines += [f"  same text as {source.same_text_as}"] if source.same_text_as else []
    lines += [f"  lies in {source.container}"] if source.container else []
    lines += [f"  {novelty_line(one)}" for one in novelty]
    lines += [f"  page {note.page}: {note.verdict.value} {note.note}" for note in pages]
    printer.result({"source": source, "pages": pages, "novelty": novelty[0] if novelty else None}, lines)
    return 0


def sources_copies(options: Options, printer: Printer) -> int:
    """Print the other sources that say the same words."""
    with Session(options) as session:
        found: tuple[SameText, ...] = session.call("sources.copies", source_id=options.id)
    lines = [f"{one.source_id}  {one.title}  ({one.source_key})" for one in found]
    printer.result({"copies": found}, lines or ["No other source says the same words."])
    return 0


def sources_text(options: Options, printer: Printer) -> int:
    """Print the text of a source as it was read, page by page."""
    with Session(options) as session:
        pages: tuple[Record, ...] = session.call("sources.text", source_id=options.id, page=options.page)
    rows = [
        {
            "page": page.locator.page if page.locator else None,
            "page_label": page.locator.page_label if page.locator else None,
            "text": page.text,
            "verdict": page.payload.verdict if isinstance(page.payload, PageDetails) else None,
            "hidden_text": page.payload.hidden_text if isinstance(page.payload, PageDetails) else "",
        }
        for page in pages
    ]
    printer.result({"pages": rows}, [page.text for page in pages])
    return 0


def sources_approve_hidden(options: Options, printer: Printer) -> int:
    """Let the text that cannot be seen on a page be found and cited, after looking at it."""
    with Session(options) as session:
        record_ids: tuple[RecordId, ...] = session.call(
            "sources.approve_hidden", source_id=options.id, page=options.page
        )
    words = f"{len(record_ids)} passages of page {options.page} count now; `forget` takes one back."
    printer.result({"record_ids": record_ids}, [words])
    return 0


def sources_forget(options: Options, printer: Printer) -> int:
    """Hide a source from every answer."""
    return _change("sources.forget", options, printer, source_id=options.id)


def sources_reinstate(options: Options, printer: Printer) -> int:
    """Bring a source back."""
    return _change("sources.reinstate", options, printer, source_id=options.id)


def sources_remove(options: Options, printer: Printer) -> int:
    """Erase a source for good, with its original and everything made of it."""
    confirm(options, f"the source {options.id}, its original and everything made of them")
    with Session(options) as session:
        receipt: Receipt = session.call("sources.remove", source_id=options.id, reason=options.reason)
    return _print_receipt(receipt, printer)


def _print_receipt(receipt: Receipt, printer: Printer) -> int:
    blanked = ", ".join(f"{count} {kind}" for kind, count in receipt.blanked.items())
    lines = [f"Removed: {blanked or 'nothing was left'}; {len(receipt.originals)} originals."]
    lines += [f"  {record_id} of another source still says the same" for record_id in receipt.other_copies]
    lines += [f"  {place} may still hold it" for place in receipt.outside]
    printer.result({"receipt": receipt}, lines)
    return 0


def _change(verb: str, options: Options, printer: Printer, **target: Any) -> int:
    with Session(options) as session:
        change: Change = session.call(verb, reason=options.reason, **target)
    printer.result(change, [f"{change.verb}: {change.affected_count} records"])
    return 0


def _line(record: Record) -> str:
    text = " ".join(record.text.split())
    return f"{record.seq:6}  {record.id}  {record.kind.value:12} {text[:90]}"
