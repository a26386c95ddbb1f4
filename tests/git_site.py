"""Repositories on loopback, served by the smart protocol of Git over HTTP, and a door that leads every host there.

    with GitSite() as site:
        site.serve("https://git.example.org/ann/light.git", {"README.md": b"# Light"})
        egress = site.door()

What is asked is kept in ``asked``; ``answers`` says what else than Git lies under an address.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import quote, urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import MemoryRepo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

from tests.web_site import Rerouted

MODES = {"link": 0o120000, "submodule": 0o160000, "file": 0o100644}


@dataclass(frozen=True)
class Odd:
    """An entry that is no file: a ``link`` or a ``submodule``."""

    kind: str
    content: bytes


@dataclass(frozen=True)
class Answer:
    """What lies under an address that is no repository."""

    status: str = "200 OK"
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


def commit(repo: MemoryRepo, files: Mapping[str, bytes | Odd]) -> str:
    """Write files as the newest commit of a repository; names go in as they are, slashes make folders."""
    tree = _tree(repo, files)
    made = Commit()
    made.tree = tree.id
    made.author = made.committer = b"Ann <ann@example.org>"
    made.author_time = made.commit_time = 1_700_000_000
    made.author_timezone = made.commit_timezone = 0
    made.message = b"more"
    made.parents = [repo.refs[b"refs/heads/main"]] if b"refs/heads/main" in repo.refs else []
    repo.object_store.add_object(made)
    repo.refs[b"refs/heads/main"] = made.id
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
    return made.id.decode()


def _tree(repo: MemoryRepo, files: Mapping[str, bytes | Odd]) -> Tree:
    tree, folders = Tree(), dict[str, dict[str, bytes | Odd]]()
    for path, content in files.items():
        folder, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(folder, {})[rest] = content
        elif isinstance(content, Odd) and content.kind == "submodule":
            tree.add(path.encode(), MODES["submodule"], content.content)
        else:
            told = content.content if isinstance(content, Odd) else content
            blob = Blob.from_string(told)
            repo.object_store.add_object(blob)
            tree.add(path.encode(), MODES[content.kind if isinstance(content, Odd) else "file"], blob.id)
    for folder, inner in folders.items():
        tree.add(folder.encode(), 0o040000, _tree(repo, inner).id)
    repo.object_store.add_object(tree)
    return tree


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


class GitSite:
    """The site; use it as a context."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, Answer] = {}
        self._repositories: dict[str, MemoryRepo] = {}
        self._folders: dict[str, Path] = {}
        self._server = make_server("127.0.0.1", 0, self._answer, server_class=_Server, handler_class=_Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> GitSite:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, url: str, files: Mapping[str, bytes | Odd]) -> str:
        """Lay the next commit of a repository under an address; return its id."""
        return commit(self._repositories.setdefault(_place(url), MemoryRepo()), files)

    def serve_empty(self, url: str) -> None:
        """Lay a repository without a commit under an address."""
        self._repositories[_place(url)] = MemoryRepo()

    def serve_made(self, url: str, repo: MemoryRepo) -> None:
        """Lay a repository under an address."""
        self._repositories[_place(url)] = repo

    def serve_by_git(self, url: str, folder: Path) -> None:
        """Let Git itself (``git http-backend``) serve a bare repository under an address."""
        self._folders[_place(url)] = folder

    def door(self, **more: object) -> Rerouted:
        """Return a door that leads every host to this site."""
        return Rerouted(self._server.server_port, **more)

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        url = environ["PATH_INFO"][1:]
        self.asked.append(url)
        if (answer := self.answers.get(url)) is not None:
            told = [(name, self._led(name, value)) for name, value in answer.headers.items()]
            start(answer.status, told)
            return [answer.content]
        parts = urlsplit(url)
        place = f"/{parts.netloc}{parts.path}"
        for known, folder in self._folders.items():
            if place.startswith(f"{known}/"):
                return _by_git(folder, place.removeprefix(known), parts.query, environ, start)
        if not any(place.startswith(f"{known}/") for known in self._repositories):
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"nothing here"]
        app = make_wsgi_chain(DictBackend(dict(self._repositories)))
        return app({**environ, "PATH_INFO": place, "QUERY_STRING": parts.query}, start)

    def _led(self, name: str, value: str) -> str:
        return f"/{quote(value, safe='')}" if name == "Location" else value


def _by_git(folder: Path, path: str, query: str, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer as a web server does that runs Git's own CGI program."""
    told = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": environ["REQUEST_METHOD"],
        "CONTENT_TYPE": environ.get("CONTENT_TYPE", ""),
        "GIT_PROTOCOL": environ.get("HTTP_GIT_PROTOCOL", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    done = subprocess.run(["git", "http-backend"], input=body, env=told, capture_output=True, check=True)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = [tuple(line.split(": ", 1)) for line in head.decode().splitlines()]
    status = next((value for name, value in headers if name == "Status"), "200 OK")
    start(status, [(name, value) for name, value in headers if name != "Status"])
    return [content]


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"/{parts.netloc}{parts.path}"
