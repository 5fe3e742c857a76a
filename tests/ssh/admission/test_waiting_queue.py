"""The queue as a pure thing: shares, order, estimates, who is asked to leave, what is shown."""

from __future__ import annotations

import pytest

from pettui.ssh.admission.waiting_queue import (
    NoSlotError,
    Occupancy,
    check_share,
    is_next,
    waiting_line,
)
from pettui.ssh.options import SshOptions

OPTIONS = SshOptions(max_sessions=3, max_queue=2, per_address=2)
MINUTE = 60.0


def test_whoever_comes_gets_in_while_there_is_a_slot_and_nobody_waits() -> None:
    assert is_next(OPTIONS, sessions=2, waiting=0)
    assert not is_next(OPTIONS, sessions=3, waiting=0)
    assert not is_next(OPTIONS, sessions=2, waiting=1)


def test_a_full_queue_is_told() -> None:
    with pytest.raises(NoSlotError, match="the server and its queue are full; try"):
        is_next(OPTIONS, sessions=3, waiting=2)


def test_without_a_queue_only_the_slots_are_told() -> None:
    with pytest.raises(NoSlotError, match=r"^the server is full; try again later$"):
        is_next(SshOptions(max_sessions=3, max_queue=0), sessions=3, waiting=0)


def test_a_share_is_of_sessions_and_of_those_who_wait() -> None:
    check_share(OPTIONS, 1)
    with pytest.raises(NoSlotError, match="2 sessions from your address are open or waiting"):
        check_share(OPTIONS, 2)


def occupancy(*ages: float, waiting: int = 0, departures: tuple[float, ...] = ()) -> Occupancy:
    """Return sessions of these ages, the oldest first, and people who wait, at 10,000 seconds."""
    now = 10_000.0
    sessions = tuple((now - age, number) for number, age in enumerate(ages))
    return Occupancy(now, sessions, tuple(range(100, 100 + 2 * waiting, 2)), departures)


def test_people_wait_in_the_order_in_which_they_came() -> None:
    there = occupancy(waiting=3)
    assert [there.position(number) for number in (100, 102, 104)] == [1, 2, 3]
    assert there.position(101) is None
    assert there.position(106) is None


def test_the_front_of_a_queue_is_those_who_are_next() -> None:
    there = occupancy(waiting=3).front(2)
    assert [there.position(number) for number in (100, 102, 104)] == [1, 2, None]


def test_who_is_asked_to_leave_is_as_many_as_wait_and_the_oldest_first() -> None:
    ages = (700, 600, 541, 100)
    assert occupancy(*ages).asked_to_leave(540) == set()
    assert occupancy(*ages, waiting=1).asked_to_leave(540) == {0}
    assert occupancy(*ages, waiting=2).asked_to_leave(540) == {0, 1}
    assert occupancy(*ages, waiting=9).asked_to_leave(540) == {0, 1, 2}
    assert occupancy(*ages, waiting=9).asked_to_leave(0) == set()


def test_by_the_limit_the_next_slot_is_that_of_the_oldest_session() -> None:
    there = occupancy(500, 300, 900, waiting=9)
    waits = [there.seconds_until(position, 540, 60) for position in (1, 2, 3, 4)]
    assert waits == [100, 300, 60, 700]


def test_by_those_who_left_it_goes_as_fast_as_lately() -> None:
    there = occupancy(10, waiting=9, departures=(9_700.0, 9_800.0, 9_900.0))
    assert there.seconds_until(4, 0, 60) == 400
    assert there.seconds_until(1, 540, 60) == 100  # the sooner of both


def test_a_few_who_left_at_once_or_long_ago_say_little() -> None:
    assert occupancy(10, departures=(9_999.0, 9_999.0)).seconds_until(1, 0, 60) is None
    assert occupancy(10, departures=(1.0, 2.0, 3.0)).seconds_until(1, 0, 60) is None
    assert occupancy(10, departures=(10_000.0,) * 3).seconds_until(3, 0, 60) == MINUTE


@pytest.mark.parametrize(
    ("position", "seconds", "line"),
    [
        (12, 180, "you are 12th; about 3 minutes; press q to leave"),
        (1, 61, "you are 1st; about a minute; press q to leave"),
        (2, 20, "you are 2nd; less than a minute; press q to leave"),
        (3, None, "you are 3rd; press q to leave"),
        (111, 7_300, "you are 111th; about 2 hours; press q to leave"),
        (121, 5_400, "you are 121st; about 90 minutes; press q to leave"),
    ],
)
def test_the_line_says_where_they_stand_and_how_long(
    position: int, seconds: float | None, line: str
) -> None:
    assert waiting_line(position, seconds, 80) == line


def test_the_line_is_never_wider_than_the_terminal() -> None:
    shown = [waiting_line(12, 180, width) for width in range(1, 60)]
    assert all(len(line) < width for width, line in enumerate(shown, 1))
    assert set(shown) == {
        "", "12th", "12th; q leaves", "you are 12th; q leaves",
        "you are 12th; about 3 minutes; q leaves",
        "you are 12th; about 3 minutes; press q to leave",
    }  # fmt: skip
