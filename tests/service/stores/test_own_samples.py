"""The samples of a store: recorded, counted while there is nothing else, and taken out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.own_samples import count_samples, remove_samples
from pettui.service.stores.samples import SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import open_database
from pettui.service.stores.store import StoreError
from tests.animals import a_new_pet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A new store with its samples, as plain pettui makes it."""
    path = tmp_path / "pets.db"
    open_database(path, sample_pets(), only_new=True).close()
    return path


async def test_samples_are_taken_out_at_once_and_their_ids_are_not_used_again(
    database: Path,
) -> None:
    store = SqliteStore.open(database)
    assert count_samples(database) == SAMPLE_COUNT
    assert remove_samples(database) == SAMPLE_COUNT
    assert (await store.list_pets(10)).pets == ()  # of who has it open
    assert (count_samples(database), remove_samples(database)) == (0, 0)
    assert (await store.create_pet(a_new_pet("Rex"))).id == SAMPLE_COUNT + 1
    await store.close()


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO pets (name, category_id) VALUES (x'526578', 3)",
        "UPDATE pets SET name = x'4D79' WHERE id = 7",
        "UPDATE pets SET status = NULL WHERE status = 'sold'",
        "DELETE FROM pets WHERE id = 7",
        "DELETE FROM pets WHERE id = 60",
        "INSERT INTO pets (name, category_id) VALUES (x'526578', 3); DELETE FROM pets WHERE id = 61",
    ],
    ids=["added", "another name", "another status", "one less", "the last less", "one come and gone"],
)  # fmt: skip
def test_nothing_is_taken_out_of_a_store_that_anything_changed(database: Path, change: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(change)
        before = connection.execute("SELECT * FROM pets").fetchall()
        assert (count_samples(database), remove_samples(database)) == (0, 0)
        assert connection.execute("SELECT * FROM pets").fetchall() == before


@pytest.mark.parametrize("only_new", [False, True], ids=["serve --samples", "no samples"])
def test_samples_that_are_not_recorded_are_not_known(tmp_path: Path, only_new: bool) -> None:
    path = tmp_path / "pets.db"
    open_database(path, () if only_new else sample_pets(), only_new=only_new).close()
    assert (count_samples(path), remove_samples(path)) == (0, 0)


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("dear shop" * 100)
    with pytest.raises(StoreError, match="is not a SQLite database"):
        count_samples(tmp_path / "letter.db")
