"""What is wrong with what a store keeps, in raw lines to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.outbox.entries import Entry, OutboxError
    from pettui.outbox.listeners import Listeners


class StoreProblems:
    """The error that a store is in now, what it could not read, and what it lost."""

    def __init__(self, listeners: Listeners) -> None:
        """Start without a problem; the listeners are called when any of it changes."""
        self.store_error: str | None = None  # until the store works again
        self._unread: tuple[str, ...] = ()
        self._lost: dict[str, None] = {}
        self._listeners = listeners

    @property
    def lines(self) -> tuple[str, ...]:
        """One line each on what could not be read, or could not be noted."""
        return (*self._unread, *self._lost)

    def failed(self, error: OutboxError) -> None:
        """Note that the store does not work."""
        self._set_store_error(str(error))

    def worked(self) -> None:
        """Note that the store works."""
        self._set_store_error(None)

    def found(self, unread: tuple[str, ...]) -> None:
        """Note what the store could not read."""
        if unread != self._unread:
            self._unread = unread
            self._listeners.notify_status()

    def lost(self, entry: Entry) -> None:
        """Note that what became of an entry could not be written down."""
        id_text = f" with id {entry.pet_id}" if entry.pet_id else ""
        became = f"{entry.label} is {entry.state.value}{id_text}"
        self._lost[f"{became}, but its file was changed or removed by another window"] = None
        self._listeners.notify_status()

    def _set_store_error(self, store_error: str | None) -> None:
        if store_error != self.store_error:
            self.store_error = store_error
            self._listeners.notify_status()
