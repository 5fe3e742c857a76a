"""A link that delays what passes: ``python -m tests.benchmarks.slow_link PORT SECONDS TARGET``.

The target is HOST:PORT, or the path of a socket; it listens on this machine for as long as it runs.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from tests.peers.ssh_server import wait_until
from tests.peers.test_several_servers import is_open
from tests.ports import reserved_port

if TYPE_CHECKING:
    from collections.abc import Iterator


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Pass on what comes, each part so many seconds later."""
    loop = asyncio.get_running_loop()
    with suppress(OSError):
        while data := await reader.read(65536):
            loop.call_later(delay, writer.write, data)
    loop.call_later(delay, writer.close)


async def serve(port: int, delay: float, target: str) -> None:
    host, _, number = target.rpartition(":")
    open_target = (
        partial(asyncio.open_connection, host, int(number))
        if host
        else partial(asyncio.open_unix_connection, target)
    )

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await open_target()
        await asyncio.gather(pass_on(reader, back, delay), pass_on(there, writer, delay))

    async with await asyncio.start_server(connected, "127.0.0.1", port) as server:
        await server.serve_forever()


@contextmanager
def slow_link(target: str, delay: float) -> Iterator[int]:
    """Run it in a process of its own; yield its port."""
    with reserved_port() as port:
        words = [sys.executable, "-m", "tests.benchmarks.slow_link", str(port), str(delay), target]
        process = subprocess.Popen(words)
        try:
            wait_until(lambda: is_open(port), "the link")
            yield port
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
