"""RecentTerminals: which terminals the next users probably have."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from pettui.capabilities import Colours, Glyphs
from pettui.ssh.client_terminal import UNKNOWN_SIZE, ClientTerminal

if TYPE_CHECKING:
    from collections.abc import Iterable

REMEMBERED: Final = 20  # users
USUAL: Final = ClientTerminal("xterm-256color", UNKNOWN_SIZE, Colours.MANY, Glyphs.UNICODE)


class RecentTerminals:
    """The terminals of the latest users."""

    def __init__(self) -> None:
        """Start with no user."""
        self._terminals: deque[ClientTerminal] = deque(maxlen=REMEMBERED)

    def add(self, terminal: ClientTerminal) -> None:
        """Remember the terminal of another user."""
        self._terminals.append(terminal)

    def next(self, ready: Iterable[ClientTerminal]) -> ClientTerminal:
        """Return the terminal that lacks apps most, where these have one each."""
        shares = Counter(each.look for each in self._terminals)
        have = Counter(each.look for each in ready)
        latest_first = reversed(self._terminals)
        return min(
            latest_first, key=lambda each: have[each.look] / shares[each.look], default=USUAL
        )

    def is_outdated(self, terminal: ClientTerminal) -> bool:
        """Whether none of them is like this one, but some are like each other."""
        shares = Counter(each.look for each in self._terminals)
        return terminal.look not in shares and max(shares.values(), default=0) > 1
