"""ChannelOutput: where a session's driver writes to; it tells when the client is behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.asyncssh_internals import SessionChannel

LOOK_AGAIN = 0.03  # seconds between looks at whether a client caught up


class ChannelOutput:
    """The output of a channel.

    asyncssh's ``pause_writing`` does not tell when a client is behind: with a large window
    everything goes on into the buffer of the transport.
    """

    def __init__(self, channel: SessionChannel) -> None:
        self._channel = channel
        self._connection = channel.get_connection()
        self._timer: asyncio.TimerHandle | None = None
        self.caught_up: Callable[[], None] = lambda: None
        self.drew: Callable[[], None] = lambda: None  # told of whatever is sent
        self.sent = 0  # bytes

    def write(self, text: str) -> None:
        """Send text, if the client is still there."""
        if self._channel.is_closing():
            return
        data = text.encode("utf-8", "replace")
        self.sent += len(data)
        self._channel.write(data)
        self.drew()

    def has_room(self) -> bool:
        """Whether the system took all that was written."""
        if self.backlog == 0:
            return True
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._look)
        return False

    @property
    def backlog(self) -> int:
        """The bytes that wait in this process."""
        return unsent(self._connection) + self._channel.get_write_buffer_size()

    def close(self) -> None:
        """Look no more."""
        self.caught_up = lambda: None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self.has_room():
            self.caught_up()
