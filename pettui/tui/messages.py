"""Messages that the app posts to all its screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from pettui.outbox import Entry


class EntryChanged(Message):
    """An entry of the outbox was added, removed, or changed its state.

    Attributes:
        entry: the entry as it is now.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


class OutboxChanged(Message):
    """The status of the outbox as a whole changed: a problem began, changed or is over."""


class FaultsChanged(Message):
    """The faults that are staged in a demo changed."""


class PasteRefused(Protocol):
    """The terminal's driver refused a paste that is too long.

    Attributes:
        size: in bytes.
        maximum: the largest paste that is accepted, in bytes.
    """

    size: int
    maximum: int
