"""The keys of the configuration file: those of actions, and programs on keys of their own."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.configuration.errors import no_such
from pettui.keyboard import actions
from pettui.keyboard.key_names import NAMES, UnknownKeyError, canonical, check_use, key_named
from pettui.keyboard.own_commands import taken_keys, why_not
from pettui.settings.settings import COMMAND_SETTINGS, COMMAND_TIMEOUT, OwnCommand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.configuration.tables import Table

_KEY: Final = r"(?i:(ctrl|alt|shift|super)\+)*([A-Za-z0-9_]+|[^\s,])"
_TEXTUAL: Final = ("ctrl+c", "ctrl+p", "ctrl+q", "tab", "shift+tab")  # its own, on every screen
_WORDS: Final = 'must be a list of words, the program first: ["label-printer", "--", "{name}"]'


def keys_of_actions(table: Table) -> Mapping[str, str]:
    """Return the keys that the user gave to actions; which of them are shared is for the app."""
    table.allow(actions.NAMES, "action")
    return MappingProxyType({action: _keys_of(action, table) for action in table.values})


def _keys_of(action: str, table: Table) -> str:
    words = table.value(action).replace(" ", "").split(",")
    if not all(re.fullmatch(_KEY, word) for word in words):
        raise table.error(action, "must be a key like f5, or several: r,f5,ctrl+r")
    keys = [_key_of(word, action, table) for word in words]
    try:
        check_use(action, keys)
    except ValueError as error:
        raise table.error(action, str(error)) from None
    return ",".join(keys)


def _key_of(word: str, name: str, table: Table) -> str:
    """Return a key by the name under which it arrives; the name is where it was written."""
    try:
        return key_named(word)
    except UnknownKeyError as error:
        raise table.error(name, no_such(error.key, NAMES, "key")) from None
    except ValueError as error:
        raise table.error(name, f"{word} is no key: {error}") from None


def own_commands(table: Table, keys: Mapping[str, str]) -> tuple[OwnCommand, ...]:
    """Return the programs on keys, once all of them are checked.

    Args:
        table: of the file.
        keys: that the file gives to actions.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    taken = {key: action.label for key, action in taken_keys(keys).items()}
    taken |= dict.fromkeys(_TEXTUAL, "Textual")
    commands: list[OwnCommand] = []
    for name in table.values:
        if not re.fullmatch(_KEY, name):
            raise table.error(name, "must be a key like b or f9")
        key = canonical(_key_of(name, name, table))
        if key in taken:
            raise table.error(name, f"the key is not free: {taken[key]}")
        command = _command(key, table.table(name))
        taken[key] = command.title
        commands.append(command)
    return tuple(commands)


def _command(key: str, table: Table) -> OwnCommand:
    table.allow(("run", *COMMAND_SETTINGS))
    title, kind, has_terminal, timeout = (
        table.value(name, setting) for name, setting in COMMAND_SETTINGS.items()
    )
    if title is None:
        raise table.error("title", "is missing; name what the program does")
    run = table.values.get("run")
    if not (isinstance(run, list) and run and all(isinstance(word, str) for word in run)):
        raise table.error("run", _WORDS)
    if not run[0] or any("\0" in word for word in run):
        raise table.error("run", "has no program, or a NUL")
    if reason := why_not(run, takes_lines=kind is not None):
        raise table.error("run", reason)
    return OwnCommand(
        key,
        title,
        tuple(run),
        takes_lines=kind is not None,
        has_terminal=bool(has_terminal),
        timeout=float(timeout or COMMAND_TIMEOUT),
    )
