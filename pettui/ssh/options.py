"""The options of the server, and the error that keeps it from starting."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.ssh.bounds import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from pettui.system.addresses import Network

    Lifespan = Callable[[], AbstractAsyncContextManager[object]]

COUNTDOWN = 30.0  # seconds before an idle session ends, in which its user is warned
HOST_KEY = "ssh-host-key"  # in a server's directory
STATUS_DIRECTORY = "ssh-status"  # in pettui's own, of all servers of a user
DRAIN = 8.0  # seconds for sessions to end when the server stops
BANNER_MAXIMUM: Final = 4_000  # characters
_KINDS: Final[Mapping[str, tuple[Any, str]]] = MappingProxyType(
    {"str": (str, "a text"), "bool": (bool, "True or False")}
)


class SshSetupError(Exception):
    """An app, an argument, a key or a file that can't be used; the text says what to do."""


def argument(name: str) -> str:
    """Return an argument of ``serve`` as errors name it."""
    return "public=True" if name == "public" else name


@dataclass(frozen=True, slots=True)
class SshOptions:
    """What is served, where to listen, who may log in, and how many.

    Raises:
        SshSetupError: one of them can't be used.
    """

    name: str = "app"  # as the log, the users and their clients read it
    version: str = ""  # the same, for the clients
    host: str = "127.0.0.1"
    port: int = BOUNDS["port"].usual  # 0 for any free one
    authorized_keys: Path | None = None  # without it and ``authorize`` anyone may log in
    # Returns whether a ``User`` may log in; where both are given both must allow.
    authorize: Callable[[Any], Any | Awaitable[Any]] | None = None
    banner: str = ""  # what all clients are shown before they log in
    accept_env: tuple[str, ...] = ()  # variables of the client's that its app gets
    takes_command: bool = False  # the app takes what follows the host in a command line
    public: bool = True  # sockets from systemd may be reachable from other machines
    trusted_proxies: tuple[Network, ...] = ()  # that say whose connection it is
    workers: int = BOUNDS["workers"].usual
    max_sessions: int = BOUNDS["max_sessions"].usual  # at once, in all
    max_queue: int = BOUNDS["max_queue"].usual  # users who wait for a session
    per_address: int = BOUNDS["per_address"].usual  # sessions and waiting users of one address
    per_connection: int = BOUNDS["per_connection"].usual  # sessions of one connection
    threads: int = BOUNDS["threads"].usual  # of one app, for its blocking calls
    idle_timeout: float = BOUNDS["idle_timeout"].usual  # seconds without a key; 0 for no limit
    # Seconds of a session while others wait; 0 for no limit.
    time_limit: float = BOUNDS["time_limit"].usual
    notice: float = 60.0  # seconds from the notice to the end of a session
    # Seconds for sessions to end by themselves while the server drains.
    drain_timeout: float = BOUNDS["drain_timeout"].usual
    debug: bool = False  # users see tracebacks, and standard error what apps print
    metrics: tuple[str, int] | None = None  # where Prometheus is told; None for nowhere
    # Seconds from connecting to the session's start.
    login_timeout: float = BOUNDS["login_timeout"].usual
    renew_after: float = 30.0  # seconds without a connection, after which a process is replaced
    growth: float = 1.25  # of a process's memory since its start, from which replacing it pays
    unresponsive_after: float = 30.0  # seconds, after which a process that hangs is replaced
    name_of: Callable[[str], str] = argument  # how errors name what is set here
    ready_apps: int = 28  # of each process, so that many users can log in at once

    def __post_init__(self) -> None:
        """Refuse what can't be used, in words."""
        for each in fields(self):
            kind, value = str(each.type), getattr(self, each.name)
            if each.name in BOUNDS:
                _check_number(each.name, value, is_whole=kind == "int")
            elif kind in _KINDS:
                wanted, words = _KINDS[kind]
                if not isinstance(value, wanted):
                    raise SshSetupError(f"{each.name} must be {words}, not {value!r}")
        if len(self.banner) > BANNER_MAXIMUM:
            raise SshSetupError(f"banner must have at most {BANNER_MAXIMUM:,} characters")
        if self.authorize is not None and not callable(self.authorize):
            raise SshSetupError(f"authorize must be a function of a user, not {self.authorize!r}")


def _check_number(name: str, value: Any, *, is_whole: bool) -> None:
    least, most, _ = BOUNDS[name]
    is_number = isinstance(value, int if is_whole else int | float) and value is not True
    if not is_number or not least <= value <= most:
        what = "a whole number" if is_whole else "seconds"
        raise SshSetupError(f"{name} must be {what} from {least} to {most}, not {value!r}")


USUAL: Final = SshOptions()


# Arguments that ``serve`` and ``test_session`` have in common, and that are no options as they are


def checked_lifespan(lifespan: Lifespan | None) -> Lifespan | None:
    """Return what may be ``lifespan``, as far as can be seen before it is called."""
    if lifespan is not None and not callable(lifespan):
        raise SshSetupError(f"lifespan must be a function, not {lifespan!r}")
    return lifespan


def checked_variables(names: Iterable[str]) -> tuple[str, ...]:
    """Return what may be ``accept_env``."""
    found = (names,) if isinstance(names, str) else tuple(names)
    if isinstance(names, str) or not all(isinstance(each, str) for each in found):
        raise SshSetupError(f"accept_env must be a list of names of variables, not {names!r}")
    return found
