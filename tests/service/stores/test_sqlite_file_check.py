"""A database that is removed or replaced under its store: nothing is acknowledged or created."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.store import StoreUnavailableError
from tests.exhaustive import product

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.service.conftest import NewPetOf


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "pets.db", sample_pets(3))
    yield store
    await store.close()


def listed(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("*"))


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def remove_with_directory(path: Path) -> None:
    path.parent.rename(path.parent.with_name(f"{path.parent.name}-elsewhere"))


def replace_by_a_copy(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def replace_by_a_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def empty(path: Path) -> None:
    os.truncate(path, 0)


WAYS = [
    move_away,
    remove_with_directory,
    replace_by_a_copy,
    replace_by_a_dangling_link,
    empty,
]


@pytest.mark.parametrize(("way", "has_written"), product(WAYS, [True, False]))
async def test_a_database_that_is_gone_is_unavailable(
    tmp_path: Path,
    store: SqliteStore,
    new_pet: NewPetOf,
    way: Callable[[Path], None],
    has_written: bool,
) -> None:
    if has_written:
        await store.create_pet(new_pet("before"))
    path = tmp_path / "pets.db"
    way(path)
    names = listed(tmp_path)
    with pytest.raises(StoreUnavailableError, match=r"pets\.db was removed or replaced"):
        await store.create_pet(new_pet("lost"))
    with pytest.raises(StoreUnavailableError, match="put it back, or restart"):
        await store.list_pets(20)
    with pytest.raises(StoreUnavailableError):
        await store.get_pet(1)
    assert listed(tmp_path) == names, "it is not created again"


async def test_a_database_that_is_put_back_is_used_again(
    tmp_path: Path, store: SqliteStore, new_pet: NewPetOf
) -> None:
    path = tmp_path / "pets.db"
    await store.create_pet(new_pet("before"))
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(StoreUnavailableError):
        await store.create_pet(new_pet("lost"))
    (tmp_path / "elsewhere").rename(path)
    after = await store.create_pet(new_pet("after"))
    assert [pet.name for pet in (await store.list_pets(2)).pets] == ["after", "before"]
    assert after.id == 5


@pytest.mark.parametrize("end", ["-wal", "-shm"])
async def test_nothing_is_written_to_a_missing_log(
    tmp_path: Path, store: SqliteStore, new_pet: NewPetOf, end: str
) -> None:
    await store.create_pet(new_pet("before"))
    (tmp_path / f"pets.db{end}").unlink()
    with pytest.raises(StoreUnavailableError, match=f"pets.db{end} was removed"):
        await store.create_pet(new_pet("lost"))
    await store.close()
    again = SqliteStore.open(tmp_path / "pets.db")
    assert [pet.name for pet in (await again.list_pets(1)).pets] == ["before"]
    await again.close()


async def test_the_log_of_a_database_behind_a_link_is_beside_its_target(
    tmp_path: Path, new_pet: NewPetOf
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "pets.db")
    store = SqliteStore.open(tmp_path / "link.db")
    await store.create_pet(new_pet("before"))
    (tmp_path / "link.db").unlink()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "another.db")
    with pytest.raises(StoreUnavailableError):
        await store.create_pet(new_pet("lost"))
    (tmp_path / "link.db").unlink()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "pets.db")
    await store.create_pet(new_pet("after"))
    await store.close()


async def test_closing_a_store_leaves_a_new_database_in_its_place_alone(
    tmp_path: Path, store: SqliteStore, new_pet: NewPetOf
) -> None:
    await store.create_pet(new_pet("before"))
    path = tmp_path / "pets.db"
    for end in ("", "-wal", "-shm"):
        path.with_name(f"pets.db{end}").unlink()
    other = SqliteStore.open(path)
    await other.create_pet(new_pet("of the other"))
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM pets").fetchall() == [(b"of the other",)]
    await other.close()
