"""Every service of the table, each with a server of its language on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contracts.service_setting import REPLY, Setting
from tests.model_servers import ModelServer
from trisynapse_memory.providers.services import SERVICES
from trisynapse_memory.providers.wires import retries


@pytest.fixture(params=[service.name for service in SERVICES])
def setting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)
    with ModelServer(reply=REPLY) as server:
        yield Setting(server, server.service(request.param))
