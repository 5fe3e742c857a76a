"""KeyBar: the keys of a screen, as many as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from pettui.tui.keys.available_actions import Offer, offers
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.wording.text_runs import Run

KEPT = (
    "close_line",
    "enter_key",
    "take_back",
    "help",
    "quit",
    "close",
    "view_full_text",
)  # even with little room, the most important first


class KeyBar(LineWidget):
    """One row made from the screen's bindings; they can be clicked."""

    left_out: Sequence[str] = ()  # names of actions that are not worth their room now

    def on_mount(self) -> None:
        """Redraw when the bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def fitting(self, width: int) -> list[tuple[Offer, str, str]]:
        """Return what fits: the first key, then those in KEPT, then the others from the first on.

        The keys of an open prompt come before those of its screen.
        """
        around = (self.screen, self.app)
        shown = [
            offer
            for offer in offers(self.screen)
            if offer.binding.show and offer.binding.id not in self.left_out
        ]
        items = [
            (offer, f" {offer.keys[0]}", f" {offer.description} ")
            for offer in sorted(shown, key=lambda offer: offer.node in around)
        ]
        while items and sum(cell_len(key + word) for _, key, word in items) > width:
            del items[max(range(len(items)), key=lambda index: _rank(index, items[index][0]))]
        return items

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        return [
            [run for _, key, word in self.fitting(width) for run in ((key, "key"), (word, "muted"))]
        ]

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        right = 0
        for offer, key, word in self.fitting(self.size.width):
            right += cell_len(key + word)
            if event.x < right:
                await self.app.run_action(offer.binding.action, offer.node)
                return


def _rank(index: int, offer: Offer) -> tuple[int, int]:
    """Return how little it matters that a key is shown; the first is what a screen is there for."""
    if index == 0:
        return (0, 0)
    name = offer.binding.id
    return (1, KEPT.index(name)) if name in KEPT else (2, index)
