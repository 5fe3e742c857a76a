"""How many may be there at once: in all, from one address, and before users have logged in."""

from __future__ import annotations

import fcntl
import mmap
import secrets
import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.ssh.options import SshOptions

LOGINS_MAXIMUM = 100  # that are half done, in one process
FREE_FAILURES = 3  # keys that may be wrong before it costs time: an agent holds several
FAILURES_MAXIMUM = 12  # of one connection
LONGEST_DELAY = 4.0  # seconds
ADDRESSES_MAXIMUM = 10_000  # whose failures are remembered
_SLOT = 8  # bytes


def network_of(address: str) -> str:
    """Return what is counted as one address: in IPv6 a home has 2^64 of them."""
    with suppress(ValueError):
        parsed = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address):
            return parsed.ipv4_mapped.compressed if parsed.ipv4_mapped else parsed.exploded[:19]
    return address


class SessionSlots:
    """The slots of all sessions, in memory that the processes of a server share.

    Each process writes its own row of them alone; a lock that the system takes back when a
    process dies lets one at a time count them all.
    """

    def __init__(self, options: SshOptions) -> None:
        self._options = options
        self._secret = secrets.token_bytes(16)
        self._row = options.max_sessions * _SLOT
        self._memory = mmap.mmap(-1, self._row * options.workers)
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - it is the processes' lock

    def take(self, worker: int, address: str) -> str | None:
        """Take a slot for an address; return why there is none, or None where it is taken."""
        options, mark = self._options, self._mark(address)
        with self._locked(), memoryview(self._memory).cast("Q") as slots:
            if len(slots) - slots.tolist().count(0) >= options.max_sessions:
                return f"all {options.max_sessions} places are taken; try again later"
            if slots.tolist().count(mark) >= options.per_address:
                return f"{options.per_address} sessions from your address are open already"
            first = worker * options.max_sessions
            slots[slots.tolist().index(0, first)] = mark
        return None

    def release(self, worker: int, address: str) -> None:
        """Release a slot."""
        first = worker * self._options.max_sessions
        with self._locked(), memoryview(self._memory).cast("Q") as slots:
            slots[slots.tolist().index(self._mark(address), first)] = 0

    def clear(self, worker: int) -> None:
        """Release all slots of a process that is no more."""
        start = worker * self._row
        with self._locked():
            self._memory[start : start + self._row] = bytes(self._row)

    def close(self) -> None:
        """Let go of the memory and the lock."""
        self._memory.close()
        self._lock.close()

    def _mark(self, address: str) -> int:
        digest = blake2b(network_of(address).encode(), digest_size=_SLOT, key=self._secret)
        return int.from_bytes(digest.digest()) or 1

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


class Logins:
    """Connections that have not logged in yet, and failures of those that tried."""

    def __init__(self, options: SshOptions) -> None:
        self._per_address = options.per_address
        self._open: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    def begin(self, address: str) -> bool:
        """Count a connection in; False where there are too many."""
        network = network_of(address)
        if self._open.total() >= LOGINS_MAXIMUM or self._open[network] >= self._per_address:
            return False
        self._open[network] += 1
        return True

    def end(self, address: str) -> None:
        """Count it out: it logged in, or went away."""
        self._open[network_of(address)] -= 1
        self._open += Counter()

    def failed(self, address: str) -> float:
        """Note a key that was wrong; return the seconds that the answer is to be held back."""
        if len(self._failures) >= ADDRESSES_MAXIMUM:
            self._failures.clear()
        network = network_of(address)
        self._failures[network] += 1
        excess = self._failures[network] - FREE_FAILURES
        return min(0.25 * 2.0 ** min(excess, 10), LONGEST_DELAY) if excess > 0 else 0.0

    def succeeded(self, address: str) -> None:
        """Forget the failures of an address."""
        del self._failures[network_of(address)]
