"""Who may enter, the positions and estimates of those who wait, and who is to make room."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pettui.ssh.admission import ENDED, Admission, NoSlotError, Slots
from pettui.ssh.options import SshOptions
from pettui.ssh.waiting import waiting_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

MINUTE = 60.0


@pytest.mark.parametrize(
    ("position", "seconds", "line"),
    [
        (12, 180, "you are 12th; about 3 minutes; press q to leave"),
        (1, 61, "you are 1st; about a minute; press q to leave"),
        (3, None, "you are 3rd; press q to leave"),
        (111, 3_600, "you are 111th; about 60 minutes; press q to leave"),
        (22, 3_700, "you are 22nd; more than an hour; press q to leave"),
    ],
)
def test_the_line_shows_place_and_estimate(position: int, seconds: float | None, line: str) -> None:
    assert waiting_line(position, seconds, 80) == line


def test_the_line_is_never_wider_than_the_terminal() -> None:
    shown = [waiting_line(12, 180, width) for width in range(1, 60)]
    assert all(len(line) < width for width, line in enumerate(shown, 1))
    assert set(shown) == {
        "", "12th", "12th; q leaves", "you are 12th; q leaves",
        "you are 12th; about 3 minutes; q leaves",
        "you are 12th; about 3 minutes; press q to leave",
    }  # fmt: skip


# The list

ANNA, BEN, BENS_NEIGHBOUR = "192.0.2.1", "2001:db8::1", "2001:db8:0:1::1"
SAME_NETWORK = "2001:db8::ffff:9"


class FakeWorker:
    """A worker that asks for its clients, and notes what it is told."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.told: list[list[Any]] = []

    def send(self, *message: object) -> None:
        self.told.append([*message])

    def ask(self, address: str) -> int:
        """Return the number of the slot that an address gets; 0 if it is refused."""
        self.admission.receive(self, ["ask", 1, {"address": address}])
        kind, _, content, *_ = self.told[-1]
        return content if kind == "granted" else 0

    def release(self, number: int) -> None:
        self.admission.receive(self, ["release", number])

    @property
    def admitted(self) -> list[int]:
        """The numbers of those who waited and were admitted, in order."""
        return [message[1] for message in self.told if message[0] == "admitted"]


def workers(clock: Callable[[], float] = lambda: 0.0, **options: float) -> list[FakeWorker]:
    admission = Admission(SshOptions(**options), clock)
    return [FakeWorker(admission) for _ in range(2)]


def test_as_many_of_the_oldest_sessions_as_clients_wait_are_asked_to_leave() -> None:
    now = [0.0]
    one, _ = workers(lambda: now[0], max_sessions=4, time_limit=540)
    for now[0] in (300.0, 400.0, 459.0, 900.0):
        one.ask(ANNA)
    now[0] = 1000.0
    for asked in ([1], [1, 2], [1, 2, 3], [1, 2, 3]):
        one.ask(BEN)
        one.admission.update()
        assert one.told[-1][2] == asked


@pytest.mark.parametrize(
    ("departures", "position", "limit", "seconds"),
    [
        ((690.0, 800.0, 900.0, 950.0), 4, 0, 310),
        ((690.0, 800.0, 900.0, 950.0), 1, 540, 77.5),  # the shorter of both
        ((999.0, 999.0), 1, 0, None),
        ((99.0, 100.0, 100.0), 1, 0, None),
        ((100.0,) * 3, 1, 0, 300),
        ((989.0,) * 3, 3, 0, MINUTE),
        ((), 1, 540, 590),
        ((), 2, 540, 1190),
    ],
)
def test_a_wait_is_estimated_by_recent_departures_and_by_the_limit_of_time(
    departures: tuple[float, ...], position: int, limit: float, seconds: float | None
) -> None:
    now = [0.0]
    one, _ = workers(lambda: now[0], max_sessions=1, time_limit=limit)
    for now[0] in departures:
        one.release(one.ask(ANNA))
    now[0] = 990.0
    one.ask(ANNA)
    now[0] = 1000.0
    for _ in range(position):
        one.ask(BEN)
    assert one.told[-1][3] == (position, seconds)


@pytest.mark.parametrize(
    ("options", "address", "reason"),
    [
        (
            {"per_address": 2, "max_sessions": 1},
            SAME_NETWORK,
            "2 sessions from your address are open",
        ),
        ({"max_sessions": 2, "max_queue": 0}, ANNA, "the server is full; try again later"),
        ({"max_sessions": 1, "max_queue": 1}, ANNA, "the server and its queue are full; try again"),
    ],
    ids=["share of a network", "sessions", "queue"],
)
def test_clients_of_all_workers_count_and_one_too_many_is_refused_with_a_reason(
    options: dict[str, float], address: str, reason: str
) -> None:
    one, two = workers(**options)
    first = one.ask(BEN)
    assert two.ask(BEN)
    one.ask(address)
    assert one.told[-1][:2] == ["refused", 1]
    assert one.told[-1][2].startswith(reason)
    one.release(first)
    assert two.ask(BENS_NEIGHBOUR)


def test_the_places_of_a_worker_that_has_ended_are_free_for_others() -> None:
    now = [100.0]
    one, two = workers(lambda: now[0], max_sessions=1)
    numbers = [one.ask(ANNA), one.ask(ANNA)]  # the last one waits
    waiting = two.ask(BEN)
    now[0] = 130.0
    left = two.admission.leave(one)
    assert [(slot.number, slot.is_inside) for slot in left] == [
        (numbers[0], True), (numbers[1], False),
    ]  # fmt: skip
    assert [two.admission.seconds_of(slot) for slot in left] == [30.0] * 2
    assert two.admitted == [waiting]


def test_all_are_listed_by_arrival_and_each_can_be_ended() -> None:
    now = [100.0]
    one, two = workers(lambda: now[0], max_sessions=1)
    inside, waiting = one.ask(ANNA), two.ask(BEN)
    now[0] = 101.26
    assert one.admission.clients() == [
        {"session": inside, "state": "inside", "seconds": 1.3, "address": ANNA},
        {"session": waiting, "state": "waiting", "seconds": 1.3, "address": BEN},
    ]
    assert one.admission.end(waiting)
    assert two.told[-1] == ["end", waiting, "ended", ENDED]
    assert not one.admission.end(waiting + 1)


WORKERS = 3
LIMITS = SshOptions(max_sessions=3, max_queue=4, per_address=4)
Client = tuple[int, FakeWorker, str]  # its number, worker and address


class Queue(RuleBasedStateMachine):
    """The list of several workers' clients, compared with a list of sessions and one of the queue."""

    def __init__(self) -> None:
        super().__init__()
        self.admission = Admission(LIMITS)
        self.workers = [FakeWorker(self.admission) for _ in range(WORKERS)]
        self.inside: list[Client] = []
        self.waiting: list[Client] = []

    @rule(worker=st.integers(0, WORKERS - 1), address=st.sampled_from([ANNA, BEN, "192.0.2.9"]))
    def come(self, worker: int, address: str) -> None:
        everybody = self.inside + self.waiting
        has_share = sum(one[2] == address for one in everybody) >= LIMITS.per_address
        is_full = len(everybody) >= LIMITS.max_sessions + LIMITS.max_queue
        number = self.workers[worker].ask(address)
        assert bool(number) is not (has_share or is_full)
        if number:
            of_it = self.waiting if len(self.inside) >= LIMITS.max_sessions else self.inside
            of_it.append((number, self.workers[worker], address))

    @precondition(lambda self: self.inside or self.waiting)
    @rule(choice=st.randoms(use_true_random=False), again=st.booleans())
    def go(self, choice: Random, again: bool) -> None:
        one = choice.choice(self.inside + self.waiting)
        for _ in range(1 + again):
            one[1].release(one[0])
        (self.inside if one in self.inside else self.waiting).remove(one)
        self.move_up()

    @rule(worker=st.integers(0, WORKERS - 1))
    def die(self, worker: int) -> None:
        ended = self.workers[worker]
        self.admission.leave(ended)
        self.inside = [one for one in self.inside if one[1] is not ended]
        self.waiting = [one for one in self.waiting if one[1] is not ended]
        self.move_up()

    def move_up(self) -> None:
        while self.waiting and len(self.inside) < LIMITS.max_sessions:
            number, worker, _ = self.waiting[0]
            assert number in worker.admitted
            self.inside.append(self.waiting.pop(0))

    @invariant()
    def is_as_expected(self) -> None:
        clients = self.admission.clients()
        inside = {one["session"] for one in clients if one["state"] == "inside"}
        assert inside == {one[0] for one in self.inside}
        assert len(clients) - len(inside) == len(self.waiting)


Queue.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_any_order_of_events_leaves_everybody_where_they_belong = Queue.TestCase


# In a worker


class FakeClient:
    """A session that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def show_wait(self, position: int, seconds: float | None) -> None:
        self.told.append((position, seconds))

    def admit(self) -> None:
        self.told.append("admitted")

    def limit(self, *, is_asked_to_leave: bool) -> None:
        self.told.append(is_asked_to_leave)

    def end(self, reason: str, farewell: str = "") -> None:
        self.told.append((reason, farewell))


def end(number: int) -> list[object]:
    return ["end", number, "ended", ENDED]


async def asked(slots: Slots, client: FakeClient | None = None) -> asyncio.Task[Any]:
    asking = asyncio.create_task(slots.ask(client or FakeClient(), {"address": ANNA}))
    await asyncio.sleep(0)
    return asking


async def test_a_session_is_told_what_the_parent_says_of_its_number_alone() -> None:
    slots, client = Slots(lambda *_: None), FakeClient()
    asking = await asked(slots, client)
    slots.receive(["granted", 1, 7, [2, None]])
    slot = await asking
    for message in (["queue", [[7, 1, 60.0], [8, 2, 60.0]], [8]], ["admitted", 8], end(8)):
        slots.receive(message)
    assert client.told == [(1, 60.0), False]
    for message in (["admitted", 7], ["queue", [], [7]], end(7)):
        slots.receive(message)
    assert client.told[2:] == ["admitted", True, ("ended", ENDED)]
    slots.release(slot)
    slots.receive(end(7))
    assert client.told[5:] == []


async def test_a_session_that_is_cancelled_before_it_has_a_slot_gives_it_back() -> None:
    sent: list[object] = []
    slots = Slots(lambda *message: sent.append(message))
    (await asked(slots)).cancel()
    await asyncio.sleep(0)
    slots.receive(["granted", 1, 7, None])
    assert sent[1:] == [("release", 7)]


async def test_who_has_no_answer_when_the_parent_ends_is_refused() -> None:
    slots = Slots(lambda *_: None)
    asking, cancelled = await asked(slots), await asked(slots)
    cancelled.cancel()
    await asyncio.sleep(0)
    slots.close("the server is stopping")
    with pytest.raises(NoSlotError, match="the server is stopping"):
        await asking
