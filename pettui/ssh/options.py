"""How users are served, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COUNTDOWN = 30.0  # seconds before an idle session ends, in which it says so
DRAIN = 8.0  # seconds that users get to leave when the server stops


@dataclass(frozen=True, slots=True)
class SshOptions:
    """Where to listen, who may log in, and how many."""

    host: str = "127.0.0.1"
    port: int = 2222  # 0 for any that is free
    host_key: Path | None = None  # None: the one in the state directory
    authorized_keys: Path | None = None  # None: anybody may log in
    workers: int = 1
    max_sessions: int = 100  # at once, in all
    max_queue: int = 200  # people who wait at once until one of them ends
    per_address: int = 20  # sessions at once from one address, and people there who wait
    per_connection: int = 4  # sessions at once on one connection
    idle_timeout: float = 900.0  # seconds without a key; 0 for ever
    time_limit: float = 0.0  # seconds of a session while others wait; 0 for no limit
    notice: float = 60.0  # seconds from when it is told to when it ends
    login_timeout: float = 30.0  # seconds from connecting to the session's start
    renew_after: float = 30.0  # seconds with nobody there, after which a process is replaced
    growth: float = 1.25  # times what a process began with, from which it is worth it
    ready_apps: int = 25  # of each process while nobody is there, for many who come at once
