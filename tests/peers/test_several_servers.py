"""A shop with two servers over SSH, two services, nginx and PostgreSQL, of which each dies at times.

Thirty clerks add by keys meanwhile. Every animal that the form took is in the store once, or stands as
unknown or refused in its clerk's outbox; every draft that was kept is there.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from pettui.outbox.stores.contents import parsed_draft, parsed_entry
from tests.exhaustive import times
from tests.peers.clerk import Clerk
from tests.peers.ssh_server import need_ssh, wait_until, write_key
from tests.peers.terminal import PROGRAM
from tests.ports import reserved_ports
from tests.service.private_postgres import PrivatePostgres, binaries, private_postgres
from tests.service.running_service import KEY
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

pytestmark = pytest.mark.exhaustive

CLERKS = 30
SECONDS = int(os.environ.get("PETTUI_RUN_SECONDS", times(600)))
STREAMS = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
LEASE = 10.0
SETTLED = 240.0  # seconds in which all that can be sent is sent afterwards
NGINX = """
daemon off; pid {directory}/nginx.pid; error_log {directory}/nginx.log; load_module {module};
events {{ worker_connections 4000; }}
stream {{
    proxy_connect_timeout 1s; proxy_timeout 1h;
    upstream ssh {{ random; {ssh} }}
    upstream service {{ random; {service} }}
    server {{ listen 127.0.0.1:{ssh_port}; proxy_pass ssh; }}
    server {{ listen 127.0.0.1:{service_port}; proxy_pass service; }}
}}
"""


class Program:
    """A server in a process group of its own, which dies, stands still and starts again as a whole."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.words = words
        self._environment = environment
        self.log = log
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.words], env=self._environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.process.wait(PATIENCE)
            with suppress(ProcessLookupError):  # workers that are behind their parent
                os.killpg(self.process.pid, signal.SIGKILL)


class Database:
    """PostgreSQL, likewise."""

    def __init__(self, server: PrivatePostgres) -> None:
        self._server = server

    def start(self) -> None:
        self._server.start()

    def signal(self, number: int) -> None:
        if number == signal.SIGTERM:
            self._server.stop()
            return
        postmaster = int((self._server.directory / "data/postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in (postmaster, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if number == signal.SIGKILL:
            wait_until(lambda: not Path(f"/proc/{postmaster}").exists(), "its end")


class Shop:
    """All of it."""

    def __init__(self, home: Path, environment: Mapping[str, str], running: ExitStack) -> None:
        self.home = home
        postgres = running.enter_context(private_postgres("fsync=off", "max_connections=60"))
        self.state = postgres.new_database("state")
        self.pets = postgres.new_database("pets")
        ssh_port, service_port, *ports = running.enter_context(reserved_ports(6))
        environment = {
            **environment, "PETTUI_CONFIG": str(home / "config.toml"), "SHOP_KEY": KEY,
            "PETTUI_SERVICE_KEYS": KEY, "PETTUI_STATE": self.state, "PETTUI_DATABASE": self.pets,
        }  # fmt: skip
        (home / "config.toml").write_text(
            f'delay = 1\n[profiles.shop]\nbase_url = "http://127.0.0.1:{service_port}/v1"\n'
            'api_key_env = "SHOP_KEY"\n'
        )
        keys = {
            f"clerk{number:02d}": write_key(home / f"key{number}", f"clerk{number:02d}")
            for number in range(CLERKS)
        }
        (home / "authorized_keys").write_text(
            "".join(key.export_public_key().decode() for key in keys.values())
        )
        self.clerks = [Clerk(name, key, ssh_port) for name, key in keys.items()]
        write_key(home / "host_key")
        ssh = [
            PROGRAM, "ssh", "--profile=shop", "--workers=1", "--per-address=100",
            f"--authorized-keys={home / 'authorized_keys'}", f"--host-key={home / 'host_key'}",
        ]  # fmt: skip
        self.victims: dict[str, Program | Database] = {"postgres": Database(postgres)}
        self._programs = []
        for number, port in enumerate(ports):
            words = [*ssh, f"--port={port}"] if number < 2 else [PROGRAM, "serve", f"--port={port}"]
            name = f"{words[1]} {number % 2 + 1}"
            one = Program(words, environment, home / f"{words[1]}-{number % 2 + 1}.log")
            running.callback(one.signal, signal.SIGKILL)
            self.victims[name] = one
            self._programs.append(one)
        listed = [f"server 127.0.0.1:{port} max_fails=1 fail_timeout=2s;" for port in ports]
        (home / "nginx.conf").write_text(
            NGINX.format(
                directory=home, module=STREAMS, ssh="".join(listed[:2]), service="".join(listed[2:]),
                ssh_port=ssh_port, service_port=service_port,
            )
        )  # fmt: skip
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert program
        nginx = Program(
            [program, "-c", str(home / "nginx.conf"), "-p", str(home)],
            environment,
            home / "nginx.log",
        )
        running.callback(nginx.signal, signal.SIGTERM)
        for port in (*ports, ssh_port, service_port):
            wait_until(lambda port=port: is_open(port), f"port {port}")  # type: ignore[misc]

    def rows(self, address: str, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(address, autocommit=True, connect_timeout=3) as connection:
            return connection.execute(statement).fetchall()

    def has_draft(self, name: str) -> bool:
        with suppress(psycopg.Error):
            return name in self.drafts()
        return False

    def drafts(self) -> set[str]:
        rows = self.rows(self.state, "SELECT content FROM pettui_drafts")
        return {parsed_draft(bytes(content), 0.0).name for (content,) in rows}

    def stored(self) -> Counter[str]:
        return Counter(
            bytes(name).decode() for (name,) in self.rows(self.pets, "SELECT name FROM pets")
        )

    def entries(self) -> dict[str, str]:
        """Return the state of each entry, by its name."""
        rows = self.rows(self.state, "SELECT entry_id, state, content FROM pettui_entries")
        return {
            parsed_entry(bytes(content), str(entry_id)).name: str(state)
            for entry_id, state, content in rows
        }

    async def disturb(self, ends_at: float, chance: random.Random) -> list[str]:
        """Kill, stop and restart one after the other; return what was done."""
        done = []
        while time.monotonic() < ends_at:
            await asyncio.sleep(chance.uniform(1.0, 4.0))
            name = chance.choice([*self.victims])
            deed = chance.choice(["kill", "stop", "restart"])
            victim = self.victims[name]
            done.append(f"{deed} {name}")
            if deed == "stop":
                victim.signal(signal.SIGSTOP)
                await asyncio.sleep(LEASE + chance.uniform(1.0, 4.0))
                victim.signal(signal.SIGCONT)
            else:
                number = signal.SIGKILL if deed == "kill" else signal.SIGTERM
                await asyncio.to_thread(victim.signal, number)
                await asyncio.sleep(chance.uniform(0.0, 3.0))
                await asyncio.to_thread(victim.start)
        return done


def is_open(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str]) -> Iterator[Shop]:
    need_ssh()
    if binaries() is None or not STREAMS.exists():
        missing = "no PostgreSQL, or no nginx with streams here"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with ExitStack() as running:
        yield Shop(home, environment, running)


async def test_whatever_dies_each_animal_that_a_form_took_is_added_once(shop: Shop) -> None:
    seed = int(os.environ.get("PETTUI_RUN_SEED", random.randrange(10**6)))
    ends_at = time.monotonic() + SECONDS
    until = 0.0 if "PETTUI_RUN_CALM" in os.environ else ends_at
    disturbing = asyncio.create_task(shop.disturb(until, random.Random(seed)))
    await asyncio.gather(*(clerk.work(ends_at, shop.has_draft) for clerk in shop.clerks))
    done = await disturbing

    def is_settled() -> bool:
        with suppress(psycopg.Error):
            return not {"waiting", "sending"} & set(shop.entries().values())
        return False

    deadline = time.monotonic() + SETTLED
    while not await asyncio.to_thread(is_settled) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(1.0)
    stored, entries, drafts = shop.stored(), shop.entries(), shop.drafts()
    taken = [name for clerk in shop.clerks for name in clerk.taken]
    echoes = sorted(echo for clerk in shop.clerks for echo in clerk.echoes)
    print(f"seed {seed}: {', '.join(done)}")
    print(
        f"{len(taken)} taken of {sum(len(clerk.typed) for clerk in shop.clerks)} typed,"
        f" {sum(stored.values())} stored, {Counter(entries.values())},"
        f" {sum(clerk.logins for clerk in shop.clerks)} logins,"
        f" keys: median {echoes[len(echoes) // 2] * 1000:.1f} ms,"
        f" p99 {echoes[len(echoes) * 99 // 100] * 1000:.1f} ms"
    )
    for refusal, count in Counter(r for clerk in shop.clerks for r in clerk.refusals).most_common(
        8
    ):
        print(count, refusal)
    lost = [
        name for name in taken
        if stored[name] == 0 and entries.get(name) not in ("unknown", "refused")
    ]  # fmt: skip
    assert [(name, entries.get(name)) for name in lost] == []
    assert [name for name, count in stored.items() if count > 1] == []
    kept = {name for clerk in shop.clerks for name in clerk.drafts}
    assert kept - drafts == set()
    assert taken
