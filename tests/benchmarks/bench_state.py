"""How long clerks wait from Enter to "kept" where the database of their outboxes is far away.

``python -m tests.benchmarks.bench_state [RTT_MS] [CLERKS] [ANIMALS]``: one process of ``pettui ssh``
with ``--state``, and keys over SSH; the link to PostgreSQL delays what passes. Each clerk types a name,
as fast as people type, and presses Enter.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

import psycopg

from tests.benchmarks.measuring import environment_of, processor
from tests.benchmarks.slow_link import slow_link
from tests.peers.clerk import EMPTY, ENTER, NO_CATEGORY, Clerk, Session
from tests.peers.ssh_server import SshServer, write_key
from tests.service.private_postgres import SUPERUSER, private_postgres
from tests.service.running_service import KEY, running_service

KEY_SECONDS = 0.15  # between two keys
ANIMAL_SECONDS = 3.0  # between two animals


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
    with ExitStack() as running:
        postgres = running.enter_context(private_postgres())
        state = postgres.new_database("state")
        socket = str(postgres.directory / ".s.PGSQL.5432")
        port = running.enter_context(slow_link(socket, rtt / 2))
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


def main() -> None:
    given = dict(enumerate(sys.argv[1:]))
    rtt, clerks, animals = (int(given.get(n, usual)) for n, usual in enumerate((50, 15, 10)))
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        home.mkdir()
        asyncio.run(measure(home, rtt / 1000, clerks, animals))


if __name__ == "__main__":
    main()
