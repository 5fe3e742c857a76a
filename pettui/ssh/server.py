"""serve: a Textual app for everybody who logs in over SSH."""

from __future__ import annotations

import sys
import traceback
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_state_path

from pettui.logs import announce
from pettui.ssh.options import HOST_KEY, STATUS_DIRECTORY, SshOptions, local_address
from pettui.ssh.processes import serve as serve_in_processes
from pettui.ssh.worker import Hooks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pettui.logs import EventLog
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal

    MakeApp = Callable[[User], ServedApp[Any]]


def serve(
    app: MakeApp | Hooks,
    *,
    name: str | None = None,
    host: str = "127.0.0.1",
    port: int = 2222,
    authorized_keys: Path | str | None = None,
    host_key: Path | str | None = None,
    directory: Path | None = None,
    **limits: Any,
) -> int:
    """Serve an app until a signal ends it, and return the exit code.

    Args:
        app: makes each user's app, such as a class of apps whose ``__init__`` takes the user; or
            the hooks of a server whose apps share something.
        name: what is served, as the log, the users and their clients read it; by default that of
            ``app``.
        host: a name or an address to listen on.
        port: 0 for any free one.
        authorized_keys: a file of the public keys that may log in; without it anyone may.
        host_key: the server's key, which is created if missing; by default in ``directory``.
        directory: of what the server keeps; by default a user's state directory of this name.
        **limits: further fields of ``SshOptions``, such as ``max_sessions`` and ``idle_timeout``.

    Raises:
        SshSetupError: an address, a key or a file can't be used.
    """
    name = name or getattr(app, "__name__", "app").lower()
    directory = directory or user_state_path(name, appauthor=False)
    options = SshOptions(
        name=name,
        host=host,
        port=port,
        authorized_keys=None if authorized_keys is None else Path(authorized_keys),
        **limits,
    )
    key_file = directory / HOST_KEY if host_key is None else Path(host_key)
    hooks = app if isinstance(app, Hooks) else _hooks(app, name)
    return serve_in_processes(options, key_file, hooks, directory / STATUS_DIRECTORY)


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


class OneAppEach:
    """Makes an app for each user, with nothing to close."""

    can_prepare = False  # an app may be another one for each user

    def __init__(self, make: MakeApp) -> None:
        self._make = make

    def prepare(self, terminal: ClientTerminal) -> ServedApp[Any]:
        """Do not prepare: see ``can_prepare``."""
        raise NotImplementedError

    def claim(
        self, user: User, _terminal: ClientTerminal, _prepared: ServedApp[Any] | None
    ) -> ServedApp[Any]:
        """Return a user's app."""
        return self._make(user)

    def restarts(self, _app: ServedApp[Any]) -> bool:
        """End the session with the app."""
        return False

    def farewell(self, _app: ServedApp[Any]) -> str:
        """Say nothing."""
        return ""

    async def close(self, _app: ServedApp[Any]) -> None:
        """Close nothing."""


def _hooks(make: MakeApp, name: str) -> Hooks:
    @asynccontextmanager
    async def open_factory(_log: EventLog) -> AsyncIterator[OneAppEach]:
        yield OneAppEach(make)

    def report_bug(error: BaseException) -> str:
        return "".join(traceback.format_exception(error))

    return Hooks(open_factory, report_bug, announcement(name))
