"""``pettui serve``: the service over HTTP."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.cli.declarations import METRICS_PORT
from pettui.cli.output import ClosedPipeError, write_error_line, write_output
from pettui.cli.servers import Steps, metrics_address, networks_of, warnings_on_stderr
from pettui.composition.threads import SERVICE_THREADS, check_threads
from pettui.configuration.api_keys import new_key, service_keys
from pettui.configuration.directories import (
    DATABASE,
    SERVICE_KEYS,
    check_directory_of,
    data_directory,
    user_path,
)
from pettui.configuration.errors import ConfigurationError, require_extras
from pettui.system.files import reason_of
from pettui.system.logs import announce as announce_start

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from socket import socket

    from pettui.service.keys import KeyFile, ServedKeys
    from pettui.service.server import ServeOptions
    from pettui.settings.settings import ApiKey
    from pettui.system.signals import ServiceSignals


def serve(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until a signal comes, and return the exit code.

    Raises:
        ConfigurationError: it cannot start.
        SystemExit: a signal came before it started.
    """
    from pettui.system.signals import ServiceSignals

    # First of all, since the other imports take time.
    with ServiceSignals().handled() as signals:
        gc.enable()
        return _serve(arguments, environment, signals)


def _serve(
    arguments: argparse.Namespace, environment: Mapping[str, str], signals: ServiceSignals
) -> int:
    from pettui.service import SetupError
    from pettui.service.stores import MEMORY, is_postgres

    steps = Steps("serve", SetupError, is_check=arguments.check)
    database = steps.tried(store_of, arguments.database, environment) or MEMORY
    # All at once, and before what needs them is imported.
    require_extras("serve", ["serve", "postgres"] if is_postgres(database) else ["serve"])
    if arguments.init:
        return _init(database, is_printed=arguments.print)
    from pettui.service import server
    from pettui.service.stores.samples import sample_pets

    steps.tried(check_threads, SERVICE_THREADS)
    options = _options(steps, arguments, database)
    steps.tried(server.refuse_clear_text, options)
    found = steps.tried(_keys, environment, arguments.keys)
    if steps.is_check or found is None:
        return _check(steps, options, None if found is None else found[0].file, environment)
    keys, made = found
    announce = _announcement(made, _store_line(options.database))
    samples = sample_pets(arguments.samples) if arguments.samples else ()
    steps.tried(server.serve, options, keys, samples, announce=announce, signals=signals)
    return 0


def _check(
    steps: Steps, options: ServeOptions, keys: KeyFile | None, environment: Mapping[str, str]
) -> int:
    """Try what serving does next, say all that is wrong, and return the exit code.

    Nothing is changed, and nothing listens.
    """
    from pettui.service.server import certificate_of

    listens = None if options.sockets else (options.host, options.port)
    steps.try_to_listen(listens, options.metrics)
    with warnings_on_stderr():
        if keys is not None:
            keys.warn_daily()
        steps.tried(certificate_of, options)
    steps.tried(_check_store, options.database)
    return steps.report(environment)


def _check_store(database: str) -> None:
    import asyncio

    from pettui.service.stores import check_store
    from pettui.service.stores.store import StoreAwayError

    try:
        asyncio.run(check_store(database))
    except StoreAwayError as error:  # nothing is wrong: the service waits for it
        write_error_line(f"pettui: {error}; pettui serve waits for it")


def _init(database: str, *, is_printed: bool) -> int:
    """Make the store's tables, or say which SQL does, and return the exit code."""
    import asyncio

    from pettui.service import SetupError
    from pettui.service.stores import is_postgres, open_store

    if is_printed:
        if not is_postgres(database):
            raise ConfigurationError("--print", "is for a store in PostgreSQL; --database names it")
        from pettui.service.stores.postgres import schema_sql

        with suppress(ClosedPipeError):
            write_output(schema_sql().encode())
        return 0

    async def opened() -> None:
        await (await open_store(database)).close()

    try:
        asyncio.run(opened())
    except SetupError as error:
        raise ConfigurationError("serve --init", str(error)) from error
    return 0


def key_file(environment: Mapping[str, str], option: str | None = None) -> Path:
    """Return the file with the hashes of the service's API keys: that of ``--keys``, or the usual.

    Raises:
        ConfigurationError: its directory is not there.
    """
    if option is None:
        return data_directory(environment) / SERVICE_KEYS
    path = user_path(option, "--keys")
    check_directory_of(path, "--keys")
    return path


def _options(steps: Steps, arguments: argparse.Namespace, database: str) -> ServeOptions:
    from pettui.service.server import ServeOptions

    def file(option: str) -> Path | None:
        text, name = getattr(arguments, option), f"--{option.replace('_', '-')}"
        return None if text is None else steps.tried(user_path, text, name)

    proxies = arguments.trusted_proxies or ""
    return ServeOptions(
        database=database,
        host=arguments.host,
        port=arguments.port,
        tls_certificate=file("tls_cert"),
        tls_key=file("tls_key"),
        insecure=arguments.insecure,
        trusted_proxies=steps.tried(networks_of, "--trusted-proxies", proxies) or (),
        metrics=steps.tried(metrics_address, "serve", arguments.metrics, METRICS_PORT),
        sockets=steps.tried(_inherited_sockets) or (),
    )


def _inherited_sockets() -> tuple[socket, ...]:
    from pettui.system.systemd import inherited_sockets

    try:
        return tuple(inherited_sockets())
    except OSError as error:
        raise ConfigurationError("serve", reason_of(error)) from error


def store_of(option: str | None, environment: Mapping[str, str]) -> str:
    """Return the absolute path of the database, or its address in PostgreSQL."""
    text = environment.get("PETTUI_DATABASE") or None if option is None else option
    if text is None:
        return str(data_directory(environment) / DATABASE)
    from pettui.service.stores import is_file, refuse_unknown_kind
    from pettui.service.stores.store import StoreError

    setting = "PETTUI_DATABASE" if option is None else "--database"
    try:
        refuse_unknown_kind(text)
    except StoreError as error:
        raise ConfigurationError(setting, str(error)) from None
    if not is_file(text):
        return text
    path = user_path(text, setting)
    check_directory_of(path, setting)
    return str(path)


def _store_line(database: str) -> str:
    """Return what to say of a store that is empty because it is new; "" for another."""
    from pettui.service.stores import MEMORY, is_file

    if database == MEMORY:
        return "the store is in memory; nothing is kept"
    is_new = is_file(database) and not os.path.exists(database)  # noqa: PTH110 - raises nothing
    return f"the store {database} is new" if is_new else ""


def _keys(environment: Mapping[str, str], option: str | None) -> tuple[ServedKeys, ApiKey | None]:
    """Return the keys to accept, and the new one if none is configured.

    Raises:
        ConfigurationError: there is none, and a new one would be written into a log.
    """
    from pettui.service.keys import ServedKeys, list_keys

    path = key_file(environment, option)
    keys = service_keys(environment)
    made = None if keys or list_keys(path) else new_key()
    if made is not None and (sys.stderr is None or not sys.stderr.isatty()):
        was_there = f"if {path.name} had keys before, put it back"
        reason = f"there is no API key in {path}; {was_there}, else run: pettui key add NAME"
        raise ConfigurationError("serve", reason)
    fixed = [key.reveal() for key in keys]
    return ServedKeys(fixed, path, None if made is None else made.reveal()), made


def _announcement(made: ApiKey | None, store_line: str) -> Callable[[str], None]:
    """Return what announces the service on standard error; standard output has its requests."""
    stream = sys.stderr  # which gets only events as soon as it serves

    def announce(address: str) -> None:
        lines = [f"serving {address} until ctrl+c", *filter(None, [store_line])]
        if made is not None:  # standard error is a terminal
            lines += [
                f"no key is configured; the key of this run is {made.reveal()}",
                "it ends with the first: pettui key add NAME",
            ]
        announce_start(lines, stream)

    return announce
