"""OutboxEvents: what changes in the outbox, for the session and for every screen."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from pettui.outbox import EntryState
from pettui.tui.messages import EntryChanged, OutboxChanged
from pettui.tui.wording.entry_texts import pet_of

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from pettui.outbox import Entry
    from pettui.tui.user_session import UserSession


COUNTED_EVERY: Final = 1.0  # seconds


class OutboxEvents:
    """Keeps in the session what was added, and notifies an app's screens."""

    def __init__(self, app: App[Any], session: UserSession) -> None:
        self._app = app
        self._session = session
        self._counting: Timer | None = None  # while adds wait though the service responds
        self._subscriptions = ExitStack()
        self._subscriptions.callback(session.outbox.subscribe(self._entry_changed))
        self._subscriptions.callback(session.outbox.subscribe_to_status(self._status_changed))

    def close(self) -> None:
        """Stop notifying."""
        self._subscriptions.close()

    def _entry_changed(self, entry: Entry) -> None:
        session = self._session
        if entry.state is EntryState.ADDED and entry in session.outbox.entries:
            session.added_keys.add(entry.key)
        if entry.state is EntryState.ADDED and entry.key in session.outbox.added_here:
            session.receipt.add(entry.key, pet_of(entry))
        session.heed_key_error()
        self._count_down()
        for screen in self._app.screen_stack:
            screen.post_message(EntryChanged(entry))

    def _status_changed(self) -> None:
        self._session.heed_key_error()
        for screen in self._app.screen_stack:
            screen.post_message(OutboxChanged())

    def _count_down(self) -> None:
        """Update the screen each second while it says how long adds wait."""
        is_counting = self._session.outbox.sending.adds_wait > 0
        if is_counting and self._counting is None:
            self._counting = self._app.set_interval(COUNTED_EVERY, self._counted)
        elif not is_counting and self._counting is not None:
            self._counting.stop()
            self._counting = None

    def _counted(self) -> None:
        self._app.screen.post_message(OutboxChanged())
        self._count_down()
