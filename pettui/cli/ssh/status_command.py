"""``pettui ssh --status``: the status of this user's running server."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pettui.cli.error_lines import write_error_line
from pettui.cli.exit_codes import NO_ANSWER, OK
from pettui.cli.one_shot.standard_output import ClosedPipeError, check_output, write_output
from pettui.configuration import ConfigurationError, state_directory
from pettui.ssh.status.server_status import parse_status
from pettui.ssh.status.status_socket import is_running, read_statuses, running_servers
from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

STATUS_DIRECTORY: Final = "ssh-status"  # in the state directory
_COLUMNS: Final = ("process", "pid", "sessions", "queue", "keys/s", "p99 ms", "MB")
_MEMORY: Final = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def show_status(port: int | None, *, is_json: bool) -> int:
    """Write the status of a server, and return the exit code.

    Args:
        port: that it listens on; None if only one runs.
        is_json: as JSON instead of a table.

    Raises:
        ConfigurationError: several run and no port is given, or there is no standard output.
    """
    check_output()
    servers = running_servers(state_directory() / STATUS_DIRECTORY)
    statuses, silent = _statuses([one for one in servers if port in (None, one[0])])
    for one in silent:
        write_error_line(f"pettui: pettui ssh on port {one} does not answer")
    if not statuses and not silent:
        others = [one for one, path in servers if one != port and is_running(path)]
        where = "" if port is None else f" on port {port}"
        hint = f"; one runs on {_listed(others)}" if others else ""
        write_error_line(f"pettui: you have no pettui ssh running{where}{hint}")
    if not statuses:
        return NO_ANSWER
    if len(statuses) > 1:
        ports = sorted(status["port"] for status in statuses)
        raise ConfigurationError("--port", f"is missing: pettui ssh runs on {_listed(ports)}")
    [status] = statuses
    _add_memory(status)
    text = json.dumps(status) + "\n" if is_json else _table(status)
    try:
        write_output(text.encode())
    except ClosedPipeError:  # the reader has read enough
        return OK
    return OK


def _statuses(servers: Sequence[tuple[int, Path]]) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the statuses of running servers, and the ports of those that do not answer."""
    statuses, silent = [], []
    answers = read_statuses([path for _, path in servers])
    for (port, _), answer in zip(servers, answers, strict=True):
        if isinstance(answer, ConnectionRefusedError):  # it was killed and left its socket behind
            continue
        status = None if isinstance(answer, OSError) else _parsed(answer)
        if status is None:
            silent.append(port)
        else:
            statuses.append(status)
    return statuses, silent


def _parsed(answer: bytes) -> dict[str, Any] | None:
    with suppress(ValueError):
        return parse_status(answer)
    return None


def _listed(ports: Sequence[int]) -> str:
    return " and ".join(map(str, ports))


def _add_memory(status: dict[str, Any]) -> None:
    """Add the memory (PSS) of each process and of all."""
    for process in status["processes"]:
        process["memory_bytes"] = _memory(process["pid"])
    known = [process["memory_bytes"] for process in status["processes"]]
    status["memory_bytes"] = None if None in known else sum(known)


def _memory(pid: int) -> int | None:
    try:
        found = _MEMORY.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except OSError:  # it has just ended, or the system has no such file
        return None
    return int(found[1]) * 1024 if found else None


def _table(status: dict[str, Any]) -> str:
    """Return a line about the server, and a table of its processes."""
    minutes = status["seconds"] / 60
    host = safe(status["host"])
    host = f"[{host}]" if ":" in host else host
    head = (
        f"pettui ssh on {host}:{status['port']}, up {minutes:.0f} min: "
        f"{status['sessions']} of {status['max_sessions']} sessions, "
        f"{status['queue']} of {status['max_queue']} waiting\n"
    )
    processes = status["processes"]
    rows = [_COLUMNS, *map(_row, processes), _row({"role": "all", **status})]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return head + "".join(f"{_line(row, widths)}\n" for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if index else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join((first, *others))


def _row(process: dict[str, Any]) -> tuple[str, ...]:
    names = ("role", "pid", "sessions", "queue", "keys_per_second", "p99_ms", "memory_bytes")
    return tuple(_cell(name, process.get(name)) for name in names)


def _cell(name: str, value: float | str | None) -> str:
    if value is None:
        return "-"
    if name == "memory_bytes":
        return f"{float(value) / 1_000_000:.0f}"
    return safe(str(value))
