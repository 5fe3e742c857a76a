"""Requests a second of the service on one core, beside the same server doing less.

``python -m tests.benchmarks.bench_service [--rounds 5] [--postgres]``; TMPDIR decides the disk.

The server has one core, the client another one. Two services take turns, a second each, so that
other load on the machine affects both; a ratio is the median of these turns. The ratio by CPU is
that of the time that the two servers used for a request, without the client and the database.
"constant" is the same uvicorn with the same protocol and settings, whose ASGI app reads nothing
and responds with JSON of the same size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pettui.service.endpoints import encode_cursor
from tests.benchmarks.measuring import processor
from tests.benchmarks.served import KEY
from tests.service.private_postgres import private_postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Requests = tuple[bytes, ...]  # one for each client, then from the first one again
    Kind = tuple[str, dict[str, object]]  # of served, and its options

SERVER_CORE, CLIENT_CORE = 0, 1
WRITERS = 64
READERS = 16


KEY_TO_COME = b"00000000-0000-0000-0000-000000000000"  # each request has another one in its place


def request(method: str, path: str, body: bytes = b"", *fields: str) -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {KEY}\r\n"
    head += "".join(f"{field}\r\n" for field in fields)
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


READ = (request("GET", "/v1/pets?limit=20"),)
PAGES = tuple(
    request("GET", f"/v1/pets?limit=20&cursor={encode_cursor(before)}")
    for before in range(60 - READERS, 60)
)
REX = b'{"name": "Rex", "categoryId": 3, "status": "available"}'
WRITE = (request("POST", "/v1/pets", REX),)
WRITE_ONCE = (request("POST", "/v1/pets", REX, f'Idempotency-Key: "{KEY_TO_COME.decode()}"'),)


def new_key() -> bytes:
    """Return a UUID of version 7: it begins with the time."""
    number = time.time_ns() // 1_000_000 << 80 | 7 << 76 | secrets.randbits(76)
    return str(uuid.UUID(int=number)).encode()


class Client(asyncio.Protocol):
    """One connection that sends its request again as soon as the response has arrived."""

    def __init__(self, request: bytes, status: bytes) -> None:
        self.request, self.status = request, status
        self.buffer = b""
        self.size = self.responses = 0

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        keyed = KEY_TO_COME in self.request
        self.transport.write(
            self.request.replace(KEY_TO_COME, new_key()) if keyed else self.request
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        self.size = int(head.partition(b"content-length: ")[2].partition(b"\r")[0])
        if len(body) < self.size:
            return
        assert head.startswith(b"HTTP/1.1 " + self.status), head
        self.responses += 1
        self.buffer = b""
        self.send()


async def send_requests(
    service: Served, requests: Requests, clients: int, seconds: float
) -> tuple[float, float, int]:
    """Return requests a second, microseconds of CPU for each, and the size of a response."""
    parts = urlsplit(service.address)
    status = b"201" if requests[0].startswith(b"POST") else b"200"
    loop = asyncio.get_running_loop()
    pairs = [
        await loop.create_connection(
            partial(Client, requests[number % len(requests)], status), parts.hostname, parts.port
        )
        for number in range(clients)
    ]
    await asyncio.sleep(seconds / 4)  # warm
    before = sum(client.responses for _, client in pairs)
    started, used = time.perf_counter(), processor(service.process)
    await asyncio.sleep(seconds)
    responses = sum(client.responses for _, client in pairs) - before
    elapsed, used = time.perf_counter() - started, processor(service.process) - used
    for transport, _ in pairs:
        transport.abort()
    return responses / elapsed, used / responses * 1e6, pairs[0][1].size


@dataclass(frozen=True)
class Served:
    address: str
    process: int


@contextmanager
def served(kind: str, **options: object) -> Iterator[Served]:
    """Run a service of ``served`` on its core."""
    words = [kind, json.dumps({"core": SERVER_CORE, **options})]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.served", *words], stdout=subprocess.PIPE, text=True
    ) as process:
        yield Served(process.stdout.readline().strip(), process.pid)
        process.terminate()


def compare(
    what: str, requests: Requests | tuple[Requests, Requests], clients: int, rounds: int, *two: Kind
) -> None:
    """Print two services' rates, measured in turns, and the median ratios of a turn."""
    rates: list[list[float]] = [[], []]
    cpu: list[list[float]] = [[], []]
    each = requests if isinstance(requests[0], tuple) else (requests, requests)
    with ExitStack() as running:
        services = [running.enter_context(served(kind, **options)) for kind, options in two]
        for _ in range(rounds):
            for index, service in enumerate(services):
                rate, cost, _ = asyncio.run(send_requests(service, each[index], clients, 1.0))
                rates[index].append(rate)
                cpu[index].append(cost)
    by_rate = median(one / other for one, other in zip(*rates, strict=True))
    by_cpu = median(other / one for one, other in zip(*cpu, strict=True))
    figures = [f"{median(rates[n]):8.0f} /s, CPU {median(cpu[n]):4.0f} us" for n in (0, 1)]
    print(f"{what:42}{' beside'.join(figures)}: {by_rate:5.2f}, by CPU {by_cpu:5.2f}", flush=True)


def size_of(requests: Requests, database: str) -> int:
    with served("service", database=database) as service:
        return asyncio.run(send_requests(service, requests, 1, 0.1))[2]


def compare_all(title: str, new_database: Callable[[], str], rounds: int, *, single: bool) -> None:
    """Print reads and writes of one database, and their ratios."""
    print(f"\n{title}")
    service = ("service", {"database": new_database()})
    same = ("constant", {"size": size_of(READ, new_database())})
    compare("reads / constant JSON of the same size", READ, READERS, rounds, service, same)
    compare("each reader another page / constant", PAGES, READERS, rounds, service, same)
    nothing = ("constant", {"size": size_of(WRITE, new_database()), "status": 201})
    compare("adds / an add that stores nothing", WRITE, WRITERS, rounds, service, nothing)
    other = ("service", {"database": new_database()})
    compare("adds with a key / without one", (WRITE_ONCE, WRITE), WRITERS, rounds, service, other)
    if single:
        one = ("single", {"database": new_database()})
        compare("adds that share a commit / one each", WRITE, WRITERS, rounds, service, one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of a second each")
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory() as directory:
        names = iter(range(100))
        compare_all("SQLite", lambda: f"{directory}/{next(names)}.db", given.rounds, single=True)
    if given.postgres:
        with private_postgres() as server:
            compare_all("PostgreSQL", server.address, given.rounds, single=False)


if __name__ == "__main__":
    main()
