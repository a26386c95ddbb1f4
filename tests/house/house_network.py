"""One module's text in, every way out of this machine that it takes out. No file is read and no excuse is looked up.

Looked for: imports of what opens a connection, however it is written, and calls by name of what libraries that we do
use would download by themselves.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house_exceptions import Excuse
from house_files import Violation, parse
from house_imports import imports, module_name

NETWORK_MODULES = frozenset(
    "aiohttp asyncore asynchat ftplib grpc h11 h2 http.client http.server httpcore httpx huggingface_hub imaplib"
    " multiprocessing.connection multiprocessing.managers nntplib paramiko poplib pycurl PySide6.QtNetwork"
    " PySide6.QtWebEngineCore PySide6.QtWebEngineWidgets PySide6.QtWebSockets requests smtplib socket socketserver ssl"
    " telnetlib urllib.request urllib3 websocket websockets wsgiref xmlrpc zmq".split()
)
"""Modules that open or accept connections, or that exist for nothing else."""

NETWORK_NAMES = frozenset(
    "create_connection create_server fetch_url hf_hub_download open_connection QNetworkAccessManager QTcpServer"
    " QTcpSocket QUdpSocket QWebEngineView snapshot_download sock_connect start_server urlopen urlretrieve".split()
)
"""Functions and classes that go out from modules one may import for something else."""

NETWORK_PROGRAMS = frozenset({"curl", "ftp", "nc", "scp", "ssh", "telnet", "wget"})

PROVIDERS = "engine/trisynapse_memory/providers"
DOORS = (
    Excuse("network", f"{PROVIDERS}/egress.py", "it is the door"),
    Excuse("network", f"{PROVIDERS}/network/incoming.py", "reads the answers that come through the door"),
    Excuse("network", f"{PROVIDERS}/network/connection.py", "the door's own sockets; nobody else has it"),
    Excuse("network", f"{PROVIDERS}/offline.py", "names the families that its guard refuses"),
    Excuse("network", f"{PROVIDERS}/wall.py", "names the families that the kernel refuses"),
    Excuse("network", "engine/trisynapse_memory/extraction/extractors/pattern.py", "keeps an import from probing IPv6"),
    Excuse("network", f"{PROVIDERS}/english_parser.py", "keeps the same import from probing IPv6"),
    Excuse("network", "engine/trisynapse_memory/service.py", "the private socket in this machine"),
    Excuse("network", "engine/trisynapse_memory/client.py", "the private socket in this machine"),
)
"""Who may name the network, and why."""


def check_network(path: str, text: str) -> list[Violation]:
    """Everything that leaves this machine leaves through one door, or the ledger and the offline switch are a lie."""
    found = {(line, name) for line, name in (*_imported(path, text), *_called(text))}
    return [Violation("network", path, line, f"{name} goes past the door") for line, name in sorted(found)]


def _imported(path: str, text: str) -> Iterator[tuple[int, str]]:
    for node, name in imports(text, module_name(path)):
        if banned := _banned(name):
            yield node.lineno, banned
    for node in ast.walk(parse(text)):
        # __import__("socket"), import_module("socket"): a name in a string is a name.
        if isinstance(node, ast.Call) and _last_name(node.func) in {"__import__", "import_module"} and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and _banned(first.value):
                yield node.lineno, first.value


def _called(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Call) and _last_name(node.func) in NETWORK_NAMES:
            yield node.lineno, _last_name(node.func)
        elif isinstance(node, ast.List | ast.Tuple) and node.elts:
            first = node.elts[0]
            if isinstance(first, ast.Constant) and first.value in NETWORK_PROGRAMS:
                yield node.lineno, str(first.value)


def _banned(name: str) -> str:
    parts = name.split(".")
    heads = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((head for head in heads if head in NETWORK_MODULES), "")


def _last_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
