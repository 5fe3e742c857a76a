"""The question before the app ends, or another profile opens, while something would stay behind."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pettui.keyboard import actions
from pettui.outbox.entries import EntryState
from pettui.text.amounts import counted
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import StyledLines
from pettui.tui.session.wording import OUTBOX
from pettui.tui.widgets.bindings import bindings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.outbox.entries import Draft, Entry
    from pettui.outbox.outbox import Outbox
    from pettui.tui.session.session import UserSession

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.settings.settings import Profile
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


NAMES_SHOWN: Final = 3


class Reason(NamedTuple):
    """A reason not to leave yet: a title, and raw lines that say what leaving would mean."""

    title: str
    lines: tuple[str, ...]


def reasons_to_stay(session: UserSession) -> Iterator[Reason]:
    """Yield what a clerk has to know before quitting, the most urgent first."""
    outbox, running = session.outbox, session.running_command
    if unkept := outbox.drafts.unkept:
        title = "A draft" if len(unkept) == 1 else f"{len(unkept)} drafts"
        loses = f"Quitting loses {_them(unkept)}: {_names(unkept)}"
        why = str(outbox.drafts.failure or "the disk does not respond")
        yield Reason(f"{title} could not be saved", (loses, why))
    if running:
        yield Reason(f"{running} is running", ("It is ended with pettui.",))
    if entries := unsent(outbox):
        cause = [f"Waiting: {outbox.sending.waiting_for}"] if outbox.sending.waiting_for else []
        sent = f"{_they(entries)} {_when(session, entries)} on {session.settings.profile.label}."
        lost = f"Quitting loses {_them(entries)}: nothing is saved here."
        lines = (_names(entries), sent if outbox.is_persistent else lost, *cause)
        yield Reason(f"{counted(len(entries))} not {_done(entries)} yet", lines)


def reasons_not_to_switch(session: UserSession) -> Iterator[Reason]:
    """Yield what a clerk has to know before another profile is opened in place of this one.

    Quitting does not ask about all of it, since the next start has it. Drafts stay where they are.
    """
    yield from reasons_to_stay(session)
    label = session.settings.profile.label
    if entries := on_the_way(session.outbox):
        rest = f"Without a response it stays in {label} as unknown."
        if all(entry.store_id is not None for entry in entries):
            rest = f"Without a response it is sent again at the next start on {label}."
        yield Reason(f"{counted(len(entries))} on the way", (_names(entries), rest))


def on_the_way(outbox: Outbox) -> list[Entry]:
    """Return the entries of this instance that are being sent."""
    sending = (entry for entry in outbox.entries if entry.state is EntryState.SENDING)
    return [entry for entry in sending if not entry.owned_elsewhere]


def unsent(outbox: Outbox) -> list[Entry]:
    """Return the entries of this instance that are still waiting, or are sent again.

    One that is being sent for the first time gets a moment at the end, and does not count.
    """
    own = (entry for entry in outbox.entries if not entry.owned_elsewhere)
    return [entry for entry in own if entry.waits_here or entry.is_sent_again]


def farewell(session: UserSession) -> str:
    """Return one raw line on what a closed outbox holds, or could not save; "" for nothing."""
    texts = (_unsaved_drafts(session.outbox), _unsent_entries(session), *open_import_texts(session))
    return "; ".join(filter(None, texts))


def open_import_texts(session: UserSession) -> list[str]:
    """Return a raw line on each import that was left with open lines, the newest first."""
    return [
        f"the import of {PurePath(each.path).name} has {counted(each.lines, 'open line')}"
        for each in session.open_imports.all
    ]


def _unsaved_drafts(outbox: Outbox) -> str:
    """Return the drafts that could not be saved, for the user to type again."""
    unkept = [*map(_typed_text, outbox.drafts.unkept)]
    if len(unkept) < 2:
        return "".join(f"a draft could not be saved: {typed}" for typed in unkept)
    return f"{len(unkept)} drafts could not be saved: {'; '.join(unkept)}"


def _typed_text(draft: Draft) -> str:
    category = f"category {draft.category}" if draft.category else ""
    return ", ".join(filter(None, (draft.name, category, draft.status, draft.lines)))


def _unsent_entries(session: UserSession) -> str:
    outbox = session.outbox
    entries = unsent(outbox)
    if not entries or not outbox.is_persistent:
        return ""
    others = [
        f"{count} {state.value}"
        for state in (EntryState.UNKNOWN, EntryState.REFUSED)
        if (count := sum(entry.state is state for entry in outbox.entries))
    ]
    rest = f"; also in the {OUTBOX}: {', '.join(others)}" if others else ""
    what = f"{counted(len(entries))} not {_done(entries)} yet"
    return f"{what}; {_they(entries).lower()} {_when(session, entries)}{rest}"


def _when(session: UserSession, entries: list[Entry]) -> str:
    """Return when entries are sent; what was typed with a key of the user's own waits for it."""
    if any(entry.own_key is not None for entry in entries):
        is_known = any(entry.own_key for entry in entries)  # of a refused one it is any
        key = "your API key again" if is_known else "an API key that the service accepts"
        return f"once you type {key}"
    return "by the server" if session.is_sent_by_server else "at the next start"


def _done(entries: list[Entry]) -> str:
    return "answered" if all(entry.is_sent_again for entry in entries) else "sent"


def _they(entries: list[Entry]) -> str:
    again = " again" if all(entry.is_sent_again for entry in entries) else ""
    return f"It will be sent{again}" if len(entries) == 1 else f"They will be sent{again}"


def _them(several: Sequence[Entry | Draft]) -> str:
    return "it" if len(several) == 1 else "them"


def _names(entries: Sequence[Entry | Draft]) -> str:
    names = [entry.name or "(no name)" for entry in entries]
    more = len(names) - NAMES_SHOWN
    shown = ", ".join(names[:NAMES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
