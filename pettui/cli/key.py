"""``pettui key``: the API keys that ``pettui serve`` accepts."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from pettui.cli.commands import KEY_ACTIONS
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
    from pettui.service.key_file import add_key, list_keys, remove_key

    if action == "add":
        key = add_key(path, name)
        try:
            _write(f"{key}\n")
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
        try:
            _write("".join(lines))
        except BrokenPipeError:  # such as head, which has read enough
            return
        except OSError as error:
            reason = f"cannot write to standard output: {error.strerror}"
            raise ConfigurationError("key list", reason) from None


def _write(text: str) -> None:
    """Write to standard output, and flush it.

    Raises:
        OSError: not all of it could be written.
    """
    if sys.stdout is None:  # closed before the start
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        # Otherwise Python would try to write the rest at exit, and print a traceback.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        raise
