"""The status of a running server, as the JSON that ``pettui ssh --status`` reads."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.ssh.status.process_load import summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.ssh.options import SshOptions
    from pettui.ssh.status.process_load import LoadSummary, ProcessLoad, SharedLoads

_NUMBERS: Final = ("port", "seconds", "sessions", "max_sessions", "queue", "max_queue")


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """What identifies a server and never changes."""

    host: str
    port: int
    pid: int  # of the supervisor
    since: float  # its start, by time.monotonic


def status_text(
    identity: ServerIdentity,
    options: SshOptions,
    counts: Sequence[tuple[int, int]],
    loads: SharedLoads,
    served: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Return the status of a server, its processes included, as JSON.

    Args:
        identity: of the server.
        options: with its limits.
        counts: for each process its sessions, and the clients that wait for one.
        loads: of the processes.
        served: what the caller says of what is served.
    """
    status = {
        "host": identity.host,
        "port": identity.port,
        "seconds": round(time.monotonic() - identity.since, 1),
        "sessions": sum(sessions for sessions, _ in counts),
        "max_sessions": options.max_sessions,
        "queue": sum(waiting for _, waiting in counts),
        "max_queue": options.max_queue,
        **_load(summary(loads.processes)),
        "served": dict(served),
        "processes": [
            {"role": "supervisor", "pid": identity.pid},
            *map(_process, loads.processes, counts),
        ],
    }
    return json.dumps(status).encode() + b"\n"


def parse_status(text: bytes) -> dict[str, Any]:
    """Parse the status of a server, which may be of another version.

    Raises:
        ValueError: it is not a server's status.
    """
    try:
        status = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not _is_status(status):
        raise ValueError("part of it is missing or malformed")
    return dict(status)


def _is_status(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    processes = value.get("processes")
    return (
        isinstance(value.get("host"), str)
        and all(_is_number(value.get(name)) for name in _NUMBERS)
        and isinstance(value.get("served"), dict)
        and isinstance(processes, list)
        and all(map(_is_process, processes))
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_process(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and type(value.get("pid")) is int
    )


def _process(load: ProcessLoad, counts: tuple[int, int]) -> dict[str, object]:
    sessions, waiting = counts
    numbers = {"sessions": sessions, "queue": waiting, **_load(load.summary())}
    return {"role": "worker", "pid": load.pid, **numbers}


def _load(load: LoadSummary) -> dict[str, float | None]:
    p99 = None if load.p99 is None else round(load.p99 * 1000, 1)
    return {"keys_per_second": round(load.keys_per_second, 1), "p99_ms": p99}


def this_server(host: str, port: int) -> ServerIdentity:
    """Return the identity of a server that starts now, in its supervisor."""
    return ServerIdentity(host, port, os.getpid(), time.monotonic())
