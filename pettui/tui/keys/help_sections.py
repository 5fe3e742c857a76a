"""The sections of a screen's help: its keys, and those of its fields without the focus."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from textual.widgets import Input

from pettui.tui.keys.available_actions import offers
from pettui.tui.keys.key_clashes import bindings_of, rebound_bindings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.binding import Binding
    from textual.screen import Screen
    from textual.widget import Widget

Keys = list[tuple[str, str]]
"""The keys of an action, joined, and what they do."""
HelpSection = tuple[str, Keys]
"""Where the keys work ("" is the whole screen), and the keys."""

EDITING = (
    ("Move in the text", ("cursor_left", "cursor_right", "home", "end")),
    ("Delete", ("delete_left", "delete_right")),
    ("Delete to the start", ("delete_left_all",)),
)


def help_sections(screen: Screen[Any], rebound: Mapping[str, str]) -> list[HelpSection]:
    """Return what the keys of a screen do, then those of each field.

    Args:
        screen: mounted, with its fields.
        rebound: the configuration's keys, by binding id.
    """
    sections = [("", [(" ".join(offer.keys), offer.description) for offer in offers(screen)])]
    titles: dict[str, Keys] = {}
    for widget in screen.query("*"):
        title = getattr(widget, "HELP_TITLE", "")
        if title and title not in titles and widget.focusable:
            titles[title] = _keys_in(widget, rebound)
    return [*sections, *((title, keys) for title, keys in titles.items() if keys)]


def _keys_in(widget: Widget, rebound: Mapping[str, str]) -> Keys:
    if isinstance(widget, Input):
        return _editing(widget)
    if widget is widget.screen.focused:
        return []  # they are among those of the screen
    bindings = [
        each for one in bindings_of(type(widget)) for each in rebound_bindings(one, rebound)
    ]
    return [(" ".join(_shown(widget, same)), same[0].description) for same in _by_action(bindings)]


def _editing(widget: Widget) -> Keys:
    """Return Textual's own keys for editing the text of a field."""
    plain = [each for each in bindings_of(Input, named=False) if not _is_chord(each.key)]
    return [
        (" ".join(_shown(widget, [each for each in plain if each.action in actions])), what)
        for what, actions in EDITING
    ]


def _is_chord(key: str) -> bool:
    return "+" in key and key != "ctrl+u"


def _by_action(bindings: Iterable[Binding]) -> Iterable[list[Binding]]:
    grouped: defaultdict[str, list[Binding]] = defaultdict(list)
    for binding in bindings:
        grouped[binding.action].append(binding)
    return grouped.values()


def _shown(widget: Widget, bindings: Iterable[Binding]) -> dict[str, None]:
    return dict.fromkeys(widget.app.get_key_display(binding) for binding in bindings)
