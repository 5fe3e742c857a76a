"""Who is inside and who waits: the rules, and the one list, which the parent of all workers keeps.

The rules are pure: shares of addresses, order, estimates, and who is asked to leave. ``Admission``
applies them to what the workers ask.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.ssh.options import SshOptions

DEPARTURES: Final = 64  # ends of sessions that are remembered
DEPARTURES_MINIMUM: Final = 3  # from which on they are an estimate
DEPARTURES_SECONDS: Final = 900.0  # that they are remembered
DEPARTURES_SPAN: Final = 60.0  # seconds that they count as at least: many may leave at once
FRONT: Final = 20  # positions that are updated every second
BACK_EVERY: Final = 5  # seconds between two updates of those further back


class NoSlotError(Exception):
    """There is neither a slot nor a place in the queue; its text says why."""


def network_of(address: str) -> str:
    """Return what counts as one address: in IPv6 the /64 network, since a home has all of it."""
    with suppress(ValueError):
        parsed = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address):
            return parsed.ipv4_mapped.compressed if parsed.ipv4_mapped else parsed.exploded[:19]
    return address


def check_share(options: SshOptions, of_address: int) -> None:
    """Check that an address has less than its share of sessions and queued clients.

    Queued clients count, too: so the first one in the queue may always be admitted.

    Raises:
        NoSlotError: it has its share.
    """
    if of_address >= options.per_address:
        sessions = f"{options.per_address} sessions from your address"
        raise NoSlotError(f"{sessions} are open or waiting already")


def is_next(options: SshOptions, sessions: int, waiting: int) -> bool:
    """Whether a new client is admitted at once: there is a slot, and nobody is waiting.

    Raises:
        NoSlotError: all slots are taken, and the queue is full.
    """
    if sessions < options.max_sessions and not waiting:
        return True
    if waiting >= options.max_queue:
        full = "the server and its queue are full" if options.max_queue else "the server is full"
        raise NoSlotError(f"{full}; try again later")
    return False


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Sessions and queue at one moment; numbers are in order of arrival."""

    now: float  # seconds, by the clock of the others
    sessions: tuple[tuple[float, int], ...]  # start and number, the oldest first
    waiting: tuple[int, ...]  # numbers in order of arrival
    departures: tuple[float, ...] = ()  # when the last sessions ended

    def front(self, length: int) -> Occupancy:
        """Return the same with only the front of the queue."""
        return replace(self, waiting=self.waiting[:length])

    def position(self, number: int) -> int | None:
        """Return the position in the queue, from 1; None for one that is not in it."""
        index = bisect_left(self.waiting, number)
        is_there = index < len(self.waiting) and self.waiting[index] == number
        return index + 1 if is_there else None

    def asked_to_leave(self, time_limit: float) -> frozenset[int]:
        """Return the sessions over the time limit that are to make room, one for each in the queue.

        Args:
            time_limit: seconds of a session; 0 for no limit.
        """
        if not time_limit or not self.waiting:
            return frozenset()
        first = self.sessions[: len(self.waiting)]
        return frozenset(number for since, number in first if self.now - since >= time_limit)

    def seconds_until(self, position: int, time_limit: float, notice: float) -> float | None:
        """Return the estimated wait in seconds; None where nothing is known.

        Args:
            position: in the queue, from 1.
            time_limit: seconds of a session while others wait; 0 for no limit.
            notice: seconds that it then has to end.
        """
        known = (self._by_departures(position), self._by_limit(position, time_limit, notice))
        return min((seconds for seconds in known if seconds is not None), default=None)

    def _by_departures(self, position: int) -> float | None:
        """Estimate from the rate at which sessions ended lately."""
        recent = [at for at in self.departures if self.now - at <= DEPARTURES_SECONDS]
        if len(recent) < DEPARTURES_MINIMUM:
            return None
        return position * max(self.now - min(recent), DEPARTURES_SPAN) / len(recent)

    def _by_limit(self, position: int, time_limit: float, notice: float) -> float | None:
        """Estimate for sessions that all last as long as they may."""
        if not time_limit or not self.sessions:
            return None
        rounds, index = divmod(position - 1, len(self.sessions))
        since, _ = self.sessions[index]
        first = max(since + time_limit - self.now, 0.0) + notice
        return first + rounds * (time_limit + notice)


class Worker(Protocol):
    """A worker process, as the list sees it."""

    def send(self, *message: object) -> None:
        """Send it a message."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether it has not read yet what was sent before."""
        ...


@dataclass(slots=True, eq=False)
class Place:
    """The place of a client: a session's slot, or one in the queue."""

    number: int  # in order of arrival, from 1
    worker: Worker
    network: str
    since: float  # when the client came or, from the queue, was admitted
    is_inside: bool


class Admission:
    """The list of all who are inside or wait, whatever their worker.

    A worker asks for each client, and releases its place. It is told when a client that waits may
    enter and, every second while anybody waits, the positions and who is to make room.
    """

    def __init__(self, options: SshOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with an empty list.

        Args:
            options: the limits on numbers and time.
            clock: seconds.
        """
        self._options = options
        self._clock = clock
        self._last = 0  # number that was given
        self._places: dict[int, Place] = {}  # by number, in order of arrival
        self._departures: deque[float] = deque(maxlen=DEPARTURES)
        self._updates = 0
        self._updated: set[Worker] = set()  # who know that somebody waits

    def receive(self, worker: Worker, message: Sequence[Any]) -> None:
        """Do what a worker asks: a place for an address, or to release one."""
        kind, *content = message
        if kind == "ask":
            self._ask(worker, *content)
        elif kind == "release":
            self._release(*content)

    def leave(self, worker: Worker) -> list[Place]:
        """Release the places of a worker that has ended; return them in order of arrival."""
        left = [place for place in self._places.values() if place.worker is worker]
        for place in left:
            del self._places[place.number]
        self._updated.discard(worker)
        self._admit()
        return left

    def seconds_of(self, place: Place) -> float:
        """Return for how long a client has had a place."""
        return self._clock() - place.since

    def counts(self, worker: Worker) -> tuple[int, int]:
        """Return the numbers of sessions and of waiting clients of a worker."""
        kinds = [place.is_inside for place in self._places.values() if place.worker is worker]
        return kinds.count(True), kinds.count(False)

    def occupancy(self) -> Occupancy:
        """Return who has a session and who waits now."""
        inside, waiting = self._inside(), self._waiting()
        return Occupancy(
            self._clock(),
            tuple(sorted((place.since, place.number) for place in inside)),
            tuple(place.number for place in waiting),
            tuple(self._departures),
        )

    def update(self) -> None:
        """Tell the workers who waits where, and who is to make room; to be called every second.

        A worker that does not read gets it later: it is told until it knows that nobody waits.
        """
        occupancy = self.occupancy()
        if occupancy.waiting:
            self._updated.update(place.worker for place in self._places.values())
        self._updates += 1
        shown = occupancy if self._updates % BACK_EVERY == 0 else occupancy.front(FRONT)
        asked = occupancy.asked_to_leave(self._options.time_limit)
        for worker in [worker for worker in self._updated if not worker.is_behind]:
            numbers = [place.number for place in self._places.values() if place.worker is worker]
            positions = [
                (number, *self._wait_at(position, occupancy))
                for number in numbers
                if (position := shown.position(number)) is not None
            ]
            worker.send("queue", positions, [number for number in numbers if number in asked])
            if not occupancy.waiting:
                self._updated.discard(worker)

    def _ask(self, worker: Worker, request: int, address: str) -> None:
        network = network_of(address)
        of_address = sum(place.network == network for place in self._places.values())
        try:
            check_share(self._options, of_address)
            may_enter = is_next(self._options, len(self._inside()), len(self._waiting()))
        except NoSlotError as error:
            worker.send("refused", request, str(error))
            return
        self._last += 1
        place = Place(self._last, worker, network, self._clock(), may_enter)
        self._places[place.number] = place
        wait = None if may_enter else self._wait_at(len(self._waiting()), self.occupancy())
        worker.send("granted", request, place.number, wait)

    def _wait_at(self, position: int, occupancy: Occupancy) -> tuple[int, float | None]:
        options = self._options
        return position, occupancy.seconds_until(position, options.time_limit, options.notice)

    def _release(self, number: int) -> None:
        place = self._places.pop(number, None)
        if place is not None and place.is_inside:
            self._departures.append(self._clock())
        self._admit()

    def _admit(self) -> None:
        """Admit those who waited longest, while there are slots."""
        free = self._options.max_sessions - len(self._inside())
        for place in self._waiting()[: max(free, 0)]:
            place.is_inside, place.since = True, self._clock()
            place.worker.send("admitted", place.number)

    def _inside(self) -> list[Place]:
        return [place for place in self._places.values() if place.is_inside]

    def _waiting(self) -> list[Place]:
        return [place for place in self._places.values() if not place.is_inside]
