"""The cursor stays on its animal, or goes to the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import Pet
from pettui.tui.widgets.row_table import Cursor, cursor_at, moved_cursor
from tests.tui.list.test_listing import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from pettui.client import UnreadablePet
    from pettui.rows.shown import Element

    Ids: TypeAlias = Sequence[int | None]

ABC = (9, 8, 7, 6, 5)
MOVES = {
    "nothing changed": (ABC, 2, ABC, 2),
    "new ones on top": (ABC, 2, (11, 10, *ABC), 4),
    "the other way round": (ABC, 1, ABC[::-1], 3),
    "gone: the one below moves up": (ABC, 2, (9, 8, 6, 5), 2),
    "gone with the one below: the one above": (ABC, 2, (9, 8, 5), 1),
    "gone, and the nearest is elsewhere now": (ABC, 2, (5, 6, 9, 8), 1),
    "all are gone: the same index": (ABC, 2, (4, 3, 2, 1), 2),
    "nothing is left": (ABC, 2, (), 0),
    "nothing was there": ((), 0, ABC, 0),
    "listed twice": ((9, 8, 9), 2, (8, 9, 7), 1),
    "what could not be read stays what it is": ((9, None, 7), 1, (9, None, 6), 1),
    "what could not be read is gone": ((9, None, 7), 1, (9, 7), 1),
}


def identity(row: Element) -> int | UnreadablePet:
    return row.id if isinstance(row, Pet) else row


@pytest.mark.parametrize(("before", "index", "after", "expected"), MOVES.values(), ids=MOVES)
def test_the_cursor_follows_its_animal_or_goes_to_the_nearest(
    before: Ids, index: int, after: Ids, expected: int
) -> None:
    rows = rows_of(before)
    assert (
        moved_cursor(cursor_at(index, rows, identity), rows, rows_of(after), identity).index
        == expected
    )


def test_the_cursor_comes_back_to_its_animal_when_rows_come_back() -> None:
    rows = rows_of(ABC)
    nothing = moved_cursor(cursor_at(3, rows, identity), rows, [], identity)
    assert nothing == Cursor(0, 6)
    assert moved_cursor(nothing, [], [], identity) == nothing
    assert moved_cursor(nothing, [], rows, identity) == Cursor(3, 6)
    assert moved_cursor(nothing, [], rows_of((2, 1)), identity) == Cursor(0, 2)
