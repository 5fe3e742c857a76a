"""The actions that a screen offers now, from its bindings: for key bar, hints and palette."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pettui.actions import NAMES

if TYPE_CHECKING:
    from textual.binding import ActiveBinding, Binding
    from textual.dom import DOMNode
    from textual.screen import Screen


class NamesActions:
    """A widget whose keys do something else than their declared words say, or say it better."""

    def words_for(self, binding_id: str) -> str:
        """Return what a key does now, in a word or two; "" for the declared words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that is available now, and its keys."""

    binding: Binding  # of its first key
    node: DOMNode  # whose action it is
    keys: tuple[str, ...]  # as they are shown

    @property
    def description(self) -> str:
        """What the action does, in a word or two."""
        node, name = self.node, self.binding.id
        own = node.words_for(name) if isinstance(node, NamesActions) and name else ""
        return own or self.binding.description


def offers(screen: Screen[Any]) -> list[Offer]:
    """Return the available actions in the order of their declarations, the screen's own first.

    Bindings of ours have an id, by which they can be rebound. Textual's own only add keys to an
    action of ours, as Tab does to "Next field"; its others are left out.
    """
    active = [each for each in screen.active_bindings.values() if each.enabled]
    ours = [each for each in active if each.binding.id is not None and each.binding.description]
    found: dict[str, Offer] = {}
    for each in (*ours, *(other for other in active if other.binding.id is None)):
        binding = each.binding
        key = screen.app.get_key_display(binding)
        known = found.get(binding.action)
        if known is not None and key not in known.keys:
            found[binding.action] = Offer(known.binding, known.node, (*known.keys, key))
        elif known is None and binding.id is not None:
            found[binding.action] = Offer(binding, each.node, (key,))
    order = [getattr(binding, "id", None) for binding in type(screen).BINDINGS]

    def index_of(offer: Offer) -> int:
        name = offer.binding.id or ""
        return order.index(name) if name in order else len(order) + NAMES.index(name)

    return sorted(found.values(), key=index_of)


def key_of(screen: Screen[Any], binding_id: str) -> str:
    """Return the key that runs an action on a screen now; "" where none does."""
    return Hints(screen).key_of(binding_id)


def hints(text: str, screen: Screen[Any]) -> list[str]:
    """Return the hints of a text that work at this moment (see ``Hints.of``)."""
    return Hints(screen).of(text)


class Hints:
    """The hints that work at one moment. Not to be kept.

    Textual asks each action of a screen whether it is available, which is a large part of what an
    update costs: this does it once, and only if a hint names a key.
    """

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen

    def of(self, text: str) -> list[str]:
        """Return the hints of a text that work.

        Keys are named by their actions: ``{refresh} Retry  {enter_key} Change API key``. A hint
        whose key does nothing now, e.g. since a field takes it, is left out.
        """
        found = []
        for hint in filter(None, text.split("  ")):
            keys = {name: self.key_of(name) for name in re.findall(r"\{(\w+)\}", hint)}
            if all(keys.values()):
                for name, key in keys.items():
                    hint = hint.replace(f"{{{name}}}", key)  # noqa: PLW2901
                found.append(hint)
        return found

    def key_of(self, binding_id: str) -> str:
        """Return the key that runs an action; "" where none does.

        It is the first, or a function key, which works in fields too. A binding without a
        description only explains why its key does nothing.
        """
        keys = [
            self._screen.app.get_key_display(active.binding)
            for active in self._active
            if active.binding.id == binding_id and active.enabled and active.binding.description
        ]
        first = keys[0] if keys else ""
        functions = (key for key in keys if re.fullmatch(r"F\d+", key))
        return next(functions, first) if len(first) == 1 else first

    @cached_property
    def _active(self) -> tuple[ActiveBinding, ...]:
        return tuple(self._screen.active_bindings.values())
