"""serve: a Textual app for everybody who logs in over SSH."""

from __future__ import annotations

import sys
import threading
from contextlib import asynccontextmanager, nullcontext
from importlib.util import find_spec
from ipaddress import ip_address
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_state_path

from pettui.ssh.apps.any_app import AnyApp
from pettui.ssh.apps.bugs import bug_fields
from pettui.ssh.options import (
    HOST_KEY,
    USUAL,
    SshOptions,
    SshSetupError,
    checked_lifespan,
    checked_variables,
)
from pettui.ssh.processes import serve as serve_in_processes
from pettui.ssh.worker import Hooks, Tell
from pettui.system.addresses import PORT_MAXIMUM, Network, is_loopback, networks
from pettui.system.logs import EventLog, announce

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from pettui.ssh.apps.any_app import Served
    from pettui.ssh.apps.app_factory import Authorize
    from pettui.ssh.options import Lifespan


def serve(
    app: Served | str,
    *,
    name: str | None = None,
    version: str = "",
    host: str = USUAL.host,
    port: int = USUAL.port,
    public: bool = False,
    authorized_keys: Path | str | None = None,
    authorize: Authorize | None = None,
    banner: str = "",
    accept_env: Iterable[str] = (),
    trusted_proxies: str | Iterable[str] = (),
    host_key: Path | str | None = None,
    directory: Path | str | None = None,
    workers: int = USUAL.workers,
    max_sessions: int = USUAL.max_sessions,
    max_queue: int = USUAL.max_queue,
    per_address: int = USUAL.per_address,
    per_connection: int = USUAL.per_connection,
    threads: int = USUAL.threads,
    idle_timeout: float = USUAL.idle_timeout,
    login_timeout: float = USUAL.login_timeout,
    time_limit: float = USUAL.time_limit,
    metrics: tuple[str, int] | None = None,
    lifespan: Lifespan | None = None,
    debug: bool = False,
) -> int:
    """Serve an app until a signal ends it, and return the exit code.

    Args:
        app: a class of Textual apps; a function that returns a ``ServedApp``; or where one of them
            is, as "module:App". Each user gets an app of their own. The ``User`` is passed to a
            parameter named ``user``, or to the only required one.
        name: what is served, as the log, the users and their clients read it; by default that of
            the class or the function, in lower case.
        version: the same, for the clients.
        host: a name or an address to listen on.
        port: 0 for any free one.
        public: anyone may log in from other machines; needed beyond loopback without
            ``authorized_keys`` and ``authorize``.
        authorized_keys: a file of the public keys that may log in.
        authorize: is called with the ``User`` of each login, and returns, or is a coroutine that
            returns, whether they may log in: True, ``Admitted`` with ``User.data``, or ``Refused``
            with a reason. Users then need a key. Where ``authorized_keys`` is given, too, both must
            allow. It must record nothing: it may be asked before the client has proved that it has
            the key.
        banner: what clients show before they log in.
        accept_env: names of the client's variables that are in ``User.environment``.
        trusted_proxies: addresses or networks of balancers that say by the PROXY protocol whose
            connection it is.
        host_key: the server's key, which is created if missing, in a directory that exists; by
            default in ``directory``.
        directory: of what the server keeps; by default a user's state directory of this name.
        workers: processes; what is in memory is shared by the apps of one.
        max_sessions: at once, in all.
        max_queue: users who wait for a session.
        per_address: sessions and waiting users of one address.
        per_connection: sessions of one connection.
        threads: of one app, in which its blocking calls run; further ones wait in order.
        idle_timeout: seconds without a key, after which a session ends; 0 for no limit.
        login_timeout: seconds from connecting to the session's start.
        time_limit: seconds of a session while others wait; 0 for no limit.
        metrics: host and port of the metrics for Prometheus, on loopback.
        lifespan: returns an async context manager, which each process enters before its first user,
            and leaves after the last: for what all apps of a process share, such as threads.
        debug: users see the traceback of a bug, and standard error has it, too, and what apps
            print and log; only on loopback.

    Raises:
        SshSetupError: the app, an argument, a key or a file can't be used.
    """
    if threading.current_thread() is not threading.main_thread():
        raise SshSetupError("serve must be called in the main thread, which gets the signals")
    apps = AnyApp(app)
    name = _name(apps.name.lower() if name is None else name)
    options = SshOptions(
        name=name,
        version=version,
        host=host,
        port=port,
        authorized_keys=_path("authorized_keys", authorized_keys),
        authorize=authorize,
        banner=banner,
        accept_env=checked_variables(accept_env),
        takes_command=apps.takes_command,
        public=not debug and (public or authorized_keys is not None or authorize is not None),
        trusted_proxies=_networks(trusted_proxies),
        workers=workers,
        max_sessions=max_sessions,
        max_queue=max_queue,
        per_address=per_address,
        per_connection=per_connection,
        threads=threads,
        idle_timeout=idle_timeout,
        login_timeout=login_timeout,
        time_limit=time_limit,
        metrics=_metrics(metrics),
        debug=debug,
    )
    if debug and not is_loopback(host):
        raise SshSetupError("debug shows tracebacks to all users, so host must be on loopback")
    state_directory = _path("directory", directory) or user_state_path(name, appauthor=False)
    key_file = _path("host_key", host_key)
    if key_file is not None and not isdir(key_file.parent):  # noqa: PTH112 - raises nothing
        raise SshSetupError(f"host_key: there is no directory {key_file.parent}")
    hooks = app_hooks(apps, announcement(name, warnings=lost_threads()), checked_lifespan(lifespan))
    return serve_in_processes(options, key_file or state_directory / HOST_KEY, hooks)


def _name(name: str) -> str:
    """Return a name that users read, and that a directory may have."""
    is_usable = isinstance(name, str) and name.isprintable() and name.strip(". ") != ""
    if not is_usable or "/" in name:
        raise SshSetupError(f"name must be a text without slashes, not {name!r}")
    return name


def _metrics(where: tuple[str, int] | None) -> tuple[str, int] | None:
    match where:
        case None:
            return None
        case (str(host), int(port)) if is_loopback(host) and 0 <= port <= PORT_MAXIMUM:
            if find_spec("prometheus_client") is None:
                raise SshSetupError("metrics need an extra: pip install 'pettui[metrics]'")
            return host, port
    raise SshSetupError('metrics must be on loopback, such as ("127.0.0.1", 9465)')


def _path(name: str, path: Path | str | None) -> Path | None:
    if path is None:
        return None
    try:
        return Path(path).expanduser()
    except TypeError as error:
        raise SshSetupError(f"{name} must be a path, not {path!r}") from error
    except RuntimeError as error:  # nobody of this name
        raise SshSetupError(f"{path}: there is no such home directory") from error


def _networks(texts: str | Iterable[str]) -> tuple[Network, ...]:
    try:
        listed = texts.split(",") if isinstance(texts, str) else map(str, texts)
        return networks(map(str.strip, listed))
    except (ValueError, TypeError) as error:
        reason = "must be addresses or networks, such as 192.0.2.1 or 10.0.0.0/8"
        raise SshSetupError(f"trusted_proxies {reason}, not {str(error)!r}") from None


def app_hooks(
    apps: AnyApp,
    announce_start: Callable[[str, int, str], None],
    lifespan: Lifespan | None = None,
) -> Hooks:
    """Return the hooks of a server of apps.

    Args:
        apps: makes them.
        announce_start: called with host, port and the host key's fingerprint.
        lifespan: see ``serve``.
    """

    @asynccontextmanager
    async def open_factory(_log: EventLog, _tell: Tell) -> AsyncIterator[AnyApp]:
        async with nullcontext() if lifespan is None else lifespan():
            yield apps

    return Hooks(open_factory, bug_fields, announce_start)


def lost_threads() -> list[str]:
    """Return a warning of the threads that run before the workers are forked, if there are any.

    A fork has no thread but the one that forks.
    """
    names = [each.name for each in threading.enumerate() if each is not threading.main_thread()]
    if not names:
        return []
    listed = ", ".join(sorted(names))
    reason = "apps run in a process of their own, without the threads that run already"
    return [f"{reason}: {listed}; start them in lifespan"]


def announcement(
    label: str, login: str = "", warnings: Sequence[str] = ()
) -> Callable[[str, int, str], None]:
    """Return what announces on standard error how to log in.

    Args:
        label: of what is served.
        login: the user name to log in with, and an @.
        warnings: raw lines that follow.
    """

    def announce_start(host: str, port: int, fingerprint: str) -> None:
        lines = (
            f"serving {label} over SSH until ctrl+c",
            f"the host key's fingerprint is {fingerprint}",
            f"log in with: ssh -p {port} {login}{local_address(host)}",
            *(f"warning: {warning}" for warning in warnings),
        )
        announce(lines, sys.stderr)

    return announce_start


def local_address(host: str) -> str:
    """Return where a client on this machine reaches a server: ``::`` has no IPv4."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host
    loopback = "127.0.0.1" if address.version == 4 else "::1"
    return loopback if address.is_unspecified else host
