"""``pettui ssh`` in figures: start, memory, latency, CPU and bytes a key.

``python -m tests.benchmarks.bench_ssh [--sessions N] [--workers N]`` prints a table; with OpenSSH's
sshd on the machine it measures that too, with ``pettui --demo`` as its ForceCommand. Every session
is a real SSH connection with a handshake, of a client in a process of its own; each presses a key
every half second.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KEYS = ("\x1b[B", "\x1b[A")
EVERY = 0.5  # seconds between two keys of one session
SECONDS = 8.0
FIRST = "Mitzi"  # the newest sample
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Target:
    """A server to measure."""

    name: str
    port: int
    pid: int
    options: dict[str, object]


@dataclass
class Client(asyncssh.SSHClientSession[bytes]):
    """One session, and when what it waits for came."""

    received: int = 0
    text: bytes = b""
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def data_received(self, data: bytes, _datatype: object) -> None:
        self.received += len(data)
        if len(self.text) < 100_000:
            self.text += data
        self.came.set()

    async def wait_for(self, what: bytes) -> None:
        while what not in self.text:
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), 60)


async def come_in(target: Target) -> tuple[asyncssh.SSHClientConnection, object, Client, float]:
    """Connect, and wait for the first animals; gives the milliseconds that took."""
    began = time.perf_counter()
    connection = await asyncssh.connect("127.0.0.1", target.port, **target.options)
    channel, client = await connection.create_session(
        Client, term_type="xterm-256color", term_size=(100, 30), encoding=None,
        env={"COLORTERM": "truecolor", "LANG": "C.UTF-8"},
    )  # fmt: skip
    await client.wait_for(FIRST.encode())
    return connection, channel, client, (time.perf_counter() - began) * 1000


async def press(channel: object, client: Client, until: float, taken: list[float]) -> None:
    """Press a key every half second, and note how long its frame takes."""
    turn = 0
    await asyncio.sleep(random.uniform(0, EVERY))
    while time.perf_counter() < until:
        began = time.perf_counter()
        client.came.clear()
        channel.write(KEYS[turn % 2].encode())
        turn += 1
        await asyncio.wait_for(client.came.wait(), 30)
        taken.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(max(EVERY - (time.perf_counter() - began), 0))


def family(pid: int) -> list[int]:
    """Give a process and all that come from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def memory(pid: int) -> float:
    """Give the MB (proportional share) of a process and its children."""
    total = 0
    for each in family(pid):
        rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
        total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])
    return total / 1024


def processor(pid: int) -> float:
    """Give the seconds of CPU of a process and its children."""
    fields = [Path(f"/proc/{p}/stat").read_text().rpartition(")")[2].split() for p in family(pid)]
    return sum(int(f[11]) + int(f[12]) for f in fields) / TICKS


async def measure(target: Target, sessions: int) -> dict[str, str]:
    """Measure one server."""
    starts = []
    for _ in range(9):
        connection, _, _, took = await come_in(target)
        starts.append(took)
        connection.abort()
        await asyncio.sleep(0.3)
    before = memory(target.pid)
    alone = await typed(target, 1)
    many = await typed(target, sessions, with_idle=True)
    together = await asyncio.gather(*(come_in(target) for _ in range(min(sessions, 50))))
    for connection, *_ in together:
        connection.abort()
    return {
        "first animals, ms (median)": f"{median(starts):.0f}",
        f"MB a session, {sessions} sessions": f"{(many['memory'] - before) / sessions:.2f}",
        "MB in all": f"{many['memory']:.0f}",
        "key to frame, ms p50/p99, 1 session": alone["latency"],
        f"key to frame, ms p50/p99, {sessions} sessions": many["latency"],
        "CPU seconds for 1,000 keys": f"{many['cpu']:.2f}",
        "bytes a key": f"{many['bytes']:.0f}",
        "idle CPU, %": f"{many['idle']:.1f}",
        f"{len(together)} at once, last one ready, s": f"{max(t for *_, t in together) / 1000:.2f}",
    }


async def typed(target: Target, sessions: int, *, with_idle: bool = False) -> dict[str, object]:
    """Let sessions type for a while."""
    opened = [await come_in(target) for _ in range(sessions)]
    await asyncio.sleep(2)
    found: dict[str, object] = {"memory": memory(target.pid)}
    if with_idle:
        began = processor(target.pid)
        await asyncio.sleep(5)
        found["idle"] = (processor(target.pid) - began) / 5 * 100
    taken: list[float] = []
    received = sum(client.received for _, _, client, _ in opened)
    began, until = processor(target.pid), time.perf_counter() + SECONDS
    await asyncio.gather(
        *(press(channel, client, until, taken) for _, channel, client, _ in opened)
    )
    await asyncio.sleep(0.5)
    received = sum(client.received for _, _, client, _ in opened) - received
    found["cpu"] = (processor(target.pid) - began) / len(taken) * 1000
    found["bytes"] = received / len(taken)
    found["latency"] = f"{median(taken):.0f}/{quantiles(taken, n=100)[98]:.0f}"
    for connection, *_ in opened:
        connection.abort()
    await asyncio.sleep(1)
    return found


@contextmanager
def pettui(home: Path, sessions: int, workers: int) -> Iterator[Target]:
    """Run ``pettui ssh``."""
    limits = [f"--max-sessions={sessions * 3}", f"--per-address={sessions * 3}"]
    log = home / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [PROGRAM, "ssh", "--demo", "--port=0", f"--workers={workers}", *limits],
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            stderr=stream,
        )
    while "come in" not in log.read_text():
        time.sleep(0.01)
    port = int(re.search(r"ssh -p (\d+)", log.read_text())[1])
    options = {"username": "demo", "known_hosts": None, "client_keys": [], "config": None}
    yield Target(f"pettui ssh, {workers} worker(s)", port, process.pid, options)
    process.send_signal(signal.SIGTERM)
    process.wait(30)


@contextmanager
def sshd(home: Path) -> Iterator[Target]:
    """Run OpenSSH's server with ``pettui --demo`` for everybody: a process a session."""
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)]
        subprocess.run(words, check=True)
    home.joinpath("keys").write_text((home / "user.pub").read_text())
    port = random.randint(20_000, 40_000)
    home.joinpath("sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host\nUsePAM no\n"
        f"AuthorizedKeysFile {home}/keys\nStrictModes no\nPidFile none\nMaxStartups 500\n"
        f"MaxSessions 500\nAcceptEnv COLORTERM LANG\nForceCommand {PROGRAM} --demo\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    program = shutil.which("sshd", path="/usr/sbin:/usr/bin")
    process = subprocess.Popen([program, "-D", "-f", str(home / "sshd_config")])
    time.sleep(0.5)
    options = {"known_hosts": None, "client_keys": [str(home / "user")], "config": None}
    yield Target("sshd, a process a session", port, process.pid, options)
    process.terminate()
    process.wait(30)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--sshd-sessions", type=int, default=20, help="each takes some 40 MB")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    asyncssh.set_log_level("ERROR")
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        with pettui(home, options.sessions, options.workers) as target:
            show(target.name, asyncio.run(measure(target, options.sessions)))
        if shutil.which("sshd", path="/usr/sbin:/usr/bin"):
            with sshd(home) as target:
                show(target.name, asyncio.run(measure(target, options.sshd_sessions)))
        else:
            print("sshd is not installed (Debian: openssh-server): not compared")
    return 0


def show(name: str, figures: dict[str, str]) -> None:
    """Print one column."""
    print(f"\n{name}")
    for what, value in figures.items():
        print(f"  {what:48} {value}")


if __name__ == "__main__":
    sys.exit(main())
