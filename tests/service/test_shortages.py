"""A service without a log's reader, disk space, descriptors or memory: nothing is lost."""

from __future__ import annotations

import json
import resource
import sqlite3
import ssl
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.certificates import make_certificate
from tests.service.running_service import RunningService, running_service
from tests.stuck_pipe import fill

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen


only_on_linux = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="only Linux can limit another process"
)


@contextmanager
def limited(process: Popen[str], what: int, most: int) -> Iterator[None]:
    """Lower a limit of a running process during the block."""
    usual = resource.prlimit(process.pid, what, (most, resource.getrlimit(what)[1]))
    try:
        yield
    finally:
        resource.prlimit(process.pid, what, usual)


def from_proc(service: RunningService, name: str) -> str:
    return Path(f"/proc/{service.process.pid}/{name}").read_text()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as service:
        yield service


@pytest.fixture
def client(service: RunningService) -> Iterator[httpx.Client]:
    with service.client() as client:
        assert client.get("/pets").status_code == 200  # so that it is connected
        yield client


def add(client: httpx.Client, name: str) -> httpx.Response:
    return client.post("/pets", json={"name": name, "categoryId": 1})


def names_in(directory: Path) -> set[str]:
    with closing(sqlite3.connect(directory / "pets.db")) as connection:
        return {name.decode() for (name,) in connection.execute("SELECT name FROM pets")}


def test_a_log_that_nobody_reads_blocks_neither_300_requests_nor_the_end(tmp_path: Path) -> None:
    with running_service(tmp_path, stdout=subprocess.PIPE) as service:
        for stream in (service.process.stdout, service.process.stderr):
            assert stream is not None
            fill(stream.fileno())
        with service.client() as client:
            assert {client.get("/pets/1").status_code for _ in range(300)} == {404}
            assert add(client, "Rex").status_code == 201
        assert service.stop() == 0


@only_on_linux
def test_without_descriptors_for_connections_one_line_is_logged_and_it_recovers(
    service: RunningService, client: httpx.Client
) -> None:
    used = len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))
    with ExitStack() as held:
        with limited(service.process, resource.RLIMIT_NOFILE, used):
            for _ in range(200):
                held.enter_context(service.connection())
            reason = service.event()["reason"]
            assert reason.startswith("no connection can be accepted: too many open files")
        with service.client() as other:
            assert other.get("/pets").status_code == 200
        service.check_quiet_end()  # no second line within a minute


@only_on_linux
@pytest.mark.parametrize("has_written", [True, False], ids=["in work", "just started"])
def test_without_descriptors_reads_go_on_and_new_writers_get_503(
    tmp_path: Path, service: RunningService, client: httpx.Client, has_written: bool
) -> None:
    if has_written:
        assert add(client, "before").status_code == 201
    with limited(service.process, resource.RLIMIT_NOFILE, 3):
        response = add(client, "without")
        assert response.status_code == (201 if has_written else 503)
        assert client.get("/pets").status_code == 200
    assert add(client, "after").status_code == 201
    assert service.stop() == 0
    assert len(service.stderr_text().splitlines()) <= 2  # when it begins, and when it is over
    stored = {"before", "without"} if has_written else set()
    assert names_in(tmp_path) == stored | {"after"}


@only_on_linux
@pytest.mark.exhaustive
def test_without_memory_only_some_writes_fail_and_acknowledged_ones_are_stored(
    tmp_path: Path, service: RunningService, client: httpx.Client
) -> None:
    assert add(client, "before").status_code == 201
    pages = int(from_proc(service, "statm").split()[0])
    limit = pages * resource.getpagesize() + 8 * 1024 * 1024
    names = [f"{number} " + "x" * 1_400_000 for number in range(20)]

    def add_on_new_connection(name: str) -> int | None:
        try:
            with service.client() as other:
                return add(other, name).status_code
        except httpx.TransportError:
            return None

    with (
        limited(service.process, resource.RLIMIT_AS, limit),
        ThreadPoolExecutor(len(names)) as pool,
    ):
        statuses = list(pool.map(add_on_new_connection, names))
    assert set(statuses) - {201}, "there was not enough memory for all"
    assert set(statuses) <= {201, 503, 500, None}
    assert add(client, "after").status_code == 201
    assert client.get("/pets").status_code == 200
    assert service.stop() == 0
    events = [json.loads(line) for line in service.stderr_text().splitlines()]
    assert not any(event["reason"].startswith("Fatal") for event in events if "reason" in event)
    acknowledged = {name for name, status in zip(names, statuses, strict=True) if status == 201}
    assert names_in(tmp_path) >= acknowledged | {"before", "after"}


@pytest.mark.exhaustive
def test_aborted_handshakes_leave_no_memory_behind(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "tls")
    context = ssl.create_default_context(cafile=certificate)
    with running_service(tmp_path, tls_certificate=str(certificate), tls_key=str(key)) as service:

        def resident() -> int:
            return int(from_proc(service, "status").partition("VmRSS:")[2].split()[0])  # kB

        def abort(count: int) -> None:
            with ExitStack() as held:
                for _ in range(count):
                    connection = service.connection()
                    held.enter_context(connection).sendall(b"\x16\x03\x01\x02\x00\x01")
            with service.client(verify=context) as client:
                assert client.get("/pets").status_code == 200

        abort(50)
        before = resident()
        for _ in range(6):
            abort(50)
        assert resident() - before < 25_000
        service.check_quiet_end()
