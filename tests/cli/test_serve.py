"""``pettui serve``, the installed program."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.cli.commands.conftest import json_lines
from tests.cli.conftest import PROGRAM
from tests.conftest import unmeasured
from tests.peers.ssh_server import wait_until
from tests.peers.terminal import Terminal
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Protocol

    from tests.cli.conftest import Refused, Run

    class Serve(Protocol):
        def __call__(self, *words: str, **more: str) -> AbstractContextManager[Service]: ...


KEY = "till-0-0123456789"


class Service:
    """A running ``pettui serve``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.said = ""
        while (found := re.search(r"serving (http://\S+/v1)", self.said)) is None:
            line = process.stderr.readline() if process.stderr else ""
            assert line, f"ended before it served: {self.said}"
            self.said += line
        self.address = found[1]

    def pets(self, key: str) -> httpx.Response:
        """Request all animals."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.get(f"{self.address}/pets?limit=100", headers=headers, trust_env=False)


@pytest.fixture
def serve(environment: Mapping[str, str], home: Path) -> Serve:
    """Run ``pettui serve`` on a free port, and end it by SIGTERM."""

    @contextmanager
    def serve(*words: str, **more: str) -> Iterator[Service]:
        process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", *words],
            env={**environment, **more},
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                service = Service(process)
                yield service
                process.send_signal(signal.SIGTERM)
                assert process.wait(PATIENCE) == 0
                service.said += process.stderr.read() if process.stderr else ""
            finally:
                process.kill()

    return serve


def test_without_keys_it_makes_one_on_a_terminal_until_there_is_one_in_the_file(
    environment: Mapping[str, str], run_here: Run
) -> None:
    with closing(Terminal([PROGRAM, "serve", "--port", "0"], environment)) as terminal:
        terminal.wait_for("it ends with the first: pettui key add NAME")
        said = terminal.written.decode()
        address = re.search(r"serving (\S+)", said)
        key = re.search(r"the key of this run is (\S+)", said)
        assert address is not None
        assert key is not None

        def status() -> int:
            headers = {"Authorization": f"Bearer {key[1]}"}
            return httpx.get(f"{address[1]}/pets", headers=headers, trust_env=False).status_code

        assert status() == 200
        assert run_here("key", "add", "till-1").returncode == 0
        assert run_here("key", "remove", "till-1").returncode == 0
        assert status() == 401


def test_without_keys_and_without_a_terminal_it_says_what_to_run(
    refused: Refused, home: Path
) -> None:
    assert refused("serve", "--port", "0") == (
        f"serve: there is no API key in {home}/.local/share/pettui/service-keys;"
        " if service-keys had keys before, put it back, else run: pettui key add NAME"
    )
    assert not list(home.rglob("*.sqlite3"))


def test_a_key_that_is_added_while_it_runs_opens_the_store_of_pettui(
    serve: Serve, run_here: Run, home: Path
) -> None:
    with serve(PETTUI_SERVICE_KEYS=f"{KEY}, second-0123456789,") as service:
        assert [service.pets(key).status_code for key in (KEY, "second-0123456789")] == [200, 200]
        keys = [run_here("key", "add", name).stdout.strip() for name in ("till-1", "till-2")]
        assert [service.pets(key).json() for key in keys] == [[], []]
        assert run_here("key", "remove", "till-1").returncode == 0
        assert service.pets(keys[0]).status_code == 401
    assert KEY not in service.said
    [listed] = json_lines(run_here("key", "list", "--json").stdout)  # once it has ended
    assert listed["last_used"] is not None
    assert (home / ".local/share/pettui/store.sqlite3").exists()


def test_it_says_that_the_named_database_is_new_and_gives_samples_only_to_an_empty_one(
    serve: Serve, tmp_path: Path
) -> None:
    database = tmp_path / "shop.sqlite3"
    words = ("--database", str(database))
    with serve(*words, "--samples", "7", PETTUI_SERVICE_KEYS=KEY) as first:
        assert len(first.pets(KEY).json()) == 7
    assert f'"the store {database} is new"' in first.said
    with serve("--samples", "50", PETTUI_SERVICE_KEYS=KEY, PETTUI_DATABASE=str(database)) as again:
        assert len(again.pets(KEY).json()) == 7
    assert "is new" not in again.said


def test_the_directory_of_a_named_database_is_not_made(refused: Refused, tmp_path: Path) -> None:
    missing = tmp_path / "disk" / "pets.db"
    reason = f"its directory {missing.parent} does not exist; make it, or mount its disk"
    words = ("serve", "--port", "0")
    line = refused(*words, "--database", str(missing), PETTUI_SERVICE_KEYS=KEY)
    assert line == f"--database: {reason}"
    line = refused(*words, PETTUI_DATABASE=str(missing), PETTUI_SERVICE_KEYS=KEY)
    assert line == f"PETTUI_DATABASE: {reason}"
    assert not missing.parent.exists()


def test_a_database_in_memory_is_no_file(serve: Serve, home: Path) -> None:
    words = ("--database", ":memory:", "--samples", "3")
    with serve(*words, PETTUI_SERVICE_KEYS=KEY) as service:
        assert len(service.pets(KEY).json()) == 3
    assert '"the store is in memory; nothing is kept"' in service.said
    assert not list(home.rglob("*memory*"))


@pytest.mark.parametrize("keys", [",", "good,bad\x1bkey", f"{KEY},x", "fifteen-letters"])
def test_malformed_keys_are_refused_without_being_shown(refused: Refused, keys: str) -> None:
    line = refused("serve", "--port", "0", PETTUI_SERVICE_KEYS=keys)
    assert line.startswith("PETTUI_SERVICE_KEYS: ")
    assert "good" not in line
    assert KEY not in line


PASSWORD = "hunter2-secret"
ADDRESSES = [
    f"host=db user=clerk password={PASSWORD}",
    f"postgres+asyncpg://clerk:{PASSWORD}@db/shop",
    "sqlite:///shop.db",
    f"postgresql://clerk:x/{PASSWORD}@db/shop",
]


@pytest.mark.parametrize("database", ADDRESSES)
def test_an_address_of_another_kind_is_not_a_path(
    refused: Refused, home: Path, database: str
) -> None:
    line = refused("serve", "--port", "0", "--database", database, PETTUI_SERVICE_KEYS=KEY)
    assert "postgresql://" in line
    assert PASSWORD not in line
    assert not list(home.rglob("*shop*")) + list(home.rglob("*clerk*"))


@pytest.mark.parametrize(
    ("numbers", "expected"), [([signal.SIGHUP, signal.SIGTERM], 0), ([signal.SIGINT], 130)]
)
def test_a_signal_while_it_starts_ends_it_cleanly_or_not_at_all(
    environment: Mapping[str, str], tmp_path: Path, numbers: list[int], expected: int
) -> None:
    database, journal = tmp_path / "shop.sqlite3", tmp_path / "shop.sqlite3-journal"
    words = ("serve", "--port", "0", "--samples", "100000000", "--database", str(database))
    # Not measured: coverage keeps a lock for good when a signal's handler raises in its midst.
    starting = subprocess.Popen(
        [PROGRAM, *words],
        env={**unmeasured(environment), "PETTUI_SERVICE_KEYS": KEY},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(journal.exists, "samples on their way")
        for number in numbers:
            starting.send_signal(number)
        assert starting.communicate(timeout=60) == (None, b"")
        assert starting.returncode == expected
        assert not journal.exists()
    finally:
        starting.kill()
        starting.communicate()


@pytest.mark.parametrize("server", ["serve", "ssh"])
def test_a_check_of_what_can_serve_says_nothing_and_makes_no_file(
    run_here: Run, home: Path, server: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:  # by the server itself, perhaps
        port = str(taken.getsockname()[1])
        ended = run_here(server, "--check", "--port", port, PETTUI_SERVICE_KEYS=KEY)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert not [*home.rglob("*.sqlite3"), *home.rglob("ssh-host-key")]


@pytest.mark.parametrize(
    "line",
    [
        "serve --print",
        "serve --tls-cert none.pem",
        "serve --host 192.0.2.1 --insecure",
        "serve --host 0.0.0.0",
        "serve --port {free} --metrics 127.0.0.1:{free}",
        "serve --database mysql://x",
        "serve --keys no/such/directory/keys",
        "serve --trusted-proxies shop",
    ],
)
def test_a_check_ends_as_the_start_does(run_here: Run, line: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name, *options = line.format(free=port).split()
    started = run_here(name, *options, PETTUI_SERVICE_KEYS=KEY)
    checked = run_here(name, "--check", *options, PETTUI_SERVICE_KEYS=KEY)
    assert (started.returncode, checked.returncode) == (2, 2)
    assert checked.stderr.splitlines()[0] == started.stderr.rstrip()


def test_all_that_is_wrong_is_said_at_once(run_here: Run, tmp_path: Path) -> None:
    database, certificate = tmp_path / "other.db", tmp_path / "cert.pem"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    ended = run_here(
        *("serve", "--check", "--host", "192.0.2.1", "--trusted-proxies", "a proxy"),
        *("--database", str(database), "--tls-cert", str(certificate)),
    )
    assert ended.returncode == 2
    said = ended.stderr.splitlines()
    named = [line.split(":")[1].strip() for line in said]
    assert named == ["--trusted-proxies 'a proxy'", *["serve"] * 4]
    assert "there is no API key" in said[1]
    assert "cannot listen on 192.0.2.1:8080" in said[2]
    assert str(certificate) in said[3]
    assert "is another program's" in said[4]


def expired_and_expiring(run_here: Run, path: Path) -> str:
    """Make a file with a key that has expired and one that soon will; return the latter's end."""
    soon = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    for name in ("old", "young"):
        run_here("key", "add", name, f"--keys={path}", f"--expires={soon}")
    old, young = path.read_text().splitlines()
    path.write_text(f"{old.replace(soon, '2026-01-31')}\n{young}\n")
    return soon


def test_keys_that_have_expired_or_will_soon_are_named_before_anybody_is_refused(
    run_here: Run, serve: Serve, home: Path
) -> None:
    keys = home / ".local/share/pettui/service-keys"
    keys.parent.mkdir(parents=True, mode=0o700)
    soon = expired_and_expiring(run_here, keys)
    has_expired = "key old expired on 2026-01-31; requests with it are refused"
    will_expire = f"key young expires on {soon}; pettui key add young --replace --expires DATE"
    checked = run_here("serve", "--check", "--database", ":memory:")
    assert checked.returncode == 0
    assert [line[: len(will_expire) + 8] for line in checked.stderr.splitlines()] == [
        f"pettui: {has_expired}", f"pettui: {will_expire}",
    ]  # fmt: skip
    found = run_here("doctor").stdout
    assert has_expired in found
    assert will_expire in found
    _, old, young = run_here("key", "list").stdout.splitlines()
    assert old.endswith("\t2026-01-31\t0\t")
    assert young.endswith(f"\t{soon}\t3\t")
    listed = json_lines(run_here("key", "list", "--json").stdout)
    assert [key["expired"] for key in listed] == [True, False]
    with serve("--database", ":memory:") as service:
        pass
    assert has_expired in service.said
    assert will_expire in service.said


def test_the_tables_of_a_store_are_made_or_their_sql_is_printed(
    run_here: Run, refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "shop.db"
    assert run_here("serve", "--init", "--database", str(path)).returncode == 0
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM pets").fetchone() == (0,)
    printed = run_here("serve", "--init", "--print", "--database", "postgresql://nowhere/shop")
    assert printed.returncode == 0
    assert printed.stdout.startswith("BEGIN;\nCREATE TABLE IF NOT EXISTS pettui_schema (")
    assert "CREATE TABLE pets (" in printed.stdout
    assert "-- GRANT INSERT ON pets" in printed.stdout
    line = refused("serve", "--init", "--print", "--database", str(path))
    assert line.startswith("--print: is for a store in PostgreSQL")
    assert refused("serve", "--print") == "--print: needs --init"


def test_a_check_says_that_a_database_is_awaited_and_finds_nothing_wrong(run_here: Run) -> None:
    database = "postgresql://nobody@127.0.0.1:9/shop"
    ended = run_here(
        "serve", "--check", "--port=0", "--database", database, PETTUI_SERVICE_KEYS=KEY
    )
    assert ended.returncode == 0
    assert "pettui serve waits for it" in ended.stderr
