"""What the operator is told: access log, metrics, health, and a database that can't be used."""

from __future__ import annotations

import asyncio
import io
import json
import platform
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pettui.build import build
from pettui.service.access_log import shown_path
from pettui.service.app import Health
from pettui.service.database_trouble import DatabaseTrouble
from pettui.service.errors import ServiceError
from pettui.service.keys import FixedKeys, ServedKeys, add_key
from pettui.service.stores import described
from pettui.service.stores.store import NotStoredError, StoreUnavailableError
from pettui.system.files import replace_file
from pettui.system.logs import EventLog, logged
from tests.clock import Clock
from tests.ports import reserved_port
from tests.service.running_service import received, running_service

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.service.stores.sqlite import SqliteStore
    from tests.service.conftest import ClientOf, OpenStore


def test_the_log_believes_a_trusted_proxy_which_address_a_request_is_from(tmp_path: Path) -> None:
    """As far as trusted proxies say it, read from the end: whoever is behind them may say more."""
    forwarded = {"X-Forwarded-For": "198.51.100.7, 203.0.113.9:4711, 127.0.0.2"}
    for proxies, address in ((["127.0.0.0/8"], "203.0.113.9"), (["10.0.0.0/8"], "127.0.0.1")):
        with running_service(tmp_path, trusted_proxies=proxies) as service:
            with service.client() as client:
                client.get("/pets", headers=forwarded)
            assert service.stop() == 0
            assert service.lines()[-1]["address"] == address


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/pets/12", "/v1/pets/12"),
        ("/v1/pets\n", "other"),
        ("/healthz", "/healthz"),
        ("/openapi.yaml", "/openapi.yaml"),
        ("/x=a-key-of-the-tests", "other"),
        ("/healthz/a-key-of-the-tests", "other"),
    ],
)
def test_a_path_is_shown_if_the_service_knows_it(path: str, shown: str) -> None:
    """Whatever else is requested may be a key or a name, with anything around it."""
    assert shown_path(path) == shown


def values(text: str) -> dict[tuple[str, ...], float]:
    """Return each value by its name and its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_are_counted_by_operation_and_status(tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys", "till-1", expires=date(2999, 1, 31))
    expired = add_key(tmp_path / "keys", "till-2", expires=date(2001, 1, 31))
    with (
        reserved_port() as port,
        running_service(
            tmp_path, samples=3, metrics=["127.0.0.1", port], key_file=str(tmp_path / "keys")
        ) as service,
        service.client(key) as client,
    ):
        for _ in range(2):
            client.get("/pets")
        client.get("/pets/2")
        client.post("/pets", json={"name": "Rex"})
        client.get("/pets", headers={"Authorization": "Bearer somebody-elses-key"})
        client.get("/pets", headers={"Authorization": f"Bearer {expired}"})
        client.put("/secret-path")
        with service.connection() as connection:
            connection.sendall(b"not HTTP\r\n\r\n")
            received(connection)
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
    found = values(text)
    assert found["pettui_requests_total", "listPets", "200"] == 2
    assert found["pettui_requests_total", "getPet", "200"] == 1
    assert found["pettui_requests_total", "createPet", "400"] == 1
    assert found["pettui_requests_total", "listPets", "401"] == 2
    assert found["pettui_requests_total", "other", "404"] == 1
    assert found["pettui_refused_keys_total",] == 1
    assert found["pettui_expired_keys_total", "till-2"] == 1
    assert found["pettui_malformed_requests_total",] == 1
    assert (
        found["pettui_key_expiry_time_seconds", "till-1"]
        == datetime(2999, 1, 31, tzinfo=UTC).timestamp()
    )
    assert found["pettui_build_info", platform.python_version(), build()] == 1
    assert not [name for name, *_ in found if name.endswith("_created")]
    assert found["pettui_request_seconds_count", "listPets"] == 4
    assert found["pettui_store_usable",] == 1
    assert found["pettui_keys_usable",] == 1
    assert found["pettui_connections",] == 1
    assert found["process_open_fds",] > 0
    assert "secret" not in text.lower()
    for operation, status in (("createPet", "503"), ("listPets", "500"), ("health", "503")):
        assert found["pettui_requests_total", operation, status] == 0  # there from the start
    assert found["pettui_log_lines_dropped_total",] == 0


class CountedStore:
    """Counts the questions, and answers while it is not away."""

    def __init__(self, *, is_away: bool = False) -> None:
        self.asked = 0
        self.is_away = is_away

    async def list_pets(self, _limit: int) -> None:
        self.asked += 1
        await asyncio.sleep(0)
        if self.is_away:
            raise StoreUnavailableError("its host is db-7.internal")


def health_of(store: Any, clock: Clock) -> Health:
    return Health(store, DatabaseTrouble({}), FixedKeys(()), clock)


async def status_of(health: Health) -> int:
    try:
        await health.respond({}, None)  # type: ignore[arg-type]
    except ServiceError as error:
        return error.status
    return 200


async def test_a_store_that_answers_is_200_without_a_key(
    client_of: ClientOf, open_store: OpenStore
) -> None:
    response = await client_of(await open_store(), headers={}).get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_a_store_that_does_not_answer_is_503_and_no_reason_is_given(
    client_of: ClientOf,
) -> None:
    response = await client_of(CountedStore(is_away=True), headers={}).get("/healthz")
    assert response.status_code == 503
    assert set(response.json()) == {"code", "message", "status"}
    assert "db-7" not in response.text
    assert response.headers["retry-after"] == "1"


async def test_a_key_file_that_is_gone_or_emptied_is_503_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    add_key(path, "till-1")
    whole, clock, keys = path.read_bytes(), Clock(100.0), ServedKeys([], path)
    health = Health(CountedStore(), DatabaseTrouble({}), keys, clock)  # type: ignore[arg-type]
    for spoil in (path.unlink, lambda: path.write_bytes(b"")):
        spoil()
        clock.now += 1
        with pytest.raises(ServiceError, match="can't check API keys") as raised:
            await health.respond({}, None)  # type: ignore[arg-type]
        assert raised.value.status == 503
        assert str(path) not in raised.value.message
        replace_file(path, whole)
        clock.now += 1
        assert await status_of(health) == 200


async def test_an_answer_is_kept_for_a_second() -> None:
    store, clock = CountedStore(), Clock(100.0)
    health = health_of(store, clock)
    assert await status_of(health) == 200
    store.is_away = True
    clock.now = 100.9
    assert await status_of(health) == 200
    assert store.asked == 1
    clock.now = 101.0
    assert await status_of(health) == 503
    assert store.asked == 2


BODY = {"name": "Rex", "categoryId": 3}


def events_of(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_file_that_is_away_is_one_event_and_another_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    with running_service(tmp_path, samples=3) as service:
        with service.client() as client:
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
        service.check_quiet_end()


def test_a_database_of_a_server_is_described_by_its_host_and_without_its_password() -> None:
    address = "postgresql://clerk:hidden@db.example/shop"
    assert described(address) == {"host": "db.example", "database": "shop"}


async def test_reads_do_not_end_the_trouble_of_writes_of_which_each_reason_is_logged_once(
    client_of: ClientOf, memory: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk."""
    reasons = ["the file is locked", "the disk is full", "the file is locked"]

    async def refuse(*_: object) -> None:
        raise NotStoredError(reasons.pop(0))

    client, log = client_of(memory), io.StringIO()
    with logged(EventLog(log)):
        with monkeypatch.context() as patched:
            patched.setattr(memory, "create_pet", refuse)
            while reasons:
                assert (await client.post("/v1/pets", json=BODY)).status_code == 503
                assert (await client.get("/v1/pets")).status_code == 200
                assert (await client.get("/v1/pets/7")).status_code == 404
        assert (await client.post("/v1/pets", json=BODY)).status_code == 201
    *begun, over = events_of(log)
    assert [(event["event"], event["reason"]) for event in begun] == [
        ("database unavailable", "the file is locked"),
        ("database unavailable", "the disk is full"),
    ]
    assert (over["event"], over["failed"]) == ("database available", 3)
