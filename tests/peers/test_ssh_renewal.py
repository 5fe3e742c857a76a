"""Processes that are empty or no longer respond are replaced; nobody who comes notices."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh

from tests.ssh_reader import Reader, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

QUIT = b"\x11"


@dataclass
class TunedServer:
    """A running server with options that the command line does not have."""

    process: asyncio.subprocess.Process
    port: int
    log: Path

    @property
    def workers(self) -> list[int]:
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [int(pid) for pid in Path(children).read_text().split()]

    def events(self, event: str) -> list[dict[str, Any]]:
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [found for line in lines if (found := json.loads(line))["event"] == event]

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        await until(condition)

    async def connect(self) -> asyncssh.SSHClientConnection:
        return await asyncssh.connect(
            "127.0.0.1", self.port, username="demo", known_hosts=None, client_keys=[], config=None
        )

    async def come_in(self, connection: asyncssh.SSHClientConnection) -> Reader:
        _, reader = await connection.create_session(
            Reader, term_type="xterm-256color", term_size=(100, 30), encoding=None
        )
        await reader.wait_for(b"Mitzi")
        return reader

    async def come_and_go(self) -> None:
        """Come in, press a key, which does what it does, and quit."""
        async with await self.connect() as connection:
            reader = await self.come_in(connection)
            reader.channel.write(b"a")
            await reader.wait_for(b"Add an animal")
            reader.channel.write(QUIT)
            await reader.channel.wait_closed()
            assert reader.channel.get_exit_status() == 0


@asynccontextmanager
async def tuned(
    home: Path, environment: Mapping[str, str], **options: float
) -> AsyncIterator[TunedServer]:
    log = home / "log"
    with log.open("wb") as stream:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.peers.tuned_ssh_server", str(home), json.dumps(options),
            env=dict(environment), stdout=subprocess.PIPE, stderr=stream,
        )  # fmt: skip
    try:
        yield TunedServer(process, int(await process.stdout.readline()), log)
    finally:
        process.terminate()
        code = await process.wait()
    assert code == 0


async def test_clients_are_admitted_while_processes_are_replaced(
    home: Path, environment: Mapping[str, str]
) -> None:
    async with tuned(home, environment, renew_after=0.01) as server:
        for round_ in range(1, 3):
            await server.come_and_go()
            await server.wait_until(lambda: bool(server.events("worker replaced")))
            await asyncio.gather(*(server.come_and_go() for _ in range(round_)))
        sessions = (1 + 1) + (1 + 2)
        await server.wait_until(lambda: len(server.events("end")) == sessions)
        await server.wait_until(lambda: len(server.workers) == 1)
        assert len(server.events("begin")) == sessions
        assert [end["reason"] for end in server.events("end")] == ["quit"] * sessions
        assert not server.events("worker ended")
        assert "bug" not in server.log.read_text()


async def test_until_a_successor_can_start_clients_wait(
    home: Path, environment: Mapping[str, str]
) -> None:
    async with tuned(home, environment, renew_after=0.2) as server:
        [first] = server.workers
        async with await server.connect() as connection:
            await server.come_in(connection)
            (home / "broken").touch()
        await server.wait_until(lambda: bool(server.events("worker replaced")))
        await server.wait_until(lambda: bool(server.events("worker ended")))
        next_one = asyncio.create_task(server.come_and_go())
        (home / "broken").unlink()
        await next_one
        assert first not in server.workers


async def test_a_stopped_process_is_replaced_and_its_sessions_free_their_slots(
    home: Path, environment: Mapping[str, str]
) -> None:
    async with tuned(home, environment, unresponsive_after=1.0, max_sessions=1) as server:
        [stopped] = server.workers
        connection = await server.connect()
        await server.come_in(connection)
        os.kill(stopped, signal.SIGSTOP)
        next_one = asyncio.create_task(server.come_and_go())  # nobody answers it yet
        await connection.wait_closed()
        await next_one
        assert [event["pid"] for event in server.events("worker unresponsive")] == [stopped]
        assert [event["code"] for event in server.events("worker ended")] == [-signal.SIGKILL]
        assert stopped not in server.workers
