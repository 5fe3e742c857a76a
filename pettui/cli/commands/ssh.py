"""``pettui ssh``: serves the app to users who log in over SSH, and shows the status of a server."""

from __future__ import annotations

import gc
import os
import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pettui import __version__
from pettui.cli.declarations import SSH_METRICS_PORT
from pettui.cli.exit_codes import NO_ANSWER, OK
from pettui.cli.output import (
    Characters,
    ClosedPipeError,
    check_output,
    write_error_line,
    write_json,
    write_output,
)
from pettui.cli.servers import Steps, metrics_address, networks_of, warnings_on_stderr
from pettui.composition import FRAMES
from pettui.composition.crash_reports import reported_bug
from pettui.composition.demo import read_demo_options
from pettui.composition.state_database import (
    STATE_VARIABLE,
    check_state,
    of_several_shops,
    state_address,
)
from pettui.configuration.directories import (
    STATE_DIRECTORY,
    check_directory_of,
    check_writable,
    state_directory,
    user_path,
)
from pettui.configuration.errors import ConfigurationError, require_extras
from pettui.configuration.reading import read_settings
from pettui.settings.settings import Settings, StoreKind, option_of
from pettui.ssh.bounds import BOUNDS
from pettui.ssh.options import HOST_KEY, SshOptions
from pettui.ssh.status import (
    DRAIN,
    END,
    ENDED,
    IN_STATUS,
    OWN_NAME,
    SESSIONS,
    STATUS,
    is_running,
    parse_answer,
    read_answers,
    running_servers,
    status_directories,
)
from pettui.system.addresses import is_loopback
from pettui.text.amounts import counted, duration
from pettui.text.safe import safe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pettui.outbox.owners import Summary
    from pettui.ssh.apps.any_app import AnyApp
    from pettui.ssh.status import RunningServer
    from pettui.ssh.worker import Hooks

DEMO_TIME = 540.0  # seconds of a demo before it gets notice, if others wait
_FOR_TEXTUAL = (FRAMES, ("TEXTUAL_ANIMATIONS", "none"))


def serve_ssh(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until a signal comes, and return the exit code.

    Raises:
        ConfigurationError: it cannot start.
    """
    if arguments.status:
        return show_status(arguments, environment)
    if arguments.sessions:
        return show_sessions(arguments, environment)
    if arguments.end is not None:
        return end_sessions(arguments)
    if arguments.drain:
        return drain(arguments)
    gc.enable()
    require_extras("ssh", ["ssh"])
    from pettui.ssh import SshSetupError

    steps = Steps("ssh", SshSetupError, is_check=arguments.check)
    if arguments.app is not None:
        options, hooks = _other_app(steps, arguments)
    else:
        options, hooks = _profile(steps, arguments, dict(environment))
    host_key = steps.tried(_host_key, arguments.host_key)
    state = steps.tried(state_directory)
    if steps.is_check or hooks is None or state is None:
        return _check(steps, options, host_key, state, environment)
    from pettui.ssh.processes import serve

    return steps.tried(serve, options, host_key or state / HOST_KEY, hooks) or OK


def _profile(
    steps: Steps, arguments: argparse.Namespace, environment: dict[str, str]
) -> tuple[SshOptions, Hooks | None]:
    """Return how to serve what is configured, or a demo; a check may have no hooks."""
    settings = steps.tried(_settings, arguments, environment)
    if settings is None:
        steps.tried(_check_keys, arguments, is_demo=False)
        return _options(steps, arguments, is_for_anyone=False), None
    is_demo = settings.profile.kind is StoreKind.DEMO
    demo = steps.tried(read_demo_options, arguments, settings.profile)
    steps.tried(_check_keys, arguments, is_demo=is_demo)
    limit = DEMO_TIME if is_demo else 0.0
    options = _options(steps, arguments, is_for_anyone=is_demo, time_limit=limit)
    state = steps.tried(_state, arguments, environment, settings)
    outboxes = None if is_demo else steps.tried(_outboxes, settings, environment, state)
    awaited = None
    warnings = settings.profile.warnings
    if state is not None:
        if (shared := of_several_shops(settings.profile)) is not None:
            warnings += (shared,)
            if steps.is_check:  # the start says it with all others
                write_error_line(f"pettui: warning: {shared}")
        awaited = steps.tried(check_state, state, makes_tables=not steps.is_check)
        if awaited is not None:
            write_error_line(f"pettui: the database of users' outboxes is awaited: {awaited}")
    if outboxes is not None:
        from pettui.composition.store import with_path
        from pettui.composition.users import lines_on_elsewhere

        profile = with_path(settings.profile, environment)
        for line in lines_on_elsewhere(profile, state, is_away=awaited is not None):
            write_error_line(f"pettui: {line}")
    for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
        del os.environ[name]
    os.environ.update(_FOR_TEXTUAL)
    from pettui.composition.health import WATCHED
    from pettui.composition.served_apps import factory_opener, import_all
    from pettui.ssh.apps.app_factory import Watched
    from pettui.ssh.server import announcement
    from pettui.ssh.worker import Hooks
    from pettui.tui.widgets.appearance import STYLES, STYLES_OF_OTHER_SCREENS

    if not steps.is_check:
        import_all(has_database=state is not None)
    keys = [settings.profile.api_key]
    # Users can't change what the server is warned of.
    settings = replace(settings, profile=settings.profile._replace(warnings=()))
    hooks = Hooks(
        open_factory=factory_opener(settings, environment, demo, state, keys),
        report_bug=lambda error: {"reason": reported_bug(error, *keys)},
        announce=announcement(settings.profile.label, "demo@" * is_demo, warnings),
        styles=(Path(STYLES), Path(STYLES_OF_OTHER_SCREENS)),
        served=outboxes or {},
        watched=Watched() if is_demo else WATCHED,
    )
    return options, hooks


def _other_app(steps: Steps, arguments: argparse.Namespace) -> tuple[SshOptions, Hooks | None]:
    """Return how to serve another app, as ``pettui.ssh.serve`` does; a check may have no hooks."""
    os.environ.setdefault(*FRAMES)
    from pettui.ssh.server import announcement, app_hooks, lost_threads

    apps = steps.tried(_app, arguments)
    options = partial(_options, steps, arguments, is_for_anyone=not arguments.authorized_keys)
    if apps is None:
        return options(), None
    name = apps.name.lower()
    hooks = app_hooks(apps, announcement(name, warnings=lost_threads()))
    return options(name=name, version="", workers=1, takes_command=apps.takes_command), hooks


def _app(arguments: argparse.Namespace) -> AnyApp:
    """Return what makes the apps of ``--app``.

    Raises:
        ConfigurationError: it can't be served, or an option of a demo or a profile is given, too.
    """
    for name in ("config", "animals", "welcome", "read_only", "state"):
        if getattr(arguments, name):
            raise ConfigurationError(option_of(name), "is not for --app")
    from pettui.ssh import SshSetupError
    from pettui.ssh.apps.any_app import AnyApp

    try:
        return AnyApp(arguments.app)
    except SshSetupError as error:
        raise ConfigurationError("--app", str(error), value=arguments.app) from error


def _check(
    steps: Steps,
    options: SshOptions,
    host_key: Path | None,
    state: Path | None,
    environment: Mapping[str, str],
) -> int:
    """Try what serving does next, say all that is wrong, and return the exit code.

    Nothing is changed, and nothing listens.
    """
    from pettui.ssh.key_files import AuthorizedKeys
    from pettui.ssh.listening_sockets import inherited

    if options.authorized_keys is not None:
        with warnings_on_stderr():
            steps.tried(AuthorizedKeys, options.authorized_keys, "--authorized-keys")
    if host_key is not None:
        steps.tried(_check_host_key, host_key, "--host-key")
    elif state is not None:
        steps.tried(_check_host_key, state / HOST_KEY, STATE_DIRECTORY)
    listens = None if steps.tried(inherited, options) else (options.host, options.port)
    steps.try_to_listen(listens, options.metrics)
    return steps.report(environment)


def _check_host_key(path: Path, setting: str) -> None:
    """Read the host key, or see whether there could be one."""
    from pettui.ssh.key_files import read_host_key

    if path.exists():
        read_host_key(path)
    else:
        check_writable(path.parent, setting)


def _settings(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """Return the settings; those of the demo if nothing is configured."""
    settings = read_settings(vars(arguments), environment)
    if arguments.profile is None and settings.profile.kind is StoreKind.EMBEDDED:
        return read_settings({"demo": True, "config": arguments.config}, environment)
    return settings


def _state(
    arguments: argparse.Namespace, environment: Mapping[str, str], settings: Settings
) -> str | None:
    """Return the database of users' outboxes; None for the state directory, or for a demo."""
    if settings.profile.kind is StoreKind.DEMO:
        if arguments.state is not None:
            raise ConfigurationError("--state", "is for --profile; a demo keeps nothing")
        return None
    address = state_address("ssh", arguments, environment)
    if address is not None and settings.profile.kind is StoreKind.EMBEDDED:
        setting = STATE_VARIABLE if arguments.state is None else "--state"
        reason = "is for a service that all servers reach; this profile's animals are in a file"
        raise ConfigurationError(setting, reason)
    return address


def _outboxes(
    settings: Settings, environment: Mapping[str, str], state: str | None = None
) -> dict[str, str]:
    """Return what tells the owners of the profile from those of others, and where they are."""
    from pettui.composition.store import owners_of, service_of, with_store
    from pettui.outbox.entries import OutboxError

    profile = settings.profile
    if profile.kind is not StoreKind.SERVICE:
        profile = with_store(profile, environment)
    if state is None:
        owners = owners_of(profile)
        try:
            owners.check_version()
        except OutboxError as error:  # a server keeps them in another way
            raise ConfigurationError("ssh", str(error)) from error
        return {"outboxes": owners.id}
    from pettui.outbox.stores.postgres import id_of_owners
    from pettui.system import postgres

    owners_id = id_of_owners(profile.name, service_of(profile))
    return {"outboxes": owners_id, "state": postgres.shown(state)}


def _options(
    steps: Steps, arguments: argparse.Namespace, *, is_for_anyone: bool, **more: Any
) -> SshOptions:
    """Return the options of the server; ``more`` go before the usual ones."""
    from pettui.ssh.options import SshOptions

    if is_for_anyone:
        steps.tried(_check_public, arguments)
    usual = {"name": "pettui", "version": __version__, "workers": len(os.sched_getaffinity(0))}
    numbers = {name: getattr(arguments, name, None) for name in BOUNDS}
    given = {name: number for name, number in numbers.items() if number is not None}
    proxies = arguments.trusted_proxies or ""
    return SshOptions(
        host=arguments.host,
        authorized_keys=steps.tried(_path, arguments.authorized_keys, "--authorized-keys"),
        public=arguments.public or not is_for_anyone,
        trusted_proxies=steps.tried(networks_of, "--trusted-proxies", proxies) or (),
        metrics=steps.tried(metrics_address, "ssh", arguments.metrics, SSH_METRICS_PORT),
        name_of=option_of,
        **{**usual, **more, **given},
    )


def _check_public(arguments: argparse.Namespace) -> None:
    if not (arguments.public or is_loopback(arguments.host)):
        reason = "would let anyone on the network in; add --public to allow it"
        raise ConfigurationError("--host", reason, value=arguments.host)


def _check_keys(arguments: argparse.Namespace, *, is_demo: bool) -> None:
    if is_demo and arguments.authorized_keys:
        reason = "is for --profile; anyone may log in to the demo"
        raise ConfigurationError("--authorized-keys", reason)
    if not is_demo and not arguments.authorized_keys:
        reason = "is missing; name a file of the public keys that may log in"
        raise ConfigurationError("--authorized-keys", reason)


def _host_key(text: str | None) -> Path | None:
    path = _path(text, "--host-key")
    if path is not None:
        check_directory_of(path, "--host-key")
    return path


def _path(text: str | None, option: str) -> Path | None:
    return None if text is None else user_path(text, option)


_SHOWN: Final = 200  # characters of what a server says of itself
_NOT_ADDED: Final = ("waiting", "sending", "refused", "unknown")  # states of entries
_PROCESS_FIELDS: Final = ("role", "pid", "sessions", "queue", "keys_per_second", "p99_ms")
_PROCESS_HEADER: Final = ("process", "pid", "sessions", "queue", "keys/s", "p99 ms", "MB")
_SESSION_FIELDS: Final = ("session", "user", "account", "key", "address", "state", "since")


def show_status(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the status of a server, and return the exit code.

    Raises:
        ConfigurationError: several run, or there is no standard output.
    """
    state = state_address("ssh", arguments, environment)
    answers, code = _ask(arguments, STATUS, IN_STATUS)
    characters = Characters.of(environment)
    for status in answers:
        _add_users(status, state)
        with suppress(ClosedPipeError):
            if arguments.json:
                write_json([status], characters)
            else:
                write_output(_table(status, characters).encode())
    return code


def show_sessions(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write who is inside or waits on a server, and return the exit code; as ``show_status``."""
    from pettui.cli.table import write_rows

    answers, code = _ask(arguments, SESSIONS, ["sessions"])
    now = datetime.now().astimezone()
    for answer in answers:
        rows = []
        for session in answer["sessions"]:
            since = now - timedelta(seconds=session["seconds"])
            told = {"since": since.isoformat(" ", "seconds"), **session}
            rows.append(dict.fromkeys(_SESSION_FIELDS) | told)
        write_rows(_SESSION_FIELDS, rows, Characters.of(environment), as_json=arguments.json)
    return code


def end_sessions(arguments: argparse.Namespace) -> int:
    """End a session or somebody's wait by its number, or all of a key; as ``show_status``.

    A number is one server's own; all servers that may be meant are asked for a key.
    """
    whose = arguments.end
    if re.fullmatch(ENDED, whose) is None:
        reason = "must be a number of --sessions, or the fingerprint of a key: SHA256:…"
        raise ConfigurationError("--end", reason, value=whose)
    is_number = whose.isdecimal()
    request = END.format(whose).encode()
    answers, code = _ask(arguments, request, ["ended"], of_all=not is_number)
    ended = sum(answer["ended"] for answer in answers)
    if is_number and answers and not ended:
        raise ConfigurationError("--end", f"there is no session {whose}; see --sessions")
    if answers:
        _say(f"{counted(ended, 'session')} ended")
    return code


def drain(arguments: argparse.Namespace) -> int:
    """Have a server take no new sessions, and end with those that run; as ``show_status``."""
    seconds = arguments.drain_timeout
    request = DRAIN % (b"" if seconds is None else b" %d" % seconds)
    answers, code = _ask(arguments, request, ["draining", "sessions"])
    for answer in answers:
        _say(f"{counted(answer['sessions'], 'session')} left; it ends after the last one")
    return code


def _say(line: str) -> None:
    with suppress(ClosedPipeError):  # the reader has read enough
        write_output(f"{line}\n".encode())


def _ask(
    arguments: argparse.Namespace,
    request: bytes,
    names: Collection[str],
    *,
    of_all: bool = False,
) -> tuple[list[dict[str, Any]], int]:
    """Return what the servers that are meant answer, and the exit code; who does not is named.

    Raises:
        ConfigurationError: several run, and not all are asked, or there is no standard output.
    """
    check_output()
    state_directory()  # which is nobody else's
    servers = [each for place in status_directories() for each in running_servers(place)]
    asked = [
        each
        for each in servers
        if arguments.port in (None, each.port) and arguments.pid in (None, each.pid)
    ]
    if arguments.name is not None:
        known = _parsed(asked, STATUS, IN_STATUS).items()
        asked = [one for one, status in known if status and _name_of(status) == arguments.name]
    if len(asked) > 1 and not of_all and len(running := _running(asked)) > 1:
        option = "--port" if len({one.port for one in running}) > 1 else "--pid"
        raise ConfigurationError(option, f"is missing: pettui ssh runs {_listed(running)}")
    answers = _parsed(asked, request, names)
    if not answers:
        others = _running(servers)
        none = f"no such pettui ssh runs, but {_listed(others)}" if others else "no pettui ssh runs"
        write_error_line(f"pettui: {none}")
    for one, answer in answers.items():
        if answer is None:
            write_error_line(f"pettui: pettui ssh on port {one.port} does not answer")
    found = [answer for answer in answers.values() if answer is not None]
    return found, OK if found and len(found) == len(answers) else NO_ANSWER


def _running(servers: Iterable[RunningServer]) -> list[RunningServer]:
    return [each for each in servers if is_running(each.path)]


def _listed(servers: Iterable[RunningServer]) -> str:
    return " and ".join(f"on port {one.port} as process {one.pid}" for one in sorted(servers))


def _parsed(
    servers: Sequence[RunningServer], request: bytes, names: Collection[str]
) -> dict[RunningServer, dict[str, Any] | None]:
    """Return what each server that runs answers; None for one that does not."""
    parsed: dict[RunningServer, dict[str, Any] | None] = {}
    answers = read_answers([one.path for one in servers], request)
    for server, answer in zip(servers, answers, strict=True):
        if isinstance(answer, ConnectionRefusedError):  # it was killed and left its socket behind
            continue
        parsed[server] = None
        if not isinstance(answer, OSError):
            with suppress(ValueError):
                parsed[server] = parse_answer(answer, names)
    return parsed


def _name_of(status: Mapping[str, Any]) -> str:
    return str(status.get("name", OWN_NAME))


def _add_users(status: dict[str, Any], state: str | None) -> None:
    """Add the users from whose outboxes something did not go out; a demo has none on the disk."""
    from pettui.composition.users import not_gone_out

    outboxes = status["served"].get("outboxes")
    is_in_database = "state" in status["served"]
    if is_in_database and state is None:
        write_error_line(
            f"pettui: users' outboxes are in the database {safe(str(status['served']['state']))};"
            f" name it with --state or {STATE_VARIABLE} to see what did not go out"
        )
    is_known = isinstance(outboxes, str) and is_in_database == (state is not None)
    users: Iterable[Summary] = not_gone_out(outboxes, state) if is_known else ()
    try:
        users = tuple(users)
    except ConfigurationError as error:  # the database is away: how the server is doing is told
        write_error_line(f"pettui: {error}")
        users = ()
    status["users"] = [
        {
            "name": user.name,
            "fingerprint": user.fingerprint,
            "own_key": user.has_own_key,
            **{state: user.entries.get(state, 0) for state in _NOT_ADDED},
        }
        for user in users
    ]


def _table(status: dict[str, Any], characters: Characters) -> str:
    """Return a line about the server, and tables of its processes and users."""
    name, host = _name_of(status), str(status["host"])
    what = "pettui ssh" if name == OWN_NAME else f"{name}, served over SSH,"
    lines = [
        (
            f"{what} on {f'[{host}]' if ':' in host else host}:{status['port']}, "
            f"up {status['seconds'] / 60:.0f} min: "
            f"{status['sessions']} of {status['max_sessions']} sessions, "
            f"{status['queue']} of {status['max_queue']} waiting"
        )
    ]
    if status.get("draining") is True:
        left = duration(status.get("ends_within") or 0.0)
        lines.append(f"It takes no new sessions, and ends with those that run, or in {left}.")
    if installed := status.get("installed"):
        lines.append(f"It runs on as it began; installed is {installed}.")
    processes = status["processes"]
    lines += dict.fromkeys(str(each["waits_for"]) for each in processes if each.get("waits_for"))
    head = "".join(f"{safe(line, _SHOWN)}\n" for line in lines)
    rows = [*map(_row, processes), _row({"role": "all", **status})]
    return head + _lines(_PROCESS_HEADER, rows, characters) + _users(status["users"], characters)


def _row(process: dict[str, Any]) -> tuple[str, ...]:
    memory = process.get("memory_bytes")
    values = [*map(process.get, _PROCESS_FIELDS), memory and f"{memory / 1_000_000:.0f}"]
    return tuple("-" if value is None else str(value) for value in values)


def _users(users: Sequence[dict[str, Any]], characters: Characters) -> str:
    """Return what did not go out, by user; "" for nothing."""
    if not users:
        return ""
    from pettui.composition.users import NAME_SHOWN, USERS_SHOWN

    shown = [
        (safe(user["name"], NAME_SHOWN), *(str(user[name]) for name in _NOT_ADDED))
        for user in users[:USERS_SHOWN]
    ]
    more = len(users) - USERS_SHOWN
    rest = f"and {more} more: --json lists them\n" if more > 0 else ""
    return "\n" + _lines(("user", *_NOT_ADDED), shown, characters) + rest


def _lines(header: Sequence[str], rows: Sequence[Sequence[str]], characters: Characters) -> str:
    from pettui.cli.table import table_of

    return table_of(header, rows, characters, at_right=range(1, len(header)))
