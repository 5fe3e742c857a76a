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

import asyncssh
from asyncssh import connection as asyncssh_connection
from asyncssh import kex_dh
from asyncssh.kex import Kex, get_kex

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
KINDS = (*FLOODS, "sizes", "reads nothing", "key exchanges", "sessions")
# The dearest one for the server that it offers.
KEY_EXCHANGES = ("diffie-hellman-group18-sha512", "mlkem768x25519-sha256", "curve25519-sha256")

Channel = asyncssh.SSHClientChannel


class Screen(Reader):
    """Keeps the beginning alone."""

    def data_received(self, data: bytes, datatype: object) -> None:
        """Take what the server sent."""
        super().data_received(data if len(self.text) < KEPT else b"", datatype)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Wait no longer."""
        self.came.set()


async def flood(channel: Channel, data: bytes) -> None:
    """Send as much as the server takes."""
    while True:
        channel.write(data)
        while channel.get_write_buffer_size() > AHEAD:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.002)
        await asyncio.sleep(0)


async def change_sizes(channel: Channel) -> None:
    """Be of another size all the time."""
    for columns, rows in cycle(SIZES):
        channel.change_terminal_size(columns, rows)
        await asyncio.sleep(0.001)


async def read_nothing(channel: Channel) -> None:
    """Have the server draw, and read nothing of it."""
    channel.get_connection()._transport.pause_reading()
    for key in cycle((b"j", b":", b"\x1b", b"k")):
        channel.write(key)
        await asyncio.sleep(0.12)  # so that each of them is one, and draws


class OneKey:
    """A Diffie-Hellman key that costs its owner nothing, and the server as much as any."""

    def __init__(self, g: int, _p: int) -> None:
        self._g = g

    def get_public(self) -> int:
        """Return the generator: the private key is 1."""
        return self._g

    def get_shared(self, public: int) -> int:
        """Return what the server has sent."""
        return public


async def exchange_keys(connection: asyncssh.SSHClientConnection) -> None:
    """Begin one key exchange after the other, each in one write."""

    async def started() -> None:
        """Do nothing: it is on its way."""

    while True:
        written: list[bytes] = []
        connection._send = written.append
        connection._send_kexinit()
        connection._kexinit_sent = True
        kex = connection.next_kex = get_kex(connection, connection.kex_algorithm)
        await kex.start()
        kex.start = started
        del connection._send
        connection._send(b"".join(written))
        while not connection._kex_complete or connection._next_recv_encryption:
            await asyncio.sleep(0)
            if connection.is_closed():
                return


def chosen_kex(connection: asyncssh.SSHClientConnection, algorithm: bytes) -> Kex:
    """Return what an exchange that has begun goes on with."""
    connection.kex_algorithm = algorithm
    return vars(connection).pop("next_kex", None) or get_kex(connection, algorithm)


async def begin_sessions(connection: asyncssh.SSHClientConnection) -> None:
    """Begin one session after the other, and leave each when it shows something."""
    while not connection.is_closed():
        try:
            channel, screen = await begin_session(connection)
        except asyncssh.ChannelOpenError:  # those before it have not ended yet
            await asyncio.sleep(0.01)
        else:
            await screen.came.wait()
            channel.close()


async def begin_session(connection: asyncssh.SSHClientConnection) -> tuple[Channel, Screen]:
    """Begin a session."""
    return await connection.create_session(
        Screen, term_type="xterm-256color", term_size=(100, 30), encoding=None,
        env={"COLORTERM": "truecolor"},
    )  # fmt: skip


async def come_in(port: int) -> tuple[asyncssh.SSHClientConnection, Channel]:
    """Connect, and wait for the first animals."""
    connection = await asyncssh.connect(
        "127.0.0.1", port, username="demo", known_hosts=None, client_keys=[], config=None,
        kex_algs=KEY_EXCHANGES,
    )  # fmt: skip
    channel, screen = await begin_session(connection)
    await screen.wait_for(FIRST_ANIMALS)
    return connection, channel


async def harm(connection: asyncssh.SSHClientConnection, channel: Channel, kind: str) -> None:
    """Go on until the server ends it."""
    if kind == "sizes":
        await change_sizes(channel)
    elif kind == "reads nothing":
        await read_nothing(channel)
    elif kind == "key exchanges":
        await exchange_keys(connection)
    elif kind == "sessions":
        await begin_sessions(connection)
    else:
        await flood(channel, FLOODS[kind])


async def come_back(port: int, kind: str) -> None:
    """Come in, and again whenever the server has ended it."""
    connection, channel = await come_in(port)
    print("in", flush=True)
    asyncio.get_running_loop().call_later(ENOUGH, partial(print, "enough", flush=True))
    while True:
        with suppress(OSError, asyncssh.Error):
            await harm(connection, channel, kind)
            connection, channel = await come_in(port)


async def come_together(port: int, kind: str, connections: int) -> None:
    """Come in with several connections."""
    await asyncio.gather(*(come_back(port, kind) for _ in range(connections)))


if __name__ == "__main__":
    asyncssh_connection.get_kex = chosen_kex
    kex_dh.DH = OneKey
    _, PORT, KIND, *NUMBER = sys.argv
    asyncio.run(come_together(int(PORT), KIND, int(*NUMBER or "1")))
