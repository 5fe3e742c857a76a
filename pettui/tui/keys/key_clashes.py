"""Which keys more than one action of a screen wants, since the configuration moved one.

Textual tells of no clash with an action that keeps its keys, nor between a widget and its screen
(8.2.8), so they are looked for here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from textual.screen import Screen


def clashes(screen: Screen[Any], moved: Mapping[str, str]) -> list[str]:
    """Say which keys clash on a screen, and what each does.

    Args:
        screen: mounted, with its widgets.
        moved: keys by the names of their bindings, as the configuration has them.
    """
    if not moved:
        return []
    wanted: defaultdict[str, dict[str, Binding]] = defaultdict(dict)
    for binding in _bindings(screen):
        for one in moved_bindings(binding, moved):
            wanted[one.key].setdefault(one.id or "", one)
    return [
        _sentence(screen, key, sorted(by_id.values(), key=lambda each: each.id not in moved))
        for key, by_id in wanted.items()
        if len(by_id) > 1 and not moved.keys().isdisjoint(by_id)
    ]


def is_declared(screen: Screen[Any], key: str, moved: Mapping[str, str]) -> bool:
    """Whether a key does something on a screen, now or at another time."""
    ours = (one for binding in _bindings(screen) for one in moved_bindings(binding, moved))
    return any(one.key == key for one in ours)


def _bindings(screen: Screen[Any]) -> Iterator[Binding]:
    """Give every binding of ours that can be active: those with a name."""
    nodes: Iterable[type] = dict.fromkeys(
        type(node)
        for node in (screen, *screen.query("*"), screen.app)
        if node is screen or node is screen.app or node.can_focus
    )
    for node in nodes:
        yield from bindings_of(node)


def bindings_of(node: type, *, named: bool = True) -> Iterator[Binding]:
    """Yield the bindings of a class and its bases, one a key: those with a name, or all."""
    for base in node.__mro__:
        for binding in Binding.make_bindings(base.__dict__.get("BINDINGS", ())):
            if binding.id is not None or not named:
                yield binding


def moved_bindings(binding: Binding, moved: Mapping[str, str]) -> Iterator[Binding]:
    """Yield a binding as the configuration has it, one a key."""
    keys = moved.get(binding.id or "")
    if keys is None:
        yield binding
    else:
        yield from Binding.make_bindings(
            [Binding(keys, binding.action, binding.description, id=binding.id)]
        )


def _sentence(screen: Screen[Any], key: str, bindings: list[Binding]) -> str:
    names = " and ".join(binding.description for binding in bindings)
    active = screen.active_bindings.get(key)
    does = f"; it does {active.binding.description}" if active is not None else ""
    return f"{screen.app.get_key_display(bindings[0])}: {names} both want it{does}"
