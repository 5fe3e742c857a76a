"""The status of a running server: what ``pettui ssh --status`` and its like ask, and the socket.

Each server has a Unix socket, named by its port and its process, in one directory of its user,
whatever it serves. It answers a line of its owner with one of JSON.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from platformdirs import user_state_path

from pettui.ssh.load import LoadHistory, summary
from pettui.ssh.options import STATUS_DIRECTORY
from pettui.system.files import make_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.ssh.worker_link import WorkerProcess

STATUS: Final = b"status\n"  # the requests; that to end a session has its number, or a fingerprint
SESSIONS: Final = b"sessions\n"
END: Final = "end {}\n"
ENDED: Final = r"[0-9]{1,15}|SHA256:[A-Za-z0-9+/]{43}"
ENDING: Final = re.compile(rf"end ({ENDED})\n".encode())
DRAIN: Final = b"drain%b\n"  # perhaps with seconds
DRAIN_REQUEST: Final = re.compile(rb"drain(?: ([0-9]{1,7}))?\n")
IN_STATUS: Final = frozenset(
    {"host", "served", "processes", "seconds", "sessions", "max_sessions", "queue", "max_queue"}
)
STATUS_MAXIMUM: Final = 1_000_000  # bytes
STATUS_SECONDS: Final = 5.0  # for a server to respond; a thousandth of that is usual
RUNTIME_DIRECTORY: Final = "pettui-ssh"  # in that of the user's session
OWN_NAME: Final = "pettui"  # of a server that does not say it
_PATH_MAXIMUM: Final = 100  # bytes of an address (unix(7), sun_path)
_NAME: Final = re.compile(r"([0-9]{1,5})-([0-9]+)\.sock")
_MEMORY: Final = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def status_of(
    numbers: Mapping[str, Any],
    workers: Sequence[tuple[WorkerProcess, int, int]],
    served: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the status of a server, its processes included; it is asked in its supervisor.

    Args:
        numbers: what is known without its processes.
        workers: its processes, each with its sessions and users who wait.
        served: what the caller says of what is served.
    """
    supervisor = os.getpid()
    memory = {pid: memory_of(pid) for pid in (supervisor, *(worker.pid for worker, *_ in workers))}
    known = [size for size in memory.values() if size is not None]
    return {
        **numbers,
        **_load([worker.load for worker, *_ in workers]),
        "memory_bytes": sum(known) if len(known) == len(memory) else None,
        "served": dict(served),
        "processes": [
            {"role": "supervisor", "pid": supervisor, "memory_bytes": memory[supervisor]},
            *(
                {
                    "role": "worker",
                    "pid": worker.pid,
                    "sessions": sessions,
                    "queue": queue,
                    **_load([worker.load]),
                    "memory_bytes": memory[worker.pid],
                    "waits_for": worker.waits_for or None,
                }
                for worker, sessions, queue in workers
            ),
        ],
    }


def encoded(**answer: Any) -> bytes:
    """Return an answer as its line."""
    return json.dumps(answer).encode() + b"\n"


def parse_answer(text: bytes, names: Iterable[str]) -> dict[str, Any]:
    """Parse an answer, which has a port and these members; the server may be of another version.

    Raises:
        ValueError: one of them is missing.
    """
    answer = json.loads(text)
    if not isinstance(answer, dict) or not {"port", *names} <= answer.keys():
        raise ValueError("part of it is missing")
    return answer


def _load(histories: Sequence[LoadHistory]) -> dict[str, float | None]:
    load = summary(histories)
    p99 = None if load.p99 is None else round(load.p99 * 1000, 1)
    return {"keys_per_second": round(load.keys_per_second, 1), "p99_ms": p99}


def memory_of(pid: int) -> int | None:
    """Return the memory (PSS) of a process of this server.

    Who asks for the status may be outside of its user namespace, and could not read it.
    """
    try:
        found = _MEMORY.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except OSError:  # it has just ended, or the system has no such file
        return None
    return int(found[1]) * 1024 if found else None


def status_directories() -> list[Path]:
    """Return where sockets of this user's servers are; a server has its own in the first one.

    That is the directory for what runs (XDG_RUNTIME_DIR) where there is one, else that for what is
    kept: a server of systemd's and one of a terminal may have different ones.
    """
    directories = []
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    with suppress(OSError):
        if runtime.is_absolute() and runtime.stat().st_uid == os.geteuid():
            directories.append(runtime / RUNTIME_DIRECTORY)
    with suppress(RuntimeError):  # no home is known, as in some containers
        directories.append(user_state_path(OWN_NAME, appauthor=False) / STATUS_DIRECTORY)
    return directories


@contextmanager
def status_socket(directory: Path, port: int) -> Iterator[socket.socket]:
    """Listen during the block, and remove the socket file at its end.

    Socket files of dead servers are removed first.

    Args:
        directory: of the sockets of this user's servers, created if missing.
        port: that the server listens on.

    Raises:
        OSError: there can be no socket.
    """
    make_directory(directory)
    directory.chmod(0o700)
    _remove_dead(directory)
    path = directory / f"{port}-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.setblocking(False)
        with _short(path) as address:
            listening.bind(address)
        path.chmod(0o600)  # before anyone can connect
        listening.listen()
        try:
            yield listening
        finally:
            path.unlink(missing_ok=True)


class RunningServer(NamedTuple):
    """A server that may be running, as the name of its socket file says."""

    port: int
    pid: int
    path: Path


def running_servers(directory: Path) -> list[RunningServer]:
    """Return the servers that have a socket file."""
    try:
        paths = sorted(path for path in directory.iterdir() if _is_socket(path))
    except OSError:
        return []
    named = ((_NAME.fullmatch(path.name), path) for path in paths)
    return [RunningServer(int(m[1]), int(m[2]), path) for m, path in named if m is not None]


def _is_socket(path: Path) -> bool:
    """Whether it is a socket, and not a link to one of another server."""
    return path.is_socket() and not path.is_symlink()


def read_answers(paths: Sequence[Path], request: bytes = STATUS) -> list[bytes | OSError]:
    """Return what each server answers, or why it does not.

    They are asked at once: however many do not respond, it takes no longer than for one.
    ConnectionRefusedError means that the server has ended.
    """
    deadline = time.monotonic() + STATUS_SECONDS
    with ExitStack() as opened:
        asked = [_connected(path, request) for path in paths]
        for one in asked:
            if isinstance(one, socket.socket):
                opened.enter_context(one)
        return [one if isinstance(one, OSError) else _received(one, deadline) for one in asked]


def is_running(path: Path) -> bool:
    """Whether the server of a socket file runs, even if it does not respond."""
    connection = _connected(path)
    if isinstance(connection, socket.socket):
        connection.close()
    return not isinstance(connection, ConnectionRefusedError)


def _connected(path: Path, request: bytes = b"") -> socket.socket | OSError:
    """Connect and ask without waiting; return the connection, or why there is none."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.setblocking(False)  # a full backlog is an error
        with _short(path) as address:
            connection.connect(address)
        connection.sendall(request)
    except OSError as error:
        connection.close()
        return error
    return connection


def _received(connection: socket.socket, deadline: float) -> bytes | OSError:
    """Return what a server sends until a deadline, by the monotonic clock, or an error."""
    content = b""
    try:
        while len(content) < STATUS_MAXIMUM:
            connection.settimeout(max(deadline - time.monotonic(), 0.0))
            more = connection.recv(65_536)
            if not more:
                break
            content += more
    except OSError as error:
        return error
    return content


def _remove_dead(directory: Path) -> None:
    for server in running_servers(directory):
        if not is_running(server.path):
            server.path.unlink(missing_ok=True)


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """Return a name for a path that fits into a socket address, if the system supports that."""
    if len(os.fsencode(path)) <= _PATH_MAXIMUM or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
