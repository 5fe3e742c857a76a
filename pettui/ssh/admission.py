"""The rules of admission: shares of addresses, order, estimates, and who is asked to leave.

Pure functions: ``session_slots`` reads the clock and the memory that the processes share.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.ssh.options import SshOptions

DEPARTURES: Final = 64  # ends of sessions that are remembered
DEPARTURES_MINIMUM: Final = 3  # from which on they are an estimate
DEPARTURES_SECONDS: Final = 900.0  # that they are remembered
DEPARTURES_SPAN: Final = 60.0  # seconds that they count as at least: many may leave at once


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
class TakenSlot:
    """A slot that a process has."""

    number: int  # in order of arrival
    seconds: float  # since its client came or, from the queue, was admitted
    is_inside: bool  # a session's, not a place in the queue


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Sessions and queue at one moment; numbers are in order of arrival."""

    now: float  # seconds, by a clock that all processes share
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
