"""The question before the app ends, or another profile opens, while something would stay behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui.keyboard import actions
from pettui.outbox import EntryState
from pettui.tui.outbox.unfinished import on_the_way, reasons_not_to_switch, reasons_to_stay, unsent
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import StyledLines
from pettui.tui.session.wording import OUTBOX
from pettui.tui.widgets.bindings import bindings

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.settings.settings import Profile
    from pettui.tui.outbox.unfinished import Reason
    from pettui.tui.session.session import EntryChanged, UserSession
    from pettui.tui.widgets.runs import Run


UNDER_WAY = (EntryState.WAITING, EntryState.SENDING)


class LeavingScreen(BoxScreen):
    """A question before the app ends; other keys than its own do nothing."""

    THEN: ClassVar[str]  # what follows once everything is sent

    def __init__(self, session: UserSession, title: str) -> None:
        self._session = session
        self._lines = StyledLines(session.glyphs)
        super().__init__(session.glyphs, title, [self._lines])
        # Ids of the entries to wait for.
        self._awaited = {entry.entry_id for entry in unsent(session.outbox)}
        self._sends_first = False  # the clerk asked for it

    def on_mount(self) -> None:
        """Show the reasons, or leave if none is left; Textual calls the base's handler too."""
        if self._reasons():
            self._show()
        else:  # all was added since the key was pressed
            self.app.exit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is anything to send first."""
        if action == "send_first":
            return bool(unsent(self._session.outbox))
        return super().check_action(action, parameters)

    def on_entry_changed(self, message: EntryChanged) -> None:  # noqa: ARG002
        """Show what is left, or leave once all entries are added."""
        left, failed = self._awaiting()
        if self._awaited and not (left or failed or self._reasons()):
            self.app.exit()
            return
        self._show()

    def _reasons(self) -> list[Reason]:
        return [*reasons_to_stay(self._session)]

    def _awaiting(self) -> tuple[int, list[str]]:
        """Return how many are under way, and which were sent but not added."""
        awaited = [e for e in self._session.outbox.entries if e.entry_id in self._awaited]
        others = [e for e in awaited if e.state not in UNDER_WAY]
        failed = [e for e in others if e.state is not EntryState.ADDED]
        return len(awaited) - len(others), [f"{e.label} is {e.state.value}" for e in failed]

    def _show(self) -> None:
        """Show the reasons to stay, and the progress of sending."""
        texts: list[Run] = []
        for reason in self._reasons():
            texts += [(reason.title, "strong"), *((line, "") for line in reason.lines)]
        if progress := self._progress():
            texts.append((progress, "accent"))
        self._lines.texts = tuple(texts) or (("Everything has been sent.", "good"),)
        if not self._has_remark:
            self.show_remark("")  # the hints: perhaps there is nothing left to send first

    def _progress(self) -> str:
        left, failed = self._awaiting()
        problems = f"{', '.join(failed)}: see the {OUTBOX}" if failed else ""
        total = len(self._awaited)
        sent = f"sent {total - left} of {total}, then {self.THEN}{self.glyphs.ellipsis}"
        return "; ".join(filter(None, [sent if left and self._sends_first else "", problems]))

    def show_unbound(self, key: str) -> None:
        """Show nothing: no other key means anything in a question."""

    def action_leave(self) -> None:
        """End the app; unsent entries are kept as the box says."""
        self.app.exit()

    def action_send_first(self) -> None:
        """Send everything now, and end the app once it is added."""
        waiting = unsent(self._session.outbox)
        self._awaited |= {entry.entry_id for entry in waiting}
        self._sends_first = True
        self._session.outbox.hurry()
        self._show()

    def action_stay(self) -> None:
        """Go back; sending continues."""
        self._session.next_profile = None
        self.dismiss()


class QuitScreen(LeavingScreen):
    """The question before the app quits."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.QUIT_BOX, quit_now="leave")
    HINT = "{quit_now} Quit  {send_first} Send first  {stay} Stay"
    THEN = "pettui quits"

    def __init__(self, session: UserSession) -> None:
        super().__init__(session, "Quit?")


class SwitchScreen(LeavingScreen):
    """The question before another profile is opened, about what is half typed too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.SWITCH_BOX, switch_now="leave")
    HINT = "{switch_now} Switch  {send_first} Send first  {stay} Stay"
    THEN = "it is opened"

    def __init__(self, session: UserSession, profile: Profile) -> None:
        super().__init__(session, f"Switch to {profile.label}?")
        self._awaited |= {entry.entry_id for entry in on_the_way(session.outbox)}

    def _reasons(self) -> list[Reason]:
        return [*reasons_not_to_switch(self._session)]
