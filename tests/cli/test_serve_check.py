"""``pettui serve --check``: all that would keep it from serving, without serving."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from pettui.service.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

KEY = "till-0-0123456789"


def test_what_can_serve_says_nothing_and_makes_no_file(run_here: Run, home: Path) -> None:
    finished = run_here("serve", "--check", PETTUI_SERVICE_KEYS=KEY)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    assert not list(home.rglob("*.sqlite3"))


def test_a_port_in_use_is_nothing_wrong_since_the_service_itself_may_use_it(run_here: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        finished = run_here("serve", "--check", "--port", port, PETTUI_SERVICE_KEYS=KEY)
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_store_that_serves_can_be_checked(run_here: Run, tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    store = SqliteStore.open(path)
    finished = run_here("serve", "--check", "--database", str(path), PETTUI_SERVICE_KEYS=KEY)
    asyncio.run(store.close())
    assert (finished.returncode, finished.stderr) == (0, "")


def test_all_that_is_wrong_is_said_at_once(run_here: Run, tmp_path: Path) -> None:
    database, certificate = tmp_path / "other.db", tmp_path / "cert.pem"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    finished = run_here(
        *("serve", "--check", "--host", "192.0.2.1", "--trusted-proxies", "a proxy"),
        *("--database", str(database), "--tls-cert", str(certificate)),
    )
    assert finished.returncode == 2
    said = finished.stderr.splitlines()
    assert [line.split(":")[1].strip() for line in said] == [
        "--trusted-proxies 'a proxy'", *["serve"] * 4,
    ]  # fmt: skip
    assert "there is no API key" in said[1]
    assert "cannot listen on 192.0.2.1:8080" in said[2]
    assert str(certificate) in said[3]
    assert "is another program's" in said[4]


def test_clear_text_for_others_is_wrong(run_here: Run) -> None:
    finished = run_here("serve", "--check", "--host", "0.0.0.0", PETTUI_SERVICE_KEYS=KEY)
    assert finished.returncode == 2
    assert "plain HTTP would show the keys" in finished.stderr


def test_a_missing_database_where_none_can_be_made_is_wrong(run_here: Run, tmp_path: Path) -> None:
    parent = tmp_path / "file"
    parent.touch()
    finished = run_here("serve", "--check", XDG_DATA_HOME=str(parent), PETTUI_SERVICE_KEYS=KEY)
    assert finished.returncode == 2
    assert "can't be opened" in finished.stderr
