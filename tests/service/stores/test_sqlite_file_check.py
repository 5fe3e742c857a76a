"""A database that is removed or replaced under its store: nothing is acknowledged, nothing made."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing

import httpx
import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_store import SqliteStore
from pettui.service.stores.store import StoreUnavailableError
from tests.service.running_service import running_service


@pytest.fixture
async def store(tmp_path):
    store = SqliteStore.open(tmp_path / "pets.db", sample_pets(3))
    yield store
    await store.close()


def listed(directory):
    return sorted(path.name for path in directory.glob("*"))


def move_away(path):
    path.rename(path.with_name("elsewhere"))


def remove(path):
    path.unlink()


def remove_with_directory(path):
    path.parent.rename(path.parent.with_name(f"{path.parent.name}-elsewhere"))


def replace_by_a_copy(path):
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def replace_by_an_empty_file(path):
    path.with_name("empty").touch()
    path.with_name("empty").replace(path)


def replace_by_a_directory(path):
    path.unlink()
    path.mkdir()


def replace_by_a_dangling_link(path):
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def empty(path):
    os.truncate(path, 0)


WAYS = [
    move_away,
    remove,
    remove_with_directory,
    replace_by_a_copy,
    replace_by_an_empty_file,
    replace_by_a_directory,
    replace_by_a_dangling_link,
    empty,
]


@pytest.mark.parametrize("has_written", [True, False], ids=["in work", "just opened"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_database_that_is_gone_is_unavailable(tmp_path, store, new_pet, way, has_written):
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
    assert listed(tmp_path) == names, "nobody makes it anew"


async def test_a_database_that_is_put_back_is_gone_on_with(tmp_path, store, new_pet):
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
async def test_nothing_is_written_into_a_log_that_is_gone(tmp_path, store, new_pet, end):
    await store.create_pet(new_pet("before"))
    (tmp_path / f"pets.db{end}").unlink()
    with pytest.raises(StoreUnavailableError, match=f"pets.db{end} was removed"):
        await store.create_pet(new_pet("lost"))
    await store.close()
    again = SqliteStore.open(tmp_path / "pets.db")
    assert [pet.name for pet in (await again.list_pets(1)).pets] == ["before"]
    await again.close()


async def test_a_database_behind_a_link_has_its_log_there(tmp_path, new_pet):
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


async def test_a_store_that_is_closed_leaves_what_is_in_its_place_alone(tmp_path, store, new_pet):
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


def test_a_service_whose_database_is_removed_answers_503_and_ends_well(tmp_path):
    with running_service(tmp_path, samples=3) as service:
        client = httpx.Client(base_url=service.base_url, headers=service.authorization)
        with client:
            (tmp_path / "pets.db").unlink()
            posted = client.post("/pets", json={"name": "lost", "categoryId": 1})
            listed = client.get("/pets")
        for response in (posted, listed):
            assert response.status_code == 503
            assert response.json()["code"] in ("unavailable", "not_stored")
            assert response.headers["retry-after"] == "1"
        assert service.stop() == 0
        complaint = f"database file {tmp_path / 'pets.db'} was removed or replaced"
        assert service.stderr_text().count(complaint) == 2
    assert not (tmp_path / "pets.db").exists()


async def test_no_file_is_ever_made_for_everybody(tmp_path, new_pet):
    mask = os.umask(0)
    try:
        store = SqliteStore.open(tmp_path / "pets.db")
        (tmp_path / "pets.db").unlink()
        with pytest.raises(StoreUnavailableError):
            await store.create_pet(new_pet())
        await store.close()
    finally:
        os.umask(mask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert set(modes.values()) <= {0o600}
