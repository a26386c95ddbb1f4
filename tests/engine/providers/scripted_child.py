"""The child that holds a model, with a script in the model's place: it does what a prompt names. Run by tests only."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from trisynapse_memory.errors import ModelFileError, PromptTooLongError
from trisynapse_memory.providers.llama import child as llama_child
from trisynapse_memory.providers.llama.messages import AskRequest, DoneReply, LoadRequest
from trisynapse_memory.types import Finish


class ScriptedSession:
    """Answers a prompt with what its first word asks for."""

    def __init__(self, request: LoadRequest) -> None:
        if "unknown" in request.path:
            raise ModelFileError("This file cannot be loaded.")
        if "illegal" in request.path:
            os.kill(os.getpid(), signal.SIGILL)
        self._path = Path(request.path)

    def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(len(text.split()) for text in texts)

    def answer(self, request: AskRequest, on_piece: Callable[[str], None], is_stopped: Callable[[], bool]) -> DoneReply:
        match request.text.split()[0]:
            case "die":
                on_piece("half ")
                time.sleep(0.05)
                os.kill(os.getpid(), signal.SIGKILL)
            case "long":
                raise PromptTooLongError("Too long.")
            case "write":
                on_piece("word ")
                while not is_stopped():
                    time.sleep(0.01)
                return DoneReply(number=request.number, finish=Finish.CANCELLED, output_tokens=1)
            case "deaf":
                on_piece("word ")
                time.sleep(60)
            case "ponder":
                time.sleep(0.3)
                on_piece("late ")
            case "network":
                socket.create_connection(("127.0.0.1", 9))
            case "rank":
                print("not a reply")
                on_piece(f"{os.nice(0)} {Path('/proc/self/oom_score_adj').read_text().strip()}")
            case _:
                for word in request.text.split():
                    on_piece(f"{word} ")
        return DoneReply(number=request.number, finish=Finish.STOP, input_tokens=3, output_tokens=2)


if __name__ == "__main__":
    llama_child.LlamaSession = ScriptedSession  # pyright: ignore[reportAttributeAccessIssue]
    raise SystemExit(llama_child.main(sys.argv[1:]))
