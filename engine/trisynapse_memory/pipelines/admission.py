"""An input in, what to do with it out: new, changed, unchanged, duplicate, restorable. Nothing is appended here."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import cast

from msgspec import Struct, structs

from trisynapse_memory.errors import (
    InvalidInputError,
    SourceDeniedError,
    SourceError,
    SourceTooLargeError,
)
from trisynapse_memory.log.blobs import reading
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.preprocessing.loading import HEAD_BYTES, expand
from trisynapse_memory.preprocessing.references.zotero_folder import is_zotero_folder
from trisynapse_memory.preprocessing.web.attributions import Attribution
from trisynapse_memory.preprocessing.web.git_protocol import refuse_other_ways
from trisynapse_memory.preprocessing.web.papers import WebPage
from trisynapse_memory.preprocessing.working_copies import is_working_copy, manifest_of, standing_of
from trisynapse_memory.types import FetchDetails, Listing, Namespace, Source, SourceId, SourceInput, SourceStatus


class Admission(StrEnum):
    """What an input is to the vault."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    RESUMED = "resumed"
    RESTORED = "restored"


class Arrival(Struct, frozen=True, kw_only=True):
    """One thing to take in: an input that names one file, URL or text; or a skip or an error with its reason.

    ``container`` is the key of the source whose member it is, ``depth`` how many containers it lies in, ``listing``
    what its container says of it (without its bytes). Of an address, ``page`` is what lies behind it, if that was
    fetched before; ``fetched`` how it came, ``attribution`` what somebody says of it, ``notes`` what did not work.
    """

    label: str
    input: SourceInput
    skipped: str = ""
    error: SourceError | None = None
    container: str = ""
    depth: int = 0
    listing: Listing | None = None
    page: WebPage | None = None
    fetched: FetchDetails | None = None
    attribution: Attribution | None = None
    notes: tuple[str, ...] = ()


class Decision(Struct, frozen=True, kw_only=True):
    """What to do with the bytes of an arrival: how they stand to the vault, under which id, beside which version."""

    admission: Admission
    source_id: SourceId
    version: int
    current: Source | None = None
    known: Source | None = None


def as_input(value: SourceInput | str | Path) -> SourceInput:
    """Read what a caller gave: a URL, a path, or a full input.

    Raises:
        InvalidInputError: an input sets none, or more than one, of path, url, text and content; or it is something
            else, such as a list of inputs.
    """
    if not isinstance(cast("object", value), SourceInput | str | Path):  # a caller without a type checker
        raise InvalidInputError(
            f"A {type(value).__name__} is no source.", hint="Give paths, URLs or SourceInput, each as an argument."
        )
    if isinstance(value, SourceInput):
        chosen = [value.path, value.url, value.text, value.content]
        if sum(part is not None for part in chosen) != 1:
            raise InvalidInputError(
                "A source needs exactly one of path, url, text and content.", hint="Leave the others out."
            )
        return value
    text = str(value)
    if not _is_text(text):
        raise InvalidInputError(f"The name {text!a} is no valid UTF-8.", hint="Rename the file and add it again.")
    if text.lower().startswith(("http://", "https://")):
        return SourceInput(url=text)
    return SourceInput(path=text)


def arrivals(inputs: tuple[SourceInput, ...]) -> Iterator[Arrival]:
    """Yield one arrival per file: a folder gives its files in a fixed order, everything else gives itself."""
    for given in inputs:
        if given.path is None:
            yield Arrival(label=given.url or given.filename or given.title or "text", input=given)
            continue
        if is_zotero_folder(path := Path(given.path).expanduser().absolute()):
            yield Arrival(label=str(path), input=given)  # its files are those that its database names
            continue
        try:
            refuse_other_ways(given.path)
            yield from _files(given, path)
        except SourceError as error:
            yield Arrival(label=given.path, input=given, error=error)
        except PermissionError:
            problem = f"'{given.path}' cannot be read: permission denied."
            error = SourceDeniedError(problem, hint="Change its permissions and try again.")
            yield Arrival(label=given.path, input=given, error=error)


def _files(given: SourceInput, path: Path) -> Iterator[Arrival]:
    if is_working_copy(path):
        yield _manifest(given, path)
    for found in expand(path):
        if not _is_text(str(found.path)):
            name = str(found.path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            error = SourceError(f"The name of '{name}' is no valid UTF-8.", hint="Rename the file and add it again.")
            yield Arrival(label=name, input=structs.replace(given, path=name, filename=None), error=error)
            continue
        one = structs.replace(given, path=str(found.path), filename=given.filename or found.path.name)
        if found.path != path:  # the key and title she gave belong to what she named, not to each file in it
            one = structs.replace(one, source_key=None, title=None, filename=found.path.name)
        yield Arrival(label=str(found.path), input=one, skipped=found.skipped, error=found.error)


def _manifest(given: SourceInput, path: Path) -> Arrival:
    """The list of a working copy's files, with where it stands in Git: a source of its own, found by their names."""
    paths = [found.relative for found in expand(path) if not found.skipped and _is_text(found.relative)]
    text = manifest_of(path, standing_of(path), paths)
    key = f"{unicodedata.normalize('NFC', str(path))}#manifest"
    one = structs.replace(
        given, path=None, text=text, source_key=key, title=f"{path.name}: list of files", filename="manifest.txt"
    )
    return Arrival(label=f"{path}#manifest", input=one)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # bytes of another encoding; neither the log nor JSON can hold such a name
        return False
    return True


def read_head(path: Path, max_bytes: int) -> bytes:
    """Return the first 64 KiB of a file.

    Raises:
        SourceMissingError, SourceDeniedError, SourceDamagedError: it cannot be read.
        SourceTooLargeError: it is larger than ``max_bytes``.
    """
    with reading(path):
        size = path.stat().st_size
        if size > max_bytes:
            raise SourceTooLargeError(
                f"'{path.name}' has {size:,} bytes; the limit is {max_bytes:,}.", hint="Raise `file_max_bytes`."
            )
        with path.open("rb") as stream:
            return stream.read(HEAD_BYTES)


def key_of(given: SourceInput, content_hash: str) -> str:
    """Return the identity under which versions of an input follow each other.

    Names are compared in NFC: a name that a Mac writes decomposed is the same name.
    """
    if given.source_key is not None:
        return given.source_key
    if given.url is not None:
        return given.url
    if given.path is not None:
        return unicodedata.normalize("NFC", str(Path(given.path).expanduser().absolute()))
    return f"upload:{given.filename or 'text'}:{content_hash[:16]}"


def source_id_of(namespace: Namespace, source_key: str, content_hash: str) -> SourceId:
    """Return the id of one version: the same bytes under the same key are the same source (engine.md A7)."""
    keys = [namespace.user_id, namespace.agent_id, namespace.project_id, namespace.session_id]
    text = json.dumps([keys, source_key, content_hash], ensure_ascii=False)
    return SourceId(f"src_{hashlib.sha256(text.encode()).hexdigest()[:20]}")


def decide(shelf: Shelf, namespace: Namespace, source_key: str, content_hash: str) -> Decision:
    """Compare an input with what the vault holds under its key, and elsewhere."""
    source_id = source_id_of(namespace, source_key, content_hash)
    versions = shelf.versions(source_key, namespace)
    known = next((version for version in versions if version.source_id == source_id), None)
    if known is None:  # the same bytes under a key that the source had not when it came: its file was renamed
        same = (one for one in reversed(versions) if one.content_hash == content_hash and one.blob_hash)
        known = next(same, None)
        source_id = source_id if known is None else known.source_id
    current = next((version for version in reversed(versions) if version.status is SourceStatus.ACTIVE), None)
    if known is not None:
        admission = _of_known(known)
    elif current is not None:
        admission = Admission.CHANGED
    elif (twin := shelf.twin(content_hash, namespace)) is not None:
        return Decision(admission=Admission.DUPLICATE, source_id=twin.source_id, version=twin.version, known=twin)
    else:
        admission = Admission.NEW
    version = known.version if known is not None else max((one.version for one in versions), default=0) + 1
    return Decision(admission=admission, source_id=source_id, version=version, current=current, known=known)


def _of_known(known: Source) -> Admission:
    if known.status is SourceStatus.ACTIVE:
        return Admission.UNCHANGED
    # Without verdicts it has never been whole, whatever became of it since: half a source is read on, not restored.
    return Admission.RESTORED if known.verdicts else Admission.RESUMED
