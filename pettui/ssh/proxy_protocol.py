"""The PROXY protocol, versions 1 and 2: a balancer that is trusted says whose connection it is.

Its header comes before the first byte of the client. From trusted addresses it is a must; from
others asyncssh refuses it, like anything that is not the version of an SSH client.

HAProxy's ``doc/proxy-protocol.txt`` describes it; nginx has it in its ``stream`` module.
"""

from __future__ import annotations

import asyncio
import re
import struct
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Final, cast

from pettui.system.addresses import PORT_MAXIMUM
from pettui.system.background_tasks import Timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState

HEADER_SECONDS: Final = 3.0  # from connecting to the end of the header
WAITING_MAXIMUM: Final = 1_000  # connections without their header, in one process
LINE_MAXIMUM: Final = 107  # bytes of version 1, with its line break
BINARY_MAXIMUM: Final = 4_096  # bytes of version 2; what follows the addresses in it is ignored
SIGNATURE: Final = b"\r\n\r\n\x00\r\nQUIT\n"
BINARY: Final = struct.Struct("!12sBBH")  # signature, version and command, family, length
LOCAL, PROXY = 0x20, 0x21  # version and command
FAMILIES: Final = {0x11: struct.Struct("!4s4sHH"), 0x21: struct.Struct("!16s16sHH")}
LINE: Final = re.compile(
    rb"PROXY (?:UNKNOWN(?: .*)?|TCP([46]) ([0-9A-Fa-f:.]+) ([0-9A-Fa-f:.]+) %b %b)"
    % ((rb"(0|[1-9][0-9]{0,4})",) * 2)
)

Header = tuple[tuple[str, int] | None, bytes]
"""A client's address and port, None if the header names none; and what came after it."""


def read_header(received: bytes) -> Header | None:
    """Return the header of a connection; None while it is not whole.

    Raises:
        ValueError: there is none, or it is not understood.
    """
    if SIGNATURE.startswith(received[: len(SIGNATURE)]):
        return _binary(received)
    if b"PROXY ".startswith(received[:6]):
        return _line(received)
    raise ValueError


def _line(received: bytes) -> Header | None:
    line, end, _ = received[:LINE_MAXIMUM].partition(b"\r\n")
    if not end and len(line) < LINE_MAXIMUM:
        return None
    found = LINE.fullmatch(line)
    if not end or found is None:
        raise ValueError
    rest = received[len(line + end) :]
    if found[1] is None:
        return None, rest
    kind = IPv4Address if found[1] == b"4" else IPv6Address
    client, _ = (kind(found[each].decode()) for each in (2, 3))
    if max(int(found[4]), int(found[5])) > PORT_MAXIMUM:
        raise ValueError
    return (_usual(client), int(found[4])), rest


def _binary(received: bytes) -> Header | None:
    if len(received) < BINARY.size:
        return None
    _, command, family, length = BINARY.unpack_from(received)
    end = BINARY.size + length
    if command not in (LOCAL, PROXY) or end > BINARY_MAXIMUM:
        raise ValueError
    if len(received) < end:
        return None
    if command == LOCAL or family >> 4 == 0:  # the balancer's own, such as a check; unspecified
        return None, received[end:]
    if family not in FAMILIES or length < FAMILIES[family].size:
        raise ValueError
    client, _, port, _ = FAMILIES[family].unpack_from(received, BINARY.size)
    return (_usual(ip_address(client)), port), received[end:]


def _usual(address: IPv4Address | IPv6Address) -> str:
    """Return an address as that of a direct connection is written: one of IPv4 as such."""
    return str(getattr(address, "ipv4_mapped", None) or address)


class ProxiedConnection(asyncio.Protocol):
    """A new connection; if it is of a trusted proxy, the client's begins after its header."""

    _transport: asyncio.Transport

    def __init__(self, connect: Callable[..., ServerConnection], state: ServerState) -> None:
        """Begin without a transport.

        Args:
            connect: returns the client's connection, to be made, with what the header says.
            state: of the process.
        """
        self._connect = connect
        self._state = state
        self._received = b""
        self._address = ""
        self._timer = Timer()  # while it waits

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the header, unless it is somebody else's connection."""
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        if peer is None:  # it is gone already
            self._transport.abort()
            return
        self._address = _usual(ip_address(peer[0].partition("%")[0]))
        address = ip_address(self._address)
        if any(address in network for network in self._state.options.trusted_proxies):
            self._wait()
        else:
            self._begin(self._connect())

    def _wait(self) -> None:
        waiting = self._state.without_header
        if len(waiting) >= WAITING_MAXIMUM:
            oldest = cast("ProxiedConnection", next(iter(waiting)))
            oldest.drop("too many connections without a PROXY header")
        waiting[self] = None
        self._transport.max_size = BINARY_MAXIMUM  # type: ignore[attr-defined]  # at once
        late = "the PROXY header came too late"
        self._timer.start(HEADER_SECONDS, partial(self.drop, late))

    def data_received(self, data: bytes) -> None:
        """Read the header, and begin the client's connection."""
        self._received += data
        try:
            header = read_header(self._received)
        except ValueError:
            self.drop("no valid PROXY header")
            return
        if header is None:
            return
        self._stop_waiting()
        self._transport.pause_reading()
        client, received = header
        if client is None:
            self._transport.abort()
            return
        del self._transport.max_size  # type: ignore[attr-defined]
        self._begin(self._connect(address=client[0], received=received))

    def connection_lost(self, _exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        self._state.accepted.discard(self)
        self._state.without_header.pop(self, None)
        self._timer.stop()

    def drop(self, reason: str) -> None:
        """End it, and log why."""
        self._stop_waiting()
        self._transport.abort()
        self._state.event_log.write("dropped", address=self._address, reason=reason)

    def _begin(self, connection: ServerConnection) -> None:
        self._transport.set_protocol(connection)
        connection.connection_made(self._transport)
        self._state.accepted.discard(self)
