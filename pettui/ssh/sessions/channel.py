"""A channel that takes in what a session needs and remembers what it refused, to be told."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.client_terminal import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from asyncssh.connection import SSHConnection
    from asyncssh.packet import SSHPacket

VARIABLES_MAXIMUM = 40
VALUE_MAXIMUM = 100  # bytes
RECEIVE_WINDOW = 64 * 1024  # bytes that a client may send ahead
PACKET_MAXIMUM = 32 * 1024  # bytes, as every client must take (RFC 4253, 6.1)
LOOK_AGAIN = 0.03  # seconds between looks at whether a client caught up


class SessionChannel(asyncssh.SSHServerChannel[bytes]):
    """A session's channel (RFC 4254, 6), of bytes.

    asyncssh offers no other place to bound what a client may set, and to hear of requests that are
    refused.
    """

    def __init__(self, connection: asyncssh.SSHServerConnection) -> None:
        super().__init__(
            connection,
            asyncio.get_running_loop(),
            allow_pty=True,
            line_editor=False,
            line_echo=False,
            line_history=0,
            max_line_length=0,
            encoding=None,
            errors="strict",
            window=RECEIVE_WINDOW,
            max_pktsize=PACKET_MAXIMUM,
        )
        self.refused: list[str] = []

    def _process_env_request(self, packet: SSHPacket) -> bool:
        name, value = packet.get_string(), packet.get_string()
        packet.check_end()
        is_wanted = (
            len(self._env) < VARIABLES_MAXIMUM
            and len(value) <= VALUE_MAXIMUM
            and ENVIRONMENT.fullmatch(name.decode("ascii", "replace")) is not None
        )
        if is_wanted:
            self._env[name] = value
        return is_wanted

    def _process_x11_req_request(self, packet: SSHPacket) -> bool:  # noqa: ARG002
        self._refuse("X11 forwarding")
        return False

    def _process_auth_agent_req_at_openssh_dot_com_request(self, packet: SSHPacket) -> bool:  # type: ignore[override]  # noqa: ARG002
        self._refuse("agent forwarding")
        return False

    def _refuse(self, what: str) -> None:
        if what not in self.refused:
            self.refused.append(what)


def unsent(connection: SSHConnection) -> int:
    """Return the bytes that wait for a client: in the transport, or for the end of a key exchange.

    Of asyncssh's own it uses ``_transport`` and ``_deferred_packets``, which have no other names.
    """
    transport = connection._transport  # noqa: SLF001
    in_transport = transport.get_write_buffer_size() if transport is not None else 0
    deferred = connection._deferred_packets  # noqa: SLF001
    return in_transport + sum(len(part) for _, parts in deferred for part in parts)


@contextmanager
def unread(connection: asyncssh.SSHServerConnection) -> Iterator[None]:
    """Read nothing more from a client meanwhile: asyncssh would keep whatever it sends."""
    transport = connection._transport  # noqa: SLF001
    if transport is None or transport.is_closing():
        yield
        return
    transport.pause_reading()
    try:
        yield
    finally:
        if not transport.is_closing():
            transport.resume_reading()


class ChannelWire:
    """Where a session's driver writes to; it tells when the client is behind.

    asyncssh's ``pause_writing`` does not: with a large window everything goes on into the buffer
    of the transport.
    """

    def __init__(self, channel: SessionChannel) -> None:
        self._channel = channel
        self._connection = channel.get_connection()
        self._timer: asyncio.TimerHandle | None = None
        self.caught_up: Callable[[], None] = lambda: None
        self.sent = 0  # bytes

    def write(self, text: str) -> None:
        """Send text, if the client is still there."""
        if self._channel.is_closing():
            return
        data = text.encode("utf-8", "replace")
        self.sent += len(data)
        self._channel.write(data)

    def has_room(self) -> bool:
        """Say whether the system took all that was written."""
        if self.backlog == 0:
            return True
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._look)
        return False

    @property
    def backlog(self) -> int:
        """Give the bytes that wait in this process."""
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
