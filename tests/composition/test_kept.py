"""What is kept for the next start, and of which store: the lists, and the choice of a theme."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pettui.composition.kept import LISTS, seen_lists, theme_choice, without_kept_lists
from pettui.configuration.directories import state_directory
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from tests.animals import plain_pet


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


def test_a_failed_removal_is_a_warning(lists: Path) -> None:
    lists.parent.mkdir(parents=True)
    lists.write_text("no directory")
    [warning] = without_kept_lists(KEEPS_NONE).profile.warnings
    assert warning.startswith("keep_list is false: cannot remove ")
