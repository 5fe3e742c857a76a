"""The actions that a key is bound to, in the focused widget, its screen and the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.keys import key_to_character

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import Binding, BindingsMap
    from textual.dom import DOMNode


def bound_actions(
    key: str, chain: Iterable[tuple[DOMNode, BindingsMap]], *, priority: bool
) -> list[tuple[DOMNode, Binding]]:
    """Return the bindings of a key, each with its owner, in the order in which they are tried.

    It looks up one key; Textual copies the bindings of all keys, twice for each key.

    Args:
        key: by Textual's name.
        chain: the focused widget, then its ancestors up to the app, each with its bindings.
        priority: return only the bindings that come before the focused widget's own handling of
            the key, or only the others. A key that the widget types hides the bindings around it.
    """
    character = key_to_character(key)
    found: list[list[tuple[DOMNode, Binding]]] = []
    for node, bindings in chain:
        of_node = bindings.key_to_bindings.get(key, ())
        found.append([(node, each) for each in of_node if each.priority == priority])
        is_last = node.is_modal and not priority
        if is_last or node.check_consume_key(key, character):
            break
    return [each for of_node in (reversed(found) if priority else found) for each in of_node]
