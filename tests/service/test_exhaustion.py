"""A service without disk space, descriptors or memory: nothing is lost, and it recovers."""

from __future__ import annotations

import json
import resource
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.service.running_service import running_service
from tests.small_disks import as_root, full_disk, mounted, no_inodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from subprocess import Popen

    from tests.service.running_service import RunningService


pytestmark = pytest.mark.skipif(
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


def virtual_memory(process: Popen[str]) -> int:
    """Return the size of a process's address space, in bytes."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as service:
        yield service


@pytest.fixture
def client(service: RunningService) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=service.base_url, headers=service.authorization, timeout=60
    ) as client:
        assert client.get("/pets").status_code == 200  # so that it is connected
        yield client


def add(client: httpx.Client, name: str) -> httpx.Response:
    return client.post("/pets", json={"name": name, "categoryId": 1})


def names_in(directory: Path) -> set[str]:
    with closing(sqlite3.connect(directory / "pets.db")) as connection:
        return {name.decode() for (name,) in connection.execute("SELECT name FROM pets")}


def check_ended_well(service: RunningService, most_lines: int = 1000) -> None:
    assert service.stop() == 0
    lines = service.stderr_text().splitlines()
    assert all(json.loads(line)["time"] for line in lines), lines
    assert len(lines) <= most_lines


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
    check_ended_well(service, most_lines=2)  # when it begins, and when it is over
    stored = {"before", "without"} if has_written else set()
    assert names_in(tmp_path) == stored | {"after"}


@pytest.mark.exhaustive
def test_without_memory_only_some_writes_fail_and_acknowledged_ones_are_stored(
    tmp_path: Path, service: RunningService, client: httpx.Client
) -> None:
    assert add(client, "before").status_code == 201
    limit = virtual_memory(service.process) + 8 * 1024 * 1024
    names = [f"{number} " + "x" * 1_400_000 for number in range(20)]

    def add_on_new_connection(name: str) -> int | None:
        try:
            with httpx.Client(
                base_url=service.base_url, headers=service.authorization, timeout=60
            ) as other:
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


@as_root
@pytest.mark.parametrize(("want", "has_written"), [(no_inodes, False), (full_disk, True)])
def test_on_a_disk_without_space_only_what_is_stored_is_acknowledged(
    want: Callable[[Path], AbstractContextManager[None]], has_written: bool
) -> None:
    stored: list[str] = []
    with (
        mounted("size=1m,nr_inodes=12,mode=700") as directory,
        running_service(directory) as service,
    ):
        with httpx.Client(
            base_url=service.base_url, headers=service.authorization, timeout=60
        ) as client:
            if has_written:
                assert add(client, "before").status_code == 201
                stored.append("before")
            with want(directory):
                for number in range(20):
                    name = f"{number} " + "x" * 20_000
                    status = add(client, name).status_code
                    assert status in (201, 503)
                    stored += [name] * (status == 201)
                assert client.get("/pets").status_code == 200
            assert add(client, "after").status_code == 201
        check_ended_well(service)
        assert names_in(directory) == {*stored, "after"}
