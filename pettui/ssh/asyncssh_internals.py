"""What asyncssh has no public name for: its private ones stand here, and nowhere else in the room.

``tests/ssh/test_asyncssh_internals.py`` fails without them:

- ``SSHServerChannel._process_env_request``: where it changes, a client sets as many variables, of
  any size, as it likes.
- ``SSHServerChannel._process_x11_req_request`` and
  ``_process_auth_agent_req_at_openssh_dot_com_request``: where they change, these requests are
  refused without a word.
- ``SSHConnection._transport`` and ``_deferred_packets``: where they change, nobody knows how many
  bytes wait for a client, and one that takes none costs memory without bound.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.client_terminal import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from asyncssh.connection import SSHConnection
    from asyncssh.packet import SSHPacket, SSHPacketLogger

IGNORE = 2  # number of the packet that says nothing (RFC 4253, 11.2)
VARIABLES_MAXIMUM = 40
VALUE_MAXIMUM = 100  # bytes
RECEIVE_WINDOW = 64 * 1024  # bytes that a client may send ahead
PACKET_MAXIMUM = 32 * 1024  # bytes, as every client must take (RFC 4253, 6.1)


class ServerConnection(asyncssh.SSHServerConnection):
    """A client's connection, on which nothing is sent that says nothing.

    asyncssh sends an empty packet before each, and writes it by itself. That hides what CBC would
    give away (RFC 4251, 9.3.1), which no cipher of this server's does.
    """

    def send_packet(
        self, pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None
    ) -> None:
        """Send a packet."""
        if pkttype != IGNORE:
            super().send_packet(pkttype, *args, handler=handler)


class SessionChannel(asyncssh.SSHServerChannel[bytes]):
    """A session's channel (RFC 4254, 6), of bytes, that remembers what it refused.

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
        self.environment: dict[str, str] = {}
        self.refused: list[str] = []

    def _process_env_request(self, packet: SSHPacket) -> bool:
        name = packet.get_string().decode("ascii", "replace")
        value = packet.get_string()
        packet.check_end()
        is_wanted = (
            len(self.environment) < VARIABLES_MAXIMUM
            and len(value) <= VALUE_MAXIMUM
            and ENVIRONMENT.fullmatch(name) is not None
        )
        if is_wanted:
            self.environment[name] = value.decode("utf-8", "replace")
        return is_wanted

    def _process_x11_req_request(self, packet: SSHPacket) -> bool:  # noqa: ARG002
        self._refuse("X11 forwarding")
        return False

    def _process_auth_agent_req_at_openssh_dot_com_request(self, packet: SSHPacket) -> bool:  # type: ignore[override]  # noqa: ARG002
        self._refuse("agent forwarding")
        return False

    def _refuse(self, request: str) -> None:
        if request not in self.refused:
            self.refused.append(request)


def unsent(connection: SSHConnection) -> int:
    """Return the bytes that wait for a client, in the transport or until keys are exchanged."""
    transport = connection._transport  # noqa: SLF001
    in_transport = transport.get_write_buffer_size() if transport is not None else 0
    deferred = connection._deferred_packets  # noqa: SLF001
    return in_transport + sum(len(part) for _, parts in deferred for part in parts)


@contextmanager
def unread(connection: asyncssh.SSHServerConnection) -> Iterator[None]:
    """Read nothing more from a client meanwhile: asyncssh would keep whatever it sends."""
    read_on(connection, is_wanted=False)
    try:
        yield
    finally:
        read_on(connection, is_wanted=True)


def read_on(connection: asyncssh.SSHServerConnection, *, is_wanted: bool) -> None:
    """Read what a client sends from now on, or leave it where it is."""
    transport = connection._transport  # noqa: SLF001
    if transport is None or transport.is_closing():
        return
    if is_wanted:
        transport.resume_reading()
    else:
        transport.pause_reading()
