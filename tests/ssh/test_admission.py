"""The rules of the queue: shares, order, estimates, time limits and the line."""

from __future__ import annotations

import pytest

from pettui.ssh.admission import (
    NoSlotError,
    Occupancy,
    check_share,
    is_next,
)
from pettui.ssh.options import SshOptions
from pettui.ssh.session_output import waiting_line

OPTIONS = SshOptions(max_sessions=3, max_queue=2, per_address=2)
MINUTE = 60.0


def test_a_client_is_admitted_at_once_if_there_is_a_slot_and_no_queue() -> None:
    assert is_next(OPTIONS, sessions=2, waiting=0)
    assert not is_next(OPTIONS, sessions=3, waiting=0)
    assert not is_next(OPTIONS, sessions=2, waiting=1)


def test_a_full_queue_has_its_own_message() -> None:
    with pytest.raises(NoSlotError, match="the server and its queue are full; try"):
        is_next(OPTIONS, sessions=3, waiting=2)


def test_without_a_queue_the_message_is_only_about_the_server() -> None:
    with pytest.raises(NoSlotError, match=r"^the server is full; try again later$"):
        is_next(SshOptions(max_sessions=3, max_queue=0), sessions=3, waiting=0)


def test_the_share_of_an_address_includes_waiting_clients() -> None:
    check_share(OPTIONS, 1)
    with pytest.raises(NoSlotError, match="2 sessions from your address are open or waiting"):
        check_share(OPTIONS, 2)


def occupancy(*ages: float, waiting: int = 0, departures: tuple[float, ...] = ()) -> Occupancy:
    """Return sessions of these ages, the oldest first, and waiting clients, at 10,000 seconds."""
    now = 10_000.0
    sessions = tuple((now - age, number) for number, age in enumerate(ages))
    return Occupancy(now, sessions, tuple(range(100, 100 + 2 * waiting, 2)), departures)


def test_clients_wait_in_order_of_arrival() -> None:
    there = occupancy(waiting=3)
    assert [there.position(number) for number in (100, 102, 104)] == [1, 2, 3]
    assert there.position(101) is None
    assert there.position(106) is None


def test_the_front_of_the_queue_is_its_first_clients() -> None:
    there = occupancy(waiting=3).front(2)
    assert [there.position(number) for number in (100, 102, 104)] == [1, 2, None]


def test_as_many_of_the_oldest_sessions_as_clients_wait_are_asked_to_leave() -> None:
    ages = (700, 600, 541, 100)
    assert occupancy(*ages).asked_to_leave(540) == set()
    assert occupancy(*ages, waiting=1).asked_to_leave(540) == {0}
    assert occupancy(*ages, waiting=2).asked_to_leave(540) == {0, 1}
    assert occupancy(*ages, waiting=9).asked_to_leave(540) == {0, 1, 2}
    assert occupancy(*ages, waiting=9).asked_to_leave(0) == set()


def test_the_time_limit_estimates_from_the_oldest_session() -> None:
    there = occupancy(500, 300, 900, waiting=9)
    waits = [there.seconds_until(position, 540, 60) for position in (1, 2, 3, 4)]
    assert waits == [100, 300, 60, 700]


def test_departures_estimate_from_the_recent_rate() -> None:
    there = occupancy(10, waiting=9, departures=(9_700.0, 9_800.0, 9_900.0))
    assert there.seconds_until(4, 0, 60) == 400
    assert there.seconds_until(1, 540, 60) == 100  # the shorter of both


def test_few_or_old_departures_are_no_estimate() -> None:
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
        (11, 0, "you are 11th; less than a minute; press q to leave"),
        (22, 86_400, "you are 22nd; about 24 hours; press q to leave"),
        (1_013, 1_000_000, "you are 1013th; more than a day; press q to leave"),
        (121, 5_400, "you are 121st; about 90 minutes; press q to leave"),
    ],
)
def test_the_line_shows_position_and_estimate(
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
