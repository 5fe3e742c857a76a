"""Admission: admits the clients of one process in order, and asks old sessions to make room."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

from pettui.background_tasks import next_tick

if TYPE_CHECKING:
    from pettui.ssh.admission import Occupancy
    from pettui.ssh.options import SshOptions
    from pettui.ssh.session_slots import SessionSlots, Slot

INTERVAL: Final = 1.0  # seconds between two checks of the queue
FRONT: Final = 20  # positions that are updated at every check
_BACK_EVERY: Final = 5  # checks between two updates of those further back


class QueuedClient(Protocol):
    """A client in the queue."""

    def show(self, position: int, seconds: float | None) -> None:
        """Show a position, from 1, and the estimated seconds until it is their turn."""
        ...

    def admit(self) -> None:
        """End the wait: the client has a slot."""
        ...


class TimeLimited(Protocol):
    """A session that may be asked to make room."""

    def limit(self, *, is_asked_to_leave: bool) -> None:
        """Start, continue or stop the countdown; called about once a second."""
        ...


class Admission:
    """The slots, and the clients of this process that have or want one.

    While nobody waits it costs one read of memory a second.
    """

    def __init__(self, slots: SessionSlots, worker: int, options: SshOptions) -> None:
        """Start without clients.

        Args:
            slots: of all processes.
            worker: index of this process.
            options: the limits on numbers and time.
        """
        self._slots = slots
        self._worker = worker
        self._options = options
        self._queued: dict[Slot, QueuedClient] = {}
        self._inside: dict[Slot, TimeLimited] = {}
        self._was_full = False  # somebody waited at the last check
        self._checks = 0

    def ask(self, address: str) -> Slot:
        """Return a slot for an address, which may be a place in the queue.

        Raises:
            NoSlotError: there is neither.
        """
        return self._slots.ask(self._worker, address)

    def is_inside(self, slot: Slot) -> bool:
        """Whether a slot is a session's, not a place in the queue."""
        return self._slots.is_inside(slot)

    def wait(self, slot: Slot, client: QueuedClient) -> None:
        """Show a client its position in the queue, now and until it is admitted."""
        self._queued[slot] = client
        self._show(client, slot, self._slots.occupancy())

    def enter(self, slot: Slot, session: TimeLimited) -> None:
        """Register a session, which may be asked to make room."""
        self._queued.pop(slot, None)
        self._inside[slot] = session

    def release(self, slot: Slot) -> None:
        """Free a slot, or a place in the queue, for the next client."""
        self._queued.pop(slot, None)
        self._inside.pop(slot, None)
        self._slots.release(slot)

    async def watch(self) -> None:
        """Admit clients and update their positions, until cancelled."""
        loop = asyncio.get_running_loop()
        wakeup = self._slots.wakeups.descriptor(self._worker)
        loop.add_reader(wakeup, self._on_wakeup)
        try:
            while True:
                await next_tick(INTERVAL)
                self._admit()
                self._check()
        finally:
            loop.remove_reader(wakeup)

    def _on_wakeup(self) -> None:
        self._slots.wakeups.clear(self._worker)
        self._admit()

    def _admit(self) -> None:
        for slot in [slot for slot in self._queued if self._slots.is_inside(slot)]:
            self._queued.pop(slot).admit()

    def _check(self) -> None:
        """Show queued clients their positions, and sessions whether they are to make room."""
        is_full = self._slots.has_waiting()
        if is_full or self._was_full:
            occupancy = self._slots.occupancy()
            self._checks += 1
            is_for_all = self._checks % _BACK_EVERY == 0
            shown = occupancy if is_for_all else occupancy.front(FRONT)
            for slot, client in self._queued.items():
                self._show(client, slot, shown)
            asked = occupancy.asked_to_leave(self._options.time_limit)
            for slot, session in tuple(self._inside.items()):
                session.limit(is_asked_to_leave=slot.number in asked)
        self._was_full = is_full

    def _show(self, client: QueuedClient, slot: Slot, occupancy: Occupancy) -> None:
        position = occupancy.position(slot.number)
        if position is not None:
            options = self._options
            seconds = occupancy.seconds_until(position, options.time_limit, options.notice)
            client.show(position, seconds)
