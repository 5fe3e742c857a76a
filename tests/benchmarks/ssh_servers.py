"""What comes in over SSH, and where: clients, our server, OpenSSH's with a process a session, one in Go."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Self

from tests.benchmarks.measuring import PROGRAM, environment_of, processor
from tests.peers.ssh_server import SshServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIBRARIES = Path("/usr/share/gocode/src")  # Debian's
SSH = "golang.org/x/crypto/ssh"
LIBRARY_OF = {
    "load": (SSH, "golang-golang-x-crypto-dev"),
    "wish": ("github.com/charmbracelet/wish", "golang-github-charmbracelet-wish-dev"),
}

# Debian's SSH library announces room for the bytes of every read, a packet each that the server has
# to read: it would cost us as much as the key. OpenSSH's client does so for half a window at once.
EACH_READ = """\
	c.myWindow += uint32(n)
	c.windowMu.Unlock()
	return c.sendMessage(windowAdjustMsg{
		AdditionalBytes: uint32(n),
	})
"""
HALF_A_WINDOW = """\
	adjustment := channelWindowSize - c.myWindow
	if adjustment < channelWindowSize/2 {
		c.windowMu.Unlock()
		return nil
	}
	c.myWindow += adjustment
	c.windowMu.Unlock()
	return c.sendMessage(windowAdjustMsg{
		AdditionalBytes: adjustment,
	})
"""
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin")


@dataclass(frozen=True)
class Target:
    name: str
    port: int
    pid: int
    key: Path | None = None  # that lets in, where not everybody may come in

    def memory(self) -> float:
        """Return the MB (proportional share) of all of them."""
        return sum(_of_each(_kilobytes, self.pid)) / 1024

    def processor(self) -> float:
        """Return the seconds of CPU of all of them, and of their children that ended."""
        return sum(_of_each(processor, self.pid))


def _of_each(measure: Callable[[int], float], pid: int) -> Iterator[float]:
    """Measure a process and its descendants, but those that end meanwhile."""
    with suppress(OSError):
        yield measure(pid)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from _of_each(measure, int(child))


def _kilobytes(pid: int) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])


@contextmanager
def pettui(home: Path, workers: int = 0) -> Iterator[Target]:
    """Run ``pettui ssh``, whose every session is a demo, with a process a core, or so many."""
    workers = workers or len(os.sched_getaffinity(0))
    limits = ["--max-sessions=2000", "--per-address=2000", "--idle-timeout=0"]
    server = SshServer(home, environment_of(home), "--demo", f"--workers={workers}", *limits)
    with _ended(server.process):
        yield Target("pettui", server.port, server.process.pid)


@contextmanager
def sshd(home: Path) -> Iterator[Target]:
    """Run OpenSSH's server with ``pettui --demo`` for everybody: a process a session."""
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
    with _ended(subprocess.Popen([SSHD, "-D", "-f", str(home / "sshd_config")])) as process:
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
    if SSHD is None:
        return "not installed (Debian: openssh-server)"
    return "" if os.geteuid() == 0 else "only root can run it for all"


def why_not_built(name: str) -> str:
    """Return what is missing for a program in Go, "" where nothing is."""
    library, package = LIBRARY_OF[name]
    if shutil.which("go") and (LIBRARIES / library).exists():
        return ""
    return f"not installed (Debian: golang-go {package})"


def built(name: str, home: Path) -> Path:
    """Return the program whose source stands in the folder of that name, built once in ``home``."""
    program = home / name
    if not program.exists():
        source = Path(__file__).with_name(name) / "main.go"
        go = {"GOPATH": str(LIBRARIES.parent), "GO111MODULE": "off", "GOCACHE": str(home / "go")}
        options = [f"-overlay={_overlay(home)}"] if name == "load" else []
        words = ["go", "build", *options, "-o", str(program), str(source)]
        subprocess.run(words, check=True, env={**os.environ, **go})
    return program


def _overlay(home: Path) -> Path:
    """Return the file that tells Go's compiler which source to take instead of the library's."""
    original = LIBRARIES / SSH / "channel.go"
    changed, overlay = home / "channel.go", home / "overlay.json"
    changed.write_text(original.read_text().replace(EACH_READ, HALF_A_WINDOW))
    overlay.write_text(json.dumps({"Replace": {str(original): str(changed)}}))
    return overlay


class Load:
    """One process with all who are there, which does what it is told; ``load/main.go`` says what."""

    def __init__(self, target: Target, home: Path) -> None:
        words = [str(built("load", home)), f"127.0.0.1:{target.port}"]
        words += [str(target.key)] if target.key else []
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.kill()
        self._process.communicate()

    def say(self, line: str) -> None:
        self._process.stdin.write(f"{line}\n")

    def ask(self, line: str) -> SimpleNamespace:
        """Return the answer: milliseconds of each, why others failed, seconds of its own CPU."""
        self.say(line)
        answer = json.loads(self._process.stdout.readline())
        return SimpleNamespace(
            **{name: [] if value is None else value for name, value in answer.items()}
        )


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
        process.terminate()
        process.wait(30)
