"""PacketShare: limits what the packets of one client may cost its process.

Thousands of tiny packets, such as new sizes of a terminal, fit into what a client may send at once,
and each costs some time to decrypt, whatever its session does with it.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

SHARE: Final = 0.25  # of the time, for the packets of one client
BURST: Final = 0.1  # CPU seconds that are free at once (a token bucket)


class PacketShare:
    """The CPU time of one client's packets."""

    def __init__(self) -> None:
        """Start with all that is free."""
        self._left = BURST
        self._at = monotonic()

    def use(self, seconds: float) -> float:
        """Count CPU time; return the seconds until the client's next packets may be read."""
        now = monotonic()
        self._left = min(self._left + (now - self._at) * SHARE, BURST) - seconds
        self._at = now
        return max(-self._left / SHARE, 0.0)
