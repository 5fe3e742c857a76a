"""Textual's bindings, made from the declarations of ``pettui.actions``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

    from pettui.actions import Action


APP_ACTIONS = ("commands", "help", "quit")  # the app's, on every screen


def bindings(declared: Iterable[Action], **methods: str | tuple[str, ...]) -> list[BindingType]:
    """Return the bindings of a screen or widget, in the order of its declarations.

    Args:
        declared: its actions.
        methods: Textual's action, such as ``filter('sold')``, by declared name, where the two
            differ. Of several, each is tried if the one before is disabled. Only the first is
            shown to the user: the others explain why the key does nothing.

    Raises:
        ValueError: a method is for no declared action.
    """
    made: list[BindingType] = []
    for each in declared:
        own = f"app.{each.name}" if each.name in APP_ACTIONS else each.name
        named = methods.pop(each.name, own)
        first, *others = (named,) if isinstance(named, str) else named
        made.append(
            Binding(
                each.keys,
                first,
                each.label,
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
    """Return comma-separated keys by Textual's names: ``question_mark`` for ``?``."""
    return ",".join(binding.key for binding in Binding.make_bindings([(keys, "")]))
