"""Commands of one's own on keys: programs that are run with the animals of a screen.

They are words, and never a shell. A field of an animal is a whole argument and never a part of
one, so that no text of a stranger stands within a script.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.keyboard.actions import SCREENS
from pettui.keyboard.key_names import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pettui.keyboard.actions import Action
    from pettui.models.pets import Pet
    from pettui.settings.settings import OwnCommand

    CategoryName = Callable[[int], str]

FIELDS: Final[Mapping[str, Callable[[Pet, CategoryName], str]]] = MappingProxyType(
    {
        "{id}": lambda pet, _: str(pet.id),
        "{name}": lambda pet, _: pet.name,
        "{categoryId}": lambda pet, _: str(pet.category_id),
        "{category}": lambda pet, category_name: category_name(pet.category_id),
        "{status}": lambda pet, _: pet.status or "",
    }
)
"""What stands in the place of a word; "" where the animal has none."""
PLACES: Final = ("on the list", "on an animal")  # whose keys they may not have
WITHOUT_KEY: Final = "without_a_key_"  # begins what no terminal sends, for an action that gave way
LEFT_OUT: Final = "[commands] is left out: others may write its file or directory (chmod go-w)"
ASKED_FROM: Final = 11  # animals, that a command is run for once each
ARGUMENT_MAXIMUM: Final = 131_071  # bytes; the system takes no longer one (MAX_ARG_STRLEN)
_JOINING: Final = frozenset(
    (
        "ssh", "rsh", "mosh", "env", "xargs", "parallel", "watch", "script", "tmux", "screen",
        "sudo", "doas", "su", "runuser", "pkexec", "chroot", "nohup", "setsid", "timeout", "time",
        "nice", "ionice", "chrt", "taskset", "stdbuf", "flock", "strace", "systemd-run", "unshare",
        "eval", "exec",
    )
)  # fmt: skip
"""They join their words to a line for a shell, or run them."""
_READING: Final = (  # a script in their first words
    r"(ba|da|z|k|c|tc|tcl|fi|a|pw)?sh|busybox|(python|pypy|perl|ruby|php|lua)[0-9.]*|node(js)?"
    r"|[gmn]?awk|sed|expect|osascript|Rscript"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FOR_TERMINAL: Final = "has control characters, which would reach the terminal"


def taken_keys(configured: Mapping[str, str]) -> Mapping[str, Action]:
    """Return the actions by the keys that no command can have.

    What came later than commands of one's own gives way to them, unless the user gave it its key.

    Args:
        configured: keys, separated by commas, by the name of their action.
    """
    return {
        canonical(key): action
        for action in chain(*(group for place in PLACES for group in SCREENS[place]))
        if action.name in configured or not action.gives_way
        for key in configured.get(action.name, action.keys).split(",")
    }


def without_key(
    commands: Iterable[OwnCommand], configured: Mapping[str, str]
) -> Iterable[tuple[Action, OwnCommand]]:
    """Return the actions that gave way, each with the command that has its key."""
    by_key = {command.key: command for command in commands}
    for action in dict.fromkeys(chain(*(group for place in PLACES for group in SCREENS[place]))):
        if action.gives_way and action.name not in configured:
            yield from (
                (action, by_key[key])
                for key in map(canonical, action.keys.split(","))
                if key in by_key
            )


def keys_beside(commands: Iterable[OwnCommand], configured: Mapping[str, str]) -> Mapping[str, str]:
    """Return the keys of actions where these commands have theirs.

    An action without a key stays in the palette: it is bound to what no terminal sends.
    """
    keys = dict(configured)
    for action, command in without_key(commands, configured):
        own = keys.get(action.name, action.keys).split(",")
        left = [key for key in own if canonical(key) != command.key]
        keys[action.name] = ",".join(left) or f"{WITHOUT_KEY}{action.name}"
    return keys


class RefusedAnimalError(ValueError):
    """A text of an animal cannot be an argument; the message says why."""


def arguments_of(
    command: OwnCommand, pet: Pet | None, category_name: CategoryName
) -> Sequence[str]:
    """Return the words to run for an animal; for None they are as they were configured.

    Raises:
        RefusedAnimalError: one of the animal's texts cannot be an argument.
    """
    words: list[str] = []
    for word in command.run:
        if pet is not None and word in FIELDS:
            value = FIELDS[word](pet, category_name)
            if reason := _why_refused(command, value, is_behind_options="--" in words):
                raise RefusedAnimalError(f"its {word[1:-1]} {reason}")
            words.append(value)
        else:
            words.append(word)
    return words


def lines_of(command: OwnCommand, pets: Sequence[Pet]) -> bytes:
    """Return animals as JSON Lines, for standard input. Raises RefusedAnimalError."""
    lines = [pet.to_json() for pet in pets]
    if command.has_terminal and any(map(_CONTROL.search, lines)):
        raise RefusedAnimalError(f"an animal {_FOR_TERMINAL}")
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _why_refused(command: OwnCommand, value: str, *, is_behind_options: bool) -> str:
    """Return why a text cannot be an argument; "" where it can."""
    if value.startswith("-") and not is_behind_options:
        return 'begins with a hyphen, and no "--" stands before it'
    if "\0" in value:
        return "has a NUL, which no argument has"
    if command.has_terminal and _CONTROL.search(value):
        return _FOR_TERMINAL
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        return "is not UTF-8"
    return f"is too long, with {size:,} bytes" if size > ARGUMENT_MAXIMUM else ""


def why_not(run: Sequence[str], *, takes_lines: bool) -> str:
    """Return why these words cannot be a command; "" where they can."""
    for index, word in enumerate(run):
        if word not in FIELDS:
            if found := re.search("|".join(map(re.escape, FIELDS)), word):
                return f"{found[0]} is a part of an argument; a field is a whole one"
            if re.fullmatch(r"\{\s*[\w.:]*\s*\}", word):
                return f"{word} is no field; there are {', '.join(FIELDS)}"
            continue
        before = list(run[:index])
        if not before:
            return f"{word} cannot be the program"
        if takes_lines:
            return f'{word} is of one animal; with input = "jsonl" there are several'
        names = [PurePath(each).name for each in before]
        if joining := next((name for name in reversed(names) if name in _JOINING), ""):
            return f"{word} cannot be an argument of {joining}, which runs what it is given"
        if reader := _reader(before):
            return f"{word} would be the script of {reader}; it goes behind a script of yours"
    return ""


def _reader(before: Sequence[str]) -> str:
    """Return which program takes the next word as its script; "" if none does."""
    for index, name in enumerate(PurePath(word).name for word in before):
        if not re.fullmatch(_READING, name):
            continue
        plain = [word for word in before[index + 1 :] if word != "--"]
        is_script = not plain or plain[-1].startswith("-")
        if is_script and (plain or index == 0):  # "sh" alone, further on, may be any word
            return name
    return ""
