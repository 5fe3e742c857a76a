"""Servers to come in to over SSH: ours, OpenSSH's with a process a session, and one in Go."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.go_programs import built, why_not_built

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = str(Path(sys.executable).with_name("pettui"))
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Target:
    name: str
    port: int
    pid: int
    key: Path | None = None  # that lets in, where not everybody may come in

    def family(self) -> list[int]:
        return _family(self.pid)

    def memory(self) -> float:
        """Return the MB (proportional share) of all of them."""
        total = 0
        for pid in self.family():
            with suppress(OSError):  # it ended meanwhile
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])
        return total / 1024

    def processor(self) -> float:
        """Return the seconds of CPU of all of them, and of their children that ended."""
        total = 0
        for pid in self.family():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += sum(int(ticks) for ticks in fields[11:15])  # user, system, children's
        return total / TICKS


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in _family(int(child)))]


@contextmanager
def pettui(home: Path, workers: int, *, sessions: int = 2000) -> Iterator[Target]:
    """Run ``pettui ssh``, whose every session is a demo."""
    limits = [f"--max-sessions={sessions}", f"--per-address={sessions}", "--idle-timeout=0"]
    log = home / f"pettui-{workers}.log"
    words = [PROGRAM, "ssh", "--demo", "--port=0", f"--workers={workers}", *limits]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    with log.open("wb") as stream:
        process = subprocess.Popen(words, env=environment, stderr=stream)
    with _ended(process):
        while not (listening := re.search(r"ssh -p (\d+)", log.read_text())):
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.01)
        yield Target("pettui", int(listening[1]), process.pid)


@contextmanager
def sshd(home: Path) -> Iterator[Target]:
    """Run OpenSSH's server with ``pettui --demo`` for everybody: a process a session."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/bin")
    for name in ("host", "user"):
        if not (home / name).exists():
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)]
            subprocess.run(words, check=True)
    port = _free_port()
    home.joinpath("sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host\nUsePAM no\n"
        f"AuthorizedKeysFile {home}/user.pub\nStrictModes no\nPidFile none\nMaxStartups 500\n"
        f"MaxSessions 500\nAcceptEnv COLORTERM LANG\nForceCommand {PROGRAM} --demo\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    with _ended(subprocess.Popen([program, "-D", "-f", str(home / "sshd_config")])) as process:
        _wait_for_port(port)
        yield Target("sshd", port, process.pid, home / "user")


@contextmanager
def wish(home: Path) -> Iterator[Target]:
    """Run a list app like ours, built with wish and Bubble Tea."""
    program = str(built("wish", home))
    port = _free_port()
    with _ended(subprocess.Popen([program, f"127.0.0.1:{port}"], cwd=home)) as process:
        _wait_for_port(port)
        yield Target("wish", port, process.pid)


def why_no_sshd() -> str:
    if shutil.which("sshd", path="/usr/sbin:/usr/bin") is None:
        return "not installed (Debian: openssh-server)"
    return "" if os.geteuid() == 0 else "only root can run it for all"


def why_no_wish() -> str:
    library = "github.com/charmbracelet/wish"
    return why_not_built(library, "golang-go golang-github-charmbracelet-wish-dev")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_port(port: int) -> None:
    while True:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
