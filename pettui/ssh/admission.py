"""Who is inside and who waits: the one list, and what the workers know of it.

``Admission`` is the list of the parent of all workers. A worker's ``Slots`` ask it for a slot for
each client, and release that; the list tells them who may enter, the positions of those who wait,
and who is to make room.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pettui.ssh.options import SshOptions

ENDED: Final = "an administrator has ended this session"
DRAINING: Final = (
    "the server is about to restart, and takes no new sessions; please log in again in a moment"
)
LISTED: Final = 4_000  # sessions, and those who wait
THREADS_MAXIMUM: Final = 256  # of ended sessions of one network, whose calls have not returned
DEPARTURES: Final = 64  # ends of sessions that are remembered
DEPARTURES_MINIMUM: Final = 3  # from which on they are an estimate
DEPARTURES_SECONDS: Final = 900.0  # that they are remembered
DEPARTURES_SPAN: Final = 60.0  # seconds that they count as at least: many may leave at once


def network_of(address: str) -> str:
    """Return what counts as one address: in IPv6 the /64 network, since a home has all of it."""
    with suppress(ValueError):
        parsed = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address):
            return parsed.ipv4_mapped.compressed if parsed.ipv4_mapped else parsed.exploded[:19]
    return address


class Worker(Protocol):
    """A worker process, as the list sees it."""

    def send(self, *message: object) -> None:
        """Send it a message."""
        ...


@dataclass(slots=True, eq=False)
class Slot:
    """What a session has, or a client that waits for one."""

    number: int  # in order of arrival, from 1
    worker: Worker
    network: str
    since: float  # when the client came or, from the queue, was admitted
    is_inside: bool
    who: Mapping[str, Any]  # as the log says it


class Admission:
    """The list of all who are inside or wait, whatever their worker."""

    def __init__(self, options: SshOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with an empty list.

        Args:
            options: the limits on numbers and time.
            clock: seconds.
        """
        self._options = options
        self._clock = clock
        self._last = 0  # number that was given
        self._slots: dict[int, Slot] = {}  # by number, in order of arrival
        self._departures: deque[float] = deque(maxlen=DEPARTURES)
        self._was_queued = False  # somebody waited when the workers were told last
        self._is_draining = False
        self._threads: dict[Worker, Counter[str]] = {}  # that outlive their sessions, by network

    def receive(self, worker: Worker, message: Sequence[Any]) -> None:
        """Do what a worker asks: a slot for an address, to release one, or to count threads.

        Raises:
            ValueError: it is none of that.
        """
        match message:
            case ["ask", *content]:
                self._ask(worker, *content)
            case ["release", number]:
                self._release(number)
            case ["threads", network, change]:
                counts = self._threads.setdefault(worker, Counter())
                counts[network] += change
                if not counts[network]:
                    del counts[network]
            case _:
                raise ValueError("no message")

    def leave(self, worker: Worker) -> list[Slot]:
        """Release the slots of a worker that has ended; return them in order of arrival."""
        left = [slot for slot in self._slots.values() if slot.worker is worker]
        for slot in left:
            del self._slots[slot.number]
        self._threads.pop(worker, None)
        self._admit()
        return left

    @property
    def arrivals(self) -> int:
        """How many slots it has given so far."""
        return self._last

    def clients(self) -> list[dict[str, Any]]:
        """Return who is inside or waits, and for how long, in order of arrival."""
        return [
            {
                "session": slot.number,
                "state": "inside" if slot.is_inside else "waiting",
                "seconds": round(self.seconds_of(slot), 1),
                **slot.who,
            }
            for slot in islice(self._slots.values(), LISTED)
        ]

    def end(self, who: int | str) -> int:
        """Have workers end a session, or a client's wait, or all of a key; return how many.

        Args:
            who: the number of a session, or the fingerprint of a key.
        """
        ended = [
            slot
            for slot in self._slots.values()
            if who in (slot.number, slot.who.get("fingerprint"))
        ]
        for slot in ended:
            slot.worker.send("end", slot.number, "ended", ENDED)
        return len(ended)

    def drain(self) -> None:
        """Give no slot from now on, and send those away who wait."""
        self._is_draining = True
        for slot in self._waiting():
            slot.worker.send("end", slot.number, "drained", DRAINING)

    def seconds_of(self, slot: Slot) -> float:
        """Return for how long a client has had a slot."""
        return self._clock() - slot.since

    def counts(self, worker: Worker | None = None) -> tuple[int, int]:
        """Return the numbers of sessions and of waiting clients, of a worker or of all."""
        slots = self._slots.values()
        kinds = [slot.is_inside for slot in slots if worker in (None, slot.worker)]
        return kinds.count(True), kinds.count(False)

    def update(self) -> None:
        """Tell the workers who waits where, and who is to make room; to be called every second.

        Once nobody waits any more they are told that, too.
        """
        waiting, oldest = self._waiting(), self._oldest()
        if not waiting and not self._was_queued:
            return
        self._was_queued = bool(waiting)
        positions = [
            (slot, (slot.number, position, self._seconds_until(position, oldest)))
            for position, slot in enumerate(waiting, 1)
        ]
        limit, now = self._options.time_limit, self._clock()
        asked = [slot for slot in oldest[: len(waiting)] if limit and now - slot.since >= limit]
        for worker in {slot.worker for slot in self._slots.values()}:
            worker.send(
                "queue",
                [position for slot, position in positions if slot.worker is worker],
                [slot.number for slot in asked if slot.worker is worker],
            )

    def _ask(self, worker: Worker, request: int, who: Mapping[str, Any]) -> None:
        network, waiting = network_of(who["address"]), self._waiting()
        is_free = len(self._inside()) < self._options.max_sessions and not waiting
        reason = DRAINING if self._is_draining else ""
        reason = reason or self._refusal(network, waiting=None if is_free else len(waiting))
        if reason:
            worker.send("refused", request, reason)
            return
        self._last += 1
        slot = Slot(self._last, worker, network, self._clock(), is_free, who)
        self._slots[slot.number] = slot
        position = len(waiting) + 1
        wait = None if is_free else (position, self._seconds_until(position, self._oldest()))
        worker.send("granted", request, slot.number, wait)

    def _refusal(self, network: str, waiting: int | None) -> str:
        """Return why a client gets neither a slot nor a place in the queue; "" if it gets one.

        Clients that wait count in the share of a network: so the first one may always be admitted.

        Args:
            network: of the client.
            waiting: clients; None if it may enter at once.
        """
        options = self._options
        share = [slot for slot in self._slots.values() if slot.network == network]
        if len(share) >= options.per_address:
            sessions = f"{options.per_address} sessions from your address"
            return f"{sessions} are open or waiting already"
        threads = sum(counts[network] for counts in self._threads.values())
        if threads >= THREADS_MAXIMUM:
            return (
                f"{threads} threads of ended sessions from your address still run; try again later"
            )
        if waiting is None or waiting < options.max_queue:
            return ""
        full = "the server and its queue are full" if options.max_queue else "the server is full"
        return f"{full}; try again later"

    def _seconds_until(self, position: int, oldest: Sequence[Slot]) -> float | None:
        """Return the estimated wait in seconds; None where nothing is known.

        It is estimated from the rate at which sessions ended lately, and from the sessions' limit
        of time, whichever is sooner.

        Args:
            position: in the queue, from 1.
            oldest: sessions in their order.
        """
        now, limit, notice = self._clock(), self._options.time_limit, self._options.notice
        known = []
        recent = [at for at in self._departures if now - at <= DEPARTURES_SECONDS]
        if len(recent) >= DEPARTURES_MINIMUM:
            known.append(position * max(now - min(recent), DEPARTURES_SPAN) / len(recent))
        if limit and oldest:
            rounds, index = divmod(position - 1, len(oldest))
            left = max(oldest[index].since + limit - now, 0.0) + notice
            known.append(left + rounds * (limit + notice))
        return min(known, default=None)

    def _release(self, number: int) -> None:
        slot = self._slots.pop(number, None)
        if slot is not None and slot.is_inside:
            self._departures.append(self._clock())
        self._admit()

    def _admit(self) -> None:
        """Admit those who waited longest, while there are slots."""
        free = self._options.max_sessions - len(self._inside())
        for slot in self._waiting()[: max(free, 0)]:
            slot.is_inside, slot.since = True, self._clock()
            slot.worker.send("admitted", slot.number)

    def _inside(self) -> list[Slot]:
        return [slot for slot in self._slots.values() if slot.is_inside]

    def _oldest(self) -> list[Slot]:
        """Return the sessions, the oldest first."""
        return sorted(self._inside(), key=lambda slot: slot.since)

    def _waiting(self) -> list[Slot]:
        return [slot for slot in self._slots.values() if not slot.is_inside]


# In a worker


class NoSlotError(Exception):
    """There is neither a slot nor a place in the queue; its text says why."""


class Session(Protocol):
    """A session that has a slot, or waits for one."""

    def show_wait(self, position: int, seconds: float | None) -> None:
        """Show a position, from 1, and the estimated seconds until it is their turn."""
        ...

    def admit(self) -> None:
        """End the wait: the client has a slot."""
        ...

    def limit(self, *, is_asked_to_leave: bool) -> None:
        """Start, continue or stop the countdown; called every second while anybody waits."""
        ...

    def drain(self, until: float) -> None:
        """Tell its user when it ends, since the server does; by the loop's clock."""
        ...

    def end(self, reason: str, farewell: str = ...) -> None:
        """End it soon, with a reason for the log and a line for its user."""
        ...


@dataclass(slots=True, eq=False)
class SessionSlot:
    """What a session has, or a place in the queue."""

    number: int  # in order of arrival, over all workers
    session: Session
    wait: tuple[int, float | None] | None  # position and seconds at first; None inside


class Slots:
    """The slots of one worker, and its sessions that have or want one."""

    def __init__(self, send: Callable[..., None]) -> None:
        """Start without sessions; messages to the parent are sent by a function."""
        self._send = send
        self._last_request = 0
        # Without an answer yet.
        self._requests: dict[int, tuple[Session, asyncio.Future[SessionSlot]]] = {}
        self._slots: dict[int, SessionSlot] = {}  # by number

    async def ask(self, session: Session, who: Mapping[str, Any]) -> SessionSlot:
        """Return a slot, which may be a place in the queue.

        Args:
            session: that gets it.
            who: it is: the address, and what those are told who ask the server.

        Raises:
            NoSlotError: there is neither.
        """
        self._last_request += 1
        answer = asyncio.get_running_loop().create_future()
        self._requests[self._last_request] = session, answer
        self._send("ask", self._last_request, dict(who))
        slot: SessionSlot = await answer
        return slot

    def release(self, slot: SessionSlot) -> None:
        """Free a slot, or a place in the queue, for the next client."""
        self._slots.pop(slot.number, None)
        self._send("release", slot.number)

    def outlive(self, address: str, threads: int) -> None:
        """Count threads of an address that have outlived their session, or fewer of them."""
        self._send("threads", network_of(address), threads)

    def receive(self, message: Sequence[Any]) -> None:
        """Do what the parent says."""
        match message:
            case ["granted", *content]:
                self._granted(*content)
            case ["refused", request, reason]:
                self._refuse(request, reason)
            case ["admitted", number] if (slot := self._slots.get(number)) is not None:
                slot.wait = None
                slot.session.admit()
            case ["queue", positions, asked]:
                self._update(positions, asked)
            case ["end", number, reason, farewell] if number in self._slots:
                self._slots[number].session.end(reason, farewell)

    def close(self, reason: str) -> None:
        """Refuse all who have no answer yet: the parent has ended."""
        for request in tuple(self._requests):
            self._refuse(request, reason)

    def _granted(self, request: int, number: int, wait: tuple[int, float | None] | None) -> None:
        session, answer = self._requests.pop(request)
        slot = SessionSlot(number, session, wait)
        if answer.done():  # the session was cancelled meanwhile
            self.release(slot)
            return
        self._slots[number] = slot
        answer.set_result(slot)

    def _refuse(self, request: int, reason: str) -> None:
        _, answer = self._requests.pop(request)
        if not answer.done():
            answer.set_exception(NoSlotError(reason))

    def _update(
        self, positions: Sequence[tuple[int, int, float | None]], asked: Sequence[int]
    ) -> None:
        """Show clients their positions, and sessions whether they are to make room."""
        for number, position, seconds in positions:
            if (slot := self._slots.get(number)) is not None:
                slot.session.show_wait(position, seconds)
        for slot in tuple(self._slots.values()):
            slot.session.limit(is_asked_to_leave=slot.number in asked)
