"""The options of the server, and the error that keeps it from starting."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from pettui.system.addresses import Network

COUNTDOWN = 30.0  # seconds before an idle session ends, in which its user is warned
HOST_KEY = "ssh-host-key"  # in a server's directory
STATUS_DIRECTORY = "ssh-status"  # in pettui's own, of all servers of a user
DRAIN = 8.0  # seconds for sessions to end when the server stops
DRAIN_TIMEOUT = 1800.0  # for them to end by themselves, while it takes no new ones
BANNER_MAXIMUM: Final = 4_000  # characters
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_Function = TypeVar("_Function", bound="Callable[..., Any] | None")


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


# Arguments that ``serve`` and ``test_session`` have in common


def checked_authorize(authorize: _Function) -> _Function:
    """Return what may be ``authorize``; as the others, it raises SshSetupError."""
    return _callable("authorize", authorize, "a function of a user")


def checked_lifespan(lifespan: _Function) -> _Function:
    """Return what may be ``lifespan``, as far as can be seen before it is called."""
    if lifespan is not None and (
        inspect.isasyncgenfunction(_callable("lifespan", lifespan, "a function"))
        or inspect.iscoroutinefunction(lifespan)
        or inspect.isgeneratorfunction(inspect.unwrap(lifespan))
    ):
        how = "as a function with @asynccontextmanager does"
        raise SshSetupError(f"lifespan must return an async context manager, {how}")
    return lifespan


def checked_banner(banner: str) -> str:
    """Return what may be ``banner``."""
    if not isinstance(banner, str):
        raise SshSetupError(f"banner must be a text, not {banner!r}")
    if len(banner) > BANNER_MAXIMUM:
        raise SshSetupError(f"banner must have at most {BANNER_MAXIMUM:,} characters")
    return banner


def checked_variables(names: Iterable[str]) -> tuple[str, ...]:
    """Return what may be ``accept_env``."""
    if isinstance(names, str):
        raise SshSetupError(f"accept_env must be a list of names, not {names!r}")
    found = tuple(names)
    for name in found:
        if not isinstance(name, str) or not VARIABLE.fullmatch(name):
            raise SshSetupError(f"accept_env must be names of variables, not {name!r}")
    return found


def _callable(name: str, function: _Function, what: str) -> _Function:
    if function is not None and not callable(function):
        raise SshSetupError(f"{name} must be {what}, not {function!r}")
    return function
