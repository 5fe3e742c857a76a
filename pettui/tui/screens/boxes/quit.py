"""QuitScreen: shows what would be lost or left unsent, and asks whether to quit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.outbox import EntryState
from pettui.tui.keys.bindings import bindings
from pettui.tui.quitting import Reason, reasons_to_stay, unsent
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Run

ROWS = 6  # of one line of a reason, at most
UNDER_WAY = (EntryState.WAITING, EntryState.SENDING)


class ReasonLines(LineWidget):
    """The reasons not to quit, and the progress of sending."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self.reasons: Sequence[Reason] = ()
        self.progress = ""  # raw

    def show_reasons(self, reasons: Sequence[Reason], progress: str) -> None:
        """Show these."""
        if (self.reasons, self.progress) != (reasons, progress):
            self.reasons, self.progress = reasons, progress
            self.refresh(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, wrapped between words."""
        lines: list[Sequence[Run]] = []
        for reason in self.reasons:
            lines += self._wrapped(reason.title, width, "strong")
            for line in reason.lines:
                lines += self._wrapped(line, width, "")
        if self.progress:
            lines += self._wrapped(self.progress, width, "accent")
        return lines or [[("Everything has been sent.", "good")]]

    def _wrapped(self, text: str, width: int, style: str) -> list[Sequence[Run]]:
        return [[(row, style)] for row in self.glyphs.wrap(self.glyphs.line(text), width, ROWS)]


class QuitScreen(BoxScreen):
    """Stays open until one of its keys is pressed; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.QUIT_BOX)
    HINT = "{quit_now} Quit  {send_first} Send first  {stay} Stay"

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self._reasons = ReasonLines(session.glyphs)
        super().__init__(session.glyphs, "Quit?", [self._reasons])
        # Keys of the entries to wait for.
        self._awaited = {entry.key for entry in unsent(session.outbox)}
        self._sends_first = False  # the clerk asked for it

    def on_mount(self) -> None:
        """Show the reasons, or quit if none is left; Textual calls the base's handler too."""
        if reasons_to_stay(self._session):
            self._show()
        else:  # all was added since the key was pressed
            self.app.exit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is anything to send first."""
        if action == "send_first":
            return bool(unsent(self._session.outbox))
        return super().check_action(action, parameters)

    def on_entry_changed(self, message: EntryChanged) -> None:  # noqa: ARG002
        """Show what is left, or quit once all entries are added."""
        is_added = bool(self._awaited) and not self._left() and not self._failed()
        if is_added and not reasons_to_stay(self._session):
            self.app.exit()
            return
        self._show()

    def _left(self) -> int:
        entries = self._session.outbox.entries
        return sum(e.key in self._awaited and e.state in UNDER_WAY for e in entries)

    def _failed(self) -> list[str]:
        """Return the entries that were sent but not added; raw names."""
        done = (*UNDER_WAY, EntryState.ADDED)
        entries = [e for e in self._session.outbox.entries if e.key in self._awaited]
        return [f"{e.label} is {e.state.value}" for e in entries if e.state not in done]

    def _show(self) -> None:
        self._reasons.show_reasons(reasons_to_stay(self._session), self._progress())

    def _progress(self) -> str:
        failed = self._failed()
        problems = f"{', '.join(failed)}: see the outbox" if failed else ""
        left = self._left()
        total = len(self._awaited)
        sent = f"sent {total - left} of {total}, then pettui quits{self.glyphs.ellipsis}"
        return "; ".join(filter(None, [sent if left and self._sends_first else "", problems]))

    def action_quit_now(self) -> None:
        """Quit; unsent entries are kept as the box says."""
        self.app.exit()

    def action_send_first(self) -> None:
        """Send everything now, and quit once it is added."""
        waiting = unsent(self._session.outbox)
        self._awaited |= {entry.key for entry in waiting}
        self._sends_first = True
        self._session.outbox.hurry()
        self._show()

    def action_stay(self) -> None:
        """Go back; sending continues."""
        self.dismiss()
