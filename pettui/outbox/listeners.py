"""Listeners: called on the loop with what changes in an outbox; none can stop the sending."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.outbox.entries import Entry


class Listeners:
    """The listeners of entries, and those of the outbox as a whole."""

    def __init__(self) -> None:
        self._of_entries: list[Callable[[Entry], None]] = []
        self._of_status: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call a listener with each entry that changes, until what is returned is called."""
        return _add(self._of_entries, listener)

    def subscribe_to_status(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener when the whole changes its state, until what is returned is called."""
        return _add(self._of_status, listener)

    def notify(self, entry: Entry) -> None:
        """Call the listeners with an entry that changed."""
        for listener in tuple(self._of_entries):
            asyncio.get_running_loop().call_soon(_call, self._of_entries, listener, entry)

    def notify_status(self) -> None:
        """Call the listeners since the outbox as a whole changed its state."""
        for listener in tuple(self._of_status):
            asyncio.get_running_loop().call_soon(_call, self._of_status, listener)


def _add(listeners: list[Any], listener: Any) -> Callable[[], None]:
    listeners.append(listener)
    return partial(_discard, listeners, listener)


def _discard(listeners: list[Any], listener: Any) -> None:
    if listener in listeners:
        listeners.remove(listener)


def _call(listeners: list[Any], listener: Any, *arguments: Any) -> None:
    if listener in listeners:  # it may have unsubscribed since
        listener(*arguments)
