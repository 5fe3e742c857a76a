"""``pettui backup`` and ``restore``, while a service writes to the store."""

from __future__ import annotations

import sqlite3
import stat
import tarfile
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.outbox import EntryState, entries_in, outbox_directory
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.cli.one_shot.conftest import json_lines
from tests.outbox.scripted import left_behind
from tests.service.running_service import running_service
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

DATA = (".local", "share", "pettui")
STATE = (".local", "state", "pettui")


@pytest.fixture
def shop(run_here: Run, home: Path) -> Path:
    """A home with a store, a key, a host key, and an animal that waits."""
    state = home.joinpath(*STATE)
    left_behind(outbox_directory(state, "local", "shop", "http://h.example/v1"))
    (state / "ssh-host-key").write_text("a host key")
    assert run_here("key", "add", "till-1").returncode == 0
    open_database(home.joinpath(*DATA, "store.sqlite3"), sample_pets(60)).close()
    return home


def test_what_is_restored_is_what_was_there(run_here: Run, shop: Path, tmp_path: Path) -> None:
    saved = run_here("backup", "copy.tar")
    copy = shop / "copy.tar"
    assert saved.stderr == f"notice: 60 animals are in {copy}, which was opened and checked\n"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    other = tmp_path / "other"
    other.mkdir()
    assert run_here("restore", str(copy), HOME=str(other)).returncode == 0
    assert len(json_lines(run_here("list", "--all", "--json", HOME=str(other)).stdout)) == 60
    assert run_here("key", "list", HOME=str(other)).stdout == run_here("key", "list").stdout
    state = other.joinpath(*STATE)
    assert (state / "ssh-host-key").read_text() == "a host key"
    directory = outbox_directory(state, "local", "shop", "http://h.example/v1")
    # It may have been sent since.
    (entry,) = entries_in(directory)
    assert (entry.name, entry.state) == ("Rex", EntryState.UNKNOWN)
    files = [path for path in other.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert not [*other.rglob(".pettui-*"), *shop.rglob(".pettui-*")]


def test_a_backup_is_taken_while_a_service_adds_animals(run_here: Run, tmp_path: Path) -> None:
    with running_service(tmp_path, samples=60) as service:
        database = str(tmp_path / "pets.db")
        added: list[int] = []
        begun, goes_on = threading.Event(), threading.Event()
        goes_on.set()

        def add() -> None:
            with httpx.Client(base_url=service.base_url, headers=service.authorization) as client:
                while goes_on.is_set():
                    pet = client.post("/pets", json={"name": "Rex", "categoryId": 3}).json()
                    added.append(pet["id"])
                    begun.set()

        adding = threading.Thread(target=add)
        adding.start()
        begun.wait()
        saved = run_here("backup", "copy.tar", "--database", database)
        goes_on.clear()
        adding.join()
    assert saved.returncode == 0, saved.stderr
    with tarfile.open(tmp_path / "home" / "copy.tar") as archive:
        archive.extract("store.sqlite3", tmp_path / "there", filter="data")
    with closing(sqlite3.connect(tmp_path / "there" / "store.sqlite3")) as copy:
        (count, newest) = copy.execute("SELECT count(*), max(id) FROM pets").fetchone()
    assert 60 <= count == newest <= added[-1]


def test_nothing_that_is_there_is_replaced(run_here: Run, shop: Path) -> None:
    run_here("backup", "copy.tar")
    again = run_here("backup", "copy.tar")
    assert again.stderr == f"pettui: backup: {shop / 'copy.tar'} already exists\n"
    assert run_here("backup", "copy.tar", "--force").returncode == 0
    restored = run_here("restore", "copy.tar")
    assert (restored.returncode, restored.stderr.count("\n")) == (2, 1)
    assert restored.stderr.endswith("is there; move it away first\n")


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_backup_is_not_restored(
    run_here: Run, shop: Path, tmp_path: Path, damage: str
) -> None:
    run_here("backup", "copy.tar")
    copy = shop / "copy.tar"
    content = bytearray(copy.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    else:
        at = content.index(b"SQLite format 3\0")
        content[at + 4096 : at + 8192] = b"\xff" * 4096
    copy.write_bytes(content)
    other = tmp_path / "other"
    restored = run_here("restore", str(copy), HOME=str(other))
    assert (restored.returncode, restored.stderr.count("\n")) == (2, 1)
    assert not [path for path in other.rglob("*") if path.is_file()]


def test_a_file_from_elsewhere_cannot_name_another_place(run_here: Run, tmp_path: Path) -> None:
    evil = tmp_path / "evil.tar"
    (tmp_path / "x").write_text("x")
    with tarfile.open(evil, "w") as archive:
        archive.add(tmp_path / "x", "state/../../../escaped")
    restored = run_here("restore", str(evil))
    assert restored.returncode == 2
    assert "the backup is damaged" in restored.stderr
    assert not [*tmp_path.rglob("escaped")]


def test_there_is_no_backup_of_nothing(run_here: Run, home: Path) -> None:
    """Such as by root, whose pettui has no store, instead of by the user of the service."""
    saved = run_here("backup", "copy.tar")
    assert saved.returncode == 2
    assert saved.stderr.startswith("pettui: backup: there is no store, ")
    assert saved.stderr.endswith("; run it as the user of the service\n")
    assert not (home / "copy.tar").exists()


@as_root
def test_a_full_disk_is_named_as_the_reason(run_here: Run, shop: Path) -> None:
    with mounted("size=64k") as disk, full_disk(disk):
        saved = run_here("backup", str(disk / "copy.tar"))
    assert (saved.returncode, saved.stderr) == (2, "pettui: backup: the disk is full\n")
