"""Somebody who harms others over SSH: ``python -m tests.ssh_abuser PORT KIND [CONNECTIONS]``.

Goes on until it is killed, and comes back when it was thrown out; says ``in`` when it begins, and
``enough`` some time later, once for each of its connections.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

from tests.ssh_reader import Reader

ENOUGH = 0.5  # seconds
FIRST_ANIMALS = b"Mitzi"  # the newest sample
KEPT = 100_000  # bytes of what came; the rest is not waited for
MEGABYTE = 1_000_000
AHEAD = 64 * 1024  # bytes that wait here for the server to take
FOUR_BILLION = 4_294_967_295
SIZES = ((0, 0), (FOUR_BILLION, FOUR_BILLION), (400, 150), (1, 1), (0, FOUR_BILLION), (100, 30))

# What is sent again and again.
FLOODS = {
    "keys": b"jk" * 500,
    "keys in the form": b"a" + b"x" * 999,
    "mouse moves": b"".join(b"\x1b[<35;%d;%dM" % (x, x % 30 + 1) for x in range(1, 100)),
    "clicks": b"".join(b"\x1b[<0;5;%dM\x1b[<0;5;%dm" % (y, y) for y in range(5, 25)),
    "pastes": b"\x1b[200~" + b"x" * MEGABYTE + b"\x1b[201~",
    "pastes in the form": b"a\x1b[200~" + b"x" * MEGABYTE + b"\x1b[201~",
    "a paste without an end": b"\x1b[200~" + b"x" * MEGABYTE,
    "a sequence without an end": b"\x1b[" + b"1;" * MEGABYTE,
    "a string without an end": b"\x1b]0;" + b"x" * MEGABYTE,
    "escapes": b"\x1b" * 1000,
    "palettes": b":\x1b" * 100,
}
Channel = asyncssh.SSHClientChannel


class Screen(Reader):
    """Keeps the beginning alone."""

    def data_received(self, data: bytes, datatype: object) -> None:
        super().data_received(data if len(self.written) < KEPT else b"", datatype)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.came.set()


async def flood(channel: Channel, data: bytes) -> None:
    while True:
        channel.write(data)
        while channel.get_write_buffer_size() > AHEAD:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.002)
        await asyncio.sleep(0)


async def change_sizes(channel: Channel) -> None:
    for columns, rows in cycle(SIZES):
        channel.change_terminal_size(columns, rows)
        await asyncio.sleep(0.001)


async def read_nothing(channel: Channel) -> None:
    channel.get_connection()._transport.pause_reading()
    for key in cycle((b"j", b":", b"\x1b", b"k")):
        channel.write(key)
        await asyncio.sleep(0.12)  # so that each of them is one, and draws


async def exchange_keys(channel: Channel) -> None:
    connection = channel.get_connection()
    while not connection.is_closed():
        connection._send_kexinit()
        connection._kexinit_sent = True
        while not connection._kex_complete and not connection.is_closed():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def begin_sessions(channel: Channel) -> None:
    """Begin one session after the other, and leave each when it shows something."""
    connection = channel.get_connection()
    while not connection.is_closed():
        try:
            channel, screen = await begin_session(connection)
        except asyncssh.ChannelOpenError:  # those before it have not ended yet
            await asyncio.sleep(0.01)
        else:
            await screen.came.wait()
            channel.close()


HARMS: dict[str, Callable[[Channel], Awaitable[None]]] = {
    **{kind: partial(flood, data=data) for kind, data in FLOODS.items()},
    "sizes": change_sizes,
    "reads nothing": read_nothing,
    "key exchanges": exchange_keys,
    "sessions": begin_sessions,
}
KINDS = tuple(HARMS)


async def begin_session(connection: asyncssh.SSHClientConnection) -> tuple[Channel, Screen]:
    return await connection.create_session(
        Screen, term_type="xterm-256color", term_size=(100, 30), encoding=None,
        env={"COLORTERM": "truecolor"},
    )  # fmt: skip


async def come_in(port: int) -> tuple[asyncssh.SSHClientConnection, Channel, Screen]:
    connection = await asyncssh.connect(
        "127.0.0.1", port, username="demo", known_hosts=None, client_keys=[], config=None
    )
    channel, screen = await begin_session(connection)
    await screen.wait_for(FIRST_ANIMALS)
    return connection, channel, screen


async def come_back(port: int, kind: str) -> None:
    """Come in, and again whenever the server has ended it."""
    _, channel, _ = await come_in(port)
    print("in", flush=True)
    asyncio.get_running_loop().call_later(ENOUGH, partial(print, "enough", flush=True))
    while True:
        with suppress(OSError, asyncssh.Error):
            await HARMS[kind](channel)
            _, channel, _ = await come_in(port)


async def come_together(port: int, kind: str, connections: int) -> None:
    await asyncio.gather(*(come_back(port, kind) for _ in range(connections)))


if __name__ == "__main__":
    _, port, kind, *number = sys.argv
    asyncio.run(come_together(int(port), kind, int(*number or "1")))
