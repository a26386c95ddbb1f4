"""One door to the network: no other module names what opens a connection, and the local sockets are local."""

from __future__ import annotations

import ast
import typing

import pytest

from house_files import PRODUCT, expect_none, matches, parse, python_files, read
from house_imports import imports, module_name
from house_network import DOORS, check_network
from trisynapse_memory.vault import Owner

DOOR = "trisynapse_memory.providers.egress"
ELSEWHERE = "engine/trisynapse_memory/pipelines/x.py"


def test_only_the_door_opens_a_connection():
    allowed = [door.path for door in DOORS]
    found = [v for name in python_files(PRODUCT) if not matches(name, allowed) for v in check_network(name, read(name))]
    expect_none(found)


def test_every_exception_is_still_needed():
    for door in DOORS:
        assert check_network(door.path, read(door.path)), f"{door.path} no longer needs its exception"


def test_only_the_door_uses_its_sockets():
    private = "trisynapse_memory.providers.network.connection"
    users = {
        module_name(name)
        for name in python_files(PRODUCT)
        for _, imported in imports(read(name), module_name(name))
        if imported.startswith(private)
    }
    # The other two know the kinds of faults, and open nothing.
    rooms = {f"trisynapse_memory.providers.network.{name}" for name in ("incoming", "refusals")}
    assert users == {DOOR, *rooms}


@pytest.mark.parametrize(
    "name", ["service.py", "client.py", "extraction/extractors/pattern.py", "providers/english_parser.py"]
)
def test_who_has_sockets_without_being_the_door_has_local_ones(name: str):
    text = read(f"engine/trisynapse_memory/{name}")
    calls = {ast.unparse(node) for node in ast.walk(parse(text)) if isinstance(node, ast.Attribute)}
    used = {call for call in calls if call.startswith("socket.")}
    # A socket of multiprocessing is a local one when its address is a path; both are given what .lock says, a string.
    assert used <= {"socket.socket", "socket.SHUT_RDWR", "socket.has_ipv6"}
    assert typing.get_type_hints(Owner)["address"] is str


@pytest.mark.parametrize(
    "text",
    [
        "import socket",
        "import socket as plain",
        "from socket import create_connection",
        "def f():\n    import ssl",
        "import http.client",
        "from http import client",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import httpx",
        "import requests.adapters",
        "import aiohttp",
        "from multiprocessing.connection import Client",
        "__import__('socket')",
        "import importlib\nimportlib.import_module('urllib.request')",
        "import asyncio\nasyncio.open_connection('a.example', 80)",
        "import trafilatura\ntrafilatura.fetch_url('http://a.example')",
        "from PySide6 import QtNetwork",
        "from PySide6.QtNetwork import QNetworkAccessManager",
        "import subprocess\nsubprocess.run(['curl', 'http://a.example'])",
        "import huggingface_hub",
    ],
)
def test_a_way_past_the_door_is_found(text: str):
    assert check_network(ELSEWHERE, text)


@pytest.mark.parametrize(
    "text",
    [
        "from urllib.parse import urlsplit, quote",
        "import http\nhttp.HTTPStatus.OK",
        "from trisynapse_memory.providers.egress import Egress",
        "import multiprocessing",
        "words = ['socket', 'curling']",
        "import subprocess\nsubprocess.run(['git', 'status'])",
    ],
)
def test_what_opens_nothing_is_let_be(text: str):
    assert check_network(ELSEWHERE, text) == []
