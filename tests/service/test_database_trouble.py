"""A database that can't be used is told once, and so is that it can be used again."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import httpx

from pettui.logs import EventLog, logged
from pettui.service.app import create_app
from pettui.service.stores import described
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.postgres_connections import Limits
from pettui.service.stores.store import NotStoredError
from tests.service.running_service import AUTHORIZATION, KEY, running_service

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pettui.service.stores.sqlite import SqliteStore
    from tests.service.private_postgres import PrivatePostgres

BODY = {"name": "Rex", "categoryId": 3}


def events_of(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def client_of(store: Any, database: dict[str, str]) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_app(store, [KEY], database=database))
    return httpx.AsyncClient(transport=transport, base_url="http://store", headers=AUTHORIZATION)


def test_a_file_that_is_away_is_one_event_and_another_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    with running_service(tmp_path, samples=3) as service:
        with httpx.Client(base_url=service.base_url, headers=AUTHORIZATION) as client:
            path.rename(tmp_path / "away")
            failed = [client.get("/pets").status_code for _ in range(4)]
            failed.append(client.post("/pets", json=BODY).status_code)
            (tmp_path / "away").rename(path)
            assert client.get("/pets").status_code == 200
            assert client.post("/pets", json=BODY).status_code == 201
        assert failed == [503] * 5
        begun, over = service.event(), service.event()
        assert (begun["event"], begun["level"], begun["database"]) == (
            "database unavailable", "error", str(path),
        )  # fmt: skip
        assert begun["reason"].startswith(f"database file {path} was removed or replaced")
        assert (over["event"], over["database"]) == ("database available", str(path))
        assert over["failed"] == 5
        assert over["seconds"] > 0
        assert service.stop() == 0
        assert service.stderr_text() == ""


async def test_a_postgres_server_that_is_away_is_one_event_with_its_host_and_the_reason(
    postgres: PrivatePostgres,
) -> None:
    address = postgres.new_database("of_one_test")
    store = await PostgresStore.open(address, limits=Limits(connection_seconds=0.3))
    log = io.StringIO()
    with logged(EventLog(log)):
        async with client_of(store, described(address)) as client:
            with postgres.away():
                assert (await client.get("/v1/pets")).status_code == 503
                assert (await client.post("/v1/pets", json=BODY)).status_code == 503
            while (await client.post("/v1/pets", json=BODY)).status_code == 503:
                continue
    await store.close()
    begun, over = (event for event in events_of(log) if "database" in event)
    assert begun["event"] == "database unavailable"
    assert (begun["host"], begun["database"]) == (str(postgres.directory), "of_one_test")
    assert begun["reason"].startswith("PoolTimeout: connection ")
    assert over["event"] == "database available"
    assert over["failed"] >= 2


async def test_reads_that_succeed_do_not_end_the_trouble_of_writes(
    memory: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk."""

    async def refuse(_new_pet: object) -> None:
        raise NotStoredError("database or disk is full")

    log = io.StringIO()
    with logged(EventLog(log)):
        async with client_of(memory, {"database": "pets.db"}) as client:
            with monkeypatch.context() as patched:
                patched.setattr(memory, "create_pet", refuse)
                for _ in range(3):
                    assert (await client.post("/v1/pets", json=BODY)).status_code == 503
                    assert (await client.get("/v1/pets")).status_code == 200
                    assert (await client.get("/v1/pets/7")).status_code == 404
            assert [event["event"] for event in events_of(log)] == ["database unavailable"]
            assert (await client.post("/v1/pets", json=BODY)).status_code == 201
    begun, over = events_of(log)
    assert begun["reason"] == "database or disk is full"
    assert (over["event"], over["failed"]) == ("database available", 3)
