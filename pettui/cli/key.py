"""``pettui key``: the API keys that ``pettui serve`` accepts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.cli.commands import KEY_ACTIONS
from pettui.cli.output import ClosedPipeError, write_all, write_output
from pettui.cli.serve import key_file
from pettui.configuration import ConfigurationError, no_such

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path


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
    try:
        _change(arguments.action, arguments.name, key_file(environment))
    except SetupError as error:
        raise ConfigurationError(f"key {arguments.action}", str(error)) from error
    return 0


def _wrong_action(action: str) -> str:
    """Return what is wrong with an action, without repeating it: it may be a key."""
    if not action:
        return "needs an action: add NAME, list or remove NAME"
    return no_such(action, KEY_ACTIONS, "action")


def _change(action: str, name: str, path: Path) -> None:
    from pettui.service.keys import add_key, list_keys, remove_key

    if action == "add":
        key = add_key(path, name)
        try:
            write_all(f"{key}\n".encode())
        except OSError as error:
            remove_key(path, name)  # nobody has seen it
            reason = f"the key could not be shown, and was removed again: {error.strerror}"
            raise ConfigurationError("key add", reason) from None
    elif action == "remove":
        remove_key(path, name)
    else:
        lines = (
            f"{entry.name}  {entry.digest.hex()[:8]}  {entry.created.isoformat()}\n"
            for entry in list_keys(path)
        )
        with suppress(ClosedPipeError):  # such as head, which has read enough
            write_output("".join(lines).encode())
