"""Slots: what the sessions of one worker have, and its parent gives; see ``admission``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pettui.ssh.admission import NoSlotError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
        """Start, continue or stop the countdown; called every second while anybody waits."""
        ...


@dataclass(slots=True, eq=False)
class Slot:
    """What a session has, or a place in the queue."""

    number: int  # in order of arrival, over all workers
    wait: tuple[int, float | None] | None  # position and seconds at first; None inside


class Slots:
    """The slots of one worker, and its clients that have or want one."""

    def __init__(self, send: Callable[..., None]) -> None:
        """Start without clients; messages to the parent are sent by a function."""
        self._send = send
        self._last_request = 0
        self._requests: dict[int, asyncio.Future[Slot]] = {}  # without an answer yet
        self._waiting: dict[int, Slot] = {}  # by number
        self._queued: dict[int, QueuedClient] = {}  # of those, once they are shown their position
        self._inside: dict[int, TimeLimited] = {}

    async def ask(self, address: str) -> Slot:
        """Return a slot for an address, which may be a place in the queue.

        Raises:
            NoSlotError: there is neither.
        """
        self._last_request += 1
        answer = asyncio.get_running_loop().create_future()
        self._requests[self._last_request] = answer
        self._send("ask", self._last_request, address)
        slot: Slot = await answer
        return slot

    def wait(self, slot: Slot, client: QueuedClient) -> None:
        """Show a client its position in the queue, now and until it is admitted."""
        if slot.wait is None:  # it was admitted meanwhile
            client.admit()
            return
        self._queued[slot.number] = client
        client.show(*slot.wait)

    def enter(self, slot: Slot, session: TimeLimited) -> None:
        """Register a session, which may be asked to make room."""
        self._inside[slot.number] = session

    def release(self, slot: Slot) -> None:
        """Free a slot, or a place in the queue, for the next client."""
        self._waiting.pop(slot.number, None)
        self._queued.pop(slot.number, None)
        self._inside.pop(slot.number, None)
        self._send("release", slot.number)

    def receive(self, message: Sequence[Any]) -> None:
        """Do what the parent says."""
        kind, *content = message
        if kind == "granted":
            self._granted(*content)
        elif kind == "refused":
            request, reason = content
            self._refuse(self._requests.pop(request), reason)
        elif kind == "admitted":
            self._admitted(*content)
        elif kind == "queue":
            self._update(*content)

    def close(self, reason: str) -> None:
        """Refuse all who have no answer yet: the parent has ended."""
        while self._requests:
            self._refuse(self._requests.popitem()[1], reason)

    def _granted(self, request: int, number: int, wait: tuple[int, float | None] | None) -> None:
        answer, slot = self._requests.pop(request), Slot(number, wait)
        if answer.done():  # the session was cancelled meanwhile
            self.release(slot)
            return
        if wait is not None:
            self._waiting[number] = slot
        answer.set_result(slot)

    def _refuse(self, answer: asyncio.Future[Slot], reason: str) -> None:
        if not answer.done():
            answer.set_exception(NoSlotError(reason))

    def _admitted(self, number: int) -> None:
        slot, client = self._waiting.pop(number, None), self._queued.pop(number, None)
        if slot is not None:
            slot.wait = None
        if client is not None:
            client.admit()

    def _update(
        self, positions: Sequence[tuple[int, int, float | None]], asked: Sequence[int]
    ) -> None:
        """Show clients their positions, and sessions whether they are to make room."""
        for number, position, seconds in positions:
            if number in self._queued:
                self._queued[number].show(position, seconds)
        for number, session in tuple(self._inside.items()):
            session.limit(is_asked_to_leave=number in asked)
