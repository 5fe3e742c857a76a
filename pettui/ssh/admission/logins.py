"""Connections that have no session yet: many at once are slowed, and nobody honest is dropped."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission.networks import network_of

if TYPE_CHECKING:
    from collections.abc import Callable

AT_WORK: Final = 16  # logins that go on at once, in one process: keys of others come between
WORK: Final = 0.5  # seconds after which one is no work: its client takes its time
LOGINS_MAXIMUM: Final = 1_000  # that are half done, in one process
FREE_FAILURES: Final = 3  # keys that may be wrong before it costs time: an agent holds several
FAILURES_MAXIMUM: Final = 12  # of one connection
LONGEST_DELAY: Final = 4.0  # seconds
ADDRESSES_MAXIMUM: Final = 10_000  # whose failures are remembered


@dataclass(frozen=True, slots=True, eq=False)
class Login:
    """One that is half done."""

    network: str
    go_on: Callable[[], None]
    drop: Callable[[], None]


class Logins:
    """Connections that have no session yet, and failures of those that tried.

    A few go on at once, and the others wait for their turn: those of networks with few of them
    first, and then in the order in which they came. Where there are too many even so, the network
    that has most of them loses its oldest: whoever is honest does not hold a login open.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._held: dict[Login, None] = {}
        self._going: dict[Login, float] = {}  # and since when, by the loop's clock
        self._open: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """Return how many are half done."""
        return len(self._held) + len(self._going)

    def begin(self, address: str, go_on: Callable[[], None], drop: Callable[[], None]) -> Login:
        """Count a connection in, which is to wait until it may go on.

        Args:
            address: where it comes from.
            go_on: called when it may, perhaps at once.
            drop: called where there are too many, and this one has to go; it is counted out.
        """
        login = Login(network_of(address), go_on, drop)
        self._open[login.network] += 1
        self._held[login] = None
        if len(self) > LOGINS_MAXIMUM:
            surplus = self._surplus()
            self.end(surplus)
            surplus.drop()
        self._look()
        return login

    def end(self, login: Login) -> None:
        """Count one out, once: it has a session, or went away."""
        if login not in self._held and login not in self._going:
            return
        self._held.pop(login, None)
        self._going.pop(login, None)
        self._open[login.network] -= 1
        self._open += Counter()
        self._look()

    def close(self) -> None:
        """Let nobody go on any more."""
        self._held.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _surplus(self) -> Login:
        """Return the oldest of the network that has most."""
        [(_, most)] = self._open.most_common(1)
        everybody = (*self._going, *self._held)
        return next(login for login in everybody if self._open[login.network] == most)

    def _look(self) -> None:
        """Let as many go on as may, and look again when the next one can."""
        if not self._held:
            return
        now = asyncio.get_running_loop().time()
        at_work = [since for since in self._going.values() if now - since < WORK]
        for _ in range(AT_WORK - len(at_work)):
            at_work.append(now)
            login = self._next()
            del self._held[login]
            self._going[login] = now
            login.go_on()
            if not self._held:
                return
        if self._timer is None:
            until = min(at_work) + WORK
            self._timer = asyncio.get_running_loop().call_at(until, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self._look()

    def _next(self) -> Login:
        going = Counter(login.network for login in self._going)
        return min(self._held, key=lambda login: going[login.network])

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
