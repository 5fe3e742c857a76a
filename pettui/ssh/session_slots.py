"""SessionSlots: who has a session and who waits, in memory that a server's processes share."""

from __future__ import annotations

import fcntl
import mmap
import secrets
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission import (
    DEPARTURES,
    Occupancy,
    TakenSlot,
    check_share,
    is_next,
    network_of,
)
from pettui.ssh.wakeups import Wakeups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.ssh.options import SshOptions

_WORD: Final = 8  # bytes
_HEADER: Final = 2 + DEPARTURES  # words: the last number, the count of departures, their times
_FREE, _INSIDE, _WAITING = 0, 1, 2  # the state of a slot; above these two bits its worker
_KIND: Final = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """What a session has, or a client in the queue."""

    index: int
    number: int  # in order of arrival, from 1


class SessionSlots:
    """The slots of all sessions and of all clients that wait for one.

    A file lock, which the system releases when a process dies, lets one process at a time change
    them. One word holds a slot's state and worker; it is written last, so that a killed process
    leaves every slot either free or complete. ``clear`` frees the slots of a process that has
    ended. Whichever process frees a slot admits the first client in the queue, whose own process
    is woken.
    """

    def __init__(self, options: SshOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with all slots free.

        Args:
            options: the limits on numbers.
            clock: seconds, the same in all processes.
        """
        self._options = options
        self._clock = clock
        self._secret = secrets.token_bytes(16)
        self._count = options.max_sessions + options.max_queue
        self._memory = mmap.mmap(-1, (_HEADER + 4 * self._count) * _WORD)
        words = memoryview(self._memory).cast("Q")
        self._header = words[:_HEADER]
        columns = [words[_HEADER + n * self._count :][: self._count] for n in range(4)]
        self._states, self._addresses, self._numbers, self._times = columns
        self._views = (words, self._header, *columns)
        self.wakeups = Wakeups(options.workers)  # for each whose client was admitted
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()

    def ask(self, worker: int, address: str) -> Slot:
        """Return a slot for an address, which may be a place in the queue.

        Raises:
            NoSlotError: there is neither.
        """
        hashed = self._hashed(address)
        with self._locked():
            states = self._states.tolist()
            kinds = [state & _KIND for state in states]
            check_share(self._options, self._count_of(hashed, states))
            may_enter = is_next(self._options, kinds.count(_INSIDE), kinds.count(_WAITING))
            index = states.index(_FREE)
            self._header[0] += 1
            slot = Slot(index, self._header[0])
            self._addresses[index], self._numbers[index] = hashed, slot.number
            self._times[index] = self._now()
            self._states[index] = (worker + 1) << 2 | (_INSIDE if may_enter else _WAITING)
        return slot

    def release(self, slot: Slot) -> None:
        """Free a slot; again does nothing."""
        with self._locked():
            index = slot.index
            if self._states[index] and self._numbers[index] == slot.number:
                if self._states[index] & _KIND == _INSIDE:
                    self._note_departure()
                self._states[index] = _FREE
            self._admit()

    def taken_by(self, worker: int) -> list[TakenSlot]:
        """Return the slots of a process that has ended, before ``clear``, in order of arrival."""
        now = self._clock()
        return [
            TakenSlot(number, now - at / 1000, state & _KIND == _INSIDE)
            for number, state, at in sorted(self._taken())
            if state >> 2 == worker + 1
        ]

    def clear(self, worker: int) -> None:
        """Free all slots of a process that has ended."""
        with self._locked():
            for index, state in enumerate(self._states.tolist()):
                if state >> 2 == worker + 1:
                    self._states[index] = _FREE
            self._admit()

    def is_inside(self, slot: Slot) -> bool:
        """Whether a slot is a session's, not a place in the queue."""
        return self._states[slot.index] & _KIND == _INSIDE

    def occupancy(self) -> Occupancy:
        """Return who has a session and who waits now."""
        with self._locked():
            taken = self._taken()
            count = min(self._header[1], DEPARTURES)
            departures = tuple(at / 1000 for at in self._header[2 : 2 + count].tolist())
        inside = [(at / 1000, number) for number, state, at in taken if state & _KIND == _INSIDE]
        waiting = [number for number, state, _ in taken if state & _KIND == _WAITING]
        return Occupancy(self._clock(), tuple(sorted(inside)), tuple(sorted(waiting)), departures)

    def has_waiting(self) -> bool:
        """Whether anybody waits."""
        return any(state & _KIND == _WAITING for state in set(self._states.tolist()))

    def counts(self) -> list[tuple[int, int]]:
        """Return the numbers of sessions and of waiting clients of each process."""
        states = self._states.tolist()
        return [
            (states.count(worker << 2 | _INSIDE), states.count(worker << 2 | _WAITING))
            for worker in range(1, self._options.workers + 1)
        ]

    def close(self) -> None:
        """Release the memory, the lock and the pipes."""
        for view in reversed(self._views):
            view.release()
        self._memory.close()
        self._lock.close()
        self.wakeups.close()

    def _count_of(self, hashed: int, states: list[int]) -> int:
        """Return how many slots an address has."""
        addresses = self._addresses.tolist()
        return sum(
            bool(state) and address == hashed
            for state, address in zip(states, addresses, strict=True)
        )

    def _taken(self) -> list[tuple[int, int, int]]:
        """Return number, state and time of each slot that is not free."""
        columns = self._numbers.tolist(), self._states.tolist(), self._times.tolist()
        return [row for row in zip(*columns, strict=True) if row[1]]

    def _admit(self) -> None:
        """Admit those who waited longest, while there are slots, and wake their processes."""
        states = self._states.tolist()
        kinds = [state & _KIND for state in states]
        free = self._options.max_sessions - kinds.count(_INSIDE)
        waiting = [(self._numbers[at], at) for at, kind in enumerate(kinds) if kind == _WAITING]
        for _, index in sorted(waiting)[: max(free, 0)]:
            self._times[index] = self._now()
            self._states[index] = states[index] ^ _WAITING | _INSIDE
            self.wakeups.wake((states[index] >> 2) - 1)

    def _note_departure(self) -> None:
        self._header[2 + self._header[1] % DEPARTURES] = self._now()
        self._header[1] += 1

    def _now(self) -> int:
        """Return the time in milliseconds."""
        return int(self._clock() * 1000)

    def _hashed(self, address: str) -> int:
        digest = blake2b(network_of(address).encode(), digest_size=_WORD, key=self._secret)
        return int.from_bytes(digest.digest())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
