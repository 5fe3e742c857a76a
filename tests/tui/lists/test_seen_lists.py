"""What was seen is there again: in this session, and in the next where something keeps it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pettui.models import PetStatus
from pettui.settings import ApiKey
from pettui.transfer.last_lists import (
    LastLists,
    LastListsFile,
    LastListsWriter,
    LastView,
    SeenLists,
)
from tests.transfer.animals import plain_pet

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
SECONDS = 60.0
REX = plain_pet(name="Rex", status="sold")


@pytest.fixture
def file(tmp_path: Path) -> LastListsFile:
    """A file that is not there yet."""
    return LastListsFile(tmp_path / "lists", "https://store.example/v1", ApiKey("key"))


def begun(file: LastListsFile) -> SeenLists:
    """Return what a start finds."""

    def no_bug(error: Exception) -> None:
        raise AssertionError from error

    return SeenLists(file.read(), LastListsWriter(file, no_bug))


def test_the_last_view_is_kept_at_the_end(file: LastListsFile) -> None:
    first = begun(file)
    first.leave(status=PetStatus.SOLD, column="name")
    first.leave(limit=40)
    first.finish(SECONDS)
    assert begun(file).first_view == LastView(PetStatus.SOLD, 40, "name")


def test_a_configured_limit_comes_first_and_leaves_the_chosen_one(
    file: LastListsFile,
) -> None:
    file.keep(LastLists(view=LastView(limit=40, column="name")))
    seen = SeenLists(file.read(), LastListsWriter(file, lambda _: None), takes_limit=False)
    assert seen.first_view == LastView(column="name")
    seen.saw(None, [REX], NOON)
    seen.finish(SECONDS)
    assert begun(file).first_view == LastView(limit=40, column="name")


def test_a_refused_key_empties_the_lists_until_another_succeeds(file: LastListsFile) -> None:
    seen = begun(file)
    seen.saw(None, [REX], NOON)
    seen.finish(SECONDS)
    refusal = object()
    seen.refuse(refusal)
    seen.leave(limit=40)
    seen.finish(SECONDS)
    assert seen.of(None) is None
    assert not file.path.exists()

    seen.saw("sold", [REX], NOON)
    seen.refuse(refusal)  # it is told again, and is not news
    seen.finish(SECONDS)
    assert begun(file).of("sold") is not None
    assert begun(file).of(None) is None
    assert begun(file).first_view == LastView(limit=40)
