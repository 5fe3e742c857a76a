"""Admission: lets the people of one process in, in their turn, and asks those to leave who may."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from pettui.ssh.admission.session_slots import SessionSlots, Slot
    from pettui.ssh.admission.waiting_queue import Occupancy
    from pettui.ssh.options import SshOptions

LOOK: Final = 1.0  # seconds between looks at the queue
NEAR: Final = 20  # places; whoever is further back is told at every fifth look alone
_FAR_LOOKS: Final = 5


class Waiting(Protocol):
    """Somebody who waits, as this process sees them."""

    def show(self, position: int, seconds: float | None) -> None:
        """Say how many are before them, and how long it takes, about."""
        ...

    def let_in(self) -> None:
        """Let them in: a slot is theirs."""
        ...


class TimeLimited(Protocol):
    """A session that may be asked to make room."""

    def limit(self, *, is_asked_to_leave: bool) -> None:
        """Take note of whether it is asked to leave; told of it again and again."""
        ...


class Admission:
    """The slots, and who of this process has or wants one.

    What it costs while nobody waits is one look a second at memory.
    """

    def __init__(self, slots: SessionSlots, worker: int, options: SshOptions) -> None:
        """Begin with nobody.

        Args:
            slots: of all processes.
            worker: which process this is.
            options: how many there may be, and for how long.
        """
        self._slots = slots
        self._worker = worker
        self._options = options
        self._waiting: dict[Slot, Waiting] = {}
        self._inside: dict[Slot, TimeLimited] = {}
        self._was_full = False  # somebody waited at the last look
        self._looks = 0

    def ask(self, address: str) -> Slot:
        """Take a slot for an address, or a place in the queue.

        Raises:
            NoSlotError: there is neither.
        """
        return self._slots.ask(self._worker, address)

    def is_inside(self, slot: Slot) -> bool:
        """Whether somebody need not wait, or no longer."""
        return self._slots.is_inside(slot)

    def wait(self, slot: Slot, waiting: Waiting) -> None:
        """Tell somebody where they stand in the queue, now and while they wait."""
        self._waiting[slot] = waiting
        self._show(waiting, slot, self._slots.occupancy())

    def enter(self, slot: Slot, session: TimeLimited) -> None:
        """Take note of a session that may be asked to make room."""
        self._waiting.pop(slot, None)
        self._inside[slot] = session

    def release(self, slot: Slot) -> None:
        """Free a slot, or a place in the queue, for whoever is next."""
        self._waiting.pop(slot, None)
        self._inside.pop(slot, None)
        self._slots.release(slot)

    async def watch(self) -> None:
        """Let people in and tell them where they stand, until cancelled."""
        loop = asyncio.get_running_loop()
        bell = self._slots.bell(self._worker)
        loop.add_reader(bell, self._answer_bell)
        try:
            while True:
                await asyncio.sleep(LOOK)
                self._let_in()
                self._look()
        finally:
            loop.remove_reader(bell)

    def _answer_bell(self) -> None:
        self._slots.answer_bell(self._worker)
        self._let_in()

    def _let_in(self) -> None:
        for slot in [slot for slot in self._waiting if self._slots.is_inside(slot)]:
            self._waiting.pop(slot).let_in()

    def _look(self) -> None:
        """Say to all who wait where they stand, and to sessions whether they are to make room."""
        is_full = self._slots.has_waiting()
        if is_full or self._was_full:
            occupancy = self._slots.occupancy()
            self._looks += 1
            is_for_all = self._looks % _FAR_LOOKS == 0
            near = occupancy if is_for_all else occupancy.front(NEAR)
            for slot, waiting in self._waiting.items():
                self._show(waiting, slot, near)
            asked = occupancy.asked_to_leave(self._options.time_limit)
            for slot, session in tuple(self._inside.items()):
                session.limit(is_asked_to_leave=slot.number in asked)
        self._was_full = is_full

    def _show(self, waiting: Waiting, slot: Slot, occupancy: Occupancy) -> None:
        position = occupancy.position(slot.number)
        if position is not None:
            options = self._options
            seconds = occupancy.seconds_until(position, options.time_limit, options.notice)
            waiting.show(position, seconds)
