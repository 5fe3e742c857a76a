"""The embedded store: made, filled with samples, and said to be new."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pettui.composition.store import opened_client
from pettui.service.stores.samples import SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings.settings import Settings, StoreKind
from tests.composition.test_kept import SHOP
from tests.peers.terminal import PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run


def animals_of_pettui(database: Path) -> int:
    """Open the store as pettui does, and count its animals."""

    async def count() -> int:
        profile = SHOP._replace(kind=StoreKind.EMBEDDED, database=database)
        async with opened_client(Settings(profile)) as client:
            return len((await client.list_pets(100)).pets)

    return asyncio.run(count())


def test_a_new_store_has_samples_at_every_start(tmp_path: Path) -> None:
    database = tmp_path / "new" / "store.sqlite3"
    assert animals_of_pettui(database) == SAMPLE_COUNT
    assert animals_of_pettui(database) == SAMPLE_COUNT


def test_a_command_says_that_it_makes_a_new_store(run_here: Run, home: Path) -> None:
    database = home / ".local/share/pettui/store.sqlite3"
    assert run_here("list").stderr == f"notice: the store {database} is new\n"
    assert run_here("list").stderr == ""


def test_the_app_says_before_it_draws_that_it_makes_a_new_store(
    environment: Mapping[str, str],
) -> None:
    with closing(Terminal([PROGRAM], environment, size=(30, 200))) as terminal:
        terminal.wait_for("EMBEDDED", "Señor Orejas")
        before = terminal.written.partition(b"\x1b[?1049h")[0]
        assert b"/.local/share/pettui/store.sqlite3 is new" in before
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("served", [0, 3])
def test_no_samples_go_into_a_store_of_another_program(tmp_path: Path, served: int) -> None:
    database = tmp_path / "store.sqlite3"
    shop = SqliteStore.open(database, sample_pets(served))
    assert animals_of_pettui(database) == served
    asyncio.run(shop.close())
    assert animals_of_pettui(database) == served
