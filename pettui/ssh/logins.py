"""Unfinished logins: many at once are slowed down, before any is dropped."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission import network_of
from pettui.system.background_tasks import Timer

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import ServerConnection

CONCURRENT: Final = 16  # logins at once in one process, so that keys of sessions come in between
BUSY_SECONDS: Final = 0.5  # after which a login no longer counts as one: its client is slow
LOGINS_MAXIMUM: Final = 1_000  # unfinished, in one process
FREE_FAILURES: Final = 3  # wrong keys before each further one is delayed: an agent holds several
FAILURES_MAXIMUM: Final = 12  # of one connection
LONGEST_DELAY: Final = 4.0  # seconds
NETWORKS_MAXIMUM: Final = 10_000  # whose failures are remembered


class Logins:
    """Connections without a session yet, and the failed attempts of each network.

    A few proceed at once, the others wait for their turn: first those of the networks with the
    fewest, then in order of arrival. Where there are too many even so, the network with the most
    loses its oldest, since an honest client does not leave a login unfinished.
    """

    def __init__(self) -> None:
        """Start without logins."""
        self._delayed: dict[ServerConnection, None] = {}  # in order of arrival
        # Since when, by the loop's clock.
        self._proceeding: dict[ServerConnection, float] = {}
        self._open: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._timer = Timer()

    def __len__(self) -> int:
        """Return how many logins are unfinished."""
        return len(self._delayed) + len(self._proceeding)

    def begin(self, login: ServerConnection) -> ServerConnection | None:
        """Add a login, which proceeds in its turn.

        Where there are too many, return the one to be dropped.
        """
        self._open[login.network] += 1
        self._delayed[login] = None
        surplus = self._surplus() if len(self) > LOGINS_MAXIMUM else None
        if surplus is not None:
            self.end(surplus)
        self._start_next()
        return surplus

    def end(self, login: ServerConnection) -> None:
        """Remove a login that has a session now or was cut; again does nothing."""
        if login not in self._delayed and login not in self._proceeding:
            return
        self._delayed.pop(login, None)
        self._proceeding.pop(login, None)
        self._open[login.network] -= 1
        self._open += Counter()  # removes zeros
        self._start_next()

    def close(self) -> None:
        """Let no further login proceed."""
        self._delayed.clear()
        self._timer.stop()

    def _surplus(self) -> ServerConnection:
        """Return the oldest login of the network with the most."""
        [(_, most)] = self._open.most_common(1)
        logins = (*self._proceeding, *self._delayed)
        return next(login for login in logins if self._open[login.network] == most)

    def _start_next(self) -> None:
        """Let as many proceed as may, and set a timer for the next one."""
        if not self._delayed:
            return
        now = asyncio.get_running_loop().time()
        busy = [since for since in self._proceeding.values() if now - since < BUSY_SECONDS]
        for _ in range(CONCURRENT - len(busy)):
            busy.append(now)
            login = self._next()
            del self._delayed[login]
            self._proceeding[login] = now
            login.proceed()
            if not self._delayed:
                return
        if not self._timer.is_running:
            self._timer.start(min(busy) + BUSY_SECONDS - now, self._start_next)

    def _next(self) -> ServerConnection:
        proceeding = Counter(login.network for login in self._proceeding)
        return min(self._delayed, key=lambda login: proceeding[login.network])

    def failed(self, address: str) -> float:
        """Count a wrong key; return the seconds by which the reply is to be delayed."""
        if len(self._failures) >= NETWORKS_MAXIMUM:
            self._failures.clear()
        network = network_of(address)
        self._failures[network] += 1
        excess = self._failures[network] - FREE_FAILURES
        return min(0.25 * 2.0 ** min(excess, 10), LONGEST_DELAY) if excess > 0 else 0.0

    def succeeded(self, address: str) -> None:
        """Forget the failures of an address."""
        del self._failures[network_of(address)]
