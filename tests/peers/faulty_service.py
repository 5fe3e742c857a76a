"""A service on a real port that drops, delays and repeats its responses, and counts the requests."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from random import Random

REFUSED = b'{"code": "busy", "message": "Not now.", "status": 429}'
PAGE = b"<html>Bad gateway</html>"
FAULTS = {  # how often, beside those that are answered as they should be
    "none": 50,
    "drop at once": 4,
    "drop unread": 4,
    "drop before adding": 4,
    "drop after adding": 6,
    "cut the response": 4,
    "delay": 10,
    "respond twice": 8,
    "page before adding": 3,
    "page after adding": 3,
    "refuse": 3,
    "stop listening": 1,
}


class FaultyService:
    """Adds animals with growing ids, and draws what goes wrong with each request."""

    def __init__(self, random: Random, answered: int = 50) -> None:
        """Draw faults from ``random``; ``answered`` weighs what goes well."""
        self._faults = {**FAULTS, "none": answered}
        self.pets: list[dict[str, Any]] = []  # oldest first
        self.arrived: Counter[str] = Counter()  # names in POSTs that were read whole
        self.refused: Counter[str] = Counter()  # and that were refused, and surely not added
        self.port = 0
        self._random = random
        self._reopening: asyncio.Task[None] | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reopening is not None:
            await self._reopening
        self._stop_listening()
        for talk in self._connections:
            talk.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _listen(self) -> None:
        """Listen, on the same port each time."""
        self._socket = socket.create_server(("127.0.0.1", self.port))
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        # Not asyncio's server: to close that while it accepts leaks a connection.
        asyncio.get_running_loop().add_reader(self._socket, self._accept)

    def _stop_listening(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def _accept(self) -> None:
        connection, _ = self._socket.accept()
        talk = asyncio.create_task(self._serve(connection))
        self._connections.add(talk)
        talk.add_done_callback(self._connections.discard)

    async def _serve(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection)
        with suppress(ConnectionError, asyncio.IncompleteReadError):  # killed in the middle
            try:
                while await self._exchange(reader, writer):
                    pass
            finally:
                writer.close()
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection stays open."""
        fault = self._fault()
        if fault == "drop at once":
            return False
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        if fault == "drop unread":
            return False
        length = head.partition("content-length: ")[2].partition("\r\n")[0]
        body = await reader.readexactly(int(length or 0))
        if head.startswith("get"):
            newest_first = json.dumps(self.pets[:-101:-1]).encode()  # a hundred
            fails = fault.startswith(("drop", "cut", "page"))
            return not fails and await self._send(writer, 200, newest_first)
        return await self._add(writer, fault, json.loads(body))

    async def _add(self, writer: asyncio.StreamWriter, fault: str, pet: dict[str, Any]) -> bool:
        self.arrived[pet["name"]] += 1
        if fault == "delay":
            await asyncio.sleep(self._random.uniform(0, 0.1))
        if fault == "refuse":
            self.refused[pet["name"]] += 1
            return await self._send(writer, 429, REFUSED, "Retry-After: 0\r\n")
        if fault == "page before adding":
            return await self._send(writer, 502, PAGE)
        if fault == "drop before adding":
            return False
        pet["id"] = len(self.pets) + 1
        self.pets.append(pet)
        body = json.dumps(pet).encode()
        if fault == "drop after adding":
            return False
        if fault == "page after adding":
            return await self._send(writer, 502, PAGE)
        if fault == "cut the response":
            await self._send(writer, 201, body[:-5], f"Content-Length: {len(body)}\r\n")
            return False
        if fault == "respond twice":
            await self._send(writer, 201, body)
        return await self._send(writer, 201, body)

    async def _send(
        self, writer: asyncio.StreamWriter, status: int, body: bytes, headers: str = ""
    ) -> bool:
        kind = "text/html" if body == PAGE else "application/json"
        if "Content-Length" not in headers:
            headers += f"Content-Length: {len(body)}\r\n"
        head = f"HTTP/1.1 {status} So\r\nContent-Type: {kind}\r\n{headers}\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        return True

    def _fault(self) -> str:
        (fault,) = self._random.choices(list(self._faults), weights=list(self._faults.values()))
        if fault == "stop listening" and (self._reopening is None or self._reopening.done()):
            self._reopening = asyncio.create_task(self._stop_for_a_moment())
        return fault

    async def _stop_for_a_moment(self) -> None:
        self._stop_listening()
        await asyncio.sleep(self._random.uniform(0, 0.2))
        self._listen()
