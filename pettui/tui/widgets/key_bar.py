"""KeyBar: the keys of the screen it stands on, as many as fit whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import Binding


def place_of(binding_id: str | None, order: Sequence[str | None]) -> int:
    """Give a binding's place in the screen's own list; those of elsewhere come first."""
    return order.index(binding_id) if binding_id in order else -1


class KeyBar(Drawn):
    """One row made from the screen's bindings; a click on one presses it."""

    def on_mount(self) -> None:
        """Draw again when the bindings are others."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def shown(self) -> list[tuple[Binding, str]]:
        """Give the bindings to show, each once, with the key as the terminal can draw it."""
        actions: dict[str, tuple[Binding, str]] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.show and active.enabled and binding.action not in actions:
                actions[binding.action] = (binding, self.key_text(binding))
        order = [getattr(binding, "id", None) for binding in type(self.screen).BINDINGS]
        return sorted(actions.values(), key=lambda item: place_of(item[0].id, order))

    def key_text(self, binding: Binding) -> str:
        """Give the key of a binding in as few cells as people know it by."""
        return binding.key_display or self.app.get_key_display(binding)

    def fitting(self, width: int) -> list[tuple[Binding, str, str]]:
        """Give what fits: the ends of the list, help and quit, before its middle."""
        items = [(b, f" {key}", f" {b.description} ") for b, key in self.shown()]
        while items and sum(cell_len(key + word) for _, key, word in items) > width:
            del items[-3 if len(items) > 2 else -1]
        return items

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the one row."""
        return [
            [run for _, key, word in self.fitting(width) for run in ((key, "key"), (word, "muted"))]
        ]

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        right = 0
        for binding, key, word in self.fitting(self.size.width):
            right += cell_len(key + word)
            if event.x < right:
                await self.app.run_action(binding.action, self.screen)
                return
