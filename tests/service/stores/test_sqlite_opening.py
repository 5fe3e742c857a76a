"""Opening a file: refused ones, which stay unchanged, and accepted ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import APPLICATION_ID, INSERT, MIGRATIONS, open_database
from pettui.service.stores.store import NotStoredError, StoreError, new_row
from tests.small_disks import as_root, full_disk, mounted, no_inodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from pettui.models import NewPet
    from tests.service.conftest import NewPetOf


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A closed database with sixty animals."""
    path = tmp_path / "pets.db"
    open_database(path, sample_pets()).close()
    return path


def refused(path: Path, rule: str) -> None:
    """Check that a file is refused in one line that names it, and is unchanged."""
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    with pytest.raises(StoreError, match=rule) as refusal:
        open_database(path, sample_pets())
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


def modes_in(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.rglob("*")}


async def test_only_the_owner_can_read_the_file_and_those_beside_it(
    tmp_path: Path, new_pet: NewPetOf
) -> None:
    old_mask = os.umask(0)
    try:
        store = SqliteStore.open(tmp_path / "a" / "b" / "pets.db", sample_pets())
        await store.create_pet(new_pet())
    finally:
        os.umask(old_mask)
    files = {"pets.db": 0o600, "pets.db-wal": 0o600, "pets.db-shm": 0o600}
    assert modes_in(tmp_path) == {"a": 0o700, "b": 0o700, **files}
    await store.close()


@as_root
@pytest.mark.parametrize("want", [no_inodes, full_disk])
async def test_on_a_full_disk_a_store_is_read_and_it_takes_animals_when_there_is_room(
    want: Callable[[Path], AbstractContextManager[None]], new_pet: NewPetOf
) -> None:
    with mounted("size=1m,nr_inodes=12") as directory:
        path = directory / "pets.db"
        await SqliteStore.open(path, sample_pets(5)).close()
        with want(directory):
            store = SqliteStore.open(path)
            with pytest.raises(NotStoredError):
                await store.create_pet(new_pet())
            assert len((await store.list_pets(100)).pets) == 5
        assert (await store.create_pet(new_pet())).id == 6
        assert [pet.id for pet in (await store.list_pets(100)).pets] == [6, 5, 4, 3, 2, 1]
        await store.close()


@as_root
@pytest.mark.parametrize("want", [no_inodes, full_disk])
def test_on_a_full_disk_a_new_store_leaves_no_file(
    want: Callable[[Path], AbstractContextManager[None]],
) -> None:
    with mounted("size=1m,nr_inodes=12") as directory, want(directory):
        with pytest.raises(StoreError, match=r"make room|No space left"):
            open_database(directory / "pets.db", sample_pets())
        assert not list(directory.glob("pets.db*"))


@pytest.mark.parametrize("data", [b"hello" * 100, b"\0" * 4096])
def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "pets.db"
    path.write_bytes(data)
    refused(path, "is not a SQLite database; name another file")


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
    opened = open_database(copy)
    assert opened.execute("SELECT count(*) FROM pets").fetchone() == (560,)
    opened.close()


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
    with pytest.raises(StoreError, match="has schema 3"):
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


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a file"):
        open_database(tmp_path)


def test_a_directory_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="can't be used: Not a directory; name another file"):
        open_database(tmp_path / "file" / "pets.db")


@pytest.mark.parametrize("size", [100, -1])
def test_a_file_whose_end_is_missing_is_refused(database: Path, size: int) -> None:
    data = database.read_bytes()
    database.write_bytes(data[:size])
    refused(database, "is damaged")


@pytest.mark.parametrize("page", [1, 2])
def test_a_file_with_a_damaged_page_is_refused(database: Path, page: int) -> None:
    data = bytearray(database.read_bytes())
    start = (page - 1) * 4096 + (100 if page == 1 else 0)
    data[start : page * 4096] = b"\xa5" * (page * 4096 - start)
    database.write_bytes(data)
    refused(database, "is damaged")


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_another_program_locks_is_refused(database: Path, lock: str) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute(f"BEGIN {lock}")
    with pytest.raises(StoreError, match="is locked by another program"):
        open_database(database, wait=0.05)
    connection.execute("ROLLBACK")
    open_database(database, wait=0.05).close()
    connection.close()


def test_an_older_schema_is_brought_up_to_date_with_its_animals(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "pets.db")) as connection:
        connection.execute(MIGRATIONS[0])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO pets (name, category_id) VALUES (x'526578', 3)")
        connection.commit()
    with closing(open_database(tmp_path / "pets.db", sample_pets())) as opened:
        assert opened.execute("PRAGMA user_version").fetchone() == (2,)
        assert opened.execute("SELECT name, category_id FROM pets").fetchall() == [(b"Rex", 3)]
        assert opened.execute("SELECT name FROM pragma_index_list('pets')").fetchall()


def open_files() -> list[str]:
    """Return the files that this process has open, on a system with /proc."""
    return [str(link.readlink()) for link in Path("/proc/self/fd").glob("*") if link.is_symlink()]


def test_samples_that_fail_leave_a_closed_database_without_tables(tmp_path: Path) -> None:
    def failing() -> Iterator[NewPet]:
        yield from sample_pets(5)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:  # keeps the connection from being collected
        open_database(tmp_path / "pets.db", failing())
    assert caught.value.__traceback__
    assert not [name for name in open_files() if name.startswith(str(tmp_path))]
    opened = open_database(tmp_path / "pets.db", sample_pets(7))
    assert opened.execute("SELECT count(*) FROM pets").fetchone() == (7,)
    opened.close()


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
