"""``pettui key``: the keys that ``pettui serve`` lets in."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from pettui.cli.serve_command import key_file
from pettui.configuration import ConfigurationError, no_such

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path


ACTIONS = ("add", "list", "remove")


def keys(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Add, list or remove keys, and give the exit code.

    Raises:
        ConfigurationError: the action, the name or the file of keys cannot be used.
    """
    from pettui.service import SetupError

    if arguments.action not in ACTIONS:
        raise ConfigurationError("key", _what_is_missing(arguments.action))
    named = arguments.name is not None
    if named is (arguments.action == "list"):
        rule = "takes no name" if named else "needs the name of a key"
        raise ConfigurationError(f"key {arguments.action}", rule)
    try:
        _change(arguments.action, arguments.name, key_file(environment))
    except SetupError as error:
        raise ConfigurationError(f"key {arguments.action}", str(error)) from error
    return 0


def _what_is_missing(action: str | None) -> str:
    """Say what is to be done; what was typed is not repeated, since it may be a key."""
    if action is None:
        return "say what to do: add NAME, list, or remove NAME"
    return no_such(action, ACTIONS, "action").replace("is no", "no such", 1)


def _change(action: str, name: str, path: Path) -> None:
    from pettui.service.key_file import add_key, list_keys, remove_key

    if action == "add":
        key = add_key(path, name)
        try:
            _say(f"{key}\n")
        except OSError as error:
            remove_key(path, name)  # nobody will ever know it
            reason = f"nobody could be shown the key, and it was taken back: {error.strerror}"
            raise ConfigurationError("key add", reason) from None
    elif action == "remove":
        remove_key(path, name)
    else:
        lines = (
            f"{entry.name}  {entry.digest.hex()[:8]}  {entry.created.isoformat()}\n"
            for entry in list_keys(path)
        )
        try:
            _say("".join(lines))
        except BrokenPipeError:  # as of head, which has what it wants
            return
        except OSError as error:
            reason = f"standard output takes nothing: {error.strerror}"
            raise ConfigurationError("key list", reason) from None


def _say(text: str) -> None:
    """Write to standard output, now.

    Raises:
        OSError: it did not take all of it.
    """
    if sys.stdout is None:  # was closed before the start
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        # What is left in the stream would be tried again at the end, with a traceback.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        raise
