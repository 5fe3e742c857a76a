"""A service on a real socket that follows a script, and remembers the requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from socket import SO_LINGER, SO_SNDBUF, SOL_SOCKET
from typing import TYPE_CHECKING, Self, TypeAlias

if TYPE_CHECKING:
    import ssl

Step: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]
LEAVE_NOTHING = struct.pack("ii", 1, 0)
SMALL_BUFFER = 8192  # bytes

PET = {"id": 7, "name": "Rex", "categoryId": 3, "status": "available"}
REX = json.dumps(PET)
PAGE = f"[{REX}]"


@dataclass(frozen=True)
class Seen:
    """One request, as it was received."""

    head: bytes
    body: bytes
    connection: int  # from 0, in the order in which they were opened

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode()

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    def header(self, name: str) -> list[str]:
        """Return every value of a header."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = [line.partition(":") for line in lines]
        return [value.strip() for found, _, value in pairs if found.lower() == name]


class HostileServer:
    """Takes the next step of its script for each request; the last step is for all that follow."""

    def __init__(self, *steps: Step, tls: ssl.SSLContext | None = None) -> None:
        self.steps = list(steps)
        self.seen: list[Seen] = []
        self.connections = 0
        self.requested = asyncio.Event()  # set with every request; a test may clear it
        self._tls = tls
        self._handlers: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._handle, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    def turn_to(self, *steps: Step) -> None:
        """Follow these steps from now on, and forget what was seen."""
        self.steps = list(steps)
        self.seen.clear()
        self.requested.clear()

    def stop_listening(self) -> None:
        """Refuse new connections."""
        assert self._server is not None
        self._server.close()

    async def listen_again(self) -> None:
        """Accept connections on the same port."""
        self._server = await asyncio.start_server(self._handle, "127.0.0.1", self.port)

    @property
    def origin(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.seen]

    @property
    def adds(self) -> int:
        """Count the requests that would have added an animal."""
        return sum(request.method == "POST" for request in self.seen)

    @property
    def has_connections(self) -> bool:
        return bool(self._handlers)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.current_task()
        assert handler is not None
        self._handlers.add(handler)
        number, self.connections = self.connections, self.connections + 1
        try:
            # A client that closes, or sends no request, is not a failure.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while not writer.is_closing():
                    self.seen.append(await _request(reader, number))
                    self.requested.set()
                    index = min(len(self.seen), len(self.steps)) - 1
                    await self.steps[index](writer)
        finally:
            self._handlers.discard(handler)
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _request(reader: asyncio.StreamReader, connection: int) -> Seen:
    head = await reader.readuntil(b"\r\n\r\n")
    seen = Seen(head, b"", connection)
    lengths = seen.header("content-length")
    body = await reader.readexactly(int(lengths[0])) if lengths else b""
    return Seen(head, body, connection)


def raw(data: bytes, *, close: bool = True) -> Step:
    """Send bytes as they are."""

    async def step(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if close:
            writer.close()

    return step


def http(
    status: int,
    body: bytes | str = b"",
    headers: list[tuple[str, str]] | None = None,
    *,
    content_type: str | None = "application/json",
    close: bool = False,
) -> Step:
    """Send a well-formed HTTP response."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Whatever"]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name}: {value}" for name, value in headers or []]
    lines.append(f"Content-Length: {len(content)}")
    return raw("\r\n".join([*lines, "", ""]).encode("latin-1") + content, close=close)


def drop() -> Step:
    """Close the connection without a response."""
    return raw(b"")


def reset(data: bytes = b"") -> Step:
    """Send a part, then tear the connection down (RST)."""

    async def step(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, LEAVE_NOTHING)
        writer.transport.abort()

    return step


def stall(data: bytes = b"") -> Step:
    """Send a part, then nothing more for ever."""

    async def step(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        await asyncio.Event().wait()

    return step


def endless(start: bytes, again: bytes, interval: float = 0.0) -> Step:
    """Send a start, then one chunk again and again."""

    async def step(writer: asyncio.StreamWriter) -> None:
        # Otherwise the kernel keeps megabytes, which the client reads on after a hang-up.
        writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_SNDBUF, SMALL_BUFFER)
        writer.write(start)
        while True:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(interval)

    return step
