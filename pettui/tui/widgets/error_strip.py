"""ErrorStrip: a failure, inline on the screen that asked, until it is over or put away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.tui.key_guide import with_keys
from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

LONG = 30  # characters of a message, from which on a small terminal may cut it
ROWS_MAXIMUM = 4  # of a message
ROWS_WHERE_SHORT = 1  # there the rows of the list are worth more


@dataclass(frozen=True, slots=True)
class Failure:
    """What a strip says. Its texts may come from outside; the strip makes them safe."""

    title: str  # "401 unauthorized"
    message: str
    hint: str = "{refresh} Ask again"  # what to press; keys by the names of their bindings
    beginning: str = ""  # of a body that is no Error body
    field: str | None = None  # of the form, that the message names
    is_unauthorized: bool = False  # another key would help

    @property
    def is_more_than_shown(self) -> bool:
        """Say whether there is something to look at that a strip may have no room for."""
        return bool(self.beginning) or len(self.message) > LONG

    @property
    def whole(self) -> str:
        """Give all that is known of it, to be looked at."""
        return "\n\n".join(filter(None, (self.message, self.beginning)))


class ErrorStrip(Drawn):
    """Sign and title on one row, the message and what to press below it."""

    failure: reactive[Failure | None] = reactive(None, layout=True)

    class Clicked(Message):
        """The strip was clicked: ask again."""

    def watch_failure(self) -> None:
        """Be there only when something failed."""
        self.display = self.failure is not None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give title, message and hint; the hint beside the last row where it fits."""
        if self.failure is None:
            return []
        sign = f" {self.look.error} "
        title = self.look.cut(self.look.line(self.failure.title, 200), width - len(sign) - 1)
        most = ROWS_WHERE_SHORT if self.screen.has_class("-short") else ROWS_MAXIMUM
        message = self.look.wrap(self.look.line(self.failure.message), width - 4, most)
        rows: list[list[Run]] = [[(sign, "error"), (title, "error-title")]]
        rows += [[("   ", ""), (row, "")] for row in message if row]
        self._add_hint(rows, with_keys(self.failure.hint, self.screen), width)
        return rows

    def _add_hint(self, rows: list[list[Run]], hint: str, width: int) -> None:
        used = sum(cell_len(text) for text, _ in rows[-1])
        room = width - used - cell_len(hint) - 1
        if not hint:
            return
        if room >= 2:
            rows[-1] += [(" " * room, ""), (hint, "key")]
        else:
            rows.append([("   ", ""), (hint, "key")])

    def on_click(self, event: events.Click) -> None:
        """Tell that it was clicked."""
        event.stop()
        self.post_message(self.Clicked())
