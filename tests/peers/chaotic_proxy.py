"""A proxy in front of services that cuts, delays, doubles and lies, as bad networks do together."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    Address = tuple[str, int]

CALM = {"none": 1}
FAULTS = {  # how often
    "none": 60,
    "cut before": 5,  # closed, and not forwarded
    "cut after": 8,  # forwarded, and closed without its response
    "cut in the middle": 3,  # of the response
    "twice": 6,  # forwarded twice, one after the other
    "twice at once": 4,
    "answered twice": 4,  # and the second time when the next request may be out
    "late": 4,  # answered by a 502, and forwarded a moment later
    "lie before": 5,  # an error of the proxy's own, and not forwarded
    "lie after": 6,  # forwarded, and an error of the proxy's own in place of the response
    "delay": 6,
}
CUTS = {fault: FAULTS[fault] for fault in ("cut before", "cut after", "cut in the middle")}
CUTS["none"] = 300  # or adds wait longer and longer, as they should
LIES = (
    (429, "Too Many Requests", "Retry-After: 0\r\n"),
    (502, "Bad Gateway", ""),
    (503, "Service Unavailable", ""),
)
DROPPED = (b"idempotency-key:", b"pettui-store:")  # request headers that some proxies do not know


class ChaoticProxy:
    """Forwards each request to one of its services, and draws what goes wrong with it."""

    def __init__(
        self,
        random: Random,
        services: Callable[[], Sequence[Address]],
        faults: Mapping[str, int] = FAULTS,
        *,
        drops_headers: bool = False,
    ) -> None:
        """Prepare it.

        Args:
            random: draws everything.
            services: where requests go now; one is drawn for each.
            faults: how often each happens, beside "none".
            drops_headers: drop the request's headers that a proxy of another time does not know.
        """
        self.faults = faults
        self.drops_headers = drops_headers
        self.drawn: Counter[str] = Counter()
        self.arrived = 0  # adds
        self.port = 0
        self._random = random
        self._services = services
        self._has_arrived = asyncio.Condition()
        self._late: set[asyncio.Task[bytes]] = set()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self.forwarded_all()

    async def more_arrived(self, count: int) -> None:
        """Wait until so many more adds have arrived."""
        awaited = self.arrived + count
        async with self._has_arrived:
            await self._has_arrived.wait_for(lambda: self.arrived >= awaited)

    async def forwarded_all(self) -> None:
        """Wait until what is late has arrived."""
        await asyncio.gather(*self._late, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                while await self._exchange(reader, writer):
                    await writer.drain()
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = await reader.readexactly(int(length or 0))
        request = self._forwarded_head(head) + body
        fault = "none"
        if head.startswith(b"POST"):
            fault = self._fault()
            async with self._has_arrived:
                self.arrived += 1
                self._has_arrived.notify_all()
        self.drawn[fault] += 1
        if fault == "cut before":
            return False
        if fault in ("late", "lie before"):
            if fault == "late":
                self._forward_late(request)
            writer.write(self._lie(502 if fault == "late" else None))
            return True
        if fault == "delay":
            await asyncio.sleep(self._random.uniform(0, 0.2))
        response = await self._forwarded(request)
        if fault == "twice":
            response = await self._forwarded(request)
        elif fault == "twice at once":
            response, _ = await asyncio.gather(self._forwarded(request), self._forwarded(request))
        if fault == "cut after" or not response:
            return False
        return await self._respond(writer, response, fault)

    async def _respond(self, writer: asyncio.StreamWriter, response: bytes, fault: str) -> bool:
        """Send a response back, or what a fault makes of it."""
        if fault == "lie after":
            response = self._lie(None)
        elif fault == "cut in the middle":
            writer.write(response[: len(response) // 2])
            return False
        writer.write(response)
        if fault == "answered twice":
            await writer.drain()
            await asyncio.sleep(self._random.uniform(0, 0.01))
            writer.write(response)
        return True

    def _forwarded_head(self, head: bytes) -> bytes:
        lines = head.split(b"\r\n")
        if self.drops_headers:
            lines = [line for line in lines if not line.lower().startswith(DROPPED)]
        lines[1:1] = [b"X-Forwarded-For: 192.0.2.1"]
        return b"\r\n".join(lines)

    async def _forwarded(self, request: bytes) -> bytes:
        """Return the response of one of the services, or nothing where it was killed meanwhile."""
        address = self._random.choice(list(self._services()))
        try:
            reader, writer = await asyncio.open_connection(*address)
        except OSError:
            return b""
        response = b""
        with suppress(OSError, asyncio.IncompleteReadError):
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
            response = head + await reader.readexactly(int(length or 0))
        writer.close()
        return response

    def _forward_late(self, request: bytes) -> None:
        async def forward() -> bytes:
            await asyncio.sleep(self._random.uniform(0.05, 0.5))
            return await self._forwarded(request)

        task = asyncio.create_task(forward())
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    def _lie(self, status: int | None) -> bytes:
        lies = [lie for lie in LIES if status in (None, lie[0])]
        code, phrase, header = self._random.choice(lies)
        head = f"HTTP/1.1 {code} {phrase}\r\nContent-Type: text/html\r\nContent-Length: 5\r\n"
        return f"{head}{header}\r\n<p>no".encode()

    def _fault(self) -> str:
        (fault,) = self._random.choices(list(self.faults), weights=list(self.faults.values()))
        return fault
