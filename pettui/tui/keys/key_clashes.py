"""Keys that two actions of a screen share, since the configuration rebound one of them.

Textual (8.2.8) reports no clash with an action that keeps its keys, nor one between a widget and
its screen, so they are found here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from textual.screen import Screen


def clashes(screen: Screen[Any], rebound: Mapping[str, str]) -> list[str]:
    """Return a sentence for each key that clashes on a screen.

    Args:
        screen: mounted, with its widgets.
        rebound: the configuration's keys, by binding id.
    """
    if not rebound:
        return []
    wanted: defaultdict[str, dict[str, Binding]] = defaultdict(dict)
    for binding in _bindings(screen):
        for one in rebound_bindings(binding, rebound):
            wanted[one.key].setdefault(one.id or "", one)
    return [
        _sentence(screen, key, sorted(by_id.values(), key=lambda each: each.id not in rebound))
        for key, by_id in wanted.items()
        if len(by_id) > 1 and not rebound.keys().isdisjoint(by_id)
    ]


def is_declared(screen: Screen[Any], key: str, rebound: Mapping[str, str]) -> bool:
    """Whether a key has an action on a screen, even if it is disabled at the moment."""
    ours = (one for binding in _bindings(screen) for one in rebound_bindings(binding, rebound))
    return any(one.key == key for one in ours)


def _bindings(screen: Screen[Any]) -> Iterator[Binding]:
    """Yield every binding of ours that can be active: those with an id."""
    nodes: Iterable[type] = dict.fromkeys(
        type(node)
        for node in (screen, *screen.query("*"), screen.app)
        if node is screen or node is screen.app or node.can_focus
    )
    for node in nodes:
        yield from bindings_of(node)


def bindings_of(node: type, *, named: bool = True) -> Iterator[Binding]:
    """Yield the bindings of a class and its bases, one for each key: those with an id, or all."""
    for base in node.__mro__:
        for binding in Binding.make_bindings(base.__dict__.get("BINDINGS", ())):
            if binding.id is not None or not named:
                yield binding


def rebound_bindings(binding: Binding, rebound: Mapping[str, str]) -> Iterator[Binding]:
    """Yield a binding with the keys that the configuration gives it, one for each key."""
    keys = rebound.get(binding.id or "")
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
    return f"{screen.app.get_key_display(bindings[0])}: {names} share this key{does}"
