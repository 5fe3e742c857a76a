"""ChannelOutput: the output of a session's driver, which knows whether the client is behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.asyncssh_internals import SessionChannel

CHECK_INTERVAL = 0.03  # seconds between two checks of whether a client caught up


class ChannelOutput:
    """The output of a channel.

    asyncssh's ``pause_writing`` is not called for every client that is behind: with a large window
    everything goes into the transport's buffer.
    """

    def __init__(self, channel: SessionChannel) -> None:
        self._channel = channel
        self._connection = channel.get_connection()
        self._timer: asyncio.TimerHandle | None = None
        self.caught_up: Callable[[], None] = lambda: None
        self.drew: Callable[[], None] = lambda: None  # called after each write
        self.sent = 0  # bytes

    def write(self, text: str) -> None:
        """Send text, unless the channel is closing."""
        if self._channel.is_closing():
            return
        data = text.encode("utf-8", "replace")
        self.sent += len(data)
        self._channel.write(data)
        self.drew()

    def has_room(self) -> bool:
        """Whether the system took all that was written; if not, ``caught_up`` is called later."""
        if self.backlog == 0:
            return True
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._check)
        return False

    @property
    def backlog(self) -> int:
        """The bytes that are buffered in this process."""
        return unsent(self._connection) + self._channel.get_write_buffer_size()

    def close(self) -> None:
        """Stop the checks."""
        self.caught_up = lambda: None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        if self.has_room():
            self.caught_up()
