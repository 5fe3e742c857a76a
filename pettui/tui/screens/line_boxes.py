"""Boxes that list animals before they are added: those of a file, and those of a paste."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.events import Key

from pettui import actions
from pettui.outbox import OutboxError
from pettui.tui.keys import bindings, is_too_early, key_of
from pettui.tui.lists.entry_decisions import is_perhaps_added
from pettui.tui.screens.boxes import BoxScreen
from pettui.tui.widgets.pasted_lines import PastedLines
from pettui.tui.wording import pasted_question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.events import Paste

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Outbox
    from pettui.transfer.lines import GoodLine
    from pettui.tui.lists.categories import Categories

HAS_ERRORS = "nothing added: a line has an error"
NO_ERRORS = "no line has an error: there is nothing to leave out"
IS_EMPTY = "there is nothing to add"


class LineViewScreen(BoxScreen):
    """The animals of a file; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.LINE_BOX, close_lines="dismiss")
    HINT = "{close_lines} Close"

    def __init__(self, glyphs: GlyphSet, lines: Sequence[GoodLine], categories: Categories) -> None:
        super().__init__(glyphs, "To add", [PastedLines(glyphs, lines, categories)])


class PastedPetsScreen(BoxScreen):
    """The animals of a paste: Enter adds all of them or none; Esc goes back to the unchanged form.

    It asks once about all that may have been added already, and returns what it did, if anything.
    """

    HINT = "{add_pasted} Add all  {leave_out} Leave out  {leave_pasted} Back"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PASTE_BOX,
        add_pasted=("add_pasted", "explain_errors"),
        leave_out=("leave_out", "explain_no_errors"),
        leave_pasted="dismiss",
    )

    def __init__(self, outbox: Outbox, lines: PastedLines) -> None:
        super().__init__(lines.glyphs, "Several animals", [lines])
        self._outbox = outbox
        self._lines = lines
        self._asked_at: float | None = None  # monotonic seconds; None: nothing is asked

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether lines can be added, and whether there are bad ones to leave out."""
        if action == "add_anyway":
            return self._asked_at is not None
        if action in ("leave_out", "explain_no_errors"):
            return bool(self._lines.bad) == (action == "leave_out")
        if action in ("add_pasted", "explain_errors"):
            can_add = bool(self._lines.pets) and not self._lines.bad
            return can_add == (action == "add_pasted")
        return super().check_action(action, parameters)

    async def action_add_pasted(self) -> None:
        """Make each an entry of the outbox, or ask about those that may have been added."""
        entries = self._outbox.entries
        doubles = sum(
            is_perhaps_added(entries, each.name, each.category_id) for each in self._lines.pets
        )
        if not doubles:
            await self.action_add_anyway()
            return
        self._asked_at = monotonic() if self._asked_at is None else self._asked_at
        self.refresh_bindings()
        self.show_message(pasted_question(key_of(self, "add_anyway"), doubles))

    async def before_key(self, event: Key | Paste) -> bool:
        """Let no key answer that was typed before the question was asked."""
        if self._asked_at is None or not isinstance(event, Key):
            return True
        return not is_too_early(self, event, "add_anyway", self._asked_at)

    async def action_add_anyway(self) -> None:
        """Make each an entry of the outbox."""
        try:
            added = await self._outbox.add_all(self._lines.pets)
        except OutboxError as error:
            self._lines.show_refusal(f"nothing was added: {error}")
            self.box.scroll_home(animate=False)
            return
        self.dismiss(f"{len(added):,} added to the outbox")

    def action_explain_errors(self) -> None:
        """Show why nothing is added."""
        self.show_message(HAS_ERRORS if self._lines.bad else IS_EMPTY)

    def action_explain_no_errors(self) -> None:
        """Show why nothing is left out; what was asked is asked again by Enter."""
        self._asked_at = None
        self.refresh_bindings()
        self.show_message(NO_ERRORS)

    def action_leave_out(self) -> None:
        """Drop the bad lines."""
        self._asked_at = None
        self._lines.show_lines(self._lines.good)
        self.refresh_bindings()
        self.show_message("")
