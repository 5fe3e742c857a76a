"""A database's file: opened or refused unchanged, and removed or replaced under its store."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import (
    APPLICATION_ID,
    INSERT,
    MIGRATIONS,
    check_database,
    open_database,
)
from pettui.service.stores.store import NotStoredError, StoreError, StoreUnavailableError, new_row
from tests.animals import a_new_pet
from tests.exhaustive import product
from tests.small_disks import as_root, full_disk, mounted, no_inodes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A closed database with sixty animals."""
    path = tmp_path / "pets.db"
    open_database(path, sample_pets()).close()
    return path


def refused(path: Path, rule: str) -> None:
    """Check that a file is refused in one line that names it, and is unchanged."""
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    for use in (open_database, check_database):
        with pytest.raises(StoreError, match=rule) as refusal:
            use(path)
        assert str(path) in str(refusal.value)
        assert "\n" not in str(refusal.value)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


def modes_in(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.rglob("*")}


async def test_only_the_owner_can_read_the_file_and_those_beside_it(tmp_path: Path) -> None:
    old_mask = os.umask(0)
    try:
        store = SqliteStore.open(tmp_path / "a" / "b" / "pets.db", sample_pets())
        await store.create_pet(a_new_pet())
    finally:
        os.umask(old_mask)
    files = {"pets.db": 0o600, "pets.db-wal": 0o600, "pets.db-shm": 0o600}
    assert modes_in(tmp_path) == {"a": 0o700, "b": 0o700, **files}
    await store.close()


@as_root
@pytest.mark.parametrize("want", [no_inodes, full_disk])
async def test_on_a_full_disk_a_store_is_read_and_it_takes_animals_when_there_is_room(
    want: Callable[[Path], AbstractContextManager[None]],
) -> None:
    with mounted("size=1m,nr_inodes=12") as directory:
        path = directory / "pets.db"
        await SqliteStore.open(path, sample_pets(5)).close()
        with want(directory):
            store = SqliteStore.open(path)
            with pytest.raises(NotStoredError):
                await store.create_pet(a_new_pet())
            assert len((await store.list_pets(100)).pets) == 5
        assert (await store.create_pet(a_new_pet())).id == 6
        assert [pet.id for pet in (await store.list_pets(100)).pets] == [6, 5, 4, 3, 2, 1]
        await store.close()


@as_root
@pytest.mark.parametrize("want", [no_inodes, full_disk])
def test_on_a_full_disk_a_new_store_leaves_no_file(
    want: Callable[[Path], AbstractContextManager[None]],
) -> None:
    with mounted("size=1m,nr_inodes=12") as directory, want(directory):
        with pytest.raises(StoreError, match=r"make room|the disk is full"):
            open_database(directory / "pets.db", sample_pets())
        assert not list(directory.glob("pets.db*"))


SPOILING: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "text": (lambda _: b"hello" * 100, "is not a SQLite database; name another file"),
    "its header alone": (lambda data: data[:100], "is damaged"),
    "all but its last byte": (lambda data: data[:-1], "is damaged"),
    "a damaged first page": (lambda data: data[:100] + b"\xa5" * 3996 + data[4096:], "is damaged"),
    "a damaged page": (lambda data: data[:4096] + b"\xa5" * 4096 + data[8192:], "is damaged"),
}


@pytest.mark.parametrize(("spoiled", "rule"), SPOILING.values(), ids=SPOILING)
def test_a_file_that_is_no_whole_database_is_refused(
    database: Path, spoiled: Callable[[bytes], bytes], rule: str
) -> None:
    database.write_bytes(spoiled(database.read_bytes()))
    refused(database, rule)


def test_a_file_whose_end_is_only_in_the_log_is_opened(database: Path, tmp_path: Path) -> None:
    running = open_database(database)
    running.execute("PRAGMA wal_autocheckpoint = 0")
    running.executemany(INSERT, map(new_row, sample_pets(500)))
    pages = running.execute("PRAGMA page_count").fetchone()[0]
    copy = tmp_path / "copy.db"
    shutil.copy(f"{database}-wal", f"{copy}-wal")
    header = bytearray(database.read_bytes())
    header[28:32] = pages.to_bytes(4)  # a checkpoint that wrote the first page, and was killed
    copy.write_bytes(header)
    running.close()
    with closing(open_database(copy)) as opened:
        assert opened.execute("SELECT count(*) FROM pets").fetchone() == (560,)


@pytest.mark.parametrize(("journal", "application"), [("delete", 0), ("wal", 12345)])
def test_another_programs_database_is_refused(
    tmp_path: Path, journal: str, application: int
) -> None:
    path = tmp_path / "pets.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute("CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)")
        connection.commit()
    refused(path, "another program's")


def test_a_newer_schema_that_is_only_in_the_log_is_refused(database: Path) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match=f"has schema {len(MIGRATIONS) + 1}"):
        open_database(database)
    connection.close()


@pytest.mark.parametrize("permissions", [0o444, 0o000])
def test_a_read_only_file_is_refused_even_for_the_superuser(
    database: Path, permissions: int
) -> None:
    database.chmod(permissions)
    with pytest.raises(StoreError, match="can't be written; make the file and its directory"):
        open_database(database)
    assert modes_in(database.parent) == {"pets.db": permissions}


def test_a_directory_and_one_that_cannot_be_created_are_refused(database: Path) -> None:
    with pytest.raises(StoreError, match="is not a file"):
        open_database(database.parent)
    with pytest.raises(
        StoreError, match="can't be used: part of its path is not a directory; name another file"
    ):
        open_database(database / "pets.db")


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_another_program_locks_is_refused(database: Path, lock: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(f"BEGIN {lock}")
        with pytest.raises(StoreError, match="is locked by another program"):
            open_database(database, wait=0.05)
    open_database(database, wait=0.05).close()


@pytest.fixture(params=[1, 2])
def older(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A database with an animal, as an older pettui left it."""
    path = tmp_path / "pets.db"
    with closing(sqlite3.connect(path)) as connection:
        for migration in MIGRATIONS[: request.param]:
            connection.execute(migration)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {request.param}")
        connection.execute("INSERT INTO pets (name, category_id) VALUES (x'526578', 3)")
        connection.commit()
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def test_an_older_schema_is_brought_up_to_date_with_its_animals(older: Path) -> None:
    with closing(open_database(older, sample_pets())) as opened:
        assert opened.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert opened.execute("SELECT name, category_id FROM pets").fetchall() == [(b"Rex", 3)]
        assert opened.execute("SELECT name FROM pragma_index_list('pets')").fetchall()


def test_an_older_schema_stays_as_it_is_while_anybody_else_has_the_file_open(older: Path) -> None:
    """An older pettui would add animals to it without their keys."""
    with closing(sqlite3.connect(older, isolation_level=None)) as running:
        assert running.execute("SELECT count(*) FROM pets").fetchone() == (1,)
        with pytest.raises(StoreError, match=r"older schema \d, and is open elsewhere: end "):
            open_database(older, wait=0.05)
        check_database(older)
        running.execute("INSERT INTO pets (name, category_id) VALUES (x'526578', 3)")
    with closing(open_database(older)) as opened:
        assert opened.execute("SELECT count(*) FROM pets").fetchone() == (2,)


@as_root
async def test_on_a_full_disk_an_older_schema_is_read_and_brought_up_to_date_when_there_is_room(
    older: Path,
) -> None:
    with mounted("size=1m,nr_inodes=12") as directory:
        path = directory / "pets.db"
        shutil.copy(older, path)
        with full_disk(directory):
            store = SqliteStore.open(path)
            assert (len((await store.list_pets(9)).pets), store.store_id) == (1, None)
            with pytest.raises(StoreUnavailableError, match="does not fit on the disk"):
                await store.find_added(b"key")
            with pytest.raises(NotStoredError):
                await store.create_pet(a_new_pet(), b"key")
        assert await store.find_added(b"key") is None
        assert store.store_id
        assert (await store.create_pet(a_new_pet(), b"key")).id == 2
        await store.close()


def test_who_opens_a_new_file_at_the_same_time_as_others_fills_it_once(tmp_path: Path) -> None:
    barrier = Barrier(4)

    def open_at_once(_: int) -> int:
        barrier.wait()
        with closing(open_database(tmp_path / "pets.db", sample_pets(60))) as connection:
            [count] = connection.execute("SELECT count(*) FROM pets").fetchone()
        return int(count)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(open_at_once, range(4))) == [60] * 4


def test_a_file_that_was_emptied_is_refused_and_its_log_is_unchanged(tmp_path: Path) -> None:
    running = open_database(tmp_path / "pets.db", sample_pets(5))
    log = tmp_path / "pets.db-wal"
    running.execute("DELETE FROM pets WHERE id = 1")
    content = log.read_bytes()
    assert content
    shutil.copy(log, tmp_path / "emptied.db-wal")
    (tmp_path / "emptied.db").touch()
    running.close()
    with pytest.raises(StoreError, match=r"emptied\.db is damaged, it was emptied"):
        open_database(tmp_path / "emptied.db")
    assert (tmp_path / "emptied.db-wal").read_bytes() == content


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "pets.db", sample_pets(3))
    yield store
    await store.close()


def listed(directory: Path) -> list[Path]:
    return sorted(directory.glob("*"))


WAYS: dict[str, Callable[[Path], object]] = {
    "moved away": lambda path: path.rename(path.with_name("elsewhere")),
    "with its directory": lambda path: path.parent.rename(f"{path.parent}-elsewhere"),
    "replaced by a copy": lambda path: Path(shutil.copy(path, f"{path}-copy")).replace(path),
    "emptied": lambda path: os.truncate(path, 0),
}


@pytest.mark.parametrize(("way", "has_written"), product([*WAYS], [True, False]))
async def test_a_database_that_is_gone_is_unavailable(
    tmp_path: Path, store: SqliteStore, way: str, has_written: bool
) -> None:
    if has_written:
        await store.create_pet(a_new_pet("before"))
    WAYS[way](tmp_path / "pets.db")
    names = listed(tmp_path)
    with pytest.raises(StoreUnavailableError, match=r"pets\.db was removed or replaced"):
        await store.create_pet(a_new_pet("lost"))
    with pytest.raises(StoreUnavailableError, match="put it back, or restart"):
        await store.list_pets(20)
    with pytest.raises(StoreUnavailableError):
        await store.get_pet(1)
    assert listed(tmp_path) == names, "it is not created again"


async def test_a_database_that_is_put_back_is_used_again(
    tmp_path: Path, store: SqliteStore
) -> None:
    path = tmp_path / "pets.db"
    await store.create_pet(a_new_pet("before"))
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(StoreUnavailableError):
        await store.create_pet(a_new_pet("lost"))
    (tmp_path / "elsewhere").rename(path)
    after = await store.create_pet(a_new_pet("after"))
    assert [pet.name for pet in (await store.list_pets(2)).pets] == ["after", "before"]
    assert after.id == 5


@pytest.mark.parametrize("end", ["-wal", "-shm"])
async def test_nothing_is_written_to_a_missing_log(
    tmp_path: Path, store: SqliteStore, end: str
) -> None:
    await store.create_pet(a_new_pet("before"))
    (tmp_path / f"pets.db{end}").unlink()
    with pytest.raises(StoreUnavailableError, match=f"pets.db{end} was removed"):
        await store.create_pet(a_new_pet("lost"))
    await store.close()
    again = SqliteStore.open(tmp_path / "pets.db")
    assert [pet.name for pet in (await again.list_pets(1)).pets] == ["before"]
    await again.close()
