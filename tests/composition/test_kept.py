"""What is kept for the next start: the chosen theme, the last lists, and the embedded store."""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.composition.kept import LISTS, seen_lists, theme_choice, without_kept_lists
from pettui.composition.store import opened_client
from pettui.configuration import state_directory
from pettui.remembered.theme_choice import ThemeChoice
from pettui.service.stores.samples import SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.system.files import TEMPORARY_FILES
from tests.peers.terminal import PROGRAM, Terminal
from tests.transfer.animals import plain_pet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.conftest import Run


def test_a_choice_is_kept_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "state" / "theme"
    first = ThemeChoice(path)
    assert first.theme is None
    for theme in ("ansi", "pettui-light"):
        first.keep(theme)
        assert ThemeChoice(path).theme == theme
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["theme"]


def test_as_configured_forgets_the_choice(tmp_path: Path) -> None:
    path = tmp_path / "theme"
    ThemeChoice(path).keep("ansi")
    for _ in range(2):
        ThemeChoice(path).keep(None)
        assert not path.exists()
        assert ThemeChoice(path).theme is None


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"\x1b[31m", b"../../etc", b"a\nb", b"x" * 100_000],
    ids=str,
)
def test_a_file_that_names_no_theme_is_no_choice(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "theme"
    path.write_bytes(content)
    assert ThemeChoice(path).theme is None


def test_a_fifo_or_a_directory_in_its_place_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "directory").mkdir()
    for name in ("fifo", "directory"):
        choice = ThemeChoice(tmp_path / name)
        assert choice.theme is None
        choice.keep(None)
    ThemeChoice(tmp_path / "directory").keep("ansi")
    assert [*(tmp_path / "directory").iterdir()] == []


def test_a_state_directory_that_is_a_file_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    choice = ThemeChoice(tmp_path / "state" / "theme")
    choice.keep("ansi")
    assert choice.theme == "ansi"


def test_what_is_chosen_in_a_demo_is_for_that_demo_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    theme_choice(takes_kept=True, is_demo=False).keep("ansi")
    demo = theme_choice(takes_kept=True, is_demo=True)
    assert demo.theme == "ansi"
    demo.keep("pettui-light")
    assert theme_choice(takes_kept=True, is_demo=False).theme == "ansi"


NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
SECONDS = 60.0
SHOP = Profile(
    "shop", StoreKind.SERVICE, "https://store.example/v1", ApiKey("key-of-the-shop"), "SHOP", "red"
)
KEEPS = Settings(SHOP)
KEEPS_NONE = Settings(SHOP, keep_list=False)


@pytest.fixture(autouse=True)
def lists(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the lists, in an empty home."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return state_directory() / LISTS


def show(settings: Settings) -> None:
    """Run a session that shows one animal."""
    seen = seen_lists(settings, takes_limit=True)
    seen.saw(None, [plain_pet()], NOON)
    seen.write_rest(SECONDS)


def kept(settings: Settings) -> bool:
    """Whether the next start has a list."""
    return seen_lists(settings, takes_limit=True).of(None) is not None


def of_kind(kind: StoreKind, database: str | None = None) -> Settings:
    path = None if database is None else Path(database)
    return Settings(SHOP._replace(kind=kind, database=path))


@pytest.mark.parametrize("settings", [KEEPS, of_kind(StoreKind.EMBEDDED, "/data/store.sqlite3")])
def test_a_list_is_there_at_the_next_start(settings: Settings) -> None:
    show(settings)
    assert kept(settings)


def test_each_store_has_its_own() -> None:
    show(of_kind(StoreKind.EMBEDDED, "/data/store.sqlite3"))
    assert not kept(KEEPS)
    assert not kept(of_kind(StoreKind.EMBEDDED, "/other/store.sqlite3"))


def test_the_demo_keeps_nothing(lists: Path) -> None:
    show(of_kind(StoreKind.DEMO))
    assert not lists.parent.exists()


def test_with_keep_list_false_every_list_is_removed_and_none_is_kept(lists: Path) -> None:
    show(KEEPS)
    show(of_kind(StoreKind.EMBEDDED, "/data/store.sqlite3"))
    assert without_kept_lists(KEEPS_NONE) == KEEPS_NONE
    show(KEEPS_NONE)
    assert not lists.exists()
    assert not kept(KEEPS)


def test_what_is_not_a_list_is_left_alone(lists: Path) -> None:
    show(KEEPS)
    (lists / "notes.json").write_text("mine")
    (lists / TEMPORARY_FILES.replace("*", "0")).write_text("another window writes it now")
    without_kept_lists(KEEPS_NONE)
    assert {path.name for path in lists.iterdir()} == {
        "notes.json",
        TEMPORARY_FILES.replace("*", "0"),
    }


def test_a_failed_removal_is_a_warning(lists: Path) -> None:
    lists.parent.mkdir(parents=True)
    lists.write_text("no directory")
    [warning] = without_kept_lists(KEEPS_NONE).profile.warnings
    assert warning.startswith("keep_list is false: cannot remove ")


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


def test_what_is_made_can_be_used_by_its_owner_whatever_the_umask_is(
    run_here: Run, home: Path
) -> None:
    old = os.umask(0o777)
    try:
        assert run_here("list").returncode == 0
        assert run_here("key", "add", "till").returncode == 0
        assert run_here("backup", "copy.tar").returncode == 0
    finally:
        os.umask(old)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*")}
    assert modes == {True: 0o700, False: 0o600}
