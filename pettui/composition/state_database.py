"""Where the outboxes of users over SSH are: in the state directory, or in PostgreSQL for several.

The address of a database comes from ``--state`` or PETTUI_STATE. An argument is seen by every user
of the machine, so the password is not in it: it comes from PETTUI_STATE, from a file that nobody
else can read, which both may name, or from libpq's own (.pgpass, PGPASSFILE).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pettui.build import build
from pettui.configuration.directories import state_directory, user_path
from pettui.configuration.errors import ConfigurationError, require_extras
from pettui.system.addresses import is_loopback
from pettui.system.files import read_regular_file, reason_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from pettui.outbox.owners import Owners
    from pettui.settings.settings import Profile

STATE: Final = "--state"
STATE_VARIABLE: Final = "PETTUI_STATE"
_SCHEMES: Final = ("postgresql://", "postgres://")
_LARGEST: Final = 10_000  # bytes of a file with an address
_OTHERS: Final = 0o077  # rights of others


def state_address(
    command: str, arguments: argparse.Namespace, environment: Mapping[str, str]
) -> str | None:
    """Return the database of users' outboxes, to connect to; None for the state directory.

    Raises:
        ConfigurationError: it is none, the extra is missing, or a password could be seen.
    """
    option: str | None = arguments.state
    variable = environment.get(STATE_VARIABLE) or None
    text, setting = (variable, STATE_VARIABLE) if option is None else (option, STATE)
    if text is None:
        return None
    if not text.startswith(_SCHEMES):
        text = _read(text, setting)
    require_extras(command, ["postgres"])
    from pettui.system import postgres

    try:
        address = postgres.checked_address(text)
        if option is not None and option.startswith(_SCHEMES):
            if postgres.has_password(address):
                reason = f"has a password, which others can see; put it into {STATE_VARIABLE}"
                raise ConfigurationError(STATE, reason)
            if variable is not None and variable.startswith(_SCHEMES):
                address = postgres.with_password_of(address, postgres.checked_address(variable))
    except ValueError as error:
        raise ConfigurationError(setting, str(error)) from None
    return address


def _read(text: str, setting: str) -> str:
    """Return the address in a file that others can't read."""
    path = user_path(text, setting)
    try:
        file = read_regular_file(path, _LARGEST)
    except OSError as error:
        reason = f"must be postgresql://…, or a file with that: {reason_of(error)}"
        raise ConfigurationError(setting, reason, value=str(path)) from error
    if file.status.st_mode & _OTHERS:
        reason = f"can be read by others; run: chmod 600 {path}"
        raise ConfigurationError(setting, reason, value=str(path))
    address = file.content.decode("utf-8", "replace").strip()
    if not address.startswith(_SCHEMES):
        raise ConfigurationError(setting, "must hold postgresql://…", value=str(path))
    return address


def of_several_shops(profile: Profile) -> str | None:
    """Return a raw line if the servers of two shops may be taken for those of one in a database.

    Args:
        profile: of a service, whose name and base address say which outboxes are one shop's.
    """
    if not is_loopback(urlsplit(profile.base_url).hostname or ""):
        return None
    return (
        f"base_url {profile.base_url} is another service on each host: a server of another host"
        f" with the same base_url and a profile of the same name, {profile.name}, in this database"
        " would send these animals to its own service; give every shop a profile name, or an"
        " address, of its own"
    )


def check_state(address: str, *, makes_tables: bool) -> str | None:
    """Return why the database of users' outboxes cannot be used now; None if it can.

    Args:
        address: of it.
        makes_tables: where there are none; else it is only looked at, and whether it takes changes.

    Raises:
        ConfigurationError: it is there, and can't be used.
    """
    import asyncio

    from pettui.outbox.stores.postgres_connections import prepared
    from pettui.outbox.stores.postgres_schema import StateSchemaError

    try:
        return asyncio.run(prepared(address, build(), makes_tables=makes_tables))
    except StateSchemaError as error:
        raise ConfigurationError(STATE, str(error)) from error


@contextmanager
def opened_owners(
    address: str | None, profile: Profile | None = None, *, observes: bool = False
) -> Iterator[Sequence[Owners]]:
    """Open what belongs to the owners of a profile, or else of all profiles, for a command.

    Raises:
        ConfigurationError: their database can't be reached or used.
    """
    from pettui.composition.store import owners_of, service_of

    if address is None:
        from pettui.outbox.stores.directory_owners import directory_owners

        yield directory_owners(state_directory()) if profile is None else [owners_of(profile)]
        return
    from pettui.outbox.stores.postgres import PostgresOwners, postgres_owners
    from pettui.outbox.stores.postgres_connections import StateDatabase
    from pettui.outbox.stores.postgres_schema import StateSchemaError

    database = StateDatabase(address, build(), connections=1, observes=observes)
    try:
        database.start()
        if (reason := database.why_away) is not None:
            raise ConfigurationError(STATE, reason)
        if profile is None:
            yield postgres_owners(database)
        else:
            yield [PostgresOwners(database, profile.name, service_of(profile))]
    except StateSchemaError as error:
        raise ConfigurationError(STATE, str(error)) from error
    finally:
        database.close()
