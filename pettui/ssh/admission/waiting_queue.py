"""The queue for sessions as a pure thing: order, shares, estimates, and who is asked to leave.

Nothing here reads a clock or the memory that the processes share: ``session_slots`` does.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.ssh.options import SshOptions

DEPARTURES: Final = 64  # last ends of sessions that are remembered
DEPARTURES_MINIMUM: Final = 3  # from which on they say how fast it goes
DEPARTURES_SECONDS: Final = 900.0  # that they count
DEPARTURES_SPAN: Final = 60.0  # seconds that they are spread over at least: many may go at once
_MINUTES_MAXIMUM: Final = 90  # more than that nobody knows so exactly


class NoSlotError(Exception):
    """There is neither a slot nor a place in the queue; the text says why."""


def check_share(options: SshOptions, of_address: int) -> None:
    """Check that an address has less than its share, of sessions and those who wait together.

    Whoever waits can therefore always be the next one: nobody is passed over.

    Raises:
        NoSlotError: it has its share.
    """
    if of_address >= options.per_address:
        sessions = f"{options.per_address} sessions from your address"
        raise NoSlotError(f"{sessions} are open or waiting already")


def is_next(options: SshOptions, sessions: int, waiting: int) -> bool:
    """Whether somebody who comes now gets in at once: there is a slot, and nobody was first.

    Raises:
        NoSlotError: all slots are taken, and the queue is full.
    """
    if sessions < options.max_sessions and not waiting:
        return True
    if waiting >= options.max_queue:
        places = f"all {options.max_sessions} places are taken"
        queue = " and the queue is full" if options.max_queue else ""
        raise NoSlotError(f"{places}{queue}; try again later")
    return False


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Who is there at one moment, each by a number that grows with everybody who comes."""

    now: float  # seconds of a clock that all processes have
    sessions: tuple[tuple[float, int], ...]  # since when and which, the oldest first
    waiting: tuple[int, ...]  # in the order in which they came
    departures: tuple[float, ...] = ()  # when sessions ended lately

    def front(self, places: int) -> Occupancy:
        """Return the same with the front of the queue alone."""
        return replace(self, waiting=self.waiting[:places])

    def position(self, number: int) -> int | None:
        """Return how many are before somebody who waits, and themselves; None for nobody."""
        index = bisect_left(self.waiting, number)
        is_there = index < len(self.waiting) and self.waiting[index] == number
        return index + 1 if is_there else None

    def asked_to_leave(self, time_limit: float) -> frozenset[int]:
        """Return the sessions over a limit that are to make room: one for each who waits.

        Args:
            time_limit: seconds of a session; 0 for no limit.
        """
        if not time_limit or not self.waiting:
            return frozenset()
        first = self.sessions[: len(self.waiting)]
        return frozenset(number for since, number in first if self.now - since >= time_limit)

    def seconds_until(self, position: int, time_limit: float, notice: float) -> float | None:
        """Return about how long somebody waits; None where nothing is known.

        Args:
            position: theirs, from 1.
            time_limit: seconds of a session while others wait; 0 for no limit.
            notice: seconds that it has then to end.
        """
        known = (self._by_departures(position), self._by_limit(position, time_limit, notice))
        return min((seconds for seconds in known if seconds is not None), default=None)

    def _by_departures(self, position: int) -> float | None:
        """Reckon with as many ends of sessions in a time as there were lately."""
        recent = [at for at in self.departures if self.now - at <= DEPARTURES_SECONDS]
        if len(recent) < DEPARTURES_MINIMUM:
            return None
        return position * max(self.now - min(recent), DEPARTURES_SPAN) / len(recent)

    def _by_limit(self, position: int, time_limit: float, notice: float) -> float | None:
        """Reckon with sessions that all go on for as long as they may."""
        if not time_limit or not self.sessions:
            return None
        rounds, index = divmod(position - 1, len(self.sessions))
        since, _ = self.sessions[index]
        first = max(since + time_limit - self.now, 0.0) + notice
        return first + rounds * (time_limit + notice)


def waiting_line(position: int, seconds: float | None, width: int) -> str:
    """Return what somebody who waits is shown, in fewer columns than the terminal has.

    Args:
        position: theirs, from 1.
        seconds: until they get in, about; None where that is not known.
        width: columns of the terminal.
    """
    place, about = _ordinal(position), _about(seconds)
    shapes = (
        "; ".join(filter(None, (f"you are {place}", about, "press q to leave"))),
        "; ".join(filter(None, (f"you are {place}", about, "q leaves"))),
        f"you are {place}; q leaves",
        f"{place}; q leaves",
        place,
    )
    return next((shape for shape in shapes if len(shape) < width), "")


def _ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, 11th, 21st."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else endings.get(number % 10, 'th')}"


def _about(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes > _MINUTES_MAXIMUM:
        return f"about {round(minutes / 60)} hours"
    if minutes > 1:
        return f"about {minutes} minutes"
    return "about a minute" if seconds >= 45 else "less than a minute"
