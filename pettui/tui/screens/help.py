"""HelpScreen: the keys of the screen below, made from its bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.tui.look import Look

Keys = list[tuple[str, str]]
"""The keys of an action, joined, and what they do."""


class KeyTable(Drawn):
    """Two columns: keys, and what they do."""

    def __init__(self, look: Look, keys: Keys) -> None:
        super().__init__(look)
        self._keys = keys

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give a line an action."""
        column = min(max(cell_len(key) for key, _ in self._keys) + 2, width // 2)
        return [[(self.look.fit(key, column), "key"), (what, "")] for key, what in self._keys]


class HelpScreen(BoxScreen):
    """The box; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,question_mark,q,enter", "dismiss", "Close", id="close_help")
    ]
    HINT = "{close_help} Close"

    def __init__(self, look: Look, keys: Keys) -> None:
        super().__init__(look, "Keys", [KeyTable(look, keys)])
