"""A choice of transcriber in, who writes down speech on this machine out, or why nobody does. No model is loaded.

A model is the folder she chose, else one that lies in the folder of model files or came with a package. It is looked
at once, and anew when the choices have changed.
"""

from __future__ import annotations

import threading
import wave
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import SAMPLE_RATE
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError, TrisynapseError
from trisynapse_memory.preprocessing.transcribing import Minute, TranscribeWorker, Voice
from trisynapse_memory.providers.files.whisper_folders import SHELF, read_whisper, whisper_folders
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Role, RoleChoice

WHISPER: Final = "whisper"
"""The service that stands for folders of Whisper models, and the row that reads them."""

RECORDING: Final = "recording"
"""The loader of recordings."""

NO_MODEL: Final = "There is no Whisper model on this machine."
CHOOSE: Final = (
    f"Choose a folder: `models set transcription {WHISPER} FOLDER`, or put it into '{SHELF}' beside the models."
)


class Transcribers:
    """Who writes down speech in one open vault; safe under threads.

    Args:
        registry: knows the row and what it needs.
        chosen: the folder that she chose, or an empty text.
        models: the folder of this machine's model files.
    """

    def __init__(self, registry: Registry, chosen: Callable[[], str], models: Path) -> None:
        self._registry = registry
        self._chosen = chosen
        self._models = models
        self._lock = threading.Lock()
        self._known: tuple[str, Voice | TrisynapseError] | None = None

    def voice(self) -> Voice:
        """Return who writes down speech.

        Raises:
            BranchUnavailableError: the packages are not installed.
            ModelFileError: there is no model, or the one she chose cannot be used.
        """
        folder = self._chosen()
        with self._lock:
            if self._known is None or self._known[0] != folder:
                self._known = (folder, self._looked_up(folder))
            found = self._known[1]
        if isinstance(found, TrisynapseError):
            raise found
        return found

    def choice(self) -> RoleChoice:
        """Return which model writes down speech and whether it can, as any role's choice; see ``Staff.choice``.

        One that was found without a choice of hers has no service, and a note that says which it is.
        """
        folder = self._chosen()
        try:
            voice = self.voice()
        except TrisynapseError as error:
            service = WHISPER if folder else ""
            state = "missing" if folder else "off"
            return RoleChoice(role=Role.TRANSCRIPTION, service=service, model=folder, state=state, note=str(error))
        service, note = (WHISPER, "") if folder else ("", f"found on this machine: {voice.method}")
        return RoleChoice(role=Role.TRANSCRIPTION, service=service, model=voice.folder, state="ready", note=note)

    def try_voice(self) -> str:
        """Let the model listen to a second of silence in a child process; return what records would call it.

        Raises:
            BranchUnavailableError, ModelFileError: see ``voice``; or the model cannot be loaded.
            WorkerDiedError: it takes the child down, for want of memory most likely.
        """
        voice = self.voice()
        with TemporaryDirectory(prefix="trisynapse-") as folder, closing(TranscribeWorker(Config(), "")) as worker:
            path = Path(folder) / "silence.wav"
            with wave.open(str(path), "wb") as stream:
                stream.setnchannels(1)
                stream.setsampwidth(2)
                stream.setframerate(SAMPLE_RATE)
                stream.writeframes(bytes(2 * SAMPLE_RATE))
            return worker.transcribe(voice, Minute(path, RECORDING, 1, path.name, "")).page.method

    def forget(self) -> None:
        """Look anew the next time."""
        with self._lock:
            self._known = None

    def _looked_up(self, folder: str) -> Voice | TrisynapseError:
        row = next(row for row in self._registry.rows("transcriber") if row.name == WHISPER)
        if self._registry.missing(row):
            install = f"pip install 'trisynapse-desktop[{row.extra}]'"
            return BranchUnavailableError("No transcriber is installed.", hint=f"Install it: {install}.")
        places = [Path(folder).expanduser()] if folder else list(whisper_folders(self._models))
        trouble: TrisynapseError = ModelFileError(NO_MODEL, hint=CHOOSE)
        for place in places:
            try:
                found = read_whisper(place)
            except ModelFileError as error:
                trouble = error
                continue
            return Voice(WHISPER, str(found.path), found.size_bytes, found.method)
        return trouble
