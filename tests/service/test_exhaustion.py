"""Disk, descriptors and memory run out under a service: told, nothing lost, and well afterwards."""

import re
import resource
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.service.running_service import running_service
from tests.small_disks import as_root, full_disk, mounted, no_inodes

pytestmark = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="limits of another process are Linux's alone"
)


@contextmanager
def limited(process, what, most):
    """Let a running process have no more than this."""
    usual = resource.prlimit(process.pid, what, (most, resource.getrlimit(what)[1]))
    try:
        yield
    finally:
        resource.prlimit(process.pid, what, usual)


def virtual_memory(process):
    """Return the bytes of address space that a process has."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


@pytest.fixture
def service(tmp_path):
    with running_service(tmp_path) as service:
        yield service


@pytest.fixture
def client(service):
    with httpx.Client(
        base_url=service.base_url, headers=service.authorization, timeout=60
    ) as client:
        assert client.get("/pets").status_code == 200  # it has its connection by now
        yield client


def add(client, name):
    return client.post("/pets", json={"name": name, "categoryId": 1})


def names_in(directory):
    with closing(sqlite3.connect(directory / "pets.db")) as connection:
        return {name.decode() for (name,) in connection.execute("SELECT name FROM pets")}


def ended_well(service, most_lines=1000):
    assert service.stop() == 0
    complaints = service.stderr_text().splitlines()
    assert all(line.startswith("pettui: ") for line in complaints), complaints
    assert len(complaints) <= most_lines


def test_a_full_disk_is_a_line_and_all_is_well_when_there_is_room_again(tmp_path, service, client):
    assert add(client, "before").status_code == 201
    size = max(path.stat().st_size for path in tmp_path.glob("pets.db*"))
    answers = {}
    # The access log is not to be cut short: it is much smaller.
    with limited(service.process, resource.RLIMIT_FSIZE, size + 100):
        for number in range(4):
            answers[f"full {number}"] = add(client, f"full {number}" + "x" * 5000)
        assert client.get("/pets").status_code == 200
    statuses = {answer.status_code for answer in answers.values()}
    assert statuses == {503}
    assert all(answer.headers["retry-after"] == "1" for answer in answers.values())
    assert add(client, "after").status_code == 201
    ended_well(service, most_lines=len(answers))
    assert names_in(tmp_path) == {"before", "after"}


@pytest.mark.parametrize("has_written", [True, False], ids=["in work", "just started"])
def test_where_no_descriptor_is_left_reads_go_on_and_writes_are_told(
    tmp_path, service, client, has_written
):
    if has_written:
        assert add(client, "before").status_code == 201
    with limited(service.process, resource.RLIMIT_NOFILE, 3):
        answer = add(client, "without")
        assert answer.status_code == (201 if has_written else 503)
        assert client.get("/pets").status_code == 200
    assert add(client, "after").status_code == 201
    ended_well(service, most_lines=1)
    kept = {"before", "without"} if has_written else set()
    assert names_in(tmp_path) == kept | {"after"}


def test_where_no_memory_is_left_a_write_fails_alone_and_what_was_acknowledged_is_there(
    tmp_path, service, client
):
    assert add(client, "before").status_code == 201
    limit = virtual_memory(service.process) + 8 * 1024 * 1024
    names = [f"{number} " + "x" * 1_400_000 for number in range(20)]

    def add_on_its_own(name):
        try:
            with httpx.Client(
                base_url=service.base_url, headers=service.authorization, timeout=60
            ) as own:
                return add(own, name).status_code
        except httpx.TransportError:
            return None

    with (
        limited(service.process, resource.RLIMIT_AS, limit),
        ThreadPoolExecutor(len(names)) as pool,
    ):
        statuses = list(pool.map(add_on_its_own, names))
    assert set(statuses) - {201}, "there was not memory enough for all"
    assert set(statuses) <= {201, 503, 500, None}
    assert add(client, "after").status_code == 201
    assert client.get("/pets").status_code == 200
    assert service.stop() == 0
    assert not re.search("(?m)^pettui: Fatal", service.stderr_text()), "a traceback a connection"
    acknowledged = {name for name, status in zip(names, statuses, strict=True) if status == 201}
    assert names_in(tmp_path) >= acknowledged | {"before", "after"}


@as_root
@pytest.mark.parametrize("want", [no_inodes, full_disk])
@pytest.mark.parametrize("has_written", [True, False], ids=["in work", "just started"])
def test_on_a_disk_without_room_nothing_is_acknowledged_that_is_not_kept(want, has_written):
    kept = []
    with (
        mounted("size=1m,nr_inodes=12,mode=700") as directory,
        running_service(directory) as service,
    ):
        with httpx.Client(
            base_url=service.base_url, headers=service.authorization, timeout=60
        ) as client:
            if has_written:
                assert add(client, "before").status_code == 201
                kept.append("before")
            with want(directory):
                for number in range(20):
                    name = f"{number} " + "x" * 20_000
                    status = add(client, name).status_code
                    assert status in (201, 503)
                    kept += [name] * (status == 201)
                assert client.get("/pets").status_code == 200
            assert add(client, "after").status_code == 201
        ended_well(service)
        assert names_in(directory) == {*kept, "after"}
