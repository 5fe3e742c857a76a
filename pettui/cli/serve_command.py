"""``pettui serve``: the service over HTTP."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from pettui.cli.threads import SERVICE_THREADS, check_threads
from pettui.configuration import (
    DATABASE,
    SERVICE_KEYS,
    ConfigurationError,
    data_directory,
    new_key,
    service_keys,
    user_path,
)
from pettui.log_writer import LogWriter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pettui.service.known_keys import Keys
    from pettui.service.server.serving import ServeOptions
    from pettui.service.server.signals import StartingSignals
    from pettui.settings import ApiKey

SAMPLES_MAXIMUM = 100_000_000
PORT_MAXIMUM = 65_535


class CombinedKeys:
    """The API keys of several collections."""

    def __init__(self, collections: Sequence[Keys]) -> None:
        self._collections = collections

    def hash_name(self, key: bytes) -> str | None:
        """Return the short hash of a key that one of them contains, or None."""
        names = [collection.hash_name(key) for collection in self._collections]
        return next((name for name in names if name is not None), None)


def serve(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until a signal comes, and return the exit code.

    Raises:
        ConfigurationError: it cannot start.
        SystemExit: a signal came before it started.
    """
    from pettui.service.server.signals import StartingSignals

    # First of all, since the other imports take time.
    with StartingSignals().handled() as signals:
        return _serve(arguments, environment, signals)


def _serve(
    arguments: argparse.Namespace, environment: Mapping[str, str], signals: StartingSignals
) -> int:
    samples = _whole_number("--samples", arguments.samples, SAMPLES_MAXIMUM)
    port = _whole_number("--port", arguments.port, PORT_MAXIMUM)
    try:
        from pettui.service.server import serving
    except ModuleNotFoundError as error:
        if error.name != "uvicorn":
            raise
        reason = "needs uvicorn; run: pip install 'pettui[serve]'"
        raise ConfigurationError("serve", reason) from None
    from pettui.service import SetupError
    from pettui.service.stores.samples import sample_pets

    check_threads(SERVICE_THREADS)
    options = _options(arguments, port, environment)
    try:
        serving.refuse_clear_text(options)
        keys, made = _keys(environment)
        announce = _announcement(made)
        serving.serve(options, keys, sample_pets(samples), announce=announce, signals=signals)
    except SetupError as error:
        raise ConfigurationError("serve", str(error)) from error
    return 0


def key_file(environment: Mapping[str, str]) -> Path:
    """Return the file with the hashes of the service's API keys."""
    return data_directory(environment) / SERVICE_KEYS


def _options(
    arguments: argparse.Namespace, port: int, environment: Mapping[str, str]
) -> ServeOptions:
    from pettui.service.server.serving import ServeOptions

    def file(option: str) -> Path | None:
        text, name = getattr(arguments, option), f"--{option.replace('_', '-')}"
        return None if text is None else user_path(text, name)

    return ServeOptions(
        database=_database(arguments.database, environment),
        host=arguments.host,
        port=port,
        tls_certificate=file("tls_cert"),
        tls_key=file("tls_key"),
        insecure=arguments.insecure,
    )


def _database(option: str | None, environment: Mapping[str, str]) -> str:
    """Return the absolute path of the database, or its address in PostgreSQL."""
    text = environment.get("PETTUI_DATABASE") or None if option is None else option
    if text is None:
        return str(data_directory(environment) / DATABASE)
    from pettui.service.stores.open_store import is_postgres, refuse_unknown_kind
    from pettui.service.stores.store import StoreError

    setting = "PETTUI_DATABASE" if option is None else "--database"
    try:
        refuse_unknown_kind(text)
    except StoreError as error:
        raise ConfigurationError(setting, str(error)) from None
    return text if is_postgres(text) else str(user_path(text, setting))


def _keys(environment: Mapping[str, str]) -> tuple[Keys, ApiKey | None]:
    """Return the keys to accept, and the new one if none is configured."""
    from pettui.service.key_file import KeyFile, list_keys
    from pettui.service.known_keys import FixedKeys

    path = key_file(environment)
    keys = service_keys(environment)
    made = None if keys or list_keys(path) else new_key()
    fixed = FixedKeys(key.reveal() for key in (*keys, *filter(None, [made])))
    return CombinedKeys([fixed, KeyFile(path)]), made


def _announcement(made: ApiKey | None) -> Callable[[str], None]:
    """Return what announces the service on standard error; standard output has the access log."""

    def announce(address: str) -> None:
        lines = f"pettui: serving {address} until ctrl+c\n"
        if made is not None:
            lines += f"pettui: no key is configured; the key of this run is {made.reveal()}\n"
        with closing(LogWriter(sys.stderr)) as log:  # a full pipe must not stop it
            log.write(lines)

    return announce


def _whole_number(option: str, text: str, maximum: int) -> int:
    if re.fullmatch(r"[0-9]{1,9}", text) is None or int(text) > maximum:
        reason = f"must be a whole number from 0 to {maximum}"
        raise ConfigurationError(option, reason, value=text)
    return int(text)
