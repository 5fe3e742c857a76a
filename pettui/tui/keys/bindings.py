"""Textual's bindings, made from the declarations of ``pettui.actions``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

    from pettui.actions import Action


OF_THE_APP = ("commands", "help", "quit")  # what it does on every screen


def bindings(declared: Iterable[Action], **methods: str | tuple[str, ...]) -> list[BindingType]:
    """Return the bindings of a screen or widget, in the order of its declarations.

    Args:
        declared: its actions.
        methods: Textual's action, as ``filter('sold')``, of those that have another name there.
            Of several each is tried where the one before is not possible. Only the first is named
            to the user: the others say why the key does nothing.

    Raises:
        ValueError: a method is of no declared action.
    """
    made: list[BindingType] = []
    for each in declared:
        own = f"app.{each.name}" if each.name in OF_THE_APP else each.name
        named = methods.pop(each.name, own)
        first, *others = (named,) if isinstance(named, str) else named
        made.append(
            Binding(
                each.keys,
                first,
                each.words,
                show=each.is_in_key_bar,
                priority=each.takes_key_first,
                id=each.name,
            )
        )
        made += [Binding(each.keys, other, show=False, id=each.name) for other in others]
    if methods:
        raise ValueError(f"no such action: {', '.join(methods)}")
    return made


def normal_keys(keys: str) -> str:
    """Return keys, separated by commas, as Textual calls them: ``question_mark`` for ``?``."""
    return ",".join(binding.key for binding in Binding.make_bindings([(keys, "")]))
