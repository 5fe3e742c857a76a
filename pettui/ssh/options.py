"""The options of the server, and the error that keeps it from starting."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from pettui.system.addresses import Network

COUNTDOWN = 30.0  # seconds before an idle session ends, in which its user is warned
HOST_KEY = "ssh-host-key"  # in a server's directory
STATUS_DIRECTORY = "ssh-status"  # in pettui's own, of all servers of a user
DRAIN = 8.0  # seconds for sessions to end when the server stops
DRAIN_TIMEOUT = 1800.0  # for them to end by themselves, while it takes no new ones


class SshSetupError(Exception):
    """An app, an argument, a key or a file that can't be used; the text says what to do."""


def argument(name: str) -> str:
    """Return an argument of ``serve`` as errors name it."""
    return "public=True" if name == "public" else name


@dataclass(frozen=True, slots=True)
class SshOptions:
    """What is served, where to listen, who may log in, and how many."""

    name: str = "app"  # as the log, the users and their clients read it
    version: str = ""  # the same, for the clients
    host: str = "127.0.0.1"
    port: int = 2222  # 0 for any free one
    authorized_keys: Path | None = None  # without it and ``authorize`` anyone may log in
    # Returns whether a ``User`` may log in; where both are given both must allow.
    authorize: Callable[[Any], Any | Awaitable[Any]] | None = None
    banner: str = ""  # what all clients are shown before they log in
    accept_env: tuple[str, ...] = ()  # variables of the client's that its app gets
    takes_command: bool = False  # the app takes what follows the host in a command line
    is_public: bool = True  # sockets from systemd may be reachable from other machines
    trusted_proxies: tuple[Network, ...] = ()  # that say whose connection it is
    workers: int = 1
    max_sessions: int = 100  # at once, in all
    max_queue: int = 200  # users who wait for a session
    per_address: int = 20  # sessions and waiting users of one address
    per_connection: int = 4  # sessions of one connection
    threads: int = 32  # of one app, for its blocking calls
    idle_timeout: float = 900.0  # seconds without a key; 0 for no limit
    time_limit: float = 0.0  # seconds of a session while others wait; 0 for no limit
    notice: float = 60.0  # seconds from the notice to the end of a session
    drain_timeout: float = DRAIN_TIMEOUT  # seconds of sessions from the begin of a drain
    debug: bool = False  # users see tracebacks, and standard error what apps print
    metrics: tuple[str, int] | None = None  # where Prometheus is told; None for nowhere
    login_timeout: float = 30.0  # seconds from connecting to the session's start
    renew_after: float = 30.0  # seconds without a connection, after which a process is replaced
    growth: float = 1.25  # of a process's memory since its start, from which replacing it pays
    unresponsive_after: float = 30.0  # seconds, after which a process that hangs is replaced
    said: Callable[[str], str] = argument  # how errors name what is set here
    ready_apps: int = 28  # of each process, so that many users can log in at once


def local_address(host: str) -> str:
    """Return where a client on this machine reaches a server: ``::`` has no IPv4."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host
    loopback = "127.0.0.1" if address.version == 4 else "::1"
    return loopback if address.is_unspecified else host
