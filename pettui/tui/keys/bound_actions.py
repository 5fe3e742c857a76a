"""What a key is bound to, of all that the focused widget and its screen have."""

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
    """Return the bindings of a key, and whose each is, in the order in which they are tried.

    It looks for one key what Textual copies for all of them, twice a key.

    Args:
        key: as Textual calls it.
        chain: the focused widget, then its ancestors up to the app, each with its bindings.
        priority: return those alone that come before what a widget does with the key, or the
            others; what a widget types counts before the bindings around it.
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
