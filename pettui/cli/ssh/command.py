"""``pettui ssh``: serves the app to users who log in over SSH."""

from __future__ import annotations

import os
import re
import sys
from contextlib import closing
from dataclasses import replace
from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.cli.crash_reports import report_bug
from pettui.cli.demo.demo_options import read_demo_options
from pettui.cli.embedded import with_store
from pettui.cli.extras import require_extras
from pettui.cli.ssh.status_command import STATUS_DIRECTORY, show_status
from pettui.cli.user_outboxes import owner_of
from pettui.configuration import (
    ConfigurationError,
    check_directory_of,
    read_settings,
    state_directory,
    user_path,
)
from pettui.log_writer import LogWriter
from pettui.service_addresses import is_loopback
from pettui.settings import StoreKind
from pettui.text import safe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pettui.settings import Settings
    from pettui.ssh.options import SshOptions

PORT = 2222
HOST_KEY = "ssh-host-key"  # in the state directory
# Read by Textual and Rich, but these describe the server's terminal, not the clients'.
_TERMINAL_VARIABLES = (
    "NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM", "TERM_PROGRAM", "LC_TERMINAL", "COLUMNS",
    "LINES", "ESCDELAY", "JUPYTER_COLUMNS", "JUPYTER_LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE",
)  # fmt: skip
DEMO_TIME = 540.0  # seconds of a demo before it gets notice, if others wait
IMPORTED_LATE = (  # with the first request
    "pettui.client.http",
    "pettui.service.http.demo_app",
    "pettui.service.stores.samples",
    "pettui.service.stores.sqlite_store",
)
_LOOPBACK = MappingProxyType({4: "127.0.0.1", 6: "::1"})
_FOR_TEXTUAL = (("TEXTUAL_FPS", "120"), ("TEXTUAL_ANIMATIONS", "none"))


def serve_ssh(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until a signal comes, and return the exit code.

    Raises:
        ConfigurationError: it cannot start.
    """
    port = _number(arguments)("port", 0, 65_535) if arguments.port else None
    if arguments.status:
        return show_status(port, is_json=arguments.json)
    if arguments.json:
        raise ConfigurationError("--json", "is for --status")
    environment = dict(environment)
    settings = _settings(arguments, environment)
    demo = read_demo_options(arguments, settings.profile)
    _clean_environment()
    require_extras("ssh", ["ssh"])
    from pettui.cli.ssh.pet_app_factory import factory_opener
    from pettui.ssh.errors import SshSetupError
    from pettui.ssh.process_supervisor import serve
    from pettui.ssh.worker import Hooks
    from pettui.tui.deferred_imports import MODULES

    is_demo = settings.profile.kind is StoreKind.DEMO
    options = _options(arguments, PORT if port is None else port, is_demo=is_demo)
    key = settings.profile.api_key
    hooks = Hooks(
        open_factory=factory_opener(_without_warnings(settings), environment, demo),
        report_bug=lambda error: report_bug(error, key),
        announce=_announcement(settings),
        imported_late=(*MODULES, *IMPORTED_LATE),
        served={} if is_demo else {"outboxes": _outboxes(settings, environment)},
    )
    path = options.host_key or state_directory() / HOST_KEY
    try:
        return serve(options, path, hooks, state_directory() / STATUS_DIRECTORY)
    except SshSetupError as error:
        raise ConfigurationError("ssh", str(error)) from error


def _settings(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """Return the settings; those of the demo if nothing is configured."""
    settings = read_settings(vars(arguments), environment)
    if arguments.profile is None and settings.profile.kind is StoreKind.EMBEDDED:
        return read_settings({"demo": True, "config": arguments.config}, environment)
    return settings


def _outboxes(settings: Settings, environment: Mapping[str, str]) -> str:
    """Return the name of the directory that each user has for the profile's outbox."""
    from pettui.cli.ssh.app_dependencies import outbox_directory

    return outbox_directory(with_store(settings.profile, environment), owner_of(None)).name


def _without_warnings(settings: Settings) -> Settings:
    """Return settings for the apps of users, who can't change what the server is warned of."""
    return replace(settings, profile=replace(settings.profile, warnings=()))


def _clean_environment() -> None:
    for name in list(os.environ):
        if name in _TERMINAL_VARIABLES or name.startswith("TEXTUAL"):
            del os.environ[name]
    os.environ.update(_FOR_TEXTUAL)


def _options(arguments: argparse.Namespace, port: int, *, is_demo: bool) -> SshOptions:
    from pettui.ssh.options import SshOptions

    if is_demo and not arguments.public and not is_loopback(arguments.host):
        reason = "would let anyone on the network in; add --public to allow it"
        raise ConfigurationError("--host", reason, value=arguments.host)
    if is_demo and arguments.authorized_keys:
        reason = "is for --profile; anyone may log in to the demo"
        raise ConfigurationError("--authorized-keys", reason)
    if not is_demo and not arguments.authorized_keys:
        reason = "is missing; name a file of the public keys that may log in"
        raise ConfigurationError("--authorized-keys", reason)
    number = _number(arguments)
    return SshOptions(
        host=arguments.host,
        port=port,
        host_key=_host_key(arguments.host_key),
        authorized_keys=_path(arguments.authorized_keys, "--authorized-keys"),
        workers=number("workers", 1, 64) if arguments.workers else len(os.sched_getaffinity(0)),
        max_sessions=number("max_sessions", 1, 100_000),
        max_queue=number("max_queue", 0, 100_000),
        per_address=number("per_address", 1, 100_000),
        time_limit=DEMO_TIME if is_demo else 0.0,
        idle_timeout=number("idle_timeout", 0, 1_000_000),
        login_timeout=number("login_timeout", 1, 3_600),
    )


def _number(arguments: argparse.Namespace) -> Callable[[str, int, int], int]:
    def number(name: str, least: int, most: int) -> int:
        text = getattr(arguments, name)
        if re.fullmatch(r"[0-9]{1,7}", text) is None or not least <= int(text) <= most:
            option = f"--{name.replace('_', '-')}"
            reason = f"must be a whole number from {least} to {most}"
            raise ConfigurationError(option, reason, value=text)
        return int(text)

    return number


def _host_key(text: str | None) -> Path | None:
    path = _path(text, "--host-key")
    if path is not None:
        check_directory_of(path, "--host-key")
    return path


def _path(text: str | None, option: str) -> Path | None:
    return None if text is None else user_path(text, option)


def _announcement(settings: Settings) -> Callable[[str, int, str], None]:
    """Return what announces on standard error how to log in."""

    def announce(host: str, port: int, fingerprint: str) -> None:
        user = "demo@" if settings.profile.kind is StoreKind.DEMO else ""
        lines = (
            f"pettui: serving {settings.profile.label} over SSH until ctrl+c",
            f"pettui: the host key's fingerprint is {fingerprint}",
            f"pettui: log in with: ssh -p {port} {user}{local_address(host)}",
            *(f"pettui: warning: {warning}" for warning in settings.profile.warnings),
        )
        with closing(LogWriter(sys.stderr)) as log:  # a full disk must not stop it
            log.write(f"{safe_lines(lines)}\n")

    return announce


def local_address(host: str) -> str:
    """Return where a client on this machine reaches a server: ``::`` has no IPv4."""
    address = ip_address(host)
    return _LOOPBACK[address.version] if address.is_unspecified else host


def safe_lines(lines: Iterable[str]) -> str:
    """Return lines made safe for a terminal."""
    return "\n".join(safe(line) for line in lines)
