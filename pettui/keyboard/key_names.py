"""Keys as the configuration names them: which of them a terminal sends, and which are text.

The names are Textual's; modifiers come in the order of the alphabet, as terminals' keys have them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import name

from pettui.keyboard import actions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CURSOR_KEYS: Final = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete")
)
FUNCTION_KEYS: Final = frozenset(f"f{number}" for number in range(1, 25))
_RENAMED: Final = MappingProxyType(
    {
        "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at",
        "hyphen_minus": "minus", "plus_sign": "plus", "low_line": "underscore",
    }
)  # fmt: skip


def _name_of(character: str) -> str:
    """Return the name of a key that types a character."""
    plain = name(character).lower().replace(" ", "_").replace("-", "_")
    return _RENAMED.get(plain, plain)


SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {_name_of(sign): sign for sign in map(chr, range(0x21, 0x7F)) if not sign.isalnum()}
)
"""The characters of ASCII that are neither letters nor digits, by the names of their keys."""
NAMES: Final = frozenset(
    (*CURSOR_KEYS, *FUNCTION_KEYS, *SIGNS, "tab", "enter", "escape", "backspace", "space")
)
"""The keys that have a name; all others are single characters."""
_WITH_CTRL: Final = frozenset(
    (
        *"@abcdefgklnopqrstuvwxyz",
        *("backslash", "right_square_bracket", "circumflex_accent", "underscore"),
    )
)
"""The others arrive as backspace, tab, enter and escape."""
_WITH_ALT: Final = ("b", "d", "f")  # readline's words in a field; elsewhere a chord
EDITING: Final = frozenset(
    (
        "left", "right", "home", "end", "backspace", "delete", "shift+left", "shift+right",
        "shift+home", "shift+end", "ctrl+left", "ctrl+right", "ctrl+shift+left",
        "ctrl+shift+right", "ctrl+a", "ctrl+c", "ctrl+d", "ctrl+e", "ctrl+k", "ctrl+u", "ctrl+v",
        "ctrl+w", "ctrl+x", "ctrl+y", "alt+b", "alt+d", "alt+f",
    )
)  # fmt: skip
"""The keys with which a field's text is edited: the field gets them, unless a key comes first."""
_KEY: Final = re.compile(r"((?:(?:ctrl|alt|shift|super)\+)*)(.[^+]*)", re.IGNORECASE | re.DOTALL)


class UnknownKeyError(ValueError):
    """A key has a name that there is not."""

    def __init__(self, key: str) -> None:
        super().__init__("there is no such key")
        self.key = key  # without its modifiers


def key_named(text: str) -> str:
    """Return the key that a user wrote, by the name under which it arrives from a terminal.

    Raises:
        UnknownKeyError: there is none of that name.
        ValueError: no terminal sends it, or as another one.
    """
    found = _KEY.fullmatch(text)
    if found is None:
        raise UnknownKeyError(text)
    modifiers = sorted(set(found[1].lower().split("+")) - {""})
    key = found[2] if len(found[2]) == 1 else found[2].lower()
    if not (key in NAMES or (len(key) == 1 and key.isprintable() and not key.isspace())):
        raise UnknownKeyError(found[2])
    return _chord(modifiers, key) if modifiers else key


def _chord(modifiers: Sequence[str], key: str) -> str:
    """Return a key with modifiers, if terminals send it."""
    key = _name_of(key) if key in SIGNS.values() else key
    chord = "+".join((*modifiers, key))
    if key in CURSOR_KEYS or key in FUNCTION_KEYS or chord == "shift+tab":
        return chord
    if modifiers == ["alt"] and key in _WITH_ALT:
        return chord
    with_ctrl = {"space": "@", "at": "@"}.get(key, key.lower() if len(key) == 1 else key)
    if modifiers == ["ctrl"] and with_ctrl in _WITH_CTRL:
        return f"ctrl+{with_ctrl}"
    raise ValueError("no terminal sends it as a key of its own")


def is_text(key: str) -> bool:
    """Whether a key types a character into a field."""
    return len(key) == 1 or key in SIGNS or key == "space"


_PROMPTS: Final = (
    actions.KEY_PROMPT, actions.PROMPT_LINE, actions.EXPORT_LINE, actions.FIND_LINE,
    actions.PALETTE,
)  # fmt: skip


def check_use(action: str, keys: Iterable[str]) -> None:
    """Check that keys can run an action where it is declared.

    Raises:
        ValueError: a field would get them; the message says so.
    """
    groups = [group for group in actions.GROUPS if any(each.name == action for each in group)]
    declared = [each for group in groups for each in group if each.name == action]
    comes_first = all(each.takes_key_first for each in declared)
    taken = [key for key in keys if is_text(key) or (key in EDITING and not comes_first)]
    if not taken:
        return
    usual = declared[0].keys.partition(",")[0]
    if all(group in _PROMPTS for group in groups):
        raise ValueError(f"{taken[0]} is for the text that is typed there; {usual} is not")
    if all(group is actions.PET_CREATE for group in groups) and taken == [*keys]:
        raise ValueError(f"{taken[0]} is for the text of the form's fields; {usual} is not")


def keys_in_form(configured: Mapping[str, str]) -> Mapping[str, str]:
    """Return the configured keys as they work in the form, whose fields get those that are text.

    Where an action would have no other there, its usual keys stay.
    """
    usual = {
        each.name: each.keys.split(",") for each in (*actions.EVERY_SCREEN, *actions.PET_CREATE)
    }
    usable = {
        action: [key for key in usual[action] if not is_text(key)]
        for action, keys in configured.items()
        if action in usual and all(map(is_text, keys.split(",")))
    }
    return {name: ",".join((keys, *usable.get(name, ()))) for name, keys in configured.items()}


class SharedKey(NamedTuple):
    """A key that a user gave to two actions of one place."""

    key: str
    place: str  # one of ``actions.SCREENS``
    names: tuple[str, ...]  # of the actions, in the order of their declarations

    @property
    def sentence(self) -> str:
        """What is wrong."""
        shared = " and ".join(sorted(self.names))
        return f"[keys]: {shared} share the key {self.key} {self.place}"


def shared_keys(configured: Mapping[str, str]) -> Iterator[SharedKey]:
    """Yield what a user gave to two actions; those that share it in several places once.

    Args:
        configured: keys, separated by commas, by the name of their action.
    """
    known: set[tuple[str, frozenset[str]]] = set()
    for place, groups in actions.SCREENS.items() if configured else ():
        usual: defaultdict[str, set[str]] = defaultdict(set)
        names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for action in chain(*groups):
            for key in action.keys.split(","):
                usual[key].add(action.name)
            for key in configured.get(action.name, action.keys).split(","):
                names[canonical(key)][action.name] = None
        for key, sharing in names.items():
            is_usual = sharing.keys() <= usual[key]  # some share it as they are
            if len(sharing) > 1 and not is_usual and (key, frozenset(sharing)) not in known:
                known.add((key, frozenset(sharing)))
                yield SharedKey(key, place, tuple(sharing))


def canonical(key: str) -> str:
    """Return a key as it arrives: a sign by its name."""
    key = key.strip()
    return _name_of(key) if key in SIGNS.values() else key
