"""``pettui key``: the API keys that ``pettui serve`` accepts."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.cli.commands.serve import key_file
from pettui.cli.exit_codes import OK
from pettui.cli.output import Characters, write_all, write_error_line
from pettui.configuration.errors import ConfigurationError
from pettui.system.files import reason_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from pettui.service.keys import KeyEntry

OVERLAP_MAXIMUM: Final = timedelta(days=30)
_DURATION: Final = re.compile(r"([0-9]{1,6})([mhd])")
_UNITS: Final = MappingProxyType(
    {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
)
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
        overlap = _overlap(arguments)
        if arguments.replace:
            key = replace_key(
                path, name, is_read_only=is_read_only, expires=expires, overlap=overlap
            )
            undo, undone = restore_key, "the former one stays"
        else:
            key = add_key(path, name, is_read_only=is_read_only, expires=expires)
            undo, undone = remove_key, "was removed again"
        try:
            write_all(f"{key}\n".encode())
        except OSError as error:
            undo(path, name)  # nobody has seen it
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


def _overlap(arguments: argparse.Namespace) -> timedelta:
    """Return for how long a former key is still accepted."""
    text = arguments.overlap
    if text is None:
        return timedelta(0)
    match = _DURATION.fullmatch(text)
    overlap = timedelta(0) if match is None else int(match[1]) * _UNITS[match[2]]
    if not timedelta(0) < overlap <= OVERLAP_MAXIMUM:
        reason = "must be minutes, hours or days, such as 30m, 1h or 7d; at most 30d"
        raise ConfigurationError("--overlap", reason, value=text)
    return overlap


def list_keys(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the names of the keys, and what is known of them; raises as ``add``."""
    from pettui.cli.table import write_rows
    from pettui.service.keys import list_keys as read_keys
    from pettui.service.keys import read_uses

    path = key_file(environment, arguments.keys)
    now = datetime.now(UTC)
    with _errors("list"):
        uses, keys = read_uses(path), read_keys(path)
    rows = [
        {
            "name": entry.name,
            "digest": entry.digest.hex()[:8],
            "created": entry.created.isoformat(),
            "read_only": entry.is_read_only,
            "expires": _shown_end(entry),
            "expired": entry.has_expired(now),
            "days_left": _days_left(entry, now),
            "last_used": None
            if (used := uses.get(entry.name)) is None
            else datetime.fromtimestamp(used, UTC).isoformat(),
        }
        for entry in keys
    ]
    if not rows:  # those of another user, or of another file, perhaps
        write_error_line(f"pettui: there is no key in {path}")
        return OK
    write_rows(_FIELDS, rows, Characters.of(environment), as_json=arguments.json)
    return OK


def _shown_end(entry: KeyEntry) -> str | None:
    """Return the first day on which a key is refused, or the moment at which a former one ends."""
    if entry.until is not None:
        return f"{entry.end:%Y-%m-%dT%H:%M:%SZ}"
    return None if entry.expires is None else entry.expires.isoformat()


def _days_left(entry: KeyEntry, now: datetime) -> int | None:
    """Return the days until a key ends; of one that ends at a moment the whole ones."""
    if entry.end is None:
        return None
    left = entry.end - now if entry.end == entry.until else entry.end.date() - now.date()
    return max(left.days, 0)
