"""Requests a second of the service on one core, beside the same server doing less.

``python -m tests.benchmarks.bench_service [--rounds 5] [--postgres]``

The server has one core, the client another one. Two services take turns, a second each, so that
other load on the machine affects both; a ratio is the median of these turns. The ratio by CPU is
that of the time that the two servers used for a request, without the client and the database.
"constant" is the same uvicorn with the same protocol and settings, whose ASGI app reads nothing
and responds with JSON of the same size.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pettui.service.endpoints import encode_cursor
from tests.benchmarks.served import KEY
from tests.service.private_postgres import private_postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Requests = tuple[bytes, ...]  # one for each client, then from the first one again

SERVER_CORE, CLIENT_CORE = 0, 1
WRITERS = 64
READERS = 16


def request(method: str, path: str, body: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {KEY}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


READ = (request("GET", "/v1/pets?limit=20"),)
PAGES = tuple(
    request("GET", f"/v1/pets?limit=20&cursor={encode_cursor(before)}")
    for before in range(60 - READERS, 60)
)
WRITE = (request("POST", "/v1/pets", b'{"name": "Rex", "categoryId": 3, "status": "available"}'),)


class Client(asyncio.Protocol):
    """One connection that sends its request again as soon as the response has arrived."""

    def __init__(self, request: bytes, status: bytes, took: list[float]) -> None:
        self.request, self.status, self.took = request, status, took
        self.buffer = b""
        self.body = b""

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.sent = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        start = head.index(b"content-length: ") + 16
        length = int(head[start : head.find(b"\r", start) if b"\r" in head[start:] else None])
        if len(body) < length:
            return
        assert head.startswith(b"HTTP/1.1 " + self.status), head
        self.took.append(time.perf_counter() - self.sent)
        self.buffer, self.body = b"", body
        self.send()


async def send_requests(
    address: str, requests: Requests, status: bytes, clients: int, seconds: float
) -> tuple:
    """Return requests a second, the times that they took, and the size of the last response."""
    parts = urlsplit(address)
    took: list[float] = []
    loop = asyncio.get_running_loop()
    pairs = [
        await loop.create_connection(
            partial(Client, requests[number % len(requests)], status, took),
            parts.hostname,
            parts.port,
        )
        for number in range(clients)
    ]
    await asyncio.sleep(seconds / 4)  # warm
    took.clear()
    started = time.perf_counter()
    await asyncio.sleep(seconds)
    elapsed = time.perf_counter() - started
    rate, times = len(took) / elapsed, sorted(took)
    for transport, _ in pairs:
        transport.abort()
    return rate, times, len(pairs[0][1].body)


@dataclass(frozen=True)
class Served:
    address: str
    process: int

    def cpu(self) -> float:
        """Return the seconds of CPU that it has used, without its database's process."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(kind: str, **options: object) -> Iterator[Served]:
    """Run a service of ``served`` on its core."""
    arguments = [f"--{name}={value}" for name, value in options.items()]
    words = [sys.executable, "-m", "tests.benchmarks.served", kind, *arguments]
    words.append(f"--core={SERVER_CORE}")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        yield Served(process.stdout.readline().strip(), process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stdout.close()


def compare(requests: Requests, clients: int, rounds: int, first: tuple, second: tuple) -> str:
    """Print two services' rates, measured in turns; return the median ratios of a turn."""
    status = b"201" if requests is WRITE else b"200"
    rates: list[list[float]] = [[], []]
    cpu: list[list[float]] = [[], []]
    times: list[list[float]] = [[], []]
    with served(first[1], **first[2]) as one, served(second[1], **second[2]) as other:
        for _ in range(rounds):
            for index, service in enumerate((one, other)):
                before = service.cpu()
                rate, took, _ = asyncio.run(
                    send_requests(service.address, requests, status, clients, 1.0)
                )
                rates[index].append(rate)
                cpu[index].append((service.cpu() - before) / 1.25 / rate * 1e6)
                times[index] += took
    for (label, *_), some_rates, costs, took in zip(
        (first, second), rates, cpu, times, strict=True
    ):
        took.sort()
        p50, p99 = statistics.median(took) * 1000, took[int(len(took) * 0.99)] * 1000
        rate = statistics.median(some_rates)
        print(
            f"{label:<40} {rate:8.0f} /s   p50 {p50:6.2f} ms   p99 {p99:6.2f} ms"
            f"   CPU {statistics.median(costs):4.0f} us",
            flush=True,
        )
    by_rate = statistics.median(one / other for one, other in zip(*rates, strict=True))
    by_cpu = statistics.median(other / one for one, other in zip(*cpu, strict=True))
    return f"{by_rate:5.2f}, by CPU {by_cpu:5.2f}"


def size_of(requests: Requests, database: str) -> int:
    status = b"201" if requests is WRITE else b"200"
    with served("service", database=database) as service:
        return asyncio.run(send_requests(service.address, requests, status, 1, 0.1))[2]


def compare_all(title: str, new_database: Callable[[], str], rounds: int, *, single: bool) -> None:
    """Print reads and writes of one database, and their ratios."""
    print(f"\n{title}")
    sizes = {requests: size_of(requests, new_database()) for requests in (READ, WRITE)}
    service = ("service", {"database": new_database()})
    nothing = ("constant", {"size": sizes[READ]})
    label = f"constant JSON of {sizes[READ]} bytes"
    ratio = compare(READ, READERS, rounds, ("GET /v1/pets?limit=20", *service), (label, *nothing))
    print(f"reads / constant            {ratio}   (aim: 0.5)")
    ratio = compare(
        PAGES, READERS, rounds, ("each reader another page", *service), (label, *nothing)
    )
    print(f"different reads / constant  {ratio}")
    label = f"POST /v1/pets, {WRITERS} writers"
    nothing = ("constant", {"size": sizes[WRITE], "status": 201})
    ratio = compare(
        WRITE, WRITERS, rounds, (label, *service), ("a POST that stores nothing", *nothing)
    )
    print(f"writes / storing nothing    {ratio}   (aim: 0.5)")
    if single:
        one = ("single", {"database": new_database()})
        ratio = compare(WRITE, WRITERS, rounds, (label, *service), ("one commit each", *one))
        print(f"grouped / one commit each   {ratio}   (aim: 2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of a second each")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--directory", type=Path, help="on the disk to be measured")
    given = parser.parse_args()
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory(dir=given.directory) as directory:
        names = iter(range(100))
        compare_all("SQLite", lambda: f"{directory}/{next(names)}.db", given.rounds, single=True)
    if given.postgres:
        with private_postgres() as server:
            compare_all("PostgreSQL", server.address, given.rounds, single=False)


if __name__ == "__main__":
    main()
