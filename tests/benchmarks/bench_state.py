"""How long clerks wait from Enter to "kept" where the database of their outboxes is far away.

``python -m tests.benchmarks.bench_state [RTT_MS] [CLERKS] [ANIMALS] [ssh|outbox]``: one process of
``pettui ssh`` with ``--state``, and keys over SSH, or its outboxes alone, where the machine has no
processor to spare for screens; the network to PostgreSQL is a proxy on loopback that delays what
passes. Each clerk types a name, as fast as people type, and presses Enter.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import psycopg

from pettui.outbox import Draft, Outbox, SharedThread
from pettui.outbox.stores.postgres import PostgresOwners
from pettui.outbox.stores.postgres_connections import StateDatabase
from pettui.system.postgres import checked_address
from tests.benchmarks.measuring import environment_of, processor
from tests.outbox.scripted import KeepingClient
from tests.peers.clerk import EMPTY, ENTER, NO_CATEGORY, Clerk, Session
from tests.peers.ssh_server import SshServer, wait_until, write_key
from tests.peers.test_several_servers import is_open
from tests.ports import reserved_ports
from tests.service.private_postgres import SUPERUSER, private_postgres
from tests.service.running_service import KEY, running_service
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY_SECONDS = 0.15  # between two keys
ANIMAL_SECONDS = 3.0  # between two animals
PROXY = "proxy"


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Pass on what comes, each part so many seconds later."""
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        data = b"-"
        while data:
            try:
                data = await reader.read(65536)
            except OSError:
                data = b""
            waiting.put_nowait((time.monotonic() + delay, data))

    reading = asyncio.create_task(read())
    try:
        while True:
            at, data = await waiting.get()
            await asyncio.sleep(max(at - time.monotonic(), 0.0))
            if not data:
                break
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        reading.cancel()
        writer.close()


async def run_proxy(port: int, path: str, delay: float) -> None:
    """Listen, for as long as the process runs."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(path)
        await asyncio.gather(pass_on(reader, back, delay), pass_on(there, writer, delay))

    async with await asyncio.start_server(connected, "127.0.0.1", port) as server:
        await server.serve_forever()


@contextmanager
def proxy(port: int, path: Path, delay: float) -> Iterator[None]:
    words = [sys.executable, "-m", "tests.benchmarks.bench_state", PROXY]
    process = subprocess.Popen([*words, str(port), str(path), str(delay)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


async def add(session: Session, name: str) -> float:
    """Type an animal; return the seconds from Enter to the empty form, below which it stands."""
    for character in name:
        session.press(character)
        await asyncio.sleep(KEY_SECONDS)
    await session.until(lambda text: name in text)
    if NO_CATEGORY in session.text:
        session.press("\t", "3")
        await session.until(lambda text: NO_CATEGORY not in text)
        await asyncio.sleep(KEY_SECONDS)
    began = time.monotonic()
    session.press(ENTER)
    await session.until(lambda text: EMPTY in text and name in text)
    return time.monotonic() - began


async def work(clerk: Clerk, animals: int) -> list[float]:
    async with clerk._login() as session:
        await asyncio.sleep(random.uniform(0.0, 3.0))
        session.press("a")
        await session.until(lambda text: "Add an animal" in text)
        took = []
        for number in range(animals):
            took.append(await add(session, f"{clerk.name}-{number:03d}"))
            await asyncio.sleep(random.uniform(0.5, 1.5) * ANIMAL_SECONDS)
        return took[1:]  # with the first one a category is typed


async def measure(home: Path, rtt: float, clerks: int, animals: int) -> None:
    async with AsyncExitStack() as opened:
        running = opened.enter_context(ExitStack())
        postgres = running.enter_context(private_postgres())
        state = postgres.new_database("state")
        (port,) = running.enter_context(reserved_ports(1))
        running.enter_context(proxy(port, postgres.directory / ".s.PGSQL.5432", rtt / 2))
        address = f"postgresql://{SUPERUSER}@127.0.0.1:{port}/state"
        service = running.enter_context(running_service(home))
        keys = {
            f"clerk{n:02d}": write_key(home / f"key{n}", f"clerk{n:02d}") for n in range(clerks)
        }
        (home / "authorized_keys").write_text(
            "".join(key.export_public_key().decode() for key in keys.values())
        )
        environment = environment_of(
            home,
            configuration=f'[profiles.shop]\nbase_url = "{service.base_url}"\napi_key_env = "K"\n',
        )
        server = SshServer(
            home,
            {**environment, "K": KEY, "PETTUI_STATE": address},
            "--profile=shop", "--workers=1", "--per-address=100",
            f"--authorized-keys={home / 'authorized_keys'}",
        )  # fmt: skip
        running.callback(server.stop)
        with psycopg.connect(address) as connection:
            began = time.monotonic()
            connection.execute("SELECT 1")
            connection.execute("SELECT 1")
            seen = (time.monotonic() - began) / 2.5 * 1000  # BEGIN comes with the first
        before = sum(map(processor, (server.process.pid, *server.workers)))
        clerks = [Clerk(name, key, server.port) for name, key in keys.items()]
        waits = await asyncio.gather(*(work(clerk, animals) for clerk in clerks))
        took = sorted(wait * 1000 for each in waits for wait in each)
        used = sum(map(processor, (server.process.pid, *server.workers))) - before
        total = clerks * animals
        for _ in range(600):
            with suppress(psycopg.Error), psycopg.connect(state) as connection:
                counts = dict(
                    connection.execute(
                        "SELECT state, count(*) FROM pettui_entries GROUP BY state"
                    ).fetchall()
                )
                if counts == {"added": total}:
                    break
            await asyncio.sleep(0.1)
    print(
        f"round trip {rtt * 1000:.0f} ms (SELECT 1: {seen:.0f}), {clerks} clerks, {len(took)} adds:"
        f" kept after {median(took):.0f} ms (median), {took[len(took) * 95 // 100]:.0f} (95 %),"
        f" {took[-1]:.0f} (slowest); then {counts}; {used:.1f} s of CPU"
    )


async def measure_outboxes(_home: Path, rtt: float, clerks: int, animals: int) -> None:
    """Measure without screens, keys and a service."""
    with ExitStack() as running:
        postgres = running.enter_context(private_postgres())
        postgres.new_database("state")
        (port,) = running.enter_context(reserved_ports(1))
        running.enter_context(proxy(port, postgres.directory / ".s.PGSQL.5432", rtt / 2))
        wait_until(lambda: is_open(port), "the proxy")
        address = checked_address(f"postgresql://{SUPERUSER}@127.0.0.1:{port}/state")
        database = StateDatabase(address)
        running.callback(database.close)
        database.start()
        owners = PostgresOwners(database, "shop", "https://pets.example/v1")
        thread = running.enter_context(SharedThread(database.connections))
        client = KeepingClient()

        async def work_on(number: int) -> list[float]:
            owner = owners.of(f"ssh {number}")
            outbox = Outbox(owner.open(), client, thread=thread, receipts=owner.receipts())
            outbox.start()
            await outbox.opened()
            await asyncio.sleep(random.uniform(0.0, 2.0))
            took = []
            for animal in range(animals):
                name = f"clerk{number:02d}-{animal:03d}"
                typing = []
                for end in range(1, len(name) + 1):
                    draft = Draft(name[:end], "3", typed_at=time.time())
                    typing.append(asyncio.create_task(outbox.drafts.keep(draft)))
                    await asyncio.sleep(KEY_SECONDS)
                began = time.monotonic()
                await outbox.add(name, 3, None)
                took.append(time.monotonic() - began)
                await asyncio.gather(*typing)
                await asyncio.sleep(random.uniform(0.5, 1.5) * ANIMAL_SECONDS)
            await until(lambda: len(outbox.added_here) == animals)
            await outbox.close()
            return took

        waits = await asyncio.gather(*map(work_on, range(clerks)))
    took = sorted(wait * 1000 for each in waits for wait in each)
    print(
        f"round trip {rtt * 1000:.0f} ms, {clerks} outboxes, {len(took)} adds:"
        f" kept after {median(took):.0f} ms (median), {took[len(took) * 95 // 100]:.0f} (95 %),"
        f" {took[-1]:.0f} (slowest); {len(client.names)} sent"
    )


def main() -> None:
    given = dict(enumerate(sys.argv[1:]))
    rtt, clerks, animals = (int(given.get(n, usual)) for n, usual in enumerate((50, 15, 10)))
    run = measure_outboxes if given.get(3) == "outbox" else measure
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        home.mkdir()
        asyncio.run(run(home, rtt / 1000, clerks, animals))


if __name__ == "__main__":
    if sys.argv[1:2] == [PROXY]:
        asyncio.run(run_proxy(int(sys.argv[2]), sys.argv[3], float(sys.argv[4])))
    else:
        main()
