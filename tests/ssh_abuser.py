"""Somebody who harms others over SSH: ``python -m tests.ssh_abuser PORT KIND``.

Goes on until it is killed; says ``in`` when it begins, and ``enough`` some time later.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from itertools import cycle

import asyncssh

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
KINDS = (*FLOODS, "sizes", "reads nothing")

Channel = asyncssh.SSHClientChannel


class Screen(Reader):
    """Keeps the beginning alone."""

    def data_received(self, data: bytes, datatype: object) -> None:
        """Take what the server sent."""
        super().data_received(data if len(self.text) < KEPT else b"", datatype)


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


async def main(port: int, kind: str) -> None:
    """Come in, and begin."""
    connection = await asyncssh.connect(
        "127.0.0.1", port, username="demo", known_hosts=None, client_keys=[], config=None
    )
    channel, screen = await connection.create_session(
        Screen, term_type="xterm-256color", term_size=(100, 30), encoding=None,
        env={"COLORTERM": "truecolor"},
    )  # fmt: skip
    await screen.wait_for(FIRST_ANIMALS)
    print("in", flush=True)
    asyncio.get_running_loop().call_later(ENOUGH, partial(print, "enough", flush=True))
    if kind == "sizes":
        await change_sizes(channel)
    elif kind == "reads nothing":
        await read_nothing(channel)
    else:
        await flood(channel, FLOODS[kind])


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
