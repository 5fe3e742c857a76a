"""A service that is killed in the middle of a load has lost nothing of what it acknowledged."""

from __future__ import annotations

import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from threading import Event
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.service.running_service import running_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service.running_service import RunningService

WRITERS = 16
KILLS = 4
ACKNOWLEDGED_BEFORE_A_KILL = 150


def load(
    service: RunningService, numbers: Iterator[int], acknowledged: dict[int, str], enough: Event
) -> None:
    """Add animals over one connection until the service is gone; note each that is acknowledged."""
    url = service.base_url
    with httpx.Client(base_url=url, headers=service.authorization, timeout=30) as client:
        try:
            for number in numbers:
                body = {"name": f"pet {number}", "categoryId": number}
                response = client.post("/pets", json=body)
                assert response.status_code == 201
                acknowledged[response.json()["id"]] = body["name"]
                if len(acknowledged) >= ACKNOWLEDGED_BEFORE_A_KILL:
                    enough.set()
        except httpx.TransportError:
            return  # it was killed; what was not acknowledged may be there or not


@pytest.mark.exhaustive
def test_kill_9_in_the_middle_of_a_load_loses_no_acknowledged_animal(tmp_path: Path) -> None:
    numbers, known = count(1), {}
    for _ in range(KILLS):
        acknowledged, enough = {}, Event()
        with running_service(tmp_path) as service:
            with ThreadPoolExecutor(WRITERS) as pool:
                for _ in range(WRITERS):
                    pool.submit(load, service, numbers, acknowledged, enough)
                assert enough.wait(60)
                service.process.send_signal(signal.SIGKILL)
            assert service.process.wait(10) == -signal.SIGKILL
        assert not acknowledged.keys() & known.keys()
        known |= acknowledged
    assert len(known) >= KILLS * ACKNOWLEDGED_BEFORE_A_KILL
    with running_service(tmp_path) as service:
        assert service.stop() == 0
    with closing(sqlite3.connect(tmp_path / "pets.db")) as database:
        found = dict(database.execute("SELECT id, CAST(name AS TEXT) FROM pets"))
    assert known.items() <= found.items()
