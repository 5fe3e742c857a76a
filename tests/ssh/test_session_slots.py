"""SessionSlots: none is lost, however clients wait, enter and disconnect."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pettui.ssh.admission import NoSlotError, TakenSlot
from pettui.ssh.options import SshOptions
from pettui.ssh.session_slots import SessionSlots, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORKERS = 3
OPTIONS = SshOptions(workers=WORKERS, max_sessions=3, max_queue=4, per_address=4)
ANNA, BEN = "192.0.2.1", "2001:db8::1"


@pytest.fixture
def new_slots() -> Iterator[Callable[..., SessionSlots]]:
    made: list[SessionSlots] = []

    def new_slots(**options: int) -> SessionSlots:
        made.append(SessionSlots(SshOptions(**{"workers": 2, **options})))
        return made[-1]

    yield new_slots
    for slots in made:
        slots.close()


def was_woken(slots: SessionSlots, worker: int) -> bool:
    """Whether a process was woken; the wake-up is cleared."""
    ready = bool(select.select([slots.wakeups.descriptor(worker)], [], [], 0)[0])
    slots.wakeups.clear(worker)
    return ready


def test_slots_are_counted_over_all_processes(new_slots: Callable[..., SessionSlots]) -> None:
    slots = new_slots(max_sessions=3, per_address=2, max_queue=0)
    first, _ = slots.ask(0, ANNA), slots.ask(1, ANNA)
    with pytest.raises(NoSlotError, match="2 sessions from your address"):
        slots.ask(0, ANNA)
    slots.ask(1, BEN)
    with pytest.raises(NoSlotError, match="server is full"):
        slots.ask(0, BEN)
    slots.release(first)
    assert slots.is_inside(slots.ask(0, BEN))
    assert slots.counts() == [(1, 0), (2, 0)]


def test_the_first_client_is_admitted_and_its_process_is_woken(
    new_slots: Callable[..., SessionSlots],
) -> None:
    slots = new_slots(max_sessions=1)
    inside, first, second = slots.ask(0, ANNA), slots.ask(1, BEN), slots.ask(0, ANNA)
    assert [slots.is_inside(slot) for slot in (inside, first, second)] == [True, False, False]
    slots.release(inside)
    assert [slots.is_inside(slot) for slot in (first, second)] == [True, False]
    assert (was_woken(slots, 0), was_woken(slots, 1)) == (False, True)
    assert not was_woken(slots, 1)


def test_a_client_that_left_the_queue_is_skipped(new_slots: Callable[..., SessionSlots]) -> None:
    slots = new_slots(max_sessions=1)
    inside, first, second = slots.ask(0, ANNA), slots.ask(0, BEN), slots.ask(0, ANNA)
    slots.release(first)
    slots.release(first)
    slots.release(inside)
    assert slots.is_inside(second)
    assert slots.counts() == [(1, 0), (0, 0)]


def test_an_ipv6_network_has_one_share(new_slots: Callable[..., SessionSlots]) -> None:
    slots = new_slots(max_sessions=1, per_address=2)
    slots.ask(0, "2001:db8:1:2::1")
    slots.ask(1, "2001:db8:1:2:ffff::9")  # waits
    with pytest.raises(NoSlotError, match="your address"):
        slots.ask(0, "2001:db8:1:2::7")
    slots.ask(0, "2001:db8:1:3::1")


def test_slots_of_a_dead_process_are_freed_for_others(
    new_slots: Callable[..., SessionSlots],
) -> None:
    slots = new_slots(max_sessions=2)
    for _ in range(2):
        slots.ask(0, ANNA)
    slots.ask(0, ANNA)  # waits in the process that dies
    waiting = slots.ask(1, BEN)
    slots.clear(0)
    assert slots.is_inside(waiting)
    assert slots.counts() == [(0, 0), (1, 0)]


def test_the_slots_of_a_process_are_known_until_they_are_freed() -> None:
    now = [100.0]
    slots = SessionSlots(SshOptions(workers=2, max_sessions=2), clock=lambda: now[0])
    other, inside, waiting = slots.ask(0, BEN), slots.ask(1, ANNA), slots.ask(1, BEN)
    now[0] = 130.0
    assert slots.taken_by(1) == [
        TakenSlot(inside.number, 30.0, is_inside=True),
        TakenSlot(waiting.number, 30.0, is_inside=False),
    ]
    slots.clear(1)
    assert slots.taken_by(1) == []
    assert slots.taken_by(0) == [TakenSlot(other.number, 30.0, is_inside=True)]
    slots.close()


def test_the_age_of_a_session_counts_from_its_admission() -> None:
    now = [100.0]
    slots = SessionSlots(SshOptions(max_sessions=1), clock=lambda: now[0])
    inside, waiting = slots.ask(0, ANNA), slots.ask(0, BEN)
    now[0] = 400.0
    assert slots.occupancy().asked_to_leave(300) == {inside.number}
    slots.release(inside)
    assert slots.occupancy().sessions == ((400.0, waiting.number),)
    assert slots.occupancy().departures == (400.0,)
    slots.close()


class Queue(RuleBasedStateMachine):
    """Slots of several processes, compared with lists of sessions and waiting clients."""

    def __init__(self) -> None:
        super().__init__()
        self.slots = SessionSlots(OPTIONS)
        self.inside: list[tuple[Slot, int, str]] = []
        self.waiting: list[tuple[Slot, int, str]] = []

    @rule(worker=st.integers(0, WORKERS - 1), address=st.sampled_from([ANNA, BEN, "192.0.2.9"]))
    def come(self, worker: int, address: str) -> None:
        everybody = self.inside + self.waiting
        has_share = sum(one[2] == address for one in everybody) >= OPTIONS.per_address
        is_full = len(everybody) >= OPTIONS.max_sessions + OPTIONS.max_queue
        try:
            slot = self.slots.ask(worker, address)
        except NoSlotError:
            assert has_share or is_full
            return
        assert not has_share
        assert not is_full
        (self.waiting if len(self.inside) >= OPTIONS.max_sessions else self.inside).append(
            (slot, worker, address)
        )

    @precondition(lambda self: self.inside or self.waiting)
    @rule(choice=st.randoms(use_true_random=False), again=st.booleans())
    def go(self, choice: Random, again: bool) -> None:
        one = choice.choice(self.inside + self.waiting)
        for _ in range(1 + again):
            self.slots.release(one[0])
        (self.inside if one in self.inside else self.waiting).remove(one)
        self.move_up()

    @rule(worker=st.integers(0, WORKERS - 1))
    def die(self, worker: int) -> None:
        self.slots.clear(worker)
        self.inside = [one for one in self.inside if one[1] != worker]
        self.waiting = [one for one in self.waiting if one[1] != worker]
        self.move_up()

    def move_up(self) -> None:
        while self.waiting and len(self.inside) < OPTIONS.max_sessions:
            self.inside.append(self.waiting.pop(0))

    @invariant()
    def is_as_expected(self) -> None:
        there = self.slots.occupancy()
        assert {number for _, number in there.sessions} == {one[0].number for one in self.inside}
        assert there.waiting == tuple(one[0].number for one in self.waiting)
        for index, (slot, _, _) in enumerate(self.waiting, 1):
            assert there.position(slot.number) == index
        assert all(self.slots.is_inside(slot) for slot, _, _ in self.inside)

    def teardown(self) -> None:
        self.slots.close()


Queue.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_any_order_of_events_leaves_everybody_where_they_belong = Queue.TestCase


def run_clients(slots: SessionSlots, worker: int, clients: int) -> None:
    """Run a process of random clients until none is left."""
    dice = Random(worker)
    here: list[Slot] = []
    while clients or here:
        if clients and (not here or dice.random() < 0.5):
            clients -= 1
            try:
                here.append(slots.ask(worker, f"192.0.2.{dice.randrange(40)}"))
            except NoSlotError:
                continue
        else:
            slots.release(here.pop(dice.randrange(len(here))))


@pytest.mark.parametrize("clients", [1_000])
def test_a_thousand_sessions_of_many_processes_leave_every_count_at_zero(clients: int) -> None:
    """Processes change slots at once; some are killed, often during a change."""
    workers = 8
    slots = SessionSlots(SshOptions(workers=workers, max_sessions=20, max_queue=30, per_address=9))
    context = multiprocessing.get_context("fork")
    started = [
        context.Process(
            target=run_clients, args=(slots, worker, clients // workers if worker % 2 else 10**9)
        )
        for worker in range(workers)
    ]
    for process in started:
        process.start()
    for process in started[1::2]:  # those that end by themselves
        process.join()
    for worker, process in enumerate(started):
        if worker % 2 == 0:
            os.kill(process.pid or 0, signal.SIGKILL)
            process.join()
            slots.clear(worker)
    assert [process.exitcode for process in started] == [-signal.SIGKILL, 0] * (workers // 2)
    assert slots.counts() == [(0, 0)] * workers
    everybody = [slots.ask(0, f"192.0.2.{number}") for number in range(50)]
    assert [slots.is_inside(slot) for slot in everybody] == [True] * 20 + [False] * 30
    slots.close()
