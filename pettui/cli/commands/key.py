"""``pettui key``: the API keys that ``pettui serve`` accepts."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from pettui.cli.commands.serve import key_file
from pettui.cli.declarations import KEY_ACTIONS
from pettui.cli.output import Characters, ClosedPipeError, write_all, write_error_line
from pettui.configuration import ConfigurationError, no_such

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

_FIELDS: Final = ("name", "digest", "created", "read_only", "expires", "days_left", "last_used")


def manage_keys(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Add, list or remove keys, and return the exit code.

    Raises:
        ConfigurationError: the action, the name or the key file cannot be used.
    """
    from pettui.service import SetupError

    if arguments.action not in KEY_ACTIONS:
        raise ConfigurationError("key", _wrong_action(arguments.action))
    named = arguments.name != ""
    if named is (arguments.action == "list"):
        rule = "takes no name" if named else "needs a name for the key"
        raise ConfigurationError(f"key {arguments.action}", rule)
    given = {"--json": "list", "--read-only": "add", "--expires": "add", "--replace": "add"}
    for option, action in given.items():
        if action != arguments.action and vars(arguments)[option[2:].replace("-", "_")]:
            raise ConfigurationError(option, f"is for key {action}")
    try:
        if arguments.action == "list":
            _list(key_file(environment, arguments.keys), environment, is_json=arguments.json)
        else:
            _change(arguments, key_file(environment, arguments.keys))
    except SetupError as error:
        raise ConfigurationError(f"key {arguments.action}", str(error)) from error
    return 0


def _wrong_action(action: str) -> str:
    """Return what is wrong with an action, without repeating it: it may be a key."""
    if not action:
        return "needs an action: add NAME, list or remove NAME"
    return no_such(action, KEY_ACTIONS, "action")


def _change(arguments: argparse.Namespace, path: Path) -> None:
    from pettui.service.keys import add_key, remove_key, replace_key, restore_key

    name = arguments.name
    if arguments.action == "remove":
        remove_key(path, name)
        return
    expires = None if arguments.expires is None else _future(arguments.expires)
    if arguments.replace:
        key, former = replace_key(path, name, is_read_only=arguments.read_only, expires=expires)
        undo, undone = partial(restore_key, path, former), "the former one stays"
    else:
        key = add_key(path, name, is_read_only=arguments.read_only, expires=expires)
        undo, undone = partial(remove_key, path, name), "was removed again"
    try:
        write_all(f"{key}\n".encode())
    except OSError as error:
        undo()  # nobody has seen it
        reason = f"the key could not be shown, and {undone}: {error.strerror}"
        raise ConfigurationError("key add", reason) from None


def _future(text: str) -> date:
    """Read a day after today."""
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if day > datetime.now(UTC).date():
            return day
    reason = "must be a day in the future, written as 2027-01-31"
    raise ConfigurationError("--expires", reason, value=text)


def _list(path: Path, environment: Mapping[str, str], *, is_json: bool) -> None:
    from pettui.cli.table import write_rows
    from pettui.service.keys import list_keys, read_uses

    uses, today = read_uses(path), datetime.now(UTC).date()
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
        for entry in list_keys(path)
    ]
    if not rows:  # those of another user, or of another file, perhaps
        write_error_line(f"pettui: there is no key in {path}")
        return
    with suppress(ClosedPipeError):  # such as head, which has read enough
        write_rows(_FIELDS, rows, Characters.of(environment), as_json=is_json)
