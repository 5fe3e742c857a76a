"""What was seen, in this session and the next."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pettui.models.pets import PetStatus
from pettui.remembered.last_lists import (
    LastLists,
    LastListsFile,
    LastListsWriter,
    LastView,
    SeenRows,
)
from pettui.remembered.seen_lists import SeenBefore, SeenLists
from tests.animals import plain_pet
from tests.remembered.conftest import SECONDS

NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
REX = plain_pet(name="Rex", status="sold")


def begun(file: LastListsFile) -> SeenLists:
    """Return what a start finds."""
    return SeenLists(file.read(), LastListsWriter(file, pytest.fail))


def test_in_an_order_that_says_nothing_what_follows_the_last_seen_row_is_not_new() -> None:
    seen = SeenBefore(SeenRows(None, frozenset((5, 9)), is_whole=False), {})
    assert seen.new_among([*map(plain_pet, (5, 7, 9, 3))], is_first=True) == {7}
    assert seen.new_among([plain_pet(3)], is_first=False) == frozenset()


def test_the_last_view_is_kept_at_the_end(file: LastListsFile) -> None:
    first = begun(file)
    first.remember_view(status=PetStatus.SOLD, column="name")
    first.remember_view(limit=40)
    first.write_rest(SECONDS)
    assert begun(file).first_view == LastView(PetStatus.SOLD, 40, "name")


def test_a_configured_limit_comes_first_and_leaves_the_chosen_one(
    file: LastListsFile,
) -> None:
    file.keep(LastLists(view=LastView(limit=40, column="name")))
    seen = SeenLists(file.read(), LastListsWriter(file, lambda _: None), takes_limit=False)
    assert seen.first_view == LastView(column="name")
    seen.saw(None, [REX], NOON)
    seen.write_rest(SECONDS)
    assert begun(file).first_view == LastView(limit=40, column="name")


def test_a_refused_key_empties_the_lists_until_another_succeeds(file: LastListsFile) -> None:
    seen = begun(file)
    seen.saw(None, [REX], NOON)
    seen.write_rest(SECONDS)
    refusal = object()
    seen.refuse(refusal)
    seen.remember_view(limit=40)
    seen.write_rest(SECONDS)
    assert seen.of(None) is None
    assert not file.path.exists()

    seen.saw("sold", [REX], NOON)
    seen.refuse(refusal)  # it is told again, and is not news
    seen.write_rest(SECONDS)
    assert begun(file).of("sold") is not None
    assert begun(file).of(None) is None
    assert begun(file).first_view == LastView(limit=40)
