"""SessionSlots: who is in and who waits, in memory that the processes of a server share."""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission.networks import network_of
from pettui.ssh.admission.waiting_queue import DEPARTURES, Occupancy, check_share, is_next

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.ssh.options import SshOptions

_WORD: Final = 8  # bytes
_HEADER: Final = 2 + DEPARTURES  # words: the last number, how many left, and when
_FREE, _INSIDE, _WAITING = 0, 1, 2  # what a slot is; above these two bits, whose it is
_KIND: Final = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """What somebody has who is in, or who waits."""

    index: int
    number: int  # of everybody who ever came


class SessionSlots:
    """The slots of all sessions and of all who wait for one.

    A lock that the system takes back when a process dies lets one process at a time change them.
    One word says whose a slot is and what for; it is written last, so that a process that is killed
    leaves every slot either free or whole. ``clear`` frees those of a process that is no more. Of
    those who wait the first one is let in by whoever frees a slot, in whatever process they wait:
    that process hears of it by its bell.
    """

    def __init__(self, options: SshOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nobody.

        Args:
            options: how many there may be.
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
        self._owners, self._marks, self._numbers, self._times = columns
        self._views = (words, self._header, *columns)
        self._bells = [_bell() for _ in range(options.workers)]
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - it is the processes' lock

    def ask(self, worker: int, address: str) -> Slot:
        """Take a slot for an address, or a place in the queue.

        Raises:
            NoSlotError: there is neither.
        """
        mark = self._mark(address)
        with self._locked():
            owners = self._owners.tolist()
            kinds = [owner & _KIND for owner in owners]
            check_share(self._options, self._of_mark(mark, owners))
            may_enter = is_next(self._options, kinds.count(_INSIDE), kinds.count(_WAITING))
            index = owners.index(_FREE)
            self._header[0] += 1
            slot = Slot(index, self._header[0])
            self._marks[index], self._numbers[index] = mark, slot.number
            self._times[index] = self._now()
            self._owners[index] = (worker + 1) << 2 | (_INSIDE if may_enter else _WAITING)
        return slot

    def release(self, slot: Slot) -> None:
        """Free a slot, or a place in the queue; nothing where it was freed before."""
        with self._locked():
            index = slot.index
            if self._owners[index] and self._numbers[index] == slot.number:
                if self._owners[index] & _KIND == _INSIDE:
                    self._note_departure()
                self._owners[index] = _FREE
            self._let_in()

    def clear(self, worker: int) -> None:
        """Free all that a process had that is no more."""
        with self._locked():
            for index, owner in enumerate(self._owners.tolist()):
                if owner >> 2 == worker + 1:
                    self._owners[index] = _FREE
            self._let_in()

    def is_inside(self, slot: Slot) -> bool:
        """Whether somebody who waited is let in."""
        return self._owners[slot.index] & _KIND == _INSIDE

    def occupancy(self) -> Occupancy:
        """Return who is there now."""
        with self._locked():
            rows = zip(
                self._owners.tolist(), self._numbers.tolist(), self._times.tolist(), strict=True
            )
            taken = [row for row in rows if row[0]]
            count = min(self._header[1], DEPARTURES)
            departures = tuple(at / 1000 for at in self._header[2 : 2 + count].tolist())
        inside = [(at / 1000, number) for owner, number, at in taken if owner & _KIND == _INSIDE]
        waiting = [number for owner, number, _ in taken if owner & _KIND == _WAITING]
        return Occupancy(self._clock(), tuple(sorted(inside)), tuple(sorted(waiting)), departures)

    def has_waiting(self) -> bool:
        """Whether anybody waits."""
        return any(owner & _KIND == _WAITING for owner in self._owners.tolist())

    def counts(self) -> list[tuple[int, int]]:
        """Return for each process its sessions, and those who wait there."""
        owners = self._owners.tolist()
        return [
            (owners.count(worker << 2 | _INSIDE), owners.count(worker << 2 | _WAITING))
            for worker in range(1, self._options.workers + 1)
        ]

    def bell(self, worker: int) -> int:
        """Return the descriptor that can be read when somebody who waits in a process is let in."""
        return self._bells[worker][0]

    def answer_bell(self, worker: int) -> None:
        """Take note that it rang."""
        with suppress(BlockingIOError):
            os.read(self._bells[worker][0], 4096)

    def close(self) -> None:
        """Let go of the memory, the lock and the bells."""
        for view in reversed(self._views):
            view.release()
        self._memory.close()
        self._lock.close()
        for end in (end for bell in self._bells for end in bell):
            os.close(end)

    def _of_mark(self, mark: int, owners: list[int]) -> int:
        marks = self._marks.tolist()
        return sum(bool(owner) and mark == one for owner, one in zip(owners, marks, strict=True))

    def _let_in(self) -> None:
        """Let in those who waited longest, while there are slots; and ring where they wait."""
        owners = self._owners.tolist()
        kinds = [owner & _KIND for owner in owners]
        free = self._options.max_sessions - kinds.count(_INSIDE)
        waiting = [(self._numbers[at], at) for at, kind in enumerate(kinds) if kind == _WAITING]
        for _, index in sorted(waiting)[: max(free, 0)]:
            self._times[index] = self._now()
            self._owners[index] = owners[index] ^ _WAITING | _INSIDE
            with suppress(BlockingIOError):  # it rings already
                os.write(self._bells[(owners[index] >> 2) - 1][1], b".")

    def _note_departure(self) -> None:
        self._header[2 + self._header[1] % DEPARTURES] = self._now()
        self._header[1] += 1

    def _now(self) -> int:
        """Return milliseconds."""
        return int(self._clock() * 1000)

    def _mark(self, address: str) -> int:
        digest = blake2b(network_of(address).encode(), digest_size=_WORD, key=self._secret)
        return int.from_bytes(digest.digest())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


def _bell() -> tuple[int, int]:
    """Return the ends of a pipe that neither a full nor an empty one blocks."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends
