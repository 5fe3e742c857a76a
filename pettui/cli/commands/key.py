"""``pettui key``: the API keys that ``pettui serve`` accepts."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from pettui.cli.commands.serve import key_file
from pettui.cli.exit_codes import OK
from pettui.cli.output import Characters, ClosedPipeError, write_all, write_error_line
from pettui.configuration import ConfigurationError
from pettui.system.files import reason_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

_FIELDS: Final = ("name", "digest", "created", "read_only", "expires", "days_left", "last_used")


def add(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Make a key, write it, and return the exit code.

    Raises:
        ConfigurationError: the name, the day or the key file cannot be used.
    """
    from pettui.service.keys import add_key, remove_key, replace_key, restore_key

    name, is_read_only = arguments.name, arguments.read_only
    with _errors("add"):
        path = key_file(environment, arguments.keys)
        expires = None if arguments.expires is None else _future(arguments.expires)
        if arguments.replace:
            key, former = replace_key(path, name, is_read_only=is_read_only, expires=expires)
            undo, undone = partial(restore_key, path, former), "the former one stays"
        else:
            key = add_key(path, name, is_read_only=is_read_only, expires=expires)
            undo, undone = partial(remove_key, path, name), "was removed again"
        try:
            write_all(f"{key}\n".encode())
        except OSError as error:
            undo()  # nobody has seen it
            reason = f"the key could not be shown, and {undone}: {reason_of(error)}"
            raise ConfigurationError("key add", reason) from None
    return OK


def remove(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove a key, and return the exit code; raises as ``add``."""
    from pettui.service.keys import remove_key

    with _errors("remove"):
        remove_key(key_file(environment, arguments.keys), arguments.name)
    return OK


@contextmanager
def _errors(action: str) -> Iterator[None]:
    from pettui.service import SetupError

    try:
        yield
    except SetupError as error:
        raise ConfigurationError(f"key {action}", str(error)) from error


def _future(text: str) -> date:
    """Read a day after today."""
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if day > datetime.now(UTC).date():
            return day
    reason = "must be a day in the future, written as 2027-01-31"
    raise ConfigurationError("--expires", reason, value=text)


def list_keys(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the names of the keys, and what is known of them; raises as ``add``."""
    from pettui.cli.table import write_rows
    from pettui.service.keys import list_keys as read_keys
    from pettui.service.keys import read_uses

    path = key_file(environment, arguments.keys)
    today = datetime.now(UTC).date()
    with _errors("list"):
        uses, keys = read_uses(path), read_keys(path)
    rows = [
        {
            "name": entry.name,
            "digest": entry.digest.hex()[:8],
            "created": entry.created.isoformat(),
            "read_only": entry.is_read_only,
            "expires": None if entry.expires is None else entry.expires.isoformat(),
            "expired": entry.has_expired(today),
            "days_left": entry.expires and max((entry.expires - today).days, 0),
            "last_used": None
            if (used := uses.get(entry.name)) is None
            else datetime.fromtimestamp(used, UTC).isoformat(),
        }
        for entry in keys
    ]
    if not rows:  # those of another user, or of another file, perhaps
        write_error_line(f"pettui: there is no key in {path}")
        return OK
    with suppress(ClosedPipeError):  # such as head, which has read enough
        write_rows(_FIELDS, rows, Characters.of(environment), as_json=arguments.json)
    return OK
